//! `samovar check` on threads that wait for one another: every way to wait can deadlock and says
//! what is waited for, whom a signal wakes is explored, misuse of locks has its kind and detail,
//! and correct programs are verified, with the library models and without.

use samovar_tests::binary::samovar;
use samovar_tests::build::{execute, programs};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// Builds a program of ours.
fn built(scratch: &Scratch, name: &str, flags: &[&str]) -> String {
    let source = programs().join("check").join(name);
    let (stem, kind) = name.split_once('.').expect("a name with a kind");
    let compiler = if kind == "cpp" { "g++" } else { "gcc" };
    let program = scratch.join(stem);
    let mut command =
        std::process::Command::new(samovar_tests::tool::need(compiler).expect("a compiler"));
    let headers = programs().join("../../runtime-lib/include");
    command.args(["-g", "-O1", "-w", "-pthread", "-I"]).arg(headers).args(flags);
    command.arg(source).arg("-o").arg(&program);
    execute(&mut command);
    program.display().to_string()
}

/// Checks a program; the report agrees with the exit status.
fn report(scratch: &Scratch, options: &[&str], program: &str, word: &str) -> Value {
    let words = [&["check", "--format", "json"], options, &[program, word]].concat();
    let outcome = Job::new(samovar(), &words).directory(scratch.path()).run();
    let text = outcome.stdout_text();
    let value: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{word}: {error} in {text:?}, {}", outcome.stderr_text()));
    let status = match value["verdict"].as_str() {
        Some("verified") => 0,
        Some("error") if value["error"]["kind"] == "unsupported" => 2,
        Some("error") => 1,
        other => panic!("{options:?} {word}: the verdict is {other:?}: {text}"),
    };
    assert_eq!(outcome.status.code(), Some(status), "{text}");
    value
}

fn assert_verified(scratch: &Scratch, options: &[&str], program: &str, word: &str) {
    let report = report(scratch, options, program, word);
    assert_eq!(report["verdict"], "verified", "{options:?} {word}: {:#}", report["error"]);
}

/// Every misuse: its detail, and the function that it is a misuse of.
const MISUSES: &[(&str, &str, &str)] = &[
    ("unlock-free", "unlock-not-owner", "pthread_mutex_unlock of mutex"),
    ("unlock-other", "unlock-not-owner", "pthread_mutex_unlock of mutex"),
    ("relock", "relock", "pthread_mutex_lock of mutex"),
    ("relock-adaptive", "relock", "pthread_mutex_lock"),
    ("relock-robust", "relock", "pthread_mutex_lock"),
    ("destroy-locked", "destroy-busy", "pthread_mutex_destroy of mutex"),
    ("destroyed", "destroyed", "pthread_mutex_lock of mutex"),
    ("garbage", "uninitialised", "pthread_mutex_lock of mutex"),
    ("wait-without", "wait-without-mutex", "pthread_cond_wait of mutex"),
    ("two-mutexes", "different-mutexes", "pthread_cond_wait of cond"),
    ("destroy-waited", "destroy-busy", "pthread_cond_destroy of cond"),
    ("cond-destroyed", "destroyed", "pthread_cond_signal of cond"),
    ("c11-unlock", "unlock-not-owner", "pthread_mutex_unlock"),
    ("rw-unlock-free", "unlock-not-owner", "pthread_rwlock_unlock of rwlock"),
    ("rw-unlock-other", "unlock-not-owner", "pthread_rwlock_unlock of rwlock"),
    ("rw-relock", "relock", "pthread_rwlock_wrlock of rwlock"),
    ("rw-read-own", "relock", "pthread_rwlock_rdlock of rwlock"),
    ("rw-upgrade", "relock", "pthread_rwlock_wrlock of rwlock"),
    ("rw-destroy", "destroy-busy", "pthread_rwlock_destroy of rwlock"),
    ("rw-destroyed", "destroyed", "pthread_rwlock_rdlock of rwlock"),
    ("spin-relock", "relock", "pthread_spin_lock of spin"),
    ("spin-other", "unlock-not-owner", "pthread_spin_unlock of spin"),
    ("spin-destroy", "destroy-busy", "pthread_spin_destroy of spin"),
    ("spin-none", "uninitialised", "pthread_spin_lock of spin"),
    ("barrier-none", "uninitialised", "pthread_barrier_wait of barrier"),
    ("barrier-destroy", "destroy-busy", "pthread_barrier_destroy of barrier"),
    ("sem-destroyed", "destroyed", "sem_wait of semaphore"),
    ("join-detached", "detached", "pthread_join"),
];

