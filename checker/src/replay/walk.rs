//! A walk through a trail, step by step, in the terminal or by a script.

use super::command::{Command, HELP};
use super::doing::doing;
use super::tape::Tape;
use crate::formula::{Formula, Watched};
use crate::page::{TIED, clean};
use crate::trail::source::Sources;
use crate::trail::words::{deed, further_changes};
use crate::trail::{Names, Step};
use samovar_vm::debug::DebugModules;
use samovar_vm::machine::ThreadId;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::sync::Arc;

/// Lines shown before and after the step's.
const AROUND: usize = 4;

/// What is walked through.
#[derive(Debug)]
pub struct Story<'s> {
    /// The steps in words.
    pub steps: &'s [Step],
    /// The error in a sentence.
    pub error: String,
    /// The whole trail as text.
    pub trail: String,
    /// For expressions.
    pub debug: Arc<DebugModules>,
}

/// See the module head.
pub struct Walk<'t, 'a> {
    tape: &'t mut Tape<'a>,
    story: Story<'t>,
    names: &'t Names,
    sources: Sources,
    /// Steps that were made.
    at: usize,
    /// The only thread whose steps count.
    only: Option<String>,
    last: Command,
}

impl<'t, 'a> Walk<'t, 'a> {
    /// A walk that begins before the first step.
    pub fn new(tape: &'t mut Tape<'a>, story: Story<'t>, names: &'t Names) -> Walk<'t, 'a> {
        let (sources, only) = (Sources::default(), None);
        let mut walk = Walk { tape, story, names, sources, at: 0, only, last: Command::Next(1) };
        walk.go(0);
        walk
    }

    /// Obeys lines until they end. The prompt is for people only.
    pub fn obey(
        mut self,
        mut input: impl BufRead,
        output: &mut impl Write,
        prompt: bool,
    ) -> io::Result<()> {
        let count = self.story.steps.len();
        writeln!(output, "{count} steps lead to the error; `help` lists the commands")?;
        loop {
            if prompt {
                write!(output, "({} of {count}) ", self.at)?;
                output.flush()?;
            }
            let mut line = String::new();
            if input.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let command = match line.trim() {
                "" if prompt => Ok(self.last.clone()),
                "" => continue,
                text => text.parse::<Command>(),
            };
            match command {
                Ok(Command::Quit) => return Ok(()),
                Ok(command) => {
                    if matches!(command, Command::Next(_) | Command::Previous(_)) {
                        self.last = command.clone();
                    }
                    let answer = self.answer(&command);
                    output.write_all(answer.as_bytes())?;
                }
                Err(complaint) => writeln!(output, "{complaint}")?,
            }
        }
    }

    fn answer(&mut self, command: &Command) -> String {
        let count = self.story.steps.len();
        match command {
            Command::Next(number) => {
                let ahead: Vec<usize> =
                    (self.at + 1..=count).filter(|it| self.counts(*it)).collect();
                match ahead.get(number.saturating_sub(1)).or(ahead.last()) {
                    Some(&step) => self.show(step),
                    None => format!("there are no more steps: {}\n", self.story.error),
                }
            }
            Command::Previous(number) => {
                let behind: Vec<usize> =
                    (0..self.at).rev().filter(|it| *it == 0 || self.counts(*it)).collect();
                match behind.get(number.saturating_sub(1)).or(behind.last()) {
                    Some(&step) => self.show(step),
                    None => "this is the start\n".to_string(),
                }
            }
            Command::To(step) if *step <= count => self.show(*step),
            Command::To(_) => format!("there are {count} steps only\n"),
            Command::End => self.show(count),
            Command::Until(text) => self.until(text),
            Command::Thread(name) => self.filter(name.as_deref()),
            Command::Print(text) => self.print(text),
            Command::Where => self.threads(),
            Command::Locks => self.locks(),
            Command::List => self.lines(),
            Command::Trail => self.story.trail.clone(),
            Command::Help => HELP.to_string(),
            Command::Quit => String::new(),
        }
    }

    /// Whether a step is of a thread that counts.
    fn counts(&self, step: usize) -> bool {
        let thread = step.checked_sub(1).and_then(|index| self.story.steps.get(index));
        let only = self.only.as_deref();
        only.is_none_or(|only| thread.is_some_and(|step| step.thread == only))
    }

    /// Brings the tape to where a step has been made.
    fn go(&mut self, step: usize) {
        let position = self.tape.after_choices(step, self.story.steps.len());
        self.tape.go_to(position);
        self.at = step;
    }

    /// Goes to a step and tells it.
    fn show(&mut self, number: usize) -> String {
        self.go(number);
        let Some(step) = number.checked_sub(1).and_then(|index| self.story.steps.get(index)) else {
            return "at the start, before the first step\n".to_string();
        };
        let place = step.location.short().unwrap_or_else(|| step.location.to_string());
        let mut text = format!("{number}  {}  {place}  {}\n", step.thread, deed(step));
        if let Some(source) = &step.source {
            let _ = writeln!(text, "       {}", clean(source));
        }
        for change in further_changes(step) {
            let _ = writeln!(text, "       {change}");
        }
        if number == self.story.steps.len() {
            let _ = writeln!(text, "{}", self.story.error);
        }
        text.replace(TIED, " ")
    }

