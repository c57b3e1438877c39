//! What the operating system knows about a thread beside its registers.

use crate::models::{Panics, Stage};
use crate::request::Activity;
use crate::signal::{Siginfo, SignalSet, SignalStack};
use crate::syscall::objects;
use crate::turns::Turns;
use samovar_vm::machine::ThreadId;
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
        /// Give up then.
        deadline: Option<u64>,
    },
    /// A modelled read-write lock.
    ReaderWriter {
        /// Address of the lock.
        addr: u64,
        /// Waits for exclusive access.
        writing: bool,
        /// A writer that new readers have to wait for, too.
        queued: bool,
        /// Give up then.
        deadline: Option<u64>,
    },
    /// A modelled semaphore being posted.
    Semaphore {
        /// Address of the semaphore.
        addr: u64,
        /// Give up then.
        deadline: Option<u64>,
    },
    /// Further threads arriving at a modelled barrier.
    Barrier {
        /// Address of the barrier.
        addr: u64,
    },
    /// A modelled spin lock becoming free.
    Spin {
        /// Address of the lock.
        addr: u64,
    },
    /// Another thread finishing a one-time initialisation.
    Once {
        /// Address of the control word.
        addr: u64,
    },
    /// A modelled lock of Rust's library becoming free.
    Lock {
        /// Address of the lock.
        addr: u64,
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
        /// Give up then.
        deadline: Option<u64>,
    },
}

impl WaitFor {
    /// When the wait ends by itself.
    pub fn deadline(&self) -> Option<u64> {
        match *self {
            WaitFor::Sleep { until, .. } => Some(until),
            WaitFor::Privilege { .. }
            | WaitFor::Barrier { .. }
            | WaitFor::Spin { .. }
            | WaitFor::Once { .. }
            | WaitFor::Lock { .. } => None,
            WaitFor::Futex { deadline, .. }
            | WaitFor::FutexOwnership { deadline, .. }
            | WaitFor::Files { deadline, .. }
            | WaitFor::Signal { deadline, .. }
            | WaitFor::Mutex { deadline, .. }
            | WaitFor::ReaderWriter { deadline, .. }
            | WaitFor::Semaphore { deadline, .. }
            | WaitFor::Join { deadline, .. }
            | WaitFor::Condition { deadline, .. } => deadline,
        }
    }

    /// Whether it is a wait for the object with this address, or will lock it afterwards. Waits for
    /// what has no address are all for the same pseudo-address ([`crate::syscall::objects`]).
    pub fn concerns(&self, object: u64) -> bool {
        match *self {
            WaitFor::Futex { addr, .. }
            | WaitFor::FutexOwnership { addr, .. }
            | WaitFor::Mutex { addr, .. }
            | WaitFor::ReaderWriter { addr, .. }
            | WaitFor::Semaphore { addr, .. }
            | WaitFor::Barrier { addr }
            | WaitFor::Spin { addr }
            | WaitFor::Once { addr }
            | WaitFor::Lock { addr } => addr == object,
            WaitFor::Condition { addr, mutex, .. } => addr == object || mutex == object,
            WaitFor::Files { .. } => object == objects::FILES,
            WaitFor::Signal { .. } => object == objects::SIGNALS,
            WaitFor::Sleep { .. } => object == objects::CLOCK,
            WaitFor::Privilege { .. } => object == objects::ADDRESS_SPACE,
            WaitFor::Join { .. } => object == objects::THREADS,
        }
    }

    /// When the wait ends by itself, to change it.
    pub(crate) fn deadline_mut(&mut self) -> Option<&mut u64> {
        match self {
            WaitFor::Sleep { until, .. } => Some(until),
            WaitFor::Privilege { .. }
            | WaitFor::Barrier { .. }
            | WaitFor::Spin { .. }
            | WaitFor::Once { .. }
            | WaitFor::Lock { .. } => None,
            WaitFor::Futex { deadline, .. }
            | WaitFor::FutexOwnership { deadline, .. }
            | WaitFor::Files { deadline, .. }
            | WaitFor::Signal { deadline, .. }
            | WaitFor::Mutex { deadline, .. }
            | WaitFor::ReaderWriter { deadline, .. }
            | WaitFor::Semaphore { deadline, .. }
            | WaitFor::Join { deadline, .. }
            | WaitFor::Condition { deadline, .. } => deadline.as_mut(),
        }
    }

