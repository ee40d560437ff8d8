//! What dehusk does without files: text and pages come in, decisions about them go out.
//!
//! This crate is for the other crates of the workspace, and it promises nothing to others: the crate `dehusk` says
//! which of its items users may rely on. It reads no folder, knows no flag and no clock.
//!
//! A text goes through the modules in this order: [`tokens`] divides it, [`mining`] finds out what a source repeats,
//! [`patterns`] keeps that in files, [`selection`] tries the patterns out, [`cleaning`] decides what of a document is
//! boilerplate. [`html`], [`dom`] and [`pages`] do the same for pages, [`streaming`] for documents that never end.
//! [`models`] learn.

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

// Helpers that import nothing.
pub mod cut;
pub mod random;
pub mod regular;
pub mod setting;
pub mod shown;
pub mod stretches;
pub mod threads;
pub mod whole;
