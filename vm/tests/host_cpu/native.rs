//! Runs code on the host processor: the only module of this test with `unsafe` code.
//!
//! [`Native`] owns the mappings of one lane (see [`arena`](crate::arena)) and an alternate signal
//! stack. [`Native::run`] calls the trampoline; a fault inside is caught by a signal handler,
//! which records the exception and resumes at the trampoline's exit, so that the registers at the
//! fault come back like those of a completed instruction.
//!
//! What keeps this sound:
//! - code under test is chosen by the tests such that its stores go to the lane's data pages or
//!   fault; nothing else is mapped at the addresses that tests form on purpose;
//! - the host's stack, FS base, MXCSR and flags are restored by the exit code;
//! - the signal handler uses no thread-local storage (FS may be the guest's) and only reads
//!   atomics and writes the control block of the lane whose signal stack it runs on;
//! - `Native` cannot move to another thread, since the signal stack belongs to its thread.

use std::marker::PhantomData;
use std::mem;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::arena::{Arena, CODE_LEN, DATA_LEN, LANES, Place, Slot};
use crate::cpu::{Cpu, End, Fault};
use crate::trampoline::{self, Control};

const PAGE: usize = 0x1000;
const SIGNAL_STACK_LEN: usize = 0x1_0000;
const ARCH_GET_FS: libc::c_int = 0x1003;

/// The host processor, executing one lane.
pub struct Native {
    lane: u64,
    sides: [Side; 2],
    host_fs: u64,
    not_send: PhantomData<*const ()>,
}

struct Side {
    arena: Arena,
    exit: u64,
    slots_used: usize,
}

/// A lane as the signal handler sees it. All zero while no instruction under test is running.
struct Armed {
    stack: AtomicU64,
    control: AtomicU64,
    exit: AtomicU64,
}

static ARMED: [Armed; LANES as usize] = [const {
    Armed { stack: AtomicU64::new(0), control: AtomicU64::new(0), exit: AtomicU64::new(0) }
}; LANES as usize];

impl Native {
    /// Takes a free lane, maps its arenas and prepares the calling thread.
    pub fn new() -> Native {
        static HANDLER: Once = Once::new();
        HANDLER.call_once(install_handler);
        let lane = take_lane();
        let sides = Place::ALL.map(|place| Side::new(Arena::new(lane, place)));
        ARMED[lane as usize].stack.store(install_signal_stack(), Ordering::SeqCst);
        let mut host_fs = 0u64;
        // SAFETY: ARCH_GET_FS stores eight bytes through the pointer, which is valid for that.
        let answer = unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_GET_FS, &raw mut host_fs) };
        assert_eq!(answer, 0, "arch_prctl(ARCH_GET_FS)");
        Native { lane, sides, host_fs, not_send: PhantomData }
    }

    /// The addresses at a place.
    pub fn arena(&self, place: Place) -> Arena {
        self.sides[place as usize].arena
    }

    /// The next free code slot. It is handed out again until [`Native::install`] fills it.
    pub fn next_slot(&self, place: Place) -> Slot {
        let side = &self.sides[place as usize];
        side.arena.slot(side.slots_used)
    }

    /// Puts code into the next free slot and returns the contents of the whole slot.
    pub fn install(&mut self, place: Place, code: &[u8]) -> (Slot, Vec<u8>) {
        let slot = self.next_slot(place);
        let side = &mut self.sides[place as usize];
        side.slots_used += 1;
        let contents = slot.contents(code, side.arena.control(), side.exit);
        // SAFETY: the slot lies in the code mapping of this lane, which is writable, belongs to
        // `self` alone, and no code in it is running.
        unsafe {
            ptr::copy_nonoverlapping(contents.as_ptr(), slot.start as *mut u8, contents.len())
        }
        (slot, contents)
    }

    /// The data pages at a place.
    pub fn data(&self, place: Place) -> &[u8; DATA_LEN] {
        // SAFETY: the data mapping has this length, is readable and initialised (zero pages), and
        // is written only through `&mut self`.
        unsafe { &*(self.arena(place).data() as *const [u8; DATA_LEN]) }
    }

    /// The data pages at a place, to be written.
    pub fn data_mut(&mut self, place: Place) -> &mut [u8; DATA_LEN] {
        // SAFETY: as for `data`, and `&mut self` makes this the only reference.
        unsafe { &mut *(self.arena(place).data() as *mut [u8; DATA_LEN]) }
    }

    /// Executes the code in a slot from state `cpu`, which becomes the state afterwards. `next`
    /// is where it ends when it neither faults nor jumps. The FS base is loaded only if it is
    /// not zero, because that costs a system call or two.
    pub fn run(&mut self, place: Place, slot: Slot, next: u64, cpu: &mut Cpu) -> End {
        let side = &self.sides[place as usize];
        let armed = &ARMED[self.lane as usize];
        let control = side.arena.control() as *mut Control;
        let entry = side.arena.trampoline();
        // SAFETY: `control` points to this lane's control page, which is mapped, writable, large
        // enough and aligned, and which only this thread uses. `entry` is the start of the
        // trampoline, a C function without arguments; the module head says why it returns with
        // the host's state intact. The compiler must assume that the call changes all memory
        // whose address is exposed, which includes the control block and the data pages.
        unsafe {
            (*control).host_fs = if cpu.fs_base == 0 { 0 } else { self.host_fs };
            (*control).target = slot.instruction();
            (*control).landed = 0;
            (*control).trap = 0;
            (*control).input = *cpu;
            armed.exit.store(side.exit, Ordering::Relaxed);
            armed.control.store(control as u64, Ordering::SeqCst);
            let call: extern "C" fn() = mem::transmute(entry as *const ());
            call();
            armed.control.store(0, Ordering::SeqCst);
            let fs_base = cpu.fs_base;
            *cpu = (*control).output;
            cpu.fs_base = fs_base;
            outcome(&*control, slot, next)
        }
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        ARMED[self.lane as usize].stack.store(0, Ordering::SeqCst);
        for side in &self.sides {
            for (address, len) in side.mappings() {
                // SAFETY: the mapping is this lane's own, and no reference to it outlives `self`.
                unsafe { libc::munmap(address as *mut _, len) };
            }
        }
        LANES_TAKEN.fetch_and(!(1 << self.lane), Ordering::SeqCst);
    }
}

