//! StEAM's programs under every search and heuristic, with samovar's own reduction, with StEAM's
//! lgc and with neither: the largest instance whose error is found within limits of memory and
//! time, the length of the trail as it is told (shortened), seconds of processor time for
//! everything and memory, next to what the thesis has (T. Mehler 2005, tables 8.1 to 8.5: 3 GHz,
//! 1 GB).
//!
//! `search-table [--quick] [--thesis] [--seconds S] [--reduce WAY] [--program NAME] [--sizes A,B,C]
//! [ROW…]`: further words select rows by part of the name (`lnb`, `astar`). Sizes are tried from
//! the smallest on, up to the first that is not solved; one that is not among those below can be
//! asked for by `--sizes`. `--thesis` leaves out what the thesis has no figures for, `--quick`
//! takes the main rows, small sizes and ten seconds each.

use samovar_tests::binary::{samovar, workspace};
use samovar_tests::child::Job;
use samovar_tests::scratch::Scratch;
use serde_json::Value;
use std::io::Write;
use std::time::Duration;

/// A program with what it takes to build an instance of some size.
struct Program {
    name: &'static str,
    file: &'static str,
    macro_name: &'static str,
    flags: &'static str,
    sizes: &'static [u32],
    /// Which of the thesis's figures are about it.
    column: usize,
}

const PROGRAMS: &[Program] = &[
    // One dispenser alone disturbs nobody.
    Program {
        name: "cashit",
        file: "steam/cashit.cpp",
        macro_name: "DISPENSERS",
        flags: "",
        sizes: &[2, 3, 4, 6],
        column: 0,
    },
    Program {
        name: "leader",
        file: "steam/leader.cpp",
        macro_name: "N",
        flags: "-DDUPLICATE",
        sizes: &[3, 5, 7, 12, 20, 40, 60, 80],
        column: 1,
    },
    Program {
        name: "opttel",
        file: "steam/telegraph.cpp",
        macro_name: "N",
        flags: "",
        sizes: &[2, 3, 6, 9, 20, 40, 60, 150, 300, 600],
        column: 2,
    },
    Program {
        name: "opttel endless",
        file: "steam/telegraph.cpp",
        macro_name: "N",
        flags: "-DENDLESS",
        sizes: &[2, 3, 6, 9, 20, 40, 60, 150, 300, 600],
        column: 2,
    },
    Program {
        name: "philo",
        file: "steam/philosophers.cpp",
        macro_name: "N",
        flags: "",
        sizes: &[2, 4, 6, 8, 20, 60, 90, 150, 190, 400, 900, 1900],
        column: 3,
    },
    Program {
        name: "philo endless",
        file: "steam/philosophers.cpp",
        macro_name: "N",
        flags: "-DENDLESS",
        sizes: &[2, 4, 6, 8, 20, 60, 90, 150, 190, 400, 900, 1900],
        column: 3,
    },
    Program {
        name: "philo with mutexes",
        file: "deadlock/philosophers.c",
        macro_name: "N",
        flags: "-DWAY=GREEDY",
        sizes: &[2, 4, 6, 8, 20, 60, 90, 150, 190, 400, 900, 1900],
        column: 3,
    },
];

