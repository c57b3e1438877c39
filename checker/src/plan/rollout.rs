//! Planning by simulation: whole courses of the program are tried out, and the best one is kept.
//!
//! First courses are made by chance from the present state; then the best one is followed up to
//! some round and continued by chance from there, again and again. What agents decide in a course
//! is a plan: a sequence of suggestions for each of them. A simulation that is given these will
//! not go the same way, because its agents take their turns in another order; so a plan that looks
//! good is tried out some times with turns by chance, and what comes out on the average is what
//! it is worth. Having no plan at all is judged likewise, and is where the search begins. Agents
//! that can be told to wait go the plan's way: for these, once is enough, and any plan will do.
//!
//! A plan is better if more of its courses come to an end, or else if the evaluation there is
//! better, or else if they are over sooner.

use super::agents::{Course, Decision, Over, Script, is_idle};
use super::ahead::Ahead;
use super::interleave::Evaluation;
use crate::run::limit::Limit;
use crate::run::random::Random;
use samovar_runtime::{Process, ProcessMark};

/// Courses by chance before the best one is varied.
const FRESH: u32 = 12;
/// Variations of the best course from one round on.
const VARIATIONS: u32 = 4;
/// Trials of a plan, where the order of turns can make a difference.
const TRIALS: i64 = 6;

/// How much a phase may do.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Steps of agents.
    pub steps: u64,
    /// Or so long.
    pub time: Limit,
    /// Rounds of one course.
    pub rounds: u64,
}

/// How good plans are, or courses; the greatest is the best. Sums over all trials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Worth {
    over: i64,
    value: i64,
    /// Negated: sooner is better.
    time: i64,
}

impl Worth {
    fn plus(self, other: Worth) -> Worth {
        Worth {
            over: self.over + other.over,
            value: self.value.saturating_add(other.value),
            time: self.time + other.time,
        }
    }

    /// As much as so many trials of this.
    fn times(self, trials: i64) -> Worth {
        let value = self.value.saturating_mul(trials);
        Worth { over: self.over * trials, value, time: self.time * trials }
    }
}

/// Tries courses out.
pub struct Rollouts<'a> {
    process: &'a mut Process,
    evaluation: &'a Evaluation,
    random: &'a mut Random,
    budget: Budget,
    /// Steps of agents so far.
    pub steps: u64,
    /// Trials of each plan.
    trials: i64,
    /// The best plan: how it came about, and what it says.
    script: Script,
    decisions: Vec<Decision>,
    worth: Worth,
}

impl<'a> Rollouts<'a> {
    /// From where the process stands; the journal must be on.
    pub fn new(
        process: &'a mut Process,
        evaluation: &'a Evaluation,
        random: &'a mut Random,
        budget: Budget,
    ) -> Self {
        // Agents that can be told to wait go the plan's way.
        let waits = process.suggestions().iter().all(|cell| cell.wait.is_some());
        Rollouts {
            trials: if waits { 1 } else { TRIALS },
            process,
            evaluation,
            random,
            budget,
            steps: 0,
            script: Script::default(),
            decisions: Vec::new(),
            worth: Worth::default(),
        }
    }

    fn is_over(&self) -> bool {
        self.budget.steps <= self.steps || self.budget.time.is_over()
    }

    /// The decisions of the best plan, in their order. The process stands where it did.
    pub fn run(&mut self) -> Vec<Decision> {
        let start = self.process.mark();
        for index in 0..self.process.suggestions().len() {
            let cell = self.process.suggestions()[index];
            if is_idle(self.process, &cell) {
                self.process.set_cell(cell.addr, cell.len, cell.empty);
            }
        }
        let cleared = self.process.mark();
        self.worth = if 1 < self.trials {
            self.judged(&[], &cleared, None)
        } else {
            // Any plan is better than chance, which may have been lucky.
            Worth { over: 0, value: i64::MIN, time: i64::MIN }
        };
        let mut fresh = 0;
        while !self.is_over() {
            let rounds = self.script.rounds.len();
            let is_fresh = fresh < FRESH || rounds == 0;
            fresh += u32::from(is_fresh);
            if is_fresh {
                self.vary(0, 1, &cleared);
            } else {
                let from = self.random.below(rounds as u64) as usize;
                self.vary(from, VARIATIONS, &cleared);
            }
            if fresh == 8 * FRESH && self.script.rounds.is_empty() {
                break;
            }
        }
        self.process.undo_to(&start);
        std::mem::take(&mut self.decisions)
    }

