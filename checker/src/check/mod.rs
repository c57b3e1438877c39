//! `samovar check`: everything that a program can do, and what is wrong with it.
//!
//! The program runs alone up to its first thread; from there all interleavings are explored. An
//! error is executed once more from its choices alone, shortened and told step by step; if it does
//! not come out the same, that is a defect of this program and not of the guest.

mod atomic_line;
pub mod autopilot;
mod c_text;
mod deadlock;
mod estimate;
pub mod fillings;
mod graph;
mod held;
mod impatience;
mod judge;
pub mod kind;
pub(crate) mod limits;
pub(crate) mod lossy;
mod macros;
mod native;
pub mod no_return;
mod on_behalf;
mod ordinary;
pub mod outcomes;
mod panic;
pub(crate) mod prefix;
pub(crate) mod progress;
mod properties;
mod race;
mod recording;
pub mod replay;
pub mod search;
pub mod setting;
pub(crate) mod setup;
mod spill;
pub mod state_error;
mod statements;
mod strategy;
pub mod verdict;

use crate::cli::{CheckOptions, ReduceChoice, StoreChoice};
use crate::ending::{self, Ending as ProcessEnding};
use crate::error::CommandError;
use crate::explore::choice::{Choice, Found, Stats, Wrong};
use crate::explore::endless;
use crate::explore::heuristic::target::Target;
use crate::explore::moves::Ending;
use crate::explore::moves::Sight;
use crate::explore::word::Word;
use crate::formula::Properties;
use crate::message::Messages;
use crate::outputs::{self, Output};
use crate::program;
use crate::report::Report;
use crate::run::limit::Limit;
use crate::store::Coverage;
use crate::trail::cost::{self, Wish};
use crate::trail::file::{self, SavedTrail, fingerprints};
use crate::trail::walk::{self, Arrival};
use crate::trail::{Names, Step, describe, shorten, source::Sources};
use autopilot::Attempt;
use limits::Limits;
use no_return::NoReturn;
use outcomes::Outcomes;
use prefix::Prefix;
use progress::Progress;
use samovar_runtime::{self as runtime, Process, ProcessMark};
use samovar_vm::machine::ThreadId;
use setting::Setting;
use state_error::StateError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use verdict::{Finding, Note, Verdict};

/// Time that telling an error may take when the limit is over.
const TELLING: Duration = Duration::from_secs(2);

/// What a check came to, and how.
#[derive(Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// Numbers about the search.
    pub stats: Stats,
    /// Addresses of the words at which threads were switched.
    pub contended: Vec<u64>,
    /// What the search may have omitted, if its store is not exact.
    pub coverage: Option<Coverage>,
    /// Names of these words, as far as they have any.
    pub contended_names: Vec<String>,
    /// The choices that lead to the error.
    pub path: Vec<Choice>,
    /// How often they switch away from a thread that could have gone on.
    pub preemptions: usize,
    /// What is wrong where they lead, if it is not the last move.
    pub state_error: Option<StateError>,
    /// The same in words.
    pub steps: Vec<Step>,
    /// Threads and the functions that they began with.
    pub threads: Vec<(String, Option<String>)>,
    /// What the program wrote on the way to the error.
    pub output: Vec<runtime::Output>,
    /// How executions end, if that was asked for.
    pub ends: Outcomes,
    /// Instructions executed before the first thread.
    pub instructions_alone: u64,
    /// How far it was tried whether uninitialised memory decides anything, if it was.
    pub fillings: Option<fillings::Coverage>,
    /// Up to where the error could have been avoided, if that was found out.
    pub no_return: Option<NoReturn>,
    /// What the autopilot tried, if nobody asked for a search.
    pub attempts: Vec<Attempt>,
    /// What does not count, but may interest.
    pub notes: Vec<Note>,
    /// The blocks of the heap are known, so that misusing them is seen.
    pub is_heap_known: bool,
    /// The graph of states for Graphviz, if that was asked for.
    pub graph: Option<String>,
}

impl Outcome {
    fn of(verdict: Verdict) -> Outcome {
        Outcome {
            verdict,
            stats: Stats::default(),
            contended: Vec::new(),
            contended_names: Vec::new(),
            coverage: None,
            path: Vec::new(),
            preemptions: 0,
            state_error: None,
            steps: Vec::new(),
            threads: Vec::new(),
            output: Vec::new(),
            ends: None,
            instructions_alone: 0,
            fillings: None,
            no_return: None,
            attempts: Vec::new(),
            notes: Vec::new(),
            is_heap_known: true,
            graph: None,
        }
    }
}

