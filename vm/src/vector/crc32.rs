//! The CRC32 instruction (SSE4.2): CRC-32C, polynomial 0x1EDC6F41, bit-reflected.

/// The polynomial with its bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

static TABLE: [u32; 256] = table();

/// `crc32 accumulator, data`, the low `bytes` bytes of data (1, 2, 4 or 8).
pub fn crc32(bytes: u8, accumulator: u32, data: u64) -> u32 {
    data.to_le_bytes()
        .iter()
        .take(bytes as usize)
        .fold(accumulator, |crc, byte| (crc >> 8) ^ TABLE[((crc as u8) ^ byte) as usize])
}

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ POLYNOMIAL } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}
