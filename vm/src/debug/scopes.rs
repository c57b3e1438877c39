//! Which named scopes (namespaces, records, functions) enclose an entry: the source of qualified
//! names such as `bank::Account::total` or `main::calls`.
//!
//! Only scopes with children are kept, as nested ranges of unit offsets in pre-order, so that the
//! innermost one around an offset is found by a binary search and a walk to the parents.

/// Deeper nesting is ignored.
pub(super) const DEPTH_MAX: usize = 256;

/// One scope of a unit.
#[derive(Debug)]
pub(super) struct Scope {
    /// Unit offset of the scope's own entry.
    pub(super) start: u32,
    /// Unit offset behind its last child.
    pub(super) end: u32,
    /// Index of the enclosing scope.
    pub(super) parent: Option<u32>,
    /// None for scopes that add nothing to a name (anonymous records, lexical blocks).
    pub(super) name: Option<Box<str>>,
    /// True for functions.
    pub(super) is_function: bool,
}

/// The scopes of one unit, sorted by `start`.
#[derive(Debug, Default)]
pub(super) struct ScopeTable {
    scopes: Vec<Scope>,
}

impl ScopeTable {
    /// Opens a scope; its end is set by [`ScopeTable::close`].
    pub(super) fn open(&mut self, scope: Scope) -> u32 {
        self.scopes.push(scope);
        (self.scopes.len() - 1) as u32
    }

    /// Closes a scope in front of an offset.
    pub(super) fn close(&mut self, index: u32, end: u32) {
        if let Some(scope) = self.scopes.get_mut(index as usize) {
            scope.end = end;
        }
    }

    /// True if the entry lies inside a function.
    pub(super) fn is_in_function(&self, offset: u32) -> bool {
        self.around(offset).any(|scope| scope.is_function)
    }

    /// The scopes around an entry, innermost first.
    pub(super) fn around(&self, offset: u32) -> impl Iterator<Item = &Scope> {
        let before = self.scopes.partition_point(|scope| scope.start < offset);
        let mut next = before.checked_sub(1);
        let mut steps = 0;
        std::iter::from_fn(move || {
            loop {
                let scope = self.scopes.get(next?)?;
                next = scope.parent.map(|parent| parent as usize);
                steps += 1;
                if steps > 2 * DEPTH_MAX {
                    return None;
                }
                if offset < scope.end {
                    return Some(scope);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn innermost_scopes_are_found_from_gaps_too() {
        let mut table = ScopeTable::default();
        let scope = |start, end, parent, name: &str| Scope {
            start,
            end,
            parent,
            name: (!name.is_empty()).then(|| name.into()),
            is_function: name == "f",
        };
        table.open(scope(10, 100, None, "ns"));
        table.open(scope(20, 40, Some(0), "A"));
        table.open(scope(50, 90, Some(0), "f"));
        table.open(scope(60, 70, Some(2), ""));
        let path = |offset| -> Vec<&str> {
            let mut names: Vec<&str> =
                table.around(offset).filter_map(|scope| scope.name.as_deref()).collect();
            names.reverse();
            names
        };
        assert_eq!(path(5), Vec::<&str>::new());
        assert_eq!(path(30), ["ns", "A"]);
        assert_eq!(path(45), ["ns"]);
        assert_eq!(path(65), ["ns", "f"]);
        assert_eq!(path(80), ["ns", "f"]);
        assert_eq!(path(100), Vec::<&str>::new());
        assert!(table.is_in_function(65) && !table.is_in_function(30));
        // The entry of a scope is not inside itself.
        assert_eq!(path(20), ["ns"]);
    }
}