static LANES_TAKEN: AtomicU64 = AtomicU64::new(0);

/// The number of a lane that is nobody else's until it is dropped.
fn take_lane() -> u64 {
    let take = |taken: u64| Some(taken | 1 << taken.trailing_ones());
    let before = LANES_TAKEN.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
    u64::from(before.unwrap_or_else(|taken| taken).trailing_ones())
}

/// Translates what the trampoline noted. An exception at another address than the code under test
/// means that it completed by jumping there.
fn outcome(control: &Control, slot: Slot, next: u64) -> End {
    let inside = slot.instruction()..next;
    match (control.trap, control.landed) {
        (0, 0) => End::At(next),
        (0, pad) => End::At(slot.pad(pad as u32)),
        (4, _) if !inside.contains(&(control.trap_rip - 1)) => End::At(control.trap_rip - 1),
        (trap, _) if trap == 4 || inside.contains(&control.trap_rip) => {
            End::Fault(Fault::from_vector((trap - 1) as u8))
        }
        _ => End::At(control.trap_rip),
    }
}

impl Side {
    fn new(arena: Arena) -> Side {
        let mut side = Side { arena, exit: 0, slots_used: 0 };
        let plain = libc::PROT_READ | libc::PROT_WRITE;
        let protections = [plain, plain, plain | libc::PROT_EXEC, plain | libc::PROT_EXEC];
        for ((address, len), protection) in side.mappings().into_iter().zip(protections) {
            map(address, len, protection);
        }
        let trampoline = trampoline::emit(arena.trampoline(), arena.control());
        assert!(trampoline.bytes.len() <= PAGE);
        // SAFETY: the mappings were just made, are writable and large enough, and nothing else
        // refers to them.
        unsafe {
            let control = arena.control() as *mut Control;
            (*control).host_mxcsr = 0x1f80;
            ptr::write_bytes(arena.code() as *mut u8, 0xcc, CODE_LEN);
            let target = arena.trampoline() as *mut u8;
            ptr::copy_nonoverlapping(trampoline.bytes.as_ptr(), target, trampoline.bytes.len());
        }
        side.exit = arena.trampoline() + trampoline.exit as u64;
        side
    }

    /// Data that is not code, then code.
    fn mappings(&self) -> [(u64, usize); 4] {
        let arena = self.arena;
        [
            (arena.control(), PAGE),
            (arena.data(), DATA_LEN),
            (arena.trampoline(), PAGE),
            (arena.code(), CODE_LEN),
        ]
    }
}

/// Maps fresh zero pages exactly there.
fn map(address: u64, len: usize, protection: libc::c_int) {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: with MAP_FIXED_NOREPLACE the call cannot disturb an existing mapping.
    let got = unsafe { libc::mmap(address as *mut _, len, protection, flags, -1, 0) };
    assert_eq!(got as u64, address, "cannot map {len:#x} bytes at {address:#x}");
}

/// Gives the calling thread a signal stack of its own and returns its address.
fn install_signal_stack() -> u64 {
    let stack = Box::leak(vec![0u8; SIGNAL_STACK_LEN].into_boxed_slice());
    let start = stack.as_mut_ptr();
    let description = libc::stack_t { ss_sp: start.cast(), ss_flags: 0, ss_size: SIGNAL_STACK_LEN };
    // SAFETY: the memory is leaked, so it outlives the thread, and nothing else uses it.
    let answer = unsafe { libc::sigaltstack(&raw const description, ptr::null_mut()) };
    assert_eq!(answer, 0, "sigaltstack");
    start as u64
}

fn install_handler() {
    for signal in [libc::SIGFPE, libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGTRAP] {
        // SAFETY: all-zero is a valid `sigaction` (default action, empty mask).
        let mut action: libc::sigaction = unsafe { mem::zeroed() };
        action.sa_sigaction = on_exception as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: `action` is initialised and the handler has the signature SA_SIGINFO asks for.
        let answer = unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
        assert_eq!(answer, 0, "sigaction");
    }
}

extern "C" fn on_exception(signal: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let marker = 0u8;
    let here = &raw const marker as u64;
    for armed in &ARMED {
        let stack = armed.stack.load(Ordering::SeqCst);
        let control = armed.control.load(Ordering::SeqCst) as *mut Control;
        let is_ours = stack != 0 && here.wrapping_sub(stack) < SIGNAL_STACK_LEN as u64;
        if !is_ours || control.is_null() {
            continue;
        }
        // SAFETY: the kernel passes a valid `ucontext_t`. The lane is armed and we run on its
        // signal stack, so its thread is inside `Native::run` and interrupted: nobody else uses
        // the control block now.
        unsafe {
            let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            (*control).trap = registers[libc::REG_TRAPNO as usize] as u64 + 1;
            (*control).trap_rip = registers[libc::REG_RIP as usize] as u64;
            registers[libc::REG_RIP as usize] = armed.exit.load(Ordering::SeqCst) as i64;
        }
        return;
    }
    // Not one of ours: a bug in the test itself. Let it happen again and kill the process.
    // SAFETY: resetting a signal's action to the default is always allowed.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}
