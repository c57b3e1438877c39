//! Variables of one module: those with static storage by name, and those of a frame.

use super::DebugInfo;
use super::attr;
use super::backtrace::CallFrame;
use super::dies::{Die, Dies};
use super::error::Unavailable;
use super::function_tree::BlockKind;
use super::lines::join;
use super::locate::SourceLine;
use super::location::FrameView;
use super::name_index::Fit;
use super::state::{State, Storage};
use super::types::TypeId;
use super::units::DieId;

/// How a variable comes to have storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableKind {
    /// Visible to the linker.
    Global,
    /// Static storage, visible in its file, function or class only.
    Static,
    /// Only declared here; defined where the linker found it.
    Declared,
    /// A parameter of a frame.
    Parameter,
    /// A local variable of a frame.
    Local,
}

/// A variable of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Name with its scopes; for parameters and locals without them.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// What kind of variable it is.
    pub kind: VariableKind,
    pub(super) home: Home,
}

/// Where the location of a variable is described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Home {
    /// By an entry of a module's debug information.
    Die { module: u16, die: DieId },
    /// By a symbol: a guest address.
    Symbol(u64),
    /// By a thread-local symbol: an offset in a module's block.
    TlsSymbol { module: u16, offset: u64 },
}

/// A state in which nothing is known; enough for addresses of static storage.
pub(super) struct NoState;

impl State for NoState {
    fn read(&self, _: u64, _: &mut [u8]) -> bool {
        false
    }
    fn register(&self, _: u16) -> Option<u64> {
        None
    }
    fn fs_base(&self) -> Option<u64> {
        None
    }
}

impl DebugInfo {
    /// The variables with static storage that fit a name best.
    pub(super) fn variables_named(&self, name: &str) -> (Option<Fit>, Vec<Variable>) {
        let dies = Dies::new(self);
        let (fit, found) = self.variable_dies(&dies, name);
        (fit, found.into_iter().filter_map(|id| self.static_variable(&dies, id)).collect())
    }

    /// The variable with static storage behind an entry.
    pub(super) fn static_variable(&self, dies: &Dies<'_>, id: DieId) -> Option<Variable> {
        let name = self.readable_name(dies, id)?;
        let die = dies.die(id)?;
        let has_storage = [gimli::DW_AT_location, gimli::DW_AT_const_value]
            .iter()
            .any(|&at| die.entry.has_attr(at));
        let is_declaration = attr::flag(&die.entry, gimli::DW_AT_declaration);
        let is_external =
            dies.inherited(id, |die| attr::flag(&die.entry, gimli::DW_AT_external).then_some(()));
        let kind = match (has_storage, is_external) {
            // Also an alias, which has a symbol but no location of its own.
            (false, external) if is_declaration || external.is_some() => VariableKind::Declared,
            (_, Some(())) => VariableKind::Global,
            _ => VariableKind::Static,
        };
        Some(Variable { name, ty: self.type_of_variable(dies, id), kind, home: self.home(id) })
    }

    /// The parameters and locals that are in scope at a guest address: those of the innermost
    /// block first. `inlined_level` counts the functions that [`DebugInfo::locate`] lists for the
    /// address: 0 is the innermost one, which may be inlined into the next.
    pub fn locals(&self, pc: u64, inlined_level: usize) -> Vec<Variable> {
        let dies = Dies::new(self);
        let addr = self.to_file(pc);
        let Some(tree) = self.function_tree_at(&dies, addr) else { return Vec::new() };
        let mut found = Vec::new();
        let mut level = 0;
        for block in tree.around(addr).into_iter().rev() {
            if level == inlined_level {
                found.extend(block.variables.iter().filter_map(|&id| self.local(&dies, id)));
            }
            if !matches!(block.kind, BlockKind::Lexical) {
                level += 1;
            }
        }
        found
    }

    pub(super) fn local(&self, dies: &Dies<'_>, id: DieId) -> Option<Variable> {
        let name = dies.name(id)?;
        let kind = match dies.die(id)?.entry.tag() {
            gimli::DW_TAG_formal_parameter => VariableKind::Parameter,
            _ => VariableKind::Local,
        };
        Some(Variable { name, ty: self.type_of_variable(dies, id), kind, home: self.home(id) })
    }

    fn type_of_variable(&self, dies: &Dies<'_>, id: DieId) -> TypeId {
        dies.type_of(id).map_or(TypeId::unknown(0), |ty| TypeId::of_module(self.module, ty.0))
    }

    fn home(&self, die: DieId) -> Home {
        Home::Die { module: self.module, die }
    }