#[test]
fn every_misuse_has_its_detail() {
    let scratch = Scratch::new("misused-locks");
    let program = built(&scratch, "misused_locks.c", &[]);
    for &(word, detail, words) in MISUSES {
        // Threads that wait with different mutexes race as well.
        let report = report(&scratch, &["--check", "lock"], &program, word);
        let error = &report["error"];
        assert_eq!(error["kind"], "lock", "{word}: {error:#}");
        assert_eq!(error["detail"], detail, "{word}: {error:#}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.starts_with(words), "{word}: {message}");
    }
}

#[test]
fn what_posix_allows_is_no_misuse() {
    let scratch = Scratch::new("allowed");
    let program = built(&scratch, "misused_locks.c", &[]);
    for word in ["errorcheck", "recursive", "timed", "again", "readers", "barrier", "robust"] {
        for model in ["full", "none"] {
            let word = format!("fine-{word}");
            assert_verified(&scratch, &["--model", model], &program, &word);
        }
    }
}

#[test]
fn misuse_that_was_not_asked_for_goes_on_as_natively() {
    let scratch = Scratch::new("unasked");
    let program = built(&scratch, "misused_locks.c", &[]);
    let asked = ["--check", "deadlock,assertion"];
    assert_verified(&scratch, &asked, &program, "unlock-free");
    assert_verified(&scratch, &asked, &program, "destroy-locked");
    let relock = report(&scratch, &asked, &program, "relock");
    assert_eq!(relock["error"]["kind"], "deadlock", "{relock:#}");
}

#[test]
fn every_way_to_wait_can_be_in_vain() {
    let scratch = Scratch::new("stuck");
    let program = built(&scratch, "stuck.c", &[]);
    for (word, object, holder) in [
        ("mutex", "mutex", Some("main")),
        ("robust", "robust", Some("main")),
        ("condition", "a signal on signalled", None),
        ("reading", "table for reading", Some("main")),
        ("writing", "table for writing", Some("main")),
        ("spin", "spinner", Some("main")),
        ("semaphore", "a post to items", None),
        ("barrier", "others to arrive at gate", None),
        ("c11", "plain", Some("main")),
        ("once", "mutex", Some("main")),
    ] {
        let report = report(&scratch, &[], &program, word);
        assert_eq!(report["error"]["kind"], "deadlock", "{word}: {report:#}");
        let waits = report["error"]["waits"].as_array().expect("who waits");
        assert_eq!(waits.len(), 3, "{word}: {waits:#?}");
        assert_eq!(waits[1]["object"], object, "{word}");
        assert_eq!(waits[1]["held_by"].as_str(), holder, "{word}");
        let without = self::report(&scratch, &["--model", "none"], &program, word);
        let kind = without["error"]["kind"].as_str();
        // A spin lock without a model spins, and the search sees that nothing can change.
        assert!(kind == Some("deadlock") || word == "spin", "{word}: {without:#}");
    }
}

#[test]
fn whom_a_signal_wakes_is_open() {
    let scratch = Scratch::new("waiters");
    let program = built(&scratch, "waiters.c", &[]);
    for model in ["full", "none"] {
        let options = ["--model", model];
        let found = report(&scratch, &options, &program, "signal");
        assert_eq!(found["error"]["message"], "assertion `order[0] == 0` fails", "{model}");
        assert_verified(&scratch, &options, &program, "patient");
        assert_verified(&scratch, &options, &program, "hurried");
    }
    assert_verified(&scratch, &[], &program, "broadcast");
    let found = report(&scratch, &[], &program, "signal");
    let steps = found["trail"].as_array().expect("a trail");
    let told = steps.iter().filter_map(|step| step["operation"].as_str());
    let signals: Vec<&str> = told.filter(|words| words.starts_with("signals wakeup")).collect();
    assert_eq!(signals, ["signals wakeup, T2 wakes up"], "{steps:#?}");
}

#[test]
fn waits_may_end_by_themselves_if_asked_for() {
    let scratch = Scratch::new("spurious");
    let program = built(&scratch, "waiters.c", &[]);
    let found = report(&scratch, &["--spurious"], &program, "hurried");
    assert_eq!(found["error"]["message"], "assertion `tokens` fails");
    assert_verified(&scratch, &["--spurious"], &program, "patient");
    assert_verified(&scratch, &["--spurious"], &program, "broadcast");
    let trail = scratch.join("waiters.trail.json").display().to_string();
    let again = Job::new(samovar(), &["replay", &trail]).directory(scratch.path()).run();
    assert_eq!(again.status.code(), Some(1), "{}", again.stderr_text());
    let told = again.stdout_text();
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("wakes up by itself"), "{told}");
}

/// Words of `protocols.c` and what is wrong with the broken twin.
const PROTOCOLS: &[(&str, &str)] = &[
    ("semaphores", "`sum == 3`"),
    ("barrier", "`phase[!me] == i`"),
    ("readers", "assertion `"),
    ("spin", "`count == 2`"),
    ("once", "`count == 1`"),
    ("keys", "`count == 2`"),
    ("c11", "cannot happen"),
    ("limit", "`result == 0`"),
    ("limits", "`got == 0`"),
];

/// Where the guards are missing, races come first.
const WITHOUT_RACES: &[&str] = &["--check", "deadlock,assertion,memory,lock"];

