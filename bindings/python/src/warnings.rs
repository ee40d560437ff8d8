//! Warnings of a run, as Python warnings.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use crate::errors::Result;
use crate::running::Told;

/// Maximum number of left-out documents that are named. The others are only counted.
const DOCUMENTS_LISTED: usize = 5;

/// Gives each warning, and names documents that were left out.
///
/// # Errors
/// If the user's filters turn warnings into errors.
pub fn warn(py: Python<'_>, told: &Told) -> Result<()> {
    for message in told.warnings.iter().chain(&told.often.others()) {
        give(py, message)?;
    }
    for (place, reason) in told.skipped.iter().take(DOCUMENTS_LISTED) {
        give(py, &format!("{place}: left out: {reason}"))?;
    }
    if told.skips > DOCUMENTS_LISTED {
        give(py, &format!("{} more documents were left out", told.skips - DOCUMENTS_LISTED))?;
    }
    Ok(())
}

fn give(py: Python<'_>, message: &str) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "dehusk._errors", "DehuskWarning")?;
    // Level 2 is the code that called the function of `dehusk/__init__.py`.
    py.import("warnings")?.call_method1("warn", (message, class, 2))?;
    Ok(())
}
