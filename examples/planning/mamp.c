// The multi-agent manufacturing problem: every job needs some resources for some time, every agent
// can use some of the resources, a resource serves one agent at a time, every job has to be done once,
// and all should be over soon. Agents are threads; one round of an atomic region is one step of time.
//
//   mamp AGENTS JOBS SEED [RESOURCES]   a random instance: jobs take 10 to 100 steps and need up to
//                                       a tenth of the (100) resources
//   mamp                                two agents, three jobs; two steps are the best
//
//   samovar plan mamp.c 5 10 1               plans and simulates in turn
//   samovar plan --simulate mamp.c 5 10 1    simulates only: agents take what they find
//
// check: => verified; skip reduce=none
// plan: => 2
// plan: --phase=bfs --evaluate=taken => 2
#include <pthread.h>
#include <samovar.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { AGENTS_MAX = 16, JOBS_MAX = 128, RESOURCES_MAX = 128, NOTHING = -1, WAIT = -2 };

typedef unsigned __int128 set;

static int agents = 2, jobs = 3, resources = 5;
static set can_use[AGENTS_MAX] = {31, 28};
static set needs[JOBS_MAX] = {3, 12, 20};
static int duration[JOBS_MAX] = {2, 1, 1};
static char is_taken[JOBS_MAX];
static set in_use;
/* Released in this round: not to be had before the next one. Rounds are even or odd. */
static set cooling;
static char cooling_is_odd;
static char is_odd[AGENTS_MAX];
/* How often resources became free; who has seen that in vain need not look again. */
static int events = 1, seen[AGENTS_MAX];
int taken;
static int finished;

static int job_of[AGENTS_MAX];
static int work_left[AGENTS_MAX];
/* The job that an agent should do, or has decided to do. */
static int wish[AGENTS_MAX];

/* Natively the rounds are kept by a lock and a barrier. */
static int is_native;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_over;

static int could_take(int agent, int job)
{
    return !is_taken[job] && (needs[job] & ~can_use[agent]) == 0;
}

static int can_take(int agent, int job)
{
    return could_take(agent, job) && (needs[job] & (in_use | cooling)) == 0;
}

/* The job to begin now. An agent waits for what it should do. */
static int decide(int agent)
{
    int job = wish[agent], possible = 0;
    if (job == WAIT)
        return NOTHING;
    if (0 <= job && job < jobs && could_take(agent, job))
        return can_take(agent, job) ? job : NOTHING;
    if (seen[agent] == events)
        return NOTHING;
    for (job = 0; job < jobs; job++)
        possible += can_take(agent, job);
    if (possible == 0) {
        seen[agent] = events;
        return NOTHING;
    }
    int chosen = samovar_choose(possible);
    for (job = 0; chosen || !can_take(agent, job); job++)
        chosen -= can_take(agent, job);
    return wish[agent] = job;
}

static void begin(int agent, int job)
{
    is_taken[job] = 1;
    taken++;
    in_use |= needs[job];
    job_of[agent] = job;
    work_left[agent] = duration[job];
    samovar_action("job", job);
    samovar_busy();
}

static void end(int agent)
{
    in_use &= ~needs[job_of[agent]];
    cooling |= needs[job_of[agent]];
    job_of[agent] = wish[agent] = NOTHING;
    finished++;
    samovar_idle();
}

static void one_step(int agent)
{
    is_odd[agent] = !is_odd[agent];
    if (cooling_is_odd != is_odd[agent]) {
        cooling_is_odd = is_odd[agent];
        events += cooling != 0;
        cooling = 0;
    }
    if (job_of[agent] == NOTHING) {
        int job = decide(agent);
        if (job == NOTHING)
            return;
        begin(agent, job);
    }
    if (--work_left[agent] == 0)
        end(agent);
}

static void *agent(void *argument)
{
    static const char *const names[AGENTS_MAX] = {"a0", "a1", "a2",  "a3",  "a4",  "a5",  "a6",  "a7",
                                                  "a8", "a9", "a10", "a11", "a12", "a13", "a14", "a15"};
    int me = (int)(intptr_t)argument;
    samovar_thread_name(names[me]);
    SUGGEST_OR_WAIT(&wish[me], WAIT);
    samovar_idle();
    for (int over = 0; !over;) {
        if (is_native)
            pthread_mutex_lock(&lock);
        BEGINATOMIC
        one_step(me);
        over = finished == jobs;
        ENDATOMIC
        if (is_native) {
            pthread_mutex_unlock(&lock);
            pthread_barrier_wait(&round_over);
            over = finished == jobs;
            pthread_barrier_wait(&round_over);
        }
    }
    return 0;
}

static uint64_t random_state;

static int random_below(int bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((random_state >> 33) % (unsigned)bound);
}

/* Agents have three quarters of the resources; what a job needs, at least one agent has. */
static void make_instance(void)
{
    for (int agent = 0; agent < agents; agent++) {
        can_use[agent] = 0;
        for (int resource = 0; resource < resources; resource++)
            if (random_below(4))
                can_use[agent] |= (set)1 << resource;
        if (can_use[agent] == 0)
            can_use[agent] = 1;
    }
    for (int job = 0; job < jobs; job++) {
        int able = random_below(agents), count = 1 + random_below(resources / 10);
        duration[job] = 10 + random_below(91);
        for (needs[job] = 0; 0 < count; count--) {
            int resource = random_below(resources);
            while (!(can_use[able] >> resource & 1))
                resource = (resource + 1) % resources;
            needs[job] |= (set)1 << resource;
        }
    }
}

static int bounded(const char *text, int least, int most)
{
    int number = atoi(text);
    return number < least ? least : most < number ? most : number;
}

int main(int argc, char **argv)
{
    pthread_t threads[AGENTS_MAX];
    if (3 < argc) {
        agents = bounded(argv[1], 1, AGENTS_MAX);
        jobs = bounded(argv[2], 1, JOBS_MAX);
        random_state = (uint64_t)atoi(argv[3]);
        resources = argc < 5 ? 100 : bounded(argv[4], 10, RESOURCES_MAX);
        make_instance();
    }
    is_native = !samovar_present();
    pthread_barrier_init(&round_over, 0, (unsigned)agents);
    for (int me = 0; me < agents; me++)
        job_of[me] = wish[me] = NOTHING;
    for (intptr_t me = 0; me < agents; me++)
        pthread_create(&threads[me], 0, agent, (void *)me);
    for (int me = 0; me < agents; me++)
        pthread_join(threads[me], 0);
    printf("%d jobs done\n", finished);
    return 0;
}
