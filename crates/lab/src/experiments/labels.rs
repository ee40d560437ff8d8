//! The labels of documents, from a file with a line for each: FILE, a tab, LABEL.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};

use dehusk_corpus::FileKind;

/// The first line of a file with labels.
const HEAD: &str = "file\tlabel";

/// The labels of documents.
#[derive(Debug)]
pub struct Labels {
    /// The labels, sorted.
    pub names: Vec<String>,
    /// The number of the label of each document, which is named without the extension of its file.
    by_document: BTreeMap<String, usize>,
}

impl Labels {
    /// Reads a file with labels.
    pub fn read(path: &Path) -> anyhow::Result<Labels> {
        let lines = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Labels::parse(&lines).with_context(|| path.display().to_string())
    }

    fn parse(lines: &str) -> anyhow::Result<Labels> {
        let mut lines = lines.lines();
        ensure!(lines.next() == Some(HEAD), "line 1: the columns must be `file` and `label`, with a tab between them");
        let mut rows = Vec::new();
        for (number, line) in (2..).zip(lines) {
            let row = line.split_once('\t').filter(|(file, label)| !file.is_empty() && !label.contains('\t'));
            rows.push(row.with_context(|| format!("line {number}: it must have a file, a tab and a label"))?);
        }
        let mut names: Vec<String> = rows.iter().map(|(_, label)| (*label).to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        let number = |label: &str| names.binary_search_by(|name| name.as_str().cmp(label)).unwrap_or_default();
        let by_document = rows.iter().map(|(file, label)| (FileKind::stem(file).to_owned(), number(label))).collect();
        Ok(Labels { names, by_document })
    }

    /// The number of the label of a document, if it has one.
    pub fn of(&self, source: &str, document: &str) -> Option<usize> {
        self.by_document.get(&format!("{source}/{}", FileKind::stem(document))).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_each_document() {
        let labels = Labels::parse("file\tlabel\na/1\tshop\na/2.html.gz\tforum\nb/v1.5\tshop\n").expect("labels");
        assert_eq!(labels.names, ["forum", "shop"]);
        let of = |source, document| labels.of(source, document);
        assert_eq!(
            [of("a", "1.html"), of("a", "2.txt"), of("b", "v1.5"), of("b", "1")],
            [Some(1), Some(0), Some(1), None]
        );
    }

    #[test]
    fn other_files_are_refused() {
        let refused = |lines| format!("{:#}", Labels::parse(lines).expect_err("it is refused"));
        assert!(refused("a/1\tshop\n").starts_with("line 1: "));
        assert!(refused("file\tlabel\na/1\tshop\na/2\n").starts_with("line 3: "));
        assert!(refused("file\tlabel\na/1\tshop\t3\n").starts_with("line 2: "));
    }
}
