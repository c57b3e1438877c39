//! A search whose states are in a directory: taking it, going on with one, and its rounds.

use super::limits::Limits;
use super::lossy::Room;
use super::setting::Setting;
use crate::cli::{CheckOptions, SwitchChoice};
use crate::error::reason;
use crate::explore::choice::{Found, Stats, Wrong};
use crate::explore::dfs::{Round, Watchdog};
use crate::explore::external::{External, Resumed};
use crate::explore::moves::Ending;
use crate::explore::space::Space;
use crate::spill::directory::{Directory, DirectoryError, Identity};
use crate::spill::{Place, Trouble};
use crate::state::lesson::Digest;
use crate::trail::file::fingerprints;
use samovar_runtime::Process;
use samovar_vm::memory::PAGE_SIZE;
use std::path::{Path, PathBuf};

/// Moves are collected in at most this much memory if nobody says how much.
const BUFFER_MAX: u64 = 256 << 20;
/// Less than this is not worth beginning.
const BUFFER_MIN: u64 = 1 << 20;
/// Of the memory that is free, this part is for moves that are collected.
const BUFFER_SHARE: u64 = 8;
/// Of the memory that is free, this part is for moves that are remembered.
const MEMO_SHARE: u64 = 4;
/// Remembered moves take at most this much.
const MEMO_MAX: u64 = 1 << 30;

/// A directory that was taken for a search, and how far the one there is.
#[derive(Debug)]
pub struct Spill {
    directory: Directory,
    place: Option<Place>,
}

/// Takes the directory that the options ask for, if they do. The process stands where the search
/// begins.
pub fn take(
    process: &Process,
    options: &CheckOptions,
    setting: &Setting,
) -> Result<Option<Spill>, DirectoryError> {
    let Some(path) = &options.spill else { return Ok(None) };
    let identity = Identity {
        version: env!("CARGO_PKG_VERSION").to_string(),
        setting: setting.clone(),
        checked: options.check.iter().map(|kind| kind.name().to_string()).collect(),
        depth: options.depth,
        remembers: options.memo == SwitchChoice::On,
        outcomes: options.outcomes,
        modules: fingerprints(process),
        start: format!("{:016x}", start(process)),
    };
    let (directory, place) = Directory::take(path, options.resume, identity)?;
    Ok(Some(Spill { directory, place }))
}

/// A digest of what the process has written so far.
fn start(process: &Process) -> u64 {
    let memory = &process.machine.memory;
    let mut digest = Digest::default();
    for (start, region) in memory.regions().iter().filter(|(_, region)| region.perms.write) {
        for page in (start..region.end).step_by(PAGE_SIZE as usize) {
            let bytes = memory.raw(page, PAGE_SIZE);
            if bytes.iter().any(|&byte| byte != 0) {
                digest.number(page);
                digest.bytes(bytes);
            }
        }
    }
    digest.0
}

impl Spill {
    /// Bytes that remembered moves may take: what that was decides what is executed again, so a
    /// search keeps to it.
    pub fn memo_bytes(&self, room: &Room) -> u64 {
        let free = room.free();
        let fresh = (free / MEMO_SHARE).min(MEMO_MAX);
        self.place.as_ref().map_or(fresh, |place| place.memo_bytes)
    }

