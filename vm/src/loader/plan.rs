//! From images to a start state: which bytes lie where, with which rights, and where to begin.
//!
//! Follows Linux's rules for mapping segments: whole pages; bytes of the file around a segment
//! are visible in its first and last page; in a writable segment whose memory is larger than its
//! part of the file, the rest of the last file page is zero; pages beyond it are anonymous and
//! writable; a later segment replaces what an earlier one put into a shared page. Address-space
//! randomisation is off: the same files and strings give the same plan. Relocations are not
//! applied: the guest does that itself.

use std::ops::Range;
use std::sync::Arc;

use super::auxv::AuxKey;
use super::error::LoadError;
use super::image::Image;
use super::segment::{Perms, Segment};
use super::stack::{InitialStack, build_stack};
use super::{ADDRESS_SPACE_END, PAGE_SIZE, page_ceil, page_floor};

/// Where things lie in the guest's address space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Address of a program that can be loaded anywhere.
    pub pie_base: u64,
    /// Address of the dynamic linker.
    pub interpreter_base: u64,
    /// First address above the main thread's stack.
    pub stack_top: u64,
    /// Size of the main thread's stack.
    pub stack_size: u64,
}

impl Layout {
    /// The layout every guest gets.
    pub const STANDARD: Layout = Layout {
        pie_base: 0x10_0000_0000,
        interpreter_base: 0x20_0000_0000,
        stack_top: 0x3f_ffff_f000,
        stack_size: 8 << 20,
    };
}

/// What the plan needs to know beside the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanOptions {
    /// The path the program was started by (AT_EXECFN).
    pub exec_path: Vec<u8>,
    /// Name of the platform (AT_PLATFORM).
    pub platform: String,
    /// Processor features (AT_HWCAP).
    pub hwcap: u64,
    /// Further processor features (AT_HWCAP2).
    pub hwcap2: u64,
    /// Smallest stack for a signal handler (AT_MINSIGSTKSZ).
    pub signal_stack_min: u64,
    /// Clock ticks a second (AT_CLKTCK).
    pub clock_ticks: u64,
    /// The bytes that libc takes its canary from (AT_RANDOM).
    pub random: [u8; 16],
    /// Real user.
    pub uid: u64,
    /// Effective user.
    pub euid: u64,
    /// Real group.
    pub gid: u64,
    /// Effective group.
    pub egid: u64,
    /// Where things lie.
    pub layout: Layout,
}

impl PlanOptions {
    /// Options for an ordinary user on a plain x86-64 processor with SSE2.
    pub fn new(exec_path: &[u8]) -> PlanOptions {
        PlanOptions {
            exec_path: exec_path.to_vec(),
            platform: "x86_64".to_string(),
            // fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush
            // mmx fxsr sse sse2: what EDX of CPUID leaf 1 says on the first x86-64 processors.
            hwcap: 0x078b_fbff,
            hwcap2: 0,
            signal_stack_min: 2048,
            clock_ticks: 100,
            random: [0; 16],
            uid: 1000,
            euid: 1000,
            gid: 1000,
            egid: 1000,
            layout: Layout::STANDARD,
        }
    }
}

/// A run of pages with the same rights: bytes of a file, followed by zeros.
#[derive(Clone, PartialEq, Eq)]
pub struct Mapping {
    /// First address; a multiple of the page size.
    pub addr: u64,
    /// Size in bytes; a positive multiple of the page size.
    pub len: u64,
    /// Access rights.
    pub perms: Perms,
    /// Name of the file it belongs to.
    pub name: String,
    /// Offset in the file; `None` for pages without any bytes of the file.
    pub file_offset: Option<u64>,
    file: Arc<[u8]>,
    range: Range<usize>,
}

impl Mapping {
    /// The bytes at the start of the mapping, at most `len`; the rest is zero.
    pub fn bytes(&self) -> &[u8] {
        &self.file[self.range.clone()]
    }

    /// First address after the mapping.
    pub fn end(&self) -> u64 {
        self.addr + self.len
    }

