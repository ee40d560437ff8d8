//! Charts, drawn as SVG.
//!
//! Takes plain figures, gives HTML. A chart scales with its container. Its content is also described in words, below it
//! or for screen readers, so that nobody needs to see it or distinguish colours. The words come from the same figures.

use std::ops::Range;

use maud::{Markup, html};

use super::grouped;

/// A histogram of repeats by share of the documents, on a logarithmic scale, with the cutoff and the two modes around
/// it. `counts` has the count of each bin, from no documents to all.
pub fn histogram(counts: &[u64], cutoff: f64, modes: Option<(f64, f64)>) -> Markup {
    let words = histogram_in_words(counts, cutoff, modes);
    let decades = decades(counts.iter().copied().max().unwrap_or(0));
    let body = html! {
        (count_axis(decades))
        path.bars d=(bars(counts, decades)) {}
        (share_axis())
        (marker("cutoff", cutoff, 0, &format!("cutoff {}", percent(cutoff))))
        @if let Some((low, high)) = modes {
            (marker("mode", high, 2, &format!("mode {}", percent(high))))
            (marker("mode", low, 1, &format!("mode {}", percent(low))))
        }
    };
    figure("Repeats by share of documents", &words, 0.0..BOTTOM + 56.0, &body)
}

/// The share of a document's text that is removed.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentShare<'a> {
    /// The document's name.
    pub name: &'a str,
    /// The share of its text that is removed, 0..=1.
    pub share: f64,
}

/// How much of each document is removed, in the given order, so that a new template shows as a step. If there are many
/// documents, neighbours share a column with their mean, minimum and maximum.
pub fn removed_over_documents(documents: &[DocumentShare]) -> Markup {
    let words = removed_in_words(documents);
    let columns = columns(documents);
    let body = html! {
        (percent_axis())
        path.range d=(band(&columns)) {}
        path.area d=(area(&columns)) {}
        path.level d=(level(&columns)) {}
        @if let [first, .., last] = documents {
            (below("start", LEFT, first.name)) (below("end", RIGHT, last.name))
        } @else if let [only] = documents {
            (below("start", LEFT, only.name))
        }
        @if !documents.is_empty() { (mean_line(mean(documents))) }
    };
    figure("Share of text removed, document by document", &words, TOP - 26.0..BOTTOM + 28.0, &body)
}

/// Where a pattern matches in its documents: number of matches at each place, from the head to the tail.
pub fn strip(places: &[u32]) -> Markup {
    let words = whereabouts(places);
    html! {
        svg.strip viewBox="0 0 120 14" role="img" aria-label=(words) {
            title { (words) }
            path.track d="M0 13.5H120" {}
            path.bars d=(strip_bars(places)) {}
        }
    }
}

/// Where a pattern matches in its documents, in words.
pub fn whereabouts(places: &[u32]) -> &'static str {
    let sum = |is_in: fn(f64) -> bool| -> f64 {
        let middle = |index: usize| (index as f64 + 0.5) / places.len() as f64;
        places.iter().enumerate().filter(|&(index, _)| is_in(middle(index))).map(|(_, &count)| f64::from(count)).sum()
    };
    let (head, tail, all) = (sum(|place| place < 0.2), sum(|place| place > 0.8), sum(|_| true));
    const MOST: f64 = 0.75;
    match () {
        () if all == 0.0 => "no matches",
        () if head >= MOST * all => "matches at the head",
        () if tail >= MOST * all => "matches at the tail",
        () if head + tail >= MOST * all => "matches at the head and at the tail",
        () if head + tail <= (1.0 - MOST) / 2.0 * all => "matches in the middle",
        () => "matches spread over the document",
    }
}

/// A chart of the given height, with its description below.
fn figure(name: &str, words: &str, height: Range<f64>, body: &Markup) -> Markup {
    let view = format!("0 {} {CHART_WIDTH} {}", height.start, height.end - height.start);
    html! {
        figure.chart {
            svg viewBox=(view) role="img" aria-label=(format!("{name}. {words}")) { (body) }
            figcaption { (words) }
        }
    }
}

// The plot area inside the picture. There is room for labels above, to the left and below.
const CHART_WIDTH: f64 = 480.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 472.0;
const TOP: f64 = 66.0;
const BOTTOM: f64 = 214.0;

fn across(share: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * share.clamp(0.0, 1.0)
}

fn up(share: f64) -> f64 {
    BOTTOM - (BOTTOM - TOP) * share.clamp(0.0, 1.0)
}

/// Such as `48 %`, with a no-break space.
fn percent(share: f64) -> String {
    format!("{:.0}\u{a0}%", 100.0 * share)
}

