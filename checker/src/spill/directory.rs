//! A real directory for the files of a search, and what it says about itself.
//!
//! `manifest.json` tells what the search is about and how far it is; a lock on `lock` keeps a
//! second search away. Files that the manifest does not name are left over from an interruption,
//! and removed. Files with names that no search gives are never touched.

use super::disk::{Disk, Sink, Source, Trouble};
use super::place::{EDGES, LOG, ORIGINS, Place};
use crate::check::setting::Setting;
use crate::error::reason;
use crate::state::lesson::Digest;
use crate::trail::file::Fingerprint;
use crate::whole;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use thiserror::Error;

/// The form of the files; raised when older readers would misunderstand them.
const FORM: u32 = 2;
const MANIFEST: &str = "manifest.json";
const LOCK: &str = "lock";
/// Time after which a search says where it is.
const EVERY: Duration = Duration::from_secs(10);

/// Everything that decides which states there are and which numbers they get.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The version of samovar.
    pub version: String,
    /// What is executed.
    pub setting: Setting,
    /// Kinds of errors that count.
    pub checked: Vec<String>,
    /// `--depth`.
    pub depth: Option<u64>,
    /// `--memo`.
    pub remembers: bool,
    /// `--outcomes`.
    pub outcomes: bool,
    /// The files whose code is executed.
    pub modules: Vec<Fingerprint>,
    /// Digest of memory where the search begins.
    pub start: String,
}

impl Identity {
    /// What is different in another one, if something is.
    fn difference(&self, other: &Identity) -> Option<&'static str> {
        let (one, two) = (&self.setting, &other.setting);
        let differences = [
            (self.version != other.version, "the version of samovar"),
            (one.program != two.program, "the program"),
            (one.args != two.args, "its arguments"),
            (one.env != two.env, "its environment (also LD_LIBRARY_PATH)"),
            (one.directory != two.directory, "the working directory"),
            (one != two || self.checked != other.checked, "an option"),
            (self.depth != other.depth, "--depth"),
            (self.remembers != other.remembers, "--memo"),
            (self.outcomes != other.outcomes, "--outcomes"),
            (self.modules != other.modules, "the code of the program or of a library"),
            (self.start != other.start, "what the program has read"),
        ];
        differences.into_iter().find(|(is_different, _)| *is_different).map(|(_, what)| what)
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    samovar_spill: u32,
    identity: Identity,
    place: Option<Place>,
    /// Of the place.
    digest: u64,
}

/// The part of a manifest that is the same in all forms.
#[derive(Deserialize)]
struct Head {
    samovar_spill: u32,
}

/// Why a directory cannot be used for a search.
#[derive(Debug, Error)]
pub enum DirectoryError {
    /// It cannot be written or read.
    #[error(
        "{}: the search cannot be kept there: {}; name another directory",
        directory.display(),
        reason(error)
    )]
    Unusable {
        /// As given by the user.
        directory: PathBuf,
        /// What the host said.
        error: io::Error,
    },
    /// There is something else of that name.
    #[error("{}: a file, not a directory; name an empty or a new directory", directory.display())]
    NoDirectory {
        /// As given by the user.
        directory: PathBuf,
    },
    /// Another process searches there.
    #[error("{}: another search is going on there", directory.display())]
    Busy {
        /// As given by the user.
        directory: PathBuf,
    },
    /// There is a search already.
    #[error(
        "{}: holds a search already; add --resume to go on with it, or name another directory",
        directory.display()
    )]
    Taken {
        /// As given by the user.
        directory: PathBuf,
    },
    /// There are files of somebody else.
    #[error(
        "{}: holds files that are not of a search; name an empty or a new directory",
        directory.display()
    )]
    Foreign {
        /// As given by the user.
        directory: PathBuf,
    },
    /// There is no search.
    #[error("{}: there is no search to go on with", directory.display())]
    Nothing {
        /// As given by the user.
        directory: PathBuf,
    },
    /// The search is about something else.
    #[error(
        "{}: the search there differs from this one in {what}; name another directory",
        directory.display()
    )]
    Different {
        /// As given by the user.
        directory: PathBuf,
        /// In what.
        what: &'static str,
    },
    /// Files are not what they were.
    #[error(
        "{}: the search there cannot be gone on with: {problem}; begin one in another directory",
        directory.display()
    )]
    Damaged {
        /// As given by the user.
        directory: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl DirectoryError {
    /// Whether there is nothing wrong with the directory but that there is no room for more.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let full = [StorageFull, QuotaExceeded, FileTooLarge];
        matches!(self, DirectoryError::Unusable { error, .. } if full.contains(&error.kind()))
    }

    /// What to say of trouble that is damage.
    pub fn of_damage(directory: &Path, trouble: &Trouble) -> Option<DirectoryError> {
        (trouble.error.kind() == io::ErrorKind::InvalidData).then(|| {
            let name = Path::new(&trouble.name).file_name().unwrap_or_default().to_string_lossy();
            let problem = format!("{name} {}", reason(&trouble.error));
            DirectoryError::Damaged { directory: directory.to_path_buf(), problem }
        })
    }
}

