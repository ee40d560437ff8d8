//! Reads a pattern file in the exact form that `PatternFile::to_yaml` writes, in a seventh of the time of a YAML
//! parser. Any other file is left to the parser.

use std::collections::BTreeMap;
use std::str::{Chars, FromStr};

use super::lexers::MutableKey;
use super::record::{EvidenceRecord, FileRecord, KeepRecord, Lined, MinedRecord, PatternRecord, RowRecord, heading};
use super::scalar::{prints, scalar};
use super::{Loose, Status};
use crate::tokens::MutablePattern;

/// The unread part of a file, and the number of the last line read.
struct Lines<'y> {
    rest: &'y str,
    number: u64,
}

impl<'y> Lines<'y> {
    /// Reads the next line if it has this prefix. Returns the rest of the line.
    fn after(&mut self, start: &str) -> Option<&'y str> {
        let (line, rest) = self.rest.strip_prefix(start)?.split_once('\n')?;
        (self.rest, self.number) = (rest, self.number + 1);
        Some(line)
    }

    fn text(&mut self, start: &str) -> Option<String> {
        text(self.after(start)?)
    }

    fn number<N: FromStr>(&mut self, start: &str) -> Option<N> {
        number(self.after(start)?)
    }

    /// `Some(None)` if the next line does not have this prefix, because the key is optional.
    fn optional_number(&mut self, start: &str) -> Option<Option<usize>> {
        match self.after(start) {
            Some(value) => number(value).map(Some),
            None => Some(None),
        }
    }

    /// `Some(None)` if the next line does not have this prefix, because the key is optional.
    fn optional_share(&mut self, start: &str) -> Option<Option<Lined<f64>>> {
        match self.after(start) {
            Some(value) => share(value).map(|share| Some(self.lined(share))),
            None => Some(None),
        }
    }

    fn lined<T>(&self, value: T) -> Lined<T> {
        Lined { value, line: self.number }
    }

    /// Reads the items of a list. Each item starts with `start`.
    fn list<T>(&mut self, key: &str, start: &str, item: impl Fn(&mut Lines<'y>) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        match self.after(key)? {
            "" => {}
            " []" => return Some(items),
            _ => return None,
        }
        while self.rest.starts_with(start) {
            items.push(item(self)?);
        }
        // In YAML a key without items is not an empty list.
        (!items.is_empty()).then_some(items)
    }
}

/// Reads a file. `None` if any part is not exactly as `PatternFile::to_yaml` writes it.
pub(super) fn read(yaml: &str) -> Option<FileRecord> {
    let heading = Some(heading(yaml)).filter(|heading| heading.lines().all(|line| line.chars().all(prints)))?;
    let mut lines = Lines { rest: &yaml[heading.len()..], number: heading.lines().count() as u64 };
    let dehusk = lines.number("dehusk: ")?;

    let record = FileRecord {
        dehusk: lines.lined(dehusk),
        source: lines.text("source: ")?,
        mined: {
            let mined = mined(lines.after("mined: {documents: ")?)?;
            lines.lined(mined)
        },
        unusual: if lines.rest.starts_with("unusual: ") { Some(lines.text("unusual: ")?) } else { None },
        loose: match lines.after("loose: ") {
            None => Loose::Proposed,
            Some("remove") => Loose::Remove,
            Some("keep") => Loose::Keep,
            Some(_) => return None,
        },
        keep: if lines.rest.starts_with("keep:") { lines.list("keep:", "  - text: ", keep)? } else { Vec::new() },
        patterns: lines.list("patterns:", "  - id: ", pattern)?,
        evidence: if lines.rest.starts_with("evidence:") {
            lines.list("evidence:", "  - {", evidence)?
        } else {
            Vec::new()
        },
        mutable: match lines.after("mutable: '") {
            Some(hash) => MutableKey::Named(in_single_quotes(hash.strip_suffix('\'')?)?),
            None => MutableKey::Listed(lines.list("mutable:", "  - name: ", |lines| {
                Some(MutablePattern { name: lines.text("  - name: ")?, regex: lines.text("    regex: ")? })
            })?),
        },
        histogram: match lines.after("histogram: {") {
            Some(counts) => histogram(counts.strip_suffix('}')?)?,
            None => BTreeMap::new(),
        },
    };
    lines.rest.is_empty().then_some(record)
}

