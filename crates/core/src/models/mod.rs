//! Learners: models that are fitted to examples, and the files that store them.
//!
//! Learners know only numbers and the names of features. The meaning of the numbers is up to the module that fits a
//! model.

pub mod examples;
pub mod logistic;
pub mod network;
pub mod course;
pub mod file;
pub mod names;
