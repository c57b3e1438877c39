//! From operation, form and width to the micro-op: the tables that lowering looks into.
//!
//! Index 0 to 3 is 8 to 64 bits; tables of two are 32 and 64 bits.

use crate::flags::Condition;
use crate::kind::Rmw;
use crate::uop::Op;

/// The micro-ops of one two-operand operation.
pub(super) struct Family {
    pub rr: [Op; 4],
    pub ri: [Op; 4],
    /// Register and memory; absent for `test`, which has no such form.
    pub rm: Option<[Op; 4]>,
    /// Without flags: register, immediate.
    pub quiet: Option<([Op; 2], [Op; 2])>,
    /// Memory destination in one micro-op: register, immediate.
    pub fused: Option<([Op; 2], [Op; 2])>,
    /// Memory operand that is only read: register, immediate.
    pub compared: Option<([Op; 4], [Op; 4])>,
    /// The same as a read-modify-write in one piece.
    pub rmw: Option<Rmw>,
}

pub(super) const ADD: Family = Family {
    rr: [Op::AddRr8, Op::AddRr16, Op::AddRr32, Op::AddRr64],
    ri: [Op::AddRi8, Op::AddRi16, Op::AddRi32, Op::AddRi64],
    rm: Some([Op::AddRm8, Op::AddRm16, Op::AddRm32, Op::AddRm64]),
    quiet: Some(([Op::AddNfRr32, Op::AddNfRr64], [Op::AddNfRi32, Op::AddNfRi64])),
    fused: Some(([Op::AddMr32, Op::AddMr64], [Op::AddMi32, Op::AddMi64])),
    compared: None,
    rmw: Some(Rmw::Add),
};

pub(super) const SUB: Family = Family {
    rr: [Op::SubRr8, Op::SubRr16, Op::SubRr32, Op::SubRr64],
    ri: [Op::SubRi8, Op::SubRi16, Op::SubRi32, Op::SubRi64],
    rm: Some([Op::SubRm8, Op::SubRm16, Op::SubRm32, Op::SubRm64]),
    quiet: Some(([Op::SubNfRr32, Op::SubNfRr64], [Op::SubNfRi32, Op::SubNfRi64])),
    fused: Some(([Op::SubMr32, Op::SubMr64], [Op::SubMi32, Op::SubMi64])),
    compared: None,
    rmw: Some(Rmw::Sub),
};

pub(super) const AND: Family = Family {
    rr: [Op::AndRr8, Op::AndRr16, Op::AndRr32, Op::AndRr64],
    ri: [Op::AndRi8, Op::AndRi16, Op::AndRi32, Op::AndRi64],
    rm: Some([Op::AndRm8, Op::AndRm16, Op::AndRm32, Op::AndRm64]),
    quiet: Some(([Op::AndNfRr32, Op::AndNfRr64], [Op::AndNfRi32, Op::AndNfRi64])),
    fused: Some(([Op::AndMr32, Op::AndMr64], [Op::AndMi32, Op::AndMi64])),
    compared: None,
    rmw: Some(Rmw::And),
};

pub(super) const OR: Family = Family {
    rr: [Op::OrRr8, Op::OrRr16, Op::OrRr32, Op::OrRr64],
    ri: [Op::OrRi8, Op::OrRi16, Op::OrRi32, Op::OrRi64],
    rm: Some([Op::OrRm8, Op::OrRm16, Op::OrRm32, Op::OrRm64]),
    quiet: Some(([Op::OrNfRr32, Op::OrNfRr64], [Op::OrNfRi32, Op::OrNfRi64])),
    fused: Some(([Op::OrMr32, Op::OrMr64], [Op::OrMi32, Op::OrMi64])),
    compared: None,
    rmw: Some(Rmw::Or),
};

