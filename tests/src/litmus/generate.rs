//! Random programs, the same for the same seed.
//!
//! A program draws a few places and kinds of statements first and then uses only these, so that
//! its threads get in each other's way. The more threads, the less each of them does.

use super::program::{
    Manner, Place, Program, REGION_BYTES, Region, Statement, Test, Thread, Value,
};
use crate::mutate::Random;

/// Kinds of statements that a program may draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Atomic,
    Mutex,
    Condition,
    Semaphore,
    Barrier,
    Spin,
    Branch,
    Loop,
    Choice,
    Assertion,
}

/// How often each kind is drawn, of 100 programs. Plain accesses are always there.
const KINDS: &[(Kind, u64)] = &[
    (Kind::Atomic, 50),
    (Kind::Mutex, 50),
    (Kind::Condition, 25),
    (Kind::Semaphore, 20),
    (Kind::Barrier, 20),
    (Kind::Spin, 20),
    (Kind::Branch, 50),
    (Kind::Loop, 20),
    (Kind::Choice, 15),
    (Kind::Assertion, 40),
];

/// Offsets and sizes of places, neighbours and overlapping ones among them.
const PLACES: &[(u8, u8)] = &[
    (0, 4),
    (0, 4),
    (4, 4),
    (0, 1),
    (1, 1),
    (3, 1),
    (4, 1),
    (2, 2),
    (6, 2),
    (0, 8),
    (3, 2),
    (1, 4),
    (2, 4),
    (8, 4),
    (8, 1),
    (6, 4),
    (7, 2),
];

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed);
    for _ in 0..8 {
        random.bits();
    }
    let mut kinds = vec![Kind::Plain, Kind::Plain];
    for &(kind, percent) in KINDS {
        if random.below(100) < percent {
            kinds.push(kind);
        }
    }
    let places: Vec<Place> = (0..2 + random.below(3)).map(|_| place(&mut random)).collect();
    let places_on_heap = places.iter().any(|place| place.region == Region::Heap);
    let semaphores = [random.below(2) as u8];
    let mut maker = Maker { random, kinds, places, assertions: 0 };
    let mut threads = maker.threads();
    if places_on_heap && maker.chance(30) {
        let thread = maker.random.below(threads.len() as u64) as usize;
        let body = &mut threads[thread].body;
        body.insert(maker.random.below(body.len() as u64 + 1) as usize, Statement::Free);
    }
    Program { threads, semaphores }
}

fn place(random: &mut Random) -> Place {
    let region =
        random.pick(&[Region::Global, Region::Global, Region::Global, Region::Stack, Region::Heap]);
    loop {
        let (offset, size) = random.pick(PLACES);
        if usize::from(offset + size) <= REGION_BYTES[region as usize] {
            return Place { region, offset, size };
        }
    }
}

struct Maker {
    random: Random,
    kinds: Vec<Kind>,
    places: Vec<Place>,
    assertions: u32,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, Default)]
struct Around {
    /// Mutexes that are locked here.
    held: [bool; 2],
    depth: u32,
}

impl Maker {
    fn chance(&mut self, percent: u64) -> bool {
        self.random.below(100) < percent
    }

    fn number(&mut self, from: u64, to: u64) -> u64 {
        from + self.random.below(to - from + 1)
    }

    fn register(&mut self) -> u8 {
        self.random.below(3) as u8
    }

