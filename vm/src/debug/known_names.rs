//! Names that are no variables with static storage: enumerators, and the parameters and locals of
//! all functions. Also lists of names, for suggestions when one is misspelt.
//!
//! Every question walks the units of the modules again; these are questions of a command line, not
//! of a search. Locals are looked for in the program itself only, not in its libraries.

use super::dies::Dies;
use super::function_tree::BlockKind;
use super::name_index::components;
use super::symbols::SymbolKind;
use super::types::{Kind, TypeId};
use super::units::DieId;
use super::{DebugInfo, DebugModules};

/// An enumerator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enumerator {
    /// Its name with the name of its enumeration, if that has one.
    pub name: String,
    /// Its value.
    pub value: i128,
    /// The enumeration.
    pub ty: TypeId,
}

/// A parameter or local variable of some function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalOf {
    /// Readable name of the function.
    pub function: String,
    /// Name of the variable.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

impl DebugModules {
    /// The enumerators that a name may mean, in the first module that has any: `RED`,
    /// `Colour::RED`, `paint::RED`. Those of one value count once.
    pub fn enumerators_named(&self, name: &str) -> Vec<Enumerator> {
        let wanted = components(name);
        let Some((last, scopes)) = wanted.split_last() else { return Vec::new() };
        let found = self.modules().map(|module| module.enumerators_named(last, scopes));
        found.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The parameters and locals of the program's functions that have this name; of one function
    /// if it is given.
    pub fn locals_named(&self, function: Option<&str>, name: &str) -> Vec<LocalOf> {
        let wanted = function.map(components).unwrap_or_default();
        let all = self.modules().next().map(DebugInfo::all_locals).unwrap_or_default();
        let is_wanted =
            |local: &LocalOf| local.name == name && components(&local.function).ends_with(&wanted);
        all.into_iter().filter(is_wanted).collect()
    }

    /// The names of the program's variables with static storage and of its enumerators, sorted.
    pub fn names_of_data(&self) -> Vec<String> {
        let mut names = self.modules().next().map(DebugInfo::names_of_data).unwrap_or_default();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The names of the program's functions, sorted.
    pub fn names_of_functions(&self) -> Vec<String> {
        let Some(module) = self.modules().next() else { return Vec::new() };
        let dies = Dies::new(module);
        let ids = module.all_functions(&dies).into_iter();
        let mut names: Vec<String> =
            ids.filter_map(|(id, _)| module.readable_name(&dies, id)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl DebugInfo {
    fn enumerations(&self, dies: &Dies<'_>) -> Vec<DieId> {
        let units = 0..dies.units.units.len();
        let of_unit = |number| {
            let offsets = dies.index(number).map_or(&[][..], |index| &index.enumerations);
            offsets.iter().map(move |&offset| dies.id(number, offset))
        };
        units.flat_map(of_unit).collect()
    }

    fn enumerators_named(&self, last: &str, scopes: &[&str]) -> Vec<Enumerator> {
        let dies = Dies::new(self);
        let mut found: Vec<Enumerator> = Vec::new();
        for id in self.enumerations(&dies) {
            let ty = TypeId::of_module(self.module, id.0);
            let enumeration = self.type_at(ty);
            let Kind::Enum { enumerators, .. } = &enumeration.kind else { continue };
            let Some((_, value)) = enumerators.iter().find(|(name, _)| **name == *last) else {
                continue;
            };
            let path = components(&enumeration.name);
            let around = path.split_last().map_or(&[][..], |(_, around)| around);
            if !path.ends_with(scopes) && !around.ends_with(scopes) {
                continue;
            }
            if found.iter().all(|known| known.value != *value) {
                let name = match &*enumeration.name {
                    "" => last.to_string(),
                    name => format!("{name}::{last}"),
                };
                found.push(Enumerator { name, value: *value, ty });
            }
        }
        found
    }

    /// All functions with code, with an address of the file in each.
    fn all_functions(&self, dies: &Dies<'_>) -> Vec<(DieId, u64)> {
        let units = 0..dies.units.units.len();
        let of_unit = |number| {
            let functions = dies.index(number).map_or(&[][..], |index| &index.functions);
            functions.iter().filter_map(move |function| {
                Some((dies.id(number, function.die), function.ranges.first()?.begin))
            })
        };
        units.flat_map(of_unit).collect()
    }

    fn all_locals(&self) -> Vec<LocalOf> {
        let dies = Dies::new(self);
        let mut found = Vec::new();
        for (id, addr) in self.all_functions(&dies) {
            let Some(tree) = self.function_tree_at(&dies, addr) else { continue };
            let mut owners: Vec<Option<DieId>> = Vec::with_capacity(tree.blocks.len());
            for block in &tree.blocks {
                let parent = block.parent.and_then(|parent| owners.get(parent as usize));
                let owner = match block.kind {
                    BlockKind::Function => Some(id),
                    BlockKind::Inlined { origin, .. } => origin,
                    BlockKind::Lexical => parent.copied().flatten(),
                };
                owners.push(owner);
                if block.variables.is_empty() {
                    continue;
                }
                let function = owner.and_then(|owner| self.readable_name(&dies, owner));
                let function = function.unwrap_or_default();
                found.extend(block.variables.iter().filter_map(|&variable| {
                    let local = self.local(&dies, variable)?;
                    Some(LocalOf { function: function.clone(), name: local.name, ty: local.ty })
                }));
            }
        }
        found
    }

    fn names_of_data(&self) -> Vec<String> {
        let dies = Dies::new(self);
        let variables = self.all_variables().into_iter();
        let mut names: Vec<String> =
            variables.filter_map(|id| self.readable_name(&dies, id)).collect();
        for id in self.enumerations(&dies) {
            let enumeration = self.type_at(TypeId::of_module(self.module, id.0));
            if let Kind::Enum { enumerators, .. } = &enumeration.kind {
                names.extend(enumerators.iter().map(|(name, _)| name.to_string()));
            }
        }
        let symbols = self.symbols().of_kind(SymbolKind::Object).iter();
        names.extend(symbols.map(|symbol| symbol.name.to_string()));
        names
    }
}
