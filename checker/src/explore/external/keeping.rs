//! Files of a search on a disk: their names, when they count, when they go, and the way back to the
//! start that is in one of them.
//!
//! A file is removed when neither the search needs it nor the place that was committed last.

use super::External;
use super::records::Origin;
use crate::explore::choice::Choice;
use crate::explore::roaming::Roaming;
use crate::spill::Trouble;
use crate::spill::place::{EDGES, LOG, ORIGINS};

impl External<'_> {
    /// The choices that lead to a state.
    pub(super) fn way(&mut self, state: u64) -> Result<Vec<Choice>, Trouble> {
        let mut reader = self.origins.reader(self.disk)?;
        let (mut way, mut at) = (Vec::new(), state);
        while at != 0 {
            let mut bytes = [0; Origin::BYTES];
            reader.read(Origin::offset(at), &mut bytes)?;
            let Origin { parent, choice } = Origin::read(&bytes);
            if at <= parent {
                return Err(Trouble::damaged(ORIGINS));
            }
            way.push(choice);
            at = parent;
        }
        way.reverse();
        Ok(way)
    }

    pub(super) fn new_name(&mut self, kind: &str) -> String {
        self.place.names += 1;
        let name = format!("{kind}-{}", self.place.names);
        self.created.insert(name.clone());
        name
    }

    /// Empties the buffer, and makes this the place to go on from after an interruption.
    pub(super) fn commit<E: Roaming>(&mut self, engine: &mut E) -> Result<(), Trouble> {
        self.write_run()?;
        self.place.log = self.log.mark();
        self.place.edges = self.edges.mark();
        self.place.origins = self.origins.mark();
        self.commit_place(engine)
    }

    pub(super) fn commit_place<E: Roaming>(&mut self, engine: &mut E) -> Result<(), Trouble> {
        let counted = engine.tally();
        let counts = &mut self.place.counts;
        counts.terminal = counted.terminal;
        counts.reduced = counted.reduced;
        counts.executed = counted.executed;
        self.log.flush()?;
        self.edges.flush()?;
        self.origins.flush()?;
        for name in self.place.names() {
            if [LOG, EDGES, ORIGINS].contains(&&*name) || self.synced.insert(name.clone()) {
                self.disk.sync(&name)?;
            }
        }
        self.disk.commit(&self.place)?;
        self.committed = self.place.names();
        self.work = 0;
        self.sweep();
        Ok(())
    }

    /// Removes files that nobody needs any more.
    pub(super) fn sweep(&mut self) {
        let needed = self.place.names();
        let growing = [LOG, EDGES, ORIGINS];
        let (disk, committed) = (&mut self.disk, &self.committed);
        self.created.retain(|name| {
            let is_needed = needed.contains(name) || committed.contains(name);
            if !is_needed && !growing.contains(&&**name) {
                disk.remove(name);
            }
            is_needed
        });
    }
}
