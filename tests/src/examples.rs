//! The programs of `examples/` and what `samovar check` has to say about each.
//!
//! An example states in its head comment how it is checked and with which result, one line for
//! each way:
//!
//! ```text
//! // check: -DFIX --check=deadlock 3 => verified; skip reduce=none
//! ```
//!
//! Before the arrow, words that begin with one hyphen go to the compiler (for Rust, `-DFIX` means
//! `--cfg FIX`), words with two to `samovar check`, and the others are the program's arguments.
//! Behind it stand the verdict, for an error also its kind and, if that matters, its detail
//! (`deadlock|lock` means that either will do), and then marks, separated by semicolons:
//!
//! - `skip WORDS`: not in configurations with one of `O0`, `O2`, `static`, `reduce=none`,
//!   `reduce=lgc`, `model=none`, or several of them joined by `+`, because the space is too large;
//! - `tiny`: also with `--reduce none` and `--model none` together;
//! - `slow`: only when everything is asked for.
//!
//! What samovar is known to answer otherwise stands in [`NOT_YET`].

use crate::binary::{samovar, workspace};
use crate::build;
use crate::child::{Job, Outcome};
use crate::scratch::Scratch;
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};

/// One way to check an example, with its expected result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The source file, relative to `examples/`.
    pub file: PathBuf,
    /// Options of the compiler.
    pub cflags: Vec<String>,
    /// Options of `samovar check`.
    pub options: Vec<String>,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// `verified`, `incomplete`, or `error` with a kind and perhaps a detail.
    pub verdict: String,
    /// Configurations that are left out.
    pub skip: Vec<String>,
    /// Whether the space is small enough without any reduction or model.
    pub tiny: bool,
    /// Whether it takes long.
    pub slow: bool,
}

/// A case that is known to come out otherwise than its example says.
#[derive(Clone, Copy, Debug)]
pub struct NotYet {
    /// The case as [`Case`] displays it: file, options of the compiler, of samovar, arguments.
    pub case: &'static str,
    /// In which configurations, in the words of `skip`; nothing for all of them.
    pub ways: &'static str,
    /// What is missing.
    pub reason: &'static str,
}

impl NotYet {
    fn concerns(&self, configuration: &Configuration) -> bool {
        let mut ways = self.ways.split_whitespace();
        self.ways.is_empty() || ways.any(|words| configuration.is(words))
    }
}

#[cfg(test)]
const fn not_yet(case: &'static str, ways: &'static str, reason: &'static str) -> NotYet {
    NotYet { case, ways, reason }
}

/// Everything that samovar does not answer as it should. Who makes one of these come out right
/// deletes its line: the test fails until then.
pub const NOT_YET: &[NotYet] = &[];

/// How an example is built and explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The digit of `-O`.
    pub level: u8,
    /// Linked statically.
    pub linked_statically: bool,
    /// The value of `--reduce`.
    pub reduce: &'static str,
    /// The value of `--model`.
    pub model: &'static str,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Answer {
    /// In the form of [`Case::verdict`], with the detail if there is one; what was said instead
    /// of a report, if there was none.
    pub verdict: String,
    /// The number of states.
    pub states: u64,
    /// Whether a limit of time or memory ended it.
    pub is_cut: bool,
    /// How long it took, compiling included.
    pub seconds: f64,
    /// Why it is not as expected, or nothing.
    pub complaint: Option<String>,
}

impl Configuration {
    /// What `samovar check FILE` does by itself.
    pub const MAIN: Configuration =
        Configuration { level: 1, linked_statically: false, reduce: "auto", model: "full" };

    /// Every configuration but the main one.
    pub fn others() -> Vec<Configuration> {
        let ways = [("auto", "full"), ("none", "full"), ("auto", "none"), ("none", "none")];
        let mut all = Vec::new();
        for (reduce, model) in ways {
            for level in [0, 2] {
                for linked_statically in [false, true] {
                    all.push(Configuration { level, linked_statically, reduce, model });
                }
            }
        }
        all
    }