#[test]
fn protocols_are_verified_and_their_broken_twins_are_not() {
    let scratch = Scratch::new("protocols");
    let correct = built(&scratch, "protocols.c", &[]);
    for model in ["full", "none"] {
        for (word, _) in PROTOCOLS {
            assert_verified(&scratch, &["--model", model], &correct, word);
        }
        let options = [&["--model", model], WITHOUT_RACES].concat();
        let parallel = report(&scratch, &options, &correct, "parallel");
        assert_eq!(parallel["error"]["message"], "assertion `!together` fails", "{model}");
    }
    let broken = built(&scratch, "protocols.c", &["-DBROKEN"]);
    for (word, words) in PROTOCOLS {
        let report = report(&scratch, WITHOUT_RACES, &broken, word);
        let message = report["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{word}: {report:#}");
    }
}

#[test]
fn threads_are_cancelled_wherever_they_wait() {
    let scratch = Scratch::new("cancelled");
    let program = built(&scratch, "cancelled.c", &[]);
    for word in ["condition", "semaphore", "disabled", "given", "spared", "back"] {
        assert_verified(&scratch, &[], &program, word);
    }
    // Whoever comes first, one of the two is refused.
    for search in ["dfs", "bfs"] {
        let refused = report(&scratch, &["--search", search], &program, "asynchronous");
        let message = refused["error"]["message"].as_str().expect("a message");
        assert!(message.contains("asynchronous cancellation"), "{message}");
    }
    for (flag, words) in [("-DALWAYS", "`passed`"), ("-DNEVER", "`!passed`")] {
        let program = built(&scratch, "cancelled.c", &[flag]);
        let found = report(&scratch, &[], &program, "given");
        let message = found["error"]["message"].as_str().expect("a message");
        assert!(message.contains(words), "{flag}: {message}");
    }
}

#[test]
fn a_region_that_cannot_be_finished_has_not_begun() {
    let scratch = Scratch::new("region");
    let program = built(&scratch, "region.c", &[]);
    for word in ["condition", "semaphore", "mutex"] {
        for options in [&[][..], &["--reduce", "none"], &["--model", "none"]] {
            assert_verified(&scratch, options, &program, word);
        }
    }
    let stuck = report(&scratch, &[], &program, "barrier");
    assert_eq!(stuck["error"]["kind"], "deadlock", "{stuck:#}");
    assert_eq!(stuck["error"]["waits"][1]["object"], "others to arrive at barrier");
}

#[test]
fn the_cpp_library_waits_through_models_and_futexes() {
    let scratch = Scratch::new("standard");
    let program = built(&scratch, "standard.cpp", &["-std=c++20"]);
    for word in [
        "mutex",
        "recursive",
        "condition",
        "shared",
        "semaphore",
        "latch",
        "barrier",
        "future",
        "once",
    ] {
        assert_verified(&scratch, &[], &program, word);
    }
}

#[test]
fn a_waiting_writer_may_keep_readers_out() {
    let scratch = Scratch::new("overtaken");
    let default = built(&scratch, "overtaken.c", &[]);
    for model in ["full", "none"] {
        assert_verified(&scratch, &["--model", model], &default, "");
    }
    let preferring = built(&scratch, "overtaken.c", &["-DPREFER"]);
    for model in ["full", "none"] {
        let found = report(&scratch, &["--model", model], &preferring, "");
        assert_eq!(found["error"]["kind"], "deadlock", "{model}: {found:#}");
    }
}

#[test]
fn a_race_tells_the_locks_that_are_held_and_who_called() {
    let scratch = Scratch::new("held");
    let program = built(&scratch, "held.c", &[]);
    for (how, [mine, yours]) in [
        ("mutex", ["mine", "yours"]),
        ("member", ["first.lock", ""]),
        ("rwlock", ["readers", "writers"]),
        ("spin", ["spin", "turn"]),
        ("nothing", ["", ""]),
    ] {
        let words = |name: &str| if name.is_empty() { vec![] } else { vec![name.to_string()] };
        for reduce in ["--reduce=auto", "--reduce=none"] {
            let report = report(&scratch, &[reduce], &program, how);
            assert_eq!(report["error"]["kind"], "race", "{how}: {report:#}");
            let accesses = report["error"]["accesses"].as_array().expect("two accesses");
            let held: Vec<&Value> = accesses.iter().map(|access| &access["locks"]).collect();
            assert_eq!(held, [&Value::from(words(mine)), &Value::from(words(yours))], "{how}");
        }
    }
    let outcome = Job::new(samovar(), &["check", &program, "mutex"]).directory(scratch.path());
    let text = outcome.run().stdout_text().replace("\n  ", " ");
    assert!(text.contains("T1 holds mine; T2 holds yours."), "{text}");
    assert!(text.contains("T1 is in change, called by one (held.c:"), "{text}");
    assert!(text.contains("T2 is in change, called by other (held.c:"), "{text}");
}
