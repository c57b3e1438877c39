//! Planning and simulation in turn: schedules are validated, and compared with the best ones.

use super::{example, plan, program, run};
use samovar_tests::mamp::{Instance, schedule};
use samovar_tests::scratch::Scratch;

#[test]
fn the_published_example_is_planned_at_its_best() {
    let scratch = Scratch::new("example");
    let instance = Instance::example();
    assert_eq!(instance.best(), 2);
    for seed in 0..4 {
        let seed = format!("--seed={seed}");
        let (report, status) = plan(&scratch, &[&seed, "--phase-states=500", &example("mamp.c")]);
        assert_eq!(status, 0, "{report}");
        assert_eq!(instance.complaint(&schedule(&report)), None, "{report}");
        assert_eq!(report["cost"], 2);
    }
}

#[test]
fn small_instances_are_planned_as_well_as_agents_that_never_wait_can() {
    let scratch = Scratch::new("small");
    let mamp = example("mamp.c");
    let mut optimal = 0;
    for seed in 1..=8 {
        let instance = Instance::new(3, 5, seed, 30);
        let (best, reachable) = (instance.best(), instance.best_without_waiting());
        assert!(best <= reachable);
        let seed = seed.to_string();
        let words = ["--seed=1", "--phase-states=150000", &mamp, "3", "5", &seed, "30"];
        let (report, status) = plan(&scratch, &words);
        assert_eq!(status, 0, "{report}");
        assert_eq!(instance.complaint(&schedule(&report)), None, "{report}");
        assert_eq!(report["cost"], reachable, "instance {seed}");
        optimal += u32::from(best == reachable);
    }
    assert!(4 <= optimal, "waiting helps in most instances");
}

#[test]
fn planning_is_no_worse_than_chance() {
    let scratch = Scratch::new("chance");
    let mamp = example("mamp.c");
    let (mut simulated, mut planned) = (0, 0);
    for seed in 1..=3 {
        let instance = Instance::new(10, 20, seed, 100);
        let seed = seed.to_string();
        let cost = |option: &str| {
            let words = [option, "--phase-states=100000", &mamp, "10", "20", &seed];
            let (report, status) = plan(&scratch, &words);
            assert_eq!(status, 0, "{report}");
            assert_eq!(instance.complaint(&schedule(&report)), None, "{report}");
            report["cost"].as_u64().expect("a number")
        };
        simulated += cost("--simulate");
        planned += cost("--phase=rollouts");
        // As StEAM did it: time stands still, and what is best now is suggested.
        cost("--phase=bfs");
    }
    assert!(planned < simulated, "{planned}, not less than {simulated}");
}

#[test]
fn a_simulation_is_the_same_every_time_and_can_be_replayed() {
    let scratch = Scratch::new("again");
    let words =
        ["--seed=7", "--phase-states=20000", "--trail=a.json", &example("mamp.c"), "4", "8", "3"];
    let (first, _) = plan(&scratch, &words);
    let (second, _) = plan(&scratch, &words);
    assert_eq!(first["plan"], second["plan"]);
    let replayed = run(&scratch, &["replay", "a.json"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", replayed.stderr_text());
    let text = std::fs::read_to_string(scratch.join("a.json")).expect("a plan");
    let mut saved: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let rounds = saved["plan"]["simulation"]["rounds"].as_array_mut().expect("rounds");
    rounds.pop();
    std::fs::write(scratch.join("b.json"), saved.to_string()).expect("written");
    assert_eq!(run(&scratch, &["replay", "b.json"]).status.code(), Some(2));
}

#[test]
fn what_is_no_plan_says_why() {
    let scratch = Scratch::new("why");
    let endless = "#include <samovar.h>\nint x;\nint main(void) { samovar_choose(2);\n\
        for (;;) { BEGINATOMIC x = !x; ENDATOMIC } }\n";
    let file = program(&scratch, "endless.c", endless);
    let file = file.to_str().expect("a name");
    let (report, status) = plan(&scratch, &["--steps=50", file]);
    assert_eq!(status, 3, "{report}");
    assert!(report["incomplete"]["reason"].as_str().unwrap_or("").contains("50 parallel steps"));
    let (report, status) = plan(&scratch, &["--simulate", "--goal=x == 1", file]);
    assert_eq!(status, 0, "{report}");
    let failing = "#include <samovar.h>\nint main(void) { VASSERT(samovar_choose(1) > 5); }\n";
    let file = program(&scratch, "failing.c", failing);
    let (report, status) = plan(&scratch, &[file.to_str().expect("a name")]);
    assert_ne!(status, 0, "{report}");
}
