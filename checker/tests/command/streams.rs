//! Standard input, output and error go through as the guest uses them.

use super::{Ended, Guest};
use std::io::Write;
use std::process::Stdio;

const ECHO: &str = r#"
#include <stdio.h>
#include <unistd.h>
int main(int count, char **words)
{
    char bytes[5];
    long n = read(0, bytes, sizeof bytes);
    fprintf(stderr, "%ld of %d\n", n, count);
    write(1, bytes, n);
    for (int i = 1; i < count; i++)
        printf("<%s>", words[i]);
    return 0;
}
"#;

#[test]
fn input_and_both_outputs() {
    let guest = Guest::compiled(ECHO);
    let mut child = guest
        .samovar(&["run", "./guest", "-x", "two words", "--seed"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("samovar starts");
    child.stdin.take().expect("a pipe").write_all(b"hello and more").expect("room in the pipe");
    let ended = Ended::from(child.wait_with_output().expect("samovar ends"));
    assert_eq!(ended.stdout, "hello<-x><two words><--seed>");
    assert_eq!(ended.stderr, "5 of 4\n");
}

#[test]
fn no_more_input_is_taken_than_the_guest_reads() {
    let guest = Guest::compiled(ECHO);
    let samovar = env!("CARGO_BIN_EXE_samovar");
    let script = format!("printf 0123456789 | ('{samovar}' run ./guest; cat)");
    let output = std::process::Command::new("sh")
        .args(["-c", &script])
        .current_dir(&guest.directory)
        .output()
        .expect("sh can be started");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0123456789");
}

#[test]
fn a_reader_that_leaves_ends_the_run() {
    let guest = Guest::compiled("#include <stdio.h>\nint main(void) { for (;;) puts(\"y\"); }");
    let mut child =
        guest.samovar(&["run", "./guest"]).stdout(Stdio::piped()).spawn().expect("samovar starts");
    drop(child.stdout.take());
    let status = child.wait().expect("samovar ends");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(libc::SIGPIPE));
}

#[test]
fn output_comes_before_the_next_read() {
    let guest = Guest::compiled(
        r#"
#include <stdio.h>
int main(void)
{
    char line[64];
    printf("name? ");
    fflush(stdout);
    if (fgets(line, sizeof line, stdin))
        printf("hello, %s", line);
    return 0;
}
"#,
    );
    let mut child = guest
        .samovar(&["run", "./guest"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("samovar starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    let mut prompt = [0; 6];
    // Hangs if the prompt is held back until there is input.
    std::io::Read::read_exact(&mut stdout, &mut prompt).expect("a prompt");
    assert_eq!(&prompt, b"name? ");
    child.stdin.take().expect("a pipe").write_all(b"tea\n").expect("room in the pipe");
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut stdout, &mut rest).expect("the rest");
    assert_eq!(rest, "hello, tea\n");
    assert!(child.wait().expect("samovar ends").success());
}

#[test]
fn the_limit_holds_while_waiting_for_input() {
    let guest = Guest::compiled(ECHO);
    let mut child = guest
        .samovar(&["run", "--time", "0.2", "./guest"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("samovar starts");
    // Nothing is ever written to it, and it stays open.
    let stdin = child.stdin.take();
    let ended = Ended::from(child.wait_with_output().expect("samovar ends"));
    drop(stdin);
    assert_eq!(ended.status, Some(3), "{ended:?}");
    assert_eq!(ended.stdout, "");
}

#[test]
fn the_environment_is_what_was_asked_for() {
    let guest = Guest::compiled(
        "#include <stdio.h>\nextern char **environ;\n\
         int main(void) { for (char **e = environ; *e; e++) puts(*e); }",
    );
    let given = |options: &[&str]| -> Vec<String> {
        let words = [&["run"], options, &["./guest"]].concat();
        let ended = Ended::of(guest.samovar(&words).env("COLOUR", "red"));
        assert_eq!(ended.status, Some(0), "{ended:?}");
        ended.stdout.lines().map(str::to_string).collect()
    };
    assert!(given(&[]).contains(&"COLOUR=red".to_string()));
    assert!(given(&["--env", "COLOUR=blue"]).contains(&"COLOUR=blue".to_string()));
    assert!(!given(&["--env", "COLOUR=blue"]).contains(&"COLOUR=red".to_string()));
    assert_eq!(given(&["--clear-env", "--env", "A=1", "--env", "B="]), ["A=1", "B="]);
}
