//! Programs as lists of instructions with jumps, for the interpreter.
//!
//! An instruction is either local, working on registers of its thread alone, or one step that
//! other threads can see: one access to memory or one operation on an object.

use super::program::{
    MUTEXES, Place, Program, REGION_BYTES, REGISTERS, Statement, THREADS_MAX, Test, Thread, Value,
};

use std::ops::Range;

/// Bytes of shared memory, with the threads' results behind the regions.
pub const MEMORY_BYTES: usize = REGIONS_BYTES + 8 * THREADS_MAX;
/// Bytes of the regions alone.
const REGIONS_BYTES: usize = REGION_BYTES[0] + REGION_BYTES[1] + REGION_BYTES[2];
/// The heap block.
pub const HEAP: Range<usize> = REGION_BYTES[0] + REGION_BYTES[1]..REGIONS_BYTES;
/// All registers: those of the program, one for values on their way, and counters of loops.
pub const ALL_REGISTERS: usize = REGISTERS + 1 + LOOPS_DEEP;
/// Loops in loops at most.
const LOOPS_DEEP: usize = 3;
const TEMPORARY: u8 = REGISTERS as u8;

/// Bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The first one.
    pub address: usize,
    /// How many.
    pub size: usize,
}

/// See the module head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Reads memory into a register.
    Load(u8, Bytes),
    /// Writes memory.
    Store(Bytes, Value),
    /// Adds to memory; the register becomes the old contents.
    FetchAdd(u8, Bytes, u32),
    /// Writes memory; the register becomes the old contents.
    Exchange(u8, Bytes, Value),
    /// Writes memory if it holds the constant; the register becomes the old contents.
    CompareExchange(u8, Bytes, u32, Value),
    /// Locks a mutex once it is free.
    Lock(u8),
    /// Locks a mutex if it is free; the register tells.
    TryLock(u8, u8),
    /// Unlocks a mutex.
    Unlock(u8),
    /// Unlocks the mutex and begins to wait for a signal.
    Release(u8, u8),
    /// Wakes one waiting thread.
    Signal(u8),
    /// Wakes all waiting threads.
    Broadcast(u8),
    /// Adds one to a semaphore.
    Post(u8),
    /// Takes one from a semaphore once there is one.
    Take(u8),
    /// Takes one from a semaphore if there is one; the register tells.
    TryTake(u8, u8),
    /// Waits at the barrier for another thread, or lets the one go on that waits there; the
    /// register tells which.
    Meet(u8),
    /// A register becomes any number below a bound.
    Choose(u8, u32),
    /// Begins a thread.
    Create(u8),
    /// Waits for the end of a thread.
    Join(u8),
    /// Writes all registers of the program into the thread's result.
    Result(Bytes),
    /// Reads eight bytes for the final message.
    Show(Bytes),
    /// Frees the heap block.
    Free,
    /// The thread ends.
    End,
    /// The program ends.
    Exit,
    /// Local: a register becomes a value.
    Compute(u8, Value),
    /// Local: goes elsewhere unless the test holds.
    Unless(Test, usize),
    /// Local: goes elsewhere.
    Jump(usize),
    /// Local if the test holds, the end of everything if not.
    Assert(u32, Test),
}

impl Instruction {
    /// Whether it accesses the heap block.
    pub fn touches_heap(&self) -> bool {
        match self {
            Instruction::Load(_, bytes)
            | Instruction::Store(bytes, _)
            | Instruction::FetchAdd(_, bytes, _)
            | Instruction::Exchange(_, bytes, _)
            | Instruction::CompareExchange(_, bytes, ..) => HEAP.contains(&bytes.address),
            _ => false,
        }
    }
}

/// The instructions of every thread.
pub fn flatten(program: &Program) -> Vec<Vec<Instruction>> {
    let threads = program.threads.iter().enumerate();
    threads.map(|(number, thread)| flatten_thread(number, thread, program)).collect()
}

fn flatten_thread(number: usize, thread: &Thread, program: &Program) -> Vec<Instruction> {
    let mut code = Code { list: Vec::new(), returns: Vec::new() };
    code.block(&thread.body, 0);
    let out = code.list.len();
    for at in code.returns {
        code.list[at] = Instruction::Jump(out);
    }
    let list = &mut code.list;
    list.extend(thread.joins.iter().map(|&join| Instruction::Join(join)));
    let word = |address| Bytes { address, size: 8 };
    list.push(Instruction::Result(word(REGIONS_BYTES + 8 * number)));
    if number == 0 {
        let end = REGIONS_BYTES + 8 * program.threads.len();
        let shown = (0..end).step_by(8).filter(|at| !program.frees() || !HEAP.contains(at));
        list.extend(shown.map(|address| Instruction::Show(word(address))));
        list.push(Instruction::Exit);
    } else {
        list.push(Instruction::End);
    }
    code.list
}

struct Code {
    list: Vec<Instruction>,
    /// Where a jump to the end of the body is missing.
    returns: Vec<usize>,
}

