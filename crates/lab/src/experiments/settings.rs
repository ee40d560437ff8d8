//! Settings: how much does quality depend on the options of mining, and on the gap that the union method joins?
//!
//! One option at a time gets other values. All documents are mined and scored, as `dehusk eval` does.

use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use serde::Serialize;

use dehusk_core::mining::MineOptions;
use dehusk_core::tokens::mutable_file::{self, MutablePreset, SHIPPED, patterns_of};
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_run::Observer;
use dehusk_run::scoring::score::Score;

use super::scored::{BothScores, Options, ScoredArgs, ScoredCorpus};
use dehusk::cli::table::{Table, decimal};

/// Options of this experiment.
#[derive(Args, Debug)]
pub struct SettingsArgs {
    #[command(flatten)]
    scored: ScoredArgs,
    /// Vary only this option, as it is named in the table [default: all]
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    only: Option<String>,
}

/// One option with one value; the others have their defaults.
struct Setting {
    option: &'static str,
    value: String,
    /// Whether the value is at most twice and at least half of the default, or not a number.
    is_near: bool,
    options: Options,
}

#[derive(Serialize)]
struct Outcome {
    default: BothScores,
    rows: Vec<Row>,
    falls: Vec<Fall>,
}

#[derive(Serialize)]
struct Row {
    option: &'static str,
    value: String,
    is_near: bool,
    #[serde(flatten)]
    scores: BothScores,
}

/// How much F1 falls at most if an option gets another value near its default.
#[derive(Serialize)]
struct Fall {
    option: &'static str,
    smooth: f64,
    union: f64,
}

/// Runs the experiment, and returns the text to print.
pub fn run(args: &SettingsArgs, observer: &dyn Observer) -> anyhow::Result<String> {
    let corpus = ScoredCorpus::read(&args.scored, observer)?;
    let score = |options: &Options| -> anyhow::Result<BothScores> {
        Ok(BothScores::of(&corpus.figures(&corpus.listings, &corpus.listings, options, observer)?))
    };
    let settings =
        settings()?.into_iter().filter(|setting| args.only.as_deref().is_none_or(|only| setting.option == only));
    let settings: Vec<Setting> = settings.collect();
    ensure!(!settings.is_empty(), "there is no such option");
    let default = score(&Options::default())?;
    let rows = settings.into_iter().map(|Setting { option, value, is_near, options }| {
        Ok(Row { option, value, is_near, scores: score(&options)? })
    });
    let rows = rows.collect::<anyhow::Result<Vec<Row>>>()?;
    let falls = rows.chunk_by(|a, b| a.option == b.option).map(|rows| Fall::of(rows, &default)).collect();
    let outcome = Outcome { default, rows, falls };
    Ok(if args.scored.json { serde_json::to_string_pretty(&outcome)? + "\n" } else { table(&outcome) })
}

/// All settings but the default, grouped by option.
fn settings() -> anyhow::Result<Vec<Setting>> {
    let defaults = MineOptions::default();
    let mining = |mining: MineOptions| Options { mining, ..Options::default() };
    let lexer = |lexer: Lexer| Options { lexer, ..Options::default() };
    let mut settings = Vec::new();
    let mut add = |option, value: String, is_near, options| {
        settings.push(Setting { option, value, is_near, options });
    };
    for count in [3, 4, 5, 8] {
        let options = mining(defaults.clone().min_documents(count));
        add("--min-documents", count.to_string(), count <= 2 * defaults.min_documents, options);
    }
    for words in [1, 3, 4, 5, 8] {
        let options = mining(defaults.clone().min_words(words));
        add("--min-words", words.to_string(), words <= 2 * defaults.min_words, options);
    }
    for share in [0.0, 0.025, 0.1, 0.2, 0.3] {
        let is_near = (defaults.min_share / 2.0..=defaults.min_share * 2.0).contains(&share);
        add("--min-share", share.to_string(), is_near, mining(defaults.clone().min_share(share)));
    }
    for cutoff in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] {
        // Most computed cutoffs are between 0.35 and 0.55.
        add(
            "--cutoff",
            cutoff.to_string(),
            (0.2..=0.8).contains(&cutoff),
            mining(defaults.clone().cutoff(Some(cutoff))),
        );
    }
    for merge_gap in [1, 2, 5, 10, 20, 50] {
        add("--merge-gap", merge_gap.to_string(), merge_gap <= 2, Options { merge_gap, ..Options::default() });
    }
    let shipped = || Arc::new(MutableSet::shipped());
    add("--tokenizer", "whitespace".to_owned(), true, lexer(Lexer::new(Tokenizer::Whitespace, shipped())));
    for (left_out, _) in SHIPPED {
        let others = SHIPPED.iter().filter(|(file, _)| *file != left_out).map(|(_, yaml)| mutable_file::parse(yaml));
        let others = patterns_of(&others.collect::<Result<Vec<_>, _>>()?.concat());
        let others = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::new(others)?));
        add("--mutable", format!("all but {left_out}"), true, lexer(others));
    }
    for (preset, name) in [(MutablePreset::Foschini, "foschini"), (MutablePreset::None, "none")] {
        let patterns = Arc::new(MutableSet::new(preset.patterns())?);
        add("--mutable", name.to_owned(), true, lexer(Lexer::new(Tokenizer::Words, patterns)));
    }
    Ok(settings)
}

impl Fall {
    fn of(rows: &[Row], default: &BothScores) -> Fall {
        let fall = |score: &dyn Fn(&BothScores) -> Score| {
            let near = rows.iter().filter(|row| row.is_near);
            near.map(|row| score(default).f1 - score(&row.scores).f1).fold(0.0, f64::max)
        };
        Fall { option: rows[0].option, smooth: fall(&|scores| scores.smooth), union: fall(&|scores| scores.union) }
    }
}

fn table(outcome: &Outcome) -> String {
    let mut table = Table::default().words("option").words("value");
    for method in ["default", "union"] {
        table = table.group(method.to_owned(), ["recall", "F1"]);
    }
    let figures = |scores: &BothScores| {
        [&scores.smooth, &scores.union].map(|score| [decimal(score.recall, 3), decimal(score.f1, 3)]).concat()
    };
    table.row(["(defaults)".to_owned(), String::new()].into_iter().chain(figures(&outcome.default)));
    for row in &outcome.rows {
        let value = if row.is_near { row.value.clone() } else { format!("({})", row.value) };
        table.row([row.option.to_owned(), value].into_iter().chain(figures(&row.scores)));
    }
    let mut falls = Table::default().words("largest fall of F1").figures(["default", "union"]);
    for Fall { option, smooth, union } in &outcome.falls {
        falls.row([(*option).to_owned(), decimal(*smooth, 3), decimal(*union, 3)]);
    }
    format!("{table}\n{falls}(values in brackets are further from the default than a factor of 2, and do not count)\n")
}
