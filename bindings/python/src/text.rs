//! Python values as text, with error messages that name the place of the value.

use std::cell::RefCell;

use dehusk::{SourceBy, SourceId, decoded_page};
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

/// A value as text.
///
/// # Errors
/// If the value is not a string, or has lone surrogates.
pub fn text_of(value: &Bound<'_, PyAny>, cell: Cell<'_>) -> Result<PyBackedStr> {
    if is_missing(value) {
        return Err(cell.missing());
    }
    let Ok(text) = value.cast::<PyString>() else { return Err(cell.wrong_type(&no_text(value)?)) };
    PyBackedStr::try_from(text.clone()).map_err(|_| cell.wrong(LONE_SURROGATE))
}

fn no_text(value: &Bound<'_, PyAny>) -> Result<String> {
    Ok(format!("{} is no text; give a str", value.get_type().qualname()?))
}

const LONE_SURROGATE: &str =
    "it has a lone surrogate, which no text can have; encode it with errors='replace', and decode it again";

/// A text that was given as an argument.
///
/// # Errors
/// If the argument is not a string, or has lone surrogates.
pub fn argument(text: &Bound<'_, PyAny>, name: &str) -> Result<PyBackedStr> {
    let Ok(text) = text.cast::<PyString>() else { return Err(Fault::Type(format!("{name}: {}", no_text(text)?))) };
    PyBackedStr::try_from(text.clone()).map_err(|_| Fault::Data(format!("{name}: {LONE_SURROGATE}")))
}

/// A page that was given as an argument.
pub enum PageText {
    /// As a string.
    Given(PyBackedStr),
    /// As bytes in any encoding.
    Decoded(String),
}

impl std::ops::Deref for PageText {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            PageText::Given(text) => text,
            PageText::Decoded(text) => text,
        }
    }
}

/// A page that was given as a string, or as bytes, which are decoded as the program does it.
///
/// # Errors
/// If the argument is neither, has lone surrogates, or its bytes are not text.
pub fn page_argument(page: &Bound<'_, PyAny>, name: &str) -> Result<PageText> {
    if let Ok(bytes) = page.extract::<&[u8]>() {
        return decode_page(page.py(), bytes).map(PageText::Decoded).map_err(|fault| fault.at(name));
    }
    argument(page, name).map(PageText::Given).map_err(|fault| match fault {
        Fault::Type(message) => Fault::Type(format!("{message} or bytes")),
        fault => fault,
    })
}

/// Whether a value means that a value is missing: `None`, or the marks of pandas: NaN and `pandas.NA`.
pub fn is_missing(value: &Bound<'_, PyAny>) -> bool {
    if value.is_none() {
        return true;
    }
    let is_no_number = || value.extract::<f64>().is_ok_and(f64::is_nan);
    let is_na = || value.get_type().name().is_ok_and(|name| name == "NAType");
    !value.is_instance_of::<PyString>() && (is_no_number() || is_na())
}

/// The name of a source.
///
/// # Errors
/// If it is not safe as the name of a file.
pub fn source_of(name: &str) -> Result<SourceId> {
    SourceId::parse(name).map_err(|error| Fault::Data(format!("source {name:?}: {error}")))
}

/// Decodes a page that is stored as bytes, in any encoding, as the program does for files.
#[pyfunction]
pub fn decode_page(py: Python<'_>, page: &[u8]) -> Result<String> {
    let decoded = py.detach(|| decoded_page(page).map(std::borrow::Cow::into_owned));
    decoded.map_err(|reason| Fault::Data(format!("the page {reason}")))
}

/// Whether this can be the name of a source: it must be safe as the name of a file.
#[pyfunction]
pub fn is_source(name: &str) -> bool {
    SourceId::parse(name).is_ok()
}

/// The source of a document, found from its address, as ``--source-by`` does in the program.
///
/// Parameters
/// ----------
/// url : str
///     The address, such as ``https://news.example.co.uk/1``.
/// by : "host", "domain" or a regular expression
///     ``"host"`` gives the host in lower case, without port and leading ``www.``: the default of the program.
///     ``"domain"`` gives the registered domain, such as ``example.co.uk``, according to the public suffix list. A
///     regular expression, in Rust's dialect, gives its group ``source``, or else its first group, or else the whole
///     match.
///
/// Returns
/// -------
/// str
///
/// Raises
/// ------
/// DataError
///     If the address names no source, or the name is not safe as the name of a file.
/// UsageError
///     If `by` is not a valid rule.
///
/// Examples
/// --------
/// >>> import dehusk
/// >>> dehusk.source_of("https://www.news.bbc.co.uk:80/sport?page=1")
/// 'news.bbc.co.uk'
/// >>> dehusk.source_of("https://www.news.bbc.co.uk:80/sport?page=1", by="domain")
/// 'bbc.co.uk'
/// >>> dehusk.source_of("https://de.alice.blogspot.com/1", by="domain")
/// 'alice.blogspot.com'
/// >>> dehusk.source_of("https://blogs.example/users/anna/1", by="users/([a-z]+)")
/// 'anna'
#[pyfunction(name = "source_of")]
#[pyo3(signature = (url, by="host"))]
pub fn source_of_url(url: &Bound<'_, PyAny>, by: &str) -> Result<String> {
    thread_local! {
        /// The rule of the last call. Most programs have one, and call it for each document.
        static LAST: RefCell<Option<(String, SourceBy)>> = const { RefCell::new(None) };
    }
    let url = argument(url, "url")?;
    LAST.with_borrow_mut(|last| {
        let rule = match last {
            Some((name, rule)) if name == by => rule,
            last => &mut last.insert((by.to_owned(), rule_of(by)?)).1,
        };
        let name = rule.name_of_url(&url).map_err(|reason| Fault::Data(format!("url: {reason}")))?;
        Ok(source_of(&name)?.to_string())
    })
}

fn rule_of(by: &str) -> Result<SourceBy> {
    match SourceBy::parse(by) {
        Ok(SourceBy::Key | SourceBy::Folder | SourceBy::Auto | SourceBy::Name(_)) => Err(Fault::Usage(format!(
            "by is {by:?}, and an address has no such name; give 'host', 'domain' or a regular expression"
        ))),
        Ok(rule) => Ok(rule),
        Err(error) => Err(Fault::Usage(format!("by: {error}"))),
    }
}

/// The name of the source of a row.
///
/// # Errors
/// If it is not safe as the name of a file.
pub fn source_in(name: &str, cell: Cell<'_>) -> Result<SourceId> {
    SourceId::parse(name).map_err(|error| cell.wrong(&format!("source {name:?}: {error}")))
}
