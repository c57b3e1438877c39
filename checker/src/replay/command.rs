//! What one can say while walking through a trail.

use std::str::FromStr;

/// One line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// So many steps on.
    Next(usize),
    /// So many steps back.
    Previous(usize),
    /// To a step.
    To(usize),
    /// To the end.
    End,
    /// On to the first step after which an expression holds.
    Until(String),
    /// Only steps of one thread count, or of all.
    Thread(Option<String>),
    /// The value of an expression.
    Print(String),
    /// Where all threads are.
    Where,
    /// Who holds which lock.
    Locks,
    /// The lines around the step.
    List,
    /// All steps.
    Trail,
    /// What there is to say.
    Help,
    /// Enough.
    Quit,
}

/// The text of `help`.
pub const HELP: &str = "\
next [N]       n   the next step, or N steps on; an empty line repeats the last one
previous [N]   p   the step before, or N steps back
to N               to step N; 0 is the start
end                to the last step
until EXPR         on to the first step after which EXPR is true
thread NAME        next and previous look at steps of this thread only; `thread all`
print EXPR         the value of a C expression; locals of the step's thread by their name,
                   of others as thread[2]::worker::i
where          w   where every thread is, and what it waits for
locks          l   who holds which lock
list               the lines around
trail              all steps
quit           q   or the end of input
";

impl FromStr for Command {
    type Err = String;

    fn from_str(line: &str) -> Result<Command, String> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let number = |default: Option<usize>| match (rest, default) {
            ("", Some(default)) => Ok(default),
            _ => rest.parse().map_err(|_| format!("`{word}` wants a number, not `{rest}`")),
        };
        let expression = || match rest {
            "" => Err(format!("`{word}` wants an expression")),
            text => Ok(text.to_string()),
        };
        Ok(match word {
            "next" | "n" | "step" | "s" => Command::Next(number(Some(1))?),
            "previous" | "prev" | "p" | "back" | "b" => Command::Previous(number(Some(1))?),
            "to" | "goto" => Command::To(number(None)?),
            "start" => Command::To(0),
            "end" => Command::End,
            "until" => Command::Until(expression()?),
            "thread" | "t" if rest.is_empty() || rest == "all" => Command::Thread(None),
            "thread" | "t" => Command::Thread(Some(rest.to_string())),
            "print" => Command::Print(expression()?),
            "where" | "w" | "threads" => Command::Where,
            "locks" | "l" => Command::Locks,
            "list" => Command::List,
            "trail" => Command::Trail,
            "help" | "h" | "?" => Command::Help,
            "quit" | "q" | "exit" => Command::Quit,
            _ => return Err(format!("`{word}` is no command; `help` lists them")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_have_short_forms() {
        let read = |line: &str| line.parse::<Command>();
        assert_eq!(read("n"), Ok(Command::Next(1)));
        assert_eq!(read(" next  3 "), Ok(Command::Next(3)));
        assert_eq!(read("p 2"), Ok(Command::Previous(2)));
        assert_eq!(read("to 7"), Ok(Command::To(7)));
        assert_eq!(read("print a + b"), Ok(Command::Print("a + b".into())));
        assert_eq!(read("thread all"), Ok(Command::Thread(None)));
        assert_eq!(read("thread T1"), Ok(Command::Thread(Some("T1".into()))));
        for bad in ["to", "to x", "next x", "print", "nonsense", "until"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
