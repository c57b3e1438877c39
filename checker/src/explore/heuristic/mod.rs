//! How promising a state is: the number by which directed searches pick the next one, smallest
//! first.
//!
//! # Adding a heuristic
//! 1. Write `heuristic/name.rs` with a type that implements [`Heuristic`]: one function from a
//!    [`View`] to a number. It may remember what it saw (`&mut self`), but must not look at
//!    anything else, so that searches stay the same every time.
//!    ```text
//!    pub struct Alive;
//!    impl Heuristic for Alive {
//!        fn value(&mut self, view: &View<'_>) -> i64 {
//!            -(view.threads.iter().filter(|thread| thread.is_alive()).count() as i64)
//!        }
//!    }
//!    ```
//! 2. Name the module below, and add a line to [`KNOWN`].
//!
//! A heuristic that looks at memory or registers (`view.process()`) says so by `needs_process`;
//! most need only how the threads stand.
//!
//! Numbers may be negative and mean nothing but their order, except with A*, which adds them to
//! the number of moves made: only heuristics that never say more than the moves that are left
//! (`mb`, for deadlocks) make its first error one with the fewest moves.

mod aa;
mod alive;
mod branch;
mod formula;
mod fsm;
mod hamming;
mod int;
mod lnb;
mod mb;
mod novelty;
mod pba;
mod pbb;
mod pl1;
mod pl2;
mod runs;
mod rw;
pub mod target;

use super::view::View;
use crate::formula::Properties;
use std::fmt;
use target::Target;

/// See the module head.
pub trait Heuristic: fmt::Debug {
    /// How promising a state is; less is better.
    fn value(&mut self, view: &View<'_>) -> i64;

    /// Whether it looks at the process itself, which costs taking it to every state.
    fn needs_process(&self) -> bool {
        false
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Quarry<'a> {
    /// Formulas that are to be decided.
    pub properties: &'a Properties,
    /// A known error.
    pub target: &'a Target,
}

/// Makes a heuristic for what is looked for.
type Make = fn(Quarry<'_>) -> Box<dyn Heuristic>;

/// A heuristic as the command line knows it.
struct Entry {
    name: &'static str,
    make: Make,
}

const fn entry(name: &'static str, make: Make) -> Entry {
    Entry { name, make }
}

/// All heuristics.
const KNOWN: &[Entry] = &[
    entry("mb", |_| Box::new(mb::MostBlocked::default())),
    entry("lnb", |_| Box::new(lnb::LockAndBlock)),
    entry("pl1", |_| Box::new(pl1::PairsOfLocks)),
    entry("pl2", |_| Box::new(pl2::PairsOfLocksAndBlocked)),
    entry("pba", |_| Box::new(pba::PairsAlive)),
    entry("pbb", |_| Box::new(pbb::PairsBlocked)),
    entry("int", |_| Box::new(int::Interleaving)),
    entry("rw", |_| Box::new(rw::ReadWrite)),
    entry("aa", |_| Box::new(aa::AlternatingAccess)),
    entry("branch", |_| Box::new(branch::Branch::default())),
    entry("alive", |_| Box::new(alive::Alive)),
    entry("novelty", |_| Box::new(novelty::Novelty::default())),
    entry("formula", |quarry| Box::new(formula::FormulaDistance::new(quarry.properties))),
    entry("hamming", |quarry| Box::new(hamming::Hamming::new(quarry.target))),
    entry("fsm", |quarry| Box::new(fsm::ControlFlow::new(quarry.target))),
];

/// The heuristics that were asked for, by name: their values are added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names(Vec<&'static str>);

impl Names {
    /// Reads `lnb+alive`.
    pub fn parse(text: &str) -> Result<Names, String> {
        let find = |name: &str| KNOWN.iter().find(|known| known.name == name);
        let names: Option<Vec<_>> = text.split('+').map(|name| Some(find(name)?.name)).collect();
        names.map(Names).ok_or_else(|| {
            let names: Vec<&str> = KNOWN.iter().map(|known| known.name).collect();
            format!("heuristics are {}; join several with +", names.join(", "))
        })
    }

    /// What to use if nobody asks: the distance from the formulas if there are any, else `lnb`.
    pub fn ordinary(properties: &Properties) -> Names {
        Names(vec![if properties.is_empty() { "lnb" } else { "formula" }])
    }

    /// The heuristics themselves.
    pub fn make(&self, quarry: Quarry<'_>) -> Sum {
        let known = KNOWN.iter().filter(|known| self.0.contains(&known.name));
        Sum(known.map(|known| (known.make)(quarry)).collect())
    }

    /// Whether one of them needs a known error.
    pub fn need_target(&self) -> bool {
        self.0.iter().any(|name| ["hamming", "fsm"].contains(name))
    }

    /// No heuristic: all states are as promising.
    pub fn none() -> Names {
        Names(Vec::new())
    }

    /// These, and what is new.
    pub fn and_novelty(mut self) -> Names {
        if !self.0.contains(&"novelty") {
            self.0.push("novelty");
        }
        self
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("+"))
    }
}

/// Several heuristics, added up.
#[derive(Debug)]
pub struct Sum(Vec<Box<dyn Heuristic>>);

impl Heuristic for Sum {
    fn value(&mut self, view: &View<'_>) -> i64 {
        self.0.iter_mut().fold(0, |sum: i64, one| sum.saturating_add(one.value(view)))
    }

    fn needs_process(&self) -> bool {
        self.0.iter().any(|one| one.needs_process())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined() {
        assert_eq!(Names::parse("lnb+alive").unwrap().to_string(), "lnb+alive");
        let (properties, target) = (&Properties::default(), &Target::default());
        let quarry = Quarry { properties, target };
        assert_eq!(Names::parse("mb").unwrap().make(quarry).0.len(), 1);
        assert_eq!(Names::parse("mb+fsm").unwrap().make(quarry).0.len(), 2);
        assert!(Names::parse("mb+fsm").unwrap().need_target());
        for bad in ["", "lnb+", "+", "nope", "lnb,alive", "LNB"] {
            assert!(Names::parse(bad).unwrap_err().starts_with("heuristics are mb, "), "{bad}");
        }
    }

    #[test]
    fn the_ordinary_one_depends_on_what_is_looked_for() {
        assert_eq!(Names::ordinary(&Properties::default()).to_string(), "lnb");
    }
}
