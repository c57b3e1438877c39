//! Which steps of a long trail are shown, and which are only counted.
//!
//! A long stretch of one thread keeps its first and its last steps; of what remains, if it is still
//! too much, the middle goes. Steps of the kind that explain an error are at the ends.

use super::describe::Step;

/// Steps of one thread in a row from which on the inner ones are folded.
const STRETCH: usize = 12;
/// Steps that stay on both sides of a fold.
const KEPT: usize = 4;
/// Steps shown at the start and at the end of a long trail.
const ENDS: usize = 60;

/// A line of a shown trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// The step with this index.
    Step(usize),
    /// Steps of one thread that are left out: from this index, this many.
    Stretch(usize, usize),
    /// Steps of several threads that are left out: this many.
    Middle(usize),
}

/// What is shown of these steps; everything if `whole`.
pub fn fold(steps: &[Step], whole: bool) -> Vec<Shown> {
    if whole {
        return (0..steps.len()).map(Shown::Step).collect();
    }
    let mut shown = Vec::new();
    let mut start = 0;
    while start < steps.len() {
        let same = |step: &&Step| step.thread == steps[start].thread;
        let length = steps[start..].iter().take_while(same).count();
        let end = start + length;
        if length < STRETCH {
            shown.extend((start..end).map(Shown::Step));
        } else {
            shown.extend((start..start + KEPT).map(Shown::Step));
            shown.push(Shown::Stretch(start + KEPT, length - 2 * KEPT));
            shown.extend((end - KEPT..end).map(Shown::Step));
        }
        start = end;
    }
    if shown.len() <= 2 * ENDS + 1 {
        return shown;
    }
    let middle = &shown[ENDS..shown.len() - ENDS];
    let count = |line: &Shown| match line {
        Shown::Step(_) => 1,
        Shown::Stretch(_, count) | Shown::Middle(count) => *count,
    };
    let missing = middle.iter().map(count).sum();
    let mut cut = shown[..ENDS].to_vec();
    cut.push(Shown::Middle(missing));
    cut.extend_from_slice(&shown[shown.len() - ENDS..]);
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(threads: impl Iterator<Item = u32>) -> Vec<Step> {
        threads.map(|thread| Step { thread: format!("T{thread}"), ..Step::default() }).collect()
    }

    fn told(lines: &[Shown]) -> usize {
        let count = |line: &Shown| match line {
            Shown::Step(_) => 1,
            Shown::Stretch(_, count) | Shown::Middle(count) => *count,
        };
        lines.iter().map(count).sum()
    }

    #[test]
    fn short_trails_are_shown_whole() {
        let steps = steps((0..50).map(|step| step % 3));
        assert_eq!(fold(&steps, false), fold(&steps, true));
    }

    #[test]
    fn long_stretches_are_folded() {
        let steps = steps(std::iter::repeat_n(1, 100).chain([2]));
        let shown = fold(&steps, false);
        assert_eq!(shown[KEPT], Shown::Stretch(4, 92));
        assert_eq!(shown.last(), Some(&Shown::Step(100)));
        assert_eq!(told(&shown), 101);
    }

    #[test]
    fn the_middle_goes_last() {
        let steps = steps((0..10_000).map(|step| step % 3));
        let shown = fold(&steps, false);
        assert_eq!(shown.len(), 2 * ENDS + 1);
        assert_eq!(told(&shown), 10_000);
    }
}