    fn threads(&mut self) -> Vec<Thread> {
        let workers = self.random.pick(&[1, 2, 2, 2, 2, 3, 3, 4]);
        let mut threads = vec![Thread::default(); workers + 1];
        let around = Around::default();
        for thread in &mut threads[1..] {
            let budget = match workers {
                1 => self.number(3, 7),
                2 => self.number(2, 6),
                3 => self.number(1, 4),
                _ => self.number(1, 2),
            };
            thread.body = self.block(budget as i64, around);
        }
        let joins = !self.chance(10);
        let busy = workers == 1 || self.chance(50);
        for worker in 1..=workers {
            // A worker may begin the next one, and waits for it.
            if worker > 1 && self.chance(20) {
                let above = &mut threads[worker - 1];
                let at = self.random.below(above.body.len() as u64 + 1) as usize;
                let early = above.body[..at].iter().any(returns);
                above.body.insert(if early { 0 } else { at }, Statement::Create(worker as u8));
                above.joins.push(worker as u8);
                continue;
            }
            if busy && self.chance(30) {
                let statements = self.block(1, around);
                // All threads are to be begun.
                threads[0].body.extend(statements.into_iter().filter(|one| !returns(one)));
            }
            threads[0].body.push(Statement::Create(worker as u8));
            if joins {
                threads[0].joins.push(worker as u8);
            }
        }
        if busy {
            let budget = self.number(1, if workers == 1 { 6 } else { 2 });
            let statements = self.block(budget as i64, around);
            threads[0].body.extend(statements);
        }
        threads
    }

    fn block(&mut self, mut budget: i64, around: Around) -> Vec<Statement> {
        let mut statements = Vec::new();
        while budget > 0 {
            budget -= self.statement(&mut statements, budget, around);
        }
        statements
    }

    /// Adds a statement; how much of the budget it takes.
    fn statement(&mut self, to: &mut Vec<Statement>, budget: i64, around: Around) -> i64 {
        let kinds = self.kinds.clone();
        let kind = self.random.pick(&kinds);
        let inside = Around { depth: around.depth + 1, ..around };
        let is_deep = around.depth >= 2 || budget < 2;
        match kind {
            Kind::Plain => self.plain(to),
            Kind::Atomic => self.atomic(to),
            Kind::Mutex => return self.mutex(to, budget, around),
            Kind::Condition => return self.condition(to, around),
            Kind::Semaphore => {
                let register = self.register();
                to.push(match self.random.below(4) {
                    0 | 1 => Statement::Post(0),
                    2 => Statement::Take(0),
                    _ => Statement::TryTake(register, 0),
                });
            }
            Kind::Barrier => to.push(Statement::Meet(self.register())),
            Kind::Spin if self.chance(50) => {
                let place = self.small_place();
                let manner = self.manner(&place);
                to.push(Statement::SpinUntil(place, self.random.below(3) as u32, manner));
            }
            Kind::Branch if !is_deep => {
                let test = self.test();
                let then = self.block(budget / 2, inside);
                let otherwise = if self.chance(30) { self.block(1, inside) } else { Vec::new() };
                to.push(Statement::If(test, then, otherwise));
                return budget / 2 + 1;
            }
            Kind::Branch if self.chance(25) => {
                let test = self.test();
                to.push(Statement::If(test, vec![Statement::Return], Vec::new()));
            }
            Kind::Loop if !is_deep => {
                let body = self.block(1, inside);
                to.push(Statement::Repeat(2, body));
                return 2;
            }
            Kind::Choice => {
                let (register, bound) = (self.register(), self.number(2, 3) as u32);
                to.push(Statement::Choose(register, bound));
            }
            Kind::Assertion => {
                let test = self.test();
                to.push(Statement::Assert(self.assertions, test));
                self.assertions += 1;
            }
            _ => {
                let (register, value) = (self.register(), self.value());
                to.push(Statement::Compute(register, value));
            }
        }
        1
    }

    fn plain(&mut self, to: &mut Vec<Statement>) {
        let places = self.places.clone();
        let place = self.random.pick(&places);
        let register = self.register();
        to.push(match self.random.below(5) {
            0 | 1 => Statement::Load(register, place, Manner::Plain),
            2 | 3 => Statement::Store(place, self.value(), Manner::Plain),
            _ if place.size == 8 => Statement::Load(register, place, Manner::Plain),
            _ => Statement::Add(place, 1),
        });
    }

