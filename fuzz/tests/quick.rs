//! A quick part of the random copies, and every seed that ever failed.

use copy_fuzz::{Bench, Case, Noise, Plan, gpus, run};

/// Seeds that failed once, with the reason. A change of how seeds make cases makes other cases of them.
const FAILED_ONCE: &[(u64, &str)] = &[];

#[test]
fn the_first_random_copies_agree_with_the_reference() {
    let plan = Plan { from: 0, copies: 20_000, time: None, threads: 2, describe: false };
    let outcome = run(&gpus().unwrap(), &plan, |_| ()).unwrap();
    let lines: Vec<&str> = outcome.failures.iter().map(|failure| failure.line.as_str()).collect();
    assert!(lines.is_empty(), "wrong:\n{}", lines.join("\n"));
    assert_eq!(outcome.copies, plan.copies);
}

#[test]
fn what_failed_once_agrees_with_the_reference() {
    let mut bench = Bench::new(&gpus().unwrap(), &Noise::new()).unwrap();
    for (seed, reason) in FAILED_ONCE {
        let case = Case::from_seed(*seed);
        bench.check(&case).unwrap_or_else(|error| panic!("{case}: {error} (once: {reason})"));
    }
}
