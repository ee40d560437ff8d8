//! The results of runs, as a table in Markdown.

use std::io::{self, Write};

use crate::support::corpus::Written;
use crate::support::process::Usage;

/// One command over corpora of growing size.
#[derive(Clone, Default)]
pub struct Table {
    pub rows: Vec<Row>,
}

/// Medians of some runs over one corpus.
#[derive(Clone)]
pub struct Row {
    corpus: Written,
    seconds: f64,
    cpu_seconds: Option<f64>,
    peak_megabytes: Option<f64>,
}

impl Row {
    pub fn of(corpus: Written, usages: &[Usage]) -> Row {
        let median = |of: fn(&Usage) -> Option<f64>| usages.iter().map(of).collect::<Option<Vec<f64>>>().map(median);
        Row {
            corpus,
            seconds: median(|usage| Some(usage.time.as_secs_f64())).unwrap_or(f64::NAN),
            cpu_seconds: median(|usage| usage.of_system.map(|(cpu, _)| cpu.as_secs_f64())),
            peak_megabytes: median(|usage| usage.of_system.map(|(_, peak)| peak as f64 / 1e6)),
        }
    }

    fn megabytes(&self) -> f64 {
        self.corpus.bytes as f64 / 1e6
    }

    /// The factor by which something grows when the corpus doubles.
    fn growth_since(&self, before: &Row, of: fn(&Row) -> Option<f64>) -> Option<f64> {
        let doublings = (self.megabytes() / before.megabytes()).log2();
        (doublings != 0.0).then_some((of(self)? / of(before)?).powf(1.0 / doublings))
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
}

impl Table {
    pub fn write(&self, out: &mut impl Write, title: &str) -> io::Result<()> {
        writeln!(out, "{title}:\n")?;
        writeln!(out, "| MB | documents | s | MB/s | CPU s | peak MB | CPU per doubling | peak per doubling |")?;
        writeln!(out, "|---|---|---|---|---|---|---|---|")?;
        let before = std::iter::once(None).chain(self.rows.iter().map(Some));
        for (row, before) in self.rows.iter().zip(before) {
            let growth = |of| before.and_then(|before| row.growth_since(before, of));
            let shown = |number: Option<f64>, digits: usize| number.map_or("".into(), |it| format!("{it:.digits$}"));
            writeln!(
                out,
                "| {:.1} | {} | {:.1} | {:.1} | {} | {} | {} | {} |",
                row.megabytes(),
                row.corpus.documents,
                row.seconds,
                row.megabytes() / row.seconds,
                shown(row.cpu_seconds, 1),
                shown(row.peak_megabytes, 0),
                shown(growth(|row| row.cpu_seconds), 2),
                shown(growth(|row| row.peak_megabytes), 2),
            )?;
        }
        writeln!(out)
    }
}
