//! `samovar.toml`: options that belong to a project, so that nobody has to type them.
//!
//! The file is looked for in the working directory and above. Its sections are commands, its keys
//! their options without the hyphens. What is typed wins: an option on the command line replaces
//! that of the file. Everything in the file is checked, whichever command is used, and a key that
//! is no option is an error.

use crate::cli::Arguments;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;
use toml::{Table, Value};

/// The file's name.
pub const NAME: &str = "samovar.toml";

/// What is wrong with a project's file.
#[derive(Debug, Error)]
pub enum ProjectError {
    /// It is there, but cannot be read.
    #[error("{}: cannot be read: {}", file.display(), crate::error::reason(error))]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the host said.
        error: io::Error,
    },
    /// It says something that makes no sense.
    #[error("{}: {problem}", file.display())]
    Wrong {
        /// The file.
        file: PathBuf,
        /// One clause.
        problem: String,
    },
}

/// The words of a command line, completed by the options of the project's file, if there is one.
pub fn complete(words: Vec<OsString>) -> Result<Vec<OsString>, ProjectError> {
    let Ok(directory) = std::env::current_dir() else { return Ok(words) };
    let Some(file) = find(&directory) else { return Ok(words) };
    // What is wrong with the command line itself is told first, and not here.
    let Ok(typed) = definitions().try_get_matches_from(&words) else { return Ok(words) };
    let text = std::fs::read_to_string(&file)
        .map_err(|error| ProjectError::Unreadable { file: file.clone(), error })?;
    insert(words, &typed, &text, &file)
        .map_err(|problem| ProjectError::Wrong { file: file.clone(), problem })
}

/// The file of the project that a directory belongs to.
fn find(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().map(|above| above.join(NAME)).find(|file| file.is_file())
}

fn definitions() -> Command {
    let mut command = Arguments::command();
    command.build();
    command
}

fn insert(
    mut words: Vec<OsString>,
    typed: &ArgMatches,
    text: &str,
    file: &Path,
) -> Result<Vec<OsString>, String> {
    let sections: Table = text.parse().map_err(|error| complaint(&error))?;
    let definitions = definitions();
    for (name, section) in &sections {
        check_section(&definitions, name, section)?;
    }
    let Some((name, matches)) = typed.subcommand() else { return Ok(words) };
    let (Some(command), Some(Value::Table(options))) =
        (definitions.find_subcommand(name), sections.get(name))
    else {
        return Ok(words);
    };
    let mut added: Vec<OsString> = Vec::new();
    for (key, value) in options {
        let Some(option) = option(command, key) else { continue };
        if !is_typed(command, option, matches) {
            added.extend(as_words(name, key, option, value)?.into_iter().map(OsString::from));
        }
    }
    if !added.is_empty() && option(command, "options-from").is_some() {
        let mut word = OsString::from("--options-from=");
        word.push(file);
        added.push(word);
    }
    let at = words.iter().skip(1).position(|word| word == name).map_or(words.len(), |at| at + 2);
    words.splice(at..at, added);
    Ok(words)
}

/// Everything in a section must be an option with a value that it takes.
fn check_section(definitions: &Command, name: &str, section: &Value) -> Result<(), String> {
    let known = definitions.get_subcommands().filter(|command| !command.is_hide_set());
    let known: Vec<&str> = known.map(Command::get_name).collect();
    let command = definitions.find_subcommand(name).filter(|_| known.contains(&name));
    let Some(command) = command else {
        return Err(format!("there is no command {name:?}; sections are {}", known.join(", ")));
    };
    let Value::Table(options) = section else {
        return Err(format!("{name} has to be a section: write [{name}]"));
    };
    for (key, value) in options {
        let Some(option) = option(command, key).filter(|option| !option.is_hide_set()) else {
            return Err(format!("[{name}]: there is no option --{key} of samovar {name}"));
        };
        let words = as_words(name, key, option, value)?;
        let line = [vec!["samovar".to_string(), name.to_string()], words, vec!["x".to_string()]];
        if let Err(error) = definitions.clone().try_get_matches_from(line.concat()) {
            let text = error.render().to_string();
            let first = text.lines().next().unwrap_or_default();
            return Err(format!("[{name}]: {}", first.trim_start_matches("error: ")));
        }
    }
    Ok(())
}

fn option<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    let mut options = command.get_arguments().filter(|option| option.get_id() != "help");
    options.find(|option| option.get_long() == Some(key))
}

