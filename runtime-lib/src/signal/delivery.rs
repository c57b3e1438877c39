//! Sending and delivering signals.
//!
//! A signal that nobody handles and that ends the process does so when it is sent. Others wait in
//! a queue until their thread runs next; a thread that waits in a system call is woken for it.
//! Inside an atomic library call, and while waiting at a modelled barrier, a signal from outside
//! waits.

use super::action::{SS_DISABLE, SS_ONSTACK};
use super::frame::{self, Delivery};
use super::number::DefaultAction;
use super::{
    Handler, Payload, SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_RESTART, SI_KERNEL, Siginfo, Signal,
};
use crate::canonical::LIBRARY_SIGNALS;
use crate::errno::Errno;
use crate::event::{Event, Unsupported, UnsupportedKind};
use crate::models::is_judged_instead;
use crate::os::PID;
use crate::process::Process;
use crate::syscall::{SYSCALL_LEN, futex};
use crate::thread::{AtomicCall, Thread, ThreadState, WaitFor};
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use std::sync::Arc;

impl Process {
    /// A signal from the process itself.
    pub(crate) fn sender_info(&self, signal: Signal, code: i32) -> Siginfo {
        let payload = Payload::Sender { pid: PID, uid: self.config.uid, value: 0 };
        Siginfo { signal, code, payload }
    }

    /// Sends a signal that the system raises, such as SIGPIPE, to a thread.
    pub(crate) fn send_to_thread(&mut self, thread: ThreadId, signal: Signal) {
        let info = self.sender_info(signal, 0);
        self.send(Some(thread), info);
    }

    /// Sends a signal to a thread, or to the process: then any thread may take it.
    pub(crate) fn send(&mut self, thread: Option<ThreadId>, info: Siginfo) {
        let signal = info.signal;
        let action = self.os.action(signal);
        let accepted = self.accepting_waiter(thread, signal);
        if accepted.is_none() && action.discards(signal) {
            return;
        }
        let target = thread.or(accepted).or_else(|| self.unblocked_thread(signal));
        let blocked = target.is_none_or(|target| self.os.thread(target).blocked.contains(signal));
        let fatal = signal == Signal::KILL
            || action.handler == Handler::Default
                && signal.default_action() == DefaultAction::Terminate;
        if fatal && !blocked && accepted.is_none() {
            self.kill(signal);
            return;
        }
        self.enqueue(thread, info);
        if let Some(waiter) = accepted {
            self.set_runnable(waiter);
        } else if let Some(target) = target.filter(|_| !blocked) {
            self.interrupt(target, action.flags & SA_RESTART != 0);
        }
    }

    /// Puts a signal into a queue; ordinary signals are queued once.
    fn enqueue(&mut self, thread: Option<ThreadId>, info: Siginfo) {
        let os = self.os_mut();
        let queue = match thread {
            Some(thread) => &mut os.thread_mut(thread).pending,
            None => &mut os.pending,
        };
        let once = info.signal.number() < 32;
        if !(once && queue.iter().any(|queued| queued.signal == info.signal)) {
            Arc::make_mut(queue).push(info);
        }
    }

    /// A thread that waits for this very signal in `sigtimedwait`.
    fn accepting_waiter(&self, thread: Option<ThreadId>, signal: Signal) -> Option<ThreadId> {
        let accepts = |index: usize| {
            matches!(
                self.all_threads()[index].waiting(),
                Some(WaitFor::Signal { accepted, .. }) if accepted.contains(signal)
            )
        };
        let mut candidates = match thread {
            Some(thread) => thread.0 as usize..thread.0 as usize + 1,
            None => 0..self.all_threads().len(),
        };
        candidates.find(|&index| accepts(index)).map(|index| ThreadId(index as u32))
    }

    /// Whether a handler of the program would run in another thread than the sender, at whatever
    /// point that thread has come to. C libraries may do that to themselves.
    pub(crate) fn interrupts_another(
        &self,
        sender: ThreadId,
        thread: Option<ThreadId>,
        signal: Signal,
    ) -> bool {
        let handles = matches!(self.os.action(signal).handler, Handler::Call(_));
        if !handles || LIBRARY_SIGNALS.contains(&(signal.number() as usize)) {
            return false;
        }
        let may_take = |index: usize, other: &Thread| {
            index != sender.0 as usize
                && thread.is_none_or(|thread| thread.0 as usize == index)
                && other.is_alive()
                // A thread that begins does not want any before its routine, only until then.
                && (!other.blocked.contains(signal) || other.atomic == Some(AtomicCall::LIBRARY))
        };
        self.accepting_waiter(thread, signal).is_none()
            && self.all_threads().iter().enumerate().any(|(index, other)| may_take(index, other))
    }

