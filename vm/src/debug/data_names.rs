//! From data addresses to names: which global an address lies in, and which part of it, such as
//! `fork[1]` or `acct.balance`. The inverse of resolving a path.
//!
//! Each module has one sorted index of its variables (from DWARF, then from ELF symbols), built
//! when first asked; a question is a binary search and a descent through the type.

use super::dies::Dies;
use super::modules::DebugModules;
use super::state::State;
use super::symbols::SymbolKind;
use super::types::{Kind, TypeId};
use super::variables::{NoState, Scope};
use super::{DebugInfo, demangle};

/// Deepest path into a type.
const DEPTH_MAX: usize = 32;

/// The variable that covers an address, and the part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataName {
    /// `fork[1].__data.__lock`; with `+3` behind it if the address is inside that part.
    pub name: String,
    /// The type of the part.
    pub ty: TypeId,
    /// Guest address where the part starts.
    pub start: u64,
    /// True if the part is atomic, or lies in something atomic.
    pub is_atomic: bool,
}

/// How far to descend into a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The largest part that starts at the address, but no array as a whole.
    Part,
    /// The largest part that starts at the address and has this size.
    Object(u64),
    /// The smallest part that covers an access of this size.
    Access(u64),
}

/// A variable in the index.
#[derive(Debug)]
struct Entry {
    /// Address of the file, or offset in the thread-local block.
    start: u64,
    size: u64,
    name: Box<str>,
    ty: TypeId,
}

/// The variables of a module, by address.
#[derive(Debug, Default)]
pub(super) struct DataIndex {
    globals: Vec<Entry>,
    thread_locals: Vec<Entry>,
}

impl DebugModules {
    /// The name of the data at an address: the largest part of a variable that starts there
    /// (`fork[1]` for the first byte of an element, `acct` for the first byte of a record), or the
    /// part that covers it.
    pub fn name_of_data(&self, addr: u64) -> Option<DataName> {
        self.name_of(addr, Wanted::Part)
    }

    /// The name of an object of known size at an address, such as a mutex in a record.
    pub fn name_of_object(&self, addr: u64, size: u64) -> Option<DataName> {
        self.name_of(addr, Wanted::Object(size))
    }

    /// The name of what an access of `size` bytes touches: as deep as its type goes.
    pub fn name_of_access(&self, addr: u64, size: u64) -> Option<DataName> {
        self.name_of(addr, Wanted::Access(size))
    }

    /// The name of a thread-local variable of the thread that `state` shows.
    pub fn name_of_thread_local(
        &self,
        addr: u64,
        size: u64,
        state: &dyn State,
    ) -> Option<DataName> {
        self.modules().find_map(|module| {
            let start = module.tls_start(state)?;
            let entry = find(&module.data().thread_locals, addr.checked_sub(start)?)?;
            let base = start.wrapping_add(entry.start);
            Some(self.describe(&entry.name, entry.ty, base, addr, Wanted::Access(size)))
        })
    }

    /// The name of what an access touches in a frame's parameters and locals.
    pub fn name_of_local(&self, addr: u64, size: u64, scope: Scope<'_>) -> Option<DataName> {
        self.locals(scope).iter().find_map(|local| {
            let base = self.place_of(local, scope).ok()?.addr()?;
            let offset = addr.checked_sub(base)?;
            let is_inside = offset < self.size_of(local.ty).unwrap_or(0);
            let wanted = Wanted::Access(size);
            is_inside.then(|| self.describe(&local.name, local.ty, base, addr, wanted))
        })
    }

    /// How a pointer to an object of type `target` is written: `&fork[1]`, or the name of a
    /// function.
    pub(super) fn name_of_pointer(&self, addr: u64, target: TypeId) -> Option<String> {
        let module = self.module_at(addr)?;
        if module.is_code(addr) {
            let frames = if module.is_function_entry(addr) { module.locate(addr) } else { vec![] };
            return frames.last()?.function.clone();
        }
        let data = match self.size_of(target) {
            Some(size) if size > 0 => self.name_of_object(addr, size)?,
            _ => self.name_of_data(addr)?,
        };
        Some(format!("&{}", data.name))
    }

    fn name_of(&self, addr: u64, wanted: Wanted) -> Option<DataName> {
        let module = self.module_at(addr)?;
        let entry = find(&module.data().globals, module.to_file(addr))?;
        let base = module.to_guest(entry.start);
        Some(self.describe(&entry.name, entry.ty, base, addr, wanted))
    }

