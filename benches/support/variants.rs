//! A real corpus many times, to measure with real statistics of words, lines and templates.
//!
//! The first copy of a document is the document. In the others, each word of the lines that only one document of the source
//! has is replaced by a word of the source that is about as frequent. Lines that recur stay, and so do the most frequent
//! words.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use dehusk_core::random::Random;

/// Number of the most frequent words of a source that stay.
const FREQUENT: usize = 30;
/// A word is replaced by one of the words around its rank: as many as this part of the rank.
const AROUND: usize = 4;

/// The options.
#[derive(Clone, Copy, Debug)]
pub struct Variants {
    pub seed: u64,
    /// Number of copies of each document.
    pub times: usize,
}

/// The documents of a source by name.
type Documents = Vec<(String, String)>;

impl Variants {
    /// Writes the documents below a folder, which has a folder for each source, as lines of JSON with `id`, `source` and
    /// `text`. Returns their number, and the bytes of their texts.
    pub fn write(&self, corpus: &Path, output: &Path) -> io::Result<(usize, usize)> {
        let mut lines = BufWriter::new(File::create(output)?);
        let (mut documents, mut bytes) = (0, 0);
        for (number, source) in sorted(corpus)?.into_iter().filter(|path| path.is_dir()).enumerate() {
            let name = name_of(&source);
            let originals: Documents = sorted(&source)?
                .into_iter()
                .filter(|path| path.is_file())
                .map(|path| Ok((name_of(&path), String::from_utf8_lossy(&fs::read(&path)?).into_owned())))
                .collect::<io::Result<_>>()?;
            for copy in 0..self.times {
                let mut random = Random::along(self.seed, &[number as u64, copy as u64]);
                let changed = if copy == 0 { originals.clone() } else { changed(&originals, &mut random) };
                for (id, text) in changed {
                    let line = serde_json::json!({"id": format!("{copy}/{id}"), "source": name, "text": text});
                    writeln!(lines, "{line}")?;
                    documents += 1;
                    bytes += text.len();
                }
            }
        }
        lines.flush()?;
        Ok((documents, bytes))
    }
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The documents with other words in the lines that only one of them has.
fn changed(documents: &Documents, random: &mut Random) -> Documents {
    let mut in_documents: HashMap<&str, usize> = HashMap::new();
    let mut frequencies: HashMap<&str, usize> = HashMap::new();
    for (_, text) in documents {
        let lines: HashSet<&str> = text.split('\n').collect();
        lines.into_iter().for_each(|line| *in_documents.entry(line).or_default() += 1);
        words(text).for_each(|word| *frequencies.entry(word).or_default() += 1);
    }
    let mut ranked: Vec<(&str, usize)> = frequencies.into_iter().collect();
    ranked.sort_unstable_by(|(one, a), (two, b)| b.cmp(a).then(one.cmp(two)));
    let ranked: Vec<&str> = ranked.into_iter().map(|(word, _)| word).collect();
    let mut others: HashMap<&str, &str> = HashMap::new();
    let mut rank = FREQUENT;
    while rank < ranked.len() {
        let here = &ranked[rank..ranked.len().min(rank + rank / AROUND + AROUND)];
        let mut shuffled = here.to_vec();
        random.shuffle(&mut shuffled);
        others.extend(here.iter().copied().zip(shuffled));
        rank += here.len();
    }
    let of_line = |line: &str| if in_documents[line] > 1 { line.to_owned() } else { replaced(line, &others) };
    let of_text = |text: &str| text.split('\n').map(of_line).collect::<Vec<String>>().join("\n");
    documents.iter().map(|(id, text)| (id.clone(), of_text(text))).collect()
}

/// A line with other words. A word with a capital stays one with a capital.
fn replaced(line: &str, others: &HashMap<&str, &str>) -> String {
    let mut replaced = String::with_capacity(line.len());
    let mut rest = 0;
    for word in words(line) {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        let mut other = others.get(word).copied().unwrap_or(word).chars();
        replaced.push_str(&line[rest..start]);
        match other.next() {
            Some(first) if word.starts_with(char::is_uppercase) => replaced.extend(first.to_uppercase()),
            Some(first) => replaced.extend(first.to_lowercase()),
            None => {}
        }
        replaced.push_str(other.as_str());
        rest = start + word.len();
    }
    replaced + &line[rest..]
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}
