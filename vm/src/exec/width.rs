//! Operand widths: how 8, 16, 32 and 64 bits sit in a 64-bit register.

/// An unsigned integer that is an operand width.
pub(crate) trait Width: Copy + Eq {
    /// Width in bits.
    const BITS: u32;
    /// Width in bytes.
    const BYTES: u32;

    /// The low bits of a register.
    fn of(value: u64) -> Self;
    /// Zero-extended.
    fn wide(self) -> u64;
    /// The register after writing this value: narrow writes keep the upper bits.
    fn merge(self, old: u64) -> u64;
    /// Loads from memory.
    fn load<M: crate::monitor::Monitor>(memory: &crate::memory::Memory, addr: u64) -> Option<Self>;
    /// Stores to memory.
    fn store<M: crate::monitor::Monitor>(
        self,
        memory: &mut crate::memory::Memory,
        addr: u64,
    ) -> Option<()>;
}

macro_rules! width {
    ($type:ty, $bytes:literal, |$value:ident, $old:ident| $merge:expr) => {
        impl Width for $type {
            const BITS: u32 = $bytes * 8;
            const BYTES: u32 = $bytes;

            #[inline(always)]
            fn of(value: u64) -> $type {
                value as $type
            }

            #[inline(always)]
            fn wide(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn merge(self, $old: u64) -> u64 {
                let $value = self;
                $merge
            }

            #[inline(always)]
            fn load<M: crate::monitor::Monitor>(
                memory: &crate::memory::Memory,
                addr: u64,
            ) -> Option<$type> {
                memory.load::<$bytes, M>(addr).map(<$type>::from_le_bytes)
            }

            #[inline(always)]
            fn store<M: crate::monitor::Monitor>(
                self,
                memory: &mut crate::memory::Memory,
                addr: u64,
            ) -> Option<()> {
                memory.store::<$bytes, M>(addr, self.to_le_bytes())
            }
        }
    };
}

width!(u8, 1, |value, old| old & !0xff | u64::from(value));
width!(u16, 2, |value, old| old & !0xffff | u64::from(value));
width!(u32, 4, |value, _old| u64::from(value));
width!(u64, 8, |value, _old| value);
