//! A place in the program, in words and in JSON.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Source file, as the compiler wrote it.
    #[serde(default)]
    pub file: Option<String>,
    /// Line, counted from one.
    #[serde(default)]
    pub line: Option<u32>,
    /// Function, with its scopes.
    #[serde(default)]
    pub function: Option<String>,
    /// Address of the instruction.
    #[serde(with = "hexadecimal")]
    pub address: u64,
}

impl Location {
    /// Whether both are on the same line, or in the same function where lines are not known.
    pub fn is_same_line(&self, other: &Location) -> bool {
        (&self.file, self.line, &self.function) == (&other.file, other.line, &other.function)
    }

    /// File and line as short as they are clear: `philo.c:12`.
    pub fn short(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        let name = file.rsplit('/').next().unwrap_or(file);
        Some(match self.line {
            Some(line) => format!("{name}:{line}"),
            None => name.to_string(),
        })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.short(), &self.function) {
            (Some(line), Some(function)) => write!(f, "{line} in {function}"),
            (Some(line), None) => f.write_str(&line),
            (None, Some(function)) => write!(f, "in {function}"),
            (None, None) => write!(f, "at {:#x}", self.address),
        }
    }
}

/// Addresses as text, because JSON numbers lose bits in many readers.
pub mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// The same for addresses that may be absent.
    pub mod optional {
        use serde::{Deserializer, Serializer};

        /// Writes `0x…`.
        pub fn serialize<S: Serializer>(
            value: &Option<u64>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match value {
                Some(value) => super::serialize(value, serializer),
                None => serializer.serialize_none(),
            }
        }

        /// Reads what [`serialize`] wrote.
        pub fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<u64>, D::Error> {
            super::deserialize(deserializer).map(Some)
        }
    }

    /// Writes `0x…`.
    pub fn serialize<S: Serializer>(value: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{value:#x}"))
    }

    /// Reads hexadecimal digits, with or without `0x`.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digits = text.strip_prefix("0x").unwrap_or(&text);
        u64::from_str_radix(digits, 16).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_short() {
        let mut location = Location { address: 0x1000, ..Location::default() };
        assert_eq!(location.to_string(), "at 0x1000");
        location.function = Some("work".into());
        location.file = Some("/somewhere/a.c".into());
        location.line = Some(7);
        assert_eq!(location.to_string(), "a.c:7 in work");
        let text = serde_json::to_string(&location).unwrap();
        assert!(text.contains(r#""address":"0x1000""#), "{text}");
        assert_eq!(serde_json::from_str::<Location>(&text).unwrap(), location);
    }
}
