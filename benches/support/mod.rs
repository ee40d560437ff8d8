//! Invented corpora for measurements, the same for the same seed on every machine. Also measures processes.

#![allow(dead_code)] // Not every bench needs everything here.

pub mod language;
pub mod site;
pub mod corpus;
pub mod stream;
pub mod snapshots;
pub mod variants;
pub mod size;
pub mod process;
