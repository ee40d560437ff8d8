//! Files of models, as values of flags.

use std::path::Path;
use std::sync::Arc;

use dehusk_core::cleaning::decide::decision_model::DecisionModel;
use dehusk_core::dom::block_model::BlockModel;
use dehusk_core::dom::page_level::PageModel;
use dehusk_core::whole;
use dehusk_corpus::BoxesFile;

/// Reads a model of blocks.
pub fn block_model(path: &str) -> Result<Arc<BlockModel>, String> {
    let yaml = text_of_model(path)?;
    BlockModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

/// Reads a decision model.
pub fn decision_model(path: &str) -> Result<Arc<DecisionModel>, String> {
    let yaml = text_of_model(path)?;
    DecisionModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

/// Reads a page-level model.
pub fn page_model(path: &str) -> Result<Arc<PageModel>, String> {
    let yaml = text_of_model(path)?;
    PageModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

/// Opens a file with the boxes of pages.
pub fn boxes_file(path: &str) -> Result<Arc<BoxesFile>, String> {
    BoxesFile::open(Path::new(path)).map(Arc::new).map_err(|error| error.to_string())
}

/// Reads the file of a model.
pub fn text_of_model(path: &str) -> Result<String, String> {
    whole::text_at(Path::new(path)).map_err(|error| error.to_string())
}
