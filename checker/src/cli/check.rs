//! Options of `samovar check`.
//!
//! Only what works is listed; everything else of the contract is a usage error until it does.

use super::run::{CpuChoice, ModelChoice, parse_seconds, parse_variable};
use super::usage;
use crate::check::kind::ErrorKind;
use crate::explore::heuristic;
use crate::formula::Formula;
use crate::message::Loudness;
use crate::state::printed::Method;
use clap::{Args, ValueEnum};
use samovar_runtime::request::Choices;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `samovar check`.
#[derive(Debug, Args)]
#[command(
    about = "Explore all interleavings of a program",
    after_help = usage::CHECK_HELP,
    override_usage = "samovar check [OPTIONS] PROGRAM [ARGS]...",
)]
pub struct CheckOptions {
    /// In which order states are visited
    #[arg(long, value_enum, default_value_t = SearchChoice::Auto)]
    pub search: SearchChoice,

    /// Which states directed searches find promising: mb, lnb, pl1, pl2, pba, pbb, int, rw, aa,
    /// branch, alive, novelty, formula, hamming, fsm; several joined with + are added [default:
    /// formula where one is given, else lnb]
    #[arg(long, value_name = "NAMES", value_parser = heuristic::Names::parse)]
    pub heuristic: Option<heuristic::Names>,

    /// The trail of a known error, which the heuristics hamming and fsm go to
    #[arg(long, value_name = "TRAIL")]
    pub toward: Option<PathBuf>,

    /// States of each level that beam keeps [default: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub width: Option<u32>,

    /// Walks that random and pct make [default: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub walks: Option<u64>,

    /// For pct: how many orderings between steps an error needs that is to be found [default: 3]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub orderings: Option<u32>,

    /// Explore what needs at most this many preemptions, fewest first: switches away from a
    /// thread that could have gone on; 0.. goes on until there are no more
    #[arg(long, value_name = "N", conflicts_with_all = ["search", "depth"])]
    #[arg(value_parser = parse_preemptions)]
    pub preemptions: Option<u32>,

    /// How visited states are remembered
    #[arg(long, value_enum, default_value_t = StoreChoice::Exact)]
    pub store: StoreChoice,

    /// How the fingerprints of all stores but exact are made [default: incremental]
    #[arg(long, value_enum)]
    pub hash: Option<HashChoice>,

    /// Bits that each state sets with bitstate [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub positions: Option<u32>,

    /// Searches with bitstate, each with another function [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,

    /// Levels between two that have key states with reconstruct [default: 64]
    #[arg(long, value_name = "I", value_parser = clap::value_parser!(u32).range(1..))]
    pub key_every: Option<u32>,

    /// Processor cores to search on, with auto, dfs and bfs; nothing that the search comes to
    /// depends on how many [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub jobs: Option<u32>,

    /// Keep states in files of this directory, breadth-first: for spaces larger than memory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["preemptions", "jobs"])]
    pub spill: Option<PathBuf>,

    /// Go on with the search that is in the directory of --spill
    #[arg(long, requires = "spill")]
    pub resume: bool,

    /// For --spill: memory in which moves are collected before they are sorted and written
    /// [default: an eighth of what is free, at most 256M]
    #[arg(long, value_name = "SIZE", value_parser = parse_size, requires = "spill")]
    pub spill_buffer: Option<u64>,

    /// Where threads are switched, and which moves are left out
    #[arg(long, value_enum, default_value_t = ReduceChoice::Auto)]
    pub reduce: ReduceChoice,

    /// Remember what moves do, and execute them again only where they could do something else; off:
    /// execute every move in every state
    #[arg(long, value_enum, default_value_t = SwitchChoice::On)]
    pub memo: SwitchChoice,

    /// Take for granted that a thread which goes round a waiting loop (sched_yield, pause) N times,
    /// counts its turns and sees nothing new waits on until there is something new; 0: never give
    /// up. Without this, 16 rounds are followed, and what lies beyond makes the verdict incomplete
    #[arg(long, value_name = "N")]
    pub patience: Option<u32>,

    /// full: models of threads, locks and the heap; none: the real library on system calls
    #[arg(long, value_enum, default_value_t = ModelChoice::Full)]
    pub model: ModelChoice,