    fn filter(&mut self, name: Option<&str>) -> String {
        let known = |name: &str| self.story.steps.iter().any(|step| step.thread == name);
        match name {
            None => {
                self.only = None;
                "steps of all threads count\n".to_string()
            }
            Some(name) if known(name) => {
                self.only = Some(name.to_string());
                format!("only steps of {name} count\n")
            }
            Some(name) => format!("no step is of a thread {name}\n"),
        }
    }

    /// The thread of the step that was made last.
    fn thread(&self) -> ThreadId {
        let step = self.at.checked_sub(1).and_then(|index| self.story.steps.get(index));
        let name = step.map_or("main", |step| step.thread.as_str());
        let mut all = (0..self.tape.process().machine.thread_count()).map(ThreadId);
        all.find(|thread| self.names.thread(*thread) == name).unwrap_or(ThreadId(0))
    }

    /// An expression, as it is or as one over the locals of the present thread's function.
    fn formula(&self, text: &str) -> Result<Watched, String> {
        let tie = |text: &str| {
            Formula::parse(text)
                .and_then(|it| it.resolve(&self.story.debug))
                .map_err(|e| e.to_string())
        };
        tie(text).or_else(|complaint| {
            let thread = self.thread();
            let place = self.names.standpoint(self.tape.process(), thread);
            let local = place.function.map(|it| format!("thread[{}]::{it}::{text}", thread.0));
            let own = format!("thread[{}]::{text}", thread.0);
            let mut others = local.into_iter().chain([own]);
            others.find_map(|text| tie(&text).ok()).ok_or(complaint)
        })
    }

    fn print(&self, text: &str) -> String {
        let watched = match self.formula(text) {
            Ok(watched) => watched,
            Err(complaint) => return format!("{complaint}\n"),
        };
        let process = self.tape.process();
        let variables = watched.variables(process);
        match variables.as_slice() {
            // As the program's author would write it: enumerators, characters.
            [(name, value)] if name == watched.text() => format!("{text} = {value}\n"),
            _ => format!("{text} = {}\n", watched.value(process)),
        }
    }

    fn until(&mut self, text: &str) -> String {
        let watched = match self.formula(text) {
            Ok(watched) => watched,
            Err(complaint) => return format!("{complaint}\n"),
        };
        let from = self.at;
        for step in from + 1..=self.story.steps.len() {
            self.go(step);
            if self.counts(step) && watched.holds(self.tape.process()) == Some(true) {
                return self.show(step);
            }
        }
        self.go(from);
        format!("{text} is not true after any of the steps from here on\n")
    }

    fn threads(&self) -> String {
        let process = self.tape.process();
        let mut text = String::new();
        for thread in (0..process.machine.thread_count()).map(ThreadId) {
            let name = match self.names.start_of(thread) {
                Some(start) => format!("{} ({start})", self.names.thread(thread)),
                None => self.names.thread(thread),
            };
            let what = doing(process, self.names, thread);
            let alive = process.threads()[thread.0 as usize].is_alive();
            let place = self.names.standpoint(process, thread);
            let _ = match alive {
                true => writeln!(text, "{name}: {place}, {what}"),
                false => writeln!(text, "{name}: {what}"),
            };
        }
        text
    }

    fn locks(&self) -> String {
        let mut holders: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for change in self.story.steps[..self.at].iter().flat_map(|step| &step.locks) {
            holders.insert(&change.object, change.holder.as_deref());
        }
        let mut text = String::new();
        for (lock, holder) in holders {
            let _ = match holder {
                Some(holder) => writeln!(text, "{lock}: held by {holder}"),
                None => writeln!(text, "{lock}: free"),
            };
        }
        if text.is_empty() { "no lock was taken so far\n".to_string() } else { text }
    }

    /// The source around the step that was made last.
    fn lines(&mut self) -> String {
        let step = self.story.steps.get(self.at.saturating_sub(1));
        let location = step.map(|step| (step.location.file.clone(), step.location.line));
        let Some((Some(file), Some(line))) = location else {
            return "the step has no place in the source\n".to_string();
        };
        let Some(lines) = self.sources.lines(&file) else {
            return format!("{file} is not there\n");
        };
        let line = line as usize;
        let mut text = String::new();
        let from = line.saturating_sub(AROUND + 1);
        for (index, source) in lines.iter().enumerate().skip(from).take(2 * AROUND + 1) {
            let mark = if index + 1 == line { '>' } else { ' ' };
            let _ = writeln!(text, "{mark}{:5} {}", index + 1, clean(source));
        }
        text
    }
}
