//! `samovar replay`: executes a saved trail again and shows it.

use super::native;
use super::prefix::{self, Prefix};
use super::recording;
use super::state_error::StateError;
use super::{add_sources, deadlock, fillings, judge, last_step, properties, setup};
use crate::cli::{ReduceChoice, ReplayOptions, ReportFormat};
use crate::ending::{self, Ending as ProcessEnding};
use crate::error::CommandError;
use crate::explore::moves::Ending;
use crate::formula::Properties;
use crate::gdb::{self, Address, Link, Session, Story};
use crate::message::Messages;
use crate::native::NativeError;
use crate::outputs::{self, Output};
use crate::place;
use crate::program::{self, Program};
use crate::replay::walk::{self, Walk};
use crate::replay::{Executable, Tape};
use crate::report;
use crate::run::limit::Limit;
use crate::trail::file::{self, SavedTrail};
use crate::trail::walk as paths;
use crate::trail::{Names, Step, describe};
use samovar_runtime::{Event, Process};
use samovar_vm::machine::ThreadId;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use super::verdict::Finding;

/// A trail that was executed again and led to its error.
struct Reproduced {
    saved: SavedTrail,
    program: Program,
    steps: Vec<Step>,
    finding: Finding,
    names: Names,
}

/// Obeys `samovar replay`.
pub fn replay(options: &ReplayOptions) -> Result<ProcessEnding, CommandError> {
    let messages = Messages::new(options.loudness());
    let saved = SavedTrail::read(&options.trail())?;
    let page = options.html.as_ref().and_then(|file| std::path::absolute(file).ok());
    let typed: Vec<Output<'_>> =
        Output::named("--html", options.html.as_ref()).into_iter().collect();
    outputs::check(&typed, &[("the trail", &options.trail())])?;
    // Relative names in the trail are seen from where it was recorded.
    let _ = std::env::set_current_dir(&saved.setting.directory);
    let program = program::find(Path::new(&saved.setting.program));
    let files: Vec<Output<'_>> = Output::named("--html", page.as_ref()).into_iter().collect();
    outputs::check(&files, &[("the program", &program)])?;
    if let Some(plan) = &saved.plan {
        return crate::plan::replay(&saved, plan, options, &messages);
    }
    let reproduced = reproduce(saved, &messages)?;
    if let Some(address) = options.gdb() {
        let address = address.map_err(|problem| CommandError::BadAddress { problem })?;
        return serve_gdb(address, reproduced, &messages);
    }
    if options.steps_through() {
        return step_through(&reproduced);
    }
    let written = page.as_ref().map_or(Ok(()), |file| write_page(&reproduced, file));
    let Reproduced { saved, program, steps, finding, names } = reproduced;
    if options.native {
        let certificate = native::attempt((&saved, &program), &finding, &names, &messages);
        return match certificate {
            Ok(certificate) => {
                report::native::print(&certificate, &finding, options.format)?;
                Ok(ProcessEnding::Status(ending::FOUND))
            }
            Err(CommandError::Native(NativeError::Strays(what))) => {
                messages.error(&NativeError::Strays(what));
                Ok(ProcessEnding::Status(ending::INCOMPLETE))
            }
            Err(other) => Err(other),
        };
    }
    match options.format {
        ReportFormat::Text => report::text::print_trail(&saved, &steps, &finding, &names)?,
        ReportFormat::Json => report::json::print_trail(&saved, &steps, &finding)?,
    }
    written?;
    Ok(ProcessEnding::Status(ending::FOUND))
}

/// Executes a trail.
fn reproduce(saved: SavedTrail, messages: &Messages) -> Result<Reproduced, CommandError> {
    let program = setup::read(&saved.setting, messages)?;
    let mut process = recording::load(&saved, &program)?;
    let prefix = prefix::run(&mut process, &Limit::new(None));
    file::compare(&saved.modules, &file::fingerprints(&process))?;
    let properties = properties::of(&saved.setting, &process)?;
    let (mut steps, finding, names) = match saved.state_error {
        Some(StateError::Uninitialised(filling)) => {
            let mut names = Names::of(&process);
            let subject = fillings::Subject {
                program: &program,
                setting: &saved.setting,
                stdin: saved.stdin.clone(),
                contended: saved.words().collect(),
            };
            let (steps, finding) = fillings::replay(&subject, &saved, filling, &mut names)?;
            (steps, finding, names)
        }
        _ => execute(&mut process, &saved, &properties, prefix),
    };
    let Some(finding) = finding.filter(|finding| finding.kind == saved.error.kind) else {
        return Err(CommandError::NotReproduced { error: saved.error.message.clone() });
    };
    add_sources(&mut steps);
    Ok(Reproduced { saved, program, steps, finding, names })
}

