//! Learners for the methods of this crate: a distance between parts, and support vector machines and networks for
//! levels of importance.

pub mod linear_svm;
pub mod metric;
pub mod one_against_all;
pub mod platt;
pub mod points;
pub mod rbf_descent;
pub mod rbf_network;
pub mod svm;
