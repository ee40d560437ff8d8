//! Laws that hold for the library as a whole, on the sample corpora and on random texts:
//!
//! - [`dialect`]: a mined regex finds the same in fancy-regex, PCRE2 and Python, and the token automaton finds it too;
//! - [`automaton`]: on random texts and runs the token automaton and the regex engine find the same;
//! - [`scripts`]: all of this where scripts with and without spaces meet, and with marks, joiners and emoji;
//! - [`writing`]: what is written down is read back: runs as regexes, pattern files as YAML;
//! - [`regexes`]: those of people that are not run on a text would not have matched in it;
//! - [`fields`]: what varies in a match is what the groups of its regex have;
//! - [`cleaning`]: what may go, what must go, and that nothing else does;
//! - [`safety`]: what tempts to be taken for boilerplate and is not;
//! - [`ends`]: what interrupts articles does not end them;
//! - [`thinning`]: the patterns that are needed remove nearly all that all patterns remove, from unseen documents as well;
//! - [`order`]: neither threads nor the order of the sources show; the page stored twice counts once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "laws/automaton.rs"]
mod automaton;
#[path = "laws/cleaning.rs"]
mod cleaning;
#[path = "laws/dialect.rs"]
mod dialect;
#[path = "laws/engines.rs"]
mod engines;
#[path = "laws/fields.rs"]
mod fields;
#[path = "laws/order.rs"]
mod order;
#[path = "laws/random.rs"]
mod random;
#[path = "laws/ends.rs"]
mod ends;
#[path = "laws/reading.rs"]
mod reading;
#[path = "laws/regexes.rs"]
mod regexes;
#[path = "laws/safety.rs"]
mod safety;
#[path = "laws/samples.rs"]
mod samples;
#[path = "laws/scripts.rs"]
mod scripts;
#[path = "laws/pattern_selection.rs"]
mod pattern_selection;
#[path = "laws/writing.rs"]
mod writing;
