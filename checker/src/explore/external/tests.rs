//! The search on a disk against those in memory, and against everything that can happen to a disk.

use super::{External, Resumed};
use crate::explore::bfs::BreadthFirst;
use crate::explore::choice::{Choice, Found, Stats, Wrong};
use crate::explore::dfs::{DepthFirst, Round};
use crate::explore::engine::{Engine, Expansion, Successor};
use crate::explore::graph::{Graph, Node};
use crate::explore::roaming::{Learned, Roaming};
use crate::explore::thread_set::ThreadSet;
use crate::explore::view::{PathFacts, View};
use crate::spill::pretended::Pretended;
use crate::spill::{Place, Trouble};
use crate::state::StateId;
use crate::state::key::{read_key, write_key};
use crate::state::lesson::Digest;
use samovar_vm::machine::ThreadId;

/// A graph whose states are numbered in the order of first sight, like contents of components: a
/// key means something only to who has seen the same before. The more states were seen, the more is
/// contended: at some numbers of states, a search begins anew.
#[derive(Clone, Debug)]
struct Seen {
    graph: Graph,
    /// By number.
    nodes: Vec<usize>,
    keys: Vec<Vec<u8>>,
    /// Of every so manyth state, all moves but the first can be left out.
    partial_every: usize,
    /// So many states are seen when a search has to begin anew.
    anew: Vec<usize>,
    leave_out: bool,
    stats: Stats,
}

impl Seen {
    fn new(graph: Graph) -> Seen {
        Seen {
            graph,
            nodes: vec![0],
            keys: Vec::new(),
            partial_every: usize::MAX,
            anew: Vec::new(),
            leave_out: false,
            stats: Stats::default(),
        }
    }

    fn number(&mut self, node: usize) -> usize {
        self.nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }
}

fn is_partial(number: usize, every: usize) -> bool {
    0 < number && number.is_multiple_of(every)
}

impl Engine for Seen {
    fn state(&self) -> StateId {
        self.graph.state()
    }

    fn expand(&mut self) -> Expansion {
        let here = self.graph.state().0 as usize;
        let expansion = self.graph.expand();
        let mut next = self.graph.successors().to_vec();
        self.keys.clear();
        let number = self.number(here);
        if self.leave_out && 1 < next.len() && is_partial(number, self.partial_every) {
            next.truncate(1);
            self.stats.reduced += 1;
        }
        let before = self.nodes.len();
        for successor in &next {
            let number = self.number(successor.state.0 as usize);
            let mut key = Vec::new();
            write_key(&mut key, [(3, number as u32)].into_iter());
            self.keys.push(key);
        }
        if before < self.nodes.len() {
            self.stats.executed += 1;
        }
        if self.graph.ends() || next.is_empty() {
            self.stats.terminal += 1;
        }
        if self.anew.iter().any(|&seen| before < seen && seen <= self.nodes.len()) {
            return Expansion::Anew;
        }
        expansion
    }

    fn expand_for(&mut self, _: Option<ThreadId>) -> Expansion {
        self.expand()
    }

    fn successors(&self) -> &[Successor] {
        &self.graph.successors()[..self.keys.len()]
    }

    fn ends(&self) -> bool {
        self.graph.ends()
    }

    fn forward(&mut self, choice: Choice) {
        self.graph.forward(choice);
    }

    fn back(&mut self) {
        self.graph.back();
    }

    fn jump(&mut self, state: StateId) {
        self.graph.jump(state);
    }

    fn on_stack(&mut self, _: StateId, _: bool) {}

    fn can_move(&self, thread: ThreadId) -> bool {
        self.graph.can_move(thread)
    }

    fn thread_count(&self) -> u32 {
        self.graph.thread_count()
    }

    fn look(
        &mut self,
        choice: Choice,
        before: PathFacts,
        with_process: bool,
        look: &mut dyn FnMut(&View<'_>),
    ) -> PathFacts {
        self.graph.look(choice, before, with_process, look)
    }

    fn ids(&self) -> usize {
        self.graph.ids()
    }

    fn defer(&mut self, defers: bool) {
        self.graph.defer(defers);
    }

    fn passed(&self) -> (Option<u64>, u32) {
        self.graph.passed()
    }

    fn has_grown(&self) -> bool {
        self.graph.has_grown()
    }

    fn counts(&mut self, wrong: &Wrong) -> bool {
        self.graph.counts(wrong)
    }

    fn hopeless(&mut self, moving: &ThreadSet) -> Vec<ThreadId> {
        self.graph.hopeless(moving)
    }
}

impl Roaming for Seen {
    fn begin(&mut self) {
        self.graph.jump(StateId(0));
        let (rounds, executed) = (self.stats.rounds + 1, self.stats.executed);
        self.stats = Stats { rounds, executed, ..Stats::default() };
    }

