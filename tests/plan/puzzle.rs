//! The 8-puzzle and the 15-puzzle, judged by solvers written for nothing else.

use super::{actions, example, plan};
use samovar_tests::everything;
use samovar_tests::scratch::Scratch;
use std::collections::{HashMap, VecDeque};

type Board = Vec<u8>;

const WAYS: [&str; 4] = ["Up", "Down", "Left", "Right"];

/// The board after the gap has gone some way, if it can.
fn step(board: &Board, way: &str) -> Option<Board> {
    let side = if board.len() == 9 { 3 } else { 4 };
    let gap = board.iter().position(|&tile| tile == 0)?;
    let (row, column) = (gap / side, gap % side);
    let other = match way {
        "Up" if 0 < row => gap - side,
        "Down" if row + 1 < side => gap + side,
        "Left" if 0 < column => gap - 1,
        "Right" if column + 1 < side => gap + 1,
        _ => return None,
    };
    let mut next = board.clone();
    next.swap(gap, other);
    Some(next)
}

/// How many moves every board of the 8-puzzle needs: breadth-first from the end.
fn distances() -> HashMap<Board, u32> {
    let solved: Board = (0..9).collect();
    let mut known = HashMap::from([(solved.clone(), 0)]);
    let mut queue = VecDeque::from([solved]);
    while let Some(board) = queue.pop_front() {
        let next = known[&board] + 1;
        for other in WAYS.iter().filter_map(|way| step(&board, way)) {
            if !known.contains_key(&other) {
                known.insert(other.clone(), next);
                queue.push_back(other);
            }
        }
    }
    known
}

/// The fewest moves for a board, by iterative deepening with the sum of the tiles' ways.
fn fewest(board: &Board) -> u32 {
    fn ways_left(board: &Board) -> u32 {
        let side = if board.len() == 9 { 3 } else { 4 };
        let way = |(place, &tile): (usize, &u8)| match usize::from(tile) {
            0 => 0,
            tile => {
                let rows = (place / side).abs_diff(tile / side);
                (rows + (place % side).abs_diff(tile % side)) as u32
            }
        };
        board.iter().enumerate().map(way).sum()
    }
    fn reaches(board: &Board, before: Option<&Board>, done: u32, bound: u32) -> Result<(), u32> {
        let left = ways_left(board);
        if bound < done + left {
            return Err(done + left);
        }
        if left == 0 {
            return Ok(());
        }
        let mut next_bound = u32::MAX;
        for next in WAYS.iter().filter_map(|way| step(board, way)) {
            if before != Some(&next) {
                match reaches(&next, Some(board), done + 1, bound) {
                    Ok(()) => return Ok(()),
                    Err(needed) => next_bound = next_bound.min(needed),
                }
            }
        }
        Err(next_bound)
    }
    let mut bound = ways_left(board);
    while let Err(next) = reaches(board, None, 0, bound) {
        bound = next;
    }
    bound
}

/// Has samovar solve a board, and executes the plan.
fn solve(options: &[&str], board: &Board) -> u32 {
    let scratch = Scratch::new("puzzle");
    let mut words = vec!["--goal=wrong == 0".to_string()];
    words.extend(options.iter().map(ToString::to_string));
    words.push(example("puzzle.c"));
    words.extend(board.iter().map(ToString::to_string));
    let (report, status) = plan(&scratch, &words);
    assert_eq!((status, &report["verdict"]), (0, &"plan".into()), "{board:?}: {report}");
    let names = actions(&report);
    let mut at = board.clone();
    for name in &names {
        at = step(&at, name).unwrap_or_else(|| panic!("{board:?}: {name} is impossible"));
    }
    assert!(at.is_sorted(), "{board:?} ends as {at:?}");
    assert_eq!(report["cost"], names.len());
    names.len() as u32
}

/// A board of the 15-puzzle after so many random moves from the solved one.
fn shuffled(moves: u32) -> Board {
    let mut board: Board = (0..16).collect();
    let mut random = 1u32;
    for _ in 0..moves {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        board = step(&board, WAYS[(random >> 24) as usize % 4]).unwrap_or(board);
    }
    board
}

const ASTAR: [&str; 3] = ["--search=astar", "--estimate", "estimate"];

#[test]
fn the_published_instance() {
    let scratch = Scratch::new("published");
    let program = example("puzzle.c");
    let words = ["--goal", "wrong == 0", &program, "1", "4", "2", "3", "7", "5", "6", "8", "0"];
    let (report, status) = plan(&scratch, &words);
    assert_eq!(status, 0);
    assert_eq!(actions(&report), ["Left", "Up", "Up", "Left"]);
    assert_eq!(report["plan"][3]["end"], 4);
}

#[test]
fn instances_of_the_8_puzzle_are_solved_with_the_fewest_moves() {
    let known = distances();
    assert_eq!(known.len(), 181_440);
    let mut boards: Vec<(&Board, u32)> = known.iter().map(|(board, &far)| (board, far)).collect();
    boards.sort();
    let count = if everything() { 300 } else { 12 };
    for (board, far) in boards.iter().step_by(boards.len() / count) {
        assert_eq!(solve(&ASTAR, board), *far, "{board:?}");
    }
    // One of those that need the most moves, and near ones without an estimate.
    let farthest = boards.iter().max_by_key(|(_, far)| far).expect("a board");
    assert_eq!(farthest.1, 31);
    assert_eq!(solve(&ASTAR, farthest.0), 31);
    for far in [0, 1, 7, 12] {
        let (board, _) = boards.iter().find(|(_, it)| *it == far).expect("a board");
        assert_eq!(solve(&["--search=bfs"], board), far);
    }
}

#[test]
fn the_whole_8_puzzle_has_as_many_states_as_boards() {
    let scratch = Scratch::new("whole");
    let program = example("puzzle.c");
    let words = ["--goal=wrong == 1", &program, "1", "0", "2", "3", "4", "5", "6", "7", "8"];
    let (report, status) = plan(&scratch, &words);
    assert_eq!((status, &report["verdict"]), (1, &"no-plan".into()), "{report}");
    // All but the solved one, where the program ends; the start may be there twice, because
    // what happened before the loop is still in some register.
    let states = report["stats"]["states"].as_u64().expect("a number");
    assert!((181_439..=181_440).contains(&states), "{states}");
}

#[test]
fn instances_of_the_15_puzzle_are_solved_with_the_fewest_moves() {
    let mut boards = vec![shuffled(30), shuffled(45)];
    if everything() {
        // One of Korf's hundred.
        boards.push(vec![0, 1, 9, 7, 11, 13, 5, 3, 14, 12, 4, 2, 8, 6, 10, 15]);
    }
    for board in &boards {
        assert_eq!(solve(&ASTAR, board), fewest(board), "{board:?}");
    }
}

#[test]
fn a_weight_finds_a_plan_that_is_not_much_longer() {
    let board = vec![8, 6, 7, 2, 5, 4, 3, 0, 1];
    let best = fewest(&board);
    let found = solve(&["--search=astar", "--estimate=estimate", "--weight=3"], &board);
    assert!((best..=3 * best).contains(&found), "{found}, not {best}");
    let found = solve(&["--search=best-first", "--estimate=estimate"], &board);
    assert!(best <= found);
}