    /// Which kinds of errors count; undefined arithmetic and illegal instructions always do
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = parse_kind,
        default_value = "deadlock,assertion,memory,lock,race"
    )]
    pub check: Vec<ErrorKind>,

    /// What must hold in every state: a C expression over the program's variables
    #[arg(long, value_name = "EXPR", value_parser = Formula::parse)]
    #[arg(allow_hyphen_values = true)]
    pub invariant: Vec<Formula>,

    /// What to look for: a C expression over the program's variables
    #[arg(long, value_name = "EXPR", value_parser = Formula::parse)]
    #[arg(allow_hyphen_values = true)]
    pub goal: Vec<Formula>,

    /// Stop after this many seconds, with exit status 3
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<Duration>,

    /// Stop when this much memory is used, with exit status 3 [default: most of what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Follow no path further than this many steps
    #[arg(long, value_name = "N")]
    pub depth: Option<u64>,

    /// How to write the report
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,

    /// Where to save the steps that lead to an error [default: PROGRAM.trail.json]
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Write a page for the browser, with the steps to go through
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write the verdict for CI servers, as JUnit XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,

    /// Write the steps for other verifiers, as a violation witness (GraphML)
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,

    /// Write the graph of states for Graphviz; for small spaces, at most 2000 states are drawn
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,

    /// Values to try where the program leaves one open: 0..3,7 for all types, int=0..3 for one
    #[arg(long, value_name = "[TYPE=]SET", value_parser = parse_choices)]
    #[arg(allow_hyphen_values = true)]
    pub choices: Vec<String>,

    /// List all ends of executions, each with what one that ends so wrote to standard output
    /// since the first thread was created; errors of kinds that do not count are ends, too
    #[arg(long)]
    pub outcomes: bool,
    /// Waits on condition variables may end without a signal
    #[arg(long)]
    pub spurious: bool,

    /// Decides the random numbers that the program gets, and the walks of random and pct
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// The processor that the program sees: plain x86-64 (SSE2), or x86-64-v2 (SSE4.2)
    #[arg(long, value_enum, default_value_t = CpuChoice::V1)]
    pub cpu: CpuChoice,

    /// Set a variable of the program's environment, which is empty otherwise
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_variable)]
    pub env: Vec<(String, String)>,

    /// Further options for the compiler, if PROGRAM is a source file
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// The file that some of these options come from
    #[arg(long, value_name = "FILE", hide = true)]
    pub options_from: Option<PathBuf>,

    /// Say where memory and time went
    #[arg(long, conflicts_with = "quiet")]
    pub stats: bool,

    /// Say nothing but the verdict
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Say what is being done
    #[arg(long, short)]
    pub verbose: bool,

    /// An ELF executable or a .c, .cc or .cpp file, and its arguments
    #[arg(
        required = true,
        num_args = 1..,
        value_name = "PROGRAM [ARGS]",
        trailing_var_arg = true
    )]
    command_line: Vec<OsString>,
}

impl CheckOptions {
    /// What to check, as typed.
    pub fn program(&self) -> &OsStr {
        // The parser insists on at least one word.
        self.command_line.first().map_or(OsStr::new(""), |program| program)
    }

    /// The program's own arguments.
    pub fn arguments(&self) -> &[OsString] {
        self.command_line.get(1..).unwrap_or_default()
    }

    /// The reduction that is used: where preemptions or walks are counted, no move is left out.
    pub fn reduction(&self) -> ReduceChoice {
        let needs_all = self.preemptions.is_some() || self.search == SearchChoice::Pct;
        match self.reduce {
            ReduceChoice::Auto if needs_all => ReduceChoice::Contended,
            reduce => reduce,
        }
    }

    /// Whether the searches are chosen by themselves. With a bound on the depth, or if all ends are
    /// to be listed, a depth-first search does what is asked for.
    pub fn uses_autopilot(&self) -> bool {
        let is_plain = self.depth.is_none() && self.preemptions.is_none() && !self.outcomes;
        let is_exact = self.store == StoreChoice::Exact && self.spill.is_none();
        self.search == SearchChoice::Auto && is_plain && is_exact
    }

    /// Cores to search on.
    pub fn jobs(&self) -> usize {
        self.jobs.unwrap_or(1) as usize
    }

    /// The order in which states are visited: on a disk there is one only.
    pub fn order(&self) -> SearchChoice {
        match self.search {
            SearchChoice::Auto if self.spill.is_some() => SearchChoice::Bfs,
            search => search,
        }
    }

