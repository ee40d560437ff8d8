//! The kinds of files that the lab writes. A command overwrites a file of its own kind, and others only with `--force`.

use dehusk_core::cleaning::decide::decision_model;
use dehusk_core::dom::{block_model, page_level};
use dehusk_corpus::OutputKind;
use dehusk_segments::importance;
use dehusk_segments::segmentation::model;

/// The model of `train --decision`.
pub const DECISION_MODEL: OutputKind = OutputKind::Text(decision_model::FIRST_LINE);
/// The model of `train --pages`.
pub const PAGE_MODEL: OutputKind = OutputKind::Text(page_level::FIRST_LINE);
/// The model of `train --pages --gold`.
pub const BLOCK_MODEL: OutputKind = OutputKind::Text(block_model::FIRST_LINE);
/// The model of `train --segments`.
pub const SEGMENT_MODEL: OutputKind = OutputKind::Text(model::FIRST_LINE);
/// The model of `train --blocks`.
pub const IMPORTANCE_MODEL: OutputKind = OutputKind::Text(importance::model::FIRST_LINE);
/// The lines of `features`.
pub const FEATURE_ROWS: OutputKind = OutputKind::Lines(&[&["source", "id", "paths", "bytes", "text"]]);
/// The plot of `stream`.
pub const PLOT: OutputKind = OutputKind::Text(PLOT_MARK);
/// The comment at the beginning of a plot.
pub const PLOT_MARK: &str = "<!-- dehusk-lab stream -->";