    /// The part of the mapping inside `start..end`, which must lie on page boundaries.
    fn part(&self, start: u64, end: u64) -> Option<Mapping> {
        let (start, end) = (start.max(self.addr), end.min(self.end()));
        if start >= end {
            return None;
        }
        let skip = start - self.addr;
        let (from, to) =
            (self.range.start as u64 + skip, self.range.start as u64 + end - self.addr);
        let limit = self.range.end as u64;
        Some(Mapping {
            addr: start,
            len: end - start,
            file_offset: self.file_offset.map(|offset| offset + skip),
            range: from.min(limit) as usize..to.min(limit) as usize,
            ..self.clone()
        })
    }
}

impl std::fmt::Debug for Mapping {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mapping { addr, perms, name, .. } = self;
        write!(f, "{addr:#x}..{:#x} {perms} {name} ({} bytes)", self.end(), self.range.len())
    }
}

/// Everything the guest's memory and registers hold at the first instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Pages of the program and the dynamic linker: disjoint, by ascending address.
    pub mappings: Vec<Mapping>,
    /// The main thread's stack (not among `mappings`).
    pub stack: InitialStack,
    /// The first instruction: the dynamic linker's, if there is one.
    pub entry: u64,
    /// The stack pointer at the first instruction.
    pub rsp: u64,
    /// Where the heap of `brk` begins.
    pub brk_start: u64,
    /// Added to the program's own addresses.
    pub main_bias: u64,
    /// Added to the dynamic linker's own addresses; `None` without one.
    pub interpreter_bias: Option<u64>,
}

/// Plans the start of `main` with the given arguments and environment.
///
/// `interpreter` is the file that [`Image::interpreter`] names; a program that names one cannot
/// be planned without it.
pub fn plan(
    main: &Image,
    interpreter: Option<&Image>,
    args: &[Vec<u8>],
    env: &[Vec<u8>],
    options: &PlanOptions,
) -> Result<Plan, LoadError> {
    let layout = options.layout;
    check_startable(main)?;
    let interpreter = match (main.interpreter(), interpreter) {
        (Some(path), None) => {
            let (file, interpreter) = (main.name().to_string(), path.to_string());
            return Err(LoadError::MissingInterpreter { file, interpreter });
        }
        (Some(_), Some(interpreter)) => Some(interpreter),
        (None, _) => None,
    };
    let main_bias = bias(main, layout.pie_base);
    let mut mappings = map_image(main, main_bias)?;
    let mut entry = main.entry().wrapping_add(main_bias);
    let mut interpreter_bias = None;
    if let Some(interpreter) = interpreter {
        check_startable(interpreter)?;
        let bias = bias(interpreter, layout.interpreter_base);
        mappings.extend(map_image(interpreter, bias)?);
        entry = interpreter.entry().wrapping_add(bias);
        interpreter_bias = Some(bias);
    }
    mappings.sort_by_key(|mapping| mapping.addr);
    check_disjoint(&mappings, layout)?;

    let stack_exec = main.stack_perms().is_some_and(|perms| perms.exec);
    let stack_perms = Perms { exec: stack_exec, ..Perms::READ_WRITE };
    let stack = build_stack(main.name(), args, env, options, stack_perms, |pointers| {
        // The order is the kernel's.
        let headers = main.program_headers_address().unwrap_or(0).wrapping_add(main_bias);
        vec![
            (AuxKey::Minsigstksz, options.signal_stack_min),
            (AuxKey::Hwcap, options.hwcap),
            (AuxKey::Pagesz, PAGE_SIZE),
            (AuxKey::Clktck, options.clock_ticks),
            (AuxKey::Phdr, headers),
            (AuxKey::Phent, main.program_header_size()),
            (AuxKey::Phnum, main.program_headers_count() as u64),
            (AuxKey::Base, interpreter_bias.unwrap_or(0)),
            (AuxKey::Flags, 0),
            (AuxKey::Entry, main.entry().wrapping_add(main_bias)),
            (AuxKey::Uid, options.uid),
            (AuxKey::Euid, options.euid),
            (AuxKey::Gid, options.gid),
            (AuxKey::Egid, options.egid),
            (AuxKey::Secure, 0),
            (AuxKey::Random, pointers.random),
            (AuxKey::Hwcap2, options.hwcap2),
            (AuxKey::Execfn, pointers.path),
            (AuxKey::Platform, pointers.platform),
        ]
    })?;
    let brk_start = page_ceil(main.span().end.wrapping_add(main_bias)).unwrap_or(u64::MAX);
    let rsp = stack.rsp;
    Ok(Plan { mappings, stack, entry, rsp, brk_start, main_bias, interpreter_bias })
}

