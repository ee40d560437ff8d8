//! A page with its segments in colors, to look at in a browser.

use super::drawn::{Canvas, LEGEND_STYLE, hundredths};
use crate::html::{PageMark, PageMarks, escaped};
use crate::segmentation::record::SegmentRecord;
use crate::shown::count;

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
/// Their backgrounds. Black text can be read on each of them.
const COLORS: [&str; CLASSES.len()] =
    ["#ffd7d5", "#cfe8ff", "#d3f5d8", "#fff0b3", "#e6d9ff", "#ffdcb8", "#c9f2ee", "#e4e7ea"];
/// Number of segments in the legend.
const SEGMENTS: usize = 20;

/// The page with these segments, which must be those of its text.
pub fn drawn_segments(canvas: &Canvas, segments: &[SegmentRecord]) -> String {
    let &Canvas { page, address, .. } = canvas;
    let mut marks: Vec<PageMark> = segments.iter().flat_map(marks).collect();
    marks.sort_by_key(|mark| mark.range.start);
    page.marked(&PageMarks { marks, address, style: &style(), legend: &legend(segments) })
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

fn style() -> String {
    let all: Vec<String> = CLASSES.iter().map(|class| format!(".{class}")).collect();
    let colors = CLASSES.iter().zip(COLORS);
    let colors =
        colors.map(|(class, color)| format!(".{class} {{ background: {color} !important }}\n")).collect::<String>();
    format!("{} {{ all: unset !important; color: #000 !important }}\n{colors}{LEGEND_STYLE}", all.join(", "))
}

/// A box that lists the segments.
fn legend(segments: &[SegmentRecord]) -> String {
    let mut legend = format!(
        "<details class=\"dehusk-legend\" open><summary>dehusk: {}; point at text to see of which it is</summary>",
        count(segments.len(), "segment")
    );
    for segment in segments.iter().take(SEGMENTS) {
        let nodes = segment.nodes.iter().take(3).map(|node| escaped(node)).collect::<Vec<String>>().join(", ");
        let more = if segment.nodes.len() > 3 { ", …" } else { "" };
        legend += &format!(
            "<span class=\"{}\">{}</span>  {}  {nodes}{more}\n",
            class(segment),
            segment.segment,
            about(segment)
        );
    }
    if segments.len() > SEGMENTS {
        legend += &format!("{}\n", count(segments.len() - SEGMENTS, "other segment"));
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
        let legend = legend(&segments);
        assert!(legend.contains("2 segments") && legend.contains("body/&lt;p&gt;"), "{legend}");
        assert!(style().contains(COLORS[7]));
    }
}
