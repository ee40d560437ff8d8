//! The texts of the entries of a feed, judged by the feed alone.

use dehusk_crawler::feed::Entry;

use super::Refusal;
use dehusk_core::html::{Tree, read};
use dehusk_run::scoring::opponents::LineCounts;
use dehusk_run::scoring::score::MIN_GOLD_WORDS;
use dehusk_run::scoring::words::word_ranges;

/// With fewer entries, a feed does not show which lines it repeats, or where it cuts texts.
const MIN_ENTRIES: usize = 4;
/// A line in this share of the entries belongs to the feed, and not to an article.
const REPEATED: f64 = 0.5;
/// If the longest entry is at most this many times as long as the median entry, all entries are cut at the same length.
const CUT_SPREAD: f64 = 1.1;

/// A line of an entry.
struct Line {
    text: String,
    /// The text without links at its end, such as "Read more".
    without_links: String,
}

/// The text of each entry of a feed, one line per block, without the lines that the feed adds to its entries; or the
/// reason why it cannot be the full text of an article.
pub fn entry_texts(entries: &[Entry]) -> Vec<Result<String, Refusal>> {
    let lines: Vec<Vec<Line>> =
        entries.iter().map(|entry| entry.html.as_deref().map(lines).unwrap_or_default()).collect();
    let own = without_repeated(entries, lines);
    let texts = own.iter().map(|lines| text_of(lines));
    let texts: Vec<String> = texts.collect();
    let is_cut = is_cut(&texts);
    let judged = entries.iter().zip(&own).zip(texts).map(|((entry, lines), text)| match refused(entry, lines, &text) {
        Some(refusal) => Err(refusal),
        None if is_cut => Err(Refusal::SameLength),
        None => Ok(text),
    });
    judged.collect()
}

fn refused(entry: &Entry, lines: &[Line], text: &str) -> Option<Refusal> {
    let with_words = lines.iter().filter(|line| has_words(&line.text)).count();
    match () {
        () if with_words == 0 => Some(Refusal::NoText),
        () if ends_in_ellipsis(lines) => Some(Refusal::Ellipsis),
        () if !entry.is_content && with_words == 1 => Some(Refusal::Summary),
        () if word_ranges(text).count() < MIN_GOLD_WORDS => Some(Refusal::Short),
        () => None,
    }
}

fn text_of(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.as_str()).collect::<Vec<&str>>().join("\n")
}

fn has_words(text: &str) -> bool {
    word_ranges(text).next().is_some()
}

/// The lines of an entry.
fn lines(html: &str) -> Vec<Line> {
    let (text, tree) = read::<Tree>(html);
    let is_link = |run: usize| tree.ancestors(run).any(|node| tree.name(node) == "a");
    let unlinked: Vec<usize> = tree.runs().filter(|&run| !is_link(run)).map(|run| tree.text(run).end).collect();
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        start += line.len();
        let (from, to) = (start - line.len(), start);
        let end = unlinked[..unlinked.partition_point(|&end| end <= to)].last().map_or(from, |&end| end.max(from));
        Line { text: line.trim_end().to_owned(), without_links: text[from..end].trim_end().to_owned() }
    });
    lines.filter(|line| !line.text.is_empty()).collect()
}

/// The lines that are in less than half of the entries. Lines that differ only in numbers or in the title of their
/// entry count as equal: "The post Rain all week appeared first on Tide".
fn without_repeated(entries: &[Entry], lines: Vec<Vec<Line>>) -> Vec<Vec<Line>> {
    let filled = lines.iter().filter(|lines| !lines.is_empty()).count();
    if filled < MIN_ENTRIES {
        return lines;
    }
    let masked = |entry: &Entry, line: &str| match entry.title.as_deref().map(str::trim) {
        Some(title) if !title.is_empty() && line != title => line.replace(title, ""),
        _ => line.to_owned(),
    };
    let texts: Vec<String> = entries
        .iter()
        .zip(&lines)
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(entry, lines)| lines.iter().map(|line| masked(entry, &line.text) + "\n").collect())
        .collect();
    let counts = LineCounts::of(texts.iter().map(String::as_str));
    let repeated = counts.documents_of_share(REPEATED);
    let own = entries.iter().zip(lines).map(|(entry, lines)| {
        let is_own = |line: &Line| !has_words(&line.text) || counts.count(&masked(entry, &line.text)) < repeated;
        lines.into_iter().filter(is_own).collect()
    });
    own.collect()
}

/// Whether the text ends in an ellipsis. Links may follow the ellipsis.
fn ends_in_ellipsis(lines: &[Line]) -> bool {
    let is_bracket = |c: char| c.is_whitespace() || ")]}>»→›".contains(c);
    let ends = |text: &str| {
        let text = text.trim_end_matches(is_bracket);
        text.ends_with('…') || text.ends_with("...")
    };
    let last = lines.iter().rev().find(|line| !line.without_links.is_empty());
    lines.last().is_some_and(|line| ends(&line.text)) || last.is_some_and(|line| ends(&line.without_links))
}

