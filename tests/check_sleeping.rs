//! `samovar check` on threads that sleep: loops that sleep until something happens come to an end
//! because the clock stands still, unless somebody looks at it.

use samovar_tests::binary::samovar;
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;

const HEAD: &str = "#define _GNU_SOURCE\n#include <assert.h>\n#include <poll.h>\n\
    #include <pthread.h>\n#include <stdatomic.h>\n#include <sys/select.h>\n\
    #include <time.h>\n#include <unistd.h>\n";

/// A thread sets `ready`, unless there is an argument; `main` sleeps like this until it is set.
fn waiting(sleeps: &str) -> String {
    format!(
        "static _Atomic int ready;
         static void *set(void *arg) {{ if (arg) ready = 1; return 0; }}
         int main(int argc, char **argv) {{
             pthread_t thread;
             pthread_create(&thread, 0, set, argc == 1 ? &thread : 0);
             while (!ready) {{ {sleeps}; }}
             pthread_join(thread, 0);
             return 0;
         }}"
    )
}

fn check(options: &[&str], source: &str, args: &[&str]) -> String {
    let scratch = Scratch::new("sleeping");
    std::fs::write(scratch.join("a.c"), format!("{HEAD}{source}")).expect("a scratch file");
    let words = [&["check", "--format", "json"], options, &["a.c"], args].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let report: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
    let kind = report["error"]["kind"].as_str().map(|kind| format!(" {kind}"));
    format!("{}{}", report["verdict"].as_str().expect("a verdict"), kind.unwrap_or_default())
}

const SLEEPS: [&str; 5] = [
    "usleep(1000)",
    "sleep(1)",
    "struct timespec span = {0, 1000}; nanosleep(&span, 0)",
    "poll(0, 0, 3)",
    "struct timeval span = {0, 1000}; select(0, 0, 0, 0, &span)",
];

#[test]
fn loops_that_sleep_come_to_an_end() {
    for sleeps in SLEEPS {
        let source = waiting(sleeps);
        assert_eq!(check(&[], &source, &[]), "verified", "{sleeps}");
        assert_eq!(check(&[], &source, &["never"]), "error livelock", "{sleeps}");
        let every = ["--reduce", "none"];
        assert_eq!(check(&every, &source, &["never"]), "error livelock", "{sleeps}");
    }
    let source = waiting(SLEEPS[0]);
    for options in [&["--memo", "off"][..], &["--search", "bfs"], &["--model", "none"]] {
        assert_eq!(check(options, &source, &[]), "verified", "{options:?}");
        assert_eq!(check(options, &source, &["never"]), "error livelock", "{options:?}");
    }
    for options in [&["--reduce", "none", "--search", "bfs"][..], &["--jobs", "2"]] {
        assert_eq!(check(options, &source, &[]), "verified", "{options:?}");
    }
}

/// Threads whose sleeps never fit together exactly.
#[test]
fn several_sleepers_come_to_an_end() {
    let source = "static _Atomic int ready;
        static void *nap(void *arg) { while (!ready) usleep(2000); return 0; }
        int main(void) {
            pthread_t one, other;
            pthread_create(&one, 0, nap, 0);
            pthread_create(&other, 0, nap, 0);
            usleep(3000);
            ready = 1;
            pthread_join(one, 0);
            pthread_join(other, 0);
            return 0;
        }";
    for options in [&[][..], &["--search", "bfs"], &["--memo", "off"], &["--reduce", "contended"]] {
        assert_eq!(check(options, source, &[]), "verified", "{options:?}");
    }
}

