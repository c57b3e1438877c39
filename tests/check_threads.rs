//! `samovar check` on threads in unusual arrangements: many that create one another, and ones that
//! are found to wait at something contended in the midst of an expansion.

use samovar_tests::binary::samovar;
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;

fn check(options: &[&str], name: &str, source: &str) -> String {
    let scratch = Scratch::new("threads");
    std::fs::write(scratch.join(name), source).expect("a scratch file");
    let words = [&["check", "--format", "json"], options, &[name]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let report: Value = serde_json::from_slice(&outcome.stdout)
        .unwrap_or_else(|_| panic!("{options:?}: {}", outcome.stderr_text()));
    let kind = report["error"]["kind"].as_str().map(|kind| format!(" {kind}"));
    format!("{}{}", report["verdict"].as_str().expect("a verdict"), kind.unwrap_or_default())
}

/// Each thread allocates in an arena of its own.
#[test]
fn forty_threads_that_create_one_another_are_verified() {
    let source = |claim: &str| {
        format!(
            "#include <assert.h>\n#include <pthread.h>\n
             static void *begin(void *arg) {{
                 long number = (long)arg;
                 pthread_t next;
                 if (number == 40) {{
                     assert({claim});
                 }} else {{
                     assert(pthread_create(&next, 0, begin, (void *)(number + 1)) == 0);
                     assert(pthread_join(next, 0) == 0);
                 }}
                 return 0;
             }}
             int main(void) {{ begin(0); return 0; }}"
        )
    };
    for options in [&[][..], &["--search", "dfs"], &["--search", "bfs"], &["--reduce", "lgc"]] {
        assert_eq!(check(options, "a.c", &source("1")), "verified", "{options:?}");
        assert_eq!(check(options, "a.c", &source("0")), "error assertion", "{options:?}");
    }
}

/// Nobody is notified. That a thread waits at a word of the library shows what is contended, in a
/// state that has to be looked at twice.
#[test]
fn a_missing_notification_is_a_deadlock_in_every_search() {
    let source = "#include <atomic>\n#include <thread>\n
        static std::atomic_flag taken = ATOMIC_FLAG_INIT;
        int main() {
            auto work = [] {
                while (taken.test_and_set()) taken.wait(true);
                taken.clear();
            };
            std::thread one(work), two(work);
            one.join();
            two.join();
        }";
    for search in ["auto", "dfs", "bfs", "idfs"] {
        for level in ["-O0", "-O1", "-O2"] {
            let flags = format!("-std=c++20 {level}");
            let options = ["--search", search, "--cflags", &flags];
            assert_eq!(check(&options, "a.cpp", source), "error deadlock", "{options:?}");
        }
    }
}