/// Obeys `samovar check`.
pub fn check(options: &CheckOptions) -> Result<ProcessEnding, CommandError> {
    if let Some((option, searches)) = options.idle_option() {
        return Err(CommandError::IdleOption { option, searches });
    }
    if let Some((option, stores)) = options.idle_store_option() {
        return Err(CommandError::IdleStoreOption { option, stores });
    }
    let messages = Messages::new(options.loudness());
    let limit = Limit::new(options.time).with_memory(options.memory);
    let setting = Setting::of(options);
    let input = setup::InputFrom::Host(&limit);
    let program = setup::read(&setting, &messages)?;
    look_at_files(options, &setting)?;
    let (mut process, consumed) = setup::load(&program, &setting, input, None)?;
    let properties = properties::of(&setting, &process)?;
    if properties.uses_locals() && options.reduce != ReduceChoice::None {
        return Err(CommandError::LocalsNeedAll);
    }
    let known = known_error(options)?;
    let begin = Instant::now();
    let mut outcome =
        examine(&mut process, (options, &setting), &properties, known.as_ref(), &limit, &messages)?;
    if options.check.contains(&kind::ErrorKind::Memory)
        && matches!(outcome.verdict, Verdict::Verified | Verdict::Incomplete { .. })
    {
        let contended = outcome.contended.iter().map(|addr| Word(addr / 8)).collect();
        let stdin = consumed.bytes();
        let subject = fillings::Subject { program: &program, setting: &setting, stdin, contended };
        let spent = (outcome.instructions_alone, outcome.stats.executed);
        fillings::look(&subject, spent, &limit, &mut outcome)?;
    }
    outcome.is_heap_known = process.models_heap();
    let seconds = begin.elapsed().as_secs_f64();
    add_sources(&mut outcome.steps);

    let (mut trail_file, mut unsaved) = (None, None);
    if let Verdict::Error(finding) = &outcome.verdict {
        let mut saved = SavedTrail::new(&setting, finding.clone());
        saved.stdin = consumed.bytes();
        saved.modules = fingerprints(&process);
        saved.contended = outcome.contended.clone();
        saved.choices = outcome.path.iter().map(|step| (step.thread.0, step.alternative)).collect();
        saved.state_error = outcome.state_error.clone();
        saved.point_of_no_return = outcome.no_return.clone();
        saved.trail = outcome.steps.clone();
        let file = options.trail.clone().unwrap_or_else(|| default_trail(&setting));
        match saved.write(&file) {
            Ok(()) => trail_file = Some(file),
            Err(error) => unsaved = Some(error),
        }
    }
    let report = Report {
        options,
        setting: &setting,
        outcome: &outcome,
        seconds,
        trail_file,
        instructions: process.machine.instructions(),
    };
    let files = report.write_files();
    report.print()?;
    file::tell_unsaved(unsaved, options.trail.is_some(), &messages)?;
    files?;
    Ok(status(&outcome.verdict, &messages))
}

/// Looks whether what the options want written can be written without harm.
fn look_at_files(options: &CheckOptions, setting: &Setting) -> Result<(), CommandError> {
    let default = default_trail(setting);
    let program = program::find(Path::new(&setting.program));
    let others = [
        Output::named("--html", options.html.as_ref()),
        Output::named("--junit", options.junit.as_ref()),
        Output::named("--witness", options.witness.as_ref()),
        Output::named("--dot", options.dot.as_ref()),
    ];
    let trail = Output::or("--trail", options.trail.as_ref(), &default);
    let files: Vec<Output<'_>> = others.into_iter().flatten().chain([trail]).collect();
    let mut inputs = vec![("the program", program.as_path())];
    inputs.extend(options.toward.iter().map(|file| ("the trail of --toward", file.as_path())));
    inputs.extend(options.options_from.iter().map(|file| ("the options", file.as_path())));
    outputs::check(&files, &inputs)
}

/// The trail that a search is directed to, if it is.
fn known_error(options: &CheckOptions) -> Result<Option<SavedTrail>, CommandError> {
    let needed = options.heuristic.as_ref().is_some_and(|names| names.need_target());
    match (&options.toward, needed) {
        (Some(file), true) => Ok(Some(SavedTrail::read(file)?)),
        (None, true) => Err(CommandError::NoTarget),
        (Some(_), false) => Err(CommandError::IdleTarget),
        (None, false) => Ok(None),
    }
}

