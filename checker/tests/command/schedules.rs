//! Seeds pick schedules, and the same seed always the same one.

use super::{Ended, Guest};

/// Two threads write letters one by one; the string shows the schedule.
const LETTERS: &str = r#"
#include <pthread.h>
#include <stdio.h>
static char letters[400];
static volatile int used;
static void *write_letters(void *letter)
{
    for (int i = 0; i < 100; i++)
        letters[__atomic_fetch_add(&used, 1, __ATOMIC_RELAXED)] = *(char *)letter;
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, write_letters, "a");
    pthread_create(&b, NULL, write_letters, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(letters);
    return 0;
}
"#;

#[test]
fn a_seed_is_a_schedule() {
    let guest = Guest::compiled(LETTERS);
    let letters = |seed: u32| {
        let ended = guest.run(&["--seed", &seed.to_string()], &[]);
        assert_eq!(ended.status, Some(0), "{ended:?}");
        ended.stdout
    };
    let mut seen: Vec<String> = (0..20).map(letters).collect();
    assert_eq!(seen[3], letters(3));
    for text in &seen {
        assert_eq!(text.matches('a').count(), 100);
        assert_eq!(text.matches('b').count(), 100);
    }
    seen.sort();
    seen.dedup();
    assert!(5 < seen.len(), "twenty seeds gave only {} schedules", seen.len());
}

/// Each thread takes one lock and then wants the other's.
const EMBRACE: &str = r#"
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static volatile int waiting;
static void *other(void *unused)
{
    pthread_mutex_lock(&right);
    waiting = 1;
    pthread_mutex_lock(&left);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&left);
    pthread_create(&thread, NULL, other, NULL);
    while (!waiting)
        sched_yield();
    pthread_mutex_lock(&right);
    return 0;
}
"#;

#[test]
fn a_deadlock_is_reported_with_names_and_lines() {
    let guest = Guest::compiled(EMBRACE);
    for model in ["full", "none"] {
        let ended = guest.run(&["--model", model], &[]);
        assert_eq!(ended.status, Some(1), "{ended:?}");
        assert!(ended.stderr.starts_with("samovar: deadlock: all 2 threads wait"), "{ended:?}");
        let lines: Vec<&str> = ended.stderr.lines().collect();
        assert!(lines[1].contains("thread 0") && lines[1].contains("right"), "{ended:?}");
        assert!(lines[1].contains("in main (guest.c:20)"), "{ended:?}");
        assert!(lines[2].contains("thread 1") && lines[2].contains("left"), "{ended:?}");
        assert!(lines[2].contains("in other (guest.c:10)"), "{ended:?}");
    }
    let ended = guest.run(&["--model", "full"], &[]);
    assert!(ended.stderr.contains("held by thread 1"), "{ended:?}");
}

#[test]
fn sleeping_takes_no_time_of_the_host() {
    // A day for one thread, while another one watches the clock.
    let guest = Guest::compiled(
        r#"
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
static void *sleeper(void *unused)
{
    sleep(86400);
    return unused;
}
int main(void)
{
    pthread_t thread;
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    pthread_create(&thread, NULL, sleeper, NULL);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    printf("%d\n", after.tv_sec - before.tv_sec >= 86400);
    return 0;
}
"#,
    );
    let ended: Ended = guest.run(&[], &[]);
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(0), "1\n"), "{ended:?}");
}
