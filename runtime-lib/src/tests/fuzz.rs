//! Random system calls with random arguments: whatever a guest asks for, there is an answer.

use crate::models::{self, Passage};
use crate::random::Random;
use crate::testing::{HostNode, HostTree, MAIN, SCRATCH, call_by, process_with, string};
use crate::thread::ThreadState;
use samovar_vm::machine::ThreadId;
use samovar_vm::memory::region::Perms;
use samovar_vm::monitor::Unwatched;
use samovar_vm::reg::Reg;
use samovar_vm::stop::HookId;
use std::sync::Arc;

const PATHS: [&str; 8] =
    ["/d/a", "/d", "/d/new", "/proc/self/maps", "/dev/null", "", "/d/link", "../d/./b/"];

fn argument(random: &mut Random) -> u64 {
    let bits = random.next_u64();
    match bits % 11 {
        0 => 0,
        1 => bits >> 61,
        2 => bits >> 56,
        3 => SCRATCH + (bits >> 46),
        4 => SCRATCH + (bits >> 60) * 0x100,
        5 => (bits >> 40) & !0xfff,
        6 => u64::MAX - (bits >> 60),
        7 => 1 << (bits >> 58),
        8 => SCRATCH + (bits >> 46 & !0xfff),
        9 => 0x40_0000 + (bits >> 50),
        _ => random.next_u64(),
    }
}

#[test]
fn no_system_call_panics() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut process = process_with(HostTree::new(&[
            ("/d/a", HostNode::File(vec![7; 5000])),
            ("/d/link", HostNode::Link("a")),
        ]));
        process.machine.memory.journal.set_on(seed % 2 == 0);
        let mark = process.mark();
        for _ in 0..2000 {
            if process.machine.memory.write_u64(SCRATCH, 0).is_err() {
                // The guest unmapped or protected it.
                process.machine.memory.map(SCRATCH, 0x10_0000, (Perms::RW, "[s]".into(), 0));
            }
            for (index, path) in PATHS.iter().enumerate() {
                string(&mut process, SCRATCH + index as u64 * 0x100, path);
            }
            let runnable: Vec<ThreadId> = process.runnable().collect();
            let Some(&thread) = runnable.get(random.next_u64() as usize % runnable.len().max(1))
            else {
                for thread in 0..process.threads().len() as u32 {
                    process.os_mut().thread_mut(ThreadId(thread)).state = ThreadState::Runnable;
                }
                continue;
            };
            let number = random.next_u64() % 340;
            let args: [u64; 6] = std::array::from_fn(|_| argument(&mut random));
            call_by(&mut process, thread, number, &args);
            if random.next_u64().is_multiple_of(4) {
                let now = process.now_ns() + random.next_u64() % 1_000_000;
                process.wake_due(now);
            }
            if process.has_deliverable_signal(thread) {
                process.deliver_signals(thread);
            }
            process.os_mut().ended = None;
        }
        if seed % 2 == 0 {
            process.undo_to(&mark);
            assert_eq!(process.threads().len(), 1);
        }
    }
}

#[test]
fn no_model_panics() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let mut process = process_with(HostTree::default());
        process.config.exact_heap = seed % 2 == 0;
        process.config.judge_locks = seed % 4 < 2;
        process.config.spurious_wakeups = seed % 8 < 4;
        let mut blocks = vec![0];
        for _ in 0..3000 {
            let hook = HookId((random.next_u64() % (2 * models::count() as u64)) as u32);
            let mut args: [u64; 4] = std::array::from_fn(|_| argument(&mut random));
            if random.next_u64().is_multiple_of(2) {
                args[0] = blocks[random.next_u64() as usize % blocks.len()];
            }
            if !random.next_u64().is_multiple_of(64) {
                // Mostly small sizes: huge blocks take their time.
                args[1] &= 0xffff;
                args[0] = if args[0] < SCRATCH { args[0] & 0xffff } else { args[0] };
            }
            if random.next_u64().is_multiple_of(8) {
                args[0] = process.machine.memory.read_u64(SCRATCH).unwrap_or(0);
            }
            let core = process.machine.core_mut(MAIN);
            for (reg, arg) in [Reg::Rdi, Reg::Rsi, Reg::Rdx, Reg::Rcx].into_iter().zip(args) {
                core[reg] = arg;
            }
            core[Reg::Rsp] = SCRATCH + 0x8000;
            let passage = process.call_hook(MAIN, hook, &mut Unwatched);
            if passage == Passage::Go && blocks.len() < 500 {
                blocks.push(process.machine.core(MAIN)[Reg::Rax]);
            }
            // Some words of the allocator's own are overwritten, as a stray store would.
            if random.next_u64().is_multiple_of(50) {
                let victim = blocks[random.next_u64() as usize % blocks.len()];
                let _ = process.machine.memory.write_u64(victim.wrapping_sub(8), random.next_u64());
            }
            let os = process.os_mut();
            os.ended = None;
            os.output = Arc::default();
            let thread = os.thread_mut(MAIN);
            (thread.state, thread.atomic) = (ThreadState::Runnable, None);
        }
    }
}