fn mined(rest: &str) -> Option<MinedRecord> {
    let (documents, rest) = rest.split_once(", near_duplicates: ")?;
    let (near_duplicates, rest) = rest.split_once(", tokens: ")?;
    let (tokens, rest) = rest.split_once(", cutoff: ")?;
    let (shares, rest) = rest.split_once(", tokenizer: ")?;
    let (cutoff, removed) = match shares.split_once(", removed: ") {
        Some((cutoff, removed)) => (cutoff, Some(share(removed)?)),
        None => (shares, None),
    };
    let (near_duplicates, snapshots) = match near_duplicates.strip_suffix(", snapshots: true") {
        Some(near_duplicates) => (near_duplicates, true),
        None => (near_duplicates, false),
    };
    Some(MinedRecord {
        documents: number(documents)?,
        near_duplicates: number(near_duplicates)?,
        snapshots,
        tokens: number(tokens)?,
        cutoff: share(cutoff)?,
        removed,
        tokenizer: text(rest.strip_suffix('}')?)?,
    })
}

fn keep(lines: &mut Lines) -> Option<KeepRecord> {
    let text = lines.text("  - text: ")?;
    Some(KeepRecord { text: lines.lined(text), note: lines.text("    note: ")? })
}

fn pattern(lines: &mut Lines) -> Option<PatternRecord> {
    let id = lines.text("  - id: ")?;
    let id = lines.lined(id);
    let status = match lines.after("    status: ")? {
        "proposed" => Status::Proposed,
        "accepted" => Status::Accepted,
        "rejected" => Status::Rejected,
        _ => return None,
    };
    let in_words = match lines.after("    text: ") {
        Some(written) => Some(lines.lined(text(written)?)),
        None => None,
    };
    let facts = facts(lines)?;
    let (example, note) = (lines.text("    example: ")?, lines.text("    note: ")?);
    let mut written = |key: &str| match lines.after(key) {
        Some(written) => Some(Some(lines.lined(text(written)?))),
        None => Some(None),
    };
    let (content, drop) = (written("    content: ")?, written("    drop: ")?);
    let regex = written("    regex: ")?;
    let rows =
        if lines.rest.starts_with("    rows:") { lines.list("    rows:", "      - {", row)? } else { Vec::new() };
    Some(PatternRecord { id, status, text: in_words, example, note, regex, content, drop, rows, ..facts })
}

fn row(lines: &mut Lines) -> Option<RowRecord> {
    let row = lines.after("      - {documents: ")?.strip_suffix('}')?;
    let (facts, written) = row.split_once(", text: ")?;
    let (facts, after) = split_open(facts, ", after: ")?;
    let (facts, between) = split_open(facts, ", between: ")?;
    let (facts, sure) = match facts.strip_suffix(", sure: false") {
        Some(facts) => (facts, false),
        None => (facts, true),
    };
    let (documents, occurrences) = split_number(facts, ", occurrences: ")?;
    let text = lines.lined(text(written)?);
    Some(RowRecord { text, documents: number(documents)?, occurrences, sure, between, after })
}

/// Takes an optional key with two numbers from the end of a line.
fn split_open<'t>(facts: &'t str, key: &str) -> Option<(&'t str, (u16, u16))> {
    let Some((facts, open)) = facts.split_once(key) else { return Some((facts, (0, 0))) };
    let (open_lines, characters) = open.strip_prefix('[')?.strip_suffix(']')?.split_once(", ")?;
    Some((facts, (number(open_lines)?, number(characters)?)))
}

fn evidence(lines: &mut Lines) -> Option<EvidenceRecord> {
    let written = lines.after("  - {documents: ")?.strip_suffix('}')?;
    let (facts, written) = written.split_once(", text: ")?;
    let (facts, unspaced) = match facts.strip_suffix(", unspaced: true") {
        Some(facts) => (facts, true),
        None => (facts, false),
    };
    let (facts, ends_after) = split_number(facts, ", ends_after: ")?;
    let (facts, sources) = split_number(facts, ", sources: ")?;
    let (facts, occurrences) = facts.split_once(", occurrences: ")?;
    let (documents, among) = split_number(facts, ", among: ")?;
    let (documents, occurrences) = (number(documents)?, number(occurrences)?);
    let text = lines.lined(text(written)?);
    Some(EvidenceRecord { text, documents, among, occurrences, sources, ends_after, unspaced })
}

/// Takes an optional key with a number from the end of a line.
fn split_number<'t>(facts: &'t str, key: &str) -> Option<(&'t str, Option<usize>)> {
    match facts.split_once(key) {
        Some((facts, written)) => Some((facts, Some(number(written)?))),
        None => Some((facts, None)),
    }
}

