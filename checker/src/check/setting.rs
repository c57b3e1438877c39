//! Everything that decides what is executed: a check and the replay of its trail start from the
//! same setting.

use super::kind::ErrorKind;
use crate::cli::{CheckOptions, CpuChoice, ModelChoice, PlanOptions, ReduceChoice};
use clap::ValueEnum;
use samovar_runtime::request::Choices;
use serde::{Deserialize, Serialize};

/// See the module head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The program, as typed.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The working directory.
    pub directory: String,
    /// Further options for the compiler.
    pub cflags: Vec<String>,
    /// The environment.
    pub env: Vec<(String, String)>,
    /// `--model`.
    pub model: String,
    /// `--cpu`.
    pub cpu: String,
    /// `--reduce`.
    pub reduce: String,
    /// `--choices`.
    #[serde(default)]
    pub choices: Vec<String>,
    /// `--invariant`.
    #[serde(default)]
    pub invariants: Vec<String>,
    /// `--goal`.
    #[serde(default)]
    pub goals: Vec<String>,
    /// Whether misuse of locks counts.
    #[serde(default)]
    pub judge_locks: bool,
    /// Whether panics of Rust count.
    #[serde(default)]
    pub judge_panics: bool,
    /// `--spurious`.
    #[serde(default)]
    pub spurious: bool,
    /// `--seed`.
    pub seed: u64,
    /// Whether leaks count.
    #[serde(default)]
    pub leaks: bool,
}

/// The only variable that is taken over from this process: without it libraries are not found.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

impl Setting {
    /// The setting that the options ask for. Names that are no valid text lose what is invalid.
    pub fn of(options: &CheckOptions) -> Setting {
        let words = options.arguments().iter();
        Setting {
            program: options.program().to_string_lossy().into_owned(),
            args: words.map(|word| word.to_string_lossy().into_owned()).collect(),
            directory: directory(),
            cflags: options.cflags.clone(),
            env: environment(&options.env),
            model: name(options.model),
            cpu: name(options.cpu),
            reduce: options.reduce.name().to_string(),
            choices: options.choices.clone(),
            invariants: options.invariant.iter().map(|one| one.text().to_string()).collect(),
            goals: options.goal.iter().map(|one| one.text().to_string()).collect(),
            judge_locks: options.check.contains(&ErrorKind::Lock),
            judge_panics: options.check.contains(&ErrorKind::Assertion),
            spurious: options.spurious,
            seed: options.seed,
            leaks: options.check.contains(&ErrorKind::Leak),
        }
    }

    /// The setting that planning asks for.
    pub fn of_plan(options: &PlanOptions) -> Setting {
        let words = options.arguments().iter();
        Setting {
            program: options.program().to_string_lossy().into_owned(),
            args: words.map(|word| word.to_string_lossy().into_owned()).collect(),
            directory: directory(),
            cflags: options.cflags.clone(),
            env: environment(&options.env),
            model: name(options.model),
            cpu: name(options.cpu),
            reduce: options.reduce.name().to_string(),
            choices: options.choices.clone(),
            invariants: Vec::new(),
            goals: options.goal.iter().map(|one| one.text().to_string()).collect(),
            judge_locks: false,
            judge_panics: false,
            spurious: false,
            seed: options.seed,
            leaks: false,
        }
    }

    /// `--model`.
    pub fn model(&self) -> Option<ModelChoice> {
        ModelChoice::from_str(&self.model, false).ok()
    }

    /// `--choices`; what makes no sense was refused before and counts for nothing in a trail.
    pub fn choices(&self) -> Choices {
        let mut choices = Choices::default();
        for text in &self.choices {
            let _ = choices.set(text);
        }
        choices
    }

    /// `--cpu`.
    pub fn cpu(&self) -> Option<CpuChoice> {
        CpuChoice::from_str(&self.cpu, false).ok()
    }

    /// `--reduce`.
    pub fn reduce(&self) -> Option<ReduceChoice> {
        ReduceChoice::from_str(&self.reduce, false).ok()
    }
}

/// The working directory.
fn directory() -> String {
    let directory = std::env::current_dir().unwrap_or_else(|_| "/".into());
    directory.to_string_lossy().into_owned()
}

/// The program's environment, with these variables in it.
fn environment(asked: &[(String, String)]) -> Vec<(String, String)> {
    // Or the dynamic linker works on its tables whenever a thread first calls a function.
    let mut env = vec![("LD_BIND_NOW".to_string(), "1".to_string())];
    if let Ok(value) = std::env::var(LIBRARY_PATH) {
        env.push((LIBRARY_PATH.to_string(), value));
    }
    for (key, value) in asked {
        env.retain(|(known, _): &(String, String)| known != key);
        env.push((key.clone(), value.clone()));
    }
    env
}

fn name(choice: impl ValueEnum) -> String {
    choice.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}
