//! The command line, as data. Parsing is clap's; nothing here acts.
//!
//! The names of commands and options are a contract with scripts. Only commands that work are
//! listed: an unknown one is a usage error with exit status 2.

mod check;
mod generate;
mod inspect;
mod plan;
mod replay;
mod run;
pub mod usage;

pub use check::{
    CheckFormat, CheckOptions, HashChoice, ReduceChoice, SearchChoice, StoreChoice, SwitchChoice,
};
pub use generate::{GenerateOptions, Generated};
pub use inspect::{InspectOptions, ReportFormat};
pub use plan::{PhaseChoice, PlanOptions, PlanSearch, Pruning};
pub use replay::ReplayOptions;
pub use run::{CpuChoice, ModelChoice, RunOptions};

use clap::{ArgAction, Parser, Subcommand};

/// The arguments of the `samovar` command.
#[derive(Debug, Parser)]
#[command(
    name = "samovar",
    bin_name = "samovar",
    version,
    about = "Explores all interleavings of compiled programs on a virtual CPU.\n\n\
        Programs are x86-64 Linux executables as gcc, clang or rustc make them, or C and C++ \
        source files, which are compiled first.",
    after_help = usage::EXAMPLES,
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    disable_help_flag = true,
    max_term_width = 100
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,

    /// Print help
    #[arg(long, short, global = true, action = ArgAction::HelpShort, display_order = 100)]
    help: Option<bool>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explore all interleavings of a program
    Check(Box<CheckOptions>),
    /// Find a sequence of choices and agents' steps that leads to a goal
    Plan(Box<PlanOptions>),
    /// Execute a saved trail again and show it step by step
    Replay(ReplayOptions),
    /// Execute a program on the virtual CPU
    Run(RunOptions),
    /// Show what the loader and the decoder see in a program
    Inspect(InspectOptions),
    /// Write shell completions and manual pages
    #[command(hide = true)]
    Generate(GenerateOptions),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_options(arguments: &[&str]) -> RunOptions {
        match Arguments::try_parse_from(arguments).unwrap().command {
            Command::Run(options) => options,
            other => panic!("parsed as {other:?}"),
        }
    }

    #[test]
    fn definitions_are_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_follows_the_program_belongs_to_it() {
        let words = ["samovar", "run", "--seed", "7", "./a.out", "--seed", "8", "--", "-h", "x"];
        let options = run_options(&words);
        assert_eq!(options.seed, Some(7));
        assert_eq!(options.program(), "./a.out");
        assert_eq!(options.arguments(), ["--seed", "8", "--", "-h", "x"]);
    }

    #[test]
    fn compiler_flags_may_look_like_options() {
        let options = run_options(&["samovar", "run", "--cflags", "-O2 -lm", "a.c", "-v"]);
        assert_eq!(options.cflags, ["-O2 -lm"]);
        assert!(!options.verbose);
        assert_eq!(options.arguments(), ["-v"]);
    }

    #[test]
    fn values_are_checked() {
        let refused = |words: &[&str]| {
            let words = [&["samovar", "run"], words, &["./a.out"]].concat();
            Arguments::try_parse_from(words).is_err()
        };
        assert!(refused(&["--no-such-option"]));
        assert!(refused(&["--time", "never"]));
        assert!(refused(&["--time=-1"]));
        assert!(refused(&["--env", "NAME"]));
        assert!(refused(&["--env", "=value"]));
        assert!(refused(&["--quiet", "--verbose"]));
        assert!(!refused(&["--time", "0.5", "--env", "NAME=", "--quiet"]));
        assert!(Arguments::try_parse_from(["samovar", "run"]).is_err());
    }
}
