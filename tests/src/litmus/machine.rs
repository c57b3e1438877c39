//! The interpreter's machine: a state, and all that one thread can do next.
//!
//! A thread stands before an instruction that others can see, or before an assertion that fails:
//! its local instructions are executed together with the step before them. Memory is sequentially
//! consistent, and there are no spurious wake-ups.

use super::flatten::{ALL_REGISTERS, Bytes, Instruction, MEMORY_BYTES, flatten};
use super::program::{CONDITIONS, MUTEXES, Program, REGISTERS, SEMAPHORES, Test, Value};
use std::fmt::Write;

/// Which waiting thread a signal wakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The one that has waited longest.
    Longest,
    /// Any: all that POSIX promises.
    Any,
}

/// How an execution ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// The program ended and wrote this.
    Exit(String),
    /// The assertion of this number failed.
    Failure(u32),
    /// Nobody can go on.
    Deadlock,
    /// Memory was accessed after it had been freed.
    Memory,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Status {
    Absent,
    Running,
    Waiting,
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ThreadState {
    status: Status,
    at: usize,
    registers: [u32; ALL_REGISTERS],
}

/// Everything that decides what can happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    memory: [u8; MEMORY_BYTES],
    freed: bool,
    locked: [bool; MUTEXES],
    queues: [Vec<u8>; CONDITIONS],
    semaphores: [u8; SEMAPHORES],
    /// Who waits at the barrier.
    met: Option<usize>,
    threads: Vec<ThreadState>,
    shown: Vec<u64>,
}

/// What a step leads to.
#[derive(Clone, Debug)]
pub enum Next {
    /// Another state.
    State(State),
    /// An end.
    End(End),
}

/// A program ready to be executed.
#[derive(Clone, Debug)]
pub struct Machine {
    code: Vec<Vec<Instruction>>,
    semaphores: [u8; SEMAPHORES],
    wake: Wake,
}

impl Machine {
    /// Prepares a program.
    pub fn new(program: &Program, wake: Wake) -> Machine {
        Machine { code: flatten(program), semaphores: program.semaphores, wake }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.code.len()
    }

    /// Where everything begins.
    pub fn start(&self) -> State {
        let absent = ThreadState { status: Status::Absent, at: 0, registers: [0; ALL_REGISTERS] };
        let mut state = State {
            memory: [0; MEMORY_BYTES],
            freed: false,
            locked: [false; MUTEXES],
            queues: Default::default(),
            semaphores: self.semaphores,
            met: None,
            threads: vec![absent; self.code.len()],
            shown: Vec::new(),
        };
        state.threads[0].status = Status::Running;
        self.work_locally(&mut state, 0);
        state
    }

    /// All that a thread can do next; nothing if it cannot go on.
    pub fn steps(&self, state: &State, thread: usize) -> Vec<Next> {
        let me = &state.threads[thread];
        if me.status != Status::Running {
            return Vec::new();
        }
        match self.code[thread][me.at] {
            Instruction::Assert(number, _) => return vec![Next::End(End::Failure(number))],
            Instruction::Exit => return vec![Next::End(End::Exit(message(&state.shown)))],
            Instruction::Choose(register, bound) => {
                let choose = |value| self.choose(state, thread, register, value);
                return (0..bound).map(choose).collect();
            }
            Instruction::Signal(condition) if self.wake == Wake::Any => {
                let queue = &state.queues[condition as usize];
                if !queue.is_empty() {
                    let signal = |which| self.signal(state, thread, condition, which);
                    return (0..queue.len()).map(signal).collect();
                }
            }
            instruction if state.freed && instruction.touches_heap() => {
                return vec![Next::End(End::Memory)];
            }
            _ => {}
        }
        let mut next = state.clone();
        if !self.execute(&mut next, thread) {
            return Vec::new();
        }
        self.work_locally(&mut next, thread);
        vec![Next::State(next)]
    }

    fn choose(&self, state: &State, thread: usize, register: u8, value: u32) -> Next {
        let mut next = state.clone();
        next.threads[thread].set(register, value);
        next.threads[thread].at += 1;
        self.work_locally(&mut next, thread);
        Next::State(next)
    }

    fn signal(&self, state: &State, thread: usize, condition: u8, which: usize) -> Next {
        let mut next = state.clone();
        let woken = next.queues[condition as usize].remove(which);
        next.threads[woken as usize].status = Status::Running;
        next.threads[thread].at += 1;
        self.work_locally(&mut next, thread);
        Next::State(next)
    }

    /// Executes the instruction that a thread stands at; whether it could.
    fn execute(&self, state: &mut State, thread: usize) -> bool {
        let instruction = self.code[thread][state.threads[thread].at];
        let done = match instruction {
            Instruction::Create(other) => {
                state.threads[other as usize].status = Status::Running;
                self.work_locally(state, other as usize);
                true
            }
            Instruction::Meet(register) => match state.met.take() {
                None => {
                    state.met = Some(thread);
                    state.threads[thread].status = Status::Waiting;
                    return true;
                }
                Some(other) => {
                    self.leave_barrier(state, other);
                    state.threads[thread].set(register, 1);
                    true
                }
            },
            Instruction::Join(other) => state.threads[other as usize].status == Status::Ended,
            Instruction::Show(bytes) => {
                state.shown.push(state.read(bytes));
                true
            }
            Instruction::Free => {
                state.freed = true;
                true
            }
            Instruction::End => {
                state.threads[thread].status = Status::Ended;
                return true;
            }
            _ => state.access(thread, instruction) && state.synchronise(thread, instruction),
        };
        state.threads[thread].at += usize::from(done);
        done
    }

