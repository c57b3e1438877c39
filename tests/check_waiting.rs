//! `samovar check` on threads that wait in loops: some come back to the same state, some count
//! their turns, and some only look as if they waited.

use samovar_tests::binary::samovar;
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// A thread sets `ready`; what `main` does about it.
fn program(waits: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <stdatomic.h>\n
         static _Atomic int ready, spare;
         static void *set(void *arg) {{ if (arg) ready = 1; return 0; }}
         int main(int argc, char **argv) {{
             pthread_t thread;
             pthread_create(&thread, 0, set, argc == 1 ? &thread : 0);
             {waits}
             pthread_join(thread, 0);
             return 0;
         }}"
    )
}

fn check(options: &[&str], source: &str, args: &[&str]) -> Value {
    let scratch = Scratch::new("waiting");
    std::fs::write(scratch.join("waiting.c"), source).expect("a scratch file");
    let head = ["check", "--format", "json", "--search", "dfs"];
    let words = [&head, options, &["waiting.c"], args].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    serde_json::from_slice(&outcome.stdout).unwrap_or_else(|_| panic!("{}", outcome.stderr_text()))
}

fn takes_for_granted(report: &Value) -> bool {
    report["semantics"]["assumptions"].to_string().contains("goes round a waiting loop")
}

#[test]
fn loops_that_count_their_turns_come_to_a_verdict() {
    let hints = ["sched_yield()", "__builtin_ia32_pause()"];
    for hint in hints {
        let counts =
            format!("unsigned n = 0; while (!ready) {{ n++; {hint}; }} spare = n == 77777;");
        // What comes of 77777 turns was not seen.
        let report = check(&[], &program(&counts), &[]);
        assert_eq!(report["verdict"], "incomplete", "{hint}: {report}");
        let reason = report["incomplete"]["reason"].to_string();
        assert!(reason.contains("--patience"), "{report}");
        assert!(reason.contains("(in main (waiting.c:"), "the loop has a name: {report}");
        let report = check(&["--patience", "16"], &program(&counts), &[]);
        assert_eq!(report["verdict"], "verified", "{hint}: {report}");
        assert!(takes_for_granted(&report), "{hint}: {report}");
        // A few rounds more or less make no difference but in their number.
        let hasty = check(&["--patience", "3"], &program(&counts), &[]);
        assert_eq!(hasty["verdict"], "verified", "{hint}");
        assert!(hasty["stats"]["states"].as_u64() < report["stats"]["states"].as_u64(), "{hint}");
        // Without a limit there is no end.
        let endless = check(&["--patience", "0", "--depth", "2000"], &program(&counts), &[]);
        assert_eq!(endless["verdict"], "incomplete", "{hint}");
        assert!(!takes_for_granted(&endless), "{hint}");
        // Nobody ever sets it: no deadlock, and no proof of anything.
        let report = check(&[], &program(&counts), &["never"]);
        assert_eq!(report["verdict"], "incomplete", "{hint}: {report}");
    }
}

#[test]
fn loops_that_come_back_need_no_patience() {
    let report = check(&[], &program("while (!ready) sched_yield();"), &[]);
    assert_eq!(report["verdict"], "verified", "{report}");
    assert!(!takes_for_granted(&report), "{report}");
    let report = check(&[], &program("while (!ready) sched_yield();"), &["never"]);
    assert_eq!(report["error"]["kind"], "livelock", "{report}");
}

#[test]
fn loops_of_some_turns_are_explored_whole() {
    for turns in [3, 100] {
        let some = format!(
            "int seen = 0; for (int n = 0; n < {turns} && !seen; n++) {{ seen = ready; \
             sched_yield(); }} assert(seen);"
        );
        let report = check(&[], &program(&some), &[]);
        assert_eq!(report["error"]["kind"], "assertion", "{turns}: {report}");
    }
    // Nor does it matter in how many surroundings a loop of some turns is met.
    let often = "for (unsigned round = 0; round < 60; round++)
        for (unsigned n = 0; n < 100 && !ready; n++) __builtin_ia32_pause();";
    for options in [&[][..], &["--patience", "0"]] {
        let report = check(options, &program(often), &[]);
        assert_eq!(report["verdict"], "verified", "{options:?}: {report}");
        assert!(6000 < report["stats"]["states"].as_u64().unwrap_or_default(), "{report}");
        assert!(!takes_for_granted(&report), "{report}");
    }
    // Reading often is not waiting.
    let reads = "int sum = 0; for (int n = 0; n < 300; n++) sum += ready; assert(sum < 301);";
    let report = check(&[], &program(reads), &[]);
    assert_eq!(report["verdict"], "verified", "{report}");
    assert!(!takes_for_granted(&report), "{report}");
}