/// The counts of a pattern, and what mining found out about it.
fn facts(lines: &mut Lines) -> Option<PatternRecord> {
    Some(PatternRecord {
        id: lines.lined(String::new()),
        status: Status::Proposed,
        text: None,
        regex: None,
        content: None,
        drop: None,
        rows: Vec::new(),
        documents: lines.number("    documents: ")?,
        among: lines.optional_number("    among: ")?,
        occurrences: lines.number("    occurrences: ")?,
        sources: lines.optional_number("    sources: ")?,
        removes: lines.optional_share("    removes: ")?,
        ends_after: lines.optional_number("    ends_after: ")?,
        example: String::new(),
        note: String::new(),
    })
}

fn histogram(counts: &str) -> Option<BTreeMap<u8, u64>> {
    let mut histogram = BTreeMap::new();
    for count in counts.split(", ") {
        let (share, count) = count.split_once(": ")?;
        if histogram.insert(number(share)?, number(count)?).is_some() {
            return None;
        }
    }
    Some(histogram)
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits that no YAML parser reads as octal.
fn is_whole(text: &str) -> bool {
    all_digits(text) && (text == "0" || !text.starts_with('0'))
}

fn number<N: FromStr>(text: &str) -> Option<N> {
    is_whole(text).then(|| text.parse().ok())?
}

fn share(text: &str) -> Option<f64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    (is_whole(whole) && all_digits(part)).then(|| text.parse().ok())?
}

/// A string, plain or in quotes.
fn text(written: &str) -> Option<String> {
    if let Some(inner) = written.strip_prefix('\'') {
        return in_single_quotes(inner.strip_suffix('\'')?);
    }
    match written.strip_prefix('"') {
        Some(inner) => in_double_quotes(inner.strip_suffix('"')?),
        None => (scalar(written) == written).then(|| written.to_owned()),
    }
}

fn in_single_quotes(inner: &str) -> Option<String> {
    if !inner.chars().all(prints) {
        return None;
    }
    let mut text = String::with_capacity(inner.len());
    let mut parts = inner.split('\'');
    text.push_str(parts.next()?);
    // A quote inside is doubled, so the part between the two is empty.
    while let Some(between) = parts.next() {
        text.push('\'');
        text.push_str(parts.next().filter(|_| between.is_empty())?);
    }
    Some(text)
}

fn in_double_quotes(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        text.push(match c {
            '\\' => match rest.next()? {
                escaped @ ('"' | '\\') => escaped,
                'n' => '\n',
                't' => '\t',
                'u' => coded(&mut rest, 4)?,
                'U' => coded(&mut rest, 8)?,
                _ => return None,
            },
            '"' => return None,
            _ if prints(c) => c,
            _ => return None,
        });
    }
    Some(text)
}

/// The character with this code, in the given number of hexadecimal digits.
fn coded(rest: &mut Chars, digits: usize) -> Option<char> {
    let code = rest.as_str().get(..digits).filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    *rest = rest.as_str()[digits..].chars();
    char::from_u32(u32::from_str_radix(code, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::super::file::tests::FILE;
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let read = |yaml: &str| (read(yaml), FileRecord::parse(yaml).ok());
        let (record, parsed) = read(FILE);
        assert!(record.is_some());
        assert_eq!(record, parsed);
        let empty = &FILE[..FILE.find("patterns:").unwrap()];
        let (record, parsed) = read(&format!("{empty}patterns: []\nmutable: []\n"));
        assert!(record.is_some());
        assert_eq!(record, parsed);
    }

    #[test]
    fn whatever_is_read_the_parser_reads_alike() {
        let mut alike = 0;
        let mut check = |yaml: &str| {
            if let Some(record) = read(yaml) {
                assert_eq!(Some(record), FileRecord::parse(yaml).ok(), "{yaml}");
                alike += 1;
            }
        };
        for (at, _) in FILE.char_indices() {
            let (before, after) = FILE.split_at(at);
            check(&format!("{before}{}", &after[1..]));
            for inserted in ["'", "\"", "\\", "\\n", " ", "#", "0", "x", "\u{a0}", "\u{85}", "\n", "\r", "\t", ":", "-"]
            {
                check(&format!("{before}{inserted}{after}"));
                check(&format!("{before}{inserted}{}", &after[1..]));
            }
        }
        assert!(alike > 1000, "{alike}");
    }
}
