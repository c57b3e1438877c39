//! The registers as gdb wants them: their description and their values, in the same order.

use samovar_runtime::Process;
use samovar_vm::machine::ThreadId;
use samovar_vm::reg::Reg;
use std::fmt::Write;

/// General registers in gdb's order.
const GENERAL: [Reg; 16] = [
    Reg::Rax,
    Reg::Rbx,
    Reg::Rcx,
    Reg::Rdx,
    Reg::Rsi,
    Reg::Rdi,
    Reg::Rbp,
    Reg::Rsp,
    Reg::R8,
    Reg::R9,
    Reg::R10,
    Reg::R11,
    Reg::R12,
    Reg::R13,
    Reg::R14,
    Reg::R15,
];
/// Segment selectors of an ordinary process: cs, ss, ds, es, fs, gs.
const SEGMENTS: [(&str, u32); 6] =
    [("cs", 0x33), ("ss", 0x2b), ("ds", 0), ("es", 0), ("fs", 0), ("gs", 0)];
/// The control registers of the x87 unit.
const X87: [&str; 8] = ["fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop"];

/// The description that gdb asks for.
pub fn description() -> String {
    let mut core = String::new();
    for reg in GENERAL {
        let kind = if matches!(reg, Reg::Rbp | Reg::Rsp) { "data_ptr" } else { "int64" };
        register(&mut core, reg.name(), 64, kind);
    }
    register(&mut core, "rip", 64, "code_ptr");
    register(&mut core, "eflags", 32, "i386_eflags");
    for (name, _) in SEGMENTS {
        register(&mut core, name, 32, "int32");
    }
    for number in 0..8 {
        register(&mut core, &format!("st{number}"), 80, "i387_ext");
    }
    for name in X87 {
        let _ = write!(core, r#"<reg name="{name}" bitsize="32" type="int" group="float"/>"#);
    }
    let mut sse = String::new();
    for number in 0..16 {
        register(&mut sse, &format!("xmm{number}"), 128, "vec128");
    }
    let _ = write!(sse, r#"<reg name="mxcsr" bitsize="32" type="i386_mxcsr" group="vector"/>"#);
    format!(
        concat!(
            r#"<?xml version="1.0"?><!DOCTYPE target SYSTEM "gdb-target.dtd"><target>"#,
            "<architecture>i386:x86-64</architecture><osabi>GNU/Linux</osabi>",
            r#"<feature name="org.gnu.gdb.i386.core">{}{}</feature>"#,
            r#"<feature name="org.gnu.gdb.i386.sse">{}{}</feature>"#,
            r#"<feature name="org.gnu.gdb.i386.linux">"#,
            r#"<reg name="orig_rax" bitsize="64" type="int"/></feature>"#,
            r#"<feature name="org.gnu.gdb.i386.segments">"#,
            r#"<reg name="fs_base" bitsize="64" type="int"/>"#,
            r#"<reg name="gs_base" bitsize="64" type="int"/></feature></target>"#,
        ),
        FLAGS, core, SSE_TYPES, sse
    )
}

fn register(text: &mut String, name: &str, bits: u32, kind: &str) {
    let _ = write!(text, r#"<reg name="{name}" bitsize="{bits}" type="{kind}"/>"#);
}

const FLAGS: &str = concat!(
    r#"<flags id="i386_eflags" size="4"><field name="CF" start="0" end="0"/>"#,
    r#"<field name="PF" start="2" end="2"/><field name="AF" start="4" end="4"/>"#,
    r#"<field name="ZF" start="6" end="6"/><field name="SF" start="7" end="7"/>"#,
    r#"<field name="IF" start="9" end="9"/><field name="DF" start="10" end="10"/>"#,
    r#"<field name="OF" start="11" end="11"/></flags>"#,
);

const SSE_TYPES: &str = concat!(
    r#"<vector id="v4f" type="ieee_single" count="4"/>"#,
    r#"<vector id="v2d" type="ieee_double" count="2"/>"#,
    r#"<vector id="v16i8" type="int8" count="16"/><vector id="v8i16" type="int16" count="8"/>"#,
    r#"<vector id="v4i32" type="int32" count="4"/><vector id="v2i64" type="int64" count="2"/>"#,
    r#"<union id="vec128"><field name="v4_float" type="v4f"/><field name="v2_double" type="v2d"/>"#,
    r#"<field name="v16_int8" type="v16i8"/><field name="v8_int16" type="v8i16"/>"#,
    r#"<field name="v4_int32" type="v4i32"/><field name="v2_int64" type="v2i64"/>"#,
    r#"<field name="uint128" type="uint128"/></union>"#,
    r#"<flags id="i386_mxcsr" size="4"><field name="IE" start="0" end="0"/>"#,
    r#"<field name="DE" start="1" end="1"/><field name="ZE" start="2" end="2"/>"#,
    r#"<field name="OE" start="3" end="3"/><field name="UE" start="4" end="4"/>"#,
    r#"<field name="PE" start="5" end="5"/></flags>"#,
);

/// The values of all registers of a thread, each in its own bytes.
pub fn values(process: &Process, thread: ThreadId) -> Vec<Vec<u8>> {
    let core = process.machine.core(thread);
    let floating = process.machine.floating(thread);
    let mut all: Vec<Vec<u8>> = Vec::new();
    all.extend(GENERAL.map(|reg| core[reg].to_le_bytes().to_vec()));
    all.push(core.pc.to_le_bytes().to_vec());
    all.push((core.rflags() as u32).to_le_bytes().to_vec());
    all.extend(SEGMENTS.map(|(_, value)| value.to_le_bytes().to_vec()));
    let fpu = &floating.x87;
    for index in 0..8 {
        all.push(fpu.st(index).unwrap_or(0).to_le_bytes()[..10].to_vec());
    }
    // Two bits for each register: in use, or empty.
    let tags = (0..8).fold(0u32, |tags, place| {
        if fpu.used() >> place & 1 == 1 { tags } else { tags | 3 << (2 * place) }
    });
    let control = [u32::from(fpu.control()), u32::from(fpu.status()), tags, 0, 0, 0, 0, 0];
    all.extend(control.map(|value| value.to_le_bytes().to_vec()));
    all.extend(floating.xmm.iter().map(|value| value.to_le_bytes().to_vec()));
    all.push(floating.mxcsr.to_le_bytes().to_vec());
    // No system call is under way.
    all.push(u64::MAX.to_le_bytes().to_vec());
    all.push(core[Reg::FsBase].to_le_bytes().to_vec());
    all.push(core[Reg::GsBase].to_le_bytes().to_vec());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_as_long_as_the_values() {
        let text = description();
        let sizes: Vec<usize> = text
            .match_indices("bitsize=\"")
            .filter_map(|(at, word)| text[at + word.len()..].split('"').next()?.parse().ok())
            .collect();
        assert_eq!(sizes.len(), 16 + 2 + 6 + 8 + 8 + 16 + 1 + 1 + 2);
        assert_eq!(sizes[16], 64);
        assert_eq!(sizes.iter().sum::<usize>() / 8, 16 * 8 + 8 + 7 * 4 + 80 + 32 + 256 + 4 + 24);
    }
}
