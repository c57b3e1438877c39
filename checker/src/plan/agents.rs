//! Steps of agents: how a simulation runs threads.
//!
//! A *step* of a thread ends behind an atomic region of the program, where the thread waits or
//! gives way, and where it ends; a thread that says something about itself as an agent (where it
//! reads suggestions, whether it is busy) outside of a region stops there, so that agents are known
//! before they act. A *round* is one step of every thread that can run, in some order. Rounds in
//! which no region was left are preparations and take no time.

use crate::run::random::Random;
use samovar_runtime::{Activity, Event, Mark, Observer, Process, Suggestion, Unsupported};
use samovar_vm::machine::ThreadId;
use samovar_vm::monitor::Monitor;

/// Instructions in one piece of a step.
const PIECE: u64 = 1 << 20;
/// Pieces after which a step counts as endless.
const PIECES_MAX: u32 = 256;

/// Why a simulation is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Over {
    /// The program has ended with this status.
    Exited(i32),
    /// Nobody can go on.
    Stuck,
    /// Something went wrong.
    Failed(ThreadId, String),
    /// Something is not supported.
    Unsupported(ThreadId, Unsupported),
}

/// Everything that was decided in a simulation, for making it again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Who made a step, and where its choices end.
    pub steps: Vec<(ThreadId, usize)>,
    /// What was chosen.
    pub choices: Vec<u32>,
    /// Where the steps of each round end.
    pub rounds: Vec<usize>,
}

impl Script {
    /// Forgets all rounds but the first ones.
    pub fn truncate(&mut self, rounds: usize) {
        self.rounds.truncate(rounds);
        self.steps.truncate(self.rounds.last().copied().unwrap_or(0));
        self.choices.truncate(self.steps.last().map_or(0, |step| step.1));
    }
}

/// A decision of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The number of its cell.
    pub cell: usize,
    /// What it has put there.
    pub value: u64,
    /// In which round.
    pub round: usize,
}

/// What happens in a simulation.
#[derive(Debug, Default)]
pub struct Course {
    /// What was decided, by schedule and choices.
    pub script: Script,
    /// What agents decided, as their cells tell: those that became busy.
    pub decisions: Vec<Decision>,
    /// What the program said, with the time.
    pub marks: Option<Vec<(u64, ThreadId, Mark)>>,
    /// Rounds that count.
    pub time: u64,
    order: Vec<ThreadId>,
    decided: Vec<(u64, u64)>,
}

/// One step of a thread, chosen by chance or by a script.
struct Stepping<'a> {
    chooser: Chooser<'a>,
    choices: &'a mut Vec<u32>,
    decided: &'a mut Vec<(u64, u64)>,
    marks: Option<Vec<Mark>>,
    inside: bool,
    region_over: bool,
    announced: bool,
}

/// Who makes choices.
enum Chooser<'a> {
    Chance(&'a mut Random),
    Script(&'a [u32]),
}

impl Monitor for Stepping<'_> {
    const JOURNAL: bool = true;
    const SHADOW: bool = true;
    const ACCESSES: bool = false;
}

impl Observer for Stepping<'_> {
    fn atomic_call(&mut self, inside: bool) {
        self.inside = inside;
    }

    fn choose(&mut self, alternatives: u32) -> u32 {
        let chosen = match &mut self.chooser {
            Chooser::Chance(random) => random.below(u64::from(alternatives.max(1))) as u32,
            Chooser::Script(script) => match script.split_first() {
                Some((&first, rest)) => {
                    *script = rest;
                    first.min(alternatives.saturating_sub(1))
                }
                None => 0,
            },
        };
        self.choices.push(chosen);
        chosen
    }

    fn region_over(&mut self) {
        self.region_over = true;
    }

    fn announced(&mut self) {
        self.announced |= !self.inside;
    }

    fn decided(&mut self, cell: u64, value: u64) {
        self.decided.push((cell, value));
    }

    fn wants_marks(&self) -> bool {
        self.marks.is_some()
    }

    fn mark(&mut self, mark: Mark) {
        self.marks.get_or_insert_default().push(mark);
    }

    fn is_past_operation(&self) -> bool {
        (self.region_over || self.announced) && !self.inside
    }
}

/// How a step of a thread came out.
enum Stepped {
    /// A region was left.
    Acted,
    /// Something else was done.
    Prepared,
    Over(Over),
}