/// See the module head.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    identity: Identity,
    /// Held as long as the search goes on.
    _lock: File,
    committed: Instant,
}

impl Directory {
    /// Takes a directory for a search, or for going on with the one that is there: then it says how
    /// far that is, or nothing if it had not begun.
    pub fn take(
        path: &Path,
        resume: bool,
        identity: Identity,
    ) -> Result<(Directory, Option<Place>), DirectoryError> {
        let directory = path.to_path_buf();
        let unusable = |error| DirectoryError::Unusable { directory: path.to_path_buf(), error };
        if resume && !path.is_dir() {
            return Err(DirectoryError::Nothing { directory });
        }
        if path.exists() && !path.is_dir() {
            return Err(DirectoryError::NoDirectory { directory });
        }
        fs::create_dir_all(path).map_err(unusable)?;
        let names = names(path).map_err(unusable)?;
        let has_manifest = names.iter().any(|name| name == MANIFEST);
        if !has_manifest && names.iter().any(|name| !is_of_a_search(name)) {
            return Err(DirectoryError::Foreign { directory });
        }
        // Who was interrupted at the very beginning has left nothing but these.
        let is_first = |name: &String| name == LOCK || name.starts_with(MANIFEST);
        if resume && !has_manifest && !names.iter().all(is_first) {
            return Err(DirectoryError::Nothing { directory });
        }
        let lock = File::options().create(true).append(true).open(path.join(LOCK));
        let lock = lock.map_err(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(DirectoryError::Busy { directory }),
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        if has_manifest && !resume {
            return Err(DirectoryError::Taken { directory });
        }
        let place = if has_manifest { known_place(path, &identity)? } else { None };
        let committed = Instant::now();
        let taken = Directory { path: directory, identity, _lock: lock, committed };
        taken.clean(place.as_ref()).map_err(unusable)?;
        taken.write(place.as_ref()).map_err(unusable)?;
        Ok((taken, place))
    }

    /// Where the search is, as given by the user.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what an interruption left behind.
    fn clean(&self, place: Option<&Place>) -> io::Result<()> {
        let named = place.map(Place::names).unwrap_or_default();
        for name in names(&self.path)? {
            let is_own = name == MANIFEST || name == LOCK || named.contains(&name);
            if !is_own && is_of_a_search(&name) {
                fs::remove_file(self.path.join(name))?;
            }
        }
        Ok(())
    }

    fn write(&self, place: Option<&Place>) -> io::Result<()> {
        let identity = self.identity.clone();
        let (place, digest) = (place.cloned(), digest(place));
        let manifest = Manifest { samovar_spill: FORM, identity, place, digest };
        whole::write(&self.path.join(MANIFEST), |out| {
            serde_json::to_writer(&mut *out, &manifest)?;
            out.write_all(b"\n")
        })?;
        // The name has to reach the disk as well.
        File::open(&self.path)?.sync_all()
    }

    fn trouble(&self, name: &str) -> impl Fn(io::Error) -> Trouble {
        let name = self.path.join(name).display().to_string();
        move |error| Trouble { name: name.clone(), error }
    }
}

/// Where the search in a directory is, if it is about the same.
fn known_place(path: &Path, identity: &Identity) -> Result<Option<Place>, DirectoryError> {
    let damaged = |problem: String| DirectoryError::Damaged { directory: path.into(), problem };
    let bytes = fs::read(path.join(MANIFEST))
        .map_err(|error| damaged(format!("{MANIFEST}: {}", reason(&error))))?;
    let malformed = |error: serde_json::Error| damaged(format!("{MANIFEST} is damaged ({error})"));
    let head: Head = serde_json::from_slice(&bytes).map_err(malformed)?;
    if head.samovar_spill != FORM {
        let form = head.samovar_spill;
        return Err(damaged(format!("its form is {form}, this version reads {FORM}")));
    }
    let manifest: Manifest = serde_json::from_slice(&bytes).map_err(malformed)?;
    if let Some(what) = manifest.identity.difference(identity) {
        return Err(DirectoryError::Different { directory: path.into(), what });
    }
    if manifest.digest != digest(manifest.place.as_ref()) {
        return Err(damaged(format!("{MANIFEST} is damaged")));
    }
    for (name, bytes) in manifest.place.iter().flat_map(Place::files) {
        if !is_of_a_search(name) {
            return Err(damaged(format!("{MANIFEST} names {name}")));
        }
        match fs::metadata(path.join(name)) {
            Ok(metadata) if metadata.is_file() && bytes <= metadata.len() => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound && bytes == 0 => {}
            Ok(_) => return Err(damaged(format!("{name} is shorter than it was"))),
            Err(error) => return Err(damaged(format!("{name}: {}", reason(&error)))),
        }
    }
    Ok(manifest.place)
}

fn digest(place: Option<&Place>) -> u64 {
    let mut digest = Digest::default();
    digest.bytes(&serde_json::to_vec(&place).unwrap_or_default());
    digest.0
}

fn names(path: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(path)?;
    entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Whether a search gives files such a name.
fn is_of_a_search(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_numbered = |kind: &str| name.strip_prefix(kind).is_some_and(is_number);
    let part = name.strip_prefix(MANIFEST).and_then(|rest| rest.strip_prefix('.'));
    let part = part.and_then(|rest| rest.strip_suffix(".part"));
    [MANIFEST, LOCK, LOG, EDGES, ORIGINS].contains(&name)
        || ["states-", "run-", "again-"].into_iter().any(is_numbered)
        || part.is_some_and(is_number)
}

/// An open file with its name.
struct Opened {
    file: File,
    name: String,
}

impl Opened {
    fn trouble(&self, error: io::Error) -> Trouble {
        Trouble { name: self.name.clone(), error }
    }
}

impl Sink for Opened {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.file.write_all(bytes).map_err(|error| self.trouble(error))
    }
}

impl Source for Opened {
    fn read(&mut self, into: &mut [u8]) -> Result<(), Trouble> {
        self.file.read_exact(into).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Trouble::damaged(&self.name),
            _ => self.trouble(error),
        })
    }

    fn go(&mut self, offset: u64) -> Result<(), Trouble> {
        let gone = self.file.seek(SeekFrom::Start(offset));
        gone.map(|_| ()).map_err(|error| self.trouble(error))
    }
}