/// Whether most entries end at the same length, in characters or in words.
fn is_cut(texts: &[String]) -> bool {
    let texts: Vec<&String> = texts.iter().filter(|text| !text.is_empty()).collect();
    let is_even = |length: &dyn Fn(&String) -> usize| {
        let mut lengths: Vec<usize> = texts.iter().map(|text| length(text)).collect();
        lengths.sort_unstable();
        let longest = lengths.last().copied().unwrap_or_default();
        longest as f64 <= CUT_SPREAD * lengths[lengths.len() / 2] as f64
    };
    texts.len() >= MIN_ENTRIES && (is_even(&|text| text.chars().count()) || is_even(&|text| word_ranges(text).count()))
}

#[cfg(test)]
mod tests {
    use dehusk_crawler::address::Address;

    use super::*;

    const STORY: &str = "<p>The ferry came in late again on Friday, and the choir that was on board sang to those who waited.</p>\
        <p>Nobody asked for their money back on Friday, said the harbour master.</p>";

    fn entry(number: usize, html: &str) -> Entry {
        Entry {
            page: Address::parse(&format!("https://tide.example/{number}")).expect("an address"),
            date: None,
            title: Some(format!("Story {number} of the tide")),
            html: (!html.is_empty()).then(|| html.to_owned()),
            is_content: true,
        }
    }

    /// Stories of different length.
    fn stories(count: usize, end: impl Fn(usize) -> String) -> Vec<Entry> {
        let story = |number: usize| STORY.replace("Friday", &"day after ".repeat(number * number + 1)) + &end(number);
        (0..count).map(|number| entry(number, &story(number))).collect()
    }

    fn only(entry: Entry) -> Result<String, Refusal> {
        entry_texts(&[entry]).swap_remove(0)
    }

    #[test]
    fn a_text_has_a_line_for_each_block() {
        let text = only(entry(1, STORY)).expect("a text");
        assert_eq!(text.lines().count(), 2);
        assert!(text.ends_with("said the harbour master."));
    }

    #[test]
    fn what_the_feed_adds_to_its_entries_is_left_out() {
        let end = |number| {
            format!(
                "<p>The post <a href=x>Story {number} of the tide</a> appeared first on <b>Tide</b>.</p><p>{number} comments</p>"
            )
        };
        for text in entry_texts(&stories(4, end)) {
            assert!(text.as_ref().is_ok_and(|text| text.ends_with("said the harbour master.")), "{text:?}");
        }
        // Three entries are too few to show the lines of the feed.
        for text in entry_texts(&stories(3, end)) {
            assert!(text.as_ref().is_ok_and(|text| text.ends_with("comments")), "{text:?}");
        }
    }

    #[test]
    fn a_line_in_less_than_half_of_the_entries_is_of_the_article() {
        let end = |number| if number < 2 { "<p>Updates follow tonight.</p>".to_owned() } else { String::new() };
        let texts = entry_texts(&stories(5, end));
        assert!(texts[0].as_ref().is_ok_and(|text| text.ends_with("Updates follow tonight.")), "{texts:?}");
        let texts = entry_texts(&stories(4, end));
        assert!(texts[0].as_ref().is_ok_and(|text| text.ends_with("harbour master.")), "{texts:?}");
    }

    #[test]
    fn an_ellipsis_ends_a_teaser() {
        for end in [
            " […]",
            " [...]</p>",
            "…",
            "... <a href=x>Read more</a>",
            "&hellip;</p><p><a href=x>Read</a> <a href=y>more</a></p>",
            " <a href=x>(more…)</a>",
        ] {
            assert_eq!(only(entry(1, &format!("{STORY}<p>The captain{end}"))), Err(Refusal::Ellipsis), "{end}");
        }
        for end in [" went… home.", " <a href=x>went home</a>", ". And … what <a href=x>more</a> is there?"] {
            assert!(only(entry(1, &format!("{STORY}<p>The captain{end}"))).is_ok(), "{end}");
        }
        // The ellipsis also counts if lines of the feed follow it.
        for end in ["<p>[…]</p>", "<p>[…]</p><p>First seen on <b>Tide</b>.</p>"] {
            let texts = entry_texts(&stories(4, |_| end.to_owned()));
            assert!(texts.iter().all(|text| *text == Err(Refusal::Ellipsis)), "{end} {texts:?}");
        }
    }

    #[test]
    fn a_summary_has_one_paragraph() {
        let (one, two) = (STORY.split_once("</p>").expect("paragraphs").0, STORY);
        let summary = |html| only(Entry { is_content: false, ..entry(1, html) });
        assert_eq!(summary(one), Err(Refusal::Summary));
        assert!(summary(two).is_ok());
        assert!(only(entry(1, one)).is_ok());
    }

    #[test]
    fn without_text_there_is_nothing_to_compare() {
        assert_eq!(only(entry(1, "")), Err(Refusal::NoText));
        assert_eq!(only(entry(1, "<img src=x>")), Err(Refusal::NoText));
        assert_eq!(only(entry(1, "<p>Two words.")), Err(Refusal::Short));
    }

    #[test]
    fn entries_of_one_length_are_cut() {
        let cut = |count| -> Vec<Entry> {
            let words = |number: usize| vec![["rain", "sun", "wind", "snow"][number % 4]; 50 + number];
            (0..count).map(|number| entry(number, &format!("<p>{}</p>", words(number).join(" ")))).collect()
        };
        assert!(entry_texts(&cut(4)).iter().all(|text| *text == Err(Refusal::SameLength)));
        assert!(entry_texts(&cut(3)).iter().all(Result::is_ok));
        assert!(entry_texts(&stories(4, |_| String::new())).iter().all(Result::is_ok));
    }
}
