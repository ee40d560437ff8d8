//! Laws that hold for the library as a whole, on the sample corpora and on random texts:
//!
//! - [`dialect`]: a mined regex finds the same in fancy-regex, PCRE2, Python and the token automaton;
//! - [`automaton`]: on random texts and runs, the token automaton and the regex engine find the same;
//! - [`scripts`]: the same for texts that mix scripts with and without spaces, with marks, joiners and emoji;
//! - [`writing`]: reading gives what was written: runs as regexes, pattern files as YAML;
//! - [`regexes`]: a regex of a person that is not run on a text has no match in it;
//! - [`fields`]: the values of a match are what the groups of its regex match;
//! - [`cleaning`]: what may be removed, what must be removed, and that nothing else is removed;
//! - [`source_code`]: a name of a constant has one value, and libraries know no flags;
//! - [`safety`]: content that looks like boilerplate is kept;
//! - [`ends`]: text that interrupts articles does not end them;
//! - [`thinning`]: the needed patterns remove nearly as much as all patterns, also from unseen documents;
//! - [`order`]: threads and the order of sources do not show; a page that is stored twice counts once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "laws/automaton.rs"]
mod automaton;
#[path = "laws/cleaning.rs"]
mod cleaning;
#[path = "laws/source_code.rs"]
mod source_code;
#[path = "laws/dialect.rs"]
mod dialect;
#[path = "laws/engines.rs"]
mod engines;
#[path = "laws/fields.rs"]
mod fields;
#[path = "laws/order.rs"]
mod order;
mod python;
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
