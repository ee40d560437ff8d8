//! The program, as its users and their scripts see it.
//!
//! Cases that files can express are in `tests/cases`, one folder per case (see [`cases`]). Cases that need code are
//! here.

#![allow(clippy::print_stderr)] // a test that cannot run where it is says so

#[path = "cli/sandbox.rs"]
mod sandbox;

use std::fs;
use std::path::{Path, PathBuf};

use sandbox::*;

/// Where the corpora are.
const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");
/// Where the cases are.
const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");

/// The program with these arguments.
fn program(arguments: Vec<String>) -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_dehusk"));
    command.args(arguments);
    command
}

#[path = "cli/cases.rs"]
mod cases;
#[path = "cli/combine.rs"]
mod combine;
#[path = "cli/config.rs"]
mod config;
#[path = "cli/containers.rs"]
mod containers;
#[cfg(all(unix, feature = "crawl"))]
#[path = "cli/crawl.rs"]
mod crawl;
#[path = "cli/decision.rs"]
mod decision;
#[path = "cli/drift.rs"]
mod drift;
#[path = "cli/ends.rs"]
mod ends;
#[path = "cli/evaluation.rs"]
mod evaluation;
#[cfg(feature = "crawl")]
#[path = "cli/export.rs"]
mod export;
#[path = "cli/extract.rs"]
mod extract;
#[path = "cli/fields.rs"]
mod fields;
#[path = "cli/formats.rs"]
mod formats;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/hostile.rs"]
mod hostile;
#[path = "cli/memory.rs"]
mod memory;
#[path = "cli/mined_again.rs"]
mod mined_again;
#[path = "cli/news_pages.rs"]
mod news_pages;
#[path = "cli/one_in_a_hundred.rs"]
mod one_in_a_hundred;
#[path = "cli/prune.rs"]
mod prune;
#[path = "cli/report.rs"]
mod report;
#[path = "cli/review.rs"]
mod review;
#[path = "cli/robustness.rs"]
mod robustness;
#[path = "cli/sample_corpus.rs"]
mod sample_corpus;
#[path = "cli/schema.rs"]
mod schema;
#[path = "cli/scripts.rs"]
mod scripts;
#[path = "cli/snapshots.rs"]
mod snapshots;
#[path = "cli/sources.rs"]
mod sources;
#[path = "cli/state.rs"]
mod state;
#[path = "cli/stream.rs"]
mod stream;
#[path = "cli/streams.rs"]
mod streams;
#[path = "cli/input.rs"]
mod input;
#[path = "cli/output.rs"]
mod output;
#[path = "cli/pages.rs"]
mod pages;
#[cfg(unix)]
#[path = "cli/interruption.rs"]
mod interruption;
#[cfg(all(unix, feature = "review"))]
#[path = "cli/review_server.rs"]
mod review_server;
#[cfg(unix)]
#[path = "cli/resume.rs"]
mod resume;
#[cfg(unix)]
#[path = "cli/writing_over.rs"]
mod writing_over;
#[cfg(feature = "parquet")]
#[path = "cli/tables.rs"]
mod tables;
#[cfg(unix)]
#[path = "cli/terminal.rs"]
mod terminal;
#[path = "cli/verbose.rs"]
mod verbose;
#[path = "cli/stream_pages.rs"]
mod stream_pages;