/// Records the trail and writes it as a page for the browser.
fn write_page(reproduced: &Reproduced, file: &Path) -> Result<(), CommandError> {
    let Reproduced { saved, program, steps, finding, names } = reproduced;
    let sight = recording::sight(saved, program)?;
    let mut tape = Tape::new(recording::load(saved, program)?, &sight);
    recording::record(&mut tape, saved, finding);
    let mut registers = Vec::new();
    for made in 0..=steps.len() {
        tape.go_to(tape.after_choices(made, steps.len()));
        let name = made.checked_sub(1).map_or("main", |index| steps[index].thread.as_str());
        let thread = recording::thread_named(tape.process(), names, name);
        registers.push(recording::registers(tape.process(), name, thread.unwrap_or(ThreadId(0))));
    }
    let all = (0..tape.process().machine.thread_count()).map(ThreadId);
    let threads: Vec<(String, Option<String>)> =
        all.map(|it| (names.thread(it), names.start_of(it).map(str::to_string))).collect();
    report::save(file, &report::html::replayed(saved, steps, finding, &threads, &registers))
}

/// Records the trail and lets the user go through it.
fn step_through(reproduced: &Reproduced) -> Result<ProcessEnding, CommandError> {
    let Reproduced { saved, program, steps, finding, names } = reproduced;
    let sight = recording::sight(saved, program)?;
    let process = recording::load(saved, program)?;
    let mut tape = Tape::new(process, &sight);
    recording::record(&mut tape, saved, finding);
    let story = walk::Story {
        steps,
        error: format!("error: {}: {}", finding.kind.name(), finding.message),
        trail: report::text::trail(saved, steps, finding, names),
        debug: Arc::new(place::debug_of(tape.process())),
    };
    let (stdin, mut stdout) = (std::io::stdin(), std::io::stdout());
    let prompt = stdin.is_terminal() && stdout.is_terminal();
    Walk::new(&mut tape, story, names)
        .obey(stdin.lock(), &mut stdout, prompt)
        .map_err(|error| CommandError::Output { fd: 1, error })?;
    Ok(ProcessEnding::Status(ending::FOUND))
}

/// Records the trail and lets gdb go through it.
fn serve_gdb(
    address: Address,
    reproduced: Reproduced,
    messages: &Messages,
) -> Result<ProcessEnding, CommandError> {
    let Reproduced { saved, program, steps, finding, mut names } = reproduced;
    let sight = recording::sight(&saved, &program)?;
    let process = recording::load(&saved, &program)?;
    let executable = Executable::of(&process)?;
    let auxiliary = gdb::auxiliary_vector(&process);
    let mut tape = Tape::new(process, &sight);
    recording::record(&mut tape, &saved, &finding);
    for thread in (0..tape.process().machine.thread_count()).map(ThreadId) {
        names.learn_start(tape.process(), thread);
    }
    let blamed = finding.thread.as_deref();
    let blamed = blamed.and_then(|it| recording::thread_named(tape.process(), &names, it));
    let last = tape.parts().last().and_then(|part| part.thread);
    let story = Story {
        message: format!("{}: {}", finding.kind.name(), finding.message),
        signal: tape.last_event().and_then(signal),
        thread: blamed.or(last).unwrap_or(ThreadId(0)),
        trail: report::text::trail(&saved, &steps, &finding, &names),
        file: executable.path().display().to_string(),
        auxiliary,
    };
    messages.notice(&format_args!("the error is {}", story.message));
    let link = Link::open(address, |at| {
        messages.notice(&format_args!(
            "{} instructions are recorded; now start: gdb -ex 'target remote {at}'",
            tape.end()
        ));
    })?;
    Session::new(&mut tape, story, names, link).serve()?;
    Ok(ProcessEnding::Status(0))
}

/// The signal that the program gets by what happened last, in gdb's numbers.
fn signal(event: &Event) -> Option<u32> {
    const SEGV: u32 = 11;
    match event {
        Event::Fault(_) => Some(SEGV),
        Event::Killed(signal) => Some(gdb::signal_number(signal.number())),
        _ => None,
    }
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
            &paths::sight(process, ReduceChoice::Auto, std::iter::empty()),
        );
        return (vec![last_step(&finding)], Some(finding), names);
    }
    let reduce = saved.setting.reduce().unwrap_or(ReduceChoice::Auto);
    let sight = paths::sight(process, reduce, saved.words());
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
