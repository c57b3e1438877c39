//! `samovar replay` of a saved plan: its moves are made again, and the goal has to hold then.

use super::target::Target;
use super::verdict::Plan;
use super::{json, simulation, tell, text};
use crate::check::prefix::{self, Prefix};
use crate::check::setup;
use crate::cli::{ReduceChoice, ReplayOptions, ReportFormat};
use crate::ending::Ending as ProcessEnding;
use crate::error::CommandError;
use crate::message::Messages;
use crate::page::Page;
use crate::run::limit::Limit;
use crate::trail::file::{self, SavedTrail};
use crate::trail::walk;

/// Executes a saved plan again.
pub fn replay(
    saved: &SavedTrail,
    plan: &Plan,
    options: &ReplayOptions,
    messages: &Messages,
) -> Result<ProcessEnding, CommandError> {
    let input = setup::InputFrom::Saved(saved.stdin.clone());
    let program = setup::read(&saved.setting, messages)?;
    let (mut process, _) = setup::load(&program, &saved.setting, input, None)?;
    let (prefix, marks) = prefix::run_listening(&mut process, &Limit::new(None));
    file::compare(&saved.modules, &file::fingerprints(&process))?;
    let target = Target::of_goals(&saved.setting.goals, &process)?;
    let reached = if prefix == Prefix::Threads && plan.simulation.is_some() {
        process.machine.memory.journal.set_on(true);
        simulation::replay(&mut process, &target, plan, &marks)
    } else if prefix == Prefix::Threads {
        process.machine.memory.journal.set_on(true);
        let reduce = saved.setting.reduce().unwrap_or(ReduceChoice::Auto);
        let sight = walk::sight(&process, reduce, saved.words()).with_choices_first();
        let told = tell::tell(&mut process, &sight, &saved.path(), (&target, &marks));
        told.reached && told.steps == plan.steps
    } else {
        saved.choices.is_empty() && target.is_reached(&process)
    };
    if !reached {
        return Err(CommandError::NotReproduced { error: saved.error.message.clone() });
    }
    match options.format {
        ReportFormat::Text => {
            let mut page = Page::for_stdout();
            text::write_plan(&mut page, plan, &target.text());
            page.gap();
            let words = match target.goals.is_empty() {
                true => "the end of the program".to_string(),
                false => format!("{} holds", target.text()),
            };
            page.wrap("reached: ", crate::paint::Style::Good, 2, &words);
            text::put(&page)?;
        }
        ReportFormat::Json => json::print_replayed(saved, plan)?,
    }
    Ok(ProcessEnding::Status(0))
}
