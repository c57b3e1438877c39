//! One system call being served: its arguments, access to the process, and how it may end.

use crate::errno::Errno;
use crate::event::Event;
use crate::os::Os;
use crate::process::Process;
use crate::thread::{Resumed, Thread, WaitFor};
use samovar_vm::fault::Fault;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::Memory;

/// How a call went that was not refused.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Flow {
    /// Over, with this value.
    Value(u64),
    /// Over for the caller once somebody ends the wait and sets its value.
    Wait(WaitFor),
    /// To be executed again after the wait.
    Retry(WaitFor),
    /// To be executed again, after the scheduler had a look.
    RetryAtOnce,
    /// Over, and others may run.
    Yield,
    /// The registers have been replaced; there is no value.
    Resumed,
    /// The thread or the process is over.
    Ended(Event),
}

/// Why a call did not happen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// Linux would fail like this.
    Errno(Errno),
    /// Not modelled; the text says which part.
    Unsupported(String),
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Refusal {
        Refusal::Errno(errno)
    }
}

impl From<Fault> for Refusal {
    fn from(_: Fault) -> Refusal {
        Refusal::Errno(Errno::EFAULT)
    }
}

pub(crate) type SysResult = Result<Flow, Refusal>;

/// A refusal with a text.
pub(crate) fn unsupported<T>(detail: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Unsupported(detail.into()))
}

/// A successful call.
pub(crate) fn done(value: u64) -> SysResult {
    Ok(Flow::Value(value))
}

/// See the module head.
pub(crate) struct Call<'a> {
    pub process: &'a mut Process,
    pub thread: ThreadId,
    pub args: [u64; 6],
    /// Which of the alternatives is taken, if there are several.
    pub pick: u32,
}

impl Call<'_> {
    pub(crate) fn memory(&mut self) -> &mut Memory {
        &mut self.process.machine.memory
    }

    pub(crate) fn os(&self) -> &Os {
        &self.process.os
    }

    pub(crate) fn os_mut(&mut self) -> &mut Os {
        self.process.os_mut()
    }

    pub(crate) fn me(&self) -> &Thread {
        self.process.os.thread(self.thread)
    }

    pub(crate) fn me_mut(&mut self) -> &mut Thread {
        let thread = self.thread;
        self.process.os_mut().thread_mut(thread)
    }

    /// Reads a path or another string of the guest.
    pub(crate) fn path(&mut self, addr: u64) -> Result<Vec<u8>, Refusal> {
        let path = self.memory().read_c_string(addr, 4096)?;
        if path.len() >= 4096 { Err(Errno::ENAMETOOLONG.into()) } else { Ok(path) }
    }

    pub(crate) fn read_u32(&mut self, addr: u64) -> Result<u32, Refusal> {
        Ok(self.memory().read_u32(addr)?)
    }

    pub(crate) fn read_u64(&mut self, addr: u64) -> Result<u64, Refusal> {
        Ok(self.memory().read_u64(addr)?)
    }

    pub(crate) fn read_words<const N: usize>(&mut self, addr: u64) -> Result<[u64; N], Refusal> {
        let mut words = [0; N];
        for (index, word) in words.iter_mut().enumerate() {
            *word = self.memory().read_u64(addr.wrapping_add(index as u64 * 8))?;
        }
        Ok(words)
    }

    pub(crate) fn write(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Refusal> {
        Ok(self.memory().write(addr, bytes)?)
    }

    pub(crate) fn write_words(&mut self, addr: u64, words: &[u64]) -> Result<(), Refusal> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(addr, &bytes)
    }

    /// The deadline of a call that is executed again, or `fresh` if this is the first time. The
    /// deadline is kept for further times.
    pub(crate) fn lasting_deadline(&mut self, fresh: Option<u64>) -> Option<u64> {
        match self.me().resumed {
            Some(resumed) => resumed.deadline,
            None => {
                self.me_mut().resumed = Some(Resumed { deadline: fresh, progress: 0 });
                fresh
            }
        }
    }

    /// Whether a deadline has come.
    pub(crate) fn is_past(&self, deadline: Option<u64>) -> bool {
        deadline.is_some_and(|deadline| deadline <= self.os().now_ns)
    }
}