    /// An option that says something about searches of another kind than the one asked for, and
    /// the searches that it is for.
    pub fn idle_option(&self) -> Option<(&'static str, &'static str)> {
        use SearchChoice::{Astar, Beam, BestFirst, Idastar, Novelty, Pct, Random};
        let search = self.search;
        let is_directed = matches!(search, BestFirst | Astar | Idastar | Beam | Novelty);
        let is_plain = matches!(search, SearchChoice::Auto | SearchChoice::Dfs);
        if self.heuristic.is_some() && !is_directed {
            Some(("--heuristic", "best-first, astar, idastar, beam or novelty"))
        } else if self.width.is_some() && search != Beam {
            Some(("--width", "beam"))
        } else if self.walks.is_some() && !matches!(search, Random | Pct) {
            Some(("--walks", "random or pct"))
        } else if self.orderings.is_some() && search != Pct {
            Some(("--orderings", "pct"))
        } else if self.jobs.is_some()
            && (!(is_plain || search == SearchChoice::Bfs) || self.preemptions.is_some())
        {
            Some(("--jobs", "auto, dfs or bfs"))
        } else if self.store.is_lossy() && (!is_plain || self.preemptions.is_some()) {
            Some((self.store.option(), "dfs"))
        } else if self.spill.is_some() && self.order() != SearchChoice::Bfs {
            Some(("--spill", "bfs"))
        } else {
            None
        }
    }

    /// An option that says something about another store than the one asked for, and the stores
    /// that it is for.
    pub fn idle_store_option(&self) -> Option<(&'static str, &'static str)> {
        let store = self.store;
        if self.spill.is_some() && store != StoreChoice::Exact {
            Some(("--spill", "exact"))
        } else if self.hash.is_some() && store == StoreChoice::Exact {
            Some(("--hash", "compact, bitstate or reconstruct"))
        } else if self.hash == Some(HashChoice::Partial) && store == StoreChoice::Reconstruct {
            Some(("--hash partial", "compact or bitstate"))
        } else if self.jobs.is_some() && store != StoreChoice::Exact {
            Some(("--jobs", "exact"))
        } else if self.positions.is_some() && store != StoreChoice::Bitstate {
            Some(("--positions", "bitstate"))
        } else if self.runs.is_some() && store != StoreChoice::Bitstate {
            Some(("--runs", "bitstate"))
        } else if self.key_every.is_some() && store != StoreChoice::Reconstruct {
            Some(("--key-every", "reconstruct"))
        } else {
            None
        }
    }

    /// How much `samovar` itself says.
    pub fn loudness(&self) -> Loudness {
        match (self.quiet, self.verbose) {
            (true, _) => Loudness::Quiet,
            (false, false) => Loudness::Normal,
            (false, true) => Loudness::Verbose,
        }
    }
}

/// Values of `--search`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SearchChoice {
    /// Depth-first; if that takes long, searches that are good at finding take turns with it
    Auto,
    /// Depth-first
    Dfs,
    /// Breadth-first: the first error found is one with the fewest steps
    Bfs,
    /// Depth-first with a bound that grows: also finds one with the fewest steps
    Idfs,
    /// The most promising state first
    BestFirst,
    /// The most promising first, steps so far included
    Astar,
    /// The most promising first, depth-first with a bound that grows
    Idastar,
    /// What does something for the first time first
    Novelty,
    /// The most promising of each level only; proves nothing once it leaves states out
    Beam,
    /// Random walks; prove nothing
    Random,
    /// Random walks with priorities, and a bound on the probability of missing an error
    Pct,
    /// Many depth-first passes with tiny tables: shorter and shorter trails
    Refine,
}

impl SearchChoice {
    /// The value as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            SearchChoice::Auto => "auto",
            SearchChoice::Dfs => "dfs",
            SearchChoice::Bfs => "bfs",
            SearchChoice::Idfs => "idfs",
            SearchChoice::BestFirst => "best-first",
            SearchChoice::Astar => "astar",
            SearchChoice::Idastar => "idastar",
            SearchChoice::Novelty => "novelty",
            SearchChoice::Refine => "refine",
            SearchChoice::Beam => "beam",
            SearchChoice::Random => "random",
            SearchChoice::Pct => "pct",
        }
    }
}

/// Values of `--store`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StoreChoice {
    /// Whole states, compressed
    Exact,
    /// 64-bit fingerprints of states; proves nothing
    Compact,
    /// A few bits of an array as large as --memory allows; proves nothing
    Bitstate,
    /// The moves that lead to states, which are made again: slow, and small for large programs
    Reconstruct,
}

impl StoreChoice {
    /// The value as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            StoreChoice::Exact => "exact",
            StoreChoice::Compact => "compact",
            StoreChoice::Bitstate => "bitstate",
            StoreChoice::Reconstruct => "reconstruct",
        }
    }

    /// The whole option as it is typed.
    pub fn option(self) -> &'static str {
        match self {
            StoreChoice::Exact => "--store exact",
            StoreChoice::Compact => "--store compact",
            StoreChoice::Bitstate => "--store bitstate",
            StoreChoice::Reconstruct => "--store reconstruct",
        }
    }

    /// Whether states are not there any more once they were left.
    pub fn is_lossy(self) -> bool {
        matches!(self, StoreChoice::Compact | StoreChoice::Bitstate)
    }
}

