//! Names to entries: functions, variables with static storage, and types of a whole module, by the
//! last component of their names. Built once, when a name is first asked for.
//!
//! A name may be given with as many enclosing scopes as needed to make it unique (`total`,
//! `Account::total`, `bank::Account::total`), and with the file of its unit in front
//! (`bank.c::total`, `src/bank.c::total`).

use std::collections::HashMap;

use super::DebugInfo;
use super::dies::Dies;
use super::lines::{join, path_matches};
use super::types::TypeId;
use super::units::DieId;

/// The name that compilers give to namespaces without one; it may be left out when asking.
const ANONYMOUS: &str = "(anonymous namespace)";
/// Candidates looked at for one name.
const CANDIDATES_MAX: usize = 4096;

/// The names of a module.
#[derive(Debug, Default)]
pub(super) struct NameIndex {
    functions: HashMap<Box<str>, Vec<DieId>>,
    variables: HashMap<Box<str>, Vec<DieId>>,
    types: HashMap<Box<str>, Vec<DieId>>,
}

/// How well an entry fits a name; the smaller the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The name is the whole qualified name.
    Exact,
    /// The name is the qualified name with the file in front.
    File,
    /// The name is the end of the qualified name.
    Suffix,
}

impl DebugInfo {
    /// All names of the module.
    pub(super) fn names(&self) -> &NameIndex {
        self.names.get_or_init(|| {
            let dies = Dies::new(self);
            let mut names = NameIndex::default();
            for unit_number in 0..dies.units.units.len() {
                names.add_unit(&dies, unit_number);
            }
            names
        })
    }

    /// The variables with static storage that fit a name best.
    pub(super) fn variable_dies(&self, dies: &Dies<'_>, name: &str) -> (Option<Fit>, Vec<DieId>) {
        best_fits(dies, &self.names().variables, name)
    }

    /// The functions that fit a name best.
    pub(super) fn function_dies(&self, dies: &Dies<'_>, name: &str) -> (Option<Fit>, Vec<DieId>) {
        best_fits(dies, &self.names().functions, name)
    }

    /// The types that fit a name best.
    pub(super) fn type_dies(&self, dies: &Dies<'_>, name: &str) -> (Option<Fit>, Vec<DieId>) {
        best_fits(dies, &self.names().types, name)
    }

    /// The complete type that a declaration with this qualified name stands for.
    pub(super) fn definition_of(&self, name: &str, declaration: DieId) -> Option<DieId> {
        let dies = Dies::new(self);
        let (fit, found) = self.type_dies(&dies, name);
        found.into_iter().find(|&die| fit == Some(Fit::Exact) && die != declaration)
    }

    /// The type that fits a name best; the first one if several do.
    pub(super) fn type_id_named(&self, name: &str) -> Option<TypeId> {
        let dies = Dies::new(self);
        let name = ["struct ", "class ", "union ", "enum "]
            .iter()
            .find_map(|keyword| name.strip_prefix(keyword))
            .unwrap_or(name);
        let (_, found) = self.type_dies(&dies, name.trim());
        found.first().map(|die| TypeId::of_module(self.module, die.0))
    }

    /// All variables with static storage, in order of the debug information.
    pub(super) fn all_variables(&self) -> Vec<DieId> {
        let mut all: Vec<DieId> = self.names().variables.values().flatten().copied().collect();
        all.sort_unstable();
        all
    }
}

impl NameIndex {
    fn add_unit(&mut self, dies: &Dies<'_>, unit_number: usize) {
        let Some(index) = dies.index(unit_number) else { return };
        let add = |map: &mut HashMap<Box<str>, Vec<DieId>>, offset: u32| {
            let id = dies.id(unit_number, offset);
            // Opening an entry and its declaration costs more than its size.
            if let Some(name) = dies.info.fuel.spend(16).then(|| dies.name(id)).flatten()
                && dies.info.fuel.spend(name.len() as u64)
            {
                map.entry(name.into()).or_default().push(id);
            }
        };
        for function in &index.functions {
            add(&mut self.functions, function.die);
        }
        // Definitions before declarations, so that they are found first.
        for is_declaration in [false, true] {
            for variable in &index.variables {
                if variable.is_declaration == is_declaration {
                    add(&mut self.variables, variable.die);
                }
            }
        }
        for (name, offset) in &index.types {
            self.types.entry(name.clone()).or_default().push(dies.id(unit_number, *offset));
        }
    }
}

fn best_fits(
    dies: &Dies<'_>,
    map: &HashMap<Box<str>, Vec<DieId>>,
    name: &str,
) -> (Option<Fit>, Vec<DieId>) {
    let wanted = components(name);
    let Some(last) = wanted.last() else { return (None, Vec::new()) };
    let Some(candidates) = map.get(*last) else { return (None, Vec::new()) };
    let mut fitting: Vec<(Fit, DieId)> = Vec::new();
    for &id in candidates.iter().take(CANDIDATES_MAX) {
        fitting.extend(fit(dies, id, &wanted).map(|fit| (fit, id)));
    }
    let best = fitting.iter().map(|&(fit, _)| fit).min();
    let found = fitting.into_iter().filter(|&(fit, _)| Some(fit) == best).map(|(_, id)| id);
    (best, found.collect())
}

fn fit(dies: &Dies<'_>, id: DieId, wanted: &[&str]) -> Option<Fit> {
    let path = dies.qualified(id)?;
    let has: Vec<&str> =
        path.iter().map(String::as_str).filter(|&part| part != ANONYMOUS).collect();
    let wanted: Vec<&str> = wanted.iter().copied().filter(|&part| part != ANONYMOUS).collect();
    if has == wanted {
        return Some(Fit::Exact);
    }
    if has.ends_with(&wanted) {
        return Some(Fit::Suffix);
    }
    let (file, rest) = wanted.split_first()?;
    let unit = &dies.units.units[dies.units.of_die(id)?];
    let is_file = path_matches(&join(&unit.directory, &unit.name), file);
    (is_file && !rest.is_empty() && has.ends_with(rest)).then_some(Fit::File)
}

/// Splits `a::b<c::d>::e` at the separators that are not inside brackets.
pub(super) fn components(name: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0usize, 0);
    let bytes = name.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        match bytes[index] {
            b'<' | b'(' | b'{' | b'[' => depth += 1,
            b'>' | b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && bytes.get(index + 1) == Some(&b':') => {
                parts.push(&name[start..index]);
                index += 1;
                start = index + 1;
            }
            _ => {}
        }
        index += 1;
    }
    parts.push(&name[start..]);
    // A leading `::` asks for the outermost scope, which is where names are looked up anyway.
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn names_are_split_outside_brackets() {
        assert_eq!(components("a::b<c::d>::e"), ["a", "b<c::d>", "e"]);
        assert_eq!(components("::x"), ["x"]);
        assert_eq!(components("src/a.c::x"), ["src/a.c", "x"]);
        assert_eq!(components("(anonymous namespace)::x"), ["(anonymous namespace)", "x"]);
        assert_eq!(components("main::{closure#0}::N"), ["main", "{closure#0}", "N"]);
        assert!(components("").is_empty());
    }
}