pub(super) const XOR: Family = Family {
    rr: [Op::XorRr8, Op::XorRr16, Op::XorRr32, Op::XorRr64],
    ri: [Op::XorRi8, Op::XorRi16, Op::XorRi32, Op::XorRi64],
    rm: Some([Op::XorRm8, Op::XorRm16, Op::XorRm32, Op::XorRm64]),
    quiet: Some(([Op::XorNfRr32, Op::XorNfRr64], [Op::XorNfRi32, Op::XorNfRi64])),
    fused: Some(([Op::XorMr32, Op::XorMr64], [Op::XorMi32, Op::XorMi64])),
    compared: None,
    rmw: Some(Rmw::Xor),
};

pub(super) const CMP: Family = Family {
    rr: [Op::CmpRr8, Op::CmpRr16, Op::CmpRr32, Op::CmpRr64],
    ri: [Op::CmpRi8, Op::CmpRi16, Op::CmpRi32, Op::CmpRi64],
    rm: Some([Op::CmpRm8, Op::CmpRm16, Op::CmpRm32, Op::CmpRm64]),
    quiet: None,
    fused: None,
    compared: Some((
        [Op::CmpMr8, Op::CmpMr16, Op::CmpMr32, Op::CmpMr64],
        [Op::CmpMi8, Op::CmpMi16, Op::CmpMi32, Op::CmpMi64],
    )),
    rmw: None,
};

pub(super) const TEST: Family = Family {
    rr: [Op::TestRr8, Op::TestRr16, Op::TestRr32, Op::TestRr64],
    ri: [Op::TestRi8, Op::TestRi16, Op::TestRi32, Op::TestRi64],
    rm: None,
    quiet: None,
    fused: None,
    compared: Some((
        [Op::TestMr8, Op::TestMr16, Op::TestMr32, Op::TestMr64],
        [Op::TestMi8, Op::TestMi16, Op::TestMi32, Op::TestMi64],
    )),
    rmw: None,
};

pub(super) const ADC: Family = Family {
    rr: [Op::AdcRr8, Op::AdcRr16, Op::AdcRr32, Op::AdcRr64],
    ri: [Op::AdcRi8, Op::AdcRi16, Op::AdcRi32, Op::AdcRi64],
    rm: Some([Op::AdcRm8, Op::AdcRm16, Op::AdcRm32, Op::AdcRm64]),
    quiet: None,
    fused: None,
    compared: None,
    rmw: Some(Rmw::Adc),
};

pub(super) const SBB: Family = Family {
    rr: [Op::SbbRr8, Op::SbbRr16, Op::SbbRr32, Op::SbbRr64],
    ri: [Op::SbbRi8, Op::SbbRi16, Op::SbbRi32, Op::SbbRi64],
    rm: Some([Op::SbbRm8, Op::SbbRm16, Op::SbbRm32, Op::SbbRm64]),
    quiet: None,
    fused: None,
    compared: None,
    rmw: Some(Rmw::Sbb),
};

pub(super) const MOVE: [Op; 4] = [Op::MovRr8, Op::MovRr16, Op::MovRr32, Op::MovRr64];
pub(super) const LOAD: [Op; 4] = [Op::Ld8, Op::Ld16, Op::Ld32, Op::Ld64];
pub(super) const LOAD_WRITABLE: [Op; 4] = [Op::LdW8, Op::LdW16, Op::LdW32, Op::LdW64];
pub(super) const STORE: [Op; 4] = [Op::St8, Op::St16, Op::St32, Op::St64];
pub(super) const STORE_IMMEDIATE: [Op; 4] = [Op::StI8, Op::StI16, Op::StI32, Op::StI64];
pub(super) const INC: [Op; 4] = [Op::Inc8, Op::Inc16, Op::Inc32, Op::Inc64];
pub(super) const DEC: [Op; 4] = [Op::Dec8, Op::Dec16, Op::Dec32, Op::Dec64];
pub(super) const NEG: [Op; 4] = [Op::Neg8, Op::Neg16, Op::Neg32, Op::Neg64];
pub(super) const NOT: [Op; 4] = [Op::Not8, Op::Not16, Op::Not32, Op::Not64];
pub(super) const RMW: [Op; 4] = [Op::Rmw8, Op::Rmw16, Op::Rmw32, Op::Rmw64];

