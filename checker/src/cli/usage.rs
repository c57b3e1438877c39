//! Help beyond the list of options, and the form of usage errors.

use crate::ending::{Ending, UNUSABLE};
use std::io::{IsTerminal, Write};

/// Examples below `samovar --help`.
pub const EXAMPLES: &str = "\
Examples:
  samovar check ./a.out            explore all interleavings of a program
  samovar check examples/race.c    compile a C file and check it
  samovar run ./a.out              run a program on the virtual CPU
  samovar run examples/counter.c   compile a C file and run it
  samovar inspect ./a.out          show what samovar sees in a program

Exit status: that of the program for `run`; for `check` 0 verified, 1 an error was
found, 3 incomplete; 2 if the command line or the program cannot be used, with one
sentence that says why.";

/// Text below `samovar run --help`.
pub const RUN_HELP: &str = "\
Standard input, output and error, the exit status and death by a signal are
passed through. The program sees the files of this machine read-only; what it
writes stays in a private overlay and is gone afterwards.

Examples:
  samovar run ./a.out -n 3                 everything after PROGRAM belongs to it
  samovar run --seed 7 ./a.out             one random schedule, the same every time
  samovar run --model none ./a.out         no models: the real libc on futexes
  samovar run --cflags '-O2 -lm' prog.c    compile with more options, then run
  echo '1+1' | samovar run --stats bc      pipes work; statistics on stderr

Exit status: that of the program. A program killed by a signal kills samovar by
the same signal. 1: deadlock; 2: something is unsupported; 3: the time limit.";

/// Text below `samovar check --help`.
pub const CHECK_HELP: &str = "\
Every order in which the program's threads can run is explored. An error is shown
with the steps that lead to it, and the steps are saved for `samovar replay`.

Examples:
  samovar check ./a.out 3                  everything after PROGRAM belongs to it
  samovar check --cflags -O2 prog.c        compile with more options, then check
  samovar check --time 60 ./a.out          for a minute at most
  samovar check --check deadlock,exit ./a.out
  samovar check --format json ./a.out | jq .verdict
  samovar check --invariant 'in_use <= 3' --invariant 'bank.c::total == a + b' ./a.out
  samovar check --goal 'fork[0].holder != 0 && left > right' ./a.out
  samovar check --search best-first --heuristic lnb+alive ./a.out
  samovar check --preemptions 2 ./a.out    what needs two unforced switches at most
  samovar check --store bitstate --memory 2G ./a.out
                                           when exact states do not fit into memory
  samovar check --spill /big/disk/search ./a.out
                                           the same, and proves it; --resume goes on
  samovar check --html report.html ./a.out the error as a page for the browser

Formulas are C expressions without assignments and calls. They name globals, statics
(bank.c::total, main::calls, ns::Class::count), members (a.b, p->next->n), elements,
enumerators, and locals of threads (thread[2]::worker::i). What cannot be known, such
as what a null pointer points to, neither violates an invariant nor reaches a goal.

Options that are always the same go into samovar.toml, in a section [check].

Exit status: 0 verified: everything was explored and nothing is wrong; 1 an error;
2 usage, or something is unsupported; 3 incomplete: a limit ended the search.";

/// Text below `samovar plan --help`.
pub const PLAN_HELP: &str = "\
What the program leaves open with RANGE and samovar_choose, and the order in which
its threads run, is decided so that the goal is reached. Steps are called what the
program calls them with samovar_action. In a program without threads the goal is
looked at where a choice is due and where the program ends; with threads, after
every access to what it names, except inside of atomic regions.

Examples:
  samovar plan --goal 'wrong == 0' examples/planning/puzzle.c 1 4 2 3 7 5 6 8 0
  samovar plan --goal 'distance == 0' --search astar ./puzzle
  samovar plan --goal 'at == 5' --minimise toll ./route
  samovar plan examples/planning/mamp.c 5 10 1     agents that are threads: planning and
                                           simulation in turn, until the program ends
  samovar plan --simulate examples/planning/mamp.c 5 10 1
  samovar replay puzzle.plan.json          executes the plan again

Without --goal, or with --evaluate or --simulate, agents are threads that make one step
in each round, in random order (--seed); a step is an atomic region. Phases of planning
write suggestions into the cells that agents name with SUGGEST.

Exit status: 0 a plan was found; 1 no plan exists: everything was searched; 2 usage,
or something is unsupported; 3 incomplete: a limit ended the search.";

/// Text below `samovar replay --help`.
pub const REPLAY_HELP: &str = "\
The program is executed again, exactly as when the trail was recorded. Exit status:
1 if the error appears again; 2 if the trail or the program cannot be used; 3 if
the real program does not follow (--native).

With --gdb the last instruction comes first: gdb stands where the error happens and
can go back from there. Without an address, any free port of this machine is taken.

Examples:
  samovar check ./a.out || samovar replay a.trail.json
  printf 'to 5\\nprint count\\nwhere\\n' | samovar replay --step a.trail.json
  samovar replay --gdb a.trail.json        says which port to connect gdb to
  gdb -ex 'target remote | samovar replay --gdb - a.trail.json'
  samovar replay --native a.trail.json     the real program fails the same way";

/// Text below `samovar inspect --help`.
pub const INSPECT_HELP: &str = "\
Nothing is executed. The report shows segments, libraries, entry points, imports
and how they are treated, and instructions that the virtual CPU does not have.

Examples:
  samovar inspect ./a.out
  samovar inspect --format json ./a.out | jq .libraries";

/// Prints what clap has to say: help and version as they are, errors in this program's form.
pub fn report(error: &clap::Error) -> Ending {
    let rendered = error.render();
    if !error.use_stderr() {
        let coloured = std::io::stdout().is_terminal();
        let text = if coloured { rendered.ansi().to_string() } else { rendered.to_string() };
        let _ = write!(std::io::stdout(), "{text}");
        return Ending::Status(0);
    }
    let text = rendered.to_string();
    match text.strip_prefix("error: ") {
        Some(sentence) => {
            let _ = write!(std::io::stderr(), "samovar: {sentence}");
        }
        None => {
            let _ = write!(std::io::stderr(), "{text}");
        }
    }
    Ending::Status(UNUSABLE)
}
