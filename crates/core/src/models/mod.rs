//! Learners: models that are fitted to examples, and the files that store them.
//!
//! They know numbers and names of features. What the numbers describe is up to the module that fits a model.

pub mod examples;
pub mod logistic;
pub mod network;
pub mod course;
pub mod file;
pub mod names;