/// Number of powers of ten on the axis: enough to reach `most`, and at least one.
fn decades(most: u64) -> u32 {
    (0..20).find(|&decades| 10u128.pow(decades) >= u128::from(most)).unwrap_or(20).max(1)
}

/// The height of a bar. A count of one is a little above zero, so that it is visible.
fn height(count: u64, decades: u32) -> f64 {
    const GROUND: f64 = 0.25;
    (GROUND + (count as f64).log10()) / (GROUND + f64::from(decades))
}

fn bars(counts: &[u64], decades: u32) -> String {
    let width = (RIGHT - LEFT) / counts.len() as f64;
    let filled = counts.iter().enumerate().filter(|&(_, &count)| count > 0);
    let bar = |(index, &count): (usize, &u64)| {
        let (left, top) = (LEFT + width * index as f64, up(height(count, decades)));
        format!("M{left:.1} {BOTTOM}V{top:.1}h{:.1}V{BOTTOM}z", width * 0.85)
    };
    filled.map(bar).collect()
}

fn count_axis(decades: u32) -> Markup {
    let step = decades.div_ceil(5); // few enough lines that their numbers have room
    html! {
        @for decade in (0..=decades).step_by(step as usize) {
            @let y = up(height(10u64.saturating_pow(decade), decades));
            (grid_line(y, &power_of_ten(decade)))
        }
        text.axis text-anchor="middle" transform=(format!("translate(12 {:.0}) rotate(-90)", (TOP + BOTTOM) / 2.0)) {
            "repeats, log scale"
        }
    }
}

/// Such as `100`, `10k`, `1M`.
fn power_of_ten(decade: u32) -> String {
    let unit = ["", "k", "M", "G", "T", "P", "E"][decade as usize / 3];
    format!("{}{unit}", 10u32.pow(decade % 3))
}

fn grid_line(y: f64, label: &str) -> Markup {
    html! {
        path.grid d=(format!("M{LEFT} {y:.1}H{RIGHT}")) {}
        text.tick text-anchor="end" dominant-baseline="central" x=(LEFT - 6.0) y=(format!("{y:.1}")) { (label) }
    }
}

fn share_axis() -> Markup {
    html! {
        path.axis d=(format!("M{LEFT} {BOTTOM}H{RIGHT}")) {}
        @for quarter in 0..=4 {
            @let share = f64::from(quarter) / 4.0;
            text.tick text-anchor=(if quarter < 4 { "middle" } else { "end" }) x=(across(share)) y=(BOTTOM + 20.0) {
                (percent(share))
            }
        }
        text.axis text-anchor="middle" x=((LEFT + RIGHT) / 2.0) y=(BOTTOM + 46.0) { "share of documents" }
    }
}

fn percent_axis() -> Markup {
    html! {
        @for quarter in 0..=4 {
            @let share = f64::from(quarter) / 4.0;
            (grid_line(up(share), &percent(share)))
        }
    }
}

/// A vertical line at a share of the documents, with its label in one of the rows above the plot.
fn marker(class: &str, share: f64, row: u32, label: &str) -> Markup {
    let (x, y) = (across(share), 18.0 * f64::from(row + 1));
    let (anchor, beside) = if share < 0.5 { ("start", x + 5.0) } else { ("end", x - 5.0) };
    html! {
        g class={ "marker " (class) } {
            path d=(format!("M{x:.1} {:.0}V{BOTTOM}", y - 12.0)) {}
            text text-anchor=(anchor) x=(format!("{beside:.1}")) y=(y - 1.0) { (label) }
        }
    }
}

fn histogram_in_words(counts: &[u64], cutoff: f64, modes: Option<(f64, f64)>) -> String {
    let all: u64 = counts.iter().sum();
    if all == 0 {
        return "There are no repeats.".to_owned();
    }
    let bins = counts.len() as f64;
    let is_above = |index: usize| index as f64 + 1e-9 >= cutoff * bins;
    let above: u64 = counts.iter().enumerate().filter(|&(index, _)| is_above(index)).map(|(_, count)| count).sum();
    let (all, above, cutoff) = (grouped(all), grouped(above), percent(cutoff));
    let counted = format!("{above} of {all} repeats are in {cutoff} of the documents or more, which is the cutoff.");
    match modes {
        Some((low, high)) => {
            format!("{counted} It lies between the two modes, {} and {}.", percent(low), percent(high))
        }
        None => counted,
    }
}

/// Neighbouring documents in one column.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Column {
    least: f64,
    mean: f64,
    most: f64,
}

/// Maximum number of columns. With so many, each is wider than a pixel, and the page is not large.
const COLUMNS: usize = 300;