/// The exit status, and for what is unsupported the message.
fn status(verdict: &Verdict, messages: &Messages) -> ProcessEnding {
    ProcessEnding::Status(match verdict {
        Verdict::Verified => 0,
        Verdict::Error(_) => ending::FOUND,
        Verdict::Incomplete { .. } => ending::INCOMPLETE,
        Verdict::Unsupported { what, location } => {
            messages.error(&format_args!("{what}, {location}"));
            ending::UNUSABLE
        }
    })
}

/// `philo.trail.json` in the working directory.
fn default_trail(setting: &Setting) -> PathBuf {
    let name = Path::new(&setting.program).file_stem().unwrap_or_default();
    let mut file = name.to_os_string();
    file.push(".trail.json");
    file.into()
}

/// Adds the text of the lines; the only thing that is read from the host for a report.
pub(crate) fn add_sources(steps: &mut [Step]) {
    let mut sources = Sources::default();
    for step in steps {
        step.source = sources.line(&step.location);
    }
}

/// A verdict that says where only some of the possible values were tried, and what was not seen.
fn limited(process: &Process, options: &CheckOptions, verdict: Verdict) -> Verdict {
    let leaks = options.check.contains(&kind::ErrorKind::Leak);
    if leaks && !process.models_heap() && matches!(verdict, Verdict::Verified) {
        let reason = "nothing is known of leaks: the program's allocator is not modelled";
        return Verdict::Incomplete { reason: reason.to_string() };
    }
    let types: Vec<&str> = process.boundary_types().collect();
    if types.is_empty() || !matches!(verdict, Verdict::Verified) {
        return verdict;
    }
    let types = types.join(", ");
    Verdict::Incomplete {
        reason: format!("only boundary values were tried for open values of {types}"),
    }
}

/// Runs the prefix, explores the rest, and explains what was found.
fn examine(
    process: &mut Process,
    (options, setting): (&CheckOptions, &Setting),
    properties: &Properties,
    known: Option<&SavedTrail>,
    limit: &Limit,
    messages: &Messages,
) -> Result<Outcome, CommandError> {
    let prefix = prefix::run(process, limit);
    let instructions_alone = process.machine.instructions();
    messages.detail(&format_args!("{instructions_alone} instructions before the first thread"));
    let outcome = match prefix {
        Prefix::Threads => explore(process, (options, setting), properties, known, limit)?,
        Prefix::Over(ending) => match alone(process, options, &ending) {
            outcome if !properties.is_empty() && matches!(outcome.verdict, Verdict::Verified) => {
                let reason = "the program has neither threads nor choices; invariants and goals \
                              are looked at from the first of these on";
                Outcome::of(Verdict::Incomplete { reason: reason.to_string() })
            }
            outcome => outcome,
        },
        Prefix::Deadlock => {
            process.machine.memory.journal.set_on(true);
            let mut names = Names::of(process);
            let finding = deadlock::describe(
                process,
                &mut names,
                &walk::sight(process, ReduceChoice::Auto, std::iter::empty()),
            );
            let steps = vec![last_step(&finding)];
            let verdict = weigh(finding, &options.check);
            let ends = ends_of(options, &Wrong::Deadlock, &process.take_output());
            Outcome { steps, ends, ..Outcome::of(verdict) }
        }
        Prefix::Stopped(reason) => {
            let reason = format!("{reason} before the first thread");
            Outcome::of(Verdict::Incomplete { reason })
        }
        Prefix::TooLong(instructions) => {
            let reason = format!(
                "the program has executed {instructions} instructions before its first thread; \
                 with --time it may go on"
            );
            Outcome::of(Verdict::Incomplete { reason })
        }
    };
    let verdict = limited(process, options, outcome.verdict);
    Ok(Outcome { verdict, instructions_alone, ..outcome })
}

/// The verdict on a program that never had a second thread.
fn alone(process: &mut Process, options: &CheckOptions, ending: &Ending) -> Outcome {
    let names = Names::of(process);
    let output = process.take_output();
    let main = ThreadId(0);
    let ends = ends_of(options, &Wrong::Move(ending.clone()), &output);
    let stats = Stats { states: 1, rounds: 1, terminal: 1, ..Stats::default() };
    if let Ending::Unsupported(what) = ending {
        let location = names.standpoint(process, main);
        return Outcome::of(Verdict::Unsupported { what: what.clone(), location });
    }
    let mut steps = Vec::new();
    let verdict = match judge::judge(process, &names, main, ending, &output) {
        None => Verdict::Verified,
        Some(finding) => {
            steps.push(last_step(&finding));
            weigh(finding, &options.check)
        }
    };
    if !matches!(verdict, Verdict::Error(_)) {
        steps.clear();
    }
    Outcome { stats, steps, output, ends, ..Outcome::of(verdict) }
}

