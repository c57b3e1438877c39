//! The auxiliary vector: what the kernel tells a new program beside its arguments.
//!
//! Only the entries that Linux on x86-64 puts there, in its order. Left out on purpose:
//! AT_SYSINFO_EHDR (there is no vdso, so libc makes system calls) and the sizes of restartable
//! sequences (not offered).

/// Keys of the auxiliary vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u64)]
pub enum AuxKey {
    /// End of the vector.
    Null = 0,
    /// Address of the program headers.
    Phdr = 3,
    /// Size of one program header.
    Phent = 4,
    /// Number of program headers.
    Phnum = 5,
    /// Page size.
    Pagesz = 6,
    /// Base address of the dynamic linker; zero without one.
    Base = 7,
    /// Flags; always zero.
    Flags = 8,
    /// Entry point of the program (not of the dynamic linker).
    Entry = 9,
    /// Real user.
    Uid = 11,
    /// Effective user.
    Euid = 12,
    /// Real group.
    Gid = 13,
    /// Effective group.
    Egid = 14,
    /// Address of the platform's name.
    Platform = 15,
    /// Processor features: EDX of CPUID leaf 1.
    Hwcap = 16,
    /// Clock ticks a second, as `times` counts them.
    Clktck = 17,
    /// Whether the program runs with more rights than its user.
    Secure = 23,
    /// Address of sixteen random bytes.
    Random = 25,
    /// Further processor features.
    Hwcap2 = 26,
    /// Address of the path the program was started by.
    Execfn = 31,
    /// Smallest stack for a signal handler.
    Minsigstksz = 51,
}
