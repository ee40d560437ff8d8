//! Makes sources to learn from: whole texts, into which lines of other sources are put as boilerplate.
//!
//! Real sources with gold text are few and of few kinds, and show only some of the ways in which boilerplate can recur.
//! In made sources, lines recur in any share of the documents, at any place. Some have documents of a form, such as
//! minutes, leaflets and records: their headings and stock sentences recur as often as boilerplate does, and are
//! content. Sources of invented text have short articles with a few recurring lines of boilerplate.

use std::collections::{BTreeMap, BTreeSet};

use super::injection::{Fillers, Insertion, flowing_texts};
use dehusk_core::random::Random;

/// Number of sources that are made of the texts of a corpus.
const PER_CORPUS: usize = 8;
/// Number of sources that are made of invented text.
const INVENTED_SOURCES: usize = 90;
/// Possible numbers of documents of a source of invented text.
const INVENTED_SIZES: [usize; 6] = [4, 6, 8, 12, 20, 40];
/// Possible maximum numbers of documents of other made sources.
const SIZES: [usize; 4] = [8, 15, 25, 40];
/// Minimum number of documents of a made source.
const LEAST_DOCUMENTS: usize = 5;
/// Maximum number of lines of a document.
const MAX_LINES: usize = 200;
/// Minimum number of words of a document.
const LEAST_WORDS: usize = 20;
/// Numbers of words of a line that is put in.
const WORDS_OF_LINE: std::ops::RangeInclusive<usize> = 2..=40;
/// Possible percentages of the documents that get a line.
const PERCENTS: [usize; 7] = [100, 100, 100, 50, 50, 20, 10];
/// The slots that a line can have.
const SLOTS: [&str; 9] = ["date", "day", "clock", "count", "url", "email", "price", "name", "topic"];
/// The seed of all made sources.
const SEED_OF_MADE: u64 = 29;

/// The material that a source gives to made sources.
#[derive(Debug)]
pub struct Material {
    /// The name of the source.
    pub source: String,
    /// Its gold texts.
    texts: Vec<String>,
    /// Lines that recur in its documents and are not in its gold texts.
    lines: Vec<String>,
}

/// A source that was made.
#[derive(Debug)]
pub struct MadeSource {
    /// The number of the corpus whose texts it has, or the number of corpora if its texts are invented.
    pub corpus: usize,
    /// The name of the source whose texts it has. Empty if they are invented.
    pub of: String,
    /// Each document, and its text before anything was put in.
    pub documents: Vec<(String, String)>,
}

impl Material {
    /// The material from the documents of a source, each with its gold text.
    pub fn new(source: &str, documents: &[(&str, &str)]) -> Material {
        let normal = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let of_gold: BTreeSet<String> = documents.iter().flat_map(|(_, gold)| gold.lines().map(normal)).collect();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (text, _) in documents {
            let lines: BTreeSet<String> = text.lines().map(normal).collect();
            lines.into_iter().for_each(|line| *counts.entry(line).or_default() += 1);
        }
        // Braces would be read as slots.
        let is_boilerplate = |line: &str| !of_gold.contains(line) && !line.contains(['{', '}']);
        let is_line = |line: &str| WORDS_OF_LINE.contains(&line.split(' ').count()) && is_boilerplate(line);
        let recurs = |count: usize| count >= 3 && 10 * count >= 3 * documents.len();
        let lines = counts.into_iter().filter(|(line, count)| recurs(*count) && is_line(line));
        Material {
            source: source.to_owned(),
            texts: documents.iter().map(|(_, gold)| (*gold).to_owned()).filter(|text| is_long(text)).collect(),
            lines: lines.map(|(line, _)| line).collect(),
        }
    }
}

fn is_long(text: &str) -> bool {
    text.split_whitespace().nth(LEAST_WORDS - 1).is_some()
}

/// Makes sources of the texts of each corpus, and some of invented text. The same material gives the same sources.
pub fn made_sources(corpora: &[Vec<Material>]) -> Vec<MadeSource> {
    let frames: Vec<&[String]> =
        corpora.iter().flatten().map(|material| &material.lines[..]).filter(|lines| lines.len() > 3).collect();
    if frames.is_empty() {
        return Vec::new();
    }
    let mut made = Vec::new();
    for (corpus, materials) in corpora.iter().enumerate() {
        let materials: Vec<&Material> = materials.iter().filter(|material| !material.texts.is_empty()).collect();
        if materials.is_empty() {
            continue;
        }
        for number in 0..PER_CORPUS as u64 {
            let mut random = Random::along(SEED_OF_MADE, &[corpus as u64, number]);
            let (size, material) = (*random.pick(&SIZES), *random.pick(&materials));
            let texts = pieces(&material.texts, size, &mut random);
            if texts.len() >= LEAST_DOCUMENTS {
                let frame = *random.pick(&frames);
                let documents = Maker { random, frame }.documents(texts);
                made.push(MadeSource { corpus, of: material.source.clone(), documents });
            }
        }
    }

    for number in 0..INVENTED_SOURCES as u64 {
        let mut random = Random::along(SEED_OF_MADE, &[u64::MAX, number]);
        let frame = *random.pick(&frames);
        let documents = Maker { random, frame }.articles();
        made.push(MadeSource { corpus: corpora.len(), of: String::new(), documents });
    }
    made
}

