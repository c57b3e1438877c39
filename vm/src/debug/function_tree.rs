//! The inside of one function: lexical blocks and inlined calls as a tree, each with its address
//! ranges and the entries of its variables. Serves both `locate` and the lookup of locals.
//!
//! Read once per function and cached by the module. Nested functions are left out: they have
//! trees of their own.

use std::sync::{Arc, PoisonError};

use gimli::{Range, UnitOffset};

use super::DebugInfo;
use super::attr::{self, Entry};
use super::dies::Dies;
use super::scopes::DEPTH_MAX;
use super::units::DieId;

/// Why code belongs to a block.
#[derive(Debug)]
pub(super) enum BlockKind {
    /// The function itself.
    Function,
    /// A `{ … }` of the source.
    Lexical,
    /// A call that was inlined.
    Inlined {
        /// The abstract instance of the callee.
        origin: Option<DieId>,
        call_file: u32,
        call_line: u32,
        call_column: u32,
    },
}

/// One block.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    /// Empty: as far as the parent reaches.
    pub(super) ranges: Vec<Range>,
    /// Index of the enclosing block; None for the function.
    pub(super) parent: Option<u32>,
    /// Parameters and variables, in source order.
    pub(super) variables: Vec<DieId>,
}

/// The blocks of a function in pre-order; the first one is the function.
#[derive(Debug)]
pub(super) struct FunctionTree {
    pub(super) die: DieId,
    pub(super) unit_number: usize,
    pub(super) blocks: Vec<Block>,
}

impl FunctionTree {
    /// The blocks around an address of the file, outermost first.
    pub(super) fn around(&self, addr: u64) -> Vec<&Block> {
        let mut is_active = vec![false; self.blocks.len()];
        let mut path = Vec::new();
        let mut innermost = None;
        for (index, block) in self.blocks.iter().enumerate() {
            let is_open = block.parent.is_none_or(|parent| is_active[parent as usize]);
            let covers = block.ranges.is_empty()
                || block.ranges.iter().any(|range| (range.begin..range.end).contains(&addr));
            // Blocks are nested in what was found so far, so siblings never come together.
            if is_open && covers && block.parent == innermost {
                is_active[index] = true;
                innermost = Some(index as u32);
                path.push(block);
            }
        }
        path
    }
}

impl DebugInfo {
    /// The tree of the function whose code covers an address of the file.
    pub(super) fn function_tree_at(&self, dies: &Dies<'_>, addr: u64) -> Option<Arc<FunctionTree>> {
        let (unit_number, offset) = dies.units.at_address(addr).find_map(|unit_number| {
            let function = dies.index(unit_number)?.function_at(addr)?;
            Some((unit_number, function.die))
        })?;
        let die = dies.id(unit_number, offset);
        let trees = self.trees.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = trees.get(&die) {
            return Some(tree.clone());
        }
        drop(trees);
        let tree = Arc::new(build(dies, unit_number, offset));
        let mut trees = self.trees.write().unwrap_or_else(PoisonError::into_inner);
        Some(trees.entry(die).or_insert(tree).clone())
    }
}

fn build(dies: &Dies<'_>, unit_number: usize, offset: u32) -> FunctionTree {
    let die = dies.id(unit_number, offset);
    let function = Block {
        kind: BlockKind::Function,
        ranges: Vec::new(),
        parent: None,
        variables: Vec::new(),
    };
    let mut tree = FunctionTree { die, unit_number, blocks: vec![function] };
    // An unreadable entry ends the walk; what came before it is kept.
    let _ = fill(dies, &mut tree, offset);
    tree
}

fn fill(dies: &Dies<'_>, tree: &mut FunctionTree, offset: u32) -> gimli::Result<()> {
    let Some(unit) = dies.unit(tree.unit_number) else { return Ok(()) };
    let mut entries = unit.entries_raw(Some(UnitOffset(offset as usize)))?;
    let mut entry = Entry::null();
    entries.read_entry(&mut entry)?;
    // Open blocks with the depth of their children; entries below `skip_below` are not ours.
    let mut open: Vec<(isize, u32)> = vec![(1, 0)];
    let mut skip_below = isize::MAX;
    while !entries.is_empty() && entry.has_children {
        let depth = entries.next_depth();
        if depth < 1 || !dies.info.fuel.spend(4) {
            break;
        }
        let at = entries.next_offset();
        if !entries.read_entry(&mut entry)? {
            entry.has_children = true;
            continue;
        }
        let has_children = std::mem::replace(&mut entry.has_children, true);
        while open.last().is_some_and(|&(children, _)| depth < children) {
            open.pop();
        }
        if depth >= skip_below {
            continue;
        }
        skip_below = isize::MAX;
        let Some(&(_, parent)) = open.last() else { break };
        let kind = match entry.tag() {
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => {
                let id = dies.id(tree.unit_number, at.0 as u32);
                tree.blocks[parent as usize].variables.push(id);
                continue;
            }
            gimli::DW_TAG_lexical_block => BlockKind::Lexical,
            gimli::DW_TAG_inlined_subroutine => inlined(dies, tree.unit_number, &entry),
            gimli::DW_TAG_subprogram => {
                skip_below = if has_children { depth + 1 } else { isize::MAX };
                continue;
            }
            _ => continue,
        };
        let ranges = attr::ranges(&dies.dwarf, &unit, &entry, &dies.info.fuel);
        let is_call_without_code = ranges.is_empty() && matches!(kind, BlockKind::Inlined { .. });
        if is_call_without_code || open.len() > DEPTH_MAX {
            skip_below = if has_children { depth + 1 } else { isize::MAX };
            continue;
        }
        tree.blocks.push(Block { kind, ranges, parent: Some(parent), variables: Vec::new() });
        if has_children {
            open.push((depth + 1, (tree.blocks.len() - 1) as u32));
        }
    }
    Ok(())
}

fn inlined(dies: &Dies<'_>, unit_number: usize, entry: &Entry<'_>) -> BlockKind {
    let number = |name| attr::unsigned(entry, name).map_or(0, |value| value as u32);
    let origin = entry.attr_value(gimli::DW_AT_abstract_origin);
    BlockKind::Inlined {
        origin: origin.and_then(|value| dies.reference_value(unit_number, value)),
        call_file: number(gimli::DW_AT_call_file),
        call_line: number(gimli::DW_AT_call_line),
        call_column: number(gimli::DW_AT_call_column),
    }
}
