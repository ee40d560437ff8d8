//! `dehusk report`: pattern files and a corpus in, one HTML page out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;
use dehusk::pipeline::suited;
use maud::Markup;
use rayon::prelude::*;

use dehusk::cleaning::{CleanOptions, Cleaner, Scratch};
use dehusk::corpus::{Document, DocumentRef, Inventory, OutputFile};
use dehusk::patterns::{PatternFile, SHARED};
use dehusk::selection::effects::{Effects, PatternEffect, Question, Sighting};
use dehusk::selection::warnings::warnings;
use dehusk::view::report::documents::{ShownDocument, removed_parts};
use dehusk::view::report::patterns::{Patterns, Sight, Sights};
use dehusk::view::report::ranking::{Ranking, extremes};
use dehusk::view::report::source::SourceReport;
use dehusk::view::report::{Overview, SHARED_ANCHOR, SourceRow, by_status, page};

use super::force::{ForceArgs, PAGE};
use super::mine::{list, scan};
use super::options::{CorpusArgs, MethodArgs, MethodName};
use super::reporter::{Reporter, print};
use super::summary::Summary;
use super::{Exit, Global, interrupt};
use dehusk::pipeline::Library;
use dehusk::pipeline::library::pattern_files;
use dehusk::pipeline::workers::share_out_and_collect;
use dehusk::shown::size;

/// Options of `dehusk report`.
#[derive(Args, Debug)]
pub struct ReportCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder with the pattern files, or one file
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// File for the report, or - for stdout
    #[arg(short, long, alias = "out", value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// Show so many patterns of each source in full, and so many rejected ones; of the others, what they come to
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_patterns: usize,
    /// Show so many documents of each source of which most goes, and as many of which least goes
    #[arg(long, value_name = "N", default_value_t = 2)]
    max_documents: usize,
    #[command(flatten)]
    method: MethodArgs,
}

/// Runs the command.
pub fn run(args: &ReportCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let library = Library::load(&args.patterns)?;
    let mut summary = Summary::default();
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let output = Output::create(args, inventory.inputs())?;
    let listings = list(&inventory, reporter, &mut summary)?;
    let places = listings.iter().map(|listing| (listing.id.as_str(), listing.documents.as_slice())).collect();
    let options = suited(args.method.options(), inventory.options().html);
    let report = Report { args, options, inventory: &inventory, library: &library, places, reporter };
    let html = report.page(global)?.into_string();
    output.write(&html)?;
    if let Output::File(_) = output {
        reporter.note(&format!("wrote {}: {}", args.output.display(), size(html.len() as u64)));
    }
    Ok(reporter.exit())
}

/// Where the page goes.
enum Output {
    Stdout,
    File(OutputFile),
}

impl Output {
    fn create(args: &ReportCommand, inputs: Vec<PathBuf>) -> anyhow::Result<Output> {
        if args.output == Path::new("-") {
            return Ok(Output::Stdout);
        }
        let inputs = [inputs, pattern_files(&args.patterns)?].concat();
        Ok(Output::File(args.force.file(&args.output, &inputs, PAGE)?))
    }

    fn write(&self, html: &str) -> anyhow::Result<()> {
        let _permission = interrupt::writing()?;
        match self {
            Output::Stdout => print(html),
            Output::File(file) => Ok(file.write_atomic(|writer| writer.write_all(html.as_bytes()))?),
        }
    }
}

/// What the sections of all sources need.
struct Report<'a> {
    args: &'a ReportCommand,
    options: CleanOptions,
    inventory: &'a Inventory,
    library: &'a Library,
    /// Where the documents of each source lie.
    places: BTreeMap<&'a str, &'a [DocumentRef]>,
    reporter: &'a Reporter,
}

/// What came of one source.
struct Section {
    row: SourceRow,
    html: Markup,
    /// How many of its documents could be read and cleaned.
    looked_at: usize,
    /// What each shared pattern does there, and one of its matches.
    shared: Vec<(PatternEffect, Option<Sight>)>,
}