    fn stand(&mut self, key: &[u8]) -> bool {
        let mut values = Vec::new();
        let number = match read_key(key, &mut values) {
            Some(()) => values.first().map_or(0, |value| value.1 as usize),
            None => return false,
        };
        let Some(&node) = self.nodes.get(number) else { return false };
        self.graph.jump(StateId(node as u32));
        true
    }

    fn expand_freely(&mut self, leave_out: bool) -> Expansion {
        self.leave_out = leave_out;
        self.expand()
    }

    fn key(&self, state: StateId) -> &[u8] {
        let at = self.successors().iter().position(|it| it.state == state).expect("a successor");
        &self.keys[at]
    }

    fn learned(&self) -> Learned {
        let executed = self.stats.executed;
        let others = [self.nodes.len() as u64, 0, 0, 0, 0, 0, 0];
        Learned { executed, others, ..Learned::default() }
    }

    fn digest_since(&self, before: &Learned) -> u64 {
        let mut digest = Digest::default();
        let new = &self.nodes[before.others[0] as usize..];
        new.iter().for_each(|&node| digest.number(node as u64));
        digest.0
    }

    fn is_unsettled(&self) -> bool {
        false
    }

    fn tally(&mut self) -> &mut Stats {
        &mut self.stats
    }
}

/// What a search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Came {
    wrong: Option<Wrong>,
    moves: usize,
    numbers: [u64; 6],
}

