//! Segments as lines of JSON. `dehusk segment` writes such lines, and people write them to mark segments.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::marked_range::{MarkedError, MarkedLine, MarkedRange, marked_ranges, read_marked, smallest_around};
use dehusk_core::html::Tree;

/// A segment of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SegmentRecord {
    /// The source of the page.
    pub source: String,
    /// The name of the page in its source.
    pub id: String,
    /// The number of the segment in its page, from 0.
    #[serde(default)]
    pub segment: usize,
    /// The bytes of the segment in the page, as UTF-8.
    pub bytes: Vec<(usize, usize)>,
    /// The paths of the elements that make up the segment.
    #[serde(default)]
    pub nodes: Vec<String>,
    /// The bytes of the segment in the visible text.
    #[serde(default)]
    pub text: Vec<(usize, usize)>,
    /// Number of words.
    #[serde(default)]
    pub words: u32,
    /// The degree to which the segment is boilerplate, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f32>,
    /// Only of marked segments: level 1 is a segment, level 2 a part of a segment, and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    /// Only of marked segments: the kind of the segment.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl MarkedLine for SegmentRecord {
    const EXAMPLE: &'static str = r#"{"source": "tide", "id": "harbour.html", "bytes": [[812, 1460]]}"#;

    fn bytes(&self) -> &[(usize, usize)] {
        &self.bytes
    }
}

/// Marked segments, by source and name of the page.
#[derive(Clone, Debug, Default)]
pub struct Marked {
    /// The ranges of each page, with the number of their segment among the marked segments of the page.
    pages: FxHashMap<(String, String), Vec<MarkedRange<u32>>>,
}

impl Marked {
    /// Reads a file. Segments of a higher level than `level` are left out.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not valid.
    pub fn read(path: &Path, level: Option<u32>) -> Result<Marked, MarkedError> {
        let mut marked = Marked::default();
        read_marked(path, |record: SegmentRecord| {
            let of_page = marked.pages.entry((record.source, record.id)).or_default();
            if record.level.is_none_or(|of_record| level.is_none_or(|level| of_record <= level)) {
                let segment = of_page.last().map_or(0, |last| last.value + 1);
                of_page.extend(marked_ranges(&record.bytes, segment));
            }
            Ok(())
        })?;
        Ok(marked)
    }

    /// Number of pages.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Whether a page is in the file.
    pub fn has(&self, source: &str, id: &str) -> bool {
        self.pages.contains_key(&(source.to_owned(), id.to_owned()))
    }

    /// Leaves out the pages for which `keep` is false.
    pub fn retain(&mut self, keep: impl Fn(&str, &str) -> bool) {
        self.pages.retain(|(source, id), _| keep(source, id));
    }

    /// A page of the file, for messages.
    pub fn example(&self) -> Option<(&str, &str)> {
        self.pages.keys().min().map(|(source, id)| (source.as_str(), id.as_str()))
    }

    /// For each leaf of a page, the smallest marked segment around it. `None` if the page is not in the file.
    pub fn groups(
        &self,
        source: &str,
        id: &str,
        tree: &Tree,
        leaves: impl Iterator<Item = usize>,
    ) -> Option<Vec<Option<u32>>> {
        let ranges = self.pages.get(&(source.to_owned(), id.to_owned()))?;
        Some(smallest_around(ranges, tree, leaves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::html::read;

    fn marked(lines: &str, level: Option<u32>) -> Result<Marked, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("marked.jsonl");
        std::fs::write(&path, lines).unwrap();
        Marked::read(&path, level).map_err(|error| error.to_string())
    }

    #[test]
    fn a_leaf_is_in_the_smallest_marked_segment_around_it() {
        let page = "<div><p>a</p><p>b</p></div><p>c</p><p>d</p>";
        let at = |part: &str| page.find(part).unwrap();
        let line = |from: &str, to: &str, level: u32| {
            format!(
                "{{\"source\": \"s\", \"id\": \"i\", \"bytes\": [[{}, {}]], \"level\": {level}}}\n",
                at(from),
                at(to) + to.len()
            )
        };
        let lines = line("<div>", "</div>", 1) + "\n" + &line("<p>b", "b</p>", 2) + &line("<p>d", "d</p>", 1);
        let (_, tree) = read::<Tree>(page);
        let groups = |level| marked(&lines, level).unwrap().groups("s", "i", &tree, tree.runs()).unwrap();
        assert_eq!(groups(None), [Some(0), Some(1), None, Some(2)]);
        assert_eq!(groups(Some(1)), [Some(0), Some(0), None, Some(1)]);
        assert_eq!(marked(&lines, None).unwrap().groups("s", "other", &tree, tree.runs()), None);
    }

    #[test]
    fn a_marked_segment_can_have_several_ranges() {
        let page = "<p>a</p><p>b</p><p>c</p><p>d</p>";
        let lines = "{\"source\": \"s\", \"id\": \"i\", \"bytes\": [[0, 8], [16, 24]]}\n\
                     {\"source\": \"s\", \"id\": \"i\", \"bytes\": [[24, 32]]}\n";
        let (_, tree) = read::<Tree>(page);
        let groups = marked(lines, None).unwrap().groups("s", "i", &tree, tree.runs()).unwrap();
        assert_eq!(groups, [Some(0), None, Some(0), Some(1)]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let wrong = marked("{\"source\": \"s\", \"id\": \"i\", \"bytes\": [[1, 2]]}\n{\"id\": 1}\n", None).unwrap_err();
        assert!(wrong.contains("line 2") && wrong.contains("a line is such as"), "{wrong}");
        let wrong = marked("{\"source\": \"s\", \"id\": \"i\", \"bytes\": [[2, 1]]}\n", None).unwrap_err();
        assert!(wrong.contains("line 1: the bytes 2 to 1 are no range"), "{wrong}");
    }
}
