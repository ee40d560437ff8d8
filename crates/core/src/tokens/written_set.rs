//! Stores mutable patterns and their automaton as bytes, so that the files of the shipped mutable patterns are not
//! parsed and compiled in each run.
//!
//! Takes a compiled list. Returns bytes: the patterns, a byte for each of them, and the states of the automaton. Reading
//! these gives the same automaton, state by state. A test of [`mutable`](super::mutable) can write `shipped.set` beside
//! this file, and fails if that file is not for the shipped patterns.
//!
//! Numbers are in base 128, the lowest digit first, and each digit but the last has the top bit set. A state refers to
//! other states by their distance.

#[cfg(test)]
use regex_automata::nfa::thompson::State;
use regex_automata::nfa::thompson::{Builder, NFA, Transition};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;

use super::mutable::MutablePattern;

/// The automaton of mutable patterns and what is known of each, as read from the bytes.
pub(super) struct WrittenSet {
    /// For each pattern, whether no match of it has a letter or digit.
    pub(super) marks_only: Vec<bool>,
    /// The automaton. Its patterns are the mutable patterns, in order.
    pub(super) nfa: NFA,
}

/// Kinds of states.
mod kind {
    pub(super) const RANGES: u8 = 0;
    pub(super) const LOOK: u8 = 1;
    pub(super) const UNION: u8 = 2;
    pub(super) const FAIL: u8 = 3;
    pub(super) const MATCH: u8 = 4;
}

impl WrittenSet {
    /// The patterns in these bytes. `None` if the bytes are broken.
    pub(super) fn patterns(bytes: &[u8]) -> Option<Vec<MutablePattern>> {
        let mut reader = Reader(bytes);
        (0..reader.number()?).map(|_| Some(reader.pattern()?.0)).collect()
    }

    /// The set in these bytes, if it is of these patterns. `None` if it is of others, or if the bytes are broken.
    pub(super) fn read(bytes: &[u8], patterns: &[MutablePattern]) -> Option<WrittenSet> {
        let mut reader = Reader(bytes);
        if reader.number()? != patterns.len() {
            return None;
        }
        let mut marks_only = Vec::with_capacity(patterns.len());
        for pattern in patterns {
            let (written, has_marks_only) = reader.pattern()?;
            if written != *pattern {
                return None;
            }
            marks_only.push(has_marks_only);
        }
        Some(WrittenSet { nfa: reader.nfa(marks_only.len())?, marks_only })
    }

    /// The bytes of the set. `None` if its automaton has other states than those that are compiled from regexes without
    /// captures.
    #[cfg(test)]
    pub(super) fn written(&self, patterns: &[MutablePattern]) -> Option<Vec<u8>> {
        let mut writer = Writer(Vec::new());
        writer.number(patterns.len());
        for (MutablePattern { name, regex }, &marks_only) in patterns.iter().zip(&self.marks_only) {
            writer.text(name);
            writer.text(regex);
            writer.0.push(u8::from(marks_only));
        }
        writer.nfa(&self.nfa)?;
        Some(writer.0)
    }
}

/// The bytes that are not read yet.
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.0.split_off_first().copied()
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        Some(str::from_utf8(self.0.split_off(..length)?).ok()?.to_owned())
    }

    /// A pattern, and whether no match of it has a letter or digit.
    fn pattern(&mut self) -> Option<(MutablePattern, bool)> {
        Some((MutablePattern { name: self.text()?, regex: self.text()? }, self.byte()? != 0))
    }

    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for digit in 0..5 {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << (7 * digit);
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a state that is given by its distance from `here`.
    fn state(&mut self, here: usize) -> Option<StateID> {
        let folded = self.number()?;
        let state = if folded % 2 == 0 { here.checked_add(folded / 2)? } else { here.checked_sub(folded / 2 + 1)? };
        StateID::new(state).ok()
    }

    fn nfa(&mut self, patterns: usize) -> Option<NFA> {
        let mut builder = Builder::new();
        builder.set_utf8(false);
        let starts: Option<Vec<StateID>> = (0..patterns).map(|_| self.state(0)).collect();
        let mut starts = starts?.into_iter();
        let (anchored, unanchored, states) = (self.state(0)?, self.state(0)?, self.number()?);

        for here in 0..states {
            let added = match self.byte()? {
                kind::RANGES => {
                    let ranges: Option<Vec<Transition>> = (0..self.number()?).map(|_| self.range(here)).collect();
                    builder.add_sparse(ranges?)
                }
                kind::LOOK => {
                    let look = Look::from_repr(self.number()? as u32)?;
                    builder.add_look(self.state(here)?, look)
                }
                kind::UNION => {
                    let others: Option<Vec<StateID>> = (0..self.number()?).map(|_| self.state(here)).collect();
                    builder.add_union(others?)
                }
                kind::FAIL => builder.add_fail(),
                // The match states are in the order of the patterns.
                kind::MATCH => {
                    builder.start_pattern().ok()?;
                    let added = builder.add_match();
                    builder.finish_pattern(starts.next()?).ok()?;
                    added
                }
                _ => return None,
            };
            added.ok()?;
        }
        builder.build(anchored, unanchored).ok()
    }

    fn range(&mut self, here: usize) -> Option<Transition> {
        Some(Transition { start: self.byte()?, end: self.byte()?, next: self.state(here)? })
    }
}

#[cfg(test)]
struct Writer(Vec<u8>);

#[cfg(test)]
impl Writer {
    fn number(&mut self, mut number: usize) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend(text.as_bytes());
    }

    fn state(&mut self, here: usize, state: StateID) {
        match state.as_usize().checked_sub(here) {
            Some(ahead) => self.number(2 * ahead),
            None => self.number(2 * (here - state.as_usize() - 1) + 1),
        }
    }

    fn nfa(&mut self, nfa: &NFA) -> Option<()> {
        for pattern in nfa.patterns() {
            self.state(0, nfa.start_pattern(pattern)?);
        }
        self.state(0, nfa.start_anchored());
        self.state(0, nfa.start_unanchored());
        self.number(nfa.states().len());
        let mut patterns = nfa.patterns();
        for (here, state) in nfa.states().iter().enumerate() {
            match state {
                State::ByteRange { trans } => self.ranges(here, &[*trans]),
                State::Sparse(sparse) => self.ranges(here, &sparse.transitions),
                State::Look { look, next } => {
                    self.0.push(kind::LOOK);
                    self.number(*look as usize);
                    self.state(here, *next);
                }
                State::Union { alternates } => self.union(here, alternates),
                State::BinaryUnion { alt1, alt2 } => self.union(here, &[*alt1, *alt2]),
                State::Fail => self.0.push(kind::FAIL),
                State::Match { pattern_id } if patterns.next() == Some(*pattern_id) => self.0.push(kind::MATCH),
                State::Match { .. } | State::Dense(_) | State::Capture { .. } => return None,
            }
        }
        Some(())
    }

    fn ranges(&mut self, here: usize, ranges: &[Transition]) {
        self.0.push(kind::RANGES);
        self.number(ranges.len());
        for Transition { start, end, next } in ranges {
            self.0.extend([start, end]);
            self.state(here, *next);
        }
    }

    fn union(&mut self, here: usize, others: &[StateID]) {
        self.0.push(kind::UNION);
        self.number(others.len());
        others.iter().for_each(|other| self.state(here, *other));
    }
}
