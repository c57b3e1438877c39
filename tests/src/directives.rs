//! The `//@ key: value` lines at the head of a test program: how to build it, how to run it, and
//! how the native run is known to end (so that a program that fails natively is not mistaken for
//! a test).
//!
//! Keys: `cflags`, `libs`; `env` (NAME=VALUE); `stdin` (with `\n` escapes) or `stdin-lines`
//! (that many generated lines); `run` (`ARGS -> exit N` or `ARGS -> signal N`, repeatable);
//! `not` (builds that cannot be: gcc clang musl pie no-pie static static-pie glibc);
//! `shared` (a source in `programs/lib` to link as a shared library); `plugin` (one to build as a
//! shared library whose path the program finds in `$PLUGIN`); `threads: yes` (also run under
//! random schedules); `full-may-refuse` (a name: `--model full` may refuse the program, if it
//! names this).

/// What the head of a test program says.
#[derive(Clone, Debug, Default)]
pub struct Directives {
    /// Further compiler flags.
    pub cflags: Vec<String>,
    /// Libraries, last on the command line.
    pub libs: Vec<String>,
    /// Environment variables of the runs.
    pub env: Vec<(String, String)>,
    /// Standard input of the runs.
    pub stdin: Vec<u8>,
    /// The runs: arguments and expected native ending.
    pub runs: Vec<(Vec<String>, String)>,
    /// Compilers and link forms left out.
    pub not: Vec<String>,
    /// A shared library to link with.
    pub shared: Option<String>,
    /// A shared library to load at run time.
    pub plugin: Option<String>,
    /// Whether the program has threads.
    pub threads: bool,
    /// What the library models may refuse to do.
    pub full_may_refuse: Option<String>,
}

impl Directives {
    /// Reads the head of a source text. An unknown key is an error of the test's author.
    pub fn parse(source: &str) -> Result<Directives, String> {
        let mut all = Directives::default();
        for line in source.lines().filter_map(|line| line.strip_prefix("//@ ")) {
            let (key, value) = line.split_once(':').ok_or(format!("no colon in: {line}"))?;
            all.set(key, value.trim()).ok_or(format!("cannot read directive: {line}"))?;
        }
        if all.runs.is_empty() {
            all.runs.push((Vec::new(), "exit status 0".to_string()));
        }
        Ok(all)
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "cflags" => self.cflags = words(value),
            "libs" => self.libs = words(value),
            "env" => {
                let (name, value) = value.split_once('=')?;
                self.env.push((name.to_string(), value.to_string()));
            }
            "stdin" => self.stdin = value.replace("\\n", "\n").into_bytes(),
            "stdin-lines" => self.stdin = lines(value.parse().ok()?),
            "run" => {
                let (args, ending) = value.split_once("->")?;
                let ending = ending.trim().replace("exit", "exit status");
                self.runs.push((words(args), ending));
            }
            "not" => self.not = words(value),
            "shared" => self.shared = Some(value.to_string()),
            "plugin" => self.plugin = Some(value.to_string()),
            "full-may-refuse" => self.full_may_refuse = Some(value.to_string()),
            "threads" => self.threads = value == "yes",
            _ => return None,
        }
        Some(())
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

/// Lines of words of changing lengths, the same every time.
pub fn lines(count: u32) -> Vec<u8> {
    let mut random = crate::mutate::Random::new(u64::from(count));
    let mut text = String::new();
    for number in 0..count {
        text += &number.to_string();
        for _ in 0..random.below(9) {
            text.push(' ');
            for _ in 0..=random.below(11) {
                text.push(char::from(b'a' + random.below(26) as u8));
            }
        }
        text.push('\n');
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_key_and_refuses_others() {
        let head = "//@ cflags: -a -b\n//@ env: X=1=2\n//@ run: p q -> exit 3\n//@ stdin: a\\nb\n";
        let d = Directives::parse(head).unwrap();
        assert_eq!(d.cflags, ["-a", "-b"]);
        assert_eq!(d.env, [("X".to_string(), "1=2".to_string())]);
        assert_eq!(d.runs, [(words("p q"), "exit status 3".to_string())]);
        assert_eq!(d.stdin, b"a\nb");
        assert!(Directives::parse("//@ colour: red\n").is_err());
        assert_eq!(Directives::parse("int x;").unwrap().runs.len(), 1);
    }
}
