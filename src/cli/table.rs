//! Tables as text: words are aligned left, figures right, and columns are as wide as they need to be.

use std::fmt::{self, Display, Formatter};

/// A table, which is built column by column and then row by row.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Vec<Column>,
    /// Headings that several columns share, each with the index of the first column and the number of columns.
    groups: Vec<(usize, usize, String)>,
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Debug)]
struct Column {
    head: String,
    is_figures: bool,
}

impl Table {
    /// Adds a column of words.
    pub fn words(self, head: &str) -> Table {
        self.column(head, false)
    }

    /// Adds columns of figures.
    pub fn figures<'h>(self, heads: impl IntoIterator<Item = &'h str>) -> Table {
        heads.into_iter().fold(self, |table, head| table.column(head, true))
    }

    /// Adds columns of figures under a common heading.
    pub fn group<'h>(mut self, heading: String, heads: impl IntoIterator<Item = &'h str>) -> Table {
        let first = self.columns.len();
        self = self.figures(heads);
        self.groups.push((first, self.columns.len() - first, heading));
        self
    }

    /// Adds a row, with a cell for each column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    fn column(mut self, head: &str, is_figures: bool) -> Table {
        self.columns.push(Column { head: head.to_owned(), is_figures });
        self
    }

    fn widths(&self) -> Vec<usize> {
        let width = |(index, column): (usize, &Column)| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            cells.chain([&column.head]).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        self.columns.iter().enumerate().map(width).collect()
    }

    fn groups_line(&self, widths: &[usize]) -> String {
        let mut line = String::new();
        for (first, count, heading) in &self.groups {
            let start = widths[..*first].iter().map(|width| width + GAP.len()).sum::<usize>();
            let inner = widths[*first..first + count].iter().map(|width| width + GAP.len()).sum::<usize>();
            let blank = start.saturating_sub(line.chars().count());
            line += &format!("{:blank$}{heading:inner$}", "");
        }
        line
    }

    fn line<'c>(&self, cells: impl Iterator<Item = &'c String>, widths: &[usize]) -> String {
        let cell = |((cell, column), width): ((&String, &Column), &usize)| match column.is_figures {
            true => format!("{cell:>width$}"),
            false => format!("{cell:width$}"),
        };
        cells.zip(&self.columns).zip(widths).map(cell).collect::<Vec<String>>().join(GAP)
    }
}

const GAP: &str = "  ";

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        if !self.groups.is_empty() {
            writeln!(f, "{}", self.groups_line(&widths).trim_end())?;
        }
        writeln!(f, "{}", self.line(self.columns.iter().map(|column| &column.head), &widths).trim_end())?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", self.line(row.iter(), &widths).trim_end()))
    }
}

/// A number without the zero before the point: `.987`, as in the literature.
pub fn decimal(value: f64, digits: usize) -> String {
    let written = format!("{value:.digits$}");
    match written.strip_prefix("-0.") {
        Some(digits) => format!("-.{digits}"),
        None => written.strip_prefix('0').map_or(written.clone(), str::to_owned),
    }
}

/// `58.1 %`, or `-` if there is no figure.
pub fn percent(share: impl Into<Option<f64>>, digits: usize) -> String {
    share.into().map_or("-".to_owned(), |share| format!("{:.digits$} %", 100.0 * share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_left_and_figures_right() {
        let mut table = Table::default().words("name").group("in all".to_owned(), ["a", "b"]).words("");
        table.row(["Größe", "1", "22.0 %", ""].map(str::to_owned));
        table.row(["x", "333", "4.0 %", "note"].map(str::to_owned));
        assert_eq!(
            table.to_string(),
            "       in all\nname     a       b\nGröße    1  22.0 %\nx      333   4.0 %  note\n"
        );
    }

    #[test]
    fn figures_are_short() {
        assert_eq!([0.9871, 1.0, -0.25, -1.0].map(|value| decimal(value, 3)), [".987", "1.000", "-.250", "-1.000"]);
        assert_eq!((percent(0.5814, 1), percent(None, 1)), ("58.1 %".to_owned(), "-".to_owned()));
    }
}
