//! A page with its segments or blocks in colors, to look at in a browser.

use dehusk_core::html::{PageMark, PageMarks, escaped};
use dehusk_core::shown::count;
use dehusk_run::explain::drawn::{Canvas, LEGEND_STYLE, hundredths};
use dehusk_segments::importance::record::BlockRecord;
use dehusk_segments::segmentation::record::SegmentRecord;

/// The classes of the colors. Segments take them in turn.
const CLASSES: [&str; 8] = [
    "dehusk-segment-0",
    "dehusk-segment-1",
    "dehusk-segment-2",
    "dehusk-segment-3",
    "dehusk-segment-4",
    "dehusk-segment-5",
    "dehusk-segment-6",
    "dehusk-segment-7",
];
/// The background colors of these classes. Black text can be read on each of them.
const COLORS: [&str; CLASSES.len()] =
    ["#ffd7d5", "#cfe8ff", "#d3f5d8", "#fff0b3", "#e6d9ff", "#ffdcb8", "#c9f2ee", "#e4e7ea"];
/// Number of segments or blocks in the legend.
const PARTS_LISTED: usize = 20;
/// The classes of the levels of importance, with their colors and names.
const LEVELS: [(&str, &str, &str); 4] = [
    ("dehusk-level-1", "#e4e7ea", "noise"),
    ("dehusk-level-2", "#cfe8ff", "useful"),
    ("dehusk-level-3", "#fff0b3", "of the topic"),
    ("dehusk-level-4", "#d3f5d8", "main content"),
];

/// The page with these segments drawn on it. They must be segments of its text.
pub fn drawn_segments(canvas: &Canvas, segments: &[SegmentRecord]) -> String {
    let marks = segments.iter().flat_map(marks).collect();
    let row = |segment: &SegmentRecord| {
        format!("<span class=\"{}\">{}</span>  {}", class(segment), segment.segment, about(segment))
    };
    let rows: Vec<(String, &[String])> = segments.iter().map(|segment| (row(segment), &segment.nodes[..])).collect();
    drawn(canvas, marks, &style(CLASSES.into_iter().zip(COLORS)), &legend("segment", &rows))
}

/// The page with these blocks drawn on it, in the colors of their importance. They must be blocks of its text.
pub fn drawn_blocks(canvas: &Canvas, blocks: &[BlockRecord]) -> String {
    let level = |block: &BlockRecord| LEVELS[usize::from(block.level.clamp(1, 4)) - 1];
    let about = |block: &BlockRecord| {
        let (probability, words) = (hundredths(block.probability), count(block.words as usize, "word"));
        format!("level {}, {} ({probability}), {words}", block.level, level(block).2)
    };
    let marks = |block: &BlockRecord| {
        let (class, title) = (level(block).0, format!("block {}: {}", block.block, about(block)));
        block.text.iter().map(|&(start, end)| PageMark { range: start..end, class, title: title.clone() }).collect()
    };
    let marks = blocks.iter().flat_map::<Vec<PageMark>, _>(marks).collect();
    let row =
        |block: &BlockRecord| format!("<span class=\"{}\">{}</span>  {}", level(block).0, block.block, about(block));
    let rows: Vec<(String, &[String])> = blocks.iter().map(|block| (row(block), &block.nodes[..])).collect();
    drawn(canvas, marks, &style(LEVELS.into_iter().map(|(class, color, _)| (class, color))), &legend("block", &rows))
}

fn drawn(canvas: &Canvas, mut marks: Vec<PageMark>, style: &str, legend: &str) -> String {
    marks.sort_by_key(|mark| mark.range.start);
    canvas.page.marked(&PageMarks { marks, address: canvas.address, style, legend })
}

fn class(segment: &SegmentRecord) -> &'static str {
    CLASSES[segment.segment % CLASSES.len()]
}

fn marks(segment: &SegmentRecord) -> impl Iterator<Item = PageMark> + '_ {
    let title = format!("segment {}: {}", segment.segment, about(segment));
    segment.text.iter().map(move |&(start, end)| PageMark {
        range: start..end,
        class: class(segment),
        title: title.clone(),
    })
}

fn about(segment: &SegmentRecord) -> String {
    let score = segment.score.map(|score| format!(", template {}", hundredths(score))).unwrap_or_default();
    format!("{}{score}", count(segment.words as usize, "word"))
}

fn style(colors: impl Iterator<Item = (&'static str, &'static str)> + Clone) -> String {
    let all: Vec<String> = colors.clone().map(|(class, _)| format!(".{class}")).collect();
    let colors: String =
        colors.map(|(class, color)| format!(".{class} {{ background: {color} !important }}\n")).collect();
    format!("{} {{ all: unset !important; color: #000 !important }}\n{colors}{LEGEND_STYLE}", all.join(", "))
}

/// A box that lists segments or blocks: a description of each, and its nodes.
fn legend(what: &str, rows: &[(String, &[String])]) -> String {
    let mut legend = format!(
        "<details class=\"dehusk-legend\" open><summary>dehusk: {}; point at text to see of which it is</summary>",
        count(rows.len(), what)
    );
    for (row, nodes) in rows.iter().take(PARTS_LISTED) {
        let more = if nodes.len() > 3 { ", …" } else { "" };
        let nodes = nodes.iter().take(3).map(|node| escaped(node)).collect::<Vec<String>>().join(", ");
        legend += &format!("{row}  {nodes}{more}\n");
    }
    if rows.len() > PARTS_LISTED {
        legend += &format!("{}\n", count(rows.len() - PARTS_LISTED, &format!("other {what}")));
    }
    legend + "</details>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_have_colors_and_a_line_in_the_legend() {
        let segment = |segment: usize, text: Vec<(usize, usize)>| SegmentRecord {
            segment,
            text,
            words: 2,
            score: Some(0.25),
            nodes: vec!["body/<p>".to_owned()],
            ..SegmentRecord::default()
        };
        let segments = [segment(0, vec![(0, 3), (9, 12)]), segment(9, vec![(4, 8)])];
        let marks: Vec<PageMark> = segments.iter().flat_map(marks).collect();
        assert_eq!([marks[0].class, marks[1].class, marks[2].class], [CLASSES[0], CLASSES[0], CLASSES[1]]);
        assert_eq!(marks[2].title, "segment 9: 2 words, template .25");
        let rows: Vec<(String, &[String])> =
            segments.iter().map(|segment| (about(segment), &segment.nodes[..])).collect();
        let legend = legend("segment", &rows);
        assert!(legend.contains("2 segments") && legend.contains("body/&lt;p&gt;"), "{legend}");
        assert!(style(CLASSES.into_iter().zip(COLORS)).contains(COLORS[7]));
    }
}
