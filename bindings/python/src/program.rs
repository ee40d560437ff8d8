//! The program `dehusk`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the program. The first of the arguments is its own name. Returns its exit status.
#[pyfunction]
pub fn program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| dehusk::cli::main(arguments) as u8)
}
