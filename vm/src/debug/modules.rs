//! A loaded process: the debug information of all its modules, asked by guest address or by name.
//!
//! Names are looked up in load order, as the linker does: the first module that defines a fitting
//! variable wins, so that the program's own variables hide those of its libraries.

use std::sync::Arc;

use super::DebugInfo;
use super::error::{LookupError, Unavailable};
use super::locate::{Frame, Function, LineAddresses, SourceLine};
use super::name_index::Fit;
use super::state::{Place, Storage};
use super::symbols::SymbolKind;
use super::types::{Type, TypeId};
use super::variables::{Home, NoState, Scope, Variable, VariableKind};

/// The modules of a process, in load order.
#[derive(Debug, Default)]
pub struct DebugModules {
    modules: Vec<Arc<DebugInfo>>,
}

impl DebugModules {
    /// No modules yet.
    pub fn new() -> DebugModules {
        DebugModules::default()
    }

    /// Adds a module behind the others; the program itself should come first. Modules beyond the
    /// first 65,535 are ignored.
    pub fn add(&mut self, mut module: DebugInfo) {
        if self.modules.len() < usize::from(TypeId::NO_MODULE) {
            module.module = self.modules.len() as u16;
            self.modules.push(Arc::new(module));
        }
    }

    /// All modules, in load order.
    pub fn modules(&self) -> impl Iterator<Item = &DebugInfo> {
        self.modules.iter().map(Arc::as_ref)
    }

    pub(super) fn module(&self, number: u16) -> Option<&DebugInfo> {
        self.modules.get(usize::from(number)).map(Arc::as_ref)
    }

    /// The module whose segments span a guest address.
    pub fn module_at(&self, addr: u64) -> Option<&DebugInfo> {
        self.modules().find(|module| module.covers(addr))
    }

    /// The functions and lines that an address belongs to, innermost (inlined) first.
    /// See [`DebugInfo::locate`].
    pub fn locate(&self, addr: u64) -> Vec<Frame> {
        self.module_at(addr).map_or_else(Vec::new, |module| module.locate(addr))
    }

    /// The source line of an address.
    pub fn line_of(&self, addr: u64) -> Option<SourceLine> {
        self.module_at(addr)?.line_of(addr)
    }

    /// The source files of the unit that an address belongs to. See [`DebugInfo::files_of`].
    pub fn files_of(&self, addr: u64) -> &[Arc<str>] {
        self.module_at(addr).map_or(&[], |module| module.files_of(addr))
    }

    /// True if a statement of the source starts exactly at this address.
    pub fn is_stmt_start(&self, addr: u64) -> bool {
        self.module_at(addr).is_some_and(|module| module.is_stmt_start(addr))
    }

    /// Where a line's code starts, in the first module that knows the file.
    /// See [`DebugInfo::addresses_of`].
    pub fn addresses_of(&self, file: &str, line: u32) -> Option<LineAddresses> {
        self.modules().find_map(|module| module.addresses_of(file, line))
    }

    /// The functions that fit a name best, in the first module that has any.
    /// See [`DebugInfo::functions_named`].
    pub fn functions_named(&self, name: &str) -> Vec<Function> {
        let found = self.modules().map(|module| module.functions_named(name));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The type behind an id.
    pub fn ty(&self, id: TypeId) -> Arc<Type> {
        match self.module(id.module) {
            Some(module) => module.type_at(id),
            None => Arc::new(id.of_no_module()),
        }
    }

    /// The type that fits a name best, such as `node`, `bank::Account` or `unsigned int`.
    pub fn type_named(&self, name: &str) -> Option<TypeId> {
        self.modules().find_map(|module| module.type_id_named(name))
    }

    /// The parameters and locals in scope in a frame; those of the innermost block first.
    pub fn locals(&self, scope: Scope<'_>) -> Vec<Variable> {
        let module = scope.pc.and_then(|pc| Some((pc, self.module_at(pc)?)));
        module.map_or_else(Vec::new, |(pc, module)| module.locals(pc, scope.inlined_level))
    }

    /// The variable that a name means in a frame: a local if there is one, else the variable with
    /// static storage that fits best.
    pub fn variable_in(&self, name: &str, scope: Scope<'_>) -> Result<Variable, LookupError> {
        let local = self.locals(scope).into_iter().find(|local| local.name == name);
        local.map_or_else(|| self.variable(name, scope.pc), Ok)
    }

    /// The variable with static storage that fits a name best. The name may be qualified by
    /// scopes and by the file (`bank.c::total`); near a code address the names of its unit win.
    pub fn variable(&self, name: &str, pc: Option<u64>) -> Result<Variable, LookupError> {
        let mut declared = None;
        // A part of a name is enough for the program's own variables; those of libraries must be
        // called by their full names, if nothing else fits.
        let mut found_later = Vec::new();
        for (number, module) in self.modules().enumerate() {
            let (fit, found) = module.variables_named(name);
            let (declarations, defined): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|found| found.kind == VariableKind::Declared);
            declared = declared.or_else(|| declarations.into_iter().next());
            if number > 0 && fit == Some(Fit::Suffix) {
                found_later.push((fit, defined));
            } else if let Some(choice) = self.choose(name, fit, defined, pc)? {
                return Ok(choice);
            }
        }
        let defined = declared.as_ref().and_then(|declared| self.defined_elsewhere(declared));
        if let Some(found) = defined.or_else(|| self.symbol_variable(name)) {
            return Ok(found);
        }
        for (fit, found) in found_later {
            if let Some(choice) = self.choose(name, fit, found, pc)? {
                return Ok(choice);
            }
        }
        declared.ok_or_else(|| LookupError::Unknown(name.to_string()))
    }

