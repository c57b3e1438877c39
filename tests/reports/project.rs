//! `samovar.toml`, from the outside.

use super::{assert_refused, run};
use samovar_tests::build::programs;
use samovar_tests::scratch::Scratch;

/// A directory with a program, and a file of options.
fn project(name: &str, options: &str) -> Scratch {
    let scratch = Scratch::new(name);
    std::fs::copy(programs().join("check/tally.c"), scratch.join("tally.c")).expect("a copy");
    std::fs::write(scratch.join("samovar.toml"), options).expect("the options are written");
    scratch
}

#[test]
fn options_of_the_project_count() {
    let scratch = project("options", "[check]\ncflags = \"-DRACY\"\nformat = \"text\"\n");
    let outcome = run(&scratch, &["check", "tally.c"]);
    assert_eq!(outcome.ending(), "exit status 1", "{}", outcome.stdout_text());
    assert!(outcome.stdout_text().contains("samovar.toml"), "{}", outcome.stdout_text());
    // The command line wins.
    let outcome = run(&scratch, &["check", "--cflags=-O1", "tally.c"]);
    assert_eq!(outcome.ending(), "exit status 0", "{}", outcome.stdout_text());
    // From below as well.
    let below = scratch.join("below");
    std::fs::create_dir(&below).expect("a directory");
    let words = ["check", "../tally.c"];
    let job = samovar_tests::child::Job::new(samovar_tests::binary::samovar(), &words);
    assert_eq!(job.directory(&below).run().ending(), "exit status 1");
    // Other commands are not concerned.
    assert_eq!(run(&scratch, &["run", "tally.c"]).ending(), "exit status 0");
}

#[test]
fn what_is_no_option_is_refused() {
    for (options, words) in [
        ("[check]\nspeed = 3\n", &["samovar.toml", "no option --speed"][..]),
        ("[brew]\n", &["samovar.toml", "no command \"brew\""]),
        ("[check]\ntime = \"soon\"\n", &["samovar.toml", "--time"]),
        ("[check]\nhelp = true\n", &["samovar.toml", "no option --help"]),
        ("[check\n", &["samovar.toml"]),
        ("time = 3\n", &["samovar.toml", "\"time\""]),
    ] {
        let scratch = project("nonsense", options);
        assert_refused(&run(&scratch, &["check", "tally.c"]), words);
        // Whichever command is used: the file is wrong.
        assert_refused(&run(&scratch, &["inspect", "tally.c"]), words);
    }
    let scratch = project("help", "[check]\nspeed = 3\n");
    assert_eq!(run(&scratch, &["check", "--help"]).ending(), "exit status 0");
}
