//! Programs as C. Many programs become one source file, so that the compiler is started once; the
//! first argument of the executable selects one of them.

use super::program::{
    Manner, Place, Program, REGION_BYTES, REGISTERS, Region, Statement, Test, Value,
};
use std::fmt::Write;

const HEAD: &str = r#"#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include "samovar.h"

typedef uint8_t t1 __attribute__((may_alias));
typedef uint16_t t2 __attribute__((may_alias, aligned(1)));
typedef uint32_t t4 __attribute__((may_alias, aligned(1)));
typedef uint64_t t8 __attribute__((may_alias, aligned(1)));
#define AT(n, p, o) (*(volatile t##n *)((p) + (o)))
#define ATOMIC(n, p, o) ((uint##n##_t *)((p) + (o)))

static _Alignas(16) unsigned char G[16];
static unsigned char *S, *H;
static _Alignas(8) uint64_t results[8];
static pthread_mutex_t M[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t C[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static sem_t P[1];
static pthread_barrier_t B;
static pthread_t handles[8];
static const volatile char quiet;
"#;

/// How assertions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertions {
    /// As they are: a failure may come right after an access, with nothing in between.
    Bare,
    /// One that fails reads something first that nobody writes.
    Reading,
}

const MAIN: &str = r#"
int main(int argc, char **argv)
{
    _Alignas(8) unsigned char cells[8] = {0};
    S = cells;
    H = calloc(1, 8);
    pthread_barrier_init(&B, 0, 2);
    if (argc != 2)
        return 2;
    switch (atoi(argv[1])) {
"#;

/// All programs in one source file.
pub fn file(programs: &[&Program], assertions: Assertions) -> String {
    let mut text = HEAD.to_string();
    if assertions == Assertions::Bare {
        text.push_str("#define quiet 0\n");
    }
    for (number, program) in programs.iter().enumerate() {
        write_program(&mut text, number, program);
    }
    text.push_str(MAIN);
    for (number, program) in programs.iter().enumerate() {
        let _ = writeln!(text, "    case {number}:");
        for (semaphore, start) in program.semaphores.iter().enumerate() {
            let _ = writeln!(text, "        sem_init(&P[{semaphore}], 0, {start});");
        }
        let _ = writeln!(text, "        main_{number}();\n        break;");
    }
    // Others may still look at what is on the stack of `main`, so `main` does not return.
    text.push_str("    }\n    exit(0);\n}\n");
    text
}

/// One program for the eyes of people: the threads' functions.
pub fn listing(program: &Program) -> String {
    let mut text = format!("semaphores start with {:?}\n", program.semaphores);
    write_program(&mut text, 0, program);
    text
}

fn write_program(text: &mut String, number: usize, program: &Program) {
    for thread in (1..program.threads.len()).rev() {
        let _ = writeln!(text, "\nstatic void *thread_{number}_{thread}(void *unused)\n{{");
        write_body(text, number, program, thread);
        let _ = writeln!(text, "    return unused;\n}}");
    }
    let _ = writeln!(text, "\nstatic void main_{number}(void)\n{{");
    write_body(text, number, program, 0);
    let mut words = Vec::new();
    let regions = ["G", "S", "H"].into_iter().zip(REGION_BYTES);
    for (name, bytes) in regions.take(if program.frees() { 2 } else { 3 }) {
        words.extend((0..bytes).step_by(8).map(|offset| format!("AT(8, {name}, {offset})")));
    }
    words.extend((0..program.threads.len()).map(|thread| format!("AT(8, results, {thread})")));
    for (index, word) in words.iter().enumerate() {
        let _ = writeln!(text, "    uint64_t w{index} = {word};");
    }
    let formats = vec!["%lx"; words.len()].join(" ");
    let names: Vec<String> = (0..words.len()).map(|index| format!("w{index}")).collect();
    let _ = writeln!(text, "    printf(\"{formats}\\n\", {});\n}}", names.join(", "));
}

fn write_body(text: &mut String, number: usize, program: &Program, thread: usize) {
    for register in 0..REGISTERS {
        let _ = writeln!(text, "    uint32_t r{register} = 0;");
    }
    let mut writer = Writer { text, number, loops: 0 };
    for statement in &program.threads[thread].body {
        writer.write(statement, 1);
    }
    let _ = writeln!(text, "    goto out;\nout:");
    for join in &program.threads[thread].joins {
        let _ = writeln!(text, "    pthread_join(handles[{join}], 0);");
    }
    let packed = "(uint16_t)r0 | (uint64_t)(uint16_t)r1 << 16 | (uint64_t)(uint16_t)r2 << 32";
    let _ = writeln!(text, "    AT(8, results, {thread}) = {packed};");
}

struct Writer<'a> {
    text: &'a mut String,
    number: usize,
    loops: u32,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(depth));
    }

    fn block(&mut self, depth: usize, statements: &[Statement]) {
        for statement in statements {
            self.write(statement, depth + 1);
        }
    }

    fn write(&mut self, statement: &Statement, depth: usize) {
        match statement {
            Statement::Locked(mutex, body) => {
                self.line(depth, &format!("pthread_mutex_lock(&M[{mutex}]);"));
                self.block(depth, body);
                self.line(depth, &format!("pthread_mutex_unlock(&M[{mutex}]);"));
            }
            Statement::TryLocked(register, mutex, body) => {
                let call = format!("r{register} = pthread_mutex_trylock(&M[{mutex}]) == 0;");
                self.line(depth, &call);
                self.line(depth, &format!("if (r{register}) {{"));
                self.block(depth, body);
                self.line(depth + 1, &format!("pthread_mutex_unlock(&M[{mutex}]);"));
                self.line(depth, "}");
            }
            Statement::If(condition, then, otherwise) => {
                self.line(depth, &format!("if ({}) {{", test(condition)));
                self.block(depth, then);
                self.line(depth, "} else {");
                self.block(depth, otherwise);
                self.line(depth, "}");
            }
            Statement::Repeat(times, body) => {
                self.loops += 1;
                let i = format!("i{}", self.loops);
                self.line(depth, &format!("for (int {i} = 0; {i} < {times}; {i}++) {{"));
                self.block(depth, body);
                self.line(depth, "}");
            }
            Statement::Create(thread) => {
                let function = format!("thread_{}_{thread}", self.number);
                let call = format!("pthread_create(&handles[{thread}], 0, {function}, 0);");
                self.line(depth, &call);
            }
            simple => {
                let line = simple_statement(simple);
                self.line(depth, &line);
            }
        }
    }
}