    /// A thread that waited at the barrier goes on.
    fn leave_barrier(&self, state: &mut State, thread: usize) {
        let me = &mut state.threads[thread];
        if let Instruction::Meet(register) = self.code[thread][me.at] {
            me.set(register, 0);
        }
        me.status = Status::Running;
        me.at += 1;
        self.work_locally(state, thread);
    }

    /// Executes local instructions up to the next one that others can see.
    fn work_locally(&self, state: &mut State, thread: usize) {
        let me = &mut state.threads[thread];
        if me.status == Status::Absent || me.status == Status::Ended {
            return;
        }
        loop {
            match self.code[thread][me.at] {
                Instruction::Compute(register, value) => {
                    let value = me.value(value);
                    me.set(register, value);
                }
                Instruction::Unless(test, target) if !me.holds(test) => {
                    me.at = target;
                    continue;
                }
                Instruction::Unless(..) => {}
                Instruction::Jump(target) => {
                    me.at = target;
                    continue;
                }
                Instruction::Assert(_, test) if me.holds(test) => {}
                _ => return,
            }
            me.at += 1;
        }
    }
}

impl ThreadState {
    fn set(&mut self, register: u8, value: u32) {
        self.registers[register as usize] = value;
    }

    fn value(&self, value: Value) -> u32 {
        match value {
            Value::Constant(constant) => constant,
            Value::Sum(register, plus) => self.registers[register as usize].wrapping_add(plus),
        }
    }

    fn holds(&self, test: Test) -> bool {
        (self.registers[test.register as usize] == test.constant) == test.equal
    }
}

impl State {
    fn read(&self, bytes: Bytes) -> u64 {
        let mut word = [0; 8];
        word[..bytes.size].copy_from_slice(&self.memory[bytes.address..bytes.address + bytes.size]);
        u64::from_le_bytes(word)
    }

    fn write(&mut self, bytes: Bytes, value: u64) {
        let word = value.to_le_bytes();
        self.memory[bytes.address..bytes.address + bytes.size].copy_from_slice(&word[..bytes.size]);
    }

    /// Accesses to memory; whether the instruction can be executed as far as these go.
    fn access(&mut self, thread: usize, instruction: Instruction) -> bool {
        let me = self.threads[thread].clone();
        let (bytes, register, new) = match instruction {
            Instruction::Load(register, bytes) => (bytes, Some(register), None),
            Instruction::Store(bytes, value) => (bytes, None, Some(u64::from(me.value(value)))),
            Instruction::FetchAdd(register, bytes, plus) => {
                (bytes, Some(register), Some(self.read(bytes).wrapping_add(u64::from(plus))))
            }
            Instruction::Exchange(register, bytes, value) => {
                (bytes, Some(register), Some(u64::from(me.value(value))))
            }
            Instruction::CompareExchange(register, bytes, old, new) => {
                let is_old = self.read(bytes) == u64::from(old);
                (bytes, Some(register), is_old.then(|| u64::from(me.value(new))))
            }
            Instruction::Result(bytes) => {
                let packed = (0..REGISTERS)
                    .map(|register| u64::from(me.registers[register] as u16) << (16 * register));
                (bytes, None, Some(packed.sum()))
            }
            _ => return true,
        };
        let old = self.read(bytes);
        if let Some(new) = new {
            self.write(bytes, new);
        }
        if let Some(register) = register {
            self.threads[thread].set(register, old as u32);
        }
        true
    }

    /// Operations on objects; whether the instruction can be executed as far as these go.
    fn synchronise(&mut self, thread: usize, instruction: Instruction) -> bool {
        match instruction {
            Instruction::Lock(mutex) => !std::mem::replace(&mut self.locked[mutex as usize], true),
            Instruction::TryLock(register, mutex) => {
                let was_locked = std::mem::replace(&mut self.locked[mutex as usize], true);
                self.threads[thread].set(register, u32::from(!was_locked));
                true
            }
            Instruction::Unlock(mutex) => {
                assert!(std::mem::replace(&mut self.locked[mutex as usize], false));
                true
            }
            Instruction::Release(condition, mutex) => {
                assert!(std::mem::replace(&mut self.locked[mutex as usize], false));
                self.queues[condition as usize].push(thread as u8);
                self.threads[thread].status = Status::Waiting;
                true
            }
            Instruction::Signal(condition) => {
                let queue = &mut self.queues[condition as usize];
                if !queue.is_empty() {
                    let woken = queue.remove(0);
                    self.threads[woken as usize].status = Status::Running;
                }
                true
            }
            Instruction::Broadcast(condition) => {
                for woken in std::mem::take(&mut self.queues[condition as usize]) {
                    self.threads[woken as usize].status = Status::Running;
                }
                true
            }
            Instruction::Post(semaphore) => {
                self.semaphores[semaphore as usize] += 1;
                true
            }
            Instruction::Take(semaphore) => self.take(semaphore),
            Instruction::TryTake(register, semaphore) => {
                let taken = self.take(semaphore);
                self.threads[thread].set(register, u32::from(taken));
                true
            }
            _ => true,
        }
    }

    fn take(&mut self, semaphore: u8) -> bool {
        let count = &mut self.semaphores[semaphore as usize];
        let taken = *count > 0;
        *count -= u8::from(taken);
        taken
    }
}

/// What `main` prints at its end.
fn message(shown: &[u64]) -> String {
    let mut text = String::new();
    for (index, word) in shown.iter().enumerate() {
        let _ = write!(text, "{}{word:x}", if index == 0 { "" } else { " " });
    }
    text.push('\n');
    text
}
