//! Runs single instructions on the host CPU: the judge of the virtual CPU's arithmetic.
//!
//! The instruction is written to an executable page and called with all registers loaded from a
//! [`State`] and saved back to it. Faults are caught: the handler steps over the instruction.

use std::arch::global_asm;
use std::cell::Cell;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

/// Everything an instruction can read and write.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct State {
    /// FXSAVE image: x87 state, MXCSR, XMM registers.
    pub fx: [u8; 512],
    /// General registers by number; RSP (4) is not loaded.
    pub gpr: [u64; 16],
    /// Status flags.
    pub rflags: u64,
    /// Written by the host glue only.
    host_mxcsr: u32,
    /// The operand in memory, 16-byte aligned.
    pub memory: Memory,
}

/// An aligned memory operand.
#[repr(C, align(64))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory(pub [u8; 512]);

impl State {
    pub fn new() -> Box<State> {
        let mut state = Box::new(State {
            fx: [0; 512],
            gpr: [0; 16],
            rflags: 0x202,
            host_mxcsr: 0x1f80,
            memory: Memory([0; 512]),
        });
        state.fx[0..2].copy_from_slice(&0x37fu16.to_le_bytes());
        state.set_mxcsr(0x1f80);
        state
    }

    pub fn xmm(&self, index: usize) -> u128 {
        u128::from_le_bytes(self.fx[160 + 16 * index..][..16].try_into().unwrap())
    }

    pub fn set_xmm(&mut self, index: usize, value: u128) {
        self.fx[160 + 16 * index..][..16].copy_from_slice(&value.to_le_bytes());
    }

    pub fn mxcsr(&self) -> u32 {
        u32::from_le_bytes(self.fx[24..28].try_into().unwrap())
    }

    pub fn set_mxcsr(&mut self, value: u32) {
        self.fx[24..28].copy_from_slice(&value.to_le_bytes());
    }
}

// State: fx at 0, gpr at 512, rflags at 640, host_mxcsr at 648.
global_asm!(
    ".globl samovar_native_run",
    "samovar_native_run:",
    "push rbx; push rbp; push r12; push r13; push r14; push r15",
    "push rdi; push rsi",
    "fxrstor64 [rdi]",
    "push qword ptr [rdi + 640]; popfq",
    "mov rax, [rdi + 512]; mov rcx, [rdi + 520]; mov rdx, [rdi + 528]; mov rbx, [rdi + 536]",
    "mov rbp, [rdi + 552]; mov rsi, [rdi + 560]",
    "mov r8, [rdi + 576]; mov r9, [rdi + 584]; mov r10, [rdi + 592]; mov r11, [rdi + 600]",
    "mov r12, [rdi + 608]; mov r13, [rdi + 616]; mov r14, [rdi + 624]; mov r15, [rdi + 632]",
    "mov rdi, [rdi + 568]",
    "call [rsp]",
    "xchg rdi, [rsp + 8]",
    "mov [rdi + 512], rax; mov [rdi + 520], rcx; mov [rdi + 528], rdx; mov [rdi + 536], rbx",
    "mov [rdi + 552], rbp; mov [rdi + 560], rsi",
    "mov [rdi + 576], r8; mov [rdi + 584], r9; mov [rdi + 592], r10; mov [rdi + 600], r11",
    "mov [rdi + 608], r12; mov [rdi + 616], r13; mov [rdi + 624], r14; mov [rdi + 632], r15",
    "pushfq; pop qword ptr [rdi + 640]",
    "fxsave64 [rdi]",
    "fninit; ldmxcsr [rdi + 648]",
    "pop rsi; pop rax; mov [rdi + 568], rax",
    "pop r15; pop r14; pop r13; pop r12; pop rbp; pop rbx",
    "ret",
);

unsafe extern "C" {
    fn samovar_native_run(state: *mut State, code: *const u8);
}

static CODE_LENGTH: AtomicU64 = AtomicU64::new(0);
static FAULT: AtomicI32 = AtomicI32::new(0);
static LOCK: Mutex<()> = Mutex::new(());

thread_local! {
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// An executable page holding one instruction; one at a time in the process.
pub struct Native {
    page: *mut u8,
    _lock: MutexGuard<'static, ()>,
}

impl Native {
    pub fn new() -> Native {
        let lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        static HANDLERS: Once = Once::new();
        HANDLERS
            .call_once(|| [libc::SIGSEGV, libc::SIGFPE, libc::SIGILL].into_iter().for_each(catch));
        let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh anonymous page.
        let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, protection, flags, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED, "no executable page");
        Native { page: page.cast(), _lock: lock }
    }

    /// Puts the instruction into the page.
    pub fn load(&mut self, instruction: &[u8]) {
        assert!(instruction.len() <= 15);
        // SAFETY: the page is ours, writable and larger than an instruction.
        unsafe {
            std::ptr::copy_nonoverlapping(instruction.as_ptr(), self.page, instruction.len());
            self.page.add(instruction.len()).write(0xc3);
        }
        CODE_LENGTH.store(instruction.len() as u64, Ordering::Relaxed);
    }

    /// Runs it; the signal it caused, or 0. RDI is set to the address of the memory operand plus
    /// `displacement`, and comes back as zero unless the instruction changed it.
    pub fn run(&mut self, state: &mut State, displacement: u64) -> i32 {
        let address = state.memory.0.as_ptr() as u64 + displacement;
        state.gpr[7] = address;
        FAULT.store(0, Ordering::Relaxed);
        RUNNING.set(true);
        // SAFETY: the page holds one instruction and a return; the instructions under test touch
        // registers and the memory operand of `state` only, and faults are stepped over.
        unsafe { samovar_native_run(state, self.page) };
        RUNNING.set(false);
        if state.gpr[7] == address {
            state.gpr[7] = 0;
        }
        FAULT.load(Ordering::Relaxed)
    }
}

impl Drop for Native {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, used by nobody else.
        unsafe { libc::munmap(self.page.cast(), 4096) };
    }
}

fn catch(signal: i32) {
    let handler = step_over as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void);
    // SAFETY: a zeroed sigaction is valid; the handler is async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(signal, &action, std::ptr::null_mut()), 0);
    }
}

extern "C" fn step_over(signal: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if !RUNNING.get() {
        // SAFETY: a fault of the test itself ends it.
        unsafe { libc::abort() };
    }
    FAULT.store(signal, Ordering::Relaxed);
    let context = context.cast::<libc::ucontext_t>();
    // SAFETY: the kernel passes a valid context; the fault was at the start of the instruction.
    unsafe {
        (*context).uc_mcontext.gregs[libc::REG_RIP as usize] +=
            CODE_LENGTH.load(Ordering::Relaxed) as i64;
    }
}
