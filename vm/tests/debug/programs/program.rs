// Statics, enums, atomics and slices; stops once, with a local of each kind.
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

#[used]
pub static HITS: AtomicU32 = AtomicU32::new(7);
#[used]
pub static READY: AtomicBool = AtomicBool::new(true);
#[used]
pub static TABLE: [u16; 4] = [1, 2, 3, 4];
#[used]
pub static GREETING: &str = "hello";
#[used]
pub static LOCKED: Mutex<i64> = Mutex::new(-5);

pub mod deep {
    pub mod deeper {
        #[used]
        pub static mut DEPTH: i8 = -3;
    }
}

#[derive(Clone, Copy)]
pub enum Shape {
    Dot,
    Circle(u32),
    Square { side: u64, round: bool },
}

pub struct Pair {
    left: Option<u32>,
    right: Option<Box<u32>>,
    letter: char,
    ratio: f64,
}

#[inline(never)]
fn stop(pair: &Pair, shapes: &[Shape; 3], count: usize) -> usize {
    let words = ["one", "two"];
    let unit = ();
    let owned = String::from("owned text");
    let tuple = (1u8, -2i32);
    // SAFETY: a breakpoint that the test catches.
    unsafe { std::arch::asm!("int3", in("rax") &raw const words, in("rcx") &raw const tuple, in("rdx") &raw const owned) };
    let _ = (unit, words, tuple, owned.len());
    count + pair.ratio as usize + shapes.len()
}

fn main() {
    let pair = Pair { left: Some(3), right: None, letter: 'é', ratio: 0.5 };
    let shapes = [Shape::Dot, Shape::Circle(9), Shape::Square { side: 4, round: true }];
    let count = HITS.load(Ordering::Relaxed) as usize;
    let ready = READY.load(Ordering::Relaxed);
    // SAFETY: nobody else looks at it.
    let depth = unsafe { deep::deeper::DEPTH };
    let used = (TABLE[count % 4], GREETING, LOCKED.lock().map(|value| *value).ok(), depth, ready);
    std::process::exit((stop(&pair, &shapes, count) == 0) as i32 + used.1.len() as i32);
}
