//! Types as the programmer would write them: `struct node *`, `int (*)[3]`, `[i32; 4]`.

use super::types::{Flavour, Kind, Qualifier, Type, TypeId};
use super::units::DieId;
use super::{DebugInfo, DebugModules};

/// Types that are spelled out in one name.
const PARTS_MAX: usize = 128;

impl DebugModules {
    /// The name of a type in the syntax of its language.
    pub fn type_name(&self, id: TypeId) -> String {
        self.spell(id, String::new(), &mut { PARTS_MAX })
    }

    /// Wraps a declarator (what stands around the name that is declared) into a type.
    fn spell(&self, id: TypeId, declarator: String, parts_left: &mut usize) -> String {
        *parts_left = match parts_left.checked_sub(1) {
            Some(left) => left,
            None => return "…".to_string(),
        };
        let ty = self.ty(id);
        let mut next = |target, declarator| self.spell(target, declarator, parts_left);
        match &ty.kind {
            Kind::Pointer { target, is_reference } if ty.name.is_empty() => {
                let mark = if *is_reference { "&" } else { "*" };
                let needs_brackets =
                    matches!(self.ty(*target).kind, Kind::Array { .. } | Kind::Function { .. });
                let inner = format!("{mark}{declarator}");
                next(*target, if needs_brackets { format!("({inner})") } else { inner })
            }
            Kind::Array { element, count, .. } => {
                let count = count.map_or(String::new(), |count| count.to_string());
                if self.is_rust(id) {
                    return join(
                        format!("[{}; {count}]", next(*element, String::new())),
                        declarator,
                    );
                }
                next(*element, format!("{declarator}[{count}]"))
            }
            Kind::Function { result, parameters } => {
                let parameters: Vec<String> =
                    parameters.iter().map(|&parameter| next(parameter, String::new())).collect();
                let parameters = parameters.join(", ");
                let parameters = if parameters.is_empty() { "void" } else { &parameters };
                next(*result, format!("{declarator}({parameters})"))
            }
            Kind::Qualified(qualifier, target) => {
                let word = match qualifier {
                    Qualifier::Const => "const",
                    Qualifier::Volatile => "volatile",
                    Qualifier::Restrict => "restrict",
                };
                let is_pointer = matches!(self.ty(*target).kind, Kind::Pointer { .. });
                if is_pointer {
                    next(*target, join(format!(" {word}"), declarator))
                } else {
                    format!("{word} {}", next(*target, declarator))
                }
            }
            Kind::Atomic(target) => format!("_Atomic {}", next(*target, declarator)),
            _ => join(self.own_name(id, &ty), declarator),
        }
    }

    fn own_name(&self, id: TypeId, ty: &Type) -> String {
        let keyword = match &ty.kind {
            Kind::Record(record) => match record.flavour {
                Flavour::Struct => "struct",
                Flavour::Class => "class",
                Flavour::Union => "union",
            },
            Kind::Enum { .. } => "enum",
            _ => "",
        };
        match (keyword, &*ty.name) {
            ("", "") => "<unnamed type>".to_string(),
            ("", name) => name.to_string(),
            (keyword, "") => format!("{keyword} {{...}}"),
            (keyword, name) if self.is_c(id) => format!("{keyword} {name}"),
            (_, name) => name.to_string(),
        }
    }

    fn is_rust(&self, id: TypeId) -> bool {
        self.language_of(id) == Some(gimli::DW_LANG_Rust)
    }

    fn is_c(&self, id: TypeId) -> bool {
        matches!(
            self.language_of(id),
            Some(
                gimli::DW_LANG_C
                    | gimli::DW_LANG_C89
                    | gimli::DW_LANG_C99
                    | gimli::DW_LANG_C11
                    | gimli::DW_LANG_C17
            )
        )
    }

    fn language_of(&self, id: TypeId) -> Option<gimli::DwLang> {
        self.module(id.module)?.language_of(DieId(id.offset))
    }
}

impl DebugInfo {
    fn language_of(&self, die: DieId) -> Option<gimli::DwLang> {
        self.units().units[self.units().of_die(die)?].language
    }
}

fn join(name: String, declarator: String) -> String {
    match declarator.chars().next() {
        None => name,
        Some(' ') => name + &declarator,
        Some(_) => format!("{name} {declarator}"),
    }
}
