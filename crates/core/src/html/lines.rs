//! Visible text while it is built: white space is collapsed, and each block has its own line.
//!
//! The separator between 2 words is only known when the second word comes: white space, block boundaries and cell
//! boundaries between them become 1 separator, the strongest of them. So the separator waits in `gap`. No line is ever
//! empty or ends in a space.

use super::map::{Origin, Trace};

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Lines<T> {
    text: Vec<u8>,
    trace: T,
    /// The separator between the text so far and the text that follows.
    gap: Gap,
    /// The pieces of white space in the source that `Gap::Space` stands for.
    spaces: Vec<Blank>,
    /// The start of the current segment (a line, or a cell in it), before its separator.
    segment: usize,
    /// The separator before the segment.
    separator: Gap,
    /// Whether the segment has more than white space. No-break spaces count as white space here.
    inked: bool,
    /// The end of the text without trailing white space. Only elements that keep white space leave some there.
    solid: usize,
    cell: Cell,
}

/// The separator between 2 words, the weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Tab,
    Line,
}

/// A stretch of white space.
#[derive(Debug)]
struct Blank {
    origin: Origin,
    len: usize,
}

/// The current table cell, if any.
#[derive(Debug, Default)]
struct Cell {
    /// Whether the cell has no text yet.
    fresh: bool,
    /// The position of the tab before the cell.
    tab: Option<usize>,
    /// Whether the cell has more than 1 line.
    broken: bool,
}

impl<T: Trace> Lines<T> {
    /// Adds text and collapses its white space. Decoded text must be all white space, or have none.
    pub(super) fn flow(&mut self, text: &[u8], origin: Origin) {
        let mut at = 0;
        while at < text.len() {
            if is_space(text[at]) {
                let len = text[at..].iter().take_while(|&&byte| is_space(byte)).count();
                self.collapse(|| Blank { origin: origin.after(at), len });
                at += len;
            } else {
                let end = at + run_len(&text[at..]);
                self.open_gap();
                self.write(&text[at..end], origin.after(at));
                self.solid = self.text.len();
                at = end;
            }
        }
    }

    /// Adds text that leads back to its origin only as a whole, with collapsed white space.
    pub(super) fn flow_whole(&mut self, text: &[u8], origin: &Origin) {
        let words: Vec<&[u8]> = text.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).collect();
        if !words.is_empty() {
            self.open_gap();
            self.write(&words.join(&b' '), origin.clone());
            self.solid = self.text.len();
        }
    }

    /// Adds text and keeps its white space. Blank lines at the start of a line are dropped.
    pub(super) fn keep(&mut self, text: &[u8], origin: Origin) {
        let starts_line = self.gap > Gap::Space || self.text.is_empty();
        let skipped = if starts_line { blank_lines_len(text) } else { 0 };
        let text = &text[skipped..];
        if text.is_empty() {
            return;
        }
        self.open_gap();
        let start = self.text.len();
        self.write(text, origin.after(skipped));
        if let Some(last) = text.iter().rposition(|&byte| !is_space(byte)) {
            self.solid = start + last + 1;
        }
    }

    /// Separates the following text from the text so far, within the line.
    pub(super) fn space(&mut self) {
        self.gap = self.gap.max(Gap::Space);
    }

    /// The receiver of the origins.
    pub(super) fn trace(&mut self) -> &mut T {
        &mut self.trace
    }

    /// Ends the line.
    pub(super) fn end_line(&mut self) {
        self.gap = Gap::Line;
        self.trace.part_blocks();
    }

    /// Starts a table cell. A row of short cells is 1 line with tabs between the cells, as it looks in the browser and
    /// as it is copied from there. A cell with several lines gets its own lines, because its first line does not belong
    /// to the last line of the cell before. Most such cells are in tables that lay out a page.
    pub(super) fn start_cell(&mut self) {
        if self.gap == Gap::Line && !self.cell.fresh {
            self.break_cell();
        }
        let gap = match self.cell.broken {
            true => Gap::Line,
            false => Gap::Tab,
        };
        self.gap = self.gap.max(gap);
        self.cell = Cell { fresh: true, ..Cell::default() };
        self.trace.part_blocks();
    }

    /// Ends a table cell.
    pub(super) fn end_cell(&mut self) {
        self.cell.fresh = false;
        self.cell.tab = None;
        self.trace.part_blocks();
    }

    /// The finished text, and its trace.
    pub(super) fn finish(mut self) -> (String, T) {
        let end = match self.inked {
            true => self.solid,
            false => self.segment,
        };
        self.truncate(end);
        let text =
            String::from_utf8(self.text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        (text, self.trace)
    }

    fn collapse(&mut self, blank: impl FnOnce() -> Blank) {
        let goes_on = self.gap == Gap::Space && !self.spaces.is_empty();
        if T::WANTED && (self.gap == Gap::None || goes_on) {
            self.spaces.push(blank());
        }
        self.space();
    }

    /// Writes the separator that waits in `gap`.
    fn open_gap(&mut self) {
        match std::mem::take(&mut self.gap) {
            Gap::None => {}
            Gap::Space => self.write_space(),
            separator => self.open_segment(separator),
        }
        self.spaces.clear();
    }

    fn write_space(&mut self) {
        self.truncate(self.solid);
        if self.text.is_empty() {
            return;
        }
        self.text.push(b' ');
        let space = self.text.len() - 1..self.text.len();
        for Blank { origin, len } in self.spaces.drain(..) {
            self.trace.add_space(space.clone(), origin, len);
        }
    }

    fn open_segment(&mut self, mut separator: Gap) {
        if self.inked {
            self.truncate(self.solid);
        } else {
            self.truncate(self.segment);
            separator = separator.max(self.separator);
        }
        self.segment = self.text.len();
        self.separator = separator;
        self.inked = false;
        self.write_separator(separator);
        self.cell.fresh = false;
        self.solid = self.text.len();
    }

    fn write_separator(&mut self, separator: Gap) {
        if self.segment == 0 {
            return;
        }
        if !self.cell.fresh && separator == Gap::Line {
            self.break_cell();
        }
        if self.cell.fresh && separator == Gap::Tab {
            self.cell.tab = Some(self.segment);
        }
        self.text.push(match separator {
            Gap::Line => b'\n',
            _ => b'\t',
        });
    }

    /// Gives the cell its own lines: the tab before it becomes a line break.
    fn break_cell(&mut self) {
        self.cell.broken = true;
        let tab = self.cell.tab.take();
        if let Some(tab) = tab.and_then(|at| self.text.get_mut(at)) {
            *tab = b'\n';
        }
    }

    fn write(&mut self, text: &[u8], origin: Origin) {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        self.trace.add(start..self.text.len(), origin);
        if !self.inked {
            self.inked = text.iter().any(|&byte| is_ink(byte));
        }
    }

    fn truncate(&mut self, len: usize) {
        if len < self.text.len() {
            self.text.truncate(len);
            self.trace.truncate(len);
        }
    }
}