fn columns(documents: &[DocumentShare]) -> Vec<Column> {
    let count = documents.len().min(COLUMNS);
    let bound = |index: usize| index * documents.len() / count;
    let column = |index: usize| {
        let documents = &documents[bound(index)..bound(index + 1)];
        let shares = documents.iter().map(|document| document.share);
        Column { least: shares.clone().fold(1.0, f64::min), mean: mean(documents), most: shares.fold(0.0, f64::max) }
    };
    (0..count).map(column).collect()
}

fn mean(documents: &[DocumentShare]) -> f64 {
    documents.iter().map(|document| document.share).sum::<f64>() / documents.len().max(1) as f64
}

/// A path of steps from left to right, at the heights of the columns.
fn steps(columns: &[Column], height: fn(&Column) -> f64) -> String {
    let x = |index: usize| LEFT + (RIGHT - LEFT) * index as f64 / columns.len() as f64;
    let step = |(index, column)| format!("V{:.1}H{:.1}", up(height(column)), x(index + 1));
    columns.iter().enumerate().map(step).collect()
}

/// The range of each column, from minimum to maximum.
fn band(columns: &[Column]) -> String {
    let width = (RIGHT - LEFT) / columns.len() as f64;
    let varying = columns.iter().enumerate().filter(|(_, column)| column.least < column.most);
    let bar = |(index, column): (usize, &Column)| {
        let (left, top, bottom) = (LEFT + width * index as f64, up(column.most), up(column.least));
        format!("M{left:.1} {bottom:.1}V{top:.1}h{width:.1}V{bottom:.1}z")
    };
    varying.map(bar).collect()
}

fn area(columns: &[Column]) -> String {
    format!("M{LEFT} {BOTTOM}{}V{BOTTOM}z", steps(columns, |column| column.mean))
}

fn level(columns: &[Column]) -> String {
    let Some(first) = columns.first() else { return String::new() };
    format!("M{LEFT} {:.1}{}", up(first.mean), steps(columns, |column| column.mean))
}

fn mean_line(mean: f64) -> Markup {
    let y = up(mean);
    html! {
        g.marker.mean {
            path d=(format!("M{LEFT} {y:.1}H{RIGHT}")) {}
            text text-anchor="end" x=(RIGHT) y=(TOP - 10.0) { "dashed: mean " (percent(mean)) }
        }
    }
}

/// The name of a document below the plot. Only the end of a long name is shown, because there it differs from its
/// neighbours.
fn below(anchor: &str, x: f64, name: &str) -> Markup {
    const SHOWN: usize = 20;
    let cut = name.char_indices().rev().nth(SHOWN - 1).map_or(0, |(at, _)| at);
    html! {
        text.tick text-anchor=(anchor) x=(x) y=(BOTTOM + 20.0) {
            title { (name) }
            @if cut > 0 { "…" } (name[cut..])
        }
    }
}

fn removed_in_words(documents: &[DocumentShare]) -> String {
    let shares = || documents.iter().map(|document| document.share);
    let (least, most) = (shares().fold(1.0, f64::min), shares().fold(0.0, f64::max));
    match documents {
        [] => "There are no documents.".to_owned(),
        [only] => format!("In the one document, {} of the text is removed.", percent(only.share)),
        _ => {
            let (count, mean) = (grouped(documents.len() as u64), percent(mean(documents)));
            let span = format!("{} to {}", percent(least), percent(most));
            format!(
                "In {count} documents, {span} of the text is removed; the mean is \
                     {mean}.{}",
                quarters_in_words(documents)
            )
        }
    }
}

/// The means of the first and the last quarter, which differ if there is a step.
fn quarters_in_words(documents: &[DocumentShare]) -> String {
    let quarter = documents.len() / 4;
    if quarter == 0 {
        return String::new();
    }
    let (first, last) = (mean(&documents[..quarter]), mean(&documents[documents.len() - quarter..]));
    format!(" In the first quarter it is {}, in the last {}.", percent(first), percent(last))
}

