//! The tables of a stream: what each source's documents taught so far, kept in a state.
//!
//! Takes documents in order; gives what is known of each one's segments. Sources know nothing of each other, so they learn
//! in parallel; the documents of one source come one after the other.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;
use rayon::prelude::*;

use dehusk::corpus::SourceId;
use dehusk::patterns::{LexerCache, PatternFile, Trust};
use dehusk::streaming::evidence::{Known, Learned, Shown};
use dehusk::streaming::segments::described;
use dehusk::streaming::state::{Position, Settings, State};
use dehusk::streaming::table::{SegmentTable, TableOptions, Told};

use super::arrivals::{Arrival, Arrived};
use super::held::HeldTables;
use crate::cli::options::{LexerArgs, share};
use crate::cli::summary::LearnedSummary;
use dehusk::pipeline::clean::cleaners::{Bench, Cleaners};

/// So many segments of a source are remembered if nothing else is said.
const MAX_SEGMENTS: usize = 20_000;
/// So many segments of all sources are in memory if nothing else is said.
const HELD_SEGMENTS: u32 = 5_000_000;

/// What is template, and what is forgotten when. What is not given is as the state has it.
#[derive(Args, Debug)]
pub struct TableArgs {
    /// Documents that a segment is in, to be counted and shown as template [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..), help_heading = "Learning")]
    min_df: Option<u32>,
    /// Documents that a segment is in, to be removed if all else agrees [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..), help_heading = "Learning")]
    min_evidence: Option<u32>,
    /// Share of a block that segments which recur take up, if they are to go (0 to 1) [default: 0.7]
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Learning")]
    block_share: Option<f64>,
    /// Remember so many segments of a source: the oldest are forgotten first, those of many documents last [default: 20000]
    #[arg(long, value_name = "SEGMENTS", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Learning")]
    max_table: Option<u32>,
    /// Forget a segment of one document when it was not in the source's next so many [default: when the table is full]
    #[arg(long, value_name = "DOCUMENTS", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Learning")]
    lifetime: Option<u32>,
    /// Remember segments of many documents so many times as long [default: 2]
    #[arg(long, value_name = "FACTOR", value_parser = factor, help_heading = "Learning")]
    lifetime_factor: Option<f64>,
    /// Keep so many segments of all sources in memory; those of other sources are read from the state when they are needed
    #[arg(long, value_name = "SEGMENTS", default_value_t = HELD_SEGMENTS, help_heading = "Learning")]
    hold: u32,
}

impl TableArgs {
    /// These options, and the defaults.
    pub fn options(&self) -> TableOptions {
        self.over(TableOptions { max_segments: Some(MAX_SEGMENTS), ..TableOptions::default() })
    }

    /// These options, and others as they were.
    fn over(&self, mut options: TableOptions) -> TableOptions {
        options.detection.min_documents = self.min_df.unwrap_or(options.detection.min_documents);
        options.detection.min_evidence = self.min_evidence.unwrap_or(options.detection.min_evidence);
        options.detection.block_share = self.block_share.unwrap_or(options.detection.block_share);
        options.lifetime.base = self.lifetime.map_or(options.lifetime.base, f64::from);
        options.lifetime.factor = self.lifetime_factor.unwrap_or(options.lifetime.factor);
        options.max_segments = self.max_table.map_or(options.max_segments, |segments| Some(segments as usize));
        options
    }
}

fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor >= 1.0 && factor.is_finite() => Ok(factor),
        _ => Err("a factor is a number from 1 on".to_owned()),
    }
}

/// The tables of all sources.
pub struct Tables {
    state: State,
    /// Those of this run; the state keeps them if it learns.
    settings: Settings,
    reader: PatternFile,
    learns: bool,
    held: HeldTables,
}

impl Tables {
    /// Those that are kept at `path`, or new ones.
    pub fn open(
        path: &Path,
        args: &TableArgs,
        lexer: &LexerArgs,
        learns: bool,
        cache: &LexerCache,
    ) -> anyhow::Result<Tables> {
        let wanted = lexer.build()?;
        let mut state = match path.try_exists()? {
            true => State::open(path)?,
            false if !learns => bail!("{}: is not there: let a run learn it first, without --no-learn", path.display()),
            false => {
                let table = args.options();
                State::create(path, &Settings { table, lexer: PatternFile::empty("stream", &wanted).to_yaml() })?
            }
        };
        let mut settings = state.settings().clone();
        settings.table = args.over(settings.table);
        if !lexer.is_default() {
            settings.lexer = PatternFile::empty("stream", &wanted).to_yaml();
        }
        match learns {
            true if settings != *state.settings() => state.set_settings(settings.clone())?,
            _ => state.check_settings(&settings)?,
        }
        let reader = PatternFile::parse(&settings.lexer, cache).ok();
        let reader = reader.with_context(|| format!("{}: its mutable patterns cannot be read", path.display()))?;
        Ok(Tables { state, settings, reader, learns, held: HeldTables::new(args.hold as usize) })
    }

    /// A file without patterns, by whose lexer segments are made.
    pub fn reader(&self) -> &PatternFile {
        &self.reader
    }

    /// How many records of an input were taken; `None` if nobody keeps count.
    pub fn taken(&self, input: &str) -> anyhow::Result<Option<u64>> {
        if !self.learns {
            return Ok(None);
        }
        Ok(Some(self.state.input(input)?.map_or(0, |position| position.records)))
    }