    fn unblocked_thread(&self, signal: Signal) -> Option<ThreadId> {
        let index = self
            .all_threads()
            .iter()
            .position(|thread| thread.is_alive() && !thread.blocked.contains(signal))?;
        Some(ThreadId(index as u32))
    }

    /// Wakes a thread from a system call because a signal has to be handled.
    fn interrupt(&mut self, thread: ThreadId, restart: bool) {
        let Some(wait) = self.os.thread(thread).waiting().cloned() else { return };
        let again = self.machine.core(thread).pc.wrapping_sub(SYSCALL_LEN);
        match wait {
            WaitFor::Futex { deadline: None, .. } if restart => {
                self.machine.core_mut(thread).jump(again);
                self.set_runnable(thread);
            }
            WaitFor::Futex { .. } => self.finish_wait(thread, Errno::EINTR.to_rax()),
            WaitFor::FutexOwnership { addr, .. } => {
                self.machine.core_mut(thread).jump(again);
                self.set_runnable(thread);
                futex::drop_waiters_bit(self, addr);
            }
            WaitFor::Sleep { until, remaining } => {
                let left = until.saturating_sub(self.os.now_ns);
                if remaining != 0 {
                    let words = [left / 1_000_000_000, left % 1_000_000_000];
                    let bytes = words.map(u64::to_le_bytes).concat();
                    // A bad address was the guest's own mistake; the sleep ends all the same.
                    let _ = self.machine.memory.write(remaining, &bytes);
                }
                self.finish_wait(thread, Errno::EINTR.to_rax());
            }
            WaitFor::Files { interruptible: false, .. } if restart => self.set_runnable(thread),
            WaitFor::Files { .. } | WaitFor::Signal { .. } => {
                let resumed = self.os_mut().thread_mut(thread).resumed.take();
                let progress = resumed.map_or(0, |resumed| resumed.progress);
                let core = self.machine.core_mut(thread);
                core.jump(core.pc.wrapping_add(SYSCALL_LEN));
                let value = if progress > 0 { progress } else { Errno::EINTR.to_rax() };
                self.finish_wait(thread, value);
            }
            // These are entered again from the start, which is harmless.
            WaitFor::Mutex { .. }
            | WaitFor::ReaderWriter { .. }
            | WaitFor::Spin { .. }
            | WaitFor::Once { .. }
            | WaitFor::Lock { .. }
            | WaitFor::Join { .. }
            | WaitFor::Privilege { .. } => self.set_runnable(thread),
            WaitFor::Semaphore { deadline: None, .. } if restart => self.set_runnable(thread),
            // The library fails with EINTR when the call is made again.
            WaitFor::Semaphore { .. } => {
                let rsp = self.machine.core(thread)[Reg::Rsp];
                self.os_mut().thread_mut(thread).interrupted = Some(rsp);
                self.set_runnable(thread);
            }
            WaitFor::Condition { .. } => self.interrupt_condition(thread),
            WaitFor::Barrier { .. } => {}
        }
    }

    /// Whether a signal is to be delivered to a thread before it runs on.
    pub(crate) fn has_deliverable_signal(&self, thread: ThreadId) -> bool {
        let me = self.os.thread(thread);
        if me.pending.is_empty() && self.os.pending.is_empty() {
            return false;
        }
        me.state == ThreadState::Runnable
            && me.atomic.is_none()
            && me
                .pending
                .iter()
                .chain(&*self.os.pending)
                .any(|info| !me.blocked.contains(info.signal))
    }