/// Time passes while others work, so sleepers wake up in any order that their spans allow, and who
/// has woken up may be late.
#[test]
fn sleepers_wake_up_in_every_order() {
    let source = |seen: u32| {
        format!(
            "static _Atomic int seen;
             static void *nap(void *arg) {{ usleep(3000); seen = 1; return 0; }}
             int main(void) {{
                 pthread_t thread;
                 pthread_create(&thread, 0, nap, 0);
                 for (int i = 0; i < 2; i++) usleep(2000);
                 assert(seen == {seen});
                 pthread_join(thread, 0);
                 return 0;
             }}"
        )
    };
    for options in [&[][..], &["--memo", "off"], &["--search", "bfs"], &["--reduce", "contended"]] {
        assert_eq!(check(options, &source(0), &[]), "error assertion", "{options:?}");
        assert_eq!(check(options, &source(1), &[]), "error assertion", "{options:?}");
    }
}

/// The clock goes for who looks at it.
#[test]
fn a_clock_that_is_read_goes_on() {
    let source = |claim: &str| {
        format!(
            "static void *nap(void *arg) {{ usleep(1000); return 0; }}
             static long now(void) {{
                 struct timespec time;
                 clock_gettime(CLOCK_MONOTONIC, &time);
                 return time.tv_sec * 1000000 + time.tv_nsec / 1000;
             }}
             int main(void) {{
                 pthread_t thread;
                 long before = now();
                 pthread_create(&thread, 0, nap, 0);
                 usleep(5000);
                 long span = now() - before;
                 assert({claim});
                 pthread_join(thread, 0);
                 return 0;
             }}"
        )
    };
    for options in [&[][..], &["--memo", "off"], &["--search", "bfs"], &["--reduce", "contended"]] {
        assert_eq!(check(options, &source("span >= 5000"), &[]), "verified", "{options:?}");
        assert_eq!(check(options, &source("span < 5000"), &[]), "error assertion", "{options:?}");
    }
}

/// Asking for the time takes some, after which another thread may be due.
#[test]
fn sleepers_that_become_due_while_another_asks_for_the_time_wake_afterwards() {
    let source = |end: &str| {
        format!(
            "static void *ask(void *arg) {{
                 struct timespec time;
                 clock_gettime(CLOCK_REALTIME, &time);
                 return 0;
             }}
             int main(void) {{
                 pthread_t thread;
                 pthread_create(&thread, 0, ask, 0);
                 struct timespec span = {{0, 1000}};
                 nanosleep(&span, 0);
                 pthread_join(thread, 0);
                 {end}
                 return 0;
             }}"
        )
    };
    let limits = "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
         static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
         static void *wait(void *arg) {
             struct timespec limit;
             clock_gettime(CLOCK_REALTIME, &limit);
             limit.tv_nsec += 1000;
             pthread_mutex_lock(&lock);
             while (pthread_cond_timedwait(&never, &lock, &limit) == 0) { }
             pthread_mutex_unlock(&lock);
             return 0;
         }
         int main(void) {
             pthread_t thread;
             pthread_create(&thread, 0, wait, 0);
             wait(0);
             pthread_join(thread, 0);
             return 0;
         }";
    for options in [&[][..], &["--memo", "off"], &["--search", "bfs"], &["--reduce", "contended"]] {
        assert_eq!(check(options, &source(""), &[]), "verified", "{options:?}");
        assert_eq!(check(options, &source("assert(0);"), &[]), "error assertion", "{options:?}");
        assert_eq!(check(options, limits, &[]), "verified", "{options:?}");
    }
}

#[test]
fn trails_are_replayed() {
    let scratch = Scratch::new("sleeping_trail");
    let source = format!("{HEAD}{}", waiting("usleep(1000); assert(!ready)"));
    std::fs::write(scratch.join("a.c"), source).expect("a scratch file");
    let words = ["check", "--quiet", "--trail", "trail.json", "a.c"];
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    assert_eq!(outcome.ending(), "exit status 1", "{}", outcome.stderr_text());
    let outcome = Job::new(samovar(), &["replay", "trail.json"]).directory(scratch.path()).run();
    let said = format!("{}{}", outcome.stdout_text(), outcome.stderr_text());
    assert_eq!(outcome.ending(), "exit status 1", "{said}");
    assert!(said.contains("0.001 s, up to the next deadline"), "{said}");
}