    /// Leaves the search as it is, for this reason.
    fn put_off(&mut self, reason: String) -> Spilled<'_> {
        let directory = self.directory.path().to_path_buf();
        Spilled { search: Err(reason), has_begun: true, directory }
    }

    /// Begins the search, or goes on with it: then the space, which has done what it does before
    /// a search, comes to know what it knew. Neither if what comes before was cut off.
    pub fn begin<'d>(
        &'d mut self,
        space: &mut Space<'_>,
        options: &CheckOptions,
        room: &Room,
        (limits, cut): (&mut Limits, Option<String>),
    ) -> Result<Spilled<'d>, DirectoryError> {
        let directory = self.directory.path().to_path_buf();
        let Some(buffer) = buffer(options, room) else {
            let reason = format!(
                "the memory limit of {} MiB leaves no room to sort states: {} MiB are taken before \
                 the search",
                room.limit >> 20,
                room.taken.div_ceil(1 << 20)
            );
            return Ok(self.put_off(reason));
        };
        if let Some(reason) = cut {
            return Ok(self.put_off(reason));
        }
        let depth = options.depth.unwrap_or(u64::MAX);
        let memo_bytes = self.memo_bytes(room);
        let has_begun = self.place.is_some();
        let search = match self.place.take() {
            None => External::new(&mut self.directory, depth, buffer, memo_bytes).map(Box::new),
            Some(place) => {
                let disk = &mut self.directory;
                let mut stops = || limits.reached();
                match External::resume(space, disk, depth, buffer, place, &mut stops) {
                    Ok(Resumed::There(search)) => Ok(search),
                    Ok(Resumed::Stopped(reason)) => {
                        return Ok(Spilled { search: Err(reason), has_begun, directory });
                    }
                    Ok(Resumed::Different) => {
                        if let Some(reason) = limits.reached_now() {
                            // A move was given up, and that is what is different.
                            return Ok(Spilled { search: Err(reason), has_begun, directory });
                        }
                        let problem = "the program does not do again what it did then".to_string();
                        return Err(DirectoryError::Damaged { directory, problem });
                    }
                    Err(trouble) => Err(trouble),
                }
            }
        };
        let search = match search {
            Ok(search) => Ok(search),
            Err(trouble) => Err(unless_damaged(&directory, &trouble)?),
        };
        Ok(Spilled { search, has_begun, directory })
    }
}

/// Bytes in which moves are collected, if there is room for that.
fn buffer(options: &CheckOptions, room: &Room) -> Option<usize> {
    let free = room.free();
    let fitting = (free / BUFFER_SHARE).min(BUFFER_MAX);
    let bytes = options.spill_buffer.unwrap_or(fitting);
    (BUFFER_MIN <= fitting && bytes <= free).then(|| usize::try_from(bytes).unwrap_or(usize::MAX))
}

/// Why the search stops: it can go on later, unless a file is not what it was.
fn unless_damaged(directory: &Path, trouble: &Trouble) -> Result<String, DirectoryError> {
    match DirectoryError::of_damage(directory, trouble) {
        Some(error) => Err(error),
        None => Ok(format!("{}: {}", trouble.name, reason(&trouble.error))),
    }
}

/// A search in a directory.
#[derive(Debug)]
pub struct Spilled<'d> {
    /// Why there is none otherwise.
    search: Result<Box<External<'d>>, String>,
    /// The round has begun before an interruption.
    has_begun: bool,
    directory: PathBuf,
}

impl Spilled<'_> {
    /// One round, or the rest of one.
    pub fn round(
        &mut self,
        space: &mut Space<'_>,
        stats: &mut Stats,
        watchdog: &mut Watchdog<'_>,
    ) -> Result<Round, DirectoryError> {
        let has_begun = std::mem::take(&mut self.has_begun);
        let round = match &mut self.search {
            Err(reason) => return Ok(Round::Over(Found::Stopped { reason: reason.clone() })),
            Ok(search) => {
                let begun = if has_begun { Ok(()) } else { search.begin(space) };
                begun.and_then(|()| search.run(space, stats, watchdog))
            }
        };
        let reason = match round {
            Ok(Round::Over(Found::Stopped { reason })) => reason,
            Ok(Round::Over(Found::Error { error: Wrong::Move(Ending::Cut(reason)), .. })) => reason,
            Ok(round) => return Ok(round),
            Err(trouble) => unless_damaged(&self.directory, &trouble)?,
        };
        let directory = self.directory.display();
        let reason = format!("{reason}; --spill {directory} --resume goes on from there");
        Ok(Round::Over(Found::Stopped { reason }))
    }
}
