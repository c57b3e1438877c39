//! StEAM's programs under every search and heuristic, with samovar's own reduction, with StEAM's
//! lgc and with neither: the largest instance whose error is found within limits of memory and
//! time, the length of the trail as it is told (shortened), seconds of processor time for
//! everything and memory, next to what the thesis has (T. Mehler 2005, tables 8.1 to 8.5: 3 GHz,
//! 1 GB). Written as markdown; a cell below the thesis is bold, and the last line counts them.
//!
//! What the thesis has with lgc stands next to samovar's own reduction, too: both are what the
//! checker leaves out. Its philosophers and stations go on for ever: otherwise 90 of the ones could
//! not have a trail of 1,706 steps, nor 9 of the others one of 8,264. So only programs that do so
//! are compared with it; those that come to an end are there because they are harder for some.
//!
//! `search-table [--quick] [--thesis] [--seconds S] [--reduce WAY] [--program NAME] [--sizes A,B,C]
//! [ROW…]`: further words select rows by part of the name (`lnb`, `astar`). `--thesis` leaves out
//! what the thesis has no figures for, `--quick` takes the main rows, small sizes and ten seconds
//! each.
//!
//! The limits are for everything, from compiling to the trail, and time is that of the processor,
//! so that a busy machine changes little. What becomes of each run goes to the standard error
//! stream. The size that the thesis has comes first, then larger ones up to the first that is not
//! solved, or smaller ones down to the first that is; without a figure the smallest comes first.
//! One that is not among those below can be asked for by `--sizes`.

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
    /// Which of the thesis's figures are about it, or a program like it.
    column: usize,
    /// It is the thesis's program, as far as one can tell.
    is_same: bool,
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
        is_same: true,
    },
    Program {
        name: "leader",
        file: "steam/leader.cpp",
        macro_name: "N",
        flags: "-DDUPLICATE",
        sizes: &[3, 5, 7, 12, 20, 40, 60, 80],
        column: 1,
        is_same: true,
    },
    Program {
        name: "opttel",
        file: "steam/telegraph.cpp",
        macro_name: "N",
        flags: "",
        sizes: &[2, 3, 6, 9, 20, 40, 60, 150, 300, 600],
        column: 2,
        is_same: false,
    },
    Program {
        name: "opttel endless",
        file: "steam/telegraph.cpp",
        macro_name: "N",
        flags: "-DENDLESS",
        sizes: &[2, 3, 6, 9, 20, 40, 60, 150, 300, 600],
        column: 2,
        is_same: true,
    },
    Program {
        name: "philo",
        file: "steam/philosophers.cpp",
        macro_name: "N",
        flags: "",
        sizes: &[2, 4, 6, 8, 20, 60, 90, 150, 190, 400, 900, 1900],
        column: 3,
        is_same: false,
    },
    Program {
        name: "philo endless",
        file: "steam/philosophers.cpp",
        macro_name: "N",
        flags: "-DENDLESS",
        sizes: &[2, 4, 6, 8, 20, 60, 90, 150, 190, 400, 900, 1900],
        column: 3,
        is_same: true,
    },
    Program {
        name: "philo with mutexes",
        file: "deadlock/philosophers.c",
        macro_name: "N",
        flags: "-DWAY=GREEDY",
        sizes: &[2, 4, 6, 8, 20, 60, 90, 150, 190, 400, 900, 1900],
        column: 3,
        is_same: false,
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

/// Memory that a run may take.
const MEGABYTES_MAX: u64 = 1024;

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
    seconds: u64,
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
            seconds: 60,
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
                    (wishes.seconds, wishes.size_max) = (10, 60);
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
        let is_wanted = self.programs.is_empty() || self.programs.iter().any(wants);
        if !is_wanted || self.thesis && !program.is_same {
            return Vec::new();
        }
        let sizes = self.sizes.clone().unwrap_or_else(|| program.sizes.to_vec());
        sizes.into_iter().filter(|size| *size <= self.size_max).collect()
    }
}

