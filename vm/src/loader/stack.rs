//! The initial stack, laid out as Linux does for a program it starts.
//!
//! From the top down: eight zero bytes; the path of the program; the environment strings; the
//! argument strings; (aligned to 16) the platform's name; sixteen random bytes; then, aligned so
//! that `rsp` is a multiple of 16, the words: auxiliary vector, zero, pointers to the
//! environment, zero, pointers to the arguments, and their number at `rsp`.

use super::PlanOptions;
use super::auxv::AuxKey;
use super::error::LoadError;
use super::segment::Perms;

/// Longest single argument or environment string, with its final zero (MAX_ARG_STRLEN of Linux).
const STRING_SIZE_MAX: u64 = 32 * 4096;

/// The main thread's stack before the first instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitialStack {
    /// Lowest address of the stack's mapping.
    pub low: u64,
    /// First address above it.
    pub high: u64,
    /// Access rights: executable only if the program asks for that.
    pub perms: Perms,
    /// Value of `rsp`, where `contents` begins.
    pub rsp: u64,
    /// The bytes from `rsp` up to `high`; everything below is zero.
    pub contents: Vec<u8>,
    /// The auxiliary vector with its final null entry, as it stands in `contents`.
    pub auxv: Vec<(u64, u64)>,
}

/// Builds the stack. `entries` gives the auxiliary vector once the strings have their addresses.
pub(super) fn build_stack(
    file: &str,
    args: &[Vec<u8>],
    env: &[Vec<u8>],
    options: &PlanOptions,
    perms: Perms,
    entries: impl Fn(Pointers) -> Vec<(AuxKey, u64)>,
) -> Result<InitialStack, LoadError> {
    check_strings(file, args, env, options)?;
    let high = options.layout.stack_top;
    // Linux gives a program started without arguments one empty argument.
    let empty = [Vec::new()];
    let args = if args.is_empty() { &empty } else { args };

    let mut down = Descending { high, bytes_reversed: Vec::new() };
    down.push(&[0; 8]);
    let path = down.push_string(&options.exec_path);
    let env: Vec<u64> = down.push_strings(env);
    let args: Vec<u64> = down.push_strings(args);
    down.align();
    let platform = down.push_string(options.platform.as_bytes());
    let random = down.push(&options.random);

    let auxv = entries(Pointers { path, platform, random });
    let auxv: Vec<(u64, u64)> =
        auxv.into_iter().map(|(key, value)| (key as u64, value)).chain([(0, 0)]).collect();
    let mut words = vec![args.len() as u64];
    words.extend(args.iter().chain(&[0]).chain(&env).chain(&[0]));
    words.extend(auxv.iter().flat_map(|&(key, value)| [key, value]));
    down.align_for(words.len() as u64 * 8);
    let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let rsp = down.push(&words);
    debug_assert_eq!(rsp % 16, 0);

    let contents = down.bytes_reversed.into_iter().rev().collect();
    let low = high.saturating_sub(options.layout.stack_size);
    Ok(InitialStack { low, high, perms, rsp, contents, auxv })
}

/// Addresses of what the auxiliary vector points at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pointers {
    pub path: u64,
    pub platform: u64,
    pub random: u64,
}

/// Bytes written from high addresses to low ones.
struct Descending {
    high: u64,
    bytes_reversed: Vec<u8>,
}

impl Descending {
    fn address(&self) -> u64 {
        self.high - self.bytes_reversed.len() as u64
    }

    fn push(&mut self, bytes: &[u8]) -> u64 {
        self.bytes_reversed.extend(bytes.iter().rev());
        self.address()
    }

    fn push_string(&mut self, string: &[u8]) -> u64 {
        self.bytes_reversed.push(0);
        self.push(string)
    }

    /// Pushes so that the first string is lowest; gives the addresses in the strings' order.
    fn push_strings(&mut self, strings: &[Vec<u8>]) -> Vec<u64> {
        let mut at: Vec<u64> = strings.iter().rev().map(|s| self.push_string(s)).collect();
        at.reverse();
        at
    }

    /// Aligns to 16 bytes.
    fn align(&mut self) {
        self.align_for(0);
    }

    /// Aligns such that after `size` more bytes the address is a multiple of 16.
    fn align_for(&mut self, size: u64) {
        let padding = (self.address() - size) % 16;
        self.bytes_reversed.extend((0..padding).map(|_| 0));
    }
}

/// Refuses strings that hold zero bytes or are too long, by the kernel's own limits.
fn check_strings(
    file: &str,
    args: &[Vec<u8>],
    env: &[Vec<u8>],
    options: &PlanOptions,
) -> Result<(), LoadError> {
    let zero = |what: String| Err(LoadError::ZeroByte { file: file.to_string(), what });
    if options.exec_path.contains(&0) || options.platform.contains('\0') {
        return zero("the program's path".to_string());
    }
    let named = args.iter().enumerate().map(|(i, s)| ("argument", i, s));
    let named = named.chain(env.iter().enumerate().map(|(i, s)| ("environment string", i, s)));
    let limit = (options.layout.stack_size / 4).clamp(128 << 10, 6 << 20);
    let too_long =
        |size, limit| Err(LoadError::ArgumentsTooLong { file: file.to_string(), size, limit });
    // Each string costs its bytes, a final zero and a pointer.
    let mut total = options.exec_path.len() as u64 + 1;
    for (what, index, string) in named {
        if string.contains(&0) {
            return zero(format!("{what} {index}"));
        }
        let size = string.len() as u64 + 1;
        if size > STRING_SIZE_MAX {
            return too_long(size, STRING_SIZE_MAX);
        }
        total += size + 8;
    }
    if total > limit { too_long(total, limit) } else { Ok(()) }
}