    /// The classic reduction, which is not sound where threads share memory of a stack or the heap:
    /// what it says is worth seeing, and nothing to rely on.
    pub fn classic() -> Vec<Configuration> {
        let way = |level| Configuration { level, reduce: "lgc", ..Configuration::MAIN };
        vec![way(0), way(2)]
    }

    /// Whether a word of a `skip` mark is about this configuration.
    fn is(&self, words: &str) -> bool {
        words.split('+').all(|word| match word {
            "static" => self.linked_statically,
            "O0" => self.level == 0,
            "O2" => self.level == 2,
            _ => match word.split_once('=') {
                Some(("reduce", way)) => self.reduce == way,
                Some(("model", way)) => self.model == way,
                _ => panic!("`skip {word}` means nothing"),
            },
        })
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let link = if self.linked_statically { "static" } else { "dynamic" };
        write!(f, "-O{} {link}, reduce {}, model {}", self.level, self.reduce, self.model)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        for word in self.cflags.iter().chain(&self.options).chain(&self.args) {
            write!(f, " {word}")?;
        }
        Ok(())
    }
}

impl Case {
    /// Reads what stands behind `check:`. `Err` says what is wrong with it.
    pub fn parse(file: &Path, line: &str) -> Result<Case, String> {
        let (how, what) = line.split_once("=>").ok_or("no `=>`")?;
        let mut marks = what.split(';').map(str::trim);
        let verdict = marks.next().unwrap_or_default().to_string();
        let words: Vec<&str> = verdict.split(' ').collect();
        let known =
            matches!(words[..], ["verified" | "incomplete"] | ["error", _] | ["error", _, _]);
        if !known {
            return Err(format!("`{verdict}` is no verdict"));
        }
        let (options, rest): (Vec<_>, Vec<_>) =
            how.split_whitespace().map(str::to_string).partition(|word| word.starts_with("--"));
        let (cflags, args) = rest.into_iter().partition(|word| word.starts_with('-'));
        let mut case = Case {
            file: file.to_path_buf(),
            cflags,
            options,
            args,
            verdict,
            skip: Vec::new(),
            tiny: false,
            slow: false,
        };
        for mark in marks {
            match mark.split_once(' ') {
                Some(("skip", words)) => case.skip = words.split(' ').map(str::to_string).collect(),
                _ if mark == "tiny" => case.tiny = true,
                _ if mark == "slow" => case.slow = true,
                _ => return Err(format!("`{mark}` is no mark")),
            }
        }
        Ok(case)
    }

    /// Whether the case is meant to be run like this.
    pub fn allows(&self, configuration: &Configuration) -> bool {
        let bare = configuration.reduce == "none" && configuration.model == "none";
        (self.tiny || !bare) && !self.skip.iter().any(|word| configuration.is(word))
    }