impl Disk for Directory {
    fn create(&mut self, name: &str) -> Result<Box<dyn Sink>, Trouble> {
        let path = self.path.join(name);
        let file = File::create_new(&path).map_err(self.trouble(name))?;
        Ok(Box::new(Opened { file, name: path.display().to_string() }))
    }

    fn append(&mut self, name: &str, length: u64) -> Result<Box<dyn Sink>, Trouble> {
        let path = self.path.join(name);
        let trouble = self.trouble(name);
        let file = File::options().create(true).append(true).open(&path).map_err(&trouble)?;
        if file.metadata().map_err(&trouble)?.len() < length {
            return Err(Trouble::damaged(&path.display().to_string()));
        }
        file.set_len(length).map_err(&trouble)?;
        Ok(Box::new(Opened { file, name: path.display().to_string() }))
    }

    fn open(&self, name: &str) -> Result<Box<dyn Source>, Trouble> {
        let path = self.path.join(name);
        let file = File::open(&path).map_err(self.trouble(name))?;
        Ok(Box::new(Opened { file, name: path.display().to_string() }))
    }

    fn sync(&mut self, name: &str) -> Result<(), Trouble> {
        let file = File::open(self.path.join(name)).map_err(self.trouble(name))?;
        file.sync_data().map_err(self.trouble(name))
    }

    fn remove(&mut self, name: &str) {
        // A file that stays costs room, and is removed when the search is resumed.
        let _ = fs::remove_file(self.path.join(name));
    }

    fn commit(&mut self, place: &Place) -> Result<(), Trouble> {
        self.write(Some(place)).map_err(self.trouble(MANIFEST))?;
        self.committed = Instant::now();
        Ok(())
    }

    fn is_due(&self) -> bool {
        EVERY <= self.committed.elapsed()
    }
}