    /// Follows the best course for some rounds and goes on by chance, several times.
    fn vary(&mut self, from: usize, times: u32, cleared: &ProcessMark) {
        let mut course = Course::default();
        let mut promising: Vec<(Script, Vec<Decision>)> = Vec::new();
        for round in 0..from {
            course.again(self.process, &self.script, round);
        }
        self.steps += course.script.steps.len() as u64;
        let (time, decided, rounds) =
            (course.time, course.decisions.len(), course.script.rounds.len());
        let mark = self.process.mark();
        for _ in 0..times {
            let worth = self.finish(&mut course, None);
            self.process.undo_to(&mark);
            if worth.is_some_and(|worth| self.worth < worth.times(self.trials)) {
                promising.push((course.script.clone(), course.decisions.clone()));
            }
            course.time = time;
            course.decisions.truncate(decided);
            course.script.truncate(rounds);
            if self.is_over() {
                break;
            }
        }
        self.process.undo_to(cleared);
        for (script, decisions) in promising {
            let worth = self.judged(&decisions, cleared, Some(self.worth));
            if self.worth < worth {
                (self.script, self.decisions, self.worth) = (script, decisions, worth);
            }
        }
    }

    /// What comes of a plan on the average; given up if it cannot be better than another.
    fn judged(
        &mut self,
        decisions: &[Decision],
        cleared: &ProcessMark,
        rival: Option<Worth>,
    ) -> Worth {
        let cells = self.process.suggestions().len();
        let mut sum = Worth::default();
        for trial in 1..=self.trials {
            let mut course = Course::default();
            let ahead = Ahead::new(decisions, cells, 0);
            let worth = self.finish(&mut course, Some(ahead));
            self.process.undo_to(cleared);
            sum = sum.plus(worth.unwrap_or_default());
            let is_bad = rival.is_some_and(|rival| {
                let part = sum.times(self.trials);
                let rival = rival.times(trial);
                (part.over, part.value, part.time) < (rival.over, rival.value, rival.time)
            });
            if is_bad && 1 < trial {
                return Worth::default();
            }
        }
        sum
    }

    /// Goes on to the end of the program, with suggestions if there are any; nothing if that
    /// takes so long that it can be no better than what there is.
    fn finish(&mut self, course: &mut Course, mut ahead: Option<Ahead>) -> Option<Worth> {
        let steps_before = course.script.steps.len();
        let may_stop =
            ahead.is_none() && self.evaluation.is_trivial() && self.worth.over == self.trials;
        let bound =
            if may_stop { self.worth.time.unsigned_abs() / self.trials as u64 } else { u64::MAX };
        let rounds_max = course.script.rounds.len() as u64 + self.budget.rounds;
        let over = loop {
            if bound < course.time || rounds_max <= course.script.rounds.len() as u64 {
                break None;
            }
            if let Some(ahead) = ahead.as_ref().filter(|ahead| ahead.is_valid) {
                ahead.suggest(self.process, |_, _, _| {});
            }
            let over = course.round(self.process, self.random);
            if let Some(ahead) = &mut ahead {
                ahead.follow(course);
            }
            if over.is_some() {
                break over;
            }
            if self.evaluation.is_reached(self.process) {
                break Some(Over::Exited(0));
            }
        };
        self.steps += (course.script.steps.len() - steps_before) as u64;
        if bound < course.time {
            return None;
        }
        Some(Worth {
            over: i64::from(over == Some(Over::Exited(0))),
            value: self.evaluation.value(self.process),
            time: -(course.time as i64),
        })
    }
}
