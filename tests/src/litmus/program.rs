//! The abstract form of a small concurrent program.
//!
//! Threads work on three pieces of shared memory (a global array, an array on the main thread's
//! stack, a heap block) by accesses of 1, 2, 4 or 8 bytes that may overlap, on mutexes, condition
//! variables, semaphores and a barrier for two, and on registers of their own. Thread 0 is `main`.
//! Registers hold 32 bits; what is written to memory is cut to the size of the place.

/// Bytes of each piece of shared memory.
pub const REGION_BYTES: [usize; 3] = [16, 8, 8];
/// Registers of a thread.
pub const REGISTERS: usize = 3;
/// Mutexes that programs have.
pub const MUTEXES: usize = 2;
/// Condition variables that programs have.
pub const CONDITIONS: usize = 2;
/// Semaphores that programs have.
pub const SEMAPHORES: usize = 1;
/// Threads at most, `main` included.
pub const THREADS_MAX: usize = 5;

/// A piece of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// A global variable.
    Global,
    /// An array on the stack of `main`.
    Stack,
    /// A heap block.
    Heap,
}

/// Some bytes of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Where.
    pub region: Region,
    /// First byte in the region.
    pub offset: u8,
    /// 1, 2, 4 or 8 bytes.
    pub size: u8,
}

/// A value computed from registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A constant.
    Constant(u32),
    /// A register plus a constant.
    Sum(u8, u32),
}

/// A comparison of a register with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Test {
    /// The register.
    pub register: u8,
    /// Whether it must be equal; if not, it must be different.
    pub equal: bool,
    /// The constant.
    pub constant: u32,
}

/// How a place is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// A volatile access.
    Plain,
    /// A sequentially consistent atomic access.
    Atomic,
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A register becomes the contents of a place.
    Load(u8, Place, Manner),
    /// A place becomes a value.
    Store(Place, Value, Manner),
    /// A place is read and then written, in two accesses.
    Add(Place, u32),
    /// The same in one access; the register becomes the old contents.
    FetchAdd(u8, Place, u32),
    /// A place becomes a value, the register its old contents.
    Exchange(u8, Place, Value),
    /// A place becomes a value if it holds the constant; the register becomes its old contents.
    CompareExchange(u8, Place, u32, Value),
    /// A register becomes a value.
    Compute(u8, Value),
    /// A register becomes any number below a bound.
    Choose(u8, u32),
    /// Work with a mutex locked.
    Locked(u8, Vec<Statement>),
    /// The same if the mutex is free; the register tells.
    TryLocked(u8, u8, Vec<Statement>),
    /// Waits for a signal while a place holds a constant, under the mutex of this number.
    WaitWhile(u8, u8, Place, u32),
    /// Waits for one signal, whatever happened before.
    WaitOnce(u8, u8),
    /// Wakes the thread that waits longest, if one does.
    Signal(u8),
    /// Wakes all waiting threads.
    Broadcast(u8),
    /// Adds one to a semaphore.
    Post(u8),
    /// Takes one from a semaphore, once there is one.
    Take(u8),
    /// Takes one from a semaphore if there is one; the register tells.
    TryTake(u8, u8),
    /// Waits for another thread at the barrier; the register tells whether this one came last.
    Meet(u8),
    /// Reads a place until it holds a constant.
    SpinUntil(Place, u32, Manner),
    /// One way or the other.
    If(Test, Vec<Statement>, Vec<Statement>),
    /// So many times.
    Repeat(u8, Vec<Statement>),
    /// Must hold; the number tells assertions apart.
    Assert(u32, Test),
    /// The thread goes on to its end: to waiting for the threads that it has begun.
    Return,
    /// Begins a thread.
    Create(u8),
    /// Frees the heap block; once in a program at most, and not in a loop.
    Free,
}

/// A thread's work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// What it does.
    pub body: Vec<Statement>,
    /// Threads that it waits for at its end, in this order.
    pub joins: Vec<u8>,
}

/// A whole program. When `main` has waited for its threads it reads all shared memory, eight bytes
/// at a time, and the threads' registers, prints them and ends the program. It leaves the heap
/// block out if somebody may have freed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The threads, `main` first.
    pub threads: Vec<Thread>,
    /// What the semaphores start with.
    pub semaphores: [u8; SEMAPHORES],
}

impl Program {
    /// Whether somebody may free the heap block.
    pub fn frees(&self) -> bool {
        self.threads.iter().any(|thread| thread.body.iter().any(Statement::frees))
    }
}

impl Statement {
    fn frees(&self) -> bool {
        *self == Statement::Free
            || self.blocks().into_iter().any(|block| block.iter().any(Statement::frees))
    }

    /// The statements inside.
    pub fn blocks(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::Locked(_, body)
            | Statement::TryLocked(_, _, body)
            | Statement::Repeat(_, body) => vec![body],
            Statement::If(_, then, otherwise) => vec![then, otherwise],
            _ => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::Locked(_, body)
            | Statement::TryLocked(_, _, body)
            | Statement::Repeat(_, body) => vec![body],
            Statement::If(_, then, otherwise) => vec![then, otherwise],
            _ => Vec::new(),
        }
    }
}

impl Place {
    /// First byte in the memory of all regions, one behind the other.
    pub fn address(&self) -> usize {
        let before: usize = REGION_BYTES[..self.region as usize].iter().sum();
        before + self.offset as usize
    }
}
