//! Command lines that cannot be obeyed: exit status 2 and a message in the project's form.

use super::{Ended, samovar};

#[test]
fn nonsense_is_refused() {
    let lines: &[&[&str]] = &[
        &["brew"],
        &["run"],
        &["run", "--nonsense", "./a.out"],
        &["run", "--seed", "tea", "./a.out"],
        &["run", "--model", "half", "./a.out"],
        &["run", "--time", "soon", "./a.out"],
        &["run", "--env", "NAME", "./a.out"],
        &["inspect"],
        &["inspect", "--format", "poem", "./a.out"],
    ];
    for words in lines {
        let ended = Ended::of(&mut samovar(words));
        assert_eq!(ended.status, Some(2), "{words:?}: {ended:?}");
        assert!(ended.stderr.starts_with("samovar: "), "{words:?}: {ended:?}");
        assert_eq!(ended.stdout, "", "{words:?}");
    }
}

#[test]
fn help_is_no_error() {
    for words in [&["--help"] as &[&str], &["run", "--help"], &["inspect", "-h"], &["--version"]] {
        let ended = Ended::of(&mut samovar(words));
        assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{words:?}");
        assert!(ended.stdout.contains("samovar"), "{words:?}");
    }
    let wide = Ended::of(&mut samovar(&["run", "--help"]));
    assert!(wide.stdout.lines().all(|line| line.chars().count() <= 100), "{}", wide.stdout);
}
