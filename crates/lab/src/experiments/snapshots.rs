//! Snapshots: what is lost of a front page that is fetched every hour, if its snapshots are grouped as near-duplicates, and
//! if they are recognised?
//!
//! The pages are invented (`benches/support/snapshots.rs`). The library mines them and cleans them with all patterns.

use std::collections::BTreeSet;
use std::ops::AddAssign;
use std::str::FromStr;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use rayon::prelude::*;
use serde::Serialize;

use dehusk_core::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk_core::mining::cross_source::cross_source;
use dehusk_core::mining::{MineOptions, NearDuplicates, mine_texts};
use dehusk_core::patterns::PatternFile;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};

use super::support::snapshots::{Snapshot, Snapshots};
use dehusk::cli::table::Table;

/// Options of this experiment.
#[derive(Args, Debug)]
pub struct SnapshotsArgs {
    /// Numbers of hours
    #[arg(long, value_name = "N,N...", value_delimiter = ',', default_value = "20,100,336")]
    snapshots: Vec<usize>,
    /// How many of the teasers leave each hour: at least and at most
    #[arg(long, value_name = "N-N,N-N...", value_delimiter = ',', default_value = "1-1,1-3,2-3,3-3,5-5,6-6,7-7")]
    leave: Vec<Turnover>,
    /// How many teasers a page has
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(2..))]
    teasers: u16,
    /// Number of pages that are invented for each row
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    pages: u16,
    /// Where all chance comes from
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

/// The least and the largest number of teasers that leave in an hour.
#[derive(Clone, Copy, Debug)]
struct Turnover(usize, usize);

impl FromStr for Turnover {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Turnover> {
        let (least, most) = text.split_once('-').context("two numbers are needed, as in 1-3")?;
        let (least, most) = (least.parse()?, most.parse()?);
        anyhow::ensure!(least <= most, "the first number is larger than the second");
        Ok(Turnover(least, most))
    }
}

#[derive(Serialize)]
struct Row {
    snapshots: usize,
    leave: (usize, usize),
    grouped: Counts,
    auto: Counts,
}

/// Numbers of all pages of a row. Lines are counted on each snapshot.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Counts {
    /// Pages that were recognised.
    recognised: usize,
    /// Snapshots that counted.
    counted: usize,
    /// Headlines and sentences of teasers, and how many of them were removed.
    content: usize,
    lost: usize,
    /// Lines that are on all snapshots and are not content, and how many of them were kept.
    template: usize,
    left: usize,
}

/// Runs the experiment, and returns the text to print.
pub fn run(args: &SnapshotsArgs) -> anyhow::Result<String> {
    let mut rows = Vec::new();
    for &snapshots in &args.snapshots {
        for &Turnover(least, most) in &args.leave {
            let counts = |how| {
                let seeds: Vec<u64> = (0..u64::from(args.pages)).map(|page| args.seed + page).collect();
                let count = |&seed: &u64| {
                    let teasers = usize::from(args.teasers);
                    counts(&Snapshots { seed, snapshots, teasers, turnover: (least, most) }.pages(), how)
                };
                let counts: Vec<Counts> = seeds.par_iter().map(count).collect::<anyhow::Result<_>>()?;
                anyhow::Ok(counts.into_iter().fold(Counts::default(), |mut all, counts| {
                    all += counts;
                    all
                }))
            };
            let (grouped, auto) = (counts(NearDuplicates::Group)?, counts(NearDuplicates::Auto)?);
            rows.push(Row { snapshots, leave: (least, most), grouped, auto });
        }
    }
    Ok(if args.json { serde_json::to_string_pretty(&rows)? + "\n" } else { table(args, &rows) })
}

/// Mines and cleans the snapshots of a page.
fn counts(pages: &[Snapshot], how: NearDuplicates) -> anyhow::Result<Counts> {
    let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
    let texts: Vec<&str> = pages.iter().map(|page| page.text.as_str()).collect();
    let mined = mine_texts(&texts, &lexer, &MineOptions::default().near_duplicates(how))?;
    let templates = cross_source(std::slice::from_ref(&mined)).own.remove(0);
    let patterns = PatternFile::of_templates("front", mined.facts(), templates, &lexer);
    let cleaner = Cleaner::new(&[&patterns], &CleanOptions::default());
    let mut template: BTreeSet<&str> = texts.first().map(|text| text.lines().collect()).unwrap_or_default();
    for page in pages {
        let (text, gold): (BTreeSet<&str>, BTreeSet<&str>) = (page.text.lines().collect(), page.gold.lines().collect());
        template.retain(|line| text.contains(line) && !gold.contains(line));
    }
    let mut counts =
        Counts { recognised: usize::from(mined.are_snapshots), counted: mined.counted(), ..Counts::default() };
    for page in pages {
        let cleaned = cleaner.clean(&mut Scratch::default(), &page.text)?.strip(&page.text);
        let kept: BTreeSet<&str> = cleaned.lines().collect();
        counts.content += page.gold.lines().count();
        counts.lost += page.gold.lines().filter(|line| !kept.contains(line)).count();
        counts.template += template.len();
        counts.left += template.iter().filter(|line| kept.contains(**line)).count();
    }
    Ok(counts)
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.recognised += other.recognised;
        self.counted += other.counted;
        self.content += other.content;
        self.lost += other.lost;
        self.template += other.template;
        self.left += other.left;
    }
}

fn table(args: &SnapshotsArgs, rows: &[Row]) -> String {
    let mut table = Table::default().figures(["snapshots", "leave each hour"]);
    table = table.group("grouped".to_owned(), ["count", "lost", "template left"]);
    table = table.group("default".to_owned(), ["recognised", "count", "lost", "template left"]);
    let pages = f64::from(args.pages);
    for Row { snapshots, leave: (least, most), grouped, auto } in rows {
        let figures = |counts: &Counts| {
            let percent = |part: usize, of: usize| format!("{:.1} %", 100.0 * part as f64 / of.max(1) as f64);
            let counted = format!("{:.0}", counts.counted as f64 / pages);
            [counted, percent(counts.lost, counts.content), percent(counts.left, counts.template)]
        };
        let recognised = format!("{} of {}", auto.recognised, args.pages);
        let cells = [snapshots.to_string(), format!("{least}-{most}")].into_iter().chain(figures(grouped));
        table.row(cells.chain([recognised]).chain(figures(auto)));
    }
    format!("{table}means of {} pages of {} teasers\n", args.pages, args.teasers)
}
