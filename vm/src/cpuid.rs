//! CPUID profiles: which processor the guest believes to run on.
//!
//! `v1` is the x86-64 baseline (SSE2), under which every libc picks code that this machine
//! executes; `v2` adds SSE3, SSSE3, SSE4.1, SSE4.2, POPCNT and LAHF for distributions that insist
//! on x86-64-v2. Neither announces XSAVE or AVX. The answers never depend on the host.

/// A CPUID profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Profile {
    /// The x86-64 baseline.
    #[default]
    V1,
    /// x86-64-v2.
    V2,
}

mod edx1 {
    pub const FPU: u32 = 1;
    pub const TSC: u32 = 1 << 4;
    pub const CX8: u32 = 1 << 8;
    pub const CMOV: u32 = 1 << 15;
    pub const CLFSH: u32 = 1 << 19;
    pub const MMX: u32 = 1 << 23;
    pub const FXSR: u32 = 1 << 24;
    pub const SSE: u32 = 1 << 25;
    pub const SSE2: u32 = 1 << 26;
}

mod ecx1 {
    pub const SSE3: u32 = 1;
    pub const SSSE3: u32 = 1 << 9;
    pub const CX16: u32 = 1 << 13;
    pub const SSE41: u32 = 1 << 19;
    pub const SSE42: u32 = 1 << 20;
    pub const POPCNT: u32 = 1 << 23;
}

impl Profile {
    /// The answer to `cpuid` with these `eax` and `ecx`, as `eax`, `ebx`, `ecx`, `edx`.
    pub fn cpuid(self, leaf: u32, subleaf: u32) -> [u32; 4] {
        match leaf {
            0 => vendor(0xd),
            1 => [0x0000_0f61, 0x0001_0800, self.features_ecx(), FEATURES_EDX],
            2 => [0x0000_0001, 0, 0, 0],
            4 => cache(subleaf),
            0x8000_0000 => vendor(0x8000_0008),
            0x8000_0001 => [0, 0, 1, 1 << 11 | 1 << 20 | 1 << 29],
            0x8000_0002..=0x8000_0004 => brand(leaf - 0x8000_0002),
            0x8000_0006 => [0, 0, 0x0100_6040, 0],
            0x8000_0008 => [0x3030, 0, 0, 0],
            _ => [0; 4],
        }
    }

    fn features_ecx(self) -> u32 {
        match self {
            Profile::V1 => ecx1::CX16,
            Profile::V2 => {
                use ecx1::*;
                CX16 | SSE3 | SSSE3 | SSE41 | SSE42 | POPCNT
            }
        }
    }

    /// Whether instructions of x86-64-v2 exist.
    pub fn has_v2(self) -> bool {
        self == Profile::V2
    }
}

const FEATURES_EDX: u32 = edx1::FPU
    | edx1::TSC
    | edx1::CX8
    | edx1::CMOV
    | edx1::CLFSH
    | edx1::MMX
    | edx1::FXSR
    | edx1::SSE
    | edx1::SSE2;

/// `GenuineIntel`: glibc reads cache sizes only from vendors that it knows.
fn vendor(highest: u32) -> [u32; 4] {
    let word = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
    [highest, word(b"Genu"), word(b"ntel"), word(b"ineI")]
}

fn brand(part: u32) -> [u32; 4] {
    let mut name = [0; 48];
    name[..19].copy_from_slice(b"samovar virtual CPU");
    std::array::from_fn(|word| {
        let at = part as usize * 16 + word * 4;
        u32::from_le_bytes([name[at], name[at + 1], name[at + 2], name[at + 3]])
    })
}

/// 32 KiB data and instruction caches, 1 MiB second level; fully deterministic.
fn cache(subleaf: u32) -> [u32; 4] {
    match subleaf {
        0 => [0x0000_0121, 0x01c0_003f, 63, 0],
        1 => [0x0000_0122, 0x01c0_003f, 63, 0],
        2 => [0x0000_0143, 0x03c0_003f, 1023, 0],
        _ => [0; 4],
    }
}
