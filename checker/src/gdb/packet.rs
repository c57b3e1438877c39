//! The form of packets: `$data#checksum`, acknowledged by `+` unless both sides agree otherwise.

/// What has come in.
#[derive(Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A packet that is whole.
    Packet(Vec<u8>),
    /// A packet whose checksum is wrong.
    Damaged,
    /// The user wants the program to stop.
    Interrupt,
    /// Not enough yet.
    Nothing,
}

/// Takes the next thing out of the bytes that have come in.
pub fn take(bytes: &mut Vec<u8>) -> Incoming {
    const INTERRUPT: u8 = 3;
    let Some(start) = bytes.iter().position(|&byte| byte == b'$' || byte == INTERRUPT) else {
        // Acknowledgements need no answer.
        bytes.clear();
        return Incoming::Nothing;
    };
    if bytes[start] == INTERRUPT {
        bytes.drain(..=start);
        return Incoming::Interrupt;
    }
    let Some(length) = bytes[start..].iter().position(|&byte| byte == b'#') else {
        return Incoming::Nothing;
    };
    let end = start + length;
    let Some(digits) = bytes.get(end + 1..end + 3) else { return Incoming::Nothing };
    let wanted = std::str::from_utf8(digits).ok().and_then(|it| u8::from_str_radix(it, 16).ok());
    let data = bytes[start + 1..end].to_vec();
    bytes.drain(..end + 3);
    if wanted == Some(checksum(&data)) {
        Incoming::Packet(unescape(&data))
    } else {
        Incoming::Damaged
    }
}

/// A packet around data.
pub fn wrap(data: &[u8]) -> Vec<u8> {
    let mut packet = vec![b'$'];
    for &byte in data {
        if matches!(byte, b'$' | b'#' | b'}' | b'*') {
            packet.extend([b'}', byte ^ 0x20]);
        } else {
            packet.push(byte);
        }
    }
    let sum = checksum(&packet[1..]);
    packet.extend(format!("#{sum:02x}").bytes());
    packet
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hexadecimal digits as bytes; nothing if they are none.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// A number in hexadecimal digits.
pub fn number(digits: &str) -> Option<u64> {
    u64::from_str_radix(digits, 16).ok()
}

fn checksum(data: &[u8]) -> u8 {
    data.iter().fold(0, |sum, &byte| sum.wrapping_add(byte))
}

fn unescape(data: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(data.len());
    let mut bytes = data.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'}' => plain.extend(bytes.next().map(|byte| byte ^ 0x20)),
            byte => plain.push(byte),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_come_out_as_they_went_in() {
        let data = b"a$b#c}d*e\x03f";
        let mut bytes = wrap(data);
        bytes.splice(0..0, *b"+");
        assert_eq!(take(&mut bytes), Incoming::Packet(data.to_vec()));
        assert!(bytes.is_empty());
        assert_eq!(wrap(b"OK"), b"$OK#9a");
    }

    #[test]
    fn packets_come_in_pieces_and_damaged() {
        let mut bytes = b"+$OK#".to_vec();
        assert_eq!(take(&mut bytes), Incoming::Nothing);
        bytes.extend(b"9a\x03$OK#00");
        assert_eq!(take(&mut bytes), Incoming::Packet(b"OK".to_vec()));
        assert_eq!(take(&mut bytes), Incoming::Interrupt);
        assert_eq!(take(&mut bytes), Incoming::Damaged);
        assert_eq!(take(&mut bytes), Incoming::Nothing);
    }

    #[test]
    fn digits_are_bytes() {
        assert_eq!(hex(&[0, 0xab]), "00ab");
        assert_eq!(unhex("00ab"), Some(vec![0, 0xab]));
        assert_eq!(unhex("0x"), None);
        assert_eq!(number("7f"), Some(127));
    }
}