/// Largest instance, steps of the trail, seconds and megabytes: cashit, leader, opttel and philo.
type Figures = [&'static str; 4];

/// A search with the thesis's figures, with lgc and without.
struct Row {
    search: &'static str,
    heuristic: &'static str,
    lgc: Figures,
    without: Figures,
}

const NONE: Figures = ["", "", "", ""];

const fn row(search: &'static str, heuristic: &'static str, lgc: Figures, without: Figures) -> Row {
    Row { search, heuristic, lgc, without }
}

const ROWS: &[Row] = &[
    row("auto", "", NONE, NONE),
    row(
        "dfs",
        "",
        ["1/97/15/134", "80/1197/25/739", "9/8264/21/618", "90/1706/17/835"],
        ["1/1824/2/96", "12/18106/10/390", "6/10455/22/470", "20/14799/46/824"],
    ),
    row(
        "bfs",
        "",
        ["-", "5/56/36/787", "2/21/2/97", "6/13/16/453"],
        ["-", "3/66/3/146", "-", "4/26/6/164"],
    ),
    row(
        "best-first",
        "lnb",
        ["1/97/15/134", "5/73/9/263", "60/602/21/763", "190/386/17/639"],
        NONE,
    ),
    row("best-first", "pl2", ["1/97/6/120", "5/73/9/312", "60/601/21/680", "190/385/49/859"], NONE),
    row(
        "best-first",
        "mb",
        ["1/97/15/134", "80/1197/25/737", "9/6596/16/518", "150/750/21/862"],
        NONE,
    ),
    row(
        "best-first",
        "rw",
        ["1/61/0/97", "60/661/19/671", "2/309/1/98", "90/1706/18/854"],
        ["2/663/15/463", "40/1447/10/470", "2/494/7/206", "20/14799/469/822"],
    ),
    row(
        "best-first",
        "aa",
        ["1/84/0/97", "5/72/28/637", "-", "6/14/21/449"],
        ["2/328/9/146", "3/132/3/139", "-", "4/27/7/197"],
    ),
    row("best-first", "int", ["1/98/9/128", "5/57/39/789", "2/22/1/98", "8/18/19/807"], NONE),
    row(
        "best-first",
        "pbb",
        ["1/97/15/134", "80/1197/24/741", "9/6596/16/510", "150/750/21/860"],
        NONE,
    ),
    row("astar", "pl1", ["-", "5/56/34/711", "3/32/4/215", "190/386/17/631"], NONE),
    row("astar", "rw", ["1/61/196/310", "7/78/16/589", "2/22/2/98", "6/14/21/449"], NONE),
    row("astar", "pba", ["-", "5/56/38/648", "3/32/13/424", "60/122/19/628"], NONE),
    row("astar", "mb", NONE, NONE),
    row("best-first", "pl1", NONE, NONE),
    row("best-first", "pba", NONE, NONE),
    row("best-first", "branch", NONE, NONE),
    row("best-first", "alive", NONE, NONE),
    row("astar", "lnb", NONE, NONE),
    row("idastar", "mb", NONE, NONE),
    row("beam", "lnb", NONE, NONE),
    row("idfs", "", NONE, NONE),
    row("novelty", "", NONE, NONE),
    row("refine", "", NONE, NONE),
    row("pct", "", NONE, NONE),
    row("random", "", NONE, NONE),
];

/// What is to be tried.
struct Wishes {
    seconds: f64,
    sizes: Option<Vec<u32>>,
    size_max: u32,
    thesis: bool,
    reduce: Option<String>,
    programs: Vec<String>,
    rows: Vec<String>,
}

impl Wishes {
    fn read() -> Wishes {
        let mut wishes = Wishes {
            seconds: 60.0,
            sizes: None,
            size_max: u32::MAX,
            thesis: false,
            reduce: None,
            programs: Vec::new(),
            rows: Vec::new(),
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} needs a value"));
            match word.as_str() {
                "--seconds" => wishes.seconds = value().parse().expect("a number of seconds"),
                "--sizes" => {
                    let sizes = value();
                    let sizes = sizes.split(',').map(|size| size.parse().expect("a size"));
                    wishes.sizes = Some(sizes.collect());
                }
                "--thesis" => wishes.thesis = true,
                "--reduce" => wishes.reduce = Some(value()),
                "--program" => wishes.programs.push(value()),
                "--quick" => {
                    (wishes.seconds, wishes.size_max) = (10.0, 60);
                    wishes.rows.extend(["dfs", "bfs", "lnb", "pl2", "astar mb"].map(String::from));
                }
                _ => wishes.rows.push(word),
            }
        }
        wishes
    }

    fn wants(&self, row: &Row) -> bool {
        let name = format!("{} {}", row.search, row.heuristic);
        self.rows.is_empty() || self.rows.iter().any(|part| name.contains(part.as_str()))
    }

    fn sizes(&self, program: &Program) -> Vec<u32> {
        let wants = |name: &String| program.name.contains(name.as_str());
        if !self.programs.is_empty() && !self.programs.iter().any(wants) {
            return Vec::new();
        }
        let sizes = self.sizes.clone().unwrap_or_else(|| program.sizes.to_vec());
        sizes.into_iter().filter(|size| *size <= self.size_max).collect()
    }
}

fn main() {
    let wishes = Wishes::read();
    println!("Largest size/steps/seconds/MB, and in brackets what the thesis has.");
    println!("Limits of each run: {} s, 1 GiB. Sizes tried:", wishes.seconds);
    for program in PROGRAMS {
        println!("  {}: {:?}", program.name, wishes.sizes(program));
    }
    let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
    println!("\n| search | reduction | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(names.len()));
    for row in ROWS.iter().filter(|row| wishes.wants(row)) {
        for (reduce, thesis) in [("auto", NONE), ("lgc", row.lgc), ("none", row.without)] {
            let is_other = wishes.reduce.as_ref().is_some_and(|only| only != reduce);
            if is_other || wishes.thesis && thesis == NONE {
                continue;
            }
            print!("| {} {} | {reduce} |", row.search, row.heuristic);
            for program in PROGRAMS {
                print!(" {} |", cell(row, reduce, program, thesis[program.column], &wishes));
                let _ = std::io::stdout().flush();
            }
            println!();
        }
    }
}

/// The largest instance that is solved, and what the thesis has.
fn cell(row: &Row, reduce: &str, program: &Program, thesis: &str, wishes: &Wishes) -> String {
    let mut best = "-".to_string();
    for size in wishes.sizes(program) {
        match solve(row, reduce, program, size, wishes.seconds) {
            Some(solved) => best = solved,
            None => break,
        }
    }
    if thesis.is_empty() { best } else { format!("{best} ({thesis})") }
}

fn solve(row: &Row, reduce: &str, program: &Program, size: u32, limit: f64) -> Option<String> {
    let scratch = Scratch::new("search-table");
    let source = workspace().join("examples").join(program.file).display().to_string();
    let flags = format!("-D{}={size} {}", program.macro_name, program.flags);
    let seconds = limit.to_string();
    let mut words = vec!["check", "--format", "json", "--reduce", reduce, "--search", row.search];
    words.extend(["--memory", "1G", "--time", &seconds, "--cflags", &flags]);
    if !row.heuristic.is_empty() {
        words.extend(["--heuristic", row.heuristic]);
    }
    words.push(&source);
    let mut job = Job::new(samovar(), &words).directory(scratch.path());
    // What comes after the search, telling the trail, does not count as searching.
    job.hang = Duration::from_secs_f64(limit * 3.0 + 60.0);
    let outcome = job.run();
    let report: Value = serde_json::from_slice(&outcome.stdout).ok()?;
    let steps = report["trail"].as_array()?.len();
    let (seconds, peak) = (outcome.user.as_secs_f64(), outcome.peak >> 20);
    Some(format!("{size}/{steps}/{seconds:.1}/{peak}"))
}