impl Report<'_> {
    /// All of it.
    fn page(&self, global: &Global) -> anyhow::Result<Markup> {
        let files = self.library.files().map(|file| file.source.as_str()).filter(|&source| source != SHARED);
        let names: BTreeSet<&str> = self.places.keys().copied().chain(files).collect();
        let names: Vec<&str> = names.into_iter().collect();
        self.reporter.start("reporting", self.places.values().map(|places| places.len()).sum::<usize>());
        let sections = share_out_and_collect(global.threads(), names.len(), |index| {
            SourceToReport::new(self, names[index]).section(format!("s{}", index + 1))
        });
        self.reporter.finish();
        let skipped = self.reporter.skips();
        let unnamed_skips = self.reporter.skipped() - skipped.len();
        let mut overview = Overview { method: self.method(), skipped, unnamed_skips, ..Overview::default() };
        let mut shared = SharedSum::new(self.library.get(SHARED));
        let (mut drawn, mut documents) = (Vec::new(), 0);
        for section in sections? {
            shared.add(section.shared);
            documents += section.looked_at;
            overview.rows.push(section.row);
            drawn.push(section.html);
        }
        let shared_patterns = self.library.get(SHARED).map(|file| Patterns {
            anchor: SHARED_ANCHOR,
            file,
            effects: &shared.effects,
            sights: &shared.sights,
            documents,
            in_full: self.args.max_patterns,
        });
        Ok(page(&overview, drawn, shared_patterns.as_ref()))
    }

    /// How documents were cleaned, in a sentence or two.
    fn method(&self) -> String {
        let MethodArgs { method, any } = &self.args.method;
        let mut parts = vec![match method {
            MethodName::Smooth => "Cleaned by the smooth method",
            MethodName::Union => "Cleaned by the union method",
        }];
        let own_shape = any.shape.is_some().then_some("with a shape model of your own");
        let no_shape = self.options.shape.is_none().then_some("without shape");
        let only = any.only.map(|_| "with accepted patterns only, so that proposed ones do nothing here");
        parts.extend([own_shape, no_shape, only].into_iter().flatten());
        let without = match any.without.as_slice() {
            [] => String::new(),
            kinds => format!(", without this evidence: {}", kinds.join(" ")),
        };
        format!("{}{without}.", parts.join(", "))
    }
}

/// What shared patterns do to all sources.
struct SharedSum {
    effects: Vec<PatternEffect>,
    sights: Sights,
}

impl SharedSum {
    /// So many matches are shown, each of another source.
    const SIGHTS: usize = 3;

    fn new(file: Option<&PatternFile>) -> SharedSum {
        let patterns = file.map_or(0, |file| file.patterns.len());
        SharedSum { effects: vec![PatternEffect::default(); patterns], sights: Sights::new() }
    }

    fn add(&mut self, of_source: Vec<(PatternEffect, Option<Sight>)>) {
        for (index, (effect, sight)) in of_source.into_iter().enumerate() {
            self.effects[index].add_counts(&effect);
            let sights = self.sights.entry(index).or_default();
            sights.extend(sight.filter(|_| sights.len() < SharedSum::SIGHTS));
        }
    }
}

/// One source, while its section is made.
struct SourceToReport<'a> {
    report: &'a Report<'a>,
    name: &'a str,
    files: Vec<&'a PatternFile>,
    places: &'a [DocumentRef],
    /// Known once a document was read.
    names: Vec<OnceLock<String>>,
}