/// By condition.
pub(super) const BRANCH: [Op; 16] = [
    Op::JO,
    Op::JNo,
    Op::JB,
    Op::JAe,
    Op::JE,
    Op::JNe,
    Op::JBe,
    Op::JA,
    Op::JS,
    Op::JNs,
    Op::JP,
    Op::JNp,
    Op::JL,
    Op::JGe,
    Op::JLe,
    Op::JG,
];
pub(super) const SET: [Op; 16] = [
    Op::SetO,
    Op::SetNo,
    Op::SetB,
    Op::SetAe,
    Op::SetE,
    Op::SetNe,
    Op::SetBe,
    Op::SetA,
    Op::SetS,
    Op::SetNs,
    Op::SetP,
    Op::SetNp,
    Op::SetL,
    Op::SetGe,
    Op::SetLe,
    Op::SetG,
];
pub(super) const MOVE_IF: [[Op; 16]; 2] = [
    [
        Op::CmovO32,
        Op::CmovNo32,
        Op::CmovB32,
        Op::CmovAe32,
        Op::CmovE32,
        Op::CmovNe32,
        Op::CmovBe32,
        Op::CmovA32,
        Op::CmovS32,
        Op::CmovNs32,
        Op::CmovP32,
        Op::CmovNp32,
        Op::CmovL32,
        Op::CmovGe32,
        Op::CmovLe32,
        Op::CmovG32,
    ],
    [
        Op::CmovO64,
        Op::CmovNo64,
        Op::CmovB64,
        Op::CmovAe64,
        Op::CmovE64,
        Op::CmovNe64,
        Op::CmovBe64,
        Op::CmovA64,
        Op::CmovS64,
        Op::CmovNs64,
        Op::CmovP64,
        Op::CmovNp64,
        Op::CmovL64,
        Op::CmovGe64,
        Op::CmovLe64,
        Op::CmovG64,
    ],
];

/// Comparison and branch: conditions, then micro-ops of 32 and 64 bits.
const CMP_CONDITIONS: [Condition; 10] = [
    Condition::E,
    Condition::Ne,
    Condition::B,
    Condition::Ae,
    Condition::Be,
    Condition::A,
    Condition::L,
    Condition::Ge,
    Condition::Le,
    Condition::G,
];
const CMP_RR: [[Op; 10]; 2] = [
    [
        Op::CmpJERr32,
        Op::CmpJNeRr32,
        Op::CmpJBRr32,
        Op::CmpJAeRr32,
        Op::CmpJBeRr32,
        Op::CmpJARr32,
        Op::CmpJLRr32,
        Op::CmpJGeRr32,
        Op::CmpJLeRr32,
        Op::CmpJGRr32,
    ],
    [
        Op::CmpJERr64,
        Op::CmpJNeRr64,
        Op::CmpJBRr64,
        Op::CmpJAeRr64,
        Op::CmpJBeRr64,
        Op::CmpJARr64,
        Op::CmpJLRr64,
        Op::CmpJGeRr64,
        Op::CmpJLeRr64,
        Op::CmpJGRr64,
    ],
];
const CMP_RI: [[Op; 10]; 2] = [
    [
        Op::CmpJERi32,
        Op::CmpJNeRi32,
        Op::CmpJBRi32,
        Op::CmpJAeRi32,
        Op::CmpJBeRi32,
        Op::CmpJARi32,
        Op::CmpJLRi32,
        Op::CmpJGeRi32,
        Op::CmpJLeRi32,
        Op::CmpJGRi32,
    ],
    [
        Op::CmpJERi64,
        Op::CmpJNeRi64,
        Op::CmpJBRi64,
        Op::CmpJAeRi64,
        Op::CmpJBeRi64,
        Op::CmpJARi64,
        Op::CmpJLRi64,
        Op::CmpJGeRi64,
        Op::CmpJLeRi64,
        Op::CmpJGRi64,
    ],
];
const TEST_CONDITIONS: [Condition; 6] =
    [Condition::E, Condition::Ne, Condition::S, Condition::Ns, Condition::Le, Condition::G];
