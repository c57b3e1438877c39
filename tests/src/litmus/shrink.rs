//! Making a program smaller while something stays true of it: statements are dropped, blocks are
//! replaced by what they contain, until nothing more can go.

use super::program::{Program, Statement};

/// The smallest program found for which `still` holds; it must hold for `program`.
pub fn shrink(program: &Program, still: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| still(candidate));
        match smaller {
            Some(smaller) => best = smaller,
            None => return best,
        }
    }
}

/// Programs that are one step smaller, the much smaller ones first.
pub fn candidates(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    for thread in 0..program.threads.len() {
        if thread > 0 && !program.threads[thread].body.is_empty() {
            let mut smaller = program.clone();
            smaller.threads[thread].body.retain(creates);
            if smaller != *program {
                found.push(smaller);
            }
        }
    }
    if let Some(last) = program.threads.len().checked_sub(1).filter(|&last| last > 0) {
        let mut smaller = program.clone();
        smaller.threads.pop();
        for thread in &mut smaller.threads {
            thread.body.retain(|statement| *statement != Statement::Create(last as u8));
            thread.joins.retain(|&join| join != last as u8);
        }
        found.push(smaller);
    }
    for thread in 0..program.threads.len() {
        for body in smaller_blocks(&program.threads[thread].body) {
            let mut smaller = program.clone();
            smaller.threads[thread].body = body;
            found.push(smaller);
        }
    }
    found
}

/// Whether a statement begins a thread: others may wait for that thread.
fn creates(statement: &Statement) -> bool {
    matches!(statement, Statement::Create(_))
}

/// A block without one of its statements, or with a part of one in its place.
fn smaller_blocks(block: &[Statement]) -> Vec<Vec<Statement>> {
    let mut found = Vec::new();
    for (at, statement) in block.iter().enumerate() {
        let with = |instead: &[Statement]| {
            let mut smaller = block[..at].to_vec();
            smaller.extend_from_slice(instead);
            smaller.extend_from_slice(&block[at + 1..]);
            smaller
        };
        if creates(statement) {
            continue;
        }
        found.push(with(&[]));
        let waits_inside = statement.blocks().into_iter().any(|inner| waits(inner));
        for (which, inner) in statement.blocks().into_iter().enumerate() {
            // Waiting needs the mutex around it.
            if !waits_inside {
                found.push(with(inner));
            }
            for smaller in smaller_blocks(inner) {
                let mut statement = statement.clone();
                *statement.blocks_mut()[which] = smaller;
                found.push(with(&[statement]));
            }
        }
    }
    found
}

/// Whether something in a block waits for a signal.
fn waits(block: &[Statement]) -> bool {
    block.iter().any(|statement| {
        matches!(statement, Statement::WaitOnce(..) | Statement::WaitWhile(..))
            || statement.blocks().into_iter().any(|inner| waits(inner))
    })
}
