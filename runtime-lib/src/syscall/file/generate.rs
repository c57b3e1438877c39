//! The contents of files that are made up when they are opened.

use crate::files::Generated;
use crate::os::PID;
use crate::process::Process;
use crate::syscall::memory::ANONYMOUS;
use std::fmt::Write;

/// The contents of a generated file as they are now.
pub(super) fn contents(process: &Process, which: Generated) -> Vec<u8> {
    let text = match which {
        Generated::Maps => maps(process),
        Generated::Status => status(process),
        Generated::Stat => stat(process),
        Generated::Statm => statm(process),
        Generated::CommandLine => return process.config.command_line.clone(),
        Generated::Environment => return process.config.environment.clone(),
        Generated::Comm => format!("{}\n", name(process)),
        Generated::CpuInfo => cpuinfo(process.config.cpus),
        Generated::MemInfo => {
            let lines = [
                "MemTotal: 8388608",
                "MemFree: 4194304",
                "MemAvailable: 6291456",
                "Buffers: 0",
                "Cached: 0",
                "SwapTotal: 0",
                "SwapFree: 0",
            ];
            lines.iter().map(|line| format!("{line} kB\n")).collect()
        }
        Generated::SystemStat => system_stat(process),
        Generated::Uptime => {
            process.look_at_clock();
            format!("{}.00 0.00\n", 3600 + process.os.now_ns / 1_000_000_000)
        }
        Generated::LoadAverage => format!("0.00 0.00 0.00 1/1 {PID}\n"),
        Generated::Version => "Linux version 5.10.0 (samovar) #1 SMP\n".to_string(),
        Generated::Filesystems => "nodev\tproc\nnodev\ttmpfs\n\text4\n".to_string(),
        Generated::Mounts => "overlay / ext4 rw 0 0\nproc /proc proc rw 0 0\n".to_string(),
        Generated::CpuList => match process.config.cpus {
            1 => "0\n".to_string(),
            cpus => format!("0-{}\n", cpus - 1),
        },
        Generated::Text(text) => text.to_string(),
    };
    text.into_bytes()
}

fn name(process: &Process) -> String {
    let name = &process.all_threads()[0].name;
    let len = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    String::from_utf8_lossy(&name[..len]).into_owned()
}

fn maps(process: &Process) -> String {
    let mut text = String::new();
    for (start, region) in process.machine.memory.regions().iter() {
        let letter = |on: bool, letter: char| if on { letter } else { '-' };
        let perms = region.perms;
        let mut line = format!(
            "{start:08x}-{:08x} {}{}{}p {:08x} 00:00 0",
            region.end,
            letter(perms.read, 'r'),
            letter(perms.write, 'w'),
            letter(perms.exec, 'x'),
            region.file_offset,
        );
        if &*region.name != ANONYMOUS {
            let _ = write!(
                line,
                "{:1$}{2}",
                "",
                73usize.saturating_sub(line.len()).max(1),
                region.name
            );
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Mapped memory in pages.
fn pages(process: &Process) -> u64 {
    let regions = process.machine.memory.regions().iter();
    regions.map(|(start, region)| (region.end - start) / samovar_vm::memory::PAGE_SIZE).sum()
}

fn status(process: &Process) -> String {
    let (uid, gid) = (process.config.uid, process.config.gid);
    let size = pages(process) * 4;
    format!(
        "Name:\t{}\nUmask:\t{:04o}\nState:\tR (running)\nTgid:\t{PID}\nNgid:\t0\nPid:\t{PID}\n\
         PPid:\t999\nTracerPid:\t0\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\n\
         Gid:\t{gid}\t{gid}\t{gid}\t{gid}\nFDSize:\t64\nGroups:\t{gid} \n\
         VmPeak:\t{size:8} kB\nVmSize:\t{size:8} kB\nVmRSS:\t{size:8} kB\nThreads:\t{}\n",
        name(process),
        process.os.files.umask,
        process.alive(),
    )
}

fn stat(process: &Process) -> String {
    let zeros = " 0".repeat(29);
    let size = pages(process) * samovar_vm::memory::PAGE_SIZE;
    format!(
        "{PID} ({}) R 999 999 999 0 -1 0 0 0 0 0 0 0 0 0 20 0 {} 0 0 {size} {}{zeros}\n",
        name(process),
        process.alive(),
        pages(process),
    )
}

fn statm(process: &Process) -> String {
    let pages = pages(process);
    format!("{pages} {pages} 0 0 0 {pages} 0\n")
}

fn cpuinfo(cpus: u32) -> String {
    let one = |cpu: u32| {
        format!(
            "processor\t: {cpu}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 15\n\
             model name\t: samovar virtual CPU\nstepping\t: 1\ncpu MHz\t\t: 1000.000\n\
             physical id\t: 0\nsiblings\t: {cpus}\ncore id\t\t: {cpu}\ncpu cores\t: {cpus}\n\
             fpu\t\t: yes\nflags\t\t: fpu tsc cx8 cmov mmx fxsr sse sse2 syscall nx lm\n\
             clflush size\t: 64\naddress sizes\t: 38 bits physical, 38 bits virtual\n\n"
        )
    };
    (0..cpus).map(one).collect()
}

fn system_stat(process: &Process) -> String {
    let cpus = process.config.cpus;
    let boot = (process.config.wall_clock_ns / 1_000_000_000).saturating_sub(3600);
    let line = |name: String| format!("{name} 0 0 0 0 0 0 0 0 0 0\n");
    let all = std::iter::once("cpu ".to_string()).chain((0..cpus).map(|cpu| format!("cpu{cpu}")));
    let lines: String = all.map(line).collect();
    format!("{lines}btime {boot}\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n")
}
