//! Python values as text, with messages that say where they are.

use dehusk::corpus::SourceId;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;

use crate::errors::{Fault, Result};

/// The place of a value in data.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// The number of the row, from 0.
    pub row: u64,
    /// The name of the column.
    pub column: &'a str,
}

impl Cell<'_> {
    /// An error about this value.
    pub fn wrong(self, message: &str) -> Fault {
        let Cell { row, column } = self;
        Fault::Data(format!("row {row}, column '{column}': {message}"))
    }

    fn wrong_type(self, message: &str) -> Fault {
        let Cell { row, column } = self;
        Fault::Type(format!("row {row}, column '{column}': {message}"))
    }

    /// An error about a value that is missing.
    pub fn missing(self) -> Fault {
        self.wrong_type("there is no text (None); drop this row, or fill it with ''")
    }
}

/// A text.
///
/// # Errors
/// If the value is no string, or has lone surrogates.
pub fn text_of(value: &Bound<'_, PyAny>, cell: Cell<'_>) -> Result<PyBackedStr> {
    if is_missing(value) {
        return Err(cell.missing());
    }
    let Ok(text) = value.cast::<PyString>() else {
        let kind = value.get_type().qualname()?;
        return Err(cell.wrong_type(&format!("{kind} is no text; give a str")));
    };
    PyBackedStr::try_from(text.clone()).map_err(|_| cell.wrong(LONE_SURROGATE))
}

const LONE_SURROGATE: &str =
    "it has a lone surrogate, which no text can have; encode it with errors='replace', and decode it again";

/// A text that was given as an argument.
///
/// # Errors
/// If it has lone surrogates.
pub fn argument(text: &Bound<'_, PyString>, name: &str) -> Result<PyBackedStr> {
    PyBackedStr::try_from(text.clone()).map_err(|_| Fault::Data(format!("{name}: {LONE_SURROGATE}")))
}

/// Whether a value stands for no value: `None`, or a number that is no number, as pandas writes it.
pub fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    value.is_none() || value.extract::<f64>().is_ok_and(f64::is_nan)
}

/// The name of a source.
///
/// # Errors
/// If it is not safe as the name of a file.
pub fn source_of(name: &str) -> Result<SourceId> {
    SourceId::parse(name).map_err(|error| Fault::Data(format!("source {name:?}: {error}")))
}

/// The name of the source of a row.
///
/// # Errors
/// If it is not safe as the name of a file.
pub fn source_in(name: &str, cell: Cell<'_>) -> Result<SourceId> {
    SourceId::parse(name).map_err(|error| cell.wrong(&format!("source {name:?}: {error}")))
}
