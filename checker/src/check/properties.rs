//! The invariants and goals that a check is asked for.

use crate::cli::CheckOptions;
use crate::error::CommandError;
use crate::formula::Properties;
use crate::place;
use samovar_runtime::Process;
use std::sync::Arc;

/// Ties `--invariant` and `--goal` to a loaded program.
pub fn of(options: &CheckOptions, process: &Process) -> Result<Properties, CommandError> {
    if options.invariant.is_empty() && options.goal.is_empty() {
        return Ok(Properties::default());
    }
    let debug = Arc::new(place::debug_of(process));
    let properties = Properties::resolve(&options.invariant, &options.goal, &debug)?;
    refuse(&properties)?;
    Ok(properties)
}

/// The search does not look at properties yet, and a check that ignores them would lie.
fn refuse(properties: &Properties) -> Result<(), CommandError> {
    if properties.is_empty() { Ok(()) } else { Err(CommandError::PropertiesNotYet) }
}
