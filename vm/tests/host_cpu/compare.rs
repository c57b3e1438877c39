//! Compares two outcomes of the same execution and words the difference.

use std::fmt::Write;

use crate::cpu::{Cpu, End, Fault, GPR_NAMES, flag};
use crate::inputs::Input;
use crate::undefined::Slack;

/// One judge's account of an execution, data pages included.
pub struct Outcome<'a> {
    pub end: End,
    pub cpu: &'a Cpu,
    pub data: &'a [u8],
}

/// One line per difference; empty when the two agree.
pub fn differences(native: &Outcome, vm: &Outcome, data_start: u64, slack: Slack) -> Vec<String> {
    let mut lines = Vec::new();
    if native.end != vm.end {
        lines.push(format!("end: native {:x?}, vm {:x?}", native.end, vm.end));
    }
    if slack.everything {
        return lines;
    }
    let is_fault = matches!(native.end, End::Fault(_));
    let excused = slack.rflags | if is_fault { slack.rflags_at_fault } else { 0 };
    registers(native.cpu, vm.cpu, excused, &mut lines);
    floating_point(native.cpu, vm.cpu, slack, &mut lines);
    // Which flags accompany an SSE exception that is not masked depends on lanes and on the order
    // of checks; the machine raises all of them.
    let is_trap = native.end == End::Fault(Fault::FloatingPoint);
    let sticky = if is_trap { 0x3f } else { 0 };
    if (native.cpu.fx.mxcsr ^ vm.cpu.fx.mxcsr) & !sticky != 0 {
        let (left, right) = (native.cpu.fx.mxcsr, vm.cpu.fx.mxcsr);
        lines.push(format!("mxcsr: native {left:#x}, vm {right:#x}"));
    }
    if native.data != vm.data {
        memory(native.data, vm.data, data_start, &mut lines);
    }
    lines
}

fn registers(native: &Cpu, vm: &Cpu, excused: u64, lines: &mut Vec<String>) {
    for (i, name) in GPR_NAMES.iter().enumerate() {
        if native.gpr[i] != vm.gpr[i] {
            lines.push(format!("{name}: native {:#x}, vm {:#x}", native.gpr[i], vm.gpr[i]));
        }
    }
    let mask = flag::USER & !excused;
    if (native.rflags ^ vm.rflags) & mask != 0 {
        let (left, right) = (flags_text(native.rflags & mask), flags_text(vm.rflags & mask));
        lines.push(format!("flags: native [{left}], vm [{right}] (of {})", flags_text(mask)));
    }
    for i in 0..16 {
        let (left, right) = (native.fx.xmm[i], vm.fx.xmm[i]);
        if left != right {
            lines.push(format!("xmm{i}: native {left:#034x}, vm {right:#034x}"));
        }
    }
}

fn floating_point(native: &Cpu, vm: &Cpu, slack: Slack, lines: &mut Vec<String>) {
    let (left, right) = (&native.fx, &vm.fx);
    if left.control != right.control {
        lines.push(format!("fcw: native {:#x}, vm {:#x}", left.control, right.control));
    }
    if (left.status ^ right.status) & !slack.x87_status != 0 {
        let (left, right) = (left.status & !slack.x87_status, right.status & !slack.x87_status);
        lines.push(format!("fsw: native {left:#06x}, vm {right:#06x}"));
    }
    if left.tags != right.tags {
        lines.push(format!("tags: native {:08b}, vm {:08b}", left.tags, right.tags));
        return;
    }
    for i in (0..8).filter(|&i| left.is_occupied(i)) {
        if left.st[i][..10] != right.st[i][..10] {
            let (left, right) = (hex(&left.st[i][..10]), hex(&right.st[i][..10]));
            lines.push(format!("st{i}: native {left}, vm {right}"));
        }
    }
}

fn memory(native: &[u8], vm: &[u8], start: u64, lines: &mut Vec<String>) {
    let mut at = 0;
    while at < native.len() {
        if native[at] == vm[at] {
            at += 1;
            continue;
        }
        let end = (at + 16).min(native.len());
        let (left, right) = (hex(&native[at..end]), hex(&vm[at..end]));
        lines.push(format!("[{:#x}]: native {left}, vm {right}", start + at as u64));
        at = end;
    }
}

/// All that is needed to repeat an execution.
pub fn describe(input: &Input) -> String {
    let mut text = String::new();
    let cpu = &input.cpu;
    for (i, name) in GPR_NAMES.iter().enumerate() {
        let separator = if i % 4 == 3 { "\n" } else { "  " };
        let _ = write!(text, "    {name:>3} {:016x}{separator}", cpu.gpr[i]);
    }
    let _ = writeln!(text, "    flags [{}]  fs base {:#x}", flags_text(cpu.rflags), cpu.fs_base);
    for (i, xmm) in cpu.fx.xmm.iter().enumerate() {
        let separator = if i % 2 == 1 { "\n" } else { "  " };
        let _ = write!(text, "    xmm{i:<2} {xmm:032x}{separator}");
    }
    let fx = &cpu.fx;
    let (control, status, tags) = (fx.control, fx.status, fx.tags);
    let _ = writeln!(
        text,
        "    mxcsr {:#x}  fcw {control:#x}  fsw {status:#06x}  tags {tags:08b}",
        fx.mxcsr
    );
    for i in (0..8).filter(|&i| fx.is_occupied(i)) {
        let _ = writeln!(text, "    st{i} {}", hex(&fx.st[i][..10]));
    }
    for patch in &input.patches {
        let _ = writeln!(text, "    [{:#x}] {}", patch.address, hex(&patch.bytes));
    }
    text
}

/// Bytes in memory order.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}

fn flags_text(rflags: u64) -> String {
    let names = [
        (flag::CF, "CF"),
        (flag::PF, "PF"),
        (flag::AF, "AF"),
        (flag::ZF, "ZF"),
        (flag::SF, "SF"),
        (flag::DF, "DF"),
        (flag::OF, "OF"),
    ];
    let set = names.iter().filter(|(bit, _)| rflags & bit != 0).map(|&(_, name)| name);
    set.collect::<Vec<_>>().join(" ")
}
