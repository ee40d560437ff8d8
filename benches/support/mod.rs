//! Invented corpora to measure with: the same for the same seed, on every machine. And what processes take.

#![allow(dead_code)] // not every program that measures needs all of it

pub mod language;
pub mod site;
pub mod corpus;
pub mod stream;
pub mod size;
pub mod process;
