//! Options of `samovar plan`.

use super::check::{ReduceChoice, parse_choices, parse_size};
use super::inspect::ReportFormat;
use super::run::{CpuChoice, ModelChoice, parse_seconds, parse_variable};
use super::usage;
use crate::formula::Formula;
use crate::message::Loudness;
use clap::{Args, ValueEnum};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `samovar plan`.
#[derive(Debug, Args)]
#[command(
    about = "Find a sequence of choices and agents' steps that leads to a goal",
    after_help = usage::PLAN_HELP,
    override_usage = "samovar plan [OPTIONS] PROGRAM [ARGS]...",
)]
pub struct PlanOptions {
    /// What to reach: a C expression over the program's variables; of several, one is enough
    #[arg(long, value_name = "EXPR", value_parser = Formula::parse)]
    #[arg(allow_hyphen_values = true)]
    pub goal: Vec<Formula>,

    /// Make this as small as possible instead of the number of steps: what the program counts as
    /// cost, and never lets fall
    #[arg(long, value_name = "EXPR", value_parser = Formula::parse, requires = "goal")]
    #[arg(allow_hyphen_values = true)]
    pub minimise: Option<Formula>,

    /// How to look for the goal
    #[arg(long, value_enum, default_value_t = PlanSearch::Auto)]
    pub search: PlanSearch,

    /// For astar and best-first: how far the goal is, as the program knows [default: how far the
    /// variables of the goal are from their values]
    #[arg(long, value_name = "EXPR", value_parser = Formula::parse, requires = "goal")]
    #[arg(allow_hyphen_values = true)]
    pub estimate: Option<Formula>,

    /// For astar: count the estimate this many times. With an estimate that is never too high the
    /// plan costs at most this many times what the best one does
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub weight: Option<u32>,

    /// Plan and simulate in turn: how good a state is, as a C expression over the program's
    /// variables [default: what the program says with samovar_evaluate]
    #[arg(long, value_name = "EXPR", value_parser = Formula::parse)]
    #[arg(allow_hyphen_values = true)]
    pub evaluate: Option<Formula>,

    /// Simulate only: agents decide by chance, nothing is suggested to them
    #[arg(long)]
    pub simulate: bool,

    /// What a phase of planning does
    #[arg(long, value_enum, default_value_t = PhaseChoice::Rollouts)]
    pub phase: PhaseChoice,

    /// Steps of agents that a phase of planning may try out; later ones an eighth of that
    #[arg(long, value_name = "N", default_value_t = 500_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub phase_states: u64,

    /// Seconds that a phase of planning may take; later ones an eighth of that
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub phase_time: Option<Duration>,

    /// A phase of planning after this many parallel steps at the soonest
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,

    /// A phase of planning when so many agents are idle
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub idle: u32,

    /// What --phase bfs leaves out: states that were seen, steps of busy agents, steps that change
    /// no suggestion; none for nothing
    #[arg(long, value_name = "LIST", value_enum, value_delimiter = ',')]
    #[arg(default_value = "visited,idle,suggestions")]
    pub prune: Vec<Pruning>,

    /// Parallel steps after which a simulation is given up
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,

    /// Where threads are switched
    #[arg(long, value_enum, default_value_t = ReduceChoice::Auto)]
    pub reduce: ReduceChoice,

    /// full: models of threads, locks and the heap; none: the real library on system calls
    #[arg(long, value_enum, default_value_t = ModelChoice::Full)]
    pub model: ModelChoice,

    /// Stop after this many seconds, with exit status 3
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time: Option<Duration>,

    /// Stop when this much memory is used, with exit status 3 [default: most of what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,

    /// Follow no path further than this many steps
    #[arg(long, value_name = "N")]
    pub depth: Option<u64>,

    /// How to write the plan
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,

    /// Where to save the plan [default: PROGRAM.plan.json]
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,

    /// Write a page for the browser: who does what when, and the grid if there is one
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Values to try where the program leaves one open: 0..3,7 for all types, int=0..3 for one
    #[arg(long, value_name = "[TYPE=]SET", value_parser = parse_choices)]
    #[arg(allow_hyphen_values = true)]
    pub choices: Vec<String>,

    /// Decides the random numbers that the program gets, and what happens by chance in a simulation
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

    /// Say nothing but the plan
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

impl PlanOptions {
    /// What to plan for, as typed.
    pub fn program(&self) -> &OsStr {
        // The parser insists on at least one word.
        self.command_line.first().map_or(OsStr::new(""), |program| program)
    }

    /// The program's own arguments.
    pub fn arguments(&self) -> &[OsString] {
        self.command_line.get(1..).unwrap_or_default()
    }

    /// How much `samovar` itself says.
    pub fn loudness(&self) -> Loudness {
        match (self.quiet, self.verbose) {
            (true, _) => Loudness::Quiet,
            (false, false) => Loudness::Normal,
            (false, true) => Loudness::Verbose,
        }
    }

    /// Whether planning and simulation take turns.
    pub fn is_interleaved(&self) -> bool {
        self.goal.is_empty() || self.evaluate.is_some() || self.simulate
    }

    /// An option that says something about searches of another kind than the one asked for, and
    /// the searches that it is for.
    pub fn idle_option(&self) -> Option<(&'static str, &'static str)> {
        let is_directed = matches!(self.search, PlanSearch::Astar | PlanSearch::BestFirst);
        if self.estimate.is_some() && !is_directed {
            Some(("--estimate", "astar or best-first"))
        } else if self.weight.is_some() && self.search != PlanSearch::Astar {
            Some(("--weight", "astar"))
        } else {
            None
        }
    }
}

/// Values of `--search`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlanSearch {
    /// The one that always finds a cheapest plan: breadth-first, or by cost with --minimise
    Auto,
    /// Breadth-first: a plan with the fewest steps
    Bfs,
    /// The most promising first, steps so far included: a plan with the fewest steps if the
    /// estimate is never too high
    Astar,
    /// The most promising first: some plan, soon
    BestFirst,
}

impl PlanSearch {
    /// The value as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            PlanSearch::Auto => "auto",
            PlanSearch::Bfs => "bfs",
            PlanSearch::Astar => "astar",
            PlanSearch::BestFirst => "best-first",
        }
    }
}

/// Values of `--phase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PhaseChoice {
    /// Whole courses of the program are tried out, and the best one is varied
    Rollouts,
    /// Breadth-first over what idle agents can do now, as StEAM did
    Bfs,
}

/// Values of `--prune`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pruning {
    /// States that were seen
    Visited,
    /// Steps of busy agents
    Idle,
    /// Steps that change no suggestion
    Suggestions,
    /// Nothing
    None,
}