/// Values of `--hash`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HashChoice {
    /// Brought up to date from what a move changes
    Incremental,
    /// Made anew of the whole state, for comparison
    Full,
    /// Made of general registers only, for comparison: omits most states
    Partial,
}

impl HashChoice {
    /// What it stands for.
    pub fn method(self) -> Method {
        match self {
            HashChoice::Incremental => Method::Incremental,
            HashChoice::Full => Method::Full,
            HashChoice::Partial => Method::Partial,
        }
    }
}

/// Values of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// For people
    Text,
    /// For programs: one JSON object
    Json,
    /// For code-scanning services: SARIF 2.1.0
    Sarif,
}

/// Values of options that switch something on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SwitchChoice {
    /// On.
    On,
    /// Off.
    Off,
}

/// Values of `--reduce`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReduceChoice {
    /// At operations on contended words only; moves that get in nobody's way come first
    Auto,
    /// At operations on contended words only; all moves are explored
    Contended,
    /// At operations on locks and static variables, as StEAM did; not sound in general
    Lgc,
    /// Before every access to memory
    None,
}

impl ReduceChoice {
    /// Whether moves are left out, or thread creation does not count as a place to switch.
    pub fn leaves_out(self) -> bool {
        matches!(self, ReduceChoice::Auto | ReduceChoice::Lgc)
    }

    /// The value as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            ReduceChoice::Auto => "auto",
            ReduceChoice::Contended => "contended",
            ReduceChoice::Lgc => "lgc",
            ReduceChoice::None => "none",
        }
    }
}

/// A set of values; only looked at here, taken in where the program is loaded.
pub(super) fn parse_choices(text: &str) -> Result<String, String> {
    Choices::default().set(text).map_err(|error| error.to_string())?;
    Ok(text.to_string())
}

fn parse_kind(text: &str) -> Result<ErrorKind, String> {
    ErrorKind::selectable().find(|kind| kind.name() == text).ok_or_else(|| {
        let names: Vec<&str> = ErrorKind::selectable().map(ErrorKind::name).collect();
        format!("kinds of errors are {}", names.join(", "))
    })
}

/// A bound: `2` or `0..2`; without one: `0..`.
fn parse_preemptions(text: &str) -> Result<u32, String> {
    let bound = match text.strip_prefix("0..") {
        Some("") => return Ok(u32::MAX),
        Some(bound) => bound,
        None => text,
    };
    bound.parse().map_err(|_| "write it as 2, or as 0.. for all there are".to_string())
}

/// A number of bytes: `4096`, `64K`, `500M`, `2G`, `1T`, also with `B` or `iB` behind.
pub(super) fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        "T" | "t" => 40,
        _ => return Err("write it as 500M or 2G".to_string()),
    };
    let number: u64 = number.parse().map_err(|_| "write it as 500M or 2G".to_string())?;
    if number == 0 {
        return Err("no room to do anything in; leave it out for the default".to_string());
    }
    number.checked_mul(1 << shift).ok_or_else(|| "more than there can be".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("4096"), Ok(4096));
        assert_eq!(parse_size("3K"), Ok(3 << 10));
        assert_eq!(parse_size("500MB"), Ok(500 << 20));
        assert_eq!(parse_size("2GiB"), Ok(2 << 30));
        for bad in ["", "G", "-1", "1.5G", "2X", "99999999999T", "0", "0G"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bounds_on_preemptions_can_be_open() {
        assert_eq!(parse_preemptions("2"), Ok(2));
        assert_eq!(parse_preemptions("0..3"), Ok(3));
        assert_eq!(parse_preemptions("0.."), Ok(u32::MAX));
        for bad in ["", "..", "1..", "-1", "0..x", "many"] {
            assert!(parse_preemptions(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sets_of_values_are_looked_at() {
        assert_eq!(parse_choices("int=0..3,7"), Ok("int=0..3,7".to_string()));
        assert_eq!(parse_choices("-1..1"), Ok("-1..1".to_string()));
        assert!(parse_choices("int=few").is_err());
    }

    #[test]
    fn kinds_have_names() {
        assert_eq!(parse_kind("deadlock"), Ok(ErrorKind::Deadlock));
        assert_eq!(parse_kind("exit"), Ok(ErrorKind::Exit));
        assert!(parse_kind("arithmetic").is_err());
        assert!(parse_kind("").is_err());
    }
}