fn simple_statement(statement: &Statement) -> String {
    match statement {
        Statement::Load(register, from, manner) => {
            format!("r{register} = {};", load(from, *manner))
        }
        Statement::Store(to, what, Manner::Plain) => format!("{} = {};", plain(to), value(what)),
        Statement::Store(to, what, Manner::Atomic) => {
            format!("__atomic_store_n({}, {}, 5);", atomic(to), value(what))
        }
        Statement::Add(to, what) => format!("{} += {what};", plain(to)),
        Statement::FetchAdd(register, to, what) => {
            format!("r{register} = __atomic_fetch_add({}, {what}, 5);", atomic(to))
        }
        Statement::Exchange(register, to, what) => {
            format!("r{register} = __atomic_exchange_n({}, {}, 5);", atomic(to), value(what))
        }
        Statement::CompareExchange(register, to, old, new) => {
            let to = atomic(to);
            format!("r{register} = __sync_val_compare_and_swap({to}, {old}, {});", value(new))
        }
        Statement::Compute(register, what) => format!("r{register} = {};", value(what)),
        Statement::Choose(register, bound) => format!("r{register} = samovar_choose({bound});"),
        Statement::WaitWhile(condition, mutex, place, constant) => {
            let wait = format!("pthread_cond_wait(&C[{condition}], &M[{mutex}]);");
            format!("while ({} == {constant}) {wait}", plain(place))
        }
        Statement::WaitOnce(condition, mutex) => {
            format!("pthread_cond_wait(&C[{condition}], &M[{mutex}]);")
        }
        Statement::Signal(condition) => format!("pthread_cond_signal(&C[{condition}]);"),
        Statement::Broadcast(condition) => format!("pthread_cond_broadcast(&C[{condition}]);"),
        Statement::Post(semaphore) => format!("sem_post(&P[{semaphore}]);"),
        Statement::Take(semaphore) => format!("sem_wait(&P[{semaphore}]);"),
        Statement::TryTake(register, semaphore) => {
            format!("r{register} = sem_trywait(&P[{semaphore}]) == 0;")
        }
        Statement::Meet(register) => {
            format!("r{register} = pthread_barrier_wait(&B) == PTHREAD_BARRIER_SERIAL_THREAD;")
        }
        Statement::SpinUntil(place, constant, manner) => {
            format!("while ({} != {constant}) {{}}", load(place, *manner))
        }
        Statement::Assert(number, condition) => {
            let test = test(condition);
            format!("if (!({test})) (void)quiet; VASSERT({test} || !\"number {number}\");")
        }
        Statement::Return => "goto out;".to_string(),
        Statement::Free => "free(H);".to_string(),
        compound => unreachable!("{compound:?} is not simple"),
    }
}

fn test(test: &Test) -> String {
    let sign = if test.equal { "==" } else { "!=" };
    format!("r{} {sign} {}", test.register, test.constant)
}

fn value(value: &Value) -> String {
    match value {
        Value::Constant(constant) => format!("{constant}"),
        Value::Sum(register, 0) => format!("r{register}"),
        Value::Sum(register, constant) => format!("r{register} + {constant}"),
    }
}

fn load(place: &Place, manner: Manner) -> String {
    match manner {
        Manner::Plain => plain(place),
        Manner::Atomic => format!("__atomic_load_n({}, 5)", atomic(place)),
    }
}

fn base(region: Region) -> &'static str {
    match region {
        Region::Global => "G",
        Region::Stack => "S",
        Region::Heap => "H",
    }
}

fn plain(place: &Place) -> String {
    format!("AT({}, {}, {})", place.size, base(place.region), place.offset)
}

fn atomic(place: &Place) -> String {
    let bits = place.size * 8;
    format!("ATOMIC({bits}, {}, {})", base(place.region), place.offset)
}
