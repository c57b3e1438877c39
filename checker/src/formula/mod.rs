//! Formulas: C expressions over the variables of a program, by name. Invariants, goals and costs
//! are formulas.
//!
//! A [`Formula`] is read from text ([`Formula::parse`]), tied to a program's debug information
//! ([`Formula::resolve`]) and then asked in many states ([`Watched`]). All look-ups of names and
//! types happen when it is tied, so that asking costs a few loads and additions; only locals of
//! threads are looked up anew each time, because they live in frames.
//!
//! **Values.** Arithmetic is C's on x86-64 Linux, with gcc's choices: the usual arithmetic
//! conversions, `int` for comparisons, wrapping overflow, arithmetic right shift. Atomics and
//! references are their values, an enumeration is its underlying integer, a pointer is an address
//! with a type, `long double` is rounded to `double`. Integers of 128 bits are refused.
//!
//! **Undefined** is what cannot be known: memory that is not there or was freed, a null pointer, an
//! index outside its array, division by zero, a shift by more than the width, a local of a thread
//! that is gone or not in that function. It spreads through everything but three operators: `&&` is
//! false if either side is, `||` is true if either side is, and `?:` looks at the chosen side only.
//! A whole formula that is undefined neither violates an invariant nor reaches a goal.
//!
//! Left out: assignments, calls, casts to other than basic types, macros of the program.

mod arithmetic;
mod basic_type;
mod code;
mod compute;
mod distance;
mod error;
mod evaluate;
mod fold;
mod literal;
mod local;
mod lookup;
mod nearest;
mod number;
mod operand;
mod parser;
mod properties;
mod resolve;
mod syntax;
mod token;
mod watched;

pub use error::FormulaError;
pub use number::Value;
pub use properties::{Broken, Properties, Property};
pub use watched::Watched;

use samovar_vm::debug::DebugModules;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use syntax::{Expression, ExpressionKind, UnaryOperator};

/// A formula that is well formed but not yet tied to a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: Arc<str>,
    root: Expression,
}

impl Formula {
    /// Reads a formula that is the whole text.
    pub fn parse(text: &str) -> Result<Formula, FormulaError> {
        let root = parser::parse(text).map_err(|complaint| complaint.about(text))?;
        Ok(Formula { text: text.into(), root })
    }

    /// The formula as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Complains about a formula that computes a number where a condition is wanted. A variable by
    /// itself is a condition: whether it is not zero.
    pub fn require_condition(&self) -> Result<(), FormulaError> {
        use syntax::BinaryOperator::*;
        let is_number = match &self.root.kind {
            ExpressionKind::Integer { .. }
            | ExpressionKind::Float { .. }
            | ExpressionKind::Null
            | ExpressionKind::SizeOf(_)
            | ExpressionKind::SizeOfType(_) => true,
            ExpressionKind::Unary(operator, _) => {
                !matches!(operator, UnaryOperator::Not | UnaryOperator::Deref)
            }
            ExpressionKind::Binary(operator, ..) => matches!(
                operator,
                Multiply | Divide | Remainder | Add | Subtract | ShiftLeft | ShiftRight
            ),
            _ => false,
        };
        if !is_number {
            return Ok(());
        }
        let sentence = "a number, not a condition; compare it with something";
        Err(error::Complaint::new(&self.root.at, sentence).about(&self.text))
    }

    /// Ties the names to the variables of a loaded program.
    pub fn resolve(&self, debug: &Arc<DebugModules>) -> Result<Watched, FormulaError> {
        resolve::resolve(&self.text, &self.root, debug)
            .map_err(|complaint| complaint.about(&self.text))
    }
}

impl FromStr for Formula {
    type Err = FormulaError;

    fn from_str(text: &str) -> Result<Formula, FormulaError> {
        Formula::parse(text)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
