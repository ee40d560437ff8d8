//! Arrow tables, taken and given through Arrow's C data interface (PyCapsule), without a copy.
//!
//! All `unsafe` of the binding is here: the interface passes pointers.

use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::builder::StringViewBuilder;
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, GenericStringArray, LargeStringArray, RecordBatch, RecordBatchIterator, RecordBatchReader,
    StringArray, StringViewArray,
};
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::{Fault, Result};

const STREAM: &CStr = c"arrow_array_stream";

/// Batches that come from another library. One thread at a time may ask for them.
pub struct Reader(Mutex<RecordBatchStreamReader>);

/// The batches of an object with `__arrow_c_stream__`.
///
/// # Errors
/// If the object is not of that kind, or gives no table.
pub fn reader_of(object: &Bound<'_, PyAny>) -> Result<Reader> {
    let capsule = match object.call_method0("__arrow_c_stream__") {
        Err(error) if error.is_instance_of::<PyAttributeError>(object.py()) => {
            let kind = object.get_type().qualname()?;
            return Err(Fault::Type(format!("{kind} is no Arrow table: it has no __arrow_c_stream__")));
        }
        capsule => capsule?,
    };
    let capsule = capsule.cast_into::<PyCapsule>().map_err(PyErr::from)?;
    let pointer = capsule.pointer_checked(Some(STREAM))?;
    // SAFETY: according to the interface, a capsule of this name holds a stream. The stream is moved out of the
    // capsule. The rest in the capsule is marked as released, so the capsule does not release the stream again.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    reader
        .map(|reader| Reader(Mutex::new(reader)))
        .map_err(|error| Fault::Data(format!("this is no Arrow table: {error}")))
}

impl Reader {
    /// The columns.
    pub fn schema(&self) -> SchemaRef {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).schema()
    }

    /// The next batch. The other library may need the interpreter, so its lock is given up.
    ///
    /// # Errors
    /// If the other library fails.
    pub fn next(&mut self, py: Python<'_>) -> Result<Option<RecordBatch>> {
        let reader = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        py.detach(|| reader.next())
            .transpose()
            .map_err(|error| Fault::Data(format!("the Arrow table cannot be read: {error}")))
    }
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    index: usize,
}

impl Column {
    /// The column of this name.
    ///
    /// # Errors
    /// If no column or several columns have this name.
    pub fn find(schema: &Schema, name: &str) -> Result<Column> {
        let mut found = schema.fields().iter().enumerate().filter(|(_, field)| field.name() == name);
        match (found.next(), found.next()) {
            (Some((index, _)), None) => Ok(Column { index }),
            (Some(_), Some(_)) => Err(Fault::Data(format!("there are several columns '{name}'; rename one"))),
            (None, _) => {
                let names: Vec<String> = schema.fields().iter().map(|field| format!("'{}'", field.name())).collect();
                let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                Err(Fault::Data(format!("there is no column '{name}'; the columns are: {names}")))
            }
        }
    }

    /// Whether a column has this name.
    pub fn is_in(schema: &Schema, name: &str) -> bool {
        schema.fields().iter().any(|field| field.name() == name)
    }

    /// The column of this name, if there is one.
    ///
    /// # Errors
    /// If there are several.
    pub fn find_if_any(schema: &Schema, name: &str) -> Result<Option<Column>> {
        Column::is_in(schema, name).then(|| Column::find(schema, name)).transpose()
    }

    /// Its index among the columns.
    pub fn index(self) -> usize {
        self.index
    }

    /// Its strings.
    ///
    /// # Errors
    /// If the column has no strings, or they are not UTF-8.
    pub fn strings(self, batch: &RecordBatch) -> Result<Strings> {
        Strings::of(batch.column(self.index), batch.schema_ref().field(self.index).name())
    }

    /// Its strings or numbers, as names.
    ///
    /// # Errors
    /// If the column has other values.
    pub fn names(self, batch: &RecordBatch) -> Result<Ids> {
        let array = Arc::clone(batch.column(self.index));
        match array.data_type() {
            kind if kind.is_integer() => Ok(Ids::Numbers(array)),
            _ => self.strings(batch).map(Ids::Strings),
        }
    }
}

/// The strings of a column.
pub enum Strings {
    /// With offsets of 32 bits.
    Utf8(StringArray),
    /// With offsets of 64 bits.
    LargeUtf8(LargeStringArray),
    /// With views.
    View(StringViewArray),
    /// Indices of distinct strings.
    Dictionary(Vec<Option<usize>>, Box<Strings>),
    /// No string at all.
    Null,
}

