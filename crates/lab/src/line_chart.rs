//! Line charts as SVG files, for documentation.
//!
//! Takes figures by page number, and draws charts one below the other, over the same range of pages. Lines differ in
//! dashes, not only in colour.

use std::fmt::Write as _;

/// Several lines over the same axes.
#[derive(Clone, Debug, PartialEq)]
pub struct LineChart<'a> {
    /// The title above the chart.
    pub title: &'a str,
    /// The unit of the horizontal axis.
    pub axis: &'a str,
    /// The upper end of the vertical axis. Larger figures are drawn at this end.
    pub top: f64,
    /// A name and points for each line: page number and figure, from left to right.
    pub lines: Vec<(&'a str, Vec<(f64, f64)>)>,
    /// A page to mark, and why.
    pub mark: Option<(f64, &'a str)>,
}

const PLOT_WIDTH: f64 = 720.0;
const PLOT_HEIGHT: f64 = 260.0;
const PLOT_LEFT: f64 = 60.0;
const PLOT_RIGHT: f64 = 700.0;
const PLOT_TOP: f64 = 50.0;
const PLOT_BOTTOM: f64 = 216.0;

/// Colours and dashes of the lines, used in turn.
const STYLES: [(&str, &str); 4] = [("#0b62a4", ""), ("#c4420c", "7 3"), ("#23803b", "2 3"), ("#6b4c9a", "9 3 2 3")];

/// An SVG file with the charts. `comment` is written at the start. The page axis ends at `pages`.
pub fn picture(charts: &[LineChart], pages: f64, comment: &str) -> String {
    let height = PLOT_HEIGHT * charts.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {PLOT_WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n{comment}\n<rect width=\"{PLOT_WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    for (index, chart) in charts.iter().enumerate() {
        let _ = writeln!(svg, "<g transform=\"translate(0 {})\">", PLOT_HEIGHT * index as f64);
        draw(&mut svg, chart, pages.max(1.0));
        svg.push_str("</g>\n");
    }
    svg + "</svg>\n"
}

fn draw(svg: &mut String, chart: &LineChart, pages: f64) {
    let _ = writeln!(svg, "<text x=\"{PLOT_LEFT}\" y=\"18\" font-weight=\"bold\">{}</text>", escaped(chart.title));
    for quarter in 0..=4 {
        let share = f64::from(quarter) / 4.0;
        let (x, y) = (PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * share, PLOT_BOTTOM - (PLOT_BOTTOM - PLOT_TOP) * share);
        let (page, figure) = (rounded(pages * share), rounded(chart.top * share));
        let _ = writeln!(svg, "<path d=\"M{PLOT_LEFT} {y:.1}H{PLOT_RIGHT}\" stroke=\"#ddd\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{figure}</text>",
            PLOT_LEFT - 6.0,
            y + 4.0
        );
        let _ =
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{page}</text>", PLOT_BOTTOM + 18.0);
    }
    let (middle, below) = ((PLOT_LEFT + PLOT_RIGHT) / 2.0, PLOT_BOTTOM + 34.0);
    let _ =
        writeln!(svg, "<text x=\"{middle:.1}\" y=\"{below:.1}\" text-anchor=\"middle\">{}</text>", escaped(chart.axis));
    if let Some((page, why)) = chart.mark {
        let x = across(page, pages);
        let _ =
            writeln!(svg, "<path d=\"M{x:.1} {PLOT_TOP}V{PLOT_BOTTOM}\" stroke=\"#888\" stroke-dasharray=\"1 3\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"#555\">{}</text>",
            x + 4.0,
            PLOT_BOTTOM - 6.0,
            escaped(why)
        );
    }
    for (index, (name, points)) in chart.lines.iter().enumerate() {
        draw_line(svg, index, name, points, (pages, chart.top));
    }
}

fn draw_line(svg: &mut String, index: usize, name: &str, points: &[(f64, f64)], (pages, top): (f64, f64)) {
    let (colour, dashes) = STYLES[index % STYLES.len()];
    let pen = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"");
    let place = |&(page, figure): &(f64, f64)| format!("{:.1},{:.1}", across(page, pages), up(figure, top));
    let places = points.iter().map(place).collect::<Vec<String>>().join(" ");
    let _ = writeln!(svg, "<polyline {pen} points=\"{places}\"/>");
    let x = PLOT_LEFT + 160.0 * index as f64;
    let _ = writeln!(svg, "<path {pen} d=\"M{x} 34h24\"/><text x=\"{}\" y=\"38\">{}</text>", x + 30.0, escaped(name));
}

fn across(page: f64, pages: f64) -> f64 {
    PLOT_LEFT + (PLOT_RIGHT - PLOT_LEFT) * (page / pages).clamp(0.0, 1.0)
}

fn up(figure: f64, top: f64) -> f64 {
    PLOT_BOTTOM - (PLOT_BOTTOM - PLOT_TOP) * (figure / top.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
}

/// A figure with at most two decimals, without trailing zeros.
fn rounded(figure: f64) -> String {
    let written = format!("{figure:.2}");
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_where_their_figures_are() {
        let lines = vec![("recall", vec![(0.0, 0.0), (50.0, 0.5), (100.0, 2.0)]), ("a < b", vec![])];
        let chart = LineChart { title: "R & P", axis: "page", top: 1.0, lines, mark: Some((25.0, "redesign")) };
        let svg = picture(&[chart.clone(), chart], 100.0, "<!-- us -->");
        assert_eq!(svg.matches("points=\"60.0,216.0 380.0,133.0 700.0,50.0\"").count(), 2, "{svg}");
        assert!(svg.contains("M220.0 50V216") && svg.contains("a &lt; b") && svg.contains("R &amp; P"), "{svg}");
        assert!(svg.contains(">0.25<") && svg.contains(">75<") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        let svg = picture(
            &[LineChart { title: "", axis: "page", top: 0.0, lines: vec![("x", vec![(0.0, 0.0)])], mark: None }],
            0.0,
            "<!-- us -->",
        );
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
