//! `samovar replay`: executes a saved trail again and shows it.

use super::prefix::{self, Prefix};
use super::state_error::StateError;
use super::{add_sources, deadlock, judge, last_step, properties, setup};
use crate::cli::{ReduceChoice, ReplayOptions, ReportFormat};
use crate::ending::{self, Ending as ProcessEnding};
use crate::error::CommandError;
use crate::explore::moves::Ending;
use crate::formula::Properties;
use crate::message::Messages;
use crate::report;
use crate::run::limit::Limit;
use crate::trail::file::{self, SavedTrail};
use crate::trail::walk;
use crate::trail::{Names, Step, describe};
use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;

use super::verdict::Finding;

/// Obeys `samovar replay`.
pub fn replay(options: &ReplayOptions) -> Result<ProcessEnding, CommandError> {
    let messages = Messages::new(options.loudness());
    let saved = SavedTrail::read(&options.trail)?;
    // Relative names in the trail are seen from where it was recorded.
    let _ = std::env::set_current_dir(&saved.setting.directory);
    if let Some(plan) = &saved.plan {
        return crate::plan::replay(&saved, plan, options, &messages);
    }
    let input = setup::InputFrom::Saved(saved.stdin.clone());
    let (mut process, _) = setup::load(&saved.setting, input, &messages)?;
    let prefix = prefix::run(&mut process, &Limit::new(None));
    file::compare(&saved.modules, &file::fingerprints(&process))?;
    let properties = properties::of(&saved.setting, &process)?;
    let (mut steps, finding, names) = execute(&mut process, &saved, &properties, prefix);
    let Some(finding) = finding.filter(|finding| finding.kind == saved.error.kind) else {
        return Err(CommandError::NotReproduced { error: saved.error.message.clone() });
    };
    add_sources(&mut steps);
    match options.format {
        ReportFormat::Text => report::text::print_trail(&steps, &finding, &names)?,
        ReportFormat::Json => report::json::print_trail(&saved, &steps, &finding)?,
    }
    Ok(ProcessEnding::Status(ending::FOUND))
}

/// Executes the choices from the end of the prefix on.
fn execute(
    process: &mut Process,
    saved: &SavedTrail,
    properties: &Properties,
    prefix: Prefix,
) -> (Vec<Step>, Option<Finding>, Names) {
    let mut names = Names::of(process);
    let main = ThreadId(0);
    if let Prefix::Over(ending) = &prefix {
        let output = process.take_output();
        let finding = judge::judge(process, &names, main, ending, &output);
        return (finding.iter().map(last_step).collect(), finding, names);
    }
    process.machine.memory.journal.set_on(true);
    if prefix == Prefix::Deadlock {
        let finding = deadlock::describe(
            process,
            &mut names,
            &walk::sight(process, ReduceChoice::Auto, std::iter::empty()),
        );
        return (vec![last_step(&finding)], Some(finding), names);
    }
    let reduce = saved.setting.reduce().unwrap_or(ReduceChoice::Auto);
    let sight = walk::sight(process, reduce, saved.words());
    let path = saved.path();
    let mut told = describe::tell(process, &sight, &path, &mut names);
    let finding = match &told.last {
        _ if told.steps.len() < path.len() => None,
        None | Some((_, Ending::Done)) => {
            let last = path.last().map(|choice| choice.thread);
            let error = saved.state_error.clone().unwrap_or(StateError::Deadlock);
            error.describe(process, &mut names, &sight, properties, last)
        }
        Some((thread, ending)) => judge::judge(process, &names, *thread, ending, &told.output),
    };
    if let (Some(last), Some(finding)) = (told.steps.last_mut(), &finding)
        && finding.waits.is_empty()
        && saved.state_error.is_none()
    {
        last.operation = finding.message.clone();
    }
    (told.steps, finding, names)
}
