//! Padding between the program's static variables, which belongs to nobody.
//!
//! A compiled program has no red zones: behind a variable usually lies the next one, and an access
//! that runs from one variable into another looks like any other. What can be told is an access to
//! bytes that no variable covers: those that align the next variable, and the rest of the page
//! behind the last one. Variables are known by the sizes of their symbols, so a stripped program
//! has none. Only `.data` and `.bss` are looked at, which compilers fill with named variables;
//! other sections hold constants without names. A gap as long as [`GAP_MAX`] is not believed to be
//! padding, nor one behind a symbol without a size, nor what lies between the two sections.

use crate::module::Module;
use samovar_vm::loader::{Symbol, SymbolKind};
use samovar_vm::memory::{Memory, PAGE_SIZE};
use std::ops::Range;

/// No variable has a larger alignment, as far as this matters.
const GAP_MAX: u64 = 64;

/// Bytes that belong to nobody, behind a variable.
#[derive(Debug, PartialEq, Eq)]
struct Gap {
    variable: Range<u64>,
    bytes: Range<u64>,
}

/// Makes every access to padding between the module's variables a fault.
pub(crate) fn guard(memory: &mut Memory, module: &Module) {
    let sections = [".data", ".bss"].map(|name| module.image.section_named(name));
    let sections: Vec<Range<u64>> = sections.into_iter().flatten().collect();
    let symbols: Vec<(u64, u64)> = module
        .image
        .full_symbols()
        .filter(|symbol| symbol.addressed && is_in_data(symbol, &sections))
        .map(|symbol| (symbol.value, symbol.size))
        .collect();
    let mut gaps: Vec<Gap> = sections.iter().flat_map(|section| gaps(&symbols, section)).collect();
    // The linker ends the page behind the last variable of all with nothing.
    let end = module.image.span().end;
    if let Some(last) = gaps.iter_mut().find(|gap| gap.bytes.end == end) {
        last.bytes.end = end.next_multiple_of(PAGE_SIZE);
    }
    gaps.retain(|gap| !gap.bytes.is_empty());
    let first_page = |gap: &Gap| (gap.bytes.start + module.bias) / PAGE_SIZE;
    let mut pages: Vec<u64> = gaps
        .iter()
        .flat_map(|gap| first_page(gap)..=(gap.bytes.end - 1 + module.bias) / PAGE_SIZE)
        .collect();
    pages.sort_unstable();
    pages.dedup();
    for page in pages {
        memory.shadow_pages(page * PAGE_SIZE, PAGE_SIZE, true);
    }
    for Gap { variable, bytes } in gaps {
        let size = variable.end - variable.start;
        memory.create_global(variable.start + module.bias, size, bytes.end - bytes.start);
    }
}

/// Whether a symbol may be a variable, or a boundary of one.
fn is_in_data(symbol: &Symbol<'_>, sections: &[Range<u64>]) -> bool {
    let is_name = !matches!(symbol.kind, SymbolKind::Other | SymbolKind::ThreadLocal);
    is_name && sections.iter().any(|section| section.contains(&symbol.value))
}

/// The padding in a section behind variables with these addresses and sizes. The last gap ends with
/// the section and may be empty.
fn gaps(symbols: &[(u64, u64)], section: &Range<u64>) -> Vec<Gap> {
    let mut own: Vec<(u64, u64)> =
        symbols.iter().copied().filter(|(start, _)| section.contains(start)).collect();
    own.sort_unstable();
    let mut gaps = Vec::new();
    // The variable that reaches farthest so far.
    let mut variable = 0..0;
    for index in 0..own.len() {
        let (start, size) = own[index];
        let end = start.saturating_add(size);
        if variable.end <= end {
            // Something without a size may go on up to the next symbol.
            variable = start..end;
        }
        let next = own.get(index + 1).map_or(section.end, |(next, _)| *next);
        let is_last = index + 1 == own.len();
        let length = next.saturating_sub(variable.end);
        let is_behind = variable.start < variable.end && variable.end <= next;
        if is_behind && length < GAP_MAX && (0 < length || is_last) {
            gaps.push(Gap { variable: variable.clone(), bytes: variable.end..next });
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(symbols: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let gaps = gaps(symbols, &(0x100..0x200)).into_iter();
        gaps.map(|gap| (gap.bytes.start, gap.bytes.end)).collect()
    }

    #[test]
    fn padding_lies_behind_variables_with_a_size() {
        assert_eq!(bytes(&[(0x100, 10), (0x110, 0xf0)]), [(0x10a, 0x110), (0x200, 0x200)]);
        assert_eq!(bytes(&[(0x100, 0), (0x110, 0xef)]), [(0x1ff, 0x200)]);
        assert_eq!(bytes(&[(0x100, 10), (0x1c0, 0x40)]), [(0x200, 0x200)], "too long for padding");
        assert_eq!(bytes(&[(0x80, 10), (0x300, 10)]), []);
    }

    #[test]
    fn whatever_reaches_farthest_counts() {
        let overlapping = [(0x100, 0x20), (0x104, 4), (0x124, 0xdc)];
        assert_eq!(bytes(&overlapping), [(0x120, 0x124), (0x200, 0x200)]);
        assert_eq!(bytes(&[(0x100, 8), (0x108, 0), (0x110, 0xf0)]), [(0x200, 0x200)]);
        assert_eq!(bytes(&[(0x1f0, 0x20)]), []);
    }
}