    /// Descends from a variable at `base` to the part at `addr`.
    fn describe(&self, name: &str, ty: TypeId, base: u64, addr: u64, wanted: Wanted) -> DataName {
        let mut part = DataName { name: name.to_string(), ty, start: base, is_atomic: false };
        for _ in 0..DEPTH_MAX {
            let peeled = self.peel(part.ty);
            part.is_atomic |= peeled.is_atomic;
            let offset = addr.wrapping_sub(part.start);
            if part.is_atomic && wanted != Wanted::Part {
                break;
            }
            let is_array = matches!(peeled.ty.kind, Kind::Array { .. });
            let is_found = match wanted {
                Wanted::Part => offset == 0 && !is_array,
                Wanted::Object(size) => offset == 0 && peeled.ty.size == Some(size),
                Wanted::Access(_) => false,
            };
            if is_found || !self.descend(&mut part, addr, wanted) {
                break;
            }
        }
        let rest = addr.wrapping_sub(part.start);
        if rest != 0 {
            part.name.push_str(&format!("+{rest}"));
        }
        part
    }

    /// Goes one step into an array or record; false if there is nothing to go into.
    fn descend(&self, part: &mut DataName, addr: u64, wanted: Wanted) -> bool {
        let offset = addr.wrapping_sub(part.start);
        match &self.peel(part.ty).ty.kind {
            Kind::Array { element, stride, count } if *stride > 0 => {
                let index = offset / stride;
                if count.is_some_and(|count| index >= count) {
                    return false;
                }
                part.name.push_str(&format!("[{index}]"));
                part.ty = *element;
                part.start = part.start.wrapping_add(index * stride);
                true
            }
            Kind::Record(record) => {
                let needed = match wanted {
                    Wanted::Part => 1,
                    Wanted::Object(size) | Wanted::Access(size) => size,
                };
                let covering = |size: u64| {
                    record.members.iter().find(|member| {
                        let start = member.offset.unwrap_or(u64::MAX);
                        let end = start.saturating_add(self.size_of(member.ty).unwrap_or(0));
                        start <= offset && offset.saturating_add(size) <= end
                    })
                };
                // An access that spans members is named by the one it starts in.
                let Some(member) = covering(needed).or_else(|| covering(1)) else { return false };
                if !member.name.is_empty() {
                    part.name.push_str(&format!(".{}", member.name));
                }
                part.ty = member.ty;
                part.start = part.start.wrapping_add(member.offset.unwrap_or(0));
                true
            }
            _ => false,
        }
    }
}

impl DebugInfo {
    /// The index of the module's variables.
    fn data(&self) -> &DataIndex {
        self.data.get_or_init(|| {
            let mut index = DataIndex::default();
            self.add_described(&mut index);
            self.add_symbols(&mut index);
            for entries in [&mut index.globals, &mut index.thread_locals] {
                // Stable: of several names for one address the described one stays first.
                entries.sort_by_key(|entry| entry.start);
                entries.dedup_by_key(|entry| entry.start);
            }
            index
        })
    }

    fn add_described(&self, index: &mut DataIndex) {
        let dies = Dies::new(self);
        let mut found = Vec::new();
        for id in self.all_variables() {
            if !self.fuel.spend(32) {
                break;
            }
            let Some(variable) = self.static_variable(&dies, id) else { continue };
            let size = self.type_at(variable.ty).size.unwrap_or(0);
            let place = self.storage_of(id, Scope::global(&NoState).view());
            let addr = place.ok().and_then(|storage| storage.addr());
            if let Some(addr) = addr {
                found.push((id, variable, self.to_file(addr), size, false));
            } else if let Some(offset) = self.tls_offset_of(&dies, id) {
                found.push((id, variable, offset, size, true));
            }
        }
        let mut names: Vec<(String, u64)> =
            found.iter().map(|(_, variable, addr, ..)| (variable.name.clone(), *addr)).collect();
        names.sort_unstable();
        names.dedup();
        for (id, variable, start, size, is_tls) in found {
            // A name that stands for several variables is told apart by its file.
            let first = names.partition_point(|(name, _)| *name < variable.name);
            let is_shared = names.get(first + 1).is_some_and(|(name, _)| *name == variable.name);
            let qualified =
                is_shared.then(|| self.file_qualified(id, &variable.name, false)).flatten();
            let name = qualified.unwrap_or(variable.name).into();
            let entry = Entry { start, size, name, ty: variable.ty };
            let entries = if is_tls { &mut index.thread_locals } else { &mut index.globals };
            entries.push(entry);
        }
    }

    fn add_symbols(&self, index: &mut DataIndex) {
        let entry = |symbol: &super::Symbol| Entry {
            start: symbol.addr,
            size: symbol.size,
            name: demangle(&symbol.name).into(),
            ty: TypeId::unknown(symbol.size),
        };
        let symbols = self.symbols();
        index.globals.extend(symbols.of_kind(SymbolKind::Object).iter().map(entry));
        index.thread_locals.extend(symbols.of_kind(SymbolKind::ThreadLocal).iter().map(entry));
    }
}

fn find(entries: &[Entry], addr: u64) -> Option<&Entry> {
    let after = entries.partition_point(|entry| entry.start <= addr);
    let entry = entries.get(after.checked_sub(1)?)?;
    (addr - entry.start < entry.size.max(1)).then_some(entry)
}
