//! How library functions are treated under `--model full`, for reports.

use crate::models;
use std::fmt;

/// The three classes of library functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Treatment {
    /// Replaced by a model with exact semantics.
    Modelled,
    /// The library's own code, without a scheduling point until it returns.
    Atomic,
    /// Executed like the program's own code.
    Plain,
}

impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Treatment::Modelled => "modelled",
            Treatment::Atomic => "atomic",
            Treatment::Plain => "plain",
        })
    }
}

/// How the function with this symbol is treated.
pub fn treatment_of(symbol: &str) -> Treatment {
    models::treatment(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_functions_have_their_class() {
        assert_eq!(treatment_of("malloc"), Treatment::Modelled);
        assert_eq!(treatment_of("printf"), Treatment::Atomic);
        assert_eq!(treatment_of("qsort"), Treatment::Plain);
        assert_eq!(treatment_of("no such function"), Treatment::Plain);
    }
}
