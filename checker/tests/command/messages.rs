//! What `samovar` itself says: one sentence that names the thing, and nothing else.

use super::{Ended, Guest, samovar};

#[test]
fn what_is_unsupported_is_named_with_its_place() {
    let guest = Guest::compiled(
        "#include <unistd.h>\nint main(void)\n{\n    execl(\"/bin/true\", \"true\", NULL);\n    \
         return 0;\n}\n",
    );
    for model in ["full", "none"] {
        let ended = guest.run(&["--model", model], &[]);
        let said = ended.refusal();
        assert!(said.starts_with("unsupported system call execve at 0x"), "{said}");
        assert!(said.contains("guest.c:4"), "{said}");
    }
}

#[test]
fn unsupported_instructions_are_named() {
    let guest =
        Guest::compiled("int main(void)\n{\n    asm volatile(\"vzeroupper\");\n    return 0;\n}\n");
    let ended = guest.run(&[], &[]);
    let said = ended.refusal().to_lowercase();
    assert!(said.contains("vzeroupper") && said.contains("in main (guest.c:3)"), "{said}");
}

#[test]
fn source_files_are_compiled() {
    let guest = Guest::new(
        "#include <math.h>\n#include <stdio.h>\nint main(int count, char **words)\n{\n    \
         printf(\"%s %d %.1f\\n\", words[0], N, sqrt(count + 1.0));\n    return 4;\n}\n",
    );
    let words = ["run", "--cflags", "-DN=5 -lm", "guest.c", "x", "-O9"];
    let ended = Ended::of(&mut guest.samovar(&words));
    assert_eq!(ended.stdout, "guest 5 2.0\n", "{ended:?}");
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(4), ""));
    let left: Vec<_> = std::fs::read_dir(&guest.directory).expect("readable").collect();
    assert_eq!(left.len(), 1, "nothing but the source is left: {left:?}");
}

#[test]
fn a_program_that_does_not_compile() {
    let guest = Guest::new("int main(void) { return nonsense; }\n");
    let ended = Ended::of(&mut guest.samovar(&["run", "guest.c"]));
    assert_eq!(ended.status, Some(2));
    let last = ended.stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("samovar: guest.c: not compiled"), "{ended:?}");
    assert!(ended.stderr.contains("nonsense"), "the compiler's own words: {ended:?}");

    let ended = Ended::of(guest.samovar(&["run", "guest.c"]).env("CC", "no-such-compiler"));
    let said = ended.refusal();
    assert!(said.contains("no-such-compiler") && said.contains("set CC"), "{said}");
}

#[test]
fn statistics_go_to_the_error_stream() {
    let guest = Guest::compiled("int main(void) { return 0; }\n");
    let ended = guest.run(&["--stats"], &[]);
    assert_eq!((ended.status, ended.stdout.as_str()), (Some(0), ""));
    for word in ["instructions", "time", "speed", "threads", "peak memory"] {
        assert!(ended.stderr.contains(word), "{ended:?}");
    }
}

#[test]
fn there_is_no_colour_in_a_pipe() {
    let guest = Guest::compiled("int main(void) { return 0; }\n");
    let outputs = [
        Ended::of(&mut samovar(&["--help"])),
        Ended::of(&mut samovar(&["run", "--help"])),
        Ended::of(&mut samovar(&["run", "--nonsense"])),
        Ended::of(&mut samovar(&["run", "/nonexistent"])),
        guest.run(&["--verbose", "--stats"], &[]),
    ];
    for ended in outputs {
        assert!(!ended.stdout.contains('\x1b') && !ended.stderr.contains('\x1b'), "{ended:?}");
    }
}