/// Whether a byte is white space that collapses.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0C' | b'\r')
}

/// Whether a byte is part of a visible character. The 2 bytes of the no-break space do not count: every visible
/// character has another byte as well.
fn is_ink(byte: u8) -> bool {
    !is_space(byte) && !matches!(byte, b'\xC2' | b'\xA0')
}

/// The length of the words at the start of `text` that have single spaces between them.
fn run_len(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() {
        let next = text.get(at + 1);
        let goes_on = !is_space(text[at]) || text[at] == b' ' && next.is_some_and(|&b| !is_space(b));
        if !goes_on {
            break;
        }
        at += 1;
    }
    at
}

/// The length of the lines at the start of `text` that have only white space.
fn blank_lines_len(text: &[u8]) -> usize {
    let blank = text.iter().position(|&byte| !is_space(byte));
    let blank = &text[..blank.unwrap_or(text.len())];
    blank.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a script. `|` ends the line, `[` and `]` enclose a cell, `_` is a gap, `{` and `}` enclose kept white
    /// space. Everything else is text.
    #[track_caller]
    fn lays_out(script: &str, expected: &str) {
        let mut lines = Lines::<()>::default();
        let mut kept = false;
        for piece in script.split_inclusive(['|', '[', ']', '_', '{', '}']) {
            let text = piece.trim_end_matches(['|', '[', ']', '_', '{', '}']);
            match kept {
                true => lines.keep(text.as_bytes(), Origin::verbatim(0)),
                false => lines.flow(text.as_bytes(), Origin::verbatim(0)),
            }
            match piece.as_bytes().last() {
                Some(b'|') => lines.end_line(),
                Some(b'[') => lines.start_cell(),
                Some(b']') => lines.end_cell(),
                Some(b'_') => lines.space(),
                Some(b'{') => kept = true,
                Some(b'}') => kept = false,
                _ => {}
            }
        }
        assert_eq!(lines.finish().0, expected, "{script}");
    }

    #[test]
    fn white_space_collapses() {
        lays_out("  a \n\t b  ", "a b");
        lays_out("a_ b__c_", "a b c");
        lays_out("||  |a || b| |", "a\nb");
    }

    #[test]
    fn no_break_spaces_stay_but_make_no_line() {
        lays_out("\u{a0}a\u{a0}\u{a0}b", "\u{a0}a\u{a0}\u{a0}b");
        lays_out("a|\u{a0} \u{a0}|b|\u{a0}", "a\nb");
        lays_out("|[a][\u{a0}][b]|", "a\tb");
        lays_out("|[\u{a0}][b]|[\u{a0}]|c", "b\nc");
    }

    #[test]
    fn kept_space_is_kept_within() {
        lays_out("a|{ \n  b  c\n\n d \n }|e", "a\n  b  c\n\n d\ne");
        lays_out("{  a}", "  a");
        lays_out("a_{b  }_c", "a b c");
    }

    #[test]
    fn short_cells_share_a_line() {
        lays_out("|[a][b][c]|[d][ ][e]|f", "a\tb\tc\nd\te\nf");
    }

    #[test]
    fn long_cells_have_lines_of_their_own() {
        lays_out("|[a][b|c][d]|", "a\nb\nc\nd");
        lays_out("|[|a|][|b|]|", "a\nb");
    }

    #[test]
    fn tables_nest() {
        lays_out("|[a][|[b][c]|][d]|e", "a\nb\tc\nd\ne");
        lays_out("|[a][x|[b][c]|y][d]|e", "a\nx\nb\tc\ny\nd\ne");
    }
}
