//! How accesses are written in the source: files are read when first needed, and so are the macros
//! of what they include, if a statement has calls that its own file does not explain.

use super::atomic_line::{self, Deed, Manner};
use super::macros::Macros;
use super::ordinary::Functions;
use crate::trail::headers::with_headers;
use crate::trail::names::{Location, Names};
use crate::trail::source::Sources;
use std::collections::HashMap;

/// See the module head.
#[derive(Debug, Default)]
pub struct Statements {
    sources: Sources,
    /// Macros of a file alone, by its path.
    own: HashMap<String, Macros>,
    /// Macros of all that a file includes as well.
    all: HashMap<String, Macros>,
    /// Functions of a file that do nothing atomic.
    functions: HashMap<String, Functions>,
}

impl Statements {
    /// How a variable is accessed at a place, if its source is there. A variable without a name is
    /// one that the statement cannot name.
    pub fn manner(
        &mut self,
        names: &Names,
        place: &Location,
        variable: Option<&str>,
        deed: Deed,
    ) -> Option<Manner> {
        let (file, line) = (place.file.as_deref()?, place.line? as usize);
        let lines = self.sources.lines(file)?;
        let text = atomic_line::statement(lines, line);
        let own = self.own.entry(file.to_string()).or_insert_with(|| {
            let mut macros = Macros::default();
            macros.add(lines);
            macros
        });
        let manner = atomic_line::manner(own, &text, variable, deed, &|_| false);
        if manner == Manner::Atomic || !atomic_line::is_open(own, &text) {
            return Some(manner);
        }
        if !self.all.contains_key(file) {
            let named = names.debug().files_of(place.address);
            let named: Vec<&str> = named.iter().map(AsRef::as_ref).collect();
            let mut macros = Macros::default();
            for header in with_headers(&mut self.sources, file, &named) {
                macros.add(self.sources.lines(&header).unwrap_or_default());
            }
            self.all.insert(file.to_string(), macros);
        }
        let all = &self.all[file];
        let functions = self.functions.entry(file.to_string()).or_insert_with(|| {
            Functions::of(file, self.sources.lines(file).unwrap_or_default(), all)
        });
        let is_ordinary = |name: &str| functions.contains(name);
        Some(atomic_line::manner(all, &text, variable, deed, &is_ordinary))
    }
}
