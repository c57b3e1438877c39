//! What the names of a formula mean in a program: variables, enumerators, functions, and locals of
//! threads.

use super::code::{Node, Place};
use super::local::{Local, LocalKind};
use super::nearest::suggestion;
use super::number::{NumberType, Value};
use super::operand::{Operand, Type, number_type};
use samovar_vm::debug::{
    DebugModules, LookupError, Scalar, Scope, State, TypeId, Unavailable, Variable,
};

/// What a name means, or a sentence that says why it means nothing.
pub(super) type Meaning = Result<Operand, String>;

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

/// A name without a thread in front.
pub(super) fn name(debug: &DebugModules, name: &str) -> Meaning {
    let variable = debug.variable(name, None);
    // A name that fits exactly wins over one that fits with its scopes left out.
    if let Ok(variable) = &variable
        && variable.name == name.trim_start_matches("::")
    {
        return of_variable(debug, variable, name);
    }
    let enumerators = debug.enumerators_named(name);
    match (&enumerators[..], variable) {
        ([one], _) => Ok(Operand::Value(
            Node::Constant(Value::Integer(one.value)),
            Type::Number(enumerator_type(one.value)),
        )),
        ([_, ..], _) => {
            let names: Vec<&str> = enumerators.iter().map(|one| one.name.as_str()).collect();
            Err(format!("'{name}' is ambiguous: {}", names.join(", ")))
        }
        ([], Ok(variable)) => of_variable(debug, &variable, name),
        ([], Err(LookupError::Unknown(_))) => function(debug, name),
        ([], Err(error)) => Err(error.to_string()),
    }
}

/// An enumerator is an `int` if that holds it.
fn enumerator_type(value: i128) -> NumberType {
    let types = [NumberType::INT, NumberType::UNSIGNED, NumberType::LONG];
    let fits = |ty: &NumberType| ty.wrap(value) == value;
    types.into_iter().find(fits).unwrap_or(NumberType::UNSIGNED_LONG)
}

fn of_variable(debug: &DebugModules, variable: &Variable, name: &str) -> Meaning {
    let place = match debug.place_of(variable, Scope::global(&NoState)) {
        Ok(place) => place,
        Err(Unavailable::Tls) => {
            return Err(format!("every thread has its own '{name}'; write thread[N]::{name}"));
        }
        Err(why) => return Err(format!("'{name}' is not available: {why}")),
    };
    if let Some(addr) = place.addr() {
        return Ok(Operand::Place { place: Place::Fixed(addr), ty: place.ty, bits: None });
    }
    // A constant that has no storage.
    let number = debug.read_scalar(&place, &NoState);
    let peeled = debug.peel(place.ty);
    match (number, number_type(&peeled.ty)) {
        (Ok(Scalar::Integer(value)), Some(ty)) => {
            Ok(Operand::Value(Node::Constant(Value::Integer(value)), Type::Number(ty)))
        }
        (Ok(Scalar::Float(value)), Some(ty)) => {
            Ok(Operand::Value(Node::Constant(Value::Float(value)), Type::Number(ty)))
        }
        _ => Err(format!("'{name}' is a constant without an address and not a number")),
    }
}

/// A function is its address; what is none either is unknown.
fn function(debug: &DebugModules, name: &str) -> Meaning {
    let functions = debug.functions_named(name);
    if let Some(range) = functions.first().and_then(|function| function.ranges.first()) {
        let addr = Node::Constant(Value::Integer(range.start.into()));
        return Ok(Operand::Value(addr, Type::Pointer(TypeId::VOID)));
    }
    let locals = debug.locals_named(None, name);
    if let Some(local) = locals.first() {
        let function = &local.function;
        return Err(format!(
            "'{name}' is a local of {function}; write thread[N]::{function}::{name}"
        ));
    }
    let known = debug.names_of_data();
    let mut advice = suggestion(name, known.iter().map(String::as_str));
    let has_debug_information = debug.modules().next().is_some_and(|program| program.has_dwarf());
    if advice.is_empty() && !has_debug_information {
        advice = "; the program has no debug information, compile it with -g".to_string();
    }
    Err(format!("nothing is called '{name}'{advice}"))
}

/// A name with a thread in front: a local, perhaps with its function, or a thread-local variable.
pub(super) fn local(debug: &DebugModules, thread: u32, path: &str) -> Meaning {
    let (function, name) = match path.rsplit_once("::") {
        Some(("", name)) => (None, name),
        Some((function, name)) => (Some(function), name),
        None => (None, path),
    };
    let found = debug.locals_named(function, name);
    let Some(first) = found.first() else { return thread_local(debug, thread, path) };
    let first_type = debug.type_name(first.ty);
    if let Some(other) = found.iter().find(|one| debug.type_name(one.ty) != first_type) {
        let other_type = debug.type_name(other.ty);
        if first.function == other.function {
            let function = &first.function;
            return Err(format!(
                "{function} has several locals called '{name}', of types {first_type} and \
                 {other_type}; rename one of them"
            ));
        }
        return Err(format!(
            "'{path}' is {first_type} in {} and {other_type} in {}; \
             write thread[{thread}]::{}::{name}",
            first.function, other.function, first.function
        ));
    }
    let types = found.iter().map(|one| one.ty).collect();
    let (function, name) = (function.map(str::to_string), name.to_string());
    let kind = LocalKind::Frame { function, name, types };
    Ok(place_of(Local { thread, kind }, first.ty))
}

fn place_of(local: Local, ty: TypeId) -> Operand {
    let place = Place::Local { local: Box::new(local), offset: 0 };
    Operand::Place { place, ty, bits: None }
}

fn thread_local(debug: &DebugModules, thread: u32, path: &str) -> Meaning {
    let variable = match debug.variable(path, None) {
        Ok(variable) => variable,
        Err(LookupError::Unknown(_)) => return Err(unknown_local(debug, path)),
        Err(error) => return Err(error.to_string()),
    };
    match debug.place_of(&variable, Scope::global(&NoState)) {
        Err(Unavailable::Tls) => {
            let ty = variable.ty;
            let kind = LocalKind::Static(Box::new(variable));
            Ok(place_of(Local { thread, kind }, ty))
        }
        _ => Err(format!("all threads share '{path}'; write it without thread[{thread}]::")),
    }
}

fn unknown_local(debug: &DebugModules, path: &str) -> String {
    if let Some((function, name)) = path.rsplit_once("::") {
        let known = debug.names_of_functions();
        let is_known =
            |known: &String| known == function || known.ends_with(&format!("::{function}"));
        if !known.iter().any(is_known) {
            let suggestion = suggestion(function, known.iter().map(String::as_str));
            return format!("no function is called '{function}'{suggestion}");
        }
        return format!("{function} has no local called '{name}'");
    }
    format!("no function has a local called '{path}'")
}