fn strip_bars(places: &[u32]) -> String {
    let most = f64::from(places.iter().copied().max().unwrap_or(0));
    let width = 120.0 / places.len() as f64;
    let filled = places.iter().enumerate().filter(|&(_, &count)| count > 0);
    let bar = |(index, &count): (usize, &u32)| {
        let height = 1.5 + 11.5 * f64::from(count) / most;
        format!("M{:.1} 13.5v-{height:.1}h{:.1}v{height:.1}z", width * index as f64, width * 0.9)
    };
    filled.map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::testing::text_of;

    fn shares(shares: &[f64]) -> Vec<DocumentShare<'static>> {
        shares.iter().map(|&share| DocumentShare { name: "a/b.txt", share }).collect()
    }

    #[test]
    fn a_strip_is_one_path() {
        insta::assert_snapshot!(strip(&[3, 0, 0, 1]).into_string().replace("><", ">\n<"), @r#"
        <svg class="strip" viewBox="0 0 120 14" role="img" aria-label="matches at the head">
        <title>matches at the head</title>
        <path class="track" d="M0 13.5H120">
        </path>
        <path class="bars" d="M0.0 13.5v-13.0h27.0v13.0zM90.0 13.5v-5.3h27.0v5.3z">
        </path>
        </svg>
        "#);
    }

    #[test]
    fn where_matches_stand_is_said_in_words() {
        let words = [&[9, 1, 0, 0, 0][..], &[0, 0, 0, 1, 9], &[5, 0, 0, 1, 4], &[0, 3, 4, 3, 0], &[2, 2, 2, 2, 2]];
        insta::assert_debug_snapshot!(words.map(whereabouts), @r#"
        [
            "matches at the head",
            "matches at the tail",
            "matches at the head and at the tail",
            "matches in the middle",
            "matches spread over the document",
        ]
        "#);
        assert_eq!([whereabouts(&[]), whereabouts(&[0, 0])], ["no matches"; 2]);
    }

    #[test]
    fn a_histogram_says_what_it_shows() {
        let mut counts = [0; 100];
        (counts[3], counts[50], counts[51], counts[97]) = (12_000, 3, 20, 1);
        let svg = histogram(&counts, 0.5, Some((0.03, 0.97))).into_string();
        let words = "24 of 12,024 repeats are in 50 % of the documents or more, which is the cutoff. It lies between \
            the two modes, 3 % and 97 %.";
        let svg = svg.replace('\u{a0}', " ");
        assert_eq!(svg.matches(words).count(), 2, "below the chart, and to screen readers");
        for label in ["share of documents", "repeats, log scale", "cutoff 50 %", "mode 3 %", "mode 97 %", ">100k<"] {
            assert!(svg.contains(label), "{label}");
        }
        assert_eq!(svg.matches('z').count(), 4, "a bar for each bin that holds anything");
    }

    #[test]
    fn ten_times_as_many_are_one_step_higher() {
        let heights = [1, 10, 100, 1000].map(|count| height(count, 3));
        let step = heights[1] - heights[0];
        assert!(heights[0] > 0.0 && heights[3] == 1.0);
        assert!(heights.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-9));
        assert_eq!([0, 1, 10, 11, 1000, 1001, u64::MAX].map(decades), [1, 1, 1, 2, 3, 4, 20]);
    }

    #[test]
    fn what_is_empty_is_drawn_as_empty() {
        for html in [histogram(&[], 0.5, None), histogram(&[0; 100], 0.5, None), removed_over_documents(&[])] {
            let html = html.into_string();
            assert!(html.contains("There are no ") && !html.contains("NaN") && !html.contains("inf"), "{html}");
        }
        assert!(!strip(&[]).into_string().contains("NaN"));
    }

    #[test]
    fn neighbours_share_a_column() {
        assert_eq!(columns(&shares(&[0.25, 0.75])).len(), 2);
        let many: Vec<f64> = (0..900).map(|index| f64::from(index % 3) / 4.0).collect();
        let columns = columns(&shares(&many));
        assert_eq!(columns.len(), COLUMNS);
        assert!(columns.iter().all(|column| *column == Column { least: 0.0, mean: 0.25, most: 0.5 }));
    }

    #[test]
    fn a_million_documents_are_no_larger_than_a_few_hundred() {
        let many: Vec<f64> = (0..1_000_000).map(|index| f64::from(index % 7) / 7.0).collect();
        assert!(removed_over_documents(&shares(&many)).into_string().len() < 40_000);
    }

    #[test]
    fn a_step_is_told() {
        let html = removed_over_documents(&shares(&[0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75])).into_string();
        let words = "In 8 documents, 25 % to 75 % of the text is removed; the mean is 50 %. In the first quarter it \
                     is 25 \
            %, in the last 75 %.";
        assert!(html.replace('\u{a0}', " ").contains(words), "{html}");
    }

    #[test]
    fn names_are_cut_at_their_start_and_never_markup() {
        let name = "<b>/2024-03-05-\"pilot\"-boat.txt";
        let documents = [DocumentShare { name, share: 0.5 }, DocumentShare { name: "last", share: 0.5 }];
        let html = removed_over_documents(&documents).into_string();
        assert!(!html.contains("<b>") && html.contains("&lt;b&gt;/2024"));
        assert!(text_of(&html).contains("…-05-\"pilot\"-boat"), "{}", text_of(&html));
    }

    #[test]
    fn powers_of_ten_are_short() {
        let powers: Vec<String> = (0..8).map(power_of_ten).collect();
        assert_eq!(powers.join(" "), "1 10 100 1k 10k 100k 1M 10M");
    }
}