/// At most `count` pieces of the texts, in random order. A long text gives up to three pieces.
fn pieces(texts: &[String], count: usize, random: &mut Random) -> Vec<String> {
    let mut pieces = Vec::new();
    for text in texts {
        let lines: Vec<&str> = text.lines().collect();
        for _ in 0..(lines.len() / MAX_LINES).clamp(1, 3) {
            let start = random.below(lines.len().saturating_sub(MAX_LINES));
            let piece = lines[start..lines.len().min(start + MAX_LINES)].join("\n");
            pieces.extend(Some(piece).filter(|piece| is_long(piece)));
        }
    }
    random.shuffle(&mut pieces);
    pieces.truncate(count);
    pieces
}

/// How a line is put into documents.
#[derive(Clone, Copy, Debug)]
enum Put {
    /// Once, at a place.
    At(Insertion),
    /// As the line of this number.
    FromStart(usize),
    /// Before this many last lines.
    FromEnd(usize),
    /// After one line in this many, on average, such as the notes of a log.
    Often(usize),
    /// After every group of this many lines, with a title of the document and a number, such as the heads of printed
    /// pages.
    PageHead(usize),
}

/// A line that is put in.
#[derive(Debug)]
struct Template {
    /// The line, with slots in braces.
    line: String,
    put: Put,
    /// Percentage of the documents that get it.
    percent: usize,
}

/// Makes one source.
struct Maker<'m> {
    random: Random,
    /// Lines of another source.
    frame: &'m [String],
}