impl<'a> SourceToReport<'a> {
    fn new(report: &'a Report, name: &'a str) -> SourceToReport<'a> {
        let places = report.places.get(name).copied().unwrap_or_default();
        let names = places.iter().map(|_| OnceLock::new()).collect();
        SourceToReport { report, name, files: report.library.for_source(name), places, names }
    }

    fn section(self, anchor: String) -> anyhow::Result<Section> {
        let effects = self.effects()?;
        let own = self.own().map(|own| Ranking::of(own, &effects.patterns[0]));
        let in_full = own.iter().flat_map(|ranking| ranking.in_full(self.report.args.max_patterns));
        let sightings =
            in_full.flat_map(|index| effects.patterns[0][index].sightings.iter().map(move |at| (index, at)));
        let sights = self.sights(sightings.collect(), "");
        let shared = self.shared(&effects);
        let extremes =
            extremes(&effects.documents, self.report.args.max_documents).map(|shown| self.show(&effects, &shown));
        let warnings = warnings(&self.question(), self.report.args.method.is_default(), &effects);
        let row = self.row(&anchor, &effects, warnings.len());
        let names: Vec<String> = self.names.iter().map(|name| name.get().cloned().unwrap_or_default()).collect();
        let report = SourceReport {
            anchor: &anchor,
            name: self.name,
            files: &self.files,
            effects: &effects,
            names: &names,
            sights: &sights,
            extremes: &extremes,
            warnings: &warnings,
            in_full: self.report.args.max_patterns,
        };
        let html = report.draw();
        Ok(Section { row, html, looked_at: effects.documents.iter().flatten().count(), shared })
    }

    fn question(&self) -> Question<'_> {
        Question { files: &self.files, options: &self.report.options, watched: None }
    }

    fn own(&self) -> Option<&'a PatternFile> {
        self.report.library.get(self.name)
    }

    fn row(&self, anchor: &str, effects: &Effects, warnings: usize) -> SourceRow {
        let own = self.own();
        SourceRow {
            anchor: anchor.to_owned(),
            name: self.name.to_owned(),
            documents: self.places.len(),
            patterns: own.map(by_status).unwrap_or_default(),
            total: effects.total(),
            when_mined: own.and_then(|own| own.mined.removed),
            warnings,
        }
    }

    /// Cleans all documents, and names those that cannot be.
    fn effects(&self) -> anyhow::Result<Effects> {
        let read = |index: usize| {
            self.report.reporter.step(1);
            let document = self.read(index)?;
            self.names[index].get_or_init(|| document.id);
            Some(document.text)
        };
        let effects = Effects::of(&self.question(), self.places.len(), read, || interrupt::check().is_ok());
        interrupt::check()?;
        let failed = (0..self.places.len())
            .filter(|&index| effects.documents[index].is_none() && self.names[index].get().is_some());
        self.name_failures(&failed.collect::<Vec<_>>());
        Ok(effects)
    }

    fn name_failures(&self, failed: &[usize]) {
        let cleaner = OnceLock::new();
        for &index in failed {
            let cleaner = cleaner.get_or_init(|| self.cleaner());
            let Some(document) = self.read(index) else { continue };
            if let Err(error) = cleaner.clean(&mut Scratch::default(), &document.text) {
                self.report.reporter.skip(&format!("{}/{}: {error}", self.name, document.id));
            }
        }
    }

    fn read(&self, index: usize) -> Option<Document> {
        let document = self.report.inventory.read(&self.places[index]);
        document.map_err(|skipped| self.report.reporter.skip(&skipped.to_string())).ok()
    }

    fn cleaner(&self) -> Cleaner {
        Cleaner::new(&self.files, &self.report.options)
    }

    /// Matches of patterns in their contexts, with the documents' names below `folder`; each document is read once.
    fn sights(&self, mut wanted: Vec<(usize, &Sighting)>, folder: &str) -> Sights {
        wanted.sort_by_key(|&(pattern, sighting)| (sighting.text, pattern));
        let by_text: Vec<&[(usize, &Sighting)]> = wanted.chunk_by(|a, b| a.1.text == b.1.text).collect();
        let see = |wanted: &&[(usize, &Sighting)]| -> Vec<(usize, Sight)> {
            let Some(document) = self.read(wanted[0].1.text) else { return Vec::new() };
            let name = format!("{folder}{}", document.id);
            let sight = |at: &Sighting| Sight::new(&name, &document.text, at.bytes.clone());
            wanted.iter().map(|&(pattern, at)| (pattern, sight(at))).collect()
        };
        let mut sights = Sights::new();
        for (pattern, sight) in by_text.par_iter().map(see).collect::<Vec<_>>().into_iter().flatten() {
            sights.entry(pattern).or_default().push(sight);
        }
        sights
    }

    /// What the shared patterns do here, and a match of each.
    fn shared(&self, effects: &Effects) -> Vec<(PatternEffect, Option<Sight>)> {
        let Some(file) = self.files.iter().position(|file| file.source == SHARED) else { return Vec::new() };
        let patterns = &effects.patterns[file];
        let first = |(index, effect): (usize, &'_ PatternEffect)| Some((index, effect.sightings.first()?.clone()));
        let firsts: Vec<(usize, Sighting)> = patterns.iter().enumerate().filter_map(first).collect();
        let folder = format!("{}/", self.name);
        let mut sights = self.sights(firsts.iter().map(|(index, at)| (*index, at)).collect(), &folder);
        let sight = |index: usize, sights: &mut Sights| sights.remove(&index).and_then(|mut few| few.pop());
        patterns.iter().enumerate().map(|(index, effect)| (effect.clone(), sight(index, &mut sights))).collect()
    }

    fn show(&self, effects: &Effects, documents: &[usize]) -> Vec<ShownDocument> {
        if documents.is_empty() {
            return Vec::new();
        }
        let (cleaner, mut scratch) = (self.cleaner(), Scratch::default());
        let shown = documents.iter().filter_map(|&index| {
            let document = self.read(index)?;
            let cleaning = cleaner.clean(&mut scratch, &document.text).ok()?;
            let parts = removed_parts(&document.text, &cleaner, &cleaning);
            let effect = effects.documents[index].unwrap_or_default();
            Some(ShownDocument { name: document.id, text: document.text.to_string(), effect, parts })
        });
        shown.collect()
    }
}
