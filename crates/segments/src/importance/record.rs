//! Blocks and their links as lines of JSON: the lines that `dehusk blocks` writes, and lines with known levels.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::segmentation::marked_range::{
    MarkedError, MarkedLine, MarkedRange, marked_ranges, read_marked, smallest_around,
};
use crate::segmentation::vision::VisionBlock;
use dehusk_core::dom::facts::{Count, Facts};
use dehusk_core::html::NodeKind;

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BlockRecord {
    /// The source of the page.
    pub source: String,
    /// The name of the page in its source.
    pub id: String,
    /// The number of the block in its page, from 0.
    pub block: usize,
    /// The level of importance of the block, 1 to 4.
    pub level: u8,
    /// The probability of this level.
    pub probability: f32,
    /// The expected level, 1 to 4.
    pub importance: f32,
    /// Where the block is drawn: left, top, width and height, in pixels.
    pub rect: [f32; 4],
    /// The degree of coherence of the block, 1 to 10.
    pub coherence: u8,
    /// The bytes of the block in the page, as UTF-8.
    pub bytes: Vec<(usize, usize)>,
    /// The paths of the elements that make up the block.
    pub nodes: Vec<String>,
    /// The bytes of the block in the visible text.
    pub text: Vec<(usize, usize)>,
    /// Number of words.
    pub words: u32,
}

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkRecord {
    /// The source of the page.
    pub source: String,
    /// The name of the page in its source.
    pub id: String,
    /// The number of its block in the page, from 0.
    pub block: usize,
    /// The level of importance of this block, 1 to 4.
    pub level: u8,
    /// The address to which it leads. It is absolute if the address of the page is known.
    pub href: String,
    /// Its bytes in the visible text. Empty if it has only pictures.
    pub text: Vec<(usize, usize)>,
    /// Its share of the weight of the page. The weights of all links of a page sum to 1.
    pub weight: f64,
}

/// A line of a file of labelled blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelRecord {
    /// The source of the page.
    pub source: String,
    /// The name of the page in its source.
    pub id: String,
    /// The labelled bytes of the page, as UTF-8.
    pub bytes: Vec<(usize, usize)>,
    /// The level of importance of these bytes, 1 to 4.
    pub level: u8,
    /// The name of the person who gave the level. All lines without a name are by the same person.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub assessor: String,
}

impl MarkedLine for LabelRecord {
    const EXAMPLE: &'static str = r#"{"source": "tide", "id": "harbour.html", "bytes": [[812, 1460]], "level": 4}"#;

    fn bytes(&self) -> &[(usize, usize)] {
        &self.bytes
    }
}

/// The levels that a person gave to parts of a page.
type Labelled = Vec<MarkedRange<u8>>;

/// The known levels of parts of pages.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// For each page, by source and name, the levels by each assessor.
    pages: FxHashMap<(String, String), Vec<(String, Labelled)>>,
}

/// The level of a block, by each assessor and by the majority.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockLevel {
    /// The name and the level of each assessor who gave the block a level.
    pub votes: Vec<(String, u8)>,
    /// The level that more than half of these assessors gave.
    pub level: Option<u8>,
}

impl Labels {
    /// Reads a file.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not valid.
    pub fn read(path: &Path) -> Result<Labels, MarkedError> {
        let mut labels = Labels::default();
        read_marked(path, |record: LabelRecord| {
            if !(1..=4).contains(&record.level) {
                return Err(format!("the level is {}, and levels are 1 to 4", record.level));
            }
            let of_page = labels.pages.entry((record.source, record.id)).or_default();
            let at = of_page.iter().position(|(assessor, _)| *assessor == record.assessor).unwrap_or_else(|| {
                of_page.push((record.assessor, Vec::new()));
                of_page.len() - 1
            });
            of_page[at].1.extend(marked_ranges(&record.bytes, record.level));
            Ok(())
        })?;
        Ok(labels)
    }

    /// Whether a page is in the file.
    pub fn has(&self, source: &str, id: &str) -> bool {
        self.pages.contains_key(&(source.to_owned(), id.to_owned()))
    }

    /// A page of the file, for messages.
    pub fn example(&self) -> Option<(&str, &str)> {
        self.pages.keys().min().map(|(source, id)| (source.as_str(), id.as_str()))
    }