impl Came {
    fn to(found: &Found, stats: &Stats) -> Came {
        let Stats { states, expanded, transitions, revisits, depth, cut, .. } = *stats;
        let numbers = [states, expanded, transitions, revisits, depth, cut];
        match found {
            Found::Nothing => Came { wrong: None, moves: 0, numbers },
            Found::Error { path, error } => {
                // Which part of a level was expanded before an error depends on its order.
                Came { wrong: Some(error.clone()), moves: path.len(), numbers: [0; 6] }
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Rounds up to one that is not begun anew.
fn finish(
    search: &mut External<'_>,
    engine: &mut Seen,
    mut has_begun: bool,
) -> Result<(Found, Stats), Trouble> {
    let mut stats = Stats::default();
    loop {
        if !has_begun {
            search.begin(engine)?;
        }
        has_begun = false;
        if let Round::Over(found) = search.run(engine, &mut stats, &mut |_| None)? {
            return Ok((found, stats));
        }
    }
}

fn search(
    engine: &mut Seen,
    disk: &mut Pretended,
    depth: u64,
    buffer: usize,
) -> Result<Came, Trouble> {
    let mut search = External::new(disk, depth, buffer, 0)?;
    let (found, stats) = finish(&mut search, engine, false)?;
    Ok(Came::to(&found, &stats))
}

/// Goes on with what is on a disk.
fn resume(engine: &mut Seen, disk: &mut Pretended, buffer: usize) -> Result<Came, Trouble> {
    let Some(place) = disk.restart() else {
        return search(engine, disk, u64::MAX, buffer);
    };
    resume_at(engine, disk, buffer, place)
}

fn resume_at(
    engine: &mut Seen,
    disk: &mut Pretended,
    buffer: usize,
    place: Place,
) -> Result<Came, Trouble> {
    match External::resume(engine, disk, u64::MAX, buffer, place, &mut || None)? {
        Resumed::There(mut search) => {
            let (found, stats) = finish(&mut search, engine, true)?;
            Ok(Came::to(&found, &stats))
        }
        other => panic!("the log leads elsewhere: {other:?}"),
    }
}

fn in_memory(graph: &Graph, depth: u64) -> Came {
    let (mut graph, mut stats) = (graph.clone(), Stats::default());
    match BreadthFirst::new(&mut graph, depth).run(&mut stats, &mut |_| None) {
        Round::Over(found) => Came::to(&found, &stats),
        Round::Anew => panic!("nothing to begin anew for"),
    }
}

#[test]
fn it_finds_what_the_search_in_memory_finds() {
    for seed in 0..600 {
        let graph = Graph::random_of(seed, 60, 40);
        for (depth, buffer) in [(u64::MAX, 1), (u64::MAX, 100), (u64::MAX, 1 << 20), (3, 60)] {
            let mut engine = Seen::new(graph.clone());
            let found = search(&mut engine, &mut Pretended::default(), depth, buffer).unwrap();
            assert_eq!(found, in_memory(&graph, depth), "seed {seed}, buffer {buffer}");
        }
    }
}

/// Depth-first search in memory judges runs without end by another algorithm.
#[test]
fn runs_without_end_are_judged_alike() {
    let mut stuck = 0;
    for seed in 0..2000 {
        let mut graph = Graph::random_of(seed, 12, 30);
        graph.nodes.iter_mut().for_each(|node| node.wrong = false);
        graph.waits = true;
        let (mut copy, mut stats) = (graph.clone(), Stats::default());
        let round = DepthFirst::new(&mut copy, u64::MAX, true).run(&mut stats, &mut |_| None);
        let Round::Over(expected) = round else { panic!("nothing to begin anew for") };
        let expected = Came::to(&expected, &stats).wrong;
        let mut engine = Seen::new(graph);
        let found = search(&mut engine, &mut Pretended::default(), u64::MAX, 64).unwrap();
        assert_eq!(found.wrong.is_some(), expected.is_some(), "seed {seed}");
        stuck += u32::from(found.wrong.is_some());
    }
    assert!((100..1900).contains(&stuck), "{stuck} of 2000 are of use");
}

/// A state that was expanded in part has a successor on the next level, and is expanded in full
/// otherwise.
#[test]
fn what_is_left_out_is_not_put_off_for_ever() {
    let mut full = 0;
    for seed in 0..500 {
        let mut graph = Graph::random_of(seed, 40, 1000);
        graph.nodes.iter_mut().for_each(|node| node.wrong = false);
        let mut engine = Seen { partial_every: 2, ..Seen::new(graph.clone()) };
        search(&mut engine, &mut Pretended::default(), u64::MAX, 50).unwrap();
        // The graph of all moves that were made: in full if expanded twice.
        let times = |node: usize| engine.graph.expanded.iter().filter(|it| **it == node).count();
        let mut made = graph.clone();
        for (node, Node { next, .. }) in made.nodes.iter_mut().enumerate() {
            let number = engine.nodes.iter().position(|known| *known == node);
            if times(node) == 1 && number.is_some_and(|number| is_partial(number, 2)) {
                next.truncate(1);
            }
        }
        let levels = made.distances();
        for (node, Node { next, .. }) in made.nodes.iter().enumerate() {
            assert_eq!(levels[node].is_some(), 0 < times(node), "seed {seed}, state {node}");
            let is_partial = next.len() < graph.nodes[node].next.len();
            if let Some(level) = levels[node].filter(|_| is_partial) {
                assert_eq!(levels[next[0]], Some(level + 1), "seed {seed}, state {node}");
            }
            full += u32::from(times(node) == 2);
        }
    }
    assert!(100 < full, "{full} states were expanded again");
}

/// A graph with everything in it: many levels, moves left out, rounds that begin anew.
fn eventful(seed: u64) -> Seen {
    let mut graph = Graph::random_of(seed, 40, 1000);
    graph.nodes.iter_mut().for_each(|node| node.wrong = false);
    graph.waits = seed.is_multiple_of(2);
    Seen { partial_every: 3, anew: vec![3, 9], ..Seen::new(graph) }
}

#[test]
fn it_comes_to_the_same_after_an_interruption_at_any_moment() {
    let mut interruptions = 0;
    for seed in 0..24 {
        for buffer in [1, 120] {
            let mut disk = Pretended::default();
            let expected = search(&mut eventful(seed), &mut disk, u64::MAX, buffer).unwrap();
            for operations in 0..disk.operations() {
                let mut disk = Pretended::default();
                disk.fail_after(operations);
                let mut engine = eventful(seed);
                let result = search(&mut engine, &mut disk, u64::MAX, buffer);
                // Only files that are to be removed may fail without harm.
                interruptions += u32::from(result.is_err());
                let found = resume(&mut eventful(seed), &mut disk, buffer).unwrap();
                assert_eq!(found, expected, "seed {seed}, {operations} operations");
            }
        }
    }
    assert!(2000 < interruptions, "{interruptions}");
}

#[test]
fn it_comes_to_the_same_after_many_interruptions_and_with_other_buffers() {
    for seed in 0..40 {
        let mut disk = Pretended::default();
        let expected = search(&mut eventful(seed), &mut disk, u64::MAX, 90).unwrap();
        let mut disk = Pretended::default();
        let mut operations = 5;
        let found = loop {
            let place = disk.restart();
            disk.fail_after(operations);
            operations += 3;
            let mut engine = eventful(seed);
            let buffer = 1 + operations as usize % 200;
            let result = match place {
                None => search(&mut engine, &mut disk, u64::MAX, buffer),
                Some(place) => resume_at(&mut engine, &mut disk, buffer, place),
            };
            if let Ok(found) = result {
                break found;
            }
        };
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn a_search_that_is_stopped_goes_on_later() {
    let next = |at: usize| [2 * at + 1, 2 * at + 2, 7 * at + 3].map(|to| to % 3000).to_vec();
    let node = |at: usize| Node { next: next(at), ..Node::default() };
    let graph = Graph::new((0..3000).map(node).collect());
    let expected = in_memory(&graph, u64::MAX);
    let mut disk = Pretended::default();
    let (mut stops, mut place) = (0, None);
    let found = loop {
        let mut engine = Seen::new(graph.clone());
        let mut questions = 0;
        let mut watchdog = |_: &Stats| {
            questions += 1;
            (1 < questions).then(|| "enough".to_string())
        };
        let mut stats = Stats::default();
        let mut search = match place {
            None => {
                let mut search = External::new(&mut disk, u64::MAX, 5000, 0).unwrap();
                search.begin(&mut engine).unwrap();
                Box::new(search)
            }
            Some(place) => {
                match External::resume(&mut engine, &mut disk, u64::MAX, 5000, place, &mut || None)
                    .unwrap()
                {
                    Resumed::There(search) => search,
                    other => panic!("the log leads elsewhere: {other:?}"),
                }
            }
        };
        match search.run(&mut engine, &mut stats, &mut watchdog).unwrap() {
            Round::Over(Found::Stopped { .. }) => stops += 1,
            Round::Over(found) => break Came::to(&found, &stats),
            Round::Anew => panic!("nothing to begin anew for"),
        }
        place = disk.restart();
        // A judgement of runs without end begins at its beginning each time.
        if 60 < stops {
            panic!("it does not get on: {place:?}");
        }
        if place.as_ref().is_some_and(|place| place.frontier.is_empty()) {
            let mut engine = Seen::new(graph.clone());
            break resume(&mut engine, &mut disk, 5000).unwrap();
        }
    };
    assert_eq!(found, expected);
    assert!(3 < stops, "{stops}");
}

#[test]
fn another_program_and_damage_are_noticed() {
    let mut disk = Pretended::default();
    let expected = search(&mut eventful(3), &mut disk, u64::MAX, 90).unwrap();
    let place = disk.restart().unwrap();
    let again = resume(&mut eventful(3), &mut disk, 90).unwrap();
    assert_eq!(again, expected, "a search that is over ends the same way again");
    let other =
        External::resume(&mut eventful(5), &mut disk, u64::MAX, 90, place.clone(), &mut || None);
    assert!(matches!(other, Ok(Resumed::Different)), "{other:?}");
    for name in ["log", "edges", "origins"] {
        let mut copy = Pretended::default();
        search(&mut eventful(3), &mut copy, u64::MAX, 90).unwrap();
        let place = copy.restart().unwrap();
        copy.change(name, |bytes| bytes.truncate(bytes.len() / 2));
        let result =
            External::resume(&mut eventful(3), &mut copy, u64::MAX, 90, place, &mut || None);
        assert!(result.is_err(), "{name}");
    }
    for (name, bytes) in place.files().filter(|(name, _)| !name.starts_with("states")) {
        for at in 0..bytes as usize {
            disk.change(name, |bytes| bytes[at] ^= 1);
            let place = place.clone();
            let result =
                External::resume(&mut eventful(3), &mut disk, u64::MAX, 90, place, &mut || None);
            assert!(result.is_err(), "byte {at} of {name}");
            disk.change(name, |bytes| bytes[at] ^= 1);
        }
    }
}