    /// Takes the next signal that a thread may have: its own before the process's, lower numbers
    /// first, among those not in `refused`.
    pub(crate) fn take_pending(
        &mut self,
        thread: ThreadId,
        wanted: impl Fn(Signal) -> bool,
    ) -> Option<Siginfo> {
        let next = |queue: &[Siginfo]| {
            let wanted = queue.iter().enumerate().filter(|(_, info)| wanted(info.signal));
            wanted.min_by_key(|(_, info)| info.signal).map(|(index, _)| index)
        };
        if let Some(index) = next(&self.os.thread(thread).pending) {
            let queue = &mut self.os_mut().thread_mut(thread).pending;
            return Some(Arc::make_mut(queue).remove(index));
        }
        let index = next(&self.os.pending)?;
        Some(Arc::make_mut(&mut self.os_mut().pending).remove(index))
    }

    /// Delivers all signals that a thread has to handle now.
    pub(crate) fn deliver_signals(&mut self, thread: ThreadId) -> Option<Event> {
        loop {
            let blocked = self.os.thread(thread).blocked;
            let info = self.take_pending(thread, |signal| !blocked.contains(signal))?;
            if let Some(event) = self.deliver(thread, info) {
                return Some(event);
            }
        }
    }

    fn deliver(&mut self, thread: ThreadId, info: Siginfo) -> Option<Event> {
        let signal = info.signal;
        let action = self.os.action(signal);
        let handler = match action.handler {
            Handler::Ignore => return None,
            Handler::Default => match signal.default_action() {
                DefaultAction::Ignore => return None,
                DefaultAction::Terminate => return Some(self.kill(signal)),
                DefaultAction::Stop => return Some(self.stop_refused(thread, signal)),
            },
            Handler::Call(addr) => addr,
        };
        let me = self.os.thread(thread);
        let rsp = self.machine.core(thread)[Reg::Rsp];
        let alternative = action.flags & SA_ONSTACK != 0
            && me.signal_stack.flags & SS_DISABLE == 0
            && !me.signal_stack.holds(rsp);
        let delivery = Delivery {
            info,
            handler,
            restorer: action.restorer,
            mask: me.mask_to_restore.unwrap_or(me.blocked),
            stack: alternative.then_some(me.signal_stack),
        };
        if frame::push(self, thread, &delivery).is_err() {
            // The kernel ends a process whose handler has no stack.
            return Some(self.kill(Signal::SEGV));
        }
        let mut mask = self.os.thread(thread).blocked.union(action.mask);
        if action.flags & SA_NODEFER == 0 {
            mask = mask.with(signal);
        }
        let os = self.os_mut();
        let me = os.thread_mut(thread);
        me.blocked = mask.blockable();
        me.mask_to_restore = None;
        if me.atomic.take().is_some() {
            let watch = me.start_watch;
            self.machine.core_mut(thread).return_watch = watch;
        }
        let os = self.os_mut();
        if action.flags & SA_RESETHAND != 0 {
            Arc::make_mut(&mut os.actions)[signal.number() as usize - 1].handler = Handler::Default;
        }
        None
    }

    fn stop_refused(&self, thread: ThreadId, signal: Signal) -> Event {
        Event::Unsupported(Unsupported {
            kind: UnsupportedKind::SystemCall,
            name: signal.to_string(),
            address: self.machine.core(thread).pc,
            detail: "stopping the process; there is nobody to continue it".to_string(),
        })
    }

    /// A signal raised by the instruction that the thread stands at: handled now, or the end.
    pub(crate) fn raise_fault(
        &mut self,
        thread: ThreadId,
        signal: Signal,
        code: i32,
        address: u64,
    ) -> Option<Event> {
        debug_assert!(signal.is_synchronous());
        let action = self.os.action(signal);
        let blocked = self.os.thread(thread).blocked.contains(signal);
        let handled = match action.handler {
            Handler::Call(handler) => !is_judged_instead(self, handler),
            _ => false,
        };
        if blocked || !handled {
            return Some(self.kill(signal));
        }
        let address = if code == SI_KERNEL { 0 } else { address };
        self.deliver(thread, Siginfo { signal, code, payload: Payload::Address(address) })
    }

    /// The alternative stack as `sigaltstack` tells it.
    pub(crate) fn signal_stack_flags(&self, thread: ThreadId) -> u32 {
        let stack = self.os.thread(thread).signal_stack;
        let on = stack.holds(self.machine.core(thread)[Reg::Rsp]);
        if on { SS_ONSTACK } else { stack.flags }
    }
}