    fn atomic(&mut self, to: &mut Vec<Statement>) {
        let places: Vec<Place> = self.places.iter().copied().filter(is_aligned).collect();
        if places.is_empty() {
            return self.plain(to);
        }
        let place = self.random.pick(&places);
        let register = self.register();
        to.push(match self.random.below(5) {
            0 => Statement::Load(register, place, Manner::Atomic),
            1 => Statement::Store(place, self.value(), Manner::Atomic),
            2 => Statement::FetchAdd(register, place, 1),
            3 => Statement::Exchange(register, place, self.value()),
            _ => {
                let old = self.random.below(2) as u32;
                Statement::CompareExchange(register, place, old, self.value())
            }
        });
    }

    fn mutex(&mut self, to: &mut Vec<Statement>, budget: i64, around: Around) -> i64 {
        let mutex = self.random.below(2) as usize;
        if around.held[mutex] || around.depth >= 3 {
            self.plain(to);
            return 1;
        }
        let mut inside = Around { depth: around.depth + 1, ..around };
        inside.held[mutex] = true;
        let cost = self.number(1, budget.clamp(1, 3) as u64) as i64;
        let body = self.block(cost, inside);
        let register = self.register();
        to.push(match self.chance(20) {
            true => Statement::TryLocked(register, mutex as u8, body),
            false => Statement::Locked(mutex as u8, body),
        });
        cost + 1
    }

    /// Something about a condition variable. Each goes with the mutex of its number: to wait with
    /// another one at the same time has no meaning.
    fn condition(&mut self, to: &mut Vec<Statement>, around: Around) -> i64 {
        let condition = self.random.below(2).min(self.random.below(2)) as u8;
        let held = (0..2u8).find(|&mutex| around.held[mutex as usize]);
        match (held, self.random.below(6)) {
            (Some(mutex), 0) => to.push(Statement::WaitOnce(mutex, mutex)),
            (Some(mutex), 1 | 2) => {
                let place = self.small_place();
                let constant = self.random.below(2) as u32;
                to.push(Statement::WaitWhile(mutex, mutex, place, constant));
            }
            (None, 0..=2) => {
                let place = self.small_place();
                let wait = match self.chance(25) {
                    true => Statement::WaitOnce(0, 0),
                    false => Statement::WaitWhile(0, 0, place, 0),
                };
                to.push(Statement::Locked(0, vec![wait]));
                return 2;
            }
            (_, 3) => to.push(Statement::Broadcast(condition)),
            _ => to.push(Statement::Signal(condition)),
        }
        1
    }

    /// A place that fits into a register.
    fn small_place(&mut self) -> Place {
        let places: Vec<Place> =
            self.places.iter().copied().filter(|place| place.size < 8).collect();
        match places.is_empty() {
            true => Place { region: Region::Global, offset: 0, size: 4 },
            false => self.random.pick(&places),
        }
    }

    fn manner(&mut self, place: &Place) -> Manner {
        match is_aligned(place) && self.chance(50) {
            true => Manner::Atomic,
            false => Manner::Plain,
        }
    }

    fn value(&mut self) -> Value {
        match self.chance(50) {
            true => Value::Constant(self.number(1, 3) as u32),
            false => Value::Sum(self.register(), self.random.below(2) as u32),
        }
    }

    fn test(&mut self) -> Test {
        let constant = self.random.pick(&[0, 0, 1, 1, 2, 3]);
        Test { register: self.register(), equal: self.chance(40), constant }
    }
}

/// Whether a place may be accessed atomically.
fn is_aligned(place: &Place) -> bool {
    place.offset.is_multiple_of(place.size)
}

/// Whether a statement may lead to the thread's end at once.
fn returns(statement: &Statement) -> bool {
    *statement == Statement::Return
        || statement.blocks().into_iter().any(|block| block.iter().any(returns))
}