    /// How many bytes of output were written to the file at `path`; `None` if it is unknown, or this run does not go on
    /// with it.
    pub fn written(&self, path: &Path) -> anyhow::Result<Option<u64>> {
        if !self.learns {
            return Ok(None);
        }
        let Ok(path) = fs::canonicalize(path) else { return Ok(None) };
        Ok(self.state.input(&output_name(&path))?.map(|position| position.bytes))
    }

    /// Learns from documents in order; tells for each what recurs in it.
    pub fn arrive(&mut self, arrived: &[Arrived], cleaners: &Cleaners) -> anyhow::Result<Vec<Known>> {
        let (options, learns) = (self.settings.table, self.learns);
        let mut classes = self.classes(arrived)?;
        let told = each_class(&mut classes, arrived.len(), |class| class.arrive(&options, learns));
        let one = |bench: &mut Bench, (arrived, told): (&Arrived, &Told)| match arrived {
            Ok(Some(Arrival { document, reading, segments })) => {
                let known = Known::of(reading, segments, &told.seen, &options.detection);
                let (source, _) = cleaners.of(document.source.as_str(), bench);
                let shown = known.shown(&source.cleaner, &document.text, reading, told);
                (known, shown)
            }
            _ => (Known::default(), Shown::default()),
        };
        let pairs = arrived.par_iter().zip(&told);
        let (mut known, shown): (Vec<Known>, Vec<Shown>) =
            pairs.map_init(Bench::default, |bench, pair| one(bench, pair)).unzip();
        let learned = each_class(&mut classes, arrived.len(), |class| class.learn(&shown, &told));
        for ((known, learned), arrived) in known.iter_mut().zip(learned).zip(arrived) {
            if let Ok(Some(Arrival { reading, .. })) = arrived {
                known.learn(reading, learned);
            }
        }
        let tables = classes.into_iter().map(|Class { source, table, .. }| (source.clone(), table));
        self.held.put_back(tables.collect());
        Ok(known)
    }

    /// The documents by source, each with its table.
    fn classes<'a>(&mut self, arrived: &'a [Arrived]) -> anyhow::Result<Vec<Class<'a>>> {
        let mut of_source: BTreeMap<&SourceId, Vec<(usize, &Arrival)>> = BTreeMap::new();
        for (index, arrival) in arrived.iter().enumerate() {
            if let Ok(Some(arrival)) = arrival {
                of_source.entry(&arrival.document.source).or_default().push((index, arrival));
            }
        }
        let class = |(source, arrivals)| {
            let table = self.held.take(source).map_or_else(|| self.state.table(source), Ok)?;
            Ok(Class { source, table, arrivals })
        };
        of_source.into_iter().map(class).collect()
    }

    /// Keeps what was learned, how far inputs are taken, and how long the output is.
    pub fn commit(&mut self, taken: &[(String, u64)], output: Option<(&Path, u64)>) -> anyhow::Result<()> {
        if !self.learns {
            self.held.make_room();
            return Ok(());
        }
        let output = output.map(|(path, bytes)| (output_name(path), Position { records: 0, bytes }));
        let taken = taken.iter().map(|(name, records)| (name.as_str(), Position { records: *records, bytes: 0 }));
        let positions: Vec<(&str, Position)> =
            taken.chain(output.iter().map(|(name, position)| (name.as_str(), *position))).collect();
        self.state.commit(&mut self.held.changed(), &positions)?;
        self.held.make_room();
        Ok(())
    }

    /// What is known of a source by now, and how far that can be relied on.
    pub fn learned(&self, source: &SourceId) -> anyhow::Result<(LearnedSummary, Option<Trust>)> {
        let summary =
            |table: &SegmentTable| (LearnedSummary::of(table, &self.settings.table), table.progress().trust());
        Ok(match self.held.get(source) {
            Some(table) => summary(table),
            None => summary(&self.state.table(source)?),
        })
    }
}

/// What a state calls an output file.
fn output_name(path: &Path) -> String {
    format!("output {}", path.display())
}

/// The documents of one source, and its table.
struct Class<'a> {
    source: &'a SourceId,
    table: SegmentTable,
    /// Each with its place among all.
    arrivals: Vec<(usize, &'a Arrival)>,
}

impl Class<'_> {
    /// What is known of each document.
    fn arrive(&mut self, options: &TableOptions, learns: bool) -> Vec<(usize, Told)> {
        let table = &mut self.table;
        let arrive = |&(index, Arrival { document, reading, segments }): &(usize, &Arrival)| {
            if !learns {
                return (index, table.look(segments, options));
            }
            let told = table.admit(segments, options);
            table.describe_wanted(segments, &told.seen, |segment| {
                described(&document.text, &reading.tokens, document.outline.as_deref(), segment)
            });
            (index, told)
        };
        self.arrivals.iter().map(arrive).collect()
    }

    /// What the table tells of each document, beside what recurs in it.
    fn learn(&mut self, shown: &[Shown], told: &[Told]) -> Vec<(usize, Learned)> {
        let table = &mut self.table;
        let learn = |&(index, _): &(usize, &Arrival)| (index, table.learn(&told[index], &shown[index]));
        self.arrivals.iter().map(learn).collect()
    }
}

/// What comes of each document, in the order in which they came; nothing of what is no document.
fn each_class<T: Clone + Default + Send>(
    classes: &mut [Class],
    documents: usize,
    work: impl Fn(&mut Class) -> Vec<(usize, T)> + Sync + Send,
) -> Vec<T> {
    let done: Vec<Vec<(usize, T)>> = classes.par_iter_mut().map(work).collect();
    let mut all = vec![T::default(); documents];
    done.into_iter().flatten().for_each(|(index, of_document)| all[index] = of_document);
    all
}
