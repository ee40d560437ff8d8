//! A file with the boxes of pages, from a program that lays pages out.
//!
//! It has a line of JSON for each page, for example
//!
//! ```json
//! {"source": "tide", "id": "harbour", "width": 1024, "height": 2310, "boxes": [[412, 8, 96, 700, 54], [433, 8, 96, 311, 18]]}
//! ```
//!
//! Each box has five numbers: the byte of the page at which a start tag or a run of text begins, the distance from the
//! left edge and from the top, the width and the height, in pixels. Bytes are counted in the page as UTF-8, even if its
//! file has another encoding. An element or text without a box is not drawn.
//!
//! A page may also have `styles`, for elements and texts that look different from their surroundings: the same byte,
//! the size of the font in pixels, its weight, whether it is slanted, the color of the text, and the color behind it.
//! Without `styles`, the look of a text is derived from the names of its elements.
//!
//! ```json
//! {"styles": [[412, 13.5, 700, false, "#ffffff", "#003366"]]}
//! ```

use std::fmt;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::read::open_file::OpenFile;
use crate::{Reason, SourceId};
use dehusk_core::html::{Boxes, Rect, Style, Tree};
use dehusk_core::regular;

/// The boxes of a page, as a line of the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawnPage {
    /// The source of the page.
    pub source: String,
    /// The name of the page in its source.
    pub id: String,
    /// The width of the page, in pixels.
    pub width: f32,
    /// The height of the page, in pixels.
    pub height: f32,
    /// For each start tag and each run of text that is drawn: its first byte in the page; left, top, width and height.
    pub boxes: Vec<(usize, f32, f32, f32, f32)>,
    /// For each element or text that looks different from its surroundings: its first byte; size and weight of the
    /// font, whether it is slanted, color and background.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub styles: Vec<(usize, f32, u16, bool, Color, Color)>,
}

/// A color, written as `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 3]);

impl Serialize for Color {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [red, green, blue] = self.0;
        serializer.collect_str(&format_args!("#{red:02x}{green:02x}{blue:02x}"))
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Color, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let is_hex = |digits: &&str| digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let digits = text.strip_prefix('#').filter(is_hex);
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let [_, red, green, blue] = number
            .ok_or_else(|| serde::de::Error::custom(format_args!("{text:?} is no color such as \"#003366\"")))?
            .to_be_bytes();
        Ok(Color([red, green, blue]))
    }
}

/// The position of the line of a page in the file.
#[derive(Debug)]
struct Place {
    number: u64,
    start: u64,
    bytes: usize,
}

/// An open file with the boxes of pages.
pub struct BoxesFile {
    path: PathBuf,
    file: Arc<OpenFile>,
    /// By source and name.
    pages: FxHashMap<(String, String), Place>,
}

/// The output is the same for the same file. A resumed run compares it to decide whether it may continue.
impl fmt::Debug for BoxesFile {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "BoxesFile({:?}, {} bytes)", self.path, self.file.length())
    }
}

/// Why a file of boxes cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BoxesError {
    /// The file cannot be read.
    #[error("{path:?}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
    /// A line is not as it should be.
    #[error("{path:?}, line {line}: {problem}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
}

impl BoxesFile {
    /// Opens a file, and reads each line once to check it. The boxes are not kept in memory.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not valid.
    pub fn open(path: &Path) -> Result<BoxesFile, BoxesError> {
        let unread = |error| BoxesError::Read { path: path.to_owned(), error };
        let file = Arc::new(regular::open(path).and_then(OpenFile::of).map_err(unread)?);
        let mut reader = BufReader::new(file.whole());
        let (mut pages, mut start, mut line) = (FxHashMap::default(), 0, Vec::new());
        for number in 1.. {
            line.clear();
            let bytes = reader.read_until(b'\n', &mut line).map_err(unread)?;
            if bytes == 0 {
                break;
            }
            let wrong = |problem| BoxesError::Line { path: path.to_owned(), line: number, problem };
            if !line.trim_ascii().is_empty() {
                let DrawnPage { source, id, .. } = parse(&line).map_err(wrong)?;
                if let Some(Place { number: other, .. }) = pages.get(&(source.clone(), id.clone())) {
                    return Err(wrong(format!(
                        "{source}/{id} has boxes in line {other}, too: remove one of the lines"
                    )));
                }
                pages.insert((source, id), Place { number, start, bytes });
            }
            start += bytes as u64;
        }
        Ok(BoxesFile { path: path.to_owned(), file, pages })
    }

