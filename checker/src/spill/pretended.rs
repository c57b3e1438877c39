//! For tests: a disk in memory that fails when it is told to, and forgets what was not synced.

use super::disk::{Disk, Sink, Source, Trouble};
use super::place::Place;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;

/// A file: its contents, and how much of it has reached the disk.
#[derive(Clone, Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    safe: usize,
}

#[derive(Debug, Default)]
struct State {
    files: BTreeMap<String, Contents>,
    committed: Option<Place>,
    /// Operations until everything fails.
    left: Option<u64>,
    operations: u64,
}

impl State {
    fn operate(&mut self, name: &str) -> Result<(), Trouble> {
        self.operations += 1;
        match &mut self.left {
            Some(0) => {
                let error = io::ErrorKind::StorageFull.into();
                Err(Trouble { name: name.to_string(), error })
            }
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

/// See the module head.
#[derive(Clone, Debug, Default)]
pub struct Pretended(Rc<RefCell<State>>);

impl Pretended {
    /// Everything fails after so many operations.
    pub fn fail_after(&self, operations: u64) {
        self.0.borrow_mut().left = Some(operations);
    }

    /// Operations so far.
    pub fn operations(&self) -> u64 {
        self.0.borrow().operations
    }

    /// The machine went down and is up again: what was not synced is gone. Where the search was.
    pub fn restart(&self) -> Option<Place> {
        let mut state = self.0.borrow_mut();
        state.left = None;
        for file in state.files.values_mut() {
            file.bytes.truncate(file.safe);
        }
        state.committed.clone()
    }

    /// Changes a file behind everybody's back.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(&mut self.0.borrow_mut().files.get_mut(name).expect("a file").bytes);
    }

    /// Names of all files.
    pub fn names(&self) -> Vec<String> {
        self.0.borrow().files.keys().cloned().collect()
    }
}

struct Open {
    disk: Pretended,
    name: String,
    offset: usize,
}

impl Sink for Open {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        let mut state = self.disk.0.borrow_mut();
        state.operate(&self.name)?;
        state.files.entry(self.name.clone()).or_default().bytes.extend_from_slice(bytes);
        Ok(())
    }
}

impl Source for Open {
    fn read(&mut self, into: &mut [u8]) -> Result<(), Trouble> {
        let state = self.disk.0.borrow();
        let bytes = state.files.get(&self.name).map_or(&[][..], |file| &file.bytes);
        let end = self.offset + into.len();
        let Some(part) = bytes.get(self.offset..end) else {
            let error = io::ErrorKind::UnexpectedEof.into();
            return Err(Trouble { name: self.name.clone(), error });
        };
        into.copy_from_slice(part);
        self.offset = end;
        Ok(())
    }

    fn go(&mut self, offset: u64) -> Result<(), Trouble> {
        self.offset = offset as usize;
        Ok(())
    }
}

impl Pretended {
    fn opened(&self, name: &str) -> Open {
        Open { disk: self.clone(), name: name.to_string(), offset: 0 }
    }
}

impl Disk for Pretended {
    fn create(&mut self, name: &str) -> Result<Box<dyn Sink>, Trouble> {
        let mut state = self.0.borrow_mut();
        state.operate(name)?;
        state.files.insert(name.to_string(), Contents::default());
        Ok(Box::new(self.opened(name)))
    }

    fn append(&mut self, name: &str, length: u64) -> Result<Box<dyn Sink>, Trouble> {
        let mut state = self.0.borrow_mut();
        state.operate(name)?;
        let file = state.files.entry(name.to_string()).or_default();
        if (file.bytes.len() as u64) < length {
            return Err(Trouble::damaged(name));
        }
        file.bytes.truncate(length as usize);
        file.safe = file.safe.min(length as usize);
        Ok(Box::new(self.opened(name)))
    }

    fn open(&self, name: &str) -> Result<Box<dyn Source>, Trouble> {
        if !self.0.borrow().files.contains_key(name) {
            let error = io::ErrorKind::NotFound.into();
            return Err(Trouble { name: name.to_string(), error });
        }
        Ok(Box::new(self.opened(name)))
    }

    fn sync(&mut self, name: &str) -> Result<(), Trouble> {
        let mut state = self.0.borrow_mut();
        state.operate(name)?;
        if let Some(file) = state.files.get_mut(name) {
            file.safe = file.bytes.len();
        }
        Ok(())
    }

    fn remove(&mut self, name: &str) {
        let mut state = self.0.borrow_mut();
        if state.operate(name).is_ok() {
            state.files.remove(name);
        }
    }

    fn commit(&mut self, place: &Place) -> Result<(), Trouble> {
        let mut state = self.0.borrow_mut();
        state.operate("manifest")?;
        state.committed = Some(place.clone());
        Ok(())
    }

    fn is_due(&self) -> bool {
        false
    }
}