/// The only end of a program that has one execution, if ends were asked for.
fn ends_of(options: &CheckOptions, wrong: &Wrong, output: &[runtime::Output]) -> Outcomes {
    options.outcomes.then(|| outcomes::of_only(wrong, output))
}

/// The step of an error that needed no choice.
fn last_step(finding: &Finding) -> Step {
    Step {
        step: 1,
        thread: finding.thread.clone().unwrap_or_default(),
        location: finding.location.clone().unwrap_or_default(),
        source: None,
        operation: finding.message.clone(),
        ..Step::default()
    }
}

/// Whether a finding counts.
fn weigh(finding: Finding, asked: &[kind::ErrorKind]) -> Verdict {
    match finding.kind {
        kind if kind.counts(asked) => Verdict::Error(finding),
        // An end like any other, and the only one.
        _ => Verdict::Verified,
    }
}

/// Explores all interleavings from the first thread on.
fn explore(
    process: &mut Process,
    (options, setting): (&CheckOptions, &Setting),
    properties: &Properties,
    known: Option<&SavedTrail>,
    limit: &Limit,
) -> Result<Outcome, CommandError> {
    process.take_output();
    let spill = match spill::take(process, options, setting) {
        Ok(spill) => spill,
        Err(error) if error.is_full() => {
            return Ok(Outcome::of(Verdict::Incomplete { reason: error.to_string() }));
        }
        Err(error) => return Err(error.into()),
    };
    process.machine.memory.journal.set_on(true);
    let limits = Limits::new(limit, options.depth);
    let progress = Progress::new(!options.quiet);
    let mut ends = options.outcomes.then(BTreeSet::new);
    let target = known.map_or_else(Target::default, |saved| {
        let words: Vec<Word> = saved.words().collect();
        let reduce = saved.setting.reduce().unwrap_or(ReduceChoice::Auto);
        let sight = walk::sight(process, reduce, words.iter().copied());
        Target::of(process, &sight, &saved.path(), &words)
    });
    let plan = search::Plan { options, asked: &options.check, properties, target: &target };
    let explored = search::explore(process, plan, limits, progress, &mut ends, spill)?;
    let mut start = process.mark();
    let sight = walk::sight(process, options.reduce, explored.contended.iter().copied());
    let mut names = Names::of(process);
    let contended: Vec<u64> = explored.contended.iter().map(|word| word.address()).collect();
    let contended_names = contended_names(process, &names, &contended);
    let mut outcome = match explored.found {
        Found::Nothing if 0 < explored.stats.cut => Outcome::of(Verdict::Incomplete {
            reason: format!(
                "the bound of {} steps cut {} off",
                options.depth.unwrap_or_default(),
                match explored.stats.cut {
                    1 => "a path".to_string(),
                    several => format!("{several} paths"),
                }
            ),
        }),
        Found::Nothing if 0 < explored.stats.counting_loops && options.patience.is_none() => {
            let reason = impatience::reason(process, &explored.counting_loops);
            Outcome::of(Verdict::Incomplete { reason })
        }
        Found::Nothing => Outcome::of(match explored.coverage {
            None => Verdict::Verified,
            Some(coverage) => Verdict::Incomplete { reason: lossy_reason(options, &coverage) },
        }),
        Found::Stopped { reason } => Outcome::of(Verdict::Incomplete { reason }),
        Found::Error { path, error } => {
            let wish = strategy::wish(options);
            let grace = limit.with_grace(TELLING);
            let path = shortened(process, &mut start, &sight, path, &error, (wish, &grace));
            let (_, cost) = cost::follow(process, &sight, &path);
            process.undo_to(&start);
            let mut outcome =
                explain(process, &sight, path, &error, &mut names, (options, properties));
            process.undo_to(&start);
            if matches!(outcome.verdict, Verdict::Error(_)) && !grace.is_over() {
                let question = no_return::Question {
                    path: &outcome.path,
                    error: &error,
                    sight: &sight,
                    asked: &options.check,
                    properties,
                    limit: &grace,
                };
                outcome.no_return = no_return::find(process, &mut names, &question);
            }
            outcome.preemptions = cost.preemptions;
            start = process.mark();
            outcome
        }
        Found::Unsupported { path, what } => {
            let told = describe::tell(process, &sight, &path, &mut names);
            let thread = path.last().map_or(ThreadId(0), |choice| choice.thread);
            let location = names.standpoint(process, thread);
            Outcome { steps: told.steps, ..Outcome::of(Verdict::Unsupported { what, location }) }
        }
    };
    process.undo_to(&start);
    outcome.ends = ends;
    outcome.stats = explored.stats;
    outcome.coverage = explored.coverage;
    outcome.attempts = explored.attempts;
    outcome.notes = explored.notes;
    (outcome.contended, outcome.contended_names) = (contended, contended_names);
    if options.dot.is_some() {
        let program = options.program().to_string_lossy();
        outcome.graph = Some(graph::draw(process, plan, &explored.contended, &program));
    }
    Ok(outcome)
}