    /// The boxes of a page. `None` if the file has none for it.
    ///
    /// # Errors
    /// If the file has changed, or if the boxes are those of another page.
    pub(crate) fn boxes(&self, source: &SourceId, id: &str, tree: &Tree) -> Result<Option<Boxes>, Reason> {
        let Some(place) = self.pages.get(&(source.as_str().to_owned(), id.to_owned())) else { return Ok(None) };
        let wrong = |problem| Reason::Boxes { path: self.path.clone(), line: place.number, problem };
        let line = self.file.bytes(place.start, place.bytes).map_err(|error| wrong(error.to_string()))?;
        let page = parse(&line).map_err(wrong)?;
        let rect = |&(byte, left, top, width, height): &_| (byte, Rect { left, top, width, height });
        let all = page.boxes.len();
        let drawn = page.boxes.iter().map(rect).collect();
        let style = |&(byte, font, weight, is_italic, Color(color), Color(background)): &_| {
            (byte, Style { font, weight, is_italic, color, background })
        };
        let styles = page.styles.iter().map(style).collect();
        match Boxes::of_nodes(tree, [page.width, page.height], drawn, styles) {
            // A few such boxes are normal: some start tags open no element, and some elements are hidden in one program
            // and drawn in the other.
            (_, strange) if strange > all / 2 => {
                Err(wrong(format!("{strange} of the {all} boxes are where no element and no text of this page begins")))
            }
            (boxes, _) => Ok(Some(boxes)),
        }
    }
}

fn parse(line: &[u8]) -> Result<DrawnPage, String> {
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::tree;
    use crate::{Inventory, ReadOptions};

    const PAGE: &str = "<p>one<p>two";

    fn line(id: &str, boxes: &str) -> String {
        format!(r#"{{"source":"a","id":"{id}","width":100,"height":50.5,"boxes":[{boxes}]}}"#) + "\n"
    }

    /// Reads a page with this file of boxes.
    fn read(lines: &str) -> Result<Option<Boxes>, String> {
        let folder = tree(&[("a/x.html", PAGE.as_bytes())]);
        let file = folder.path().join("boxes.jsonl");
        fs::write(&file, lines).expect("written");
        let boxes = BoxesFile::open(&file).map_err(|error| error.to_string())?;
        fs::remove_file(&file).expect("removed");
        let options = ReadOptions::default().tree(true).boxes(Some(Arc::new(boxes)));
        let inventory = Inventory::scan(&[folder.path().to_owned()], &options).expect("a corpus");
        let place = inventory.sources().expect("sources").listings[0].documents[0];
        let document = inventory.read(&place).map_err(|skipped| skipped.to_string())?;
        Ok(document.boxes.as_deref().cloned())
    }

    #[test]
    fn a_page_has_the_boxes_of_its_line() {
        let lines = line("y", "") + "\n" + &line("x.html", "[0,1,2,3,4],[9,5,6,7,8]");
        let boxes = read(&lines).expect("read").expect("boxes");
        assert_eq!((boxes.width, boxes.height), (100.0, 50.5));
        let lefts: Vec<f32> = boxes.of.iter().flatten().map(|rect| rect.left).collect();
        assert_eq!(lefts, [0.0, 1.0, 5.0]);
        assert_eq!(read(&line("y", "")), Ok(None));
    }

    #[test]
    fn a_line_may_say_how_text_looks() {
        let styled = |styles: &str| line("x.html", "[0,1,2,3,4]").replace("]}", &format!("],\"styles\":[{styles}]}}"));
        let boxes = read(&styled("[6,20.5,700,true,\"#00ff07\",\"#000000\"]")).expect("read").expect("boxes");
        let fonts: Vec<f32> = boxes.styles.iter().map(|style| style.font).collect();
        // The page, the first paragraph and its text; then the second paragraph and its text.
        assert_eq!(fonts, [16.0, 16.0, 16.0, 20.5, 20.5]);
        assert_eq!((boxes.styles[4].color, boxes.styles[4].weight), ([0, 255, 7], 700));
        let error = read(&styled("[6,20.5,700,true,\"green\",\"#000000\"]")).expect_err("a wrong color");
        assert!(error.contains("line 1: \"green\" is no color such as \"#003366\""), "{error}");
    }

    #[test]
    fn lines_that_are_wrong_are_named() {
        for (lines, problem) in [
            (line("y", "") + "{}", "line 2: missing field `source`"),
            (line("y", "[1,2]"), "line 1: invalid length 2"),
            (line("y", "[1,2,3,4,1e39]"), "line 1: number out of range"),
            (line("y", "") + &line("y", ""), "line 2: a/y has boxes in line 1, too"),
            (line("x.html", "[0,1,2,3,4],[1,1,1,1,1],[2,1,1,1,1]"), "line 1: 2 of the 3 boxes are where no element"),
        ] {
            let error = read(&lines).expect_err(problem);
            assert!(error.contains(problem), "{error}");
        }
        let error = BoxesFile::open(Path::new("no/such.jsonl")).expect_err("no file").to_string();
        assert!(error.contains("no/such.jsonl"), "{error}");
    }
}
