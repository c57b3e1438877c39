//! Prints what Debian's programs do inside the virtual CPU: program by program, model by model,
//! identical to the native run or not, with the times. Arguments select by part of the name.

use samovar_tests::compare::{MODELS, Verdict, judge};
use samovar_tests::debian::cases;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut tally = (0, 0);
    let heads: Vec<_> = MODELS.iter().map(|(name, _)| format!("--model {name}")).collect();
    println!("| program | native s | {} |", heads.join(" | "));
    println!("|---|---|{}", "---|".repeat(MODELS.len()));
    for case in cases(true) {
        if !wanted.is_empty() && !wanted.iter().any(|part| case.name.contains(part.as_str())) {
            continue;
        }
        let native = case.job.run();
        let mut cells = Vec::new();
        for (_, options) in MODELS {
            let guest = case.job.under_samovar(options).run();
            let verdict = judge(&native, &guest);
            tally.0 += u32::from(verdict == Verdict::Identical);
            tally.1 += 1;
            cells.push(format!("{verdict}, {:.2} s", guest.time.as_secs_f64()));
        }
        println!("| {} | {:.3} | {} |", case.name, native.time.as_secs_f64(), cells.join(" | "));
    }
    println!("\n{} of {} runs identical", tally.0, tally.1);
}