/// Whether an option, or another that excludes it, is on the command line.
fn is_typed(command: &Command, option: &Arg, matches: &ArgMatches) -> bool {
    let typed = |other: &Arg| {
        matches.value_source(other.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let excludes = |other: &&Arg| {
        let conflicts = command.get_arg_conflicts_with(other);
        conflicts.iter().any(|conflict| conflict.get_id() == option.get_id())
    };
    let excluded = command.get_arg_conflicts_with(option);
    typed(option)
        || excluded.into_iter().any(typed)
        || command.get_arguments().filter(excludes).any(typed)
}

/// A value as words of a command line.
fn as_words(name: &str, key: &str, option: &Arg, value: &Value) -> Result<Vec<String>, String> {
    let word = |value: &Value| match value {
        Value::String(text) => Ok(format!("--{key}={text}")),
        Value::Integer(number) => Ok(format!("--{key}={number}")),
        Value::Float(number) => Ok(format!("--{key}={number}")),
        _ => Err(format!("[{name}]: {key} takes text or a number, not a {}", value.type_str())),
    };
    if matches!(option.get_action(), ArgAction::SetTrue) {
        return match value {
            Value::Boolean(true) => Ok(vec![format!("--{key}")]),
            Value::Boolean(false) => Ok(Vec::new()),
            _ => Err(format!("[{name}]: {key} is true or false")),
        };
    }
    match value {
        Value::Array(values) => values.iter().map(word).collect(),
        Value::Table(pairs) => {
            let pair = |(left, right): (&String, &Value)| match right {
                Value::String(text) => Ok(format!("--{key}={left}={text}")),
                _ => Err(format!("[{name}.{key}]: {left} takes text")),
            };
            pairs.iter().map(pair).collect()
        }
        value => Ok(vec![word(value)?]),
    }
}

/// What the parser says, in one line.
fn complaint(error: &toml::de::Error) -> String {
    error.message().lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(line: &str, text: &str) -> Result<String, String> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let typed = definitions().try_get_matches_from(&words).expect("a good command line");
        let words = insert(words, &typed, text, Path::new("f"))?;
        let words: Vec<String> =
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok(words.join(" "))
    }

    #[test]
    fn options_come_before_what_was_typed() {
        let text = "[check]\ntime = 60\nverbose = true\n[run]\nseed = 3\n";
        assert_eq!(
            completed("samovar check a.out --time", text).unwrap(),
            "samovar check --time=60 --verbose --options-from=f a.out --time"
        );
        assert_eq!(completed("samovar run a", text).unwrap(), "samovar run --seed=3 a");
        assert_eq!(completed("samovar inspect a", text).unwrap(), "samovar inspect a");
    }

    #[test]
    fn what_is_typed_wins() {
        let text = "[check]\ntime = 60\ncheck = [\"deadlock\", \"exit\"]\nverbose = true\n";
        let all = completed("samovar check a", text).unwrap();
        assert!(all.contains("--check=deadlock --check=exit"), "{all}");
        let typed = completed("samovar check --time 1 --check memory --quiet a", text).unwrap();
        assert_eq!(typed, "samovar check --time 1 --check memory --quiet a");
    }

    #[test]
    fn tables_are_pairs() {
        let text = "[check.env]\nA = \"1\"\n";
        let words = completed("samovar check a", text).unwrap();
        assert!(words.starts_with("samovar check --env=A=1 "), "{words}");
    }

    #[test]
    fn nonsense_is_named() {
        let complaint = |text: &str| completed("samovar run a", text).unwrap_err();
        assert!(complaint("[check]\nspeed = 3\n").contains("no option --speed of samovar check"));
        assert!(complaint("[chekc]\ntime = 3\n").contains("no command \"chekc\""));
        assert!(complaint("[generate]\n").contains("no command"));
        assert!(complaint("time = 3\n").contains("no command \"time\""));
        assert!(complaint("check = 3\n").contains("write [check]"));
        assert!(complaint("[check]\ntime = \"soon\"\n").contains("--time"));
        assert!(complaint("[check]\nverbose = 1\n").contains("true or false"));
        assert!(complaint("[check]\ntime = [[1]]\n").contains("not a array"));
        assert!(complaint("[check]\noptions-from = \"x\"\n").contains("no option"));
        assert!(!complaint("[check\n").is_empty());
    }
}