/// Refuses a file that has no first instruction.
fn check_startable(image: &Image) -> Result<(), LoadError> {
    let file = image.name().to_string();
    match image.entry_is_executable() {
        true => Ok(()),
        false if image.entry() == 0 => Err(LoadError::NotAProgram { file }),
        false => Err(LoadError::Entry { file, entry: image.entry() }),
    }
}

/// What to add to the file's addresses so that its first page lies at `base`.
fn bias(image: &Image, base: u64) -> u64 {
    if image.is_fixed() { 0 } else { base.wrapping_sub(page_floor(image.span().start)) }
}

/// The mappings of one file, by ascending address.
fn map_image(image: &Image, bias: u64) -> Result<Vec<Mapping>, LoadError> {
    let span = image.span();
    let start = page_floor(span.start).wrapping_add(bias);
    let end = start.checked_add(span.end - page_floor(span.start)).and_then(page_ceil);
    if end.is_none_or(|end| end > ADDRESS_SPACE_END) {
        let (file, end) = (image.name().to_string(), end.unwrap_or(u64::MAX));
        let other = "the end of the address space".to_string();
        return Err(LoadError::Collision { file, start, end, other });
    }
    let mut mappings: Vec<Mapping> = Vec::new();
    for segment in image.segments() {
        for piece in map_segment(image, segment, bias) {
            let kept = mappings.iter().flat_map(|old| {
                let (below, above) = (old.part(0, piece.addr), old.part(piece.end(), u64::MAX));
                below.into_iter().chain(above)
            });
            mappings = kept.collect();
            mappings.push(piece);
        }
    }
    mappings.sort_by_key(|mapping| mapping.addr);
    Ok(mappings)
}

/// The pages with bytes of the file, then the anonymous ones.
fn map_segment(image: &Image, segment: &Segment, bias: u64) -> impl Iterator<Item = Mapping> {
    // No sum below overflows: the segment was checked against the address space, and the file
    // holds all of its bytes.
    let Segment { vaddr, memsz, offset, filesz, perms, .. } = *segment;
    let start = page_floor(vaddr);
    let file_end = if filesz == 0 { start } else { page_floor(vaddr + filesz + PAGE_SIZE - 1) };
    let memory_end = page_floor(vaddr + memsz + PAGE_SIZE - 1);
    let file_start = offset.wrapping_sub(vaddr - start);
    let bytes_end = match memsz > filesz && perms.write {
        true => offset + filesz,
        false => (file_start + (file_end - start)).min(image.bytes().len() as u64),
    };
    let mapping = |from: u64, to: u64| Mapping {
        addr: from.wrapping_add(bias),
        len: to - from,
        perms,
        name: image.name().to_string(),
        file_offset: None,
        file: image.bytes().clone(),
        range: 0..0,
    };
    let from_file = (filesz > 0).then(|| Mapping {
        file_offset: Some(file_start),
        range: file_start as usize..bytes_end as usize,
        ..mapping(start, file_end)
    });
    let anonymous = (memory_end > file_end).then(|| Mapping {
        perms: Perms { exec: perms.exec, ..Perms::READ_WRITE },
        ..mapping(file_end, memory_end)
    });
    from_file.into_iter().chain(anonymous)
}

/// Refuses mappings that share a page with each other or with the stack.
fn check_disjoint(mappings: &[Mapping], layout: Layout) -> Result<(), LoadError> {
    let collision = |mapping: &Mapping, other: &str| LoadError::Collision {
        file: mapping.name.clone(),
        start: mapping.addr,
        end: mapping.end(),
        other: other.to_string(),
    };
    for pair in mappings.windows(2) {
        if pair[1].addr < pair[0].end() {
            return Err(collision(&pair[0], &pair[1].name));
        }
    }
    let stack_low = layout.stack_top.saturating_sub(layout.stack_size);
    match mappings.iter().find(|m| m.addr < layout.stack_top && stack_low < m.end()) {
        Some(mapping) => Err(collision(mapping, "the stack")),
        None => Ok(()),
    }
}
