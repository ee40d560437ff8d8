//! Times each stage of mining and cleaning alone, on one thread where possible, on invented corpora of 1 and 10 MB.
//!
//! ```text
//! cargo bench --bench stages -- suffix_array
//! DEHUSK_BENCH_LARGE=1 cargo bench --bench stages
//! ```
//!
//! The second command adds 100 MB. Speeds are in bytes of the whole text of the source, also for stages that only see a
//! part.

use divan::Divan;

mod cleaning;
mod dom;
mod mining;
mod patterns;
mod prepared;
mod reading;
#[path = "../support/mod.rs"]
mod support;

fn main() {
    Divan::default().sample_count(10).sample_size(1).config_with_args().main();
}

/// The sizes in MB.
fn sizes() -> Vec<u64> {
    let is_test = !std::env::args().any(|argument| argument == "--bench");
    let is_large = std::env::var_os("DEHUSK_BENCH_LARGE").is_some();
    match (is_test, is_large) {
        (true, _) => vec![1],
        (false, false) => vec![1, 10],
        (false, true) => vec![1, 10, 100],
    }
}