    /// Why it comes out otherwise in this configuration, if that is known.
    pub fn not_yet(&self, configuration: &Configuration) -> Option<&'static NotYet> {
        let name = self.to_string();
        NOT_YET.iter().find(|entry| entry.case == name && entry.concerns(configuration))
    }

    /// Whether the source is Rust, which samovar does not compile itself.
    pub fn is_rust(&self) -> bool {
        self.file.extension().is_some_and(|extension| extension == "rs")
    }

    /// Checks it.
    pub fn run(&self, configuration: &Configuration) -> Answer {
        self.run_within(configuration, &[])
    }

    /// Checks it with further options of samovar.
    pub fn run_within(&self, configuration: &Configuration, limits: &[&str]) -> Answer {
        let scratch = Scratch::new("example");
        let outcome = self.job_within(configuration, &scratch, limits).run();
        let seconds = outcome.time.as_secs_f64();
        let Ok(report) = serde_json::from_slice::<Value>(&outcome.stdout) else {
            let said = outcome.stderr_text();
            let line = said.lines().next().unwrap_or_default();
            let verdict = format!("{}: {line}", outcome.ending());
            let answer = Answer { verdict, states: 0, is_cut: false, seconds, complaint: None };
            return self.judged(answer, "", configuration);
        };
        let mut verdict = report["verdict"].as_str().unwrap_or_default().to_string();
        let error = &report["error"];
        for word in [&error["kind"], &error["detail"]].into_iter().filter_map(Value::as_str) {
            verdict = format!("{verdict} {word}");
        }
        let message = error["message"].as_str().or(report["incomplete"]["reason"].as_str());
        let states = report["stats"]["states"].as_u64().unwrap_or_default();
        let is_cut = message.is_some_and(|text| text.contains(" limit of ")) && error.is_null();
        let answer = Answer { verdict, states, is_cut, seconds, complaint: None };
        let mut answer = self.judged(answer, message.unwrap_or(""), configuration);
        if answer.complaint.is_none() && *configuration == Configuration::MAIN {
            answer.complaint = replay(&scratch, &outcome);
        }
        answer
    }

    /// Checks it in the main configuration and leaves the trail of its error, if it has one, in
    /// `trail.json`.
    pub fn record(&self, scratch: &Scratch) -> Outcome {
        self.job(&Configuration::MAIN, scratch).run()
    }

    /// Checks it; the JSON report, if there is one, and the processor time.
    pub fn report(&self, configuration: &Configuration) -> (Option<Value>, f64) {
        let scratch = Scratch::new("example");
        let outcome = self.job(configuration, &scratch).run();
        (serde_json::from_slice(&outcome.stdout).ok(), outcome.user.as_secs_f64())
    }

    fn judged(&self, mut answer: Answer, message: &str, how: &Configuration) -> Answer {
        let seen = &answer.verdict;
        answer.complaint = match (agrees(&self.verdict, seen), self.not_yet(how)) {
            (true, None) => None,
            (false, Some(_)) if !seen.starts_with("exit") => None,
            (false, Some(_)) if seen.starts_with("exit status 2:") => None,
            (true, Some(entry)) => {
                Some(format!("comes out right, although not yet: {}", entry.reason))
            }
            (false, _) => Some(format!("{seen} ({message})")),
        };
        answer
    }

    fn job(&self, configuration: &Configuration, scratch: &Scratch) -> Job {
        self.job_within(configuration, scratch, &[])
    }

    fn job_within(&self, configuration: &Configuration, scratch: &Scratch, limits: &[&str]) -> Job {
        let source = workspace().join("examples").join(&self.file);
        let mut words: Vec<String> =
            ["check", "--format", "json", "--trail", TRAIL].map(str::to_string).into();
        words.extend(["--reduce".into(), configuration.reduce.into()]);
        words.extend(["--model".into(), configuration.model.into()]);
        words.extend(self.options.iter().cloned());
        words.extend(limits.iter().map(ToString::to_string));
        let program = match self.is_rust() {
            true => self.compile_rust(&source, configuration, scratch),
            false => {
                let mut flags = vec![format!("-O{}", configuration.level)];
                flags.extend(configuration.linked_statically.then(|| "-static".to_string()));
                flags.extend(self.cflags.iter().cloned());
                words.extend(["--cflags".into(), flags.join(" ")]);
                source
            }
        };
        words.push(program.display().to_string());
        words.extend(self.args.iter().cloned());
        Job::new(samovar(), &words).directory(scratch.path())
    }

    fn compile_rust(&self, source: &Path, how: &Configuration, scratch: &Scratch) -> PathBuf {
        let mut flags = vec!["-g".to_string(), format!("-Copt-level={}", how.level)];
        flags.extend(how.linked_statically.then(|| "-Ctarget-feature=+crt-static".to_string()));
        flags.extend(self.cflags.iter().map(|flag| flag.replacen("-D", "--cfg=", 1)));
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        build::rust(source, &flags, scratch.path()).expect("rustc is there: it compiled this")
    }
}

