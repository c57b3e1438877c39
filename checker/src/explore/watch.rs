//! The monitor of a move: notes what it touches and finds the visible operation.
//!
//! A move is a block of invisible work and the visible operation behind it. The first access that
//! is visible (see [`super::visible`]) is the operation; it is let through, and the thread stops
//! before its next access, having done nothing but work in registers after the operation. Inside
//! an atomic library call or region the thread cannot stop; what it touches there joins the same
//! move.

use super::touches::{Manner, Touches};
use super::visible::{LibraryData, Visible};
use super::word::LARGE;
use samovar_runtime::syscall::objects;
use samovar_runtime::{Mark, Observer, Privilege, Privileges};
use samovar_vm::fault::AccessKind;
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::{Access, Decision, Monitor};

/// Watches one move.
#[derive(Debug)]
pub struct Watch<'a> {
    visible: &'a Visible,
    library: &'a LibraryData,
    thread: ThreadId,
    /// Where to note what is touched, if anybody compares.
    touches: Option<&'a mut Touches>,
    /// The visible operation, once it was let through.
    pub operation: Option<Access>,
    /// Nothing was accessed after the visible operation.
    pub is_single: bool,
    /// The thread said that it waits, before its operation or behind it.
    pub paused: bool,
    /// The operation on an object that was announced last.
    pub object: Option<Access>,
    atomic: bool,
    /// Which alternative to take at a choice.
    alternative: u32,
    /// How many alternatives the choices had, if any were met: the product if there were several,
    /// as in an atomic region.
    pub alternatives: Option<u32>,
    /// The move begins with its choice, if it has one, and ends before the next one.
    pub begins_with_choice: bool,
    /// Something was accessed or chosen.
    has_begun: bool,
    /// The program said that it got on.
    pub progress: bool,
    /// Steps of a plan, as the program counts them.
    pub actions: u32,
    /// What the program says about plans, if anybody wants to hear it.
    pub marks: Option<Vec<Mark>>,
    /// Memory that threads have reserved; `None` if nobody has.
    privileges: Option<Privileges>,
    /// The first access to what another thread has reserved; nothing happens after it.
    pub breach: Option<(Privilege, Access)>,
    /// The C library's record of the thread.
    descriptor: u64,
}

impl<'a> Watch<'a> {
    /// Watches a move of a thread that takes `alternative` at its choice, if it meets one;
    /// `atomic` tells whether the thread is in code that runs without scheduling points.
    pub fn new(
        (visible, library): (&'a Visible, &'a LibraryData),
        touches: Option<&'a mut Touches>,
        thread: ThreadId,
        alternative: u32,
        atomic: bool,
    ) -> Watch<'a> {
        Watch {
            visible,
            library,
            thread,
            touches,
            operation: None,
            is_single: true,
            paused: false,
            object: None,
            atomic,
            alternative,
            alternatives: None,
            begins_with_choice: false,
            has_begun: false,
            progress: false,
            actions: 0,
            marks: None,
            privileges: None,
            breach: None,
            descriptor: 0,
        }
    }

    /// The C library's record of the thread is here (see [`Visible::shows_of`]).
    pub fn with_descriptor(mut self, addr: u64) -> Self {
        self.descriptor = addr;
        self
    }

    /// Looks out for accesses to what other threads have reserved now.
    pub fn guarding(mut self, privileges: &Privileges) -> Self {
        self.privileges = (!privileges.is_empty()).then(|| privileges.clone());
        self
    }

    /// Whether an access is one to what another thread has reserved.
    #[cold]
    fn breaks(&mut self, access: &Access) -> bool {
        let broken = |all: &Privileges| all.breach(self.thread, access).copied();
        if self.breach.is_none() {
            self.breach = self.privileges.as_ref().and_then(broken).map(|it| (it, *access));
        }
        self.breach.is_some()
    }

    /// Whether an access would be the visible operation.
    pub fn shows(&self, access: &Access) -> bool {
        let is_private = self.atomic && self.library.holds(access.addr);
        !is_private && self.visible.shows_of(self.descriptor, access)
    }

    #[inline]
    fn note(&mut self, access: &Access) {
        let Some(touches) = &mut self.touches else { return };
        if access.addr == objects::THREADS {
            // Beginnings and ends of threads are looked at apart.
            return;
        }
        let manner = match (access.locked, self.atomic) {
            (true, _) => Manner::Atomic,
            (false, true) => Manner::Other,
            (false, false) => Manner::Plain,
        };
        touches.add(self.thread, access, manner);
    }

    /// Notes a look at a word that no access announced.
    pub fn note_read(&mut self, addr: u64) {
        let kind = AccessKind::Read;
        let access = Access { addr, size: 8, kind, locked: false, sequel: false };
        if let Some(touches) = &mut self.touches {
            touches.add(self.thread, &access, Manner::Other);
        }
    }

    /// Notes a change that no access announced.
    pub fn note_write(&mut self, addr: u64, len: u64) {
        if let Some(touches) = &mut self.touches
            && !self.library.holds(addr)
        {
            touches.add_write(self.thread, addr, len);
        }
    }

    /// Whether anybody compares what moves touch.
    pub fn compares(&self) -> bool {
        self.touches.is_some()
    }
}

impl Monitor for Watch<'_> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = true;

    #[inline]
    fn pause(&mut self) {
        self.paused = true;
    }

    #[inline]
    fn before_access(&mut self, access: Access) -> Decision {
        if self.operation.is_some() && !self.atomic && !access.sequel {
            return Decision::Stop;
        }
        if self.begins_with_choice && access.locked && objects::is_choice(access.addr) {
            let may_go_on = self.atomic || !self.has_begun;
            self.has_begun = true;
            return if may_go_on { Decision::Proceed } else { Decision::Stop };
        }
        self.has_begun = true;
        if self.atomic && self.library.holds(access.addr) {
            return Decision::Proceed;
        }
        self.note(&access);
        if self.privileges.is_some() && self.breaks(&access) {
            return Decision::Stop;
        }
        if access.locked && access.size < LARGE {
            self.object = Some(access);
        }
        if self.operation.is_some() {
            self.is_single = false;
        } else if self.visible.shows_of(self.descriptor, &access) {
            self.operation = Some(access);
        }
        Decision::Proceed
    }
}

impl Observer for Watch<'_> {
    fn atomic_call(&mut self, inside: bool) {
        self.atomic = inside;
    }

    fn before_reserving(&mut self, access: Access) -> Decision {
        let privileges = self.privileges.take();
        let decision = self.before_access(access);
        self.privileges = privileges;
        decision
    }

    fn choose(&mut self, alternatives: u32) -> u32 {
        // The number of the alternative has one digit for each choice of the move.
        let before = self.alternatives.unwrap_or(1);
        self.alternatives = Some(before.saturating_mul(alternatives.max(1)));
        self.alternative / before % alternatives.max(1)
    }

    fn progress(&mut self) -> Decision {
        // Who does nothing else in a loop has to end a move somewhere.
        if self.progress && !self.atomic {
            return Decision::Stop;
        }
        self.progress = true;
        Decision::Proceed
    }

    fn action(&mut self) {
        self.actions += 1;
    }

    fn wants_marks(&self) -> bool {
        self.marks.is_some()
    }

    fn mark(&mut self, mark: Mark) {
        self.marks.get_or_insert_default().push(mark);
    }

    fn is_past_operation(&self) -> bool {
        self.operation.is_some() && !self.atomic
    }
}
