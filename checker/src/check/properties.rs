//! The invariants and goals that a check is asked for.

use super::setting::Setting;
use crate::error::CommandError;
use crate::formula::{Formula, Properties};
use crate::place;
use samovar_runtime::Process;
use std::sync::Arc;

/// Ties `--invariant` and `--goal` to a loaded program.
pub fn of(setting: &Setting, process: &Process) -> Result<Properties, CommandError> {
    if setting.invariants.is_empty() && setting.goals.is_empty() {
        return Ok(Properties::default());
    }
    let parse = |texts: &[String]| -> Result<Vec<Formula>, CommandError> {
        texts.iter().map(|text| Ok(Formula::parse(text)?)).collect()
    };
    let debug = Arc::new(place::debug_of(process));
    let (invariants, goals) = (parse(&setting.invariants)?, parse(&setting.goals)?);
    Ok(Properties::resolve(&invariants, &goals, &debug)?)
}
