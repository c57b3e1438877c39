//! Which instruction forms are to be judged: all that iced knows, less what is not 64-bit user
//! code of the baseline processor, less the few whose outcome is not a function of the state.

use std::sync::OnceLock;

use iced_x86::{Code, CpuidFeature, Mnemonic, OpCodeOperandKind};

/// What becomes of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Compare it.
    Judge,
    /// Not an instruction of a 64-bit user program on the baseline processor.
    OutOfScope,
    /// In scope, but the host processor lacks the feature, or does in its own way what the manuals
    /// of processors tell differently.
    HostLacks,
    /// In scope, but not a function of registers and memory, or it leaves the process.
    NotComparable,
}

/// Decides about one form.
pub fn verdict(code: Code) -> Verdict {
    let info = code.op_code();
    let is_user_code = info.is_instruction()
        && info.mode64()
        && info.intel_decoder64()
        && !info.fwait()
        && !info.must_be_cpl0()
        && !info.is_privileged()
        && !info.is_input_output();
    // Unwinders read the shadow stack's pointer; without a shadow stack that does nothing.
    let is_excepted = matches!(code.mnemonic(), Mnemonic::Rdsspd | Mnemonic::Rdsspq);
    let is_in_scope = code.cpuid_features().iter().all(|&feature| is_baseline(feature));
    if !is_user_code || !(is_in_scope || is_excepted) {
        return Verdict::OutOfScope;
    }
    if !code.cpuid_features().iter().all(|&feature| host_has(feature)) || host_differs(code) {
        return Verdict::HostLacks;
    }
    if is_not_comparable(code) { Verdict::NotComparable } else { Verdict::Judge }
}

fn is_baseline(feature: CpuidFeature) -> bool {
    use CpuidFeature::*;
    matches!(
        feature,
        INTEL8086
            | INTEL186
            | INTEL286
            | INTEL386
            | INTEL486
            | X64
            | CMOV
            | CX8
            | CMPXCHG16B
            | FXSR
            | FPU
            | FPU287
            | FPU387
            | MMX
            | SSE
            | SSE2
            | SSE3
            | SSSE3
            | SSE4_1
            | SSE4_2
            | POPCNT
            | PAUSE
            | MULTIBYTENOP
            | CLFSH
            | CET_IBT
            | PREFETCHW
            | CPUID
            | TSC
            | SYSCALL
    )
}

fn host_has(feature: CpuidFeature) -> bool {
    match feature {
        CpuidFeature::SSE3 => is_x86_feature_detected!("sse3"),
        CpuidFeature::SSSE3 => is_x86_feature_detected!("ssse3"),
        CpuidFeature::SSE4_1 => is_x86_feature_detected!("sse4.1"),
        CpuidFeature::SSE4_2 => is_x86_feature_detected!("sse4.2"),
        CpuidFeature::POPCNT => is_x86_feature_detected!("popcnt"),
        CpuidFeature::CMPXCHG16B => is_x86_feature_detected!("cmpxchg16b"),
        _ => true,
    }
}

/// Whether the host is of the make that the machine resembles where makes differ. Without an answer
/// it is not.
pub fn is_host_intel() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| {
        let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        told.contains("GenuineIntel")
    })
}

/// Forms that makes of processors implement differently: prefetches of a register are illegal on
/// some, the state saved names features of the processor, an extension of 16 bits to 16 bits may
/// read more than that, and which of several NaNs comes out of a sum of products is up to the order
/// of summing.
fn host_differs(code: Code) -> bool {
    use Code::*;
    let differs = matches!(
        code,
        Reservednop_rm16_r16_0F0D
            | Reservednop_rm32_r32_0F0D
            | Reservednop_rm64_r64_0F0D
            | Movsxd_r16_rm16
            | Fxsave_m512byte
            | Fxsave64_m512byte
            | Dpps_xmm_xmmm128_imm8
            | Dppd_xmm_xmmm128_imm8
    );
    differs && !is_host_intel()
}

fn is_not_comparable(code: Code) -> bool {
    use Mnemonic::*;
    let mnemonic = code.mnemonic();
    // They leave the process, or tell about the machine and not about the program.
    let leaves = matches!(mnemonic, Syscall | Sysenter | Int | Int1 | Iret | Iretd | Iretq);
    let describes_machine = matches!(
        mnemonic,
        Cpuid | Rdtsc | Sgdt | Sidt | Sldt | Str | Smsw | Lar | Lsl | Verr | Verw | Lss | Lfs | Lgs
    );
    // Selectors belong to the operating system; far transfers load them.
    let is_far = matches!(mnemonic, Retf);
    let has_selector = code.op_code().op_kinds().iter().any(|&kind| is_selector(kind))
        || matches!(code, Code::Call_m1616 | Code::Call_m1632 | Code::Call_m1664)
        || matches!(code, Code::Jmp_m1616 | Code::Jmp_m1632 | Code::Jmp_m1664);
    // The manual leaves the 16-bit byte swap undefined.
    leaves || describes_machine || is_far || has_selector || code == Code::Bswap_r16
}

fn is_selector(kind: OpCodeOperandKind) -> bool {
    use OpCodeOperandKind as K;
    matches!(kind, K::seg_reg | K::es | K::cs | K::ss | K::ds | K::fs | K::gs)
}
