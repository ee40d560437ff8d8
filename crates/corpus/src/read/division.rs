//! Divides bytes into records: lines, rows of a table, or JSON values.
//!
//! Takes the bytes of a stream, piece by piece. Finds where each record ends. All bytes belong to a record, so the
//! records one after another are the stream. A record that is found again alone, in its own bytes, ends at the same
//! place.

use memchr::{memchr, memchr2};

/// What the records of a stream are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Division {
    /// Lines. A record ends with its line break.
    Lines,
    /// Rows of CSV (RFC 4180). A record ends with a line break outside of quotes.
    Rows {
        /// The byte between two fields.
        delimiter: u8,
    },
    /// JSON values, in an array or one after another. A record is a value and the [`joint`] before it.
    Values,
}

/// Finds the ends of records in a stream.
#[derive(Debug, Clone)]
pub(crate) struct Divider {
    division: Division,
    state: State,
}

#[derive(Debug, Clone, Copy, Default)]
enum State {
    /// At the start of a record, or of a field. For JSON: in the joint.
    #[default]
    Start,
    /// In a field without quotes, or in a JSON number or word.
    Bare,
    /// In a field with quotes, or in a JSON string. It closes at this depth.
    Quoted { depth: usize },
    /// After a quote in a field with quotes: it closes the field, or is the first of two.
    AfterQuote,
    /// After a backslash in a JSON string.
    Escaped { depth: usize },
    /// In a JSON object or array, with this number of open brackets.
    Inside { depth: usize },
}

impl Divider {
    pub(crate) fn new(division: Division) -> Divider {
        Divider { division, state: State::Start }
    }

    /// The position in `bytes` behind the end of the current record. `bytes` follow those of the last call, up to the end
    /// that it found. `None` if the record goes on behind them.
    pub(crate) fn end(&mut self, bytes: &[u8]) -> Option<usize> {
        let end = match self.division {
            Division::Lines => memchr(b'\n', bytes).map(|at| at + 1),
            Division::Rows { delimiter } => self.end_of_row(bytes, delimiter),
            Division::Values => self.end_of_value(bytes),
        };
        if end.is_some() {
            self.state = State::Start;
        }
        end
    }

    fn end_of_row(&mut self, bytes: &[u8], delimiter: u8) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            match self.state {
                State::Quoted { .. } => {
                    at += memchr(b'"', &bytes[at..])? + 1;
                    self.state = State::AfterQuote;
                    continue;
                }
                State::Bare => at += memchr2(delimiter, b'\n', &bytes[at..])?,
                _ => {}
            }
            let is_at_start = matches!(self.state, State::Start);
            self.state = match bytes[at] {
                b'\n' => return Some(at + 1),
                b'"' if is_at_start || matches!(self.state, State::AfterQuote) => State::Quoted { depth: 0 },
                byte if byte == delimiter => State::Start,
                // A byte order mark is no part of the first field.
                byte if is_at_start && MARK.contains(&byte) => State::Start,
                _ => State::Bare,
            };
            at += 1;
        }
        None
    }

    fn end_of_value(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while at < bytes.len() {
            if let State::Quoted { depth } = self.state {
                at += memchr2(b'"', b'\\', &bytes[at..])? + 1;
                self.state = match bytes[at - 1] {
                    b'\\' => State::Escaped { depth },
                    _ if depth == 0 => return Some(at),
                    _ => State::Inside { depth },
                };
                continue;
            }
            let byte = bytes[at];
            self.state = match (self.state, byte) {
                (State::Escaped { depth }, _) => State::Quoted { depth },
                (State::Start, byte) if is_between(byte) || MARK.contains(&byte) => State::Start,
                (State::Start, b'{') => State::Inside { depth: 1 },
                (State::Start, b'"') => State::Quoted { depth: 0 },
                // This byte is the first of the next joint.
                (State::Bare, byte) if is_between(byte) => return Some(at),
                (State::Inside { depth }, b'"') => State::Quoted { depth },
                (State::Inside { depth }, b'{' | b'[') => State::Inside { depth: depth + 1 },
                (State::Inside { depth: 1 }, b'}' | b']') => return Some(at + 1),
                (State::Inside { depth }, b'}' | b']') => State::Inside { depth: depth - 1 },
                (State::Inside { depth }, _) => State::Inside { depth },
                _ => State::Bare,
            };
            at += 1;
        }
        None
    }
}