    /// Whether the call only tests again and again whether it may go on, and nobody can tell that
    /// it has begun: a checker may as well put the thread back to before the call.
    pub fn only_tests(&self) -> bool {
        match *self {
            WaitFor::Mutex { deadline, .. }
            | WaitFor::ReaderWriter { queued: false, deadline, .. }
            | WaitFor::Semaphore { deadline, .. }
            | WaitFor::Join { deadline, .. } => deadline.is_none(),
            WaitFor::Spin { .. }
            | WaitFor::Once { .. }
            | WaitFor::Lock { .. }
            | WaitFor::Privilege { .. } => true,
            _ => false,
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
    /// Whether it has something to do, if the program says so.
    pub activity: Activity,
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
    /// What the models know of the thread's cancellation.
    pub(crate) cancellation: Cancellation,
    /// Stack pointer at the entry of a modelled call that a signal handler has interrupted for
    /// good; the library's own code then tells the caller.
    pub(crate) interrupted: Option<u64>,
    /// Nobody may join it, because of that thread.
    pub(crate) detached_by: Option<ThreadId>,
    /// The thread that it is creating is one that nobody may join.
    pub(crate) creates_detached: bool,
    /// The hook at the program counter is to be passed on the next run.
    pub(crate) past_hook: bool,
    /// Memory that it has locked for itself: first bytes, and those behind the last.
    pub(crate) privileged: Vec<(u64, u64)>,
    /// What the caller of `exit` had in its registers, where leaks are looked for.
    pub(crate) exit: Option<Farewell>,
    /// Panics of Rust, if they are judged.
    pub(crate) panics: Panics,
    /// What it has seen since it gave way, if a checker keeps that.
    pub(crate) turns: Option<Arc<Turns>>,
}

/// The registers that belong to the caller of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Farewell {
    /// The stack pointer; what is below belongs to the function.
    pub rsp: u64,
    /// The others.
    pub saved: [u64; 6],
}

/// Whether a thread is to be cancelled at its next cancellation point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Cancellation {
    /// Somebody asked for it.
    pub requested: bool,
    /// The thread does not want it now.
    pub disabled: bool,
    /// It would strike between any two instructions.
    pub asynchronous: bool,
}

impl Cancellation {
    /// Whether a cancellation point acts on it.
    pub fn is_due(self) -> bool {
        self.requested && !self.disabled
    }
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
            activity: Activity::Unknown,
            label: None,
            clear_child_tid: 0,
            robust_list: 0,
            pending: Arc::default(),
            signal_stack: SignalStack::default(),
            mask_to_restore: None,
            resumed: None,
            condition: None,
            cancellation: Cancellation::default(),
            interrupted: None,
            detached_by: None,
            creates_detached: false,
            past_hook: false,
            privileged: Vec::new(),
            exit: None,
            panics: Panics::default(),
            turns: None,
        }
    }

    /// What it waits for, if it does.
    pub fn waiting(&self) -> Option<&WaitFor> {
        match &self.state {
            ThreadState::Waiting(wait) => Some(wait),
            _ => None,
        }
    }

    pub(crate) fn waiting_mut(&mut self) -> Option<&mut WaitFor> {
        match &mut self.state {
            ThreadState::Waiting(wait) => Some(wait),
            _ => None,
        }
    }

    /// Whether a thread that has just blocked may be put back to where its move began: the call
    /// only tests, or an atomic region cannot be finished now and has not begun therefore.
    pub fn may_be_put_back(&self) -> bool {
        self.waiting()
            .is_some_and(|wait| wait.only_tests() || self.region && wait.deadline().is_none())
    }

    /// Whether its wait on a modelled condition variable is over but for the mutex.
    pub fn is_relocking(&self) -> bool {
        matches!(self.condition, Some(Stage::Relocking(_) | Stage::Cancelled))
    }

    /// Regions of memory that it has locked for itself.
    pub fn privileges(&self) -> usize {
        self.privileged.len()
    }

    /// Whether it has not ended.
    pub fn is_alive(&self) -> bool {
        self.state != ThreadState::Exited
    }
}