    /// The levels of the blocks of a page. The level by an assessor is the one that he or she gave to most words of the
    /// block; of equal ones, the higher one.
    pub fn levels(&self, source: &str, id: &str, facts: &Facts, blocks: &[VisionBlock]) -> Vec<BlockLevel> {
        let mut levels = vec![BlockLevel::default(); blocks.len()];
        let Some(assessors) = self.pages.get(&(source.to_owned(), id.to_owned())) else { return levels };
        let tree = facts.tree();
        let runs: Vec<usize> = tree.runs().collect();
        for (assessor, ranges) in assessors {
            let of_runs = smallest_around(ranges, tree, runs.iter().copied());
            for (block, level) in blocks.iter().zip(&mut levels) {
                let mut words = [0u32; 5];
                for run in runs_of(facts, block) {
                    if let Some(of_run) = runs.binary_search(&run).ok().and_then(|at| of_runs[at]) {
                        words[usize::from(of_run)] += facts.count(run, Count::Words);
                    }
                }
                let most = (1..words.len()).max_by_key(|&of| words[of]).filter(|&of| words[of] > 0);
                level.votes.extend(most.map(|of| (assessor.clone(), of as u8)));
            }
        }
        for level in &mut levels {
            let votes = |of: u8| level.votes.iter().filter(|(_, vote)| *vote == of).count();
            level.level = (1..=4).find(|&of| 2 * votes(of) > level.votes.len());
        }
        levels
    }
}

