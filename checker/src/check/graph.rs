//! The graph of states as text for Graphviz: for small spaces, to look at.
//!
//! It has the states and moves that a breadth-first search visits with the words at which threads
//! are switched known from the start, so it does not end at an error: everything that goes wrong is
//! in it. Moves that the reduction leaves out are not.

use super::outcomes::ExecutionEnd;
use super::search::{PATIENCE, Plan};
use super::{judge, race};
use crate::explore::choice::{Choice, Wrong};
use crate::explore::engine::{Engine, Expansion};
use crate::explore::moves::Sight;
use crate::explore::space::Space;
use crate::explore::turns::Patience;
use crate::explore::word::Word;
use crate::state::StateId;
use crate::trail::{Names, describe, walk, words};
use samovar_runtime::Process;
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write;

/// States that are drawn; nobody can read more.
const STATES_MAX: usize = 2000;
/// Longest label of a move.
const LABEL_MAX: usize = 60;
/// Colours of threads, from the first on.
const COLOURS: [&str; 6] = ["#1f4e9c", "#b3541e", "#2e7d4f", "#7b3fa0", "#8a6d00", "#00727a"];

/// An end that a state leads to: what it is, and whether it is an error that counts.
type End = (String, bool);

/// What is drawn so far.
#[derive(Default)]
struct Drawing {
    text: String,
    numbers: HashMap<StateId, usize>,
    queue: VecDeque<StateId>,
    moves: usize,
    is_cut: bool,
}

impl Drawing {
    /// The number of a state, which is new if it was not seen before.
    fn number(&mut self, state: StateId) -> Option<usize> {
        if let Some(&number) = self.numbers.get(&state) {
            return Some(number);
        }
        let number = self.numbers.len();
        if STATES_MAX <= number {
            self.is_cut = true;
            return None;
        }
        self.numbers.insert(state, number);
        self.queue.push_back(state);
        Some(number)
    }

    fn ends(&mut self, from: usize, ends: &mut Vec<End>) {
        for (index, (end, is_error)) in ends.drain(..).enumerate() {
            let colour = if is_error { "#c62828" } else { "#777777" };
            let (name, end) = (format!("e{from}_{index}"), quoted(&end));
            let _ = writeln!(
                self.text,
                "  {name} [shape=box, color=\"{colour}\", fontcolor=\"{colour}\", label={end}];\n  \
                 {from} -> {name} [color=\"{colour}\"];"
            );
        }
    }
}

/// Draws the space from where the process stands, which is left there. The journal must be on.
pub fn draw(process: &mut Process, plan: Plan<'_>, contended: &[Word], program: &str) -> String {
    let reduce = plan.options.reduction();
    let patience = Patience::of(plan.options.patience.unwrap_or(PATIENCE));
    let sight = walk::sight(process, reduce, contended.iter().copied())
        .with_patience(patience)
        .with_clock_standing();
    let mut names = Names::of(process);
    let judges = Names::of(process);
    let ends: RefCell<Vec<End>> = RefCell::default();
    let prune = reduce.leaves_out();
    let mut space = Space::new(process, sight, prune, |process, sight, wrong| {
        let counts = judge::counts(wrong, plan.asked);
        let is_told = match wrong {
            Wrong::Race { word } => counts && race::is_race(process, &judges, sight, *word),
            _ => true,
        };
        if is_told {
            let name = match wrong {
                Wrong::Race { word } => {
                    format!("data race on {}", judges.word(process, word.address()).join(", "))
                }
                wrong => ExecutionEnd::with(wrong, &[]).end,
            };
            ends.borrow_mut().push((name, counts));
        }
        false
    });
    let mut drawing = Drawing::default();
    // What was not known to be contended shows now; then all is drawn anew.
    while !round(&mut space, &mut drawing, &mut names, &ends) {
        drawing = Drawing::default();
        ends.borrow_mut().clear();
    }
    space.jump_to_start();
    space.begin_round();
    let (states, moves) = (drawing.numbers.len(), drawing.moves);
    let cut = if drawing.is_cut { ", the rest is left out" } else { "" };
    let title = quoted(&format!("{program}: {states} states, {moves} moves{cut}"));
    format!(
        "digraph states {{\n  label={title};\n  node [shape=circle, fontname=\"sans-serif\"];\n  \
         edge [fontname=\"sans-serif\", fontsize=10];\n  0 [shape=doublecircle];\n{}}}\n",
        drawing.text
    )
}

/// Draws everything once; false if what is contended has changed on the way.
fn round(
    space: &mut Space<'_>,
    drawing: &mut Drawing,
    names: &mut Names,
    ends: &RefCell<Vec<End>>,
) -> bool {
    space.begin_round();
    let sight = space.sight().clone();
    drawing.number(space.state());
    while let Some(state) = drawing.queue.pop_front() {
        space.jump(state);
        let from = drawing.numbers[&state];
        let expansion = space.expand();
        drawing.ends(from, &mut ends.borrow_mut());
        match expansion {
            Expansion::Anew => return false,
            Expansion::Successors => {}
            Expansion::Wrong(_, wrong) => {
                let end = ExecutionEnd::with(&wrong, &[]).end;
                drawing.ends(from, &mut vec![(end, true)]);
                continue;
            }
            Expansion::Unsupported(_, what) => {
                drawing.ends(from, &mut vec![(what.to_string(), true)]);
                continue;
            }
        }
        for successor in space.successors().to_vec() {
            let Some(to) = drawing.number(successor.state) else { continue };
            let label = quoted(&told(space.process(), &sight, names, successor.choice));
            let colour = COLOURS[successor.choice.thread.0 as usize % COLOURS.len()];
            drawing.moves += 1;
            let _ = writeln!(
                drawing.text,
                "  {from} -> {to} [label={label}, color=\"{colour}\", fontcolor=\"{colour}\"];"
            );
        }
    }
    true
}

/// What a move from here does, in words.
fn told(process: &mut Process, sight: &Sight, names: &mut Names, choice: Choice) -> String {
    let mark = process.mark();
    let told = describe::tell(process, sight, &[choice], names);
    process.undo_to(&mark);
    let Some(step) = told.steps.first() else { return names.thread(choice.thread) };
    let line = step.location.line.map_or(String::new(), |line| format!(" {line}"));
    let text = format!("{}{line} {}", step.thread, words::deed(step));
    crate::page::cut(&text.replace(crate::page::TIED, " "), LABEL_MAX).to_string()
}

/// Text as Graphviz reads it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_cannot_end_early() {
        assert_eq!(quoted(r#"a "b" \"#), r#""a \"b\" \\""#);
    }

    #[test]
    fn states_have_one_number_each() {
        let mut drawing = Drawing::default();
        assert_eq!(drawing.number(StateId(7)), Some(0));
        assert_eq!(drawing.number(StateId(9)), Some(1));
        assert_eq!(drawing.number(StateId(7)), Some(0));
        assert_eq!(drawing.queue.len(), 2);
        for id in 10..3000 {
            drawing.number(StateId(id));
        }
        assert!(drawing.is_cut);
        assert_eq!(drawing.numbers.len(), STATES_MAX);
    }
}
