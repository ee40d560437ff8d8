//! Errors of the library as Python exceptions.
//!
//! The exceptions are Python classes (`dehusk/_errors.py`), because each is also one of the standard exceptions.

use std::error::Error;

use dehusk::{PipelineError, ThreadsError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An error that becomes a Python exception when the interpreter is at hand.
#[derive(Debug)]
pub enum Fault {
    /// A problem of the documents, or of an object that was given as documents.
    Data(String),
    /// A value of the wrong type among the documents.
    Type(String),
    /// A problem of the arguments.
    Usage(String),
    /// A problem of patterns or their files.
    Pattern(String),
    /// A problem of a file or folder.
    File(String),
    /// There is not enough memory.
    Memory(String),
    /// A mistake of dehusk itself.
    Internal(String),
    /// An exception of Python code.
    Raised(PyErr),
}

/// The result of a function that can fail.
pub type Result<T> = std::result::Result<T, Fault>;

impl Fault {
    fn class_and_message(self) -> std::result::Result<(&'static str, String), PyErr> {
        Ok(match self {
            Fault::Data(message) => ("DataError", message),
            Fault::Type(message) => ("DataTypeError", message),
            Fault::Usage(message) => ("UsageError", message),
            Fault::Pattern(message) => ("PatternError", message),
            Fault::File(message) => ("FileError", message),
            Fault::Memory(message) => ("OutOfMemoryError", message),
            Fault::Internal(message) => ("Error", format!("{message}; this is a mistake in dehusk")),
            Fault::Raised(error) => return Err(error),
        })
    }

    /// The same error, with `place` before its message.
    pub fn at(self, place: &str) -> Fault {
        self.with(|message| format!("{place}: {message}"))
    }

    /// The same error, without this part of its message.
    pub fn without(self, part: &str) -> Fault {
        self.with(|message| message.replace(part, ""))
    }

    fn with(self, with: impl FnOnce(String) -> String) -> Fault {
        match self {
            Fault::Data(message) => Fault::Data(with(message)),
            Fault::Type(message) => Fault::Type(with(message)),
            Fault::Usage(message) => Fault::Usage(with(message)),
            Fault::Pattern(message) => Fault::Pattern(with(message)),
            Fault::File(message) => Fault::File(with(message)),
            Fault::Memory(message) => Fault::Memory(with(message)),
            Fault::Internal(message) => Fault::Internal(with(message)),
            Fault::Raised(error) => Fault::Raised(error),
        }
    }

    /// An error of the operating system.
    pub fn io(error: &std::io::Error) -> Fault {
        Fault::File(chain(error))
    }
}

impl From<PyErr> for Fault {
    fn from(error: PyErr) -> Fault {
        Fault::Raised(error)
    }
}

impl From<ThreadsError> for Fault {
    fn from(error: ThreadsError) -> Fault {
        Fault::Usage(format!("threads: {error}"))
    }
}

impl From<PipelineError> for Fault {
    fn from(error: PipelineError) -> Fault {
        let message = chain(&error);
        match error {
            PipelineError::NoDocument | PipelineError::AllSkipped(_) | PipelineError::TooManyTokens { .. } => {
                Fault::Data(message)
            }
            PipelineError::SourceId(_) | PipelineError::NamesAlike(..) => Fault::Data(message),
            PipelineError::NotEnoughMemory { .. } => Fault::Memory(message),
            PipelineError::Library(_) | PipelineError::Clean(_) | PipelineError::BrokenMeanwhile(_) => {
                Fault::Pattern(message)
            }
            PipelineError::Refused(_) | PipelineError::Threads(_) => Fault::Usage(message),
            _ => Fault::File(message),
        }
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> PyErr {
        match fault.class_and_message() {
            Ok((class, message)) => Python::attach(|py| of_class(py, class, message)),
            Err(error) => error,
        }
    }
}

fn of_class(py: Python<'_>, class: &str, message: String) -> PyErr {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || PyModule::import(py, "dehusk._errors").map(Bound::unbind));
    let class = module.and_then(|module| Ok(module.bind(py).getattr(class)?.cast_into::<PyType>()?));
    match class {
        Ok(class) => PyErr::from_type(class, message),
        // Without the class, the message still arrives.
        Err(_) => PyRuntimeError::new_err(message),
    }
}

/// The message of an error, and those of its causes.
pub fn chain(error: &dyn Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.ends_with(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        cause = error.source();
    }
    message
}