impl Strings {
    fn of(array: &ArrayRef, column: &str) -> Result<Strings> {
        let checked = |data: arrow_data::ArrayData| {
            // Another library made the bytes. Taking bytes for UTF-8 that are not UTF-8 would be undefined behaviour.
            let valid = data.validate_full();
            valid.map_err(|error| Fault::Data(format!("column '{column}' is damaged: {error}")))
        };
        Ok(match array.data_type() {
            DataType::Utf8 => {
                checked(array.to_data())?;
                Strings::Utf8(array.as_string::<i32>().clone())
            }
            DataType::LargeUtf8 => {
                checked(array.to_data())?;
                Strings::LargeUtf8(array.as_string::<i64>().clone())
            }
            DataType::Utf8View => {
                checked(array.to_data())?;
                Strings::View(array.as_string_view().clone())
            }
            DataType::Null => Strings::Null,
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary();
                let keys = dictionary.normalized_keys();
                let keys = keys.into_iter().enumerate().map(|(row, key)| array.is_valid(row).then_some(key)).collect();
                Strings::Dictionary(keys, Box::new(Strings::of(dictionary.values(), column)?))
            }
            kind => {
                return Err(Fault::Type(format!(
                    "column '{column}' has values of type {kind}, and no strings; cast it to string"
                )));
            }
        })
    }

    /// The string of a row. `None` if there is none.
    pub fn get(&self, row: usize) -> Option<&str> {
        match self {
            Strings::Utf8(array) => array.is_valid(row).then(|| array.value(row)),
            Strings::LargeUtf8(array) => array.is_valid(row).then(|| array.value(row)),
            Strings::View(array) => array.is_valid(row).then(|| array.value(row)),
            Strings::Dictionary(keys, values) => keys[row].and_then(|key| values.get(key)),
            Strings::Null => None,
        }
    }

    /// An array of the same type with other strings.
    ///
    /// # Errors
    /// If they are too long for the type.
    pub fn with(&self, strings: &[Option<&str>]) -> Result<ArrayRef> {
        Ok(match self {
            Strings::Utf8(_)
                if strings.iter().flatten().map(|string| string.len()).sum::<usize>() > i32::MAX as usize =>
            {
                return Err(Fault::Data(
                    "the texts are too long for the type string; cast them to large_string".to_owned(),
                ));
            }
            Strings::Utf8(_) => Arc::new(GenericStringArray::<i32>::from_iter(strings)),
            Strings::LargeUtf8(_) | Strings::Dictionary(..) | Strings::Null => {
                Arc::new(GenericStringArray::<i64>::from_iter(strings))
            }
            Strings::View(_) => {
                let mut builder = StringViewBuilder::with_capacity(strings.len());
                strings.iter().for_each(|string| builder.append_option(*string));
                Arc::new(builder.finish())
            }
        })
    }
}

/// The names of documents.
pub enum Ids {
    /// Strings.
    Strings(Strings),
    /// Integers.
    Numbers(ArrayRef),
}

impl Ids {
    /// The name of a row. `None` if there is none.
    pub fn get(&self, row: usize) -> Option<String> {
        match self {
            Ids::Strings(strings) => strings.get(row).map(str::to_owned),
            Ids::Numbers(array) if array.is_null(row) => None,
            Ids::Numbers(array) => match array.data_type() {
                DataType::Int8 => Some(number::<Int8Type>(array, row)),
                DataType::Int16 => Some(number::<Int16Type>(array, row)),
                DataType::Int32 => Some(number::<Int32Type>(array, row)),
                DataType::Int64 => Some(number::<Int64Type>(array, row)),
                DataType::UInt8 => Some(number::<UInt8Type>(array, row)),
                DataType::UInt16 => Some(number::<UInt16Type>(array, row)),
                DataType::UInt32 => Some(number::<UInt32Type>(array, row)),
                DataType::UInt64 => Some(number::<UInt64Type>(array, row)),
                _ => None,
            },
        }
    }
}

fn number<T: ArrowDictionaryKeyType>(array: &ArrayRef, row: usize) -> String
where
    T::Native: ToString,
{
    array.as_primitive::<T>().value(row).to_string()
}

/// A table, for every library that takes Arrow streams (`__arrow_c_stream__`).
#[pyclass(frozen, module = "dehusk")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    /// A table of these batches.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches }
    }
}

#[pymethods]
impl Table {
    /// Number of rows.
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// The table as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows giving the table as it is, whatever is requested.
        drop(requested_schema);
        let batches: Vec<std::result::Result<RecordBatch, ArrowError>> = self.batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}