/// Whether what came out is what was stated. A detail that is not asked for does not matter.
fn agrees(stated: &str, seen: &str) -> bool {
    let mut seen = seen.split(' ');
    stated.split(' ').all(|word| seen.next().is_some_and(|s| word.split('|').any(|w| w == s)))
}

/// The trail's name in the scratch directory.
const TRAIL: &str = "trail.json";

/// Replays the trail of an error, if there is one; it must end the same.
fn replay(scratch: &Scratch, outcome: &Outcome) -> Option<String> {
    if !scratch.join(TRAIL).is_file() {
        return (outcome.ending() == "exit status 1").then(|| "there is no trail".to_string());
    }
    let again = Job::new(samovar(), &["replay", TRAIL]).directory(scratch.path()).run();
    (again.ending() != "exit status 1").then(|| {
        let said = format!("{}{}", again.stdout_text(), again.stderr_text());
        format!("the replay ended with {}: {said}", again.ending())
    })
}

/// Every case of every example, in the order of the files' names.
pub fn cases() -> Vec<Case> {
    let root = workspace().join("examples");
    let mut cases = Vec::new();
    for file in files(&root) {
        let name = file.strip_prefix(&root).expect("files below the root").to_path_buf();
        let text = std::fs::read_to_string(&file).expect("the example's source");
        for line in
            text.lines().filter_map(|line| line.trim_start_matches(['/', '!']).strip_prefix(PREFIX))
        {
            let case = Case::parse(&name, line);
            cases.push(case.unwrap_or_else(|error| panic!("{}: {error}: {line}", name.display())));
        }
    }
    cases
}

/// What a line with an expectation begins with, behind the slashes.
const PREFIX: &str = " check:";

/// The source files of all examples.
pub fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(root).unwrap_or_else(|e| panic!("{}: {e}", root.display()));
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "c" || e == "cpp" || e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let line =
            " -DFIX --check=deadlock 3 => error memory null; skip O0+static reduce=none; slow";
        let case = Case::parse(Path::new("a.c"), line).unwrap();
        assert_eq!(case.to_string(), "a.c -DFIX --check=deadlock 3");
        assert_eq!(case.verdict, "error memory null");
        assert!(case.slow && !case.tiny);
        assert!(case.allows(&Configuration::MAIN));
        assert!(!case.allows(&Configuration { reduce: "none", ..Configuration::MAIN }));
        assert!(case.allows(&Configuration { level: 0, ..Configuration::MAIN }));
        let both = Configuration { level: 0, linked_statically: true, ..Configuration::MAIN };
        assert!(!case.allows(&both));
        for bad in [" -DX verified", " => fine", " => verified; quick", " => error"] {
            assert!(Case::parse(Path::new("a.c"), bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn verdicts_agree() {
        assert!(agrees("error memory", "error memory null"));
        assert!(agrees("error deadlock|lock", "error lock relock"));
        assert!(!agrees("error deadlock|lock", "error assertion"));
        assert!(!agrees("error memory null", "error memory"));
        assert!(!agrees("verified", "exit status 2: refused"));
    }

    #[test]
    fn exceptions_concern_what_they_say() {
        let plain = Configuration { reduce: "none", ..Configuration::MAIN };
        let reduced = not_yet("a.c", "reduce=auto+model=full", "");
        assert!(reduced.concerns(&Configuration::MAIN) && !reduced.concerns(&plain));
        let always = not_yet("a.c", "", "");
        assert!(always.concerns(&Configuration::MAIN) && always.concerns(&plain));
        let either = not_yet("a.c", "O0 reduce=none", "");
        assert!(!either.concerns(&Configuration::MAIN) && either.concerns(&plain));
    }

    #[test]
    fn only_tiny_ones_do_without_everything() {
        let bare = Configuration { reduce: "none", model: "none", ..Configuration::MAIN };
        let case = |line| Case::parse(Path::new("a.c"), line).unwrap();
        assert!(!case(" => verified").allows(&bare));
        assert!(case(" => verified; tiny").allows(&bare));
    }
}
