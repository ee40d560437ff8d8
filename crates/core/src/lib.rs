//! The core of dehusk, without files: texts and pages come in, decisions about them go out.
//!
//! This crate is for the other crates of the workspace and promises nothing to anyone else. The crate `dehusk` says
//! which of its items users may rely on. It knows no flag and no clock, and reads no files but pattern files.
//!
//! A text goes through the modules in this order: [`tokens`] divides it, [`mining`] finds the templates of a source,
//! [`patterns`] keeps them in files, [`selection`] tries the patterns out, [`cleaning`] decides which parts of a
//! document are boilerplate. [`html`], [`dom`] and [`pages`] do the same for pages, [`streaming`] for documents that
//! never end. [`models`] has the models that learn from examples.

#[macro_use]
mod setters;

pub mod cleaning;
pub mod dom;
pub mod fields;
pub mod html;
pub mod mining;
pub mod models;
pub mod pages;
pub mod patterns;
pub mod selection;
pub mod streaming;
pub mod tokens;

// Helpers. They import no other module, only each other.
pub mod cut;
pub mod random;
pub mod regular;
pub mod setting;
pub mod shown;
pub mod stretches;
pub mod threads;
pub mod whole;
