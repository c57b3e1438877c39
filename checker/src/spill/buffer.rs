//! Moves that wait to be written, in the order of where they lead.

use super::disk::{Disk, Trouble};
use super::place::SortedFile;
use super::sorted::SortedWriter;
use crate::explore::choice::Choice;
use crate::explore::engine::Effect;
use crate::state::key::{read_number, write_number};
use samovar_vm::machine::ThreadId;

/// A move that leads to a state, as a run has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The number of the state that it leads from.
    pub parent: u64,
    /// The move.
    pub choice: Choice,
    /// What it did.
    pub effect: Effect,
    /// Other moves of that state were left out.
    pub is_partial: bool,
}

impl Arrival {
    fn write(&self, into: &mut Vec<u8>) {
        write_number(into, self.parent);
        write_number(into, self.choice.thread.0.into());
        write_number(into, self.choice.alternative.into());
        into.push(self.effect.flags() | u8::from(self.is_partial) << 4);
    }

    /// Reads what was written; `None` if it was something else.
    pub fn read(mut from: &[u8]) -> Option<Arrival> {
        let parent = read_number(&mut from)?;
        let thread = ThreadId(u32::try_from(read_number(&mut from)?).ok()?);
        let alternative = u32::try_from(read_number(&mut from)?).ok()?;
        let &[flags] = from else { return None };
        let effect = Effect::of_flags(flags);
        let choice = Choice { thread, alternative };
        Some(Arrival { parent, choice, effect, is_partial: flags & 16 != 0 })
    }
}

/// A record in the buffer.
#[derive(Clone, Copy, Debug)]
struct Entry {
    begin: u32,
    middle: u32,
    end: u32,
}

/// See the module head.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    limit: usize,
}

/// No buffer is larger: places in it are numbers of 32 bits.
const BYTES_MAX: usize = 1 << 31;

impl Buffer {
    /// A buffer that is full when it takes this many bytes.
    pub fn new(limit: usize) -> Buffer {
        Buffer { bytes: Vec::new(), entries: Vec::new(), limit: limit.min(BYTES_MAX) }
    }

    /// Adds a move that leads to the state with a key.
    pub fn add(&mut self, key: &[u8], arrival: &Arrival) {
        let begin = self.bytes.len() as u32;
        self.bytes.extend_from_slice(key);
        let middle = self.bytes.len() as u32;
        arrival.write(&mut self.bytes);
        self.entries.push(Entry { begin, middle, end: self.bytes.len() as u32 });
    }

    /// Whether it is time to write.
    pub fn is_full(&self) -> bool {
        self.limit <= self.bytes()
    }

    /// Memory taken by what is in it.
    pub fn bytes(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }

    /// Writes everything to a new file, and is empty then.
    pub fn write(&mut self, disk: &mut dyn Disk, name: String) -> Result<SortedFile, Trouble> {
        let bytes = &self.bytes;
        let key = |entry: &Entry| &bytes[entry.begin as usize..entry.middle as usize];
        self.entries.sort_unstable_by(|one, other| {
            key(one).cmp(key(other)).then(one.begin.cmp(&other.begin))
        });
        let mut writer = SortedWriter::create(disk, name)?;
        for entry in &self.entries {
            writer.push(key(entry), &bytes[entry.middle as usize..entry.end as usize])?;
        }
        self.clear();
        writer.finish()
    }
}
