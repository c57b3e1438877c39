//! Interning the operating system's state and maps of regions: compared by meaning, shared by
//! reference count.

use ahash::{AHashMap, RandomState};
use samovar_runtime::Os;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::region::RegionMap;
use std::sync::Arc;

/// Operating-system states by number.
#[derive(Debug)]
pub struct Worlds {
    by_digest: AHashMap<u64, Vec<u32>>,
    all: Vec<Arc<Os>>,
    last: u32,
    /// Whether states that differ in what was written count as different.
    tells_output: bool,
    /// By world, then by thread and kind: numbers of views plus one; zero if not known yet.
    views: Vec<Vec<u32>>,
    views_by_digest: AHashMap<u64, Vec<u32>>,
    /// A world and a thread for each view.
    views_all: Vec<(u32, ThreadId, View)>,
    /// What became of a world by a change, by the world that shows the change.
    changed: AHashMap<(u32, u32, ThreadId), u32>,
}

/// How much of the operating system decides about a move of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The thread's own record, and what belongs to no thread.
    Own,
    /// Also what other threads wait for.
    Waits,
}

impl Default for Worlds {
    fn default() -> Worlds {
        let hasher = RandomState::with_seeds(31, 32, 33, 34);
        Worlds {
            by_digest: AHashMap::with_hasher(hasher.clone()),
            all: Vec::new(),
            last: 0,
            tells_output: false,
            views: Vec::new(),
            views_by_digest: AHashMap::with_hasher(hasher.clone()),
            views_all: Vec::new(),
            changed: AHashMap::with_hasher(hasher),
        }
    }
}

impl Worlds {
    /// From now on, states that differ in what was written count as different.
    pub fn tell_output(&mut self) {
        self.tells_output = true;
    }

    /// The number of this state; equal states have equal numbers.
    pub fn number(&mut self, os: &Arc<Os>) -> u32 {
        if self.all.get(self.last as usize).is_some_and(|last| Arc::ptr_eq(last, os)) {
            return self.last;
        }
        let bucket = self.by_digest.entry(os.digest()).or_default();
        let known = bucket.iter().copied().find(|&number| {
            let known = &self.all[number as usize];
            Arc::ptr_eq(known, os)
                || (known.is_same(os) && (!self.tells_output || known.has_written_the_same(os)))
        });
        self.last = known.unwrap_or_else(|| {
            let number = self.all.len() as u32;
            bucket.push(number);
            self.all.push(Arc::clone(os));
            number
        });
        self.last
    }

    /// The number of what a thread sees of a state: equal views have equal numbers.
    #[inline]
    pub fn view(&mut self, world: u32, thread: ThreadId, view: View) -> u32 {
        let index = thread.0 as usize * 2 + usize::from(view == View::Waits);
        match self.views.get(world as usize).and_then(|views| views.get(index)) {
            Some(&known) if known != 0 => known - 1,
            _ => self.new_view(world, thread, view, index),
        }
    }

    #[cold]
    fn new_view(&mut self, world: u32, thread: ThreadId, view: View, index: usize) -> u32 {
        let os = &self.all[world as usize];
        let bucket = self.views_by_digest.entry(os.digest_for(thread)).or_default();
        let same = |&&(known, of, kind): &&(u32, ThreadId, View)| {
            let known = &self.all[known as usize];
            (of, kind) == (thread, view)
                && os.is_same_for(thread, known)
                && (!self.tells_output || os.has_written_the_same(known))
                && (view == View::Own || os.same_waits(known))
        };
        let known = bucket.iter().copied();
        let known = known.into_iter().find(|&it| same(&&self.views_all[it as usize]));
        let number = known.unwrap_or_else(|| {
            let number = self.views_all.len() as u32;
            bucket.push(number);
            self.views_all.push((world, thread, view));
            number
        });
        if self.views.len() <= world as usize {
            self.views.resize(self.all.len(), Vec::new());
        }
        let views = &mut self.views[world as usize];
        if views.len() <= index {
            views.resize(index + 2, 0);
        }
        views[index] = number + 1;
        number
    }

    /// Whether a move of a thread changed nothing in the records of others.
    pub fn is_own_change(&self, before: u32, after: u32, thread: ThreadId) -> bool {
        self.get(before).same_others(thread, self.get(after))
    }

    /// What becomes of a state by a move of a thread that changes its own record and what belongs
    /// to no thread; `shown` is what became of another state by it.
    #[inline]
    pub fn change(&mut self, world: u32, shown: u32, thread: ThreadId) -> u32 {
        match self.changed.get(&(world, shown, thread)) {
            Some(&known) => known,
            None => self.new_change(world, shown, thread),
        }
    }

    #[cold]
    fn new_change(&mut self, world: u32, shown: u32, thread: ThreadId) -> u32 {
        let os = self.get(shown).with_others(thread, self.get(world));
        let number = self.number(&Arc::new(os));
        self.changed.insert((world, shown, thread), number);
        number
    }

    /// A state by number.
    pub fn get(&self, number: u32) -> &Arc<Os> {
        &self.all[number as usize]
    }

    /// Approximate memory taken.
    pub fn bytes(&self) -> usize {
        self.all.len() * (size_of::<Os>() + size_of::<Arc<Os>>() + size_of::<u32>())
    }
}

/// Maps of regions by number; there are few.
#[derive(Debug, Default)]
pub struct Regions {
    all: Vec<Arc<RegionMap>>,
}

impl Regions {
    /// The number of this map; equal maps have equal numbers.
    pub fn number(&mut self, map: &Arc<RegionMap>) -> u32 {
        let known = self.all.iter().rposition(|known| Arc::ptr_eq(known, map) || **known == **map);
        let number = known.unwrap_or_else(|| {
            self.all.push(Arc::clone(map));
            self.all.len() - 1
        });
        number as u32
    }

    /// A map by number.
    pub fn get(&self, number: u32) -> &Arc<RegionMap> {
        &self.all[number as usize]
    }
}
