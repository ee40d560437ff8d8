//! The program `dehusk-lab`, as its users see it. A command line that starts with `lab` is one of the lab; others are of the program
//! `dehusk`, which the lab runs too.
//!
//! Cases that files can express are in `cases`.

#[path = "../../../tests/cli/cases.rs"]
mod cases;
#[allow(dead_code)] // the tests of the program use the rest
#[path = "../../../tests/cli/sandbox.rs"]
mod sandbox;

use std::fs;
use std::path::{Path, PathBuf};

use sandbox::*;

/// Where the corpora are.
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Where the cases are.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");

/// The program with these arguments.
fn program(arguments: Vec<String>) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dehusk-lab"));
    match arguments.split_first() {
        Some((first, others)) if first == "lab" => command.args(others),
        _ => command.arg("dehusk").args(arguments),
    };
    command
}

#[path = "lab/blocks.rs"]
mod blocks;
#[allow(dead_code)] // as above
#[path = "../../../tests/cli/containers.rs"]
mod containers;
#[path = "lab/decision.rs"]
mod decision;
#[path = "lab/features.rs"]
mod features;
#[path = "lab/feeds.rs"]
mod feeds;
#[path = "lab/files.rs"]
mod files;
#[path = "lab/injection.rs"]
mod injection;
#[path = "../../../tests/cli/news_pages.rs"]
mod news_pages;
#[path = "lab/page_level.rs"]
mod page_level;
#[path = "lab/segments.rs"]
mod segments;
#[path = "lab/stream_blocks.rs"]
mod stream_blocks;
#[path = "lab/stream_evaluation.rs"]
mod stream_evaluation;