/// Makes one step of a thread.
fn step(process: &mut Process, thread: ThreadId, stepping: &mut Stepping<'_>) -> Stepped {
    for _ in 0..PIECES_MAX {
        let event = process.step(thread, PIECE, stepping);
        let failed = |what: String| Stepped::Over(Over::Failed(thread, what));
        return match event {
            Event::Budget => continue,
            Event::Access(_) | Event::Blocked | Event::Yielded | Event::ThreadExited => {
                if stepping.region_over { Stepped::Acted } else { Stepped::Prepared }
            }
            Event::ProcessExited(status) => Stepped::Over(Over::Exited(status)),
            Event::Unsupported(what) => Stepped::Over(Over::Unsupported(thread, what)),
            Event::Killed(signal) => failed(format!("the program is killed by {signal}")),
            Event::Fault(fault) => failed(format!("illegal access: {fault}")),
            Event::Misuse { function, misuse, .. } => failed(format!("{function}: {misuse}")),
            Event::Violated(violation) => failed(violation.to_string()),
            Event::Pruned => failed("the program assumes that this does not happen".to_string()),
        };
    }
    let what = "an agent works on without end and without leaving an atomic region".to_string();
    Stepped::Over(Over::Failed(thread, what))
}

impl Course {
    /// One in which the program is listened to.
    pub fn listening() -> Course {
        Course { marks: Some(Vec::new()), ..Course::default() }
    }

    /// One round, decided by chance.
    pub fn round(&mut self, process: &mut Process, random: &mut Random) -> Option<Over> {
        process.wake_due(process.now_ns());
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(process.runnable());
        for at in (1..order.len()).rev() {
            order.swap(at, random.below(at as u64 + 1) as usize);
        }
        if order.is_empty() {
            match process.next_deadline() {
                Some(deadline) => process.wake_due(deadline),
                None => return Some(Over::Stuck),
            }
        }
        let mut acted = false;
        let mut over = None;
        for &thread in &order {
            let chooser = Chooser::Chance(random);
            over = self.step(process, thread, chooser, &mut acted);
            if over.is_some() {
                break;
            }
        }
        self.order = order;
        self.script.rounds.push(self.script.steps.len());
        self.time += u64::from(acted);
        over
    }

    /// One round of a script.
    pub fn again(&mut self, process: &mut Process, script: &Script, round: usize) -> Option<Over> {
        process.wake_due(process.now_ns());
        let first = if round == 0 { 0 } else { script.rounds[round - 1] };
        let steps = first..script.rounds[round];
        if steps.is_empty() {
            match process.next_deadline() {
                Some(deadline) => process.wake_due(deadline),
                None => return Some(Over::Stuck),
            }
        }
        let mut acted = false;
        let mut over = None;
        for index in steps {
            let (thread, end) = script.steps[index];
            let start = if index == 0 { 0 } else { script.steps[index - 1].1 };
            let chooser = Chooser::Script(&script.choices[start..end]);
            if process.threads().get(thread.0 as usize).is_none() {
                return Some(Over::Stuck);
            }
            over = self.step(process, thread, chooser, &mut acted);
            if over.is_some() {
                break;
            }
        }
        self.script.rounds.push(self.script.steps.len());
        self.time += u64::from(acted);
        over
    }

    fn step(
        &mut self,
        process: &mut Process,
        thread: ThreadId,
        chooser: Chooser<'_>,
        acted: &mut bool,
    ) -> Option<Over> {
        let mut stepping = Stepping {
            chooser,
            choices: &mut self.script.choices,
            decided: &mut self.decided,
            marks: self.marks.is_some().then(Vec::new),
            inside: false,
            region_over: false,
            announced: false,
        };
        let stepped = step(process, thread, &mut stepping);
        let heard = stepping.marks.take();
        self.script.steps.push((thread, self.script.choices.len()));
        if let (Some(marks), Some(heard)) = (&mut self.marks, heard) {
            marks.extend(heard.into_iter().map(|mark| (self.time, thread, mark)));
        }
        for (addr, value) in self.decided.drain(..) {
            let is_own = |cell: &Suggestion| (cell.thread, cell.addr) == (thread, addr);
            if let Some(cell) = process.suggestions().iter().position(is_own) {
                let round = self.script.rounds.len();
                self.decisions.push(Decision { cell, value, round });
            }
        }
        match stepped {
            Stepped::Acted => *acted = true,
            Stepped::Prepared => {}
            Stepped::Over(over) => return Some(over),
        }
        None
    }
}

/// Whether an agent has nothing to do, as far as it says.
pub fn is_idle(process: &Process, cell: &Suggestion) -> bool {
    let thread = &process.threads()[cell.thread.0 as usize];
    thread.is_alive() && thread.activity != Activity::Busy
}
