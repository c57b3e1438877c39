//! `samovar inspect` on a program whose contents are known.

use super::{Ended, Guest, samovar};
use serde_json::Value;

const SOURCE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static __thread long own[8];
__attribute__((constructor)) static void early(void) { own[0] = 1; }
int main(int count, char **words)
{
    void *block = malloc(count);
    printf("%p %ld\n", block, own[count]);
    free(block);
    asm volatile("vzeroupper");
    return 0;
}
"#;

fn report(guest: &Guest) -> Value {
    let ended = Ended::of(&mut guest.samovar(&["inspect", "--format", "json", "./guest"]));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    serde_json::from_str(&ended.stdout).expect("one JSON object")
}

/// The strings under a key of each element of a list.
fn strings<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    list.as_array().into_iter().flatten().filter_map(|entry| entry[key].as_str()).collect()
}

#[test]
fn the_report_is_true() {
    let guest = Guest::compiled(SOURCE);
    let report = report(&guest);
    assert!(report["kind"].as_str().is_some_and(|kind| kind.contains("dynamic")), "{report}");
    assert!(report["interpreter"].as_str().is_some_and(|path| path.contains("ld-linux")));
    assert_eq!(strings(&report["libraries"], "name"), ["libc.so.6"]);
    assert_eq!(report["debug_info"], Value::Bool(true));
    assert_eq!(report["thread_local"]["size"], 64);
    assert!(strings(&report["segments"], "access").contains(&"r-x"));
    let symbols = strings(&report["entry_points"], "symbol");
    assert!(symbols.contains(&"_start") && symbols.contains(&"main"), "{symbols:?}");
    assert!(symbols.contains(&"early"), "{symbols:?}");
    let class = |class: &str, name: &str| {
        let names = report["imports"][class].as_array().into_iter().flatten();
        names.into_iter().any(|known| known == name)
    };
    assert!(class("modelled", "malloc") && class("modelled", "free"), "{report}");
    assert!(class("atomic", "printf"), "{report}");
    assert!(class("plain", "__libc_start_main"), "{report}");
    let unsupported = &report["instructions"]["unsupported"];
    assert!(strings(unsupported, "name").contains(&"vzeroupper"), "{report}");
    assert!(strings(unsupported, "function").contains(&"main"), "{report}");
}

#[test]
fn the_text_fits_a_terminal() {
    let guest = Guest::compiled(SOURCE);
    let ended = Ended::of(&mut guest.samovar(&["inspect", "./guest"]));
    assert_eq!(ended.status, Some(0), "{ended:?}");
    for line in ended.stdout.lines() {
        assert!(line.chars().count() <= 80 && line == line.trim_end(), "{line:?}");
    }
    for title in ["libraries", "segments", "entry points", "library functions", "instructions"] {
        assert!(ended.stdout.contains(&format!("\n{title}\n")), "no {title}: {}", ended.stdout);
    }
}

#[test]
fn what_is_no_program_is_refused() {
    let ended = Ended::of(&mut samovar(&["inspect", "/etc/passwd"]));
    assert!(ended.refusal().contains("not an ELF file"));
    let ended = Ended::of(&mut samovar(&["inspect", "/nonexistent"]));
    assert!(ended.refusal().contains("no such program"));
}