/// The bytes of a record of JSON before its value: white space, the comma, the brackets of the array, and a byte order
/// mark.
pub(crate) fn joint(record: &[u8]) -> &[u8] {
    let mark = if record.starts_with(MARK) { MARK.len() } else { 0 };
    let length = record[mark..].iter().position(|&byte| !is_between(byte));
    &record[..length.map_or(record.len(), |length| mark + length)]
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b'[' | b']')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The records of `pieces`, which follow each other in a stream.
    fn records(pieces: &[&[u8]], division: Division) -> Vec<String> {
        let (mut divider, mut records, mut begun) = (Divider::new(division), Vec::new(), Vec::new());
        for piece in pieces {
            let mut rest: &[u8] = piece;
            while let Some(end) = divider.end(rest) {
                begun.extend_from_slice(&rest[..end]);
                records.push(std::mem::take(&mut begun));
                rest = &rest[end..];
            }
            begun.extend_from_slice(rest);
        }
        if !begun.is_empty() {
            records.push(begun);
        }
        records.iter().map(|record| String::from_utf8_lossy(record).into_owned()).collect()
    }

    fn all(text: &str, division: Division) -> Vec<String> {
        records(&[text.as_bytes()], division)
    }

    const ROWS: Division = Division::Rows { delimiter: b',' };

    #[test]
    fn a_row_ends_outside_of_quotes() {
        assert_eq!(all("a,b\r\n\"x\n\"\"y\"\"\n\",2\n\nc", ROWS), ["a,b\r\n", "\"x\n\"\"y\"\"\n\",2\n", "\n", "c"]);
        assert_eq!(all("5\" pipe,\"a\" b\n\"c\n\"", ROWS), ["5\" pipe,\"a\" b\n", "\"c\n\""], "quotes within a field");
        assert_eq!(all("\u{feff}\"a\nb\"\n", ROWS), ["\u{feff}\"a\nb\"\n"]);
    }

    #[test]
    fn a_value_has_the_joint_before_it() {
        let values = |text| all(text, Division::Values);
        assert_eq!(
            values("\u{feff}[\n {\"a\": \"]}\\\"\"},\n {\"b\": [{}]} ]\n"),
            ["\u{feff}[\n {\"a\": \"]}\\\"\"}", ",\n {\"b\": [{}]}", " ]\n"]
        );
        assert_eq!(values("{\n}\n{}{}"), ["{\n}", "\n{}", "{}"]);
        assert_eq!(values("[1, \"a,\\\"\", null,{}]"), ["[1", ", \"a,\\\"\"", ", null", ",{}", "]"]);
        assert_eq!(values("}}{]"), ["}}{", "]"]);
        assert_eq!(joint(b" ,\n[{"), b" ,\n[");
    }

    proptest! {
        #[test]
        fn pieces_do_not_change_the_records(
            text in r#"[a"\\{},:\[\] \n1é\u{feff}\u{fec0}]{0,40}"#,
            cuts in prop::collection::vec(0usize..50, 0..6),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).chain([0, text.len()]).collect();
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &text.as_bytes()[cut[0]..cut[1]]).collect();
            for division in [Division::Lines, ROWS, Division::Values] {
                let whole = all(&text, division);
                prop_assert_eq!(whole.concat(), text.clone());
                prop_assert_eq!(&records(&pieces, division), &whole);
                for record in &whole {
                    prop_assert_eq!(all(record, division), [record.clone()]);
                }
            }
        }

        #[test]
        fn values_are_those_of_serde_json(
            values in prop::collection::vec(r#"(\{("a[\]\[{},]":"[a-z{},\[\]]{0,4}(\\"){0,1}"(,"b":(\[[1-9]?(,\{\}){0}\]|\{\}|-1\.5e3|null))?)?\}|[1-9]{1,3}|null|"[a,\[]{0,3}")"#, 1..6),
            between in "(, ?|,\n)",
        ) {
            let text = format!("[{}]\n", values.join(&between));
            let oracle: Vec<serde_json::Value> = serde_json::from_str(&text).expect("an array");
            let mut records = all(&text, Division::Values);
            prop_assert_eq!(records.pop(), Some("]\n".to_owned()));
            let found: Vec<serde_json::Value> = records
                .iter()
                .map(|record| serde_json::from_str(&record[joint(record.as_bytes()).len()..]).expect("a value"))
                .collect();
            prop_assert_eq!(found, oracle);
        }
    }
}