/// The runs of text of a block, as nodes.
pub fn runs_of<'a>(facts: &'a Facts, block: &'a VisionBlock) -> impl Iterator<Item = usize> + 'a {
    let tree = facts.tree();
    let inside = block.nodes.iter().flat_map(move |&node| node as usize..tree.end(node as usize));
    inside.filter(move |&node| matches!(tree.kind(node), NodeKind::Text(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_core::html::{Rect, Tree, read};

    fn labels(lines: &str) -> Result<Labels, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        std::fs::write(&path, lines).unwrap();
        Labels::read(&path).map_err(|error| error.to_string())
    }

    const PAGE: &str = "<div><p>one two three</p><p>four</p><p>five</p></div><p>six seven</p><img>";

    /// A line that gives a level to the bytes of the page from one part to another.
    fn line(from: &str, to: &str, level: u8, assessor: &str) -> String {
        let [start, end] = [PAGE.find(from).unwrap(), PAGE.rfind(to).unwrap() + to.len()];
        let record = LabelRecord {
            source: "s".to_owned(),
            id: "i".to_owned(),
            bytes: vec![(start, end)],
            level,
            assessor: assessor.to_owned(),
        };
        serde_json::to_string(&record).unwrap() + "\n"
    }

    /// The levels of 3 blocks: the first three paragraphs, the last paragraph, and the picture.
    fn levels(lines: &str) -> [BlockLevel; 3] {
        let (text, tree) = read::<Tree>(PAGE);
        let facts = Facts::of(&tree, &text, None, None);
        let rect = Rect { left: 0.0, top: 0.0, width: 1.0, height: 1.0 };
        let block = |node: usize| VisionBlock { nodes: vec![node as u32], rect, coherence: 9 };
        let blocks: Vec<VisionBlock> = tree.children(0).map(block).collect();
        labels(lines).unwrap().levels("s", "i", &facts, &blocks).try_into().unwrap()
    }

    #[test]
    fn a_wrong_line_is_named() {
        let good = "{\"source\": \"s\", \"id\": \"i\", \"bytes\": [[1, 2]], \"level\": 4}\n";
        let wrong = |line: &str| labels(&format!("{good}\n{line}\n")).unwrap_err();
        let assert_wrong = |line: &str, expected: &str| {
            let wrong = wrong(line);
            assert!(wrong.contains(&format!("line 3: {expected}")), "{wrong}");
            assert!(wrong.contains("labels.jsonl") && wrong.contains("a line is such as {"), "{wrong}");
        };
        assert_wrong("{\"id\": 1}", "invalid type");
        assert_wrong("boat", "expected value");
        assert_wrong(&good.replace(", \"level\": 4", ""), "missing field `level`");
        assert_wrong(&good.replace("[1, 2]", "[1, 2], [3, 3]"), "the bytes 3 to 3 are no range");
        assert_wrong(&good.replace("4}", "5}"), "the level is 5, and levels are 1 to 4");
        assert_wrong(&good.replace("4}", "0}"), "the level is 0, and levels are 1 to 4");
        let unread = Labels::read(Path::new("no-such-file.jsonl")).unwrap_err().to_string();
        assert!(unread.contains("no-such-file.jsonl"), "{unread}");
        assert!(serde_json::from_str::<LabelRecord>(LabelRecord::EXAMPLE).is_ok());
    }

    #[test]
    fn pages_are_found_by_source_and_name() {
        let known = labels(&line("<div>", "</div>", 2, "")).unwrap();
        assert!(known.has("s", "i") && !known.has("s", "j") && !known.has("t", "i"));
        assert_eq!(known.example(), Some(("s", "i")));
        assert_eq!(labels("\n").unwrap().example(), None);
        let (text, tree) = read::<Tree>(PAGE);
        assert_eq!(known.levels("s", "j", &Facts::of(&tree, &text, None, None), &[]), []);
    }

    #[test]
    fn a_block_has_the_level_of_most_of_its_words() {
        // The first block has paragraphs of three words, one word, and one word.
        let of_first = |lines: String| levels(&lines)[0].level;
        let says =
            |levels: [u8; 2]| line("<p>one", "three</p>", levels[0], "") + &line("<p>four", "five</p>", levels[1], "");
        assert_eq!([[4, 1], [1, 4]].map(|levels| of_first(says(levels))), [Some(4), Some(1)]);
        // Words in a smaller range have the level of that range.
        assert_eq!(of_first(line("<div>", "</div>", 2, "") + &line("<p>one", "three</p>", 3, "")), Some(3));
        // Words without a level do not count.
        assert_eq!(of_first(line("<p>five", "five</p>", 1, "")), Some(1));
    }

    #[test]
    fn of_equal_levels_the_higher_one_counts() {
        let both =
            |levels: [u8; 2]| line("<p>four", "four</p>", levels[0], "") + &line("<p>five", "five</p>", levels[1], "");
        assert_eq!([[1, 3], [3, 1]].map(|of| levels(&both(of))[0].level), [Some(3), Some(3)]);
    }

    #[test]
    fn most_assessors_decide() {
        let says = |assessors: &[(&str, u8)]| {
            let lines: String =
                assessors.iter().map(|&(name, level)| line("<p>six", "seven</p>", level, name)).collect();
            let [first, level, picture] = levels(&lines);
            // Nobody gave the other blocks a level.
            assert_eq!([first, picture], [BlockLevel::default(), BlockLevel::default()]);
            let votes: Vec<(&str, u8)> = level.votes.iter().map(|(name, vote)| (name.as_str(), *vote)).collect();
            assert_eq!(votes, assessors);
            level.level
        };
        assert_eq!(says(&[("ada", 2)]), Some(2));
        assert_eq!(says(&[("ada", 2), ("bo", 3), ("cy", 3)]), Some(3));
        assert_eq!(says(&[("ada", 2), ("bo", 3)]), None);
        assert_eq!(says(&[("ada", 2), ("bo", 3), ("cy", 4)]), None);
        assert_eq!(says(&[("ada", 2), ("bo", 3), ("cy", 3), ("di", 2)]), None);
    }

    #[test]
    fn an_assessor_who_says_nothing_of_a_block_has_no_vote() {
        let lines = line("<p>six", "seven</p>", 1, "ada")
            + &line("<div>", "</div>", 4, "bo")
            + &line("<div>", "</div>", 4, "ada");
        let [first, second, _] = levels(&lines);
        assert_eq!((first.level, first.votes.len()), (Some(4), 2));
        assert_eq!((second.level, second.votes), (Some(1), vec![("ada".to_owned(), 1)]));
    }

    #[test]
    fn the_runs_of_a_block_are_those_of_its_nodes() {
        let (text, tree) = read::<Tree>(PAGE);
        let facts = Facts::of(&tree, &text, None, None);
        let rect = Rect { left: 0.0, top: 0.0, width: 1.0, height: 1.0 };
        let nodes = tree.children(tree.children(0).next().unwrap()).skip(1).map(|node| node as u32).collect();
        let block = VisionBlock { nodes, rect, coherence: 9 };
        let runs: Vec<&str> = runs_of(&facts, &block).map(|run| text[tree.text(run)].trim()).collect();
        assert_eq!(runs, ["four", "five"]);
    }
}