/// Why a search proves nothing whose store may have omitted states.
fn lossy_reason(options: &CheckOptions, coverage: &Coverage) -> String {
    let endless = match options.store {
        StoreChoice::Exact | StoreChoice::Reconstruct => "",
        StoreChoice::Compact | StoreChoice::Bitstate => {
            "; runs without end were not judged; --store exact proves more"
        }
    };
    format!("{}{endless}", coverage.reason())
}

/// A shorter path to the same error, where the search is one that takes long ways.
fn shortened(
    process: &mut Process,
    start: &mut ProcessMark,
    sight: &Sight,
    path: Vec<Choice>,
    error: &Wrong,
    wish: (Wish, &Limit),
) -> Vec<Choice> {
    if *error == Wrong::Move(Ending::Diverges) {
        // Every attempt would take as long as it takes to find that out.
        return path;
    }
    let goal = match (error, path.last()) {
        (Wrong::Move(ending), Some(last)) => {
            Arrival::Ended { steps: path.len(), thread: last.thread, ending: ending.clone() }
        }
        (Wrong::Deadlock, _) => Arrival::Deadlock,
        // It takes a whole search to see that nothing else can happen any more.
        _ => return path,
    };
    shorten::shorten(process, start, sight, path, &goal, wish)
}

/// Executes the path to an error again and tells it.
fn explain(
    process: &mut Process,
    sight: &Sight,
    path: Vec<Choice>,
    error: &Wrong,
    names: &mut Names,
    (options, properties): (&CheckOptions, &Properties),
) -> Outcome {
    let told = describe::tell(process, sight, &path, names);
    assert_eq!(told.steps.len(), path.len(), "internal error: a trail ends before its error");
    let mut steps = told.steps;
    let state_error = StateError::of(error);
    let finding = match error {
        Wrong::Move(ending) => {
            let (thread, last) = told.last.expect("a move that went wrong is on the path");
            assert_eq!(last, *ending, "internal error: a trail leads to another error");
            if last == Ending::Diverges
                && endless::circle(process, thread, endless::WINDOW, &|_| false).is_none()
            {
                let reason = format!(
                    "{} works on without end in sight and without a visible operation, {}",
                    names.thread(thread),
                    names.standpoint(process, thread)
                );
                return Outcome::of(Verdict::Incomplete { reason });
            }
            let finding = judge::judge(process, names, thread, ending, &told.output);
            let finding = finding.expect("internal error: a search stopped at nothing wrong");
            if let Some(last) = steps.last_mut() {
                last.operation = finding.message.clone();
                if finding.thread.as_deref() == Some(last.thread.as_str()) {
                    last.location = finding.location.clone().unwrap_or_default();
                }
            }
            finding
        }
        _ => {
            let last = path.last().map(|choice| choice.thread);
            let state_error = state_error.as_ref().expect("an error of a state");
            let found = state_error.describe(process, names, sight, properties, last);
            found.expect("internal error: the error is not there any more")
        }
    };
    let threads = (0..process.machine.thread_count()).map(ThreadId);
    let threads = threads
        .map(|thread| (names.thread(thread), names.start_of(thread).map(str::to_string)))
        .collect();
    let verdict = if finding.kind.counts(&options.check) {
        Verdict::Error(finding)
    } else {
        let kind = finding.kind.name();
        Verdict::Incomplete {
            reason: format!(
                "an error of a kind that was not asked for ({kind}): {}",
                finding.message
            ),
        }
    };
    let output = told.output;
    Outcome { path, state_error, steps, threads, output, ..Outcome::of(verdict) }
}

/// Names of what lies in these words, each once, in the order of their addresses.
fn contended_names(process: &Process, names: &Names, words: &[u64]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in words.iter().flat_map(|&addr| names.word(process, addr)) {
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The reduction that a check used, for reports.
pub fn reduction(reduce: ReduceChoice) -> &'static str {
    match reduce {
        ReduceChoice::Auto => "contended words and stubborn sets, to a fixpoint",
        ReduceChoice::Contended => "contended words, to a fixpoint",
        ReduceChoice::Lgc => "locks and static variables",
        ReduceChoice::None => "none",
    }
}