impl Code {
    fn block(&mut self, statements: &[Statement], loops: usize) {
        for statement in statements {
            self.statement(statement, loops);
        }
    }

    fn push(&mut self, instruction: Instruction) -> usize {
        self.list.push(instruction);
        self.list.len() - 1
    }

    fn unless(&mut self, register: u8, equal: bool, constant: u32) -> usize {
        self.push(Instruction::Unless(Test { register, equal, constant }, usize::MAX))
    }

    /// Sends a conditional jump to the place behind the last instruction.
    fn land(&mut self, jump: usize) {
        let here = self.list.len();
        match &mut self.list[jump] {
            Instruction::Unless(_, target) | Instruction::Jump(target) => *target = here,
            other => unreachable!("{other:?} jumps nowhere"),
        }
    }

    fn statement(&mut self, statement: &Statement, loops: usize) {
        match *statement {
            Statement::Add(ref place, value) => {
                self.push(Instruction::Load(TEMPORARY, bytes(place)));
                self.push(Instruction::Store(bytes(place), Value::Sum(TEMPORARY, value)));
            }
            Statement::Locked(mutex, ref body) => {
                assert!((mutex as usize) < MUTEXES);
                self.push(Instruction::Lock(mutex));
                self.block(body, loops);
                self.push(Instruction::Unlock(mutex));
            }
            Statement::TryLocked(register, mutex, ref body) => {
                self.push(Instruction::TryLock(register, mutex));
                let skip = self.unless(register, true, 1);
                self.block(body, loops);
                self.push(Instruction::Unlock(mutex));
                self.land(skip);
            }
            Statement::WaitOnce(condition, mutex) => {
                self.push(Instruction::Release(condition, mutex));
                self.push(Instruction::Lock(mutex));
            }
            Statement::WaitWhile(condition, mutex, ref place, constant) => {
                let again = self.push(Instruction::Load(TEMPORARY, bytes(place)));
                let leave = self.unless(TEMPORARY, true, constant);
                self.push(Instruction::Release(condition, mutex));
                self.push(Instruction::Lock(mutex));
                self.push(Instruction::Jump(again));
                self.land(leave);
            }
            Statement::SpinUntil(ref place, constant, _) => {
                let again = self.push(Instruction::Load(TEMPORARY, bytes(place)));
                let test = Test { register: TEMPORARY, equal: true, constant };
                self.push(Instruction::Unless(test, again));
            }
            Statement::If(test, ref then, ref otherwise) => {
                let skip = self.push(Instruction::Unless(test, usize::MAX));
                self.block(then, loops);
                let end = self.push(Instruction::Jump(usize::MAX));
                self.land(skip);
                self.block(otherwise, loops);
                self.land(end);
            }
            Statement::Repeat(times, ref body) => self.repeat(times, body, loops),
            Statement::Return => {
                let jump = self.push(Instruction::Jump(usize::MAX));
                self.returns.push(jump);
            }
            ref simple => {
                self.push(simple_instruction(simple));
            }
        }
    }

    fn repeat(&mut self, times: u8, body: &[Statement], loops: usize) {
        assert!(loops < LOOPS_DEEP);
        let counter = TEMPORARY + 1 + loops as u8;
        self.push(Instruction::Compute(counter, Value::Constant(0)));
        let again = self.unless(counter, false, u32::from(times));
        self.block(body, loops + 1);
        self.push(Instruction::Compute(counter, Value::Sum(counter, 1)));
        self.push(Instruction::Jump(again));
        self.land(again);
    }
}

fn simple_instruction(statement: &Statement) -> Instruction {
    match *statement {
        Statement::Load(register, ref from, _) => Instruction::Load(register, bytes(from)),
        Statement::Store(ref to, value, _) => Instruction::Store(bytes(to), value),
        Statement::FetchAdd(register, ref to, value) => {
            Instruction::FetchAdd(register, bytes(to), value)
        }
        Statement::Exchange(register, ref to, value) => {
            Instruction::Exchange(register, bytes(to), value)
        }
        Statement::CompareExchange(register, ref to, old, new) => {
            Instruction::CompareExchange(register, bytes(to), old, new)
        }
        Statement::Compute(register, value) => Instruction::Compute(register, value),
        Statement::Choose(register, bound) => Instruction::Choose(register, bound),
        Statement::Signal(condition) => Instruction::Signal(condition),
        Statement::Broadcast(condition) => Instruction::Broadcast(condition),
        Statement::Post(semaphore) => Instruction::Post(semaphore),
        Statement::Take(semaphore) => Instruction::Take(semaphore),
        Statement::TryTake(register, semaphore) => Instruction::TryTake(register, semaphore),
        Statement::Meet(register) => Instruction::Meet(register),
        Statement::Assert(number, test) => Instruction::Assert(number, test),
        Statement::Create(thread) => Instruction::Create(thread),
        Statement::Free => Instruction::Free,
        ref compound => unreachable!("{compound:?} is not simple"),
    }
}

fn bytes(place: &Place) -> Bytes {
    Bytes { address: place.address(), size: place.size as usize }
}
