//! The guest's end is the end of `samovar run`.

use super::Guest;

const ENDS: &str = r#"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
int main(int count, char **words)
{
    if (!strcmp(words[1], "exit"))
        return atoi(words[2]);
    if (!strcmp(words[1], "abort"))
        abort();
    if (!strcmp(words[1], "null"))
        *(volatile int *)(count - 2L) = 1;
    if (!strcmp(words[1], "divide"))
        return count / (count - 2);
    return raise(atoi(words[2]));
}
"#;

#[test]
fn exit_status_is_passed_on() {
    let guest = Guest::compiled(ENDS);
    for status in [0, 1, 7, 255] {
        let ended = guest.run(&[], &["exit", &status.to_string()]);
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(status), ""));
    }
    assert_eq!(guest.run(&[], &["exit", "256"]).status, Some(0));
}

#[test]
fn death_by_a_signal_is_passed_on() {
    let guest = Guest::compiled(ENDS);
    let deaths: &[(&[&str], i32)] = &[
        (&["abort"], libc::SIGABRT),
        (&["null"], libc::SIGSEGV),
        (&["divide"], libc::SIGFPE),
        (&["raise", "15"], libc::SIGTERM),
        (&["raise", "9"], libc::SIGKILL),
        (&["raise", "10"], libc::SIGUSR1),
        (&["raise", "40"], 40),
    ];
    for (arguments, signal) in deaths {
        let ended = guest.run(&[], arguments);
        assert_eq!(ended.signal, Some(*signal), "{arguments:?}: {ended:?}");
        assert!(!ended.core_dumped, "{arguments:?}");
        // Nobody looks: no more is said than a native run would say.
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("", ""));
    }
}

#[test]
fn who_asks_is_told_about_a_crash() {
    let guest = Guest::compiled(ENDS);
    let ended = guest.run(&["--verbose"], &["null"]);
    assert_eq!(ended.signal, Some(libc::SIGSEGV));
    let last = ended.stderr.lines().last().unwrap_or_default();
    assert!(last.contains("null pointer") && last.contains("in main (guest.c:12)"), "{last}");
}

#[test]
fn the_time_limit_ends_a_run() {
    let guest = Guest::compiled("int main(void) { for (;;); }");
    let ended = guest.run(&["--time", "0.2"], &[]);
    assert_eq!(ended.status, Some(3), "{ended:?}");
    assert!(ended.stderr.contains("time limit of 0.2 s"), "{ended:?}");
    assert_eq!(ended.stderr.lines().count(), 1);
}