    /// Where a variable is.
    pub fn place_of(&self, variable: &Variable, scope: Scope<'_>) -> Result<Place, Unavailable> {
        let storage = match variable.home {
            Home::Die { module, die } => {
                let module = self.module(module).ok_or(Unavailable::Malformed)?;
                module.storage_of(die, scope.view())?
            }
            Home::Symbol(addr) => Storage::Memory(addr),
            Home::TlsSymbol { module, offset } => {
                let module = self.module(module).ok_or(Unavailable::Malformed)?;
                Storage::Memory(module.tls_address(offset, scope.state)?)
            }
        };
        Ok(Place { storage, ty: variable.ty, bits: None })
    }

    /// Where a variable is declared.
    pub fn declaration_of(&self, variable: &Variable) -> Option<SourceLine> {
        match variable.home {
            Home::Die { module, die } => self.module(module)?.declared_at(die),
            _ => None,
        }
    }

    /// Picks the one definition that a name means, or says which ones it may mean.
    fn choose(
        &self,
        name: &str,
        fit: Option<Fit>,
        mut found: Vec<Variable>,
        pc: Option<u64>,
    ) -> Result<Option<Variable>, LookupError> {
        // The same variable may be described by several units.
        let place = |variable: &Variable| self.place_of(variable, Scope::global(&NoState));
        let mut seen = Vec::new();
        found.retain(|variable| {
            let addr = place(variable).ok().and_then(|place| place.addr());
            let is_new = addr.is_none() || !seen.contains(&addr);
            seen.push(addr);
            is_new
        });
        if found.len() > 1
            && let Some(pc) = pc
        {
            let is_near = |variable: &Variable| match variable.home {
                Home::Die { module, die } => {
                    self.module(module).is_some_and(|module| module.is_in_unit_of(die, pc))
                }
                _ => false,
            };
            keep_if_any(&mut found, is_near);
        }
        if found.len() > 1 {
            keep_if_any(&mut found, |variable| {
                !matches!(place(variable), Err(Unavailable::OptimisedOut))
            });
        }
        if found.len() > 1 && fit != Some(Fit::Suffix) {
            keep_if_any(&mut found, |variable| variable.kind == VariableKind::Global);
        }
        if found.len() > 1 {
            let candidates = self.candidates(&found);
            return Err(LookupError::Ambiguous { name: name.to_string(), candidates });
        }
        Ok(found.pop())
    }

    /// Names that tell the candidates apart: by scope if that is enough, else by file.
    fn candidates(&self, found: &[Variable]) -> Vec<String> {
        let by_file = |full_path| -> Vec<String> {
            found
                .iter()
                .filter_map(|variable| match variable.home {
                    Home::Die { module, die } => {
                        self.module(module)?.file_qualified(die, &variable.name, full_path)
                    }
                    _ => Some(variable.name.clone()),
                })
                .collect()
        };
        let plain: Vec<String> = found.iter().map(|variable| variable.name.clone()).collect();
        let is_unique = |names: &[String]| {
            let mut sorted = names.to_vec();
            sorted.sort_unstable();
            sorted.windows(2).all(|pair| pair[0] != pair[1])
        };
        let mut names = [plain, by_file(false)]
            .into_iter()
            .find(|names| is_unique(names))
            .unwrap_or_else(|| by_file(true));
        names.sort_unstable();
        names
    }

    /// The definition of a declared variable, by the linker's name.
    fn defined_elsewhere(&self, declared: &Variable) -> Option<Variable> {
        let Home::Die { module, die } = declared.home else { return None };
        let name = self.module(module)?.linkage_name_of(die)?;
        let home = self.symbol_home(&name)?.0;
        Some(Variable { home, ..declared.clone() })
    }

    /// A variable of which only the symbol is known.
    fn symbol_variable(&self, name: &str) -> Option<Variable> {
        let (home, size) = self.symbol_home(name)?;
        let kind = VariableKind::Global;
        Some(Variable { name: name.to_string(), ty: TypeId::unknown(size), kind, home })
    }

    fn symbol_home(&self, name: &str) -> Option<(Home, u64)> {
        self.modules().find_map(|module| {
            module.symbols().named(name).find_map(|symbol| match symbol.kind {
                SymbolKind::Object => {
                    Some((Home::Symbol(module.to_guest(symbol.addr)), symbol.size))
                }
                SymbolKind::ThreadLocal => {
                    let (module, offset) = (module.module, symbol.addr);
                    Some((Home::TlsSymbol { module, offset }, symbol.size))
                }
                _ => None,
            })
        })
    }
}

/// Drops everything that does not satisfy the condition, unless nothing does.
fn keep_if_any<T>(items: &mut Vec<T>, mut condition: impl FnMut(&T) -> bool) {
    let verdicts: Vec<bool> = items.iter().map(&mut condition).collect();
    if verdicts.contains(&true) {
        let mut verdicts = verdicts.into_iter();
        items.retain(|_| verdicts.next().unwrap_or(false));
    }
}