const TEST_RR: [[Op; 6]; 2] = [
    [
        Op::TestJERr32,
        Op::TestJNeRr32,
        Op::TestJSRr32,
        Op::TestJNsRr32,
        Op::TestJLeRr32,
        Op::TestJGRr32,
    ],
    [
        Op::TestJERr64,
        Op::TestJNeRr64,
        Op::TestJSRr64,
        Op::TestJNsRr64,
        Op::TestJLeRr64,
        Op::TestJGRr64,
    ],
];

const TEST_BYTE: [Op; 4] = [Op::TestJERr8, Op::TestJNeRr8, Op::TestJSRr8, Op::TestJNsRr8];
const BYTE_CONDITIONS: [Condition; 6] =
    [Condition::E, Condition::Ne, Condition::B, Condition::Ae, Condition::Be, Condition::A];
const CMP_BYTE: [[Op; 6]; 2] = [
    [Op::CmpJERr8, Op::CmpJNeRr8, Op::CmpJBRr8, Op::CmpJAeRr8, Op::CmpJBeRr8, Op::CmpJARr8],
    [Op::CmpJERi8, Op::CmpJNeRi8, Op::CmpJBRi8, Op::CmpJAeRi8, Op::CmpJBeRi8, Op::CmpJARi8],
];

/// The micro-op that compares and branches in one, if there is one.
pub(super) fn compare_branch(
    test: bool,
    immediate: bool,
    width: usize,
    condition: Condition,
) -> Option<Op> {
    let wide = width.checked_sub(2);
    match (test, immediate, wide) {
        (false, _, Some(wide)) => {
            let table = if immediate { &CMP_RI } else { &CMP_RR };
            let at = CMP_CONDITIONS.iter().position(|&known| known == condition)?;
            Some(table[wide][at])
        }
        (false, _, None) => {
            let general = [[Op::CmpJRr8, Op::CmpJRr16], [Op::CmpJRi8, Op::CmpJRi16]];
            let byte = BYTE_CONDITIONS.iter().position(|&known| known == condition);
            Some(match byte {
                Some(at) if width == 0 => CMP_BYTE[usize::from(immediate)][at],
                _ => general[usize::from(immediate)][width],
            })
        }
        (true, false, Some(wide)) => {
            let at = TEST_CONDITIONS.iter().position(|&known| known == condition)?;
            Some(TEST_RR[wide][at])
        }
        (true, false, None) => {
            let at = TEST_CONDITIONS.iter().position(|&known| known == condition);
            Some(match at {
                Some(at @ 0..4) if width == 0 => TEST_BYTE[at],
                _ => [Op::TestJRr8, Op::TestJRr16][width],
            })
        }
        (true, true, _) => Some(match (condition, width) {
            (Condition::E, 0) => Op::TestJERi8,
            (Condition::Ne, 0) => Op::TestJNeRi8,
            (Condition::E, 2) => Op::TestJERi32,
            (Condition::Ne, 2) => Op::TestJNeRi32,
            _ => [Op::TestJRi8, Op::TestJRi16, Op::TestJRi32, Op::TestJRi64][width],
        }),
    }
}

/// The branch on a register's value that stands for a branch on the zero or sign flag.
pub(super) fn value_branch(condition: Condition, width: usize) -> Option<Op> {
    let ops = match condition {
        Condition::E => [Op::JzR32, Op::JzR64],
        Condition::Ne => [Op::JnzR32, Op::JnzR64],
        Condition::S => [Op::JsR32, Op::JsR64],
        Condition::Ns => [Op::JnsR32, Op::JnsR64],
        _ => return None,
    };
    Some(ops[width.checked_sub(2)?])
}
