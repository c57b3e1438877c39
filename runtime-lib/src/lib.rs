//! The program's world: Linux system calls and models of library functions.
//!
//! [`Process`] puts a machine and an operating system together: it loads a program, runs one of
//! its threads as told, serves its system calls (layer L0) and the library functions it models
//! (layer L1), and reports what a scheduler must know. It never chooses a thread, never touches
//! the host beyond the [`HostFiles`] it was handed, and everything in it can be undone.
//!
//! ```text
//!   scheduler ──step(thread)──▶ Process ──run──▶ Machine (registers, memory, code)
//!       ▲                         │  ▲              │
//!       └────────Event────────────┘  └──Stop────────┘
//!                                 ├── syscall/   what Linux would do
//!                                 ├── models/    what libc's functions would do
//!                                 ├── request/   what the program itself tells the checker
//!                                 └── Os         files, signals, threads, clock: copied on write
//! ```

mod canonical;
mod elapse;
mod errno;
mod event;
pub mod files;
mod globals;
mod host;
mod leak;
mod load;
mod models;
mod module;
mod origin;
mod os;
mod overread;
mod process;
mod random;
pub mod request;
mod signal;
mod step;
pub mod syscall;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod thread;
mod threads;
mod treatment;
mod turns;
mod witness;

pub use errno::Errno;
pub use event::{Event, LockFault, Misuse, Unsupported, UnsupportedKind};
pub use host::{DirEntry, FileStat, FileTime, FileType, HostFiles, InputSource, NoFiles, Stdin};
pub use load::{LoadError, LoadOptions, Model};
pub use models::HeldLock;
pub use module::Module;
pub use origin::Origin;
pub use os::{Ended, Os, Output};
pub use process::{
    LOOK_AT_ALIVE, LOOK_AT_COUNT, LOOK_AT_REGISTERS, LOOK_AT_THREAD, LOOK_AT_THREADS,
    LOOK_AT_WAITS, Process, ProcessMark,
};
pub use request::{
    Activity, Choices, Mark, Privilege, Privileges, Suggestion, Violation, ViolationKind,
};
pub use signal::{Signal, SignalSet, SignalStack};
pub use thread::{AtomicCall, Thread, ThreadState, WaitFor};
pub use threads::{Chunk, Threads};
pub use treatment::{Treatment, treatment_of};
pub use turns::Turns;
pub use witness::Observer;
