//! What counts as reaching a goal, and what a plan costs.

use super::{actions, plan, program};
use samovar_tests::scratch::Scratch;
use serde_json::Value;

/// Plans for a program that is written down here.
fn planned(source: &str, options: &[&str]) -> (Value, i32) {
    let scratch = Scratch::new("goals");
    let file = program(&scratch, "program.c", source);
    plan(&scratch, &[options, &[file.to_str().expect("a name")]].concat())
}

#[test]
fn a_goal_may_hold_at_the_start_and_at_the_end_only() {
    let source = "#include <samovar.h>\nint x, y;\n\
        int main(void) { x = samovar_choose(3); y = x == 2; return 0; }\n";
    let (report, status) = planned(source, &["--goal=y == 1"]);
    assert_eq!(status, 0, "{report}");
    assert_eq!(report["plan"].as_array().expect("a plan").len(), 1);
    let (report, status) = planned(source, &["--goal=y == 0"]);
    assert_eq!((status, &report["cost"]), (0, &0.into()), "{report}");
    let alone = "int x;\nint main(void) { x = 3; return 0; }\n";
    let (report, status) = planned(alone, &["--goal=x == 3"]);
    assert_eq!((status, &report["cost"]), (0, &0.into()), "{report}");
    assert_eq!(planned(alone, &["--goal=x == 4"]).1, 1);
}

#[test]
fn half_an_action_is_no_state() {
    let source = "#include <samovar.h>\nint a = 1, b = 2;\n\
        int main(void) { while (samovar_choose(2)) { int c = a; a = b; b = c; } return 0; }\n";
    assert_eq!(planned(source, &["--goal=a == b"]).1, 1);
    assert_eq!(planned(source, &["--goal=a == 2"]).0["cost"], 1);
}

#[test]
fn threads_are_looked_at_between_all_their_accesses() {
    let source = "#include <pthread.h>\nint x;\n\
        static void *f(void *p) { x = 1; x = 2; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n\
        pthread_join(t, 0); return 0; }\n";
    let flags = "--cflags=-O0";
    assert_eq!(planned(source, &["--goal=x == 1", flags]).1, 0);
    assert_eq!(planned(source, &["--goal=x == 3", flags]).1, 1);
    let atomic = source.replace("x = 1; x = 2;", "BEGINATOMIC x = 1; x = 2; ENDATOMIC");
    let atomic = format!("#include <samovar.h>\n{atomic}");
    assert_eq!(planned(&atomic, &["--goal=x == 1", flags]).1, 1);
    assert_eq!(planned(&atomic, &["--goal=x == 2", flags]).1, 0);
}

#[test]
fn several_choices_in_one_atomic_region_are_all_made() {
    let source = "#include <pthread.h>\n#include <samovar.h>\nint x = -1;\n\
        static void *f(void *p) { BEGINATOMIC int a = samovar_choose(3);\n\
        int b = samovar_choose(a + 1); x = a * 10 + b; ENDATOMIC return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\n\
        pthread_join(t, 0); return 0; }\n";
    for a in 0..3 {
        for b in 0..3 {
            let goal = format!("--goal=x == {}", a * 10 + b);
            assert_eq!(planned(source, &[&goal]).1, i32::from(a < b), "{a} {b}");
        }
    }
}

#[test]
fn unmarked_actions_are_called_what_is_called() {
    let source = "#include <samovar.h>\nint at;\n\
        static __attribute__((noinline)) void forward(void) { at += 2; }\n\
        static __attribute__((noinline)) void back(void) { at -= 1; }\n\
        int main(void) { for (;;) { samovar_assume(-9 < at && at < 9);\n\
        if (samovar_choose(2)) forward(); else back(); } }\n";
    let (report, status) = planned(source, &["--goal=at == 5"]);
    assert_eq!(status, 0, "{report}");
    let mut names = actions(&report);
    names.sort();
    assert_eq!(names, ["back", "forward", "forward", "forward"]);
    assert_eq!(report["cost_unit"], "steps");
}

/// Cheapest ways by Bellman and Ford, against `--minimise`.
#[test]
fn costs_are_as_low_as_they_can_be() {
    const TOWNS: usize = 7;
    let mut random = 7u64;
    let mut next = |bound: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
        (random >> 33) % bound
    };
    for _ in 0..4 {
        let mut toll = [[0u64; TOWNS]; TOWNS];
        for road in toll.iter_mut().flatten() {
            *road = if next(3) == 0 { 0 } else { 1 + next(9) };
        }
        let mut best = [u64::MAX; TOWNS];
        best[0] = 0;
        for _ in 0..TOWNS {
            for from in 0..TOWNS {
                for to in 0..TOWNS {
                    if toll[from][to] != 0 && best[from] != u64::MAX {
                        best[to] = best[to].min(best[from] + toll[from][to]);
                    }
                }
            }
        }
        let rows: Vec<String> = toll.iter().map(|row| format!("{row:?}")).collect();
        let table = rows.join(",").replace('[', "{").replace(']', "}");
        let source = format!(
            "#include <samovar.h>\nint town, paid;\n\
             static const int toll[][{TOWNS}] = {{{table}}};\n\
             int main(void) {{ for (;;) {{ int to = samovar_choose({TOWNS});\n\
             samovar_assume(toll[town][to] && paid < 60); samovar_action(\"go\", to);\n\
             paid += toll[town][to]; town = to; }} }}\n"
        );
        for (town, &cost) in best.iter().enumerate() {
            let goal = format!("--goal=town == {town}");
            let (report, status) = planned(&source, &[&goal, "--minimise=paid"]);
            let expected = if cost == u64::MAX { (1, Value::Null) } else { (0, cost.into()) };
            assert_eq!((status, report["cost"].clone()), expected, "{town}: {report}");
        }
    }
}
