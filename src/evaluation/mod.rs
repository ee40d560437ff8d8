//! How well mining and cleaning do, in numbers.

pub mod injection;
