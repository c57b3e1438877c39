//! `samovar check` on loops that change nothing, and on loops that change something for a while:
//! every reduction and search agrees which of them are livelocks.

use samovar_tests::binary::samovar;
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;

const HEAD: &str = "#include <poll.h>\n#include <pthread.h>\n#include <samovar.h>\n\
    #include <sched.h>\n#include <stdatomic.h>\n#include <threads.h>\n#include <unistd.h>\n";

/// `main` does this until `flag` is 1, which a thread sets to a value.
fn waiting(value: u32, does: &str) -> String {
    format!(
        "{HEAD} static atomic_int flag;
         static void *set(void *arg) {{ flag = {value}; return arg; }}
         int main(void) {{
             pthread_t thread;
             pthread_create(&thread, 0, set, 0);
             while (flag != 1) {{ {does}; }}
             return 0;
         }}"
    )
}

/// A thread does this for ever while `main` waits for its end.
fn repeating(does: &str) -> String {
    format!(
        "{HEAD} static atomic_int flag, other;
         static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
         static int ends[2];
         static void *work(void *arg) {{ for (;;) {{ {does}; }} }}
         int main(void) {{
             pthread_t thread;
             pipe(ends);
             pthread_create(&thread, 0, work, 0);
             pthread_join(thread, 0);
             return 0;
         }}"
    )
}

/// Checks a program in every way.
fn assert_told(source: &str, expected: &str) {
    let scratch = Scratch::new("livelock");
    std::fs::write(scratch.join("a.c"), source).expect("a scratch file");
    for reduce in ["auto", "contended", "none"] {
        for search in ["dfs", "bfs"] {
            let words =
                ["check", "--format", "json", "--reduce", reduce, "--search", search, "a.c"];
            let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
            let report: Value = serde_json::from_slice(&outcome.stdout).expect("a report");
            let found = report["error"]["kind"].as_str().or(report["verdict"].as_str());
            assert_eq!(found, Some(expected), "{reduce} {search}: {source}\n{report:#}");
        }
    }
}

const SLEEP: &str = "struct timespec span = {0, 1000}; thrd_sleep(&span, 0)";

#[test]
fn waiting_for_what_never_comes_is_a_livelock() {
    for does in ["", "usleep(10)", "poll(0, 0, 10)", "sched_yield()", SLEEP] {
        assert_told(&waiting(2, does), "livelock");
    }
    for does in ["usleep(10)", "if (flag) usleep(10)", "sched_yield()"] {
        assert_told(&repeating(does), "livelock");
    }
}

#[test]
fn waiting_for_what_comes_is_none() {
    for does in ["", "usleep(10)", "poll(0, 0, 10)", "sched_yield()", SLEEP] {
        assert_told(&waiting(1, does), "verified");
    }
}

/// A variable of a thread's own counts where another thread looks at it.
#[test]
fn changes_of_locals_count_where_others_look() {
    let source = |looks: &str| {
        format!(
            "{HEAD} static _Atomic(atomic_int *) known;
             static void *look(void *arg) {{ {looks} return arg; }}
             static void *change(void *arg) {{
                 atomic_int local = 0;
                 known = &local;
                 for (;;) local ^= 1;
             }}
             int main(void) {{
                 pthread_t one, other;
                 pthread_create(&one, 0, look, 0);
                 pthread_create(&other, 0, change, 0);
                 pthread_join(one, 0);
                 pthread_join(other, 0);
             }}"
        )
    };
    assert_told(&source("while (!known); for (;;) if (*known == 2) return 0;"), "verified");
    assert_told(&source("atomic_int *it = known; if (it) (void)*it;"), "livelock");
    assert_told(&source(""), "livelock");
}

/// What threads leave behind for ever is no reason to call others stuck that can move.
#[test]
fn threads_that_can_move_are_not_stuck() {
    assert_told(
        &format!(
            "{HEAD} static atomic_int y, z, q;
             static void *a(void *arg) {{
                 if (y == 1) if (z == 1) for (;;) {{ samovar_progress(); q = 1; q = 2; }}
                 return arg;
             }}
             static void *b(void *arg) {{ y = 1; y = 0; q; return arg; }}
             static void *c(void *arg) {{ z = 1; z = 2; return arg; }}
             int main(void) {{
                 pthread_t one, two, three;
                 pthread_create(&one, 0, a, 0);
                 pthread_create(&two, 0, b, 0);
                 pthread_create(&three, 0, c, 0);
                 pthread_join(two, 0);
                 pthread_join(three, 0);
                 return 0;
             }}"
        ),
        "verified",
    );
}

/// Others may see the change before it is taken back.
#[test]
fn changes_for_a_while_are_changes() {
    for does in [
        "flag = 1; flag = 0",
        "flag = 1; flag = 0; usleep(10)",
        "pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex)",
        "pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); usleep(10)",
        "if (!pthread_mutex_trylock(&mutex)) pthread_mutex_unlock(&mutex); usleep(10)",
        "char byte = 1; write(ends[1], &byte, 1); read(ends[0], &byte, 1); usleep(10)",
    ] {
        assert_told(&repeating(does), "verified");
    }
}

#[test]
fn marks_of_progress_make_a_loop_useful() {
    for does in [
        "samovar_progress()",
        "samovar_progress(); samovar_progress()",
        "samovar_progress(); usleep(10)",
        "samovar_progress(); sched_yield(); samovar_progress()",
    ] {
        assert_told(&repeating(does), "verified");
        assert_told(&format!("{HEAD} int main(void) {{ for (;;) {{ {does}; }} }}"), "verified");
    }
}
