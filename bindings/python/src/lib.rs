//! The extension module of the Python package `dehusk`: the actual work, and what Python code cannot do fast.
//!
//! Python code (`python/dehusk/`) knows the kinds of data that people have, and has the documentation. Here everything
//! is strings, lists and Arrow streams.

mod arrow;
mod batches;
mod cleaner;
mod corpora;
mod decided;
mod documents;
mod errors;
mod mining;
mod naming;
mod patterns;
mod process;
mod program;
mod running;
mod streaming;
mod text;
mod warnings;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
fn _dehusk(module: &Bound<'_, PyModule>) -> PyResult<()> {
    process::note_import();
    module.add_class::<arrow::Table>()?;
    module.add_class::<batches::CleanedBatches>()?;
    module.add_class::<cleaner::Cleaner>()?;
    module.add_class::<documents::Documents>()?;
    module.add_class::<mining::Candidates>()?;
    module.add_class::<naming::Naming>()?;
    module.add_class::<patterns::Patterns>()?;
    module.add_class::<patterns::SourcePatterns>()?;
    module.add_function(wrap_pyfunction!(cleaner::extract, module)?)?;
    module.add_function(wrap_pyfunction!(text::decode_page, module)?)?;
    module.add_function(wrap_pyfunction!(text::is_source, module)?)?;
    module.add_function(wrap_pyfunction!(text::source_of_url, module)?)?;
    module.add_function(wrap_pyfunction!(mining::mine, module)?)?;
    module.add_function(wrap_pyfunction!(mining::candidates, module)?)?;
    module.add_function(wrap_pyfunction!(mining::compare, module)?)?;
    module.add_function(wrap_pyfunction!(corpora::mine_corpus, module)?)?;
    module.add_function(wrap_pyfunction!(corpora::clean_corpus, module)?)?;
    module.add_function(wrap_pyfunction!(corpora::run_corpus, module)?)?;
    module.add_function(wrap_pyfunction!(streaming::stream, module)?)?;
    module.add_function(wrap_pyfunction!(program::program, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
