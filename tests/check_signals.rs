//! `samovar check` on programs whose threads send signals to one another: waited for, taken at a
//! defined point, deadly, or refused, because a handler would begin anywhere.

use samovar_tests::binary::samovar;
use samovar_tests::child::{Job, Outcome};
use samovar_tests::scratch::Scratch;

const HEAD: &str = "#define _GNU_SOURCE\n#include <pthread.h>\n#include <sched.h>\n\
                    #include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n";

/// Checks a program in C.
fn check(options: &[&str], source: &str) -> Outcome {
    let scratch = Scratch::new("signals");
    std::fs::write(scratch.join("signals.c"), format!("{HEAD}{source}")).expect("a scratch file");
    let words = [&["check", "--quiet"], options, &["signals.c"]].concat();
    Job::new(samovar(), &words).directory(scratch.path()).run()
}

fn assert_ends(options: &[&str], source: &str, status: i32, words: &str) {
    let outcome = check(options, source);
    let said = format!("{}{}", outcome.stdout_text(), outcome.stderr_text());
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(outcome.ending(), format!("exit status {status}"), "{said}");
    assert!(said.contains(words), "{said}");
}

/// A thread that waits for a signal; `main` sends it at some time, or another one.
fn waiter(sent: &str) -> String {
    format!(
        "static sigset_t set;
         static void *wait_for(void *arg) {{
             int number;
             sigwait(&set, &number);
             if (number != SIGUSR1) abort();
             return 0;
         }}
         int main(void) {{
             pthread_t thread;
             sigemptyset(&set);
             sigaddset(&set, SIGUSR1);
             sigaddset(&set, SIGUSR2);
             pthread_sigmask(SIG_BLOCK, &set, 0);
             pthread_create(&thread, 0, wait_for, 0);
             {sent}
             pthread_join(thread, 0);
             return 0;
         }}"
    )
}

/// Nothing shows that threads have to do with one another but that one waits for a signal.
#[test]
fn signals_that_are_waited_for_arrive() {
    for reduce in ["auto", "contended", "none"] {
        let reduce = ["--reduce", reduce];
        assert_ends(&reduce, &waiter("pthread_kill(thread, SIGUSR1);"), 0, "verified");
        assert_ends(&reduce, &waiter("kill(getpid(), SIGUSR1);"), 0, "verified");
        assert_ends(&reduce, &waiter(""), 1, "deadlock");
        let both = "pthread_kill(thread, SIGUSR2); pthread_kill(thread, SIGUSR1);";
        assert_ends(&reduce, &waiter(both), 1, "aborts");
    }
}

/// A thread that goes round until a handler, which runs in it or in `main`, tells it not to.
fn interrupted(sent: &str) -> String {
    format!(
        "static volatile sig_atomic_t told;
         static void tell(int number) {{ told = number; }}
         static void *spin(void *arg) {{
             while (!told) sched_yield();
             return 0;
         }}
         int main(void) {{
             pthread_t thread;
             signal(SIGUSR1, tell);
             pthread_create(&thread, 0, spin, 0);
             {sent}
             pthread_join(thread, 0);
             return 0;
         }}"
    )
}

#[test]
fn handlers_that_would_begin_anywhere_are_refused() {
    let sent = interrupted("pthread_kill(thread, SIGUSR1);");
    let words = "the handler of SIGUSR1 would interrupt another thread at an arbitrary point";
    assert_ends(&[], &sent, 2, words);
    // Handlers and threads that share a flag are a race.
    let kinds = ["--check", "deadlock,livelock"];
    assert_ends(&[kinds[0], kinds[1], "--reduce", "none"], &sent, 0, "verified");
    // Any thread may take it that does not block it.
    let process = interrupted("kill(getpid(), SIGUSR1);");
    assert_ends(&kinds, &process, 2, words);
}

#[test]
fn handlers_in_the_thread_that_sends_are_not() {
    let own = "static volatile sig_atomic_t told;
               static void tell(int number) { told = number; }
               static void *send(void *arg) {
                   raise(SIGUSR1);
                   if (told != SIGUSR1) abort();
                   return 0;
               }
               int main(void) {
                   pthread_t thread;
                   signal(SIGUSR1, tell);
                   pthread_create(&thread, 0, send, 0);
                   pthread_join(thread, 0);
                   return 0;
               }";
    assert_ends(&[], own, 0, "verified");
}

#[test]
fn signals_without_a_handler_end_the_program() {
    let deadly = interrupted("pthread_kill(thread, SIGTERM);");
    assert_ends(&[], &deadly, 1, "the program is killed by SIGTERM");
}

/// A thread that waits for a semaphore, which a handler ends. The signal may come before its
/// routine begins, while the library keeps signals away from it, and that is no reason to go on.
#[test]
fn a_handler_ends_the_wait_for_a_semaphore() {
    let source = "#include <semaphore.h>
         static sem_t semaphore;
         static void handle(int number) {}
         static void *wait_for(void *arg) {
             if (sem_wait(&semaphore) != 0) abort();
             return 0;
         }
         int main(void) {
             struct sigaction action = {.sa_handler = handle};
             pthread_t thread;
             sigaction(SIGUSR1, &action, 0);
             sem_init(&semaphore, 0, 0);
             pthread_create(&thread, 0, wait_for, 0);
             pthread_kill(thread, SIGUSR1);
             sem_post(&semaphore);
             pthread_join(thread, 0);
             return 0;
         }";
    for reduce in ["auto", "contended"] {
        assert_ends(&["--reduce", reduce], source, 2, "would interrupt another thread");
    }
    assert_ends(&["--reduce", "none"], source, 1, "aborts");
}