impl Maker<'_> {
    fn documents(mut self, texts: Vec<String>) -> Vec<(String, String)> {
        let form = self.random.percent(12).then(|| self.form(&texts)).flatten();
        let is_form = form.is_some();
        let texts = form.unwrap_or(texts);
        let templates = self.templates(is_form, &texts);
        self.with_templates(&templates, texts)
    }

    /// Short articles of invented text with some lines that recur.
    fn articles(mut self) -> Vec<(String, String)> {
        let random = &mut self.random;
        let size = *random.pick(&INVENTED_SIZES);
        let (has_short_paragraphs, has_blanks) = (random.percent(50), random.percent(70));
        let texts: Vec<String> =
            flowing_texts(random.any(), size).iter().map(|text| article(text, has_short_paragraphs, random)).collect();

        let count = random.between(1, 6);
        let mut templates = Vec::new();
        for line in random.sample(self.frame.len(), count) {
            let put = match random.below(9) {
                0 | 1 => Put::FromStart(0),
                2 => Put::FromStart(1),
                3 => Put::FromStart(2),
                4 | 5 => Put::FromEnd(0),
                6 => Put::FromEnd(1),
                _ => Put::At(Insertion::Line),
            };
            let slots = usize::from(random.percent(30));
            let line = with_slots(&self.frame[line], slots, random);
            templates.push(Template { line, put, percent: *random.pick(&[100, 100, 100, 100, 50]) });
        }
        let documents = self.with_templates(&templates, texts);
        let with_blanks = |text: String| if has_blanks { text.replace('\n', "\n\n") } else { text };
        documents.into_iter().map(|(text, whole)| (with_blanks(text), with_blanks(whole))).collect()
    }

    fn with_templates(&mut self, templates: &[Template], texts: Vec<String>) -> Vec<(String, String)> {
        let headlines: Vec<String> = texts.iter().map(|text| first_words(text, 8)).collect();
        let fillers = Fillers::new(&headlines, &mut self.random);
        let document = |(number, whole): (usize, String)| {
            let mut filling = Filling { random: &mut self.random, fillers: &fillers, number };
            let mut text = whole.clone();
            for template in templates {
                if filling.random.percent(template.percent) {
                    text = filling.put(template, &text);
                }
            }
            (text, whole)
        };
        texts.into_iter().enumerate().map(document).collect()
    }

    /// The lines to put in. One source in five gets none.
    fn templates(&mut self, is_form: bool, texts: &[String]) -> Vec<Template> {
        let random = &mut self.random;
        if random.percent(20) {
            return Vec::new();
        }
        let count = *random.pick(&[1, 1, 2, 3, 5, 8]);
        let mut templates = Vec::new();
        for line in random.sample(self.frame.len(), count) {
            let far = random.between(1, 5);
            let put = match random.below(if is_form { 4 } else { 9 }) {
                0 => Put::At(Insertion::Head),
                1 => Put::At(Insertion::Tail),
                2 => Put::FromStart(far),
                3 => Put::FromEnd(far),
                4 => Put::At(Insertion::Tail),
                5 | 6 => Put::At(Insertion::Line),
                7 => Put::At(Insertion::BetweenSentences),
                _ => Put::At(Insertion::MidSentence),
            };
            let slots = *random.pick(&[0, 0, 0, 1, 1, 2]);
            let line = with_slots(&self.frame[line], slots, random);
            templates.push(Template { line, put, percent: *random.pick(&PERCENTS) });
        }
        let has_many_lines = texts.iter().any(|text| text.lines().nth(20).is_some());
        if !is_form && has_many_lines && random.percent(25) {
            let line: String = first_words(random.pick::<String>(self.frame), 8);
            let (line, put) = match random.percent(50) {
                true => (line, Put::PageHead(random.between(8, 60))),
                false => (
                    with_slots(&format!("{{name}} {line}"), random.below(2), random),
                    Put::Often(random.between(3, 15)),
                ),
            };
            templates.push(Template { line, put, percent: 100 });
        }
        templates
    }

    /// Documents of a form, as many as the texts: headings in one order, with paragraphs of the texts or stock
    /// sentences. Or the headings come again and again in any order, as the names of speakers do. `None` if the texts
    /// have too few paragraphs.
    fn form(&mut self, texts: &[String]) -> Option<Vec<String>> {
        let random = &mut self.random;
        let mut paragraphs: Vec<&str> = texts.iter().flat_map(|text| text.lines()).map(str::trim).collect();
        paragraphs.retain(|paragraph| (4..=120).contains(&paragraph.split_whitespace().count()));
        if paragraphs.len() < 60 {
            return None;
        }
        random.shuffle(&mut paragraphs);

        let headings: Vec<String> = (0..random.between(4, 14))
            .map(|_| {
                let length = random.between(1, 6);
                first_words(random.pick::<&str>(&paragraphs), length)
            })
            .collect();
        let stock: Vec<String> = headings
            .iter()
            .map(|_| random.pick(&paragraphs).split_inclusive(". ").next().unwrap_or_default().trim().to_owned())
            .collect();

        let [is_numbered, has_colon, has_blanks] = [40, 40, 60].map(|percent| random.percent(percent));
        let [is_inline, comes_again] = [25, 30].map(|percent| random.percent(percent));
        let (of_heading, of_stock) = (random.between(50, 100), *random.pick(&[0, 20, 50]));
        let mut paragraphs = paragraphs.into_iter().cycle();

        let mut form = |_| {
            let mut lines: Vec<String> = paragraphs.by_ref().take(random.below(2)).map(str::to_owned).collect();
            let order: Vec<usize> = match comes_again {
                true => (0..random.between(3, 20)).map(|_| random.below(headings.len().min(6))).collect(),
                false => (0..headings.len()).filter(|_| random.percent(of_heading)).collect(),
            };
            for heading in order {
                let number = if is_numbered { format!("{}. ", heading + 1) } else { String::new() };
                let mut line = [&number[..], &headings[heading], if has_colon { ":" } else { "" }].concat();
                let body: Vec<String> = match random.percent(of_stock) {
                    true => vec![stock[heading].clone()],
                    false => paragraphs.by_ref().take(*random.pick(&[1, 1, 1, 2, 3])).map(str::to_owned).collect(),
                };
                let mut body = body.into_iter();
                if is_inline {
                    line = [&line[..], " ", &body.next().unwrap_or_default()].concat();
                }
                lines.push(line);
                lines.extend(body);
                lines.extend(has_blanks.then(String::new));
            }
            lines.join("\n")
        };
        Some(texts.iter().map(|_| form(())).collect())
    }
}