fn main() {
    let wishes = Wishes::read();
    println!("Largest size/steps/seconds/MB, and in brackets what the thesis has.");
    println!("Limits of each run: {} s of processor time, 1 GiB. Sizes:", wishes.seconds);
    let programs = || PROGRAMS.iter().filter(|program| !wishes.sizes(program).is_empty());
    for program in programs() {
        println!("  {}: {:?}", program.name, wishes.sizes(program));
    }
    let names: Vec<&str> = programs().map(|program| program.name).collect();
    println!("\n| search | reduction | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(names.len()));
    let (mut all, mut below) = (0, 0);
    for row in ROWS.iter().filter(|row| wishes.wants(row)) {
        for (reduce, thesis) in [("auto", row.lgc), ("lgc", row.lgc), ("none", row.without)] {
            let is_other = wishes.reduce.as_ref().is_some_and(|only| only != reduce);
            if is_other || wishes.thesis && thesis == NONE {
                continue;
            }
            print!("| {} {} | {reduce} |", row.search, row.heuristic);
            for program in programs() {
                let thesis = thesis[program.column];
                let best = largest(row, reduce, program, size_of(thesis), &wishes);
                let thesis = if program.is_same { thesis } else { "" };
                let is_below = best.as_ref().map_or(0, |best| best.size) < size_of(thesis);
                all += u32::from(!thesis.is_empty());
                below += u32::from(is_below);
                print!(" {} |", cell(best.as_ref(), thesis, is_below));
                let _ = std::io::stdout().flush();
            }
            println!();
        }
    }
    println!("\n{below} of {all} cells with a figure of the thesis are below it");
}

/// The size in the thesis's figures; zero if it has none.
fn size_of(thesis: &str) -> u32 {
    thesis.split('/').next().and_then(|size| size.parse().ok()).unwrap_or(0)
}

/// A size that was solved, and what that took.
struct Solved {
    size: u32,
    steps: usize,
    seconds: f64,
    megabytes: u64,
}

fn cell(best: Option<&Solved>, thesis: &str, is_below: bool) -> String {
    let figures = best.map_or("-".to_string(), |best| {
        format!("{}/{}/{:.1}/{}", best.size, best.steps, best.seconds, best.megabytes)
    });
    match (thesis, is_below) {
        ("", _) => figures,
        (_, true) => format!("**{figures}** ({thesis})"),
        (_, false) => format!("{figures} ({thesis})"),
    }
}

/// The largest instance that is solved; the order of trying is in the module head.
fn largest(
    row: &Row,
    reduce: &str,
    program: &Program,
    first: u32,
    wishes: &Wishes,
) -> Option<Solved> {
    let sizes = wishes.sizes(program);
    let at = sizes.iter().position(|size| first <= *size).unwrap_or(sizes.len() - 1);
    let try_size = |size: &u32| {
        let solved = solve(row, reduce, program, *size, wishes.seconds);
        let (search, heuristic) = (row.search, row.heuristic);
        let what = format!("{search} {heuristic} {reduce} {} {size}", program.name);
        match &solved {
            Ok(one) => eprintln!("{what}: {:.1} s, {} MB", one.seconds, one.megabytes),
            Err(why) => eprintln!("{what}: {why}"),
        }
        solved.ok()
    };
    let (smaller, larger) = sizes.split_at(at);
    let best = larger.iter().map_while(try_size).last();
    best.or_else(|| smaller.iter().rev().find_map(try_size))
}

/// What solving one instance took, or why it was not solved.
fn solve(
    row: &Row,
    reduce: &str,
    program: &Program,
    size: u32,
    limit: u64,
) -> Result<Solved, String> {
    let scratch = Scratch::new("search-table");
    let source = workspace().join("examples").join(program.file).display().to_string();
    let flags = format!("-D{}={size} {}", program.macro_name, program.flags);
    let mut words = vec!["check", "--format", "json", "--reduce", reduce, "--search", row.search];
    words.extend(["--memory", "1G", "--cflags", &flags]);
    if !row.heuristic.is_empty() {
        words.extend(["--heuristic", row.heuristic]);
    }
    words.push(&source);
    let mut job = Job::new(samovar(), &words).directory(scratch.path());
    job.processor = Some(limit);
    // However busy the machine is, it has an end.
    job.hang = Duration::from_secs(limit * 200);
    let outcome = job.run();
    let (seconds, megabytes) = (outcome.user.as_secs_f64(), outcome.peak >> 20);
    let report: Value = serde_json::from_slice(&outcome.stdout)
        .map_err(|_| format!("{} after {seconds:.1} s, {megabytes} MB", outcome.ending()))?;
    if report["verdict"] != "error" {
        return Err(format!("{}: {}", report["verdict"], report["incomplete"]["reason"]));
    }
    if MEGABYTES_MAX < megabytes {
        return Err(format!("{megabytes} MB"));
    }
    let steps = report["trail"].as_array().map_or(0, Vec::len);
    Ok(Solved { size, steps, seconds, megabytes })
}
