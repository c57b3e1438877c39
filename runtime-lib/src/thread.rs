//! What the operating system knows about a thread beside its registers.

use crate::models::Stage;
use crate::signal::{Siginfo, SignalSet, SignalStack};
use std::sync::Arc;

/// What a thread is doing.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ThreadState {
    /// It can run.
    Runnable,
    /// It cannot run until something happens.
    Waiting(WaitFor),
    /// It has ended.
    Exited,
}

/// What a thread waits for. Deadlines are in logical nanoseconds (see [`crate::Process::now_ns`]).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WaitFor {
    /// A wake-up on a futex.
    Futex {
        /// Address of the word.
        addr: u64,
        /// Only wake-ups whose bits overlap count.
        bitset: u32,
        /// Give up then.
        deadline: Option<u64>,
    },
    /// A futex that its owner hands over.
    FutexOwnership {
        /// Address of the word.
        addr: u64,
        /// Give up then.
        deadline: Option<u64>,
    },
    /// The passing of time.
    Sleep {
        /// Wake then.
        until: u64,
        /// Where to store what is left of a relative sleep if a signal ends it; zero for nowhere.
        remaining: u64,
    },
    /// Pipes and the like becoming ready.
    Files {
        /// Which descriptors, and the `POLL*` bits of which one suffices.
        wanted: Vec<(u32, u16)>,
        /// Give up then.
        deadline: Option<u64>,
        /// A signal ends the call even if its handler asks for restarting.
        interruptible: bool,
    },
    /// A signal.
    Signal {
        /// Signals that end the wait without a handler (`sigtimedwait`).
        accepted: SignalSet,
        /// Give up then.
        deadline: Option<u64>,
    },
    /// A modelled mutex becoming free.
    Mutex {
        /// Address of the mutex.
        addr: u64,
        /// Give up then.
        deadline: Option<u64>,
    },
    /// A modelled condition variable being signalled.
    Condition {
        /// Address of the condition variable.
        addr: u64,
        /// Address of the mutex to be locked again.
        mutex: u64,
        /// Place in the queue of this condition variable.
        arrival: u32,
        /// Give up then.
        deadline: Option<u64>,
    },
    /// Memory that another thread has locked for itself.
    Privilege {
        /// First byte.
        start: u64,
        /// The byte behind the last.
        end: u64,
    },
    /// The end of another thread.
    Join {
        /// Number of the thread.
        thread: u32,
    },
}

impl WaitFor {
    /// When the wait ends by itself.
    pub fn deadline(&self) -> Option<u64> {
        match *self {
            WaitFor::Sleep { until, .. } => Some(until),
            WaitFor::Join { .. } | WaitFor::Privilege { .. } => None,
            WaitFor::Futex { deadline, .. }
            | WaitFor::FutexOwnership { deadline, .. }
            | WaitFor::Files { deadline, .. }
            | WaitFor::Signal { deadline, .. }
            | WaitFor::Mutex { deadline, .. }
            | WaitFor::Condition { deadline, .. } => deadline,
        }
    }
}

/// A library call that runs to its return without a scheduling point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AtomicCall {
    /// Stack pointer at the entry; the call is over once the stack is above it.
    pub entry_rsp: u64,
}

impl AtomicCall {
    /// Code of the library around a thread's start routine: it does not return.
    pub(crate) const LIBRARY: AtomicCall = AtomicCall { entry_rsp: u64::MAX };
}

/// See the module head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// What it is doing.
    pub state: ThreadState,
    /// Its identifier, as `gettid` tells it.
    pub tid: u32,
    /// Its name, zero-padded.
    pub name: [u8; 16],
    /// Signals it does not want now.
    pub blocked: SignalSet,
    /// Set while inside an atomic library call.
    pub atomic: Option<AtomicCall>,
    /// Stack pointer at the entry of the start routine; the largest number before it.
    pub(crate) start_watch: u64,
    /// Set while inside an atomic region of the program.
    pub region: bool,
    /// What the program calls it in reports.
    pub label: Option<Arc<str>>,
    pub(crate) clear_child_tid: u64,
    pub(crate) robust_list: u64,
    pub(crate) pending: Arc<Vec<Siginfo>>,
    pub(crate) signal_stack: SignalStack,
    /// The mask to go back to after the handler that ends `sigsuspend`.
    pub(crate) mask_to_restore: Option<SignalSet>,
    /// A wait that goes on after re-executing its system call keeps its first deadline here.
    pub(crate) resumed: Option<Resumed>,
    /// Where the thread is in a wait on a modelled condition variable.
    pub(crate) condition: Option<Stage>,
    /// The hook at the program counter is to be passed on the next run.
    pub(crate) past_hook: bool,
    /// What the caller of `exit` had in its registers, where leaks are looked for.
    pub(crate) exit: Option<Farewell>,
}

/// The registers that belong to the caller of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Farewell {
    /// The stack pointer; what is below belongs to the function.
    pub rsp: u64,
    /// The others.
    pub saved: [u64; 6],
}

/// What a re-executed blocking call has to remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Resumed {
    /// The deadline computed when the call began.
    pub deadline: Option<u64>,
    /// Bytes already transferred.
    pub progress: u64,
}

impl Thread {
    /// A runnable thread.
    pub(crate) fn new(tid: u32, name: [u8; 16]) -> Thread {
        Thread {
            state: ThreadState::Runnable,
            tid,
            name,
            blocked: SignalSet::EMPTY,
            atomic: None,
            start_watch: u64::MAX,
            region: false,
            label: None,
            clear_child_tid: 0,
            robust_list: 0,
            pending: Arc::default(),
            signal_stack: SignalStack::default(),
            mask_to_restore: None,
            resumed: None,
            condition: None,
            past_hook: false,
            exit: None,
        }
    }

    /// What it waits for, if it does.
    pub fn waiting(&self) -> Option<&WaitFor> {
        match &self.state {
            ThreadState::Waiting(wait) => Some(wait),
            _ => None,
        }
    }

    /// Whether it has not ended.
    pub fn is_alive(&self) -> bool {
        self.state != ThreadState::Exited
    }
}
