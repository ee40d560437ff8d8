//! Finds the tools that recipes need.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether the program reads Parquet.
pub const PARQUET: bool = cfg!(feature = "parquet");

/// The folders of programs: the program under test, what `.ci/run` installs, and all others.
pub fn path() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_dehusk")).parent().expect("a folder").to_owned();
    let tools = in_target("recipes");
    let first = [program, tools.join("python/bin"), tools.join("dolma/bin")];
    let rest = env::var_os("PATH").unwrap_or_default();
    env::join_paths(first.into_iter().chain(env::split_paths(&rest))).expect("a path")
}

/// Looks for the tools of a recipe. An error says what is missing.
pub fn look_for(needs: &[String], path: &OsStr) -> Result<(), String> {
    needs.iter().try_for_each(|need| match (need.as_str(), need.strip_prefix("python:")) {
        ("parquet", _) if PARQUET => Ok(()),
        ("parquet", _) => Err("dehusk was built without --features parquet".to_owned()),
        (_, Some(module)) => look_for_module(module, path),
        (program, None) => look_for_program(program, path),
    })
}

/// Says that a recipe is skipped, or fails if it must not be skipped. Writes directly to the terminal, because the test
/// runner shows the output of a test only if it fails.
pub fn tell(recipe: &str, missing: &str) {
    let is_required = env::var_os("DEHUSK_RECIPES").is_some_and(|value| value == "required");
    assert!(!is_required, "{missing}");
    let _ = writeln!(std::io::stderr(), "the recipe '{recipe}' is skipped: {missing}");
}

fn look_for_module(module: &str, path: &OsStr) -> Result<(), String> {
    let python = Command::new("python3").args(["-c", &format!("import {module}")]).env("PATH", path).output();
    let is_there = python.is_ok_and(|output| output.status.success());
    let pip = "pip install --no-deps -r tests/recipes/python.txt";
    is_there.then_some(()).ok_or_else(|| format!("Python has no module '{module}'; {pip}"))
}

fn look_for_program(program: &str, path: &OsStr) -> Result<(), String> {
    let is_there = env::split_paths(path).any(|folder| folder.join(program).is_file());
    is_there.then_some(()).ok_or_else(|| format!("'{program}' is not on the path; .ci/run installs it"))
}

/// A path below the target folder.
fn in_target(relative: &str) -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().unwrap_or(temporary).join(relative)
}
