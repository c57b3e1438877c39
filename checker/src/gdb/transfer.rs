//! Larger things that gdb reads piece by piece: descriptions, the auxiliary vector, the program's
//! file name.

use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;

/// Words on the first stack that are looked at before giving up.
const WORDS_MAX: u64 = 1 << 20;

/// The piece that `OFFSET,LENGTH` asks for, with `m` if more follows and `l` if it is the last.
pub fn piece(whole: &[u8], wanted: &str) -> Option<Vec<u8>> {
    let (offset, len) = wanted.split_once(',')?;
    let offset = usize::from_str_radix(offset, 16).ok()?;
    let len = usize::from_str_radix(len, 16).ok()?;
    let rest = whole.get(offset..).unwrap_or_default();
    let mut answer = vec![if len < rest.len() { b'm' } else { b'l' }];
    answer.extend(&rest[..len.min(rest.len())]);
    Some(answer)
}

/// The auxiliary vector of a process before its first instruction: it lies on the stack behind the
/// arguments and the environment.
pub fn auxiliary_vector(process: &Process) -> Vec<u8> {
    let memory = &process.machine.memory;
    let mut at = process.machine.core(ThreadId(0))[Reg::Rsp];
    let argc = memory.read_u64(at).unwrap_or(0);
    at += 8 * (argc.min(WORDS_MAX) + 2);
    for _ in 0..WORDS_MAX {
        match memory.read_u64(at) {
            Ok(0) => break,
            Ok(_) => at += 8,
            Err(_) => return Vec::new(),
        }
    }
    let mut bytes = Vec::new();
    for _ in 0..64 {
        at += if bytes.is_empty() { 8 } else { 16 };
        let (Ok(key), Ok(value)) = (memory.read_u64(at), memory.read_u64(at + 8)) else { break };
        bytes.extend(key.to_le_bytes());
        bytes.extend(value.to_le_bytes());
        if key == 0 {
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_say_whether_more_follows() {
        assert_eq!(piece(b"abcdef", "0,4").unwrap(), b"mabcd");
        assert_eq!(piece(b"abcdef", "4,4").unwrap(), b"lef");
        assert_eq!(piece(b"abcdef", "6,4").unwrap(), b"l");
        assert_eq!(piece(b"abcdef", "zz"), None);
    }
}