    /// Where the variable behind an entry is.
    pub(super) fn storage_of(
        &self,
        id: DieId,
        view: FrameView<'_>,
    ) -> Result<Storage, Unavailable> {
        let dies = Dies::new(self);
        // The concrete entry may say nothing while its abstract instance does (static locals).
        let located = dies.inherited(id, |die: &Die<'_>| {
            let says = [gimli::DW_AT_location, gimli::DW_AT_const_value];
            says.iter().any(|&at| die.entry.has_attr(at)).then_some(die.id)
        });
        let die = dies.die(located.unwrap_or(id)).ok_or(Unavailable::Malformed)?;
        if attr::flag(&die.entry, gimli::DW_AT_declaration)
            && !die.entry.has_attr(gimli::DW_AT_const_value)
        {
            return Err(Unavailable::NoDefinition);
        }
        let storage = dies.storage(&die, view)?;
        // What the linker threw away keeps an entry with a meaningless address.
        match storage.addr() {
            Some(addr) if self.is_discarded(&die, addr) => Err(Unavailable::OptimisedOut),
            _ => Ok(storage),
        }
    }

    fn is_discarded(&self, die: &Die<'_>, addr: u64) -> bool {
        let location = die.entry.attr_value(gimli::DW_AT_location);
        let is_fixed = matches!(location, Some(gimli::AttributeValue::Exprloc(expression))
            if expression.0.slice().first() == Some(&gimli::DW_OP_addr.0));
        is_fixed && !self.image.is_mapped(self.to_file(addr))
    }

    /// The offset of a thread-local variable in the module's block; None for other variables.
    pub(super) fn tls_offset_of(&self, dies: &Dies<'_>, id: DieId) -> Option<u64> {
        let die = dies.die(id)?;
        match die.entry.attr_value(gimli::DW_AT_location)? {
            gimli::AttributeValue::Exprloc(expression) => dies.tls_offset(&die.unit, expression),
            _ => None,
        }
    }

    /// The linker's name of the variable behind an entry.
    pub(super) fn linkage_name_of(&self, id: DieId) -> Option<String> {
        let dies = Dies::new(self);
        dies.linkage_name(id).or_else(|| dies.name(id))
    }

    /// The name of a variable with the file of its unit in front.
    pub(super) fn file_qualified(&self, id: DieId, name: &str, full_path: bool) -> Option<String> {
        let unit = &self.units().units[self.units().of_die(id)?];
        let path = join(&unit.directory, &unit.name);
        let file = if full_path { &path } else { path.rsplit('/').next().unwrap_or(&path) };
        Some(format!("{file}::{name}"))
    }

    /// True if the entry lies in the unit whose code covers a guest address.
    pub(super) fn is_in_unit_of(&self, id: DieId, pc: u64) -> bool {
        let unit = self.units().of_die(id);
        self.units().at_address(self.to_file(pc)).any(|number| Some(number) == unit)
    }

    /// Where a variable is declared.
    pub(super) fn declared_at(&self, id: DieId) -> Option<SourceLine> {
        let dies = Dies::new(self);
        dies.inherited(id, |die| {
            let file = attr::unsigned(&die.entry, gimli::DW_AT_decl_file)?;
            let line = attr::unsigned(&die.entry, gimli::DW_AT_decl_line)?;
            let file = self.line_table(die.unit_number).file(u32::try_from(file).ok()?)?.clone();
            Some(SourceLine { file, line: u32::try_from(line).ok()?, column: 0 })
        })
    }
}

/// A frame in which variables are looked up: the thread's state as one function sees it.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// Memory and registers.
    pub state: &'a dyn State,
    /// Guest address in the function; None to see static storage only.
    pub pc: Option<u64>,
    /// Which of the functions at the address: 0 is the innermost inlined one.
    pub inlined_level: usize,
}

impl<'a> Scope<'a> {
    /// No frame: variables with static storage only.
    pub fn global(state: &'a dyn State) -> Scope<'a> {
        Scope { state, pc: None, inlined_level: 0 }
    }

    /// The innermost frame of a thread that is at `pc`.
    pub fn innermost(state: &'a dyn State, pc: u64) -> Scope<'a> {
        Scope { state, pc: Some(pc), inlined_level: 0 }
    }

    /// A frame that a backtrace found; `state` must be its
    /// [`FrameState`](super::FrameState).
    pub fn of_frame(state: &'a dyn State, frame: &CallFrame) -> Scope<'a> {
        Scope { state, pc: Some(frame.lookup), inlined_level: 0 }
    }

    /// The same frame as one of the functions that were inlined into it sees it, or as the
    /// function itself does: the place in what [`DebugInfo::locate`] lists.
    pub fn at_inlined_level(self, inlined_level: usize) -> Scope<'a> {
        Scope { inlined_level, ..self }
    }

    pub(super) fn view(self) -> FrameView<'a> {
        FrameView { state: self.state, pc: self.pc }
    }
}
