//! The texts of segments in the file: path, text, and a number for the standing.

use redb::ReadOnlyTable;

use super::error::Problem;
use dehusk_core::streaming::segments::{Described, SegmentKey, Standing};

/// A text as stored in a row.
pub type StoredText = (&'static str, &'static str, u8);

/// The texts of all sources, for reading.
pub type Texts = ReadOnlyTable<(u32, u64), StoredText>;

const STANDINGS: [Standing; 3] = [Standing::Line, Standing::Apart, Standing::Joined];

/// The text of a segment, if it is known.
pub fn text(texts: &Texts, number: u32, SegmentKey(key): SegmentKey) -> Result<Option<Described>, Problem> {
    texts.get((number, key))?.map(|row| parsed(row.value())).transpose()
}

/// A text as stored in a row.
pub fn stored(described: &Described) -> (&str, &str, u8) {
    let standing = STANDINGS.iter().take_while(|standing| **standing != described.standing).count();
    (&described.path, &described.text, standing as u8)
}

fn parsed((path, text, standing): (&str, &str, u8)) -> Result<Described, Problem> {
    let standing = STANDINGS.get(usize::from(standing));
    let standing = *standing.ok_or_else(|| Problem::Damaged("the place of a text is unknown".to_owned()))?;
    Ok(Described { path: path.to_owned(), text: text.to_owned(), standing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were() {
        for standing in STANDINGS {
            let described = Described { path: "p".to_owned(), text: "Read more".to_owned(), standing };
            assert_eq!(parsed(stored(&described)).unwrap(), described);
        }
        assert!(parsed(("p", "Read more", 3)).is_err());
    }
}