/// A headline, in most cases, and some paragraphs of a text.
fn article(text: &str, has_short_paragraphs: bool, random: &mut Random) -> String {
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let headline = lines.next().filter(|_| random.percent(60)).map(str::to_owned);
    let count = *random.pick(&[2, 3, 4, 6]);
    let paragraphs = lines.take(count).map(|line| match has_short_paragraphs {
        true => first_words(line, random.between(20, 40)),
        false => line.to_owned(),
    });
    let paragraphs: Vec<String> = paragraphs.collect();
    headline.into_iter().chain(paragraphs).collect::<Vec<_>>().join("\n")
}

/// The line with this many slots between its words.
fn with_slots(line: &str, slots: usize, random: &mut Random) -> String {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    for _ in 0..slots {
        words.insert(random.below(words.len() + 1), format!("{{{}}}", random.pick(&SLOTS)));
    }
    words.join(" ")
}

fn first_words(text: &str, count: usize) -> String {
    text.split_whitespace().take(count).collect::<Vec<_>>().join(" ").replace(['{', '}'], "")
}

/// Puts lines into one document.
struct Filling<'f> {
    random: &'f mut Random,
    fillers: &'f Fillers<'f>,
    /// The number of the document.
    number: usize,
}

impl Filling<'_> {
    fn filled(&mut self, line: &str) -> String {
        self.fillers.fill(line, self.number, self.random)
    }

    fn put(&mut self, template: &Template, text: &str) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let before = |at: usize, line: String| {
            let (head, tail) = lines.split_at(at);
            head.iter().copied().chain([&line[..]]).chain(tail.iter().copied()).collect::<Vec<_>>().join("\n")
        };
        match template.put {
            Put::At(place) => {
                let positions = place.positions(text);
                let line = self.filled(&template.line);
                match positions.is_empty() {
                    true => text.to_owned(),
                    false => place.insert(text, *self.random.pick(&positions), &line).0,
                }
            }
            Put::FromStart(at) => before(at.min(lines.len()), self.filled(&template.line)),
            Put::FromEnd(at) => before(lines.len().saturating_sub(at), self.filled(&template.line)),
            Put::Often(every) => {
                let mut all: Vec<String> = Vec::new();
                for line in lines {
                    all.push(line.to_owned());
                    if self.random.below(every) == 0 {
                        all.push(self.filled(&template.line));
                    }
                }
                all.join("\n")
            }
            Put::PageHead(every) => {
                let title = first_words(lines.first().copied().unwrap_or_default(), 4);
                let mut all: Vec<String> = Vec::new();
                for (number, page) in lines.chunks(every).enumerate() {
                    if number > 0 {
                        all.extend([String::new(), format!("{title}   {}   {number}", template.line), String::new()]);
                    }
                    all.extend(page.iter().map(|&line| line.to_owned()));
                }
                all.join("\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn materials() -> Vec<Vec<Material>> {
        let source = |source: u64| {
            let texts = flowing_texts(source, 30);
            let page = |text: &String| {
                format!(
                    "Home | News | Sport\nOur  weather today\n{text}\nShare this page\nAll rights reserved {{c}}\nRead more here"
                )
            };
            let pages: Vec<String> = texts.iter().map(page).collect();
            let documents: Vec<(&str, &str)> =
                pages.iter().zip(&texts).map(|(page, text)| (&page[..], &text[..])).collect();
            Material::new(&format!("source {source}"), &documents)
        };
        vec![vec![source(1), source(2)], vec![source(3)]]
    }

    #[test]
    fn lines_that_recur_and_are_no_content_are_material() {
        let lines = ["Home | News | Sport", "Our weather today", "Read more here", "Share this page"];
        assert_eq!(materials()[0][0].lines, lines);
        assert_eq!(Material::new("few", &[("Share this\nA", "A"), ("Share this\nB", "B")]).lines, [""; 0]);
    }

    #[test]
    fn what_a_document_was_is_left_if_what_was_put_in_is_taken_out() {
        let made = made_sources(&materials());
        assert_eq!(made.len(), 2 * PER_CORPUS + INVENTED_SOURCES);
        let is_subsequence = |whole: &str, text: &str| {
            let mut words = text.split_whitespace();
            whole.split_whitespace().all(|word| words.any(|other| other == word))
        };
        let all = || made.iter().flat_map(|source| &source.documents);
        assert!(all().all(|(text, whole)| is_subsequence(whole, text)));
        assert!(all().any(|(text, whole)| text != whole) && all().any(|(text, whole)| text == whole));
        assert!(made.iter().all(|source| source.of.is_empty() == (source.corpus == 2)));
    }

    #[test]
    fn the_same_material_makes_the_same_sources() {
        assert_eq!(format!("{:?}", made_sources(&materials())), format!("{:?}", made_sources(&materials())));
        assert!(made_sources(&[]).is_empty());
    }
}
