//! How the source of a row is named: by a column with names, by a column with addresses, or as that of all rows.

use std::borrow::Cow;

use arrow_array::LargeStringArray;
use dehusk::SourceBy;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::arrow::Strings;
use crate::errors::{Fault, Result};
use crate::text::{Cell, source_of};

/// The default name of the column with the names of sources.
const DEFAULT_SOURCE: &str = "source";
/// The default name of the column with addresses.
const DEFAULT_URL: &str = "url";

/// How the sources of rows are named.
#[pyclass(frozen, from_py_object, module = "dehusk._dehusk")]
#[derive(Clone, Debug, Default)]
pub struct Naming {
    /// The column with names.
    source: Option<String>,
    /// The column with addresses, which is read if there is no column with names. The source is the host.
    url: Option<String>,
    /// The source of all rows. No column is read then.
    name: Option<String>,
    /// The source of all rows if no column says more.
    otherwise: Option<String>,
}

/// The arguments of [`Naming::new`].
type Given = (Option<String>, Option<String>, Option<String>, Option<String>);

#[pymethods]
impl Naming {
    #[new]
    #[pyo3(signature = (source, url, name, otherwise=None))]
    pub fn new(
        source: Option<String>,
        url: Option<String>,
        name: Option<String>,
        otherwise: Option<String>,
    ) -> Result<Naming> {
        if let Some(name) = &name {
            source_of(name).map_err(|fault| fault.at("name"))?;
        }
        Ok(Naming { source, url, name, otherwise })
    }

    /// The rule for rows with these columns: it has one name at most, of a column or of a source.
    pub fn among(&self, columns: Vec<Bound<'_, PyAny>>) -> Result<Naming> {
        self.among_names(|name| columns.iter().any(|column| column.eq(name).unwrap_or(false)))
    }

    /// The rule for texts without columns.
    fn of_texts(&self) -> Naming {
        Naming::of_all(self.name.clone().unwrap_or_else(|| "texts".to_owned()))
    }

    /// For pickles. Hugging Face data sets hash them.
    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Given) {
        let Naming { source, url, name, otherwise } = self.clone();
        (py.get_type::<Naming>(), (source, url, name, otherwise))
    }

    /// The column that is read. `None` if all rows are of one source. Only for the result of `among`.
    #[getter]
    pub fn column(&self) -> Option<&str> {
        self.source.as_deref().or(self.url.as_deref())
    }
}

impl Naming {
    fn of_all(name: String) -> Naming {
        Naming { name: Some(name), ..Naming::default() }
    }

    /// The same as [`Naming::among`], for columns of which it is known whether they exist.
    ///
    /// # Errors
    /// If neither a column nor a name was given. A column that is missing is found out by those who read it.
    pub fn among_names(&self, has: impl Fn(&str) -> bool) -> Result<Naming> {
        if let Some(name) = &self.name {
            return Ok(Naming::of_all(name.clone()));
        }
        let (source, url) = (self.source.clone(), self.url.clone());
        // A column that the user named is missed. One that has its default name need not be there.
        let is_read = |column: &Option<String>, default: &str| {
            column.as_deref().is_some_and(|column| has(column) || column != default)
        };
        let by_source = is_read(&source, DEFAULT_SOURCE);
        match &self.otherwise {
            _ if !by_source && is_read(&url, DEFAULT_URL) => Ok(Naming { url, ..Naming::default() }),
            Some(name) if !by_source => Ok(Naming::of_all(name.clone())),
            _ if source.is_some() => Ok(Naming { source, ..Naming::default() }),
            _ if url.is_some() => Ok(Naming { url, ..Naming::default() }),
            _ => Err(Fault::Usage("source, url and name are None; give one of them".to_owned())),
        }
    }

    /// A value in the column that is read, as a place for messages.
    pub fn cell(&self, row: u64) -> Cell<'_> {
        Cell { row, column: self.column().unwrap_or_default() }
    }

    /// The source of a row with this value in the column that is read. `None` if the value is missing.
    ///
    /// # Errors
    /// If the value is an address without a host.
    pub fn source<'a>(&'a self, value: Option<&'a str>, row: u64) -> Result<Option<Cow<'a, str>>> {
        match (&self.name, &self.source, value) {
            (Some(name), ..) => Ok(Some(Cow::Borrowed(name))),
            (None, Some(_), value) => Ok(value.map(Cow::Borrowed)),
            (None, None, None) => Ok(None),
            (None, None, Some(url)) => {
                let host = SourceBy::Host.name_of_url(url);
                host.map(|host| Some(Cow::Owned(host))).map_err(|reason| self.cell(row).wrong(&reason.to_string()))
            }
        }
    }

    /// The sources of rows from `first` on, with these values in the column that is read.
    ///
    /// # Errors
    /// As for [`Naming::source`].
    pub fn sources<'a>(&'a self, values: impl Iterator<Item = Option<&'a str>>, first: u64) -> Result<Strings> {
        let sources = values.zip(first..).map(|(value, row)| self.source(value, row));
        Ok(Strings::LargeUtf8(LargeStringArray::from_iter(sources.collect::<Result<Vec<_>>>()?)))
    }
}
