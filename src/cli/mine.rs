//! `dehusk mine`: a corpus in, pattern files out.

mod from_state;
mod writing;

use std::mem;
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use rayon::prelude::*;
use unicode_normalization::UnicodeNormalization;

use dehusk::cleaning::CleanOptions;
use dehusk::cleaning::shape::ShapeModel;
use dehusk::corpus::{DocumentRef, HtmlView, Inventory, OutputRoot, ReadOptions, SourceId, SourceListing};
use dehusk::ends::Ends;
use dehusk::mining::content_order::content_order;
use dehusk::mining::cross_source::{self, Templates};
use dehusk::mining::{MineOptions, Mined, mine_sequence};
use dehusk::patterns::merge::merge;
use dehusk::patterns::{PatternFile, SHARED, Trust};
use dehusk::places::Places;
use dehusk::sampling::{self, Sampled};
use dehusk::thinning::thinned;
use dehusk::tokens::{Lexer, SymbolSequence};
use dehusk::trust::Tally;
use dehusk::values::Values;

use super::corpus_paths::{CorpusPaths, ListArgs, tell_of_terminal};
use super::library::Library;
use super::memory::{self, Budget};
use super::often::Kind;
use super::options::{CorpusArgs, SourceMineArgs, SummaryArgs, path_to_write, suited};
use super::reading::read_documents;
use super::reporter::Reporter;
use super::size::size;
use super::summary::{MinedSummary, Summary};
use super::workers::share_out_and_collect;
use super::{Exit, Global, interrupt};
use writing::write;

/// What says how documents are read and mined says nothing of a state.
const NOT_FROM_STATE: [&str; 7] =
    ["corpus", "files_from", "ReadingArgs", "LexerArgs", "no_slots", "sample", "all_patterns"];

/// Options of `dehusk mine`.
#[derive(Args, Debug)]
#[cfg_attr(feature = "stream", command(mut_arg("corpus", |corpus| corpus.required_unless_present("from_state"))))]
pub struct MineCommand {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Take the templates that streams have learned, instead of mining documents: FILE is what `dehusk stream --state` made
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_FROM_STATE)]
    from_state: Option<PathBuf>,
    /// Folder for the pattern files; decisions in those already there are kept
    #[arg(short, long = "out", alias = "output", value_name = "PATTERNS", value_parser = path_to_write())]
    output: PathBuf,
    #[command(flatten)]
    mining: SourceMineArgs,
    #[command(flatten)]
    summary: SummaryArgs,
}

/// Runs the command.
pub fn run(args: &MineCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    if let Some(state) = &args.from_state {
        return from_state::run(state, args, global, reporter);
    }
    let lexer = args.mining.mining.lexer.build()?;
    let mut summary = Summary::default();
    let inventory = scan(&args.corpus, reporter, &mut summary)?;
    let output = OutputRoot::create(&args.output, &inventory.inputs())?;
    mine(&inventory, &output, &args.mining, &lexer, global, reporter, &mut summary)?;
    summary.skipped = reporter.skipped();
    summary.print(args.summary.json, global.quiet)?;
    Ok(reporter.exit())
}

/// Looks at what there is, and says what is left out.
pub fn scan(args: &CorpusArgs, reporter: &Reporter, summary: &mut Summary) -> anyhow::Result<Inventory> {
    scan_paths(&args.corpus, &args.list, &args.reading.options(), reporter, summary)
}

/// As [`scan`], where a corpus need not be named.
pub fn scan_paths(
    paths: &[PathBuf],
    list: &ListArgs,
    options: &ReadOptions,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<Inventory> {
    tell_of_terminal(paths, list, reporter);
    let inventory = summary.time("scan", || CorpusPaths::read(paths, list)?.scan(options))?;
    inventory.skipped().iter().for_each(|skipped| reporter.skip(&skipped.to_string()));
    if inventory.ignored().total() > 0 {
        reporter.warn(&format!("files that are no documents were left alone: {}", inventory.ignored()));
    }
    Ok(inventory)
}

/// Mines all sources of an inventory and writes a pattern file for each.
pub fn mine(
    inventory: &Inventory,
    output: &OutputRoot,
    args: &SourceMineArgs,
    lexer: &Lexer,
    global: &Global,
    reporter: &Reporter,
    summary: &mut Summary,
) -> anyhow::Result<()> {
    // What people decided is read first: if it cannot be, nothing of it must be written over.
    let reviewed = Library::load_if_any(output.path(), reporter)?;
    let sources = list(inventory, reporter, summary)?;
    refuse_names_alike(sources.iter().map(|source| &source.id), reporter)?;
    let options = args.mining.options();
    let miner = Miner { inventory, args, options: &options, lexer, reporter };
    let (mined, fresh) = miner.mine_files(&sources, global, summary)?;
    let files = with_decisions(fresh, &reviewed);
    let files = summary.time("try out", || miner.try_out(&mined, files, args.all_patterns, global))?;
    write(&files, &reviewed, output, reporter)?;
    let own_files = files.iter().filter(|file| file.source != SHARED);
    own_files.for_each(|file| tell_of_doubt(&file.source, file.trust.as_ref(), reporter));
    let (own, shared) = files.split_at(mined.len());
    for (file, MinedSource { mined, language, .. }) in own.iter().zip(&mined) {
        let entry = summary.sources.entry(file.source.clone()).or_default();
        entry.doubt = file.trust.as_ref().and_then(Trust::doubt);
        entry.mined = Some(MinedSummary {
            documents: mined.documents,
            near_duplicates: mined.near_duplicates,
            tokens: mined.tokens,
            cutoff: mined.cutoff.share,
            patterns: file.patterns.len(),
            language: *language,
        });
    }
    summary.documents = mined.iter().map(|source| source.mined.documents).sum();
    summary.shared_patterns = shared.first().map(|file| file.patterns.len());
    summary.wrote.push(output.path().display().to_string());
    Ok(())
}

/// Fresh files, each with what people decided in the one before.
fn with_decisions(fresh: Vec<PatternFile>, reviewed: &Library) -> Vec<PatternFile> {
    let merged = fresh.into_iter().map(|fresh| match reviewed.get(&fresh.source) {
        Some(old) => merge(fresh, old.clone()),
        None => fresh,
    });
    merged.collect()
}

/// Which documents there are to mine; there is one at least.
pub fn list(inventory: &Inventory, reporter: &Reporter, summary: &mut Summary) -> anyhow::Result<Vec<SourceListing>> {
    let sources = summary.time("list", || inventory.sources())?;
    sources.skipped.iter().for_each(|skipped| reporter.skip(&skipped.to_string()));
    if sources.listings.is_empty() {
        bail!("there is no document in the corpus");
    }
    Ok(sources.listings)
}

/// Two sources whose names differ in upper and lower case only, or in how accents are written, are one more often than not.
/// Where the file system takes both for the same name, one pattern file would be written over the other.
fn refuse_names_alike<'s>(sources: impl Iterator<Item = &'s SourceId>, reporter: &Reporter) -> anyhow::Result<()> {
    for (one, two) in names_alike(sources) {
        if cfg!(any(windows, target_os = "macos")) {
            bail!(
                "the patterns of '{one}' and '{two}' would be written to one file; rename one, or mine them in two runs"
            );
        }
        let message = format!(
            "the sources '{one}' and '{two}' differ in upper and lower case only, or in how accents are written; is it one source?"
        );
        reporter.warn_often(Kind::Alike, &message);
    }
    Ok(())
}

/// The sources whose names are the same but for upper and lower case, and for accents that are characters of their own, in
/// pairs.
fn names_alike<'s>(sources: impl Iterator<Item = &'s SourceId>) -> Vec<(&'s SourceId, &'s SourceId)> {
    let mut names: Vec<(String, &SourceId)> =
        sources.map(|source| (source.as_str().to_lowercase().nfc().collect(), source)).collect();
    names.sort_unstable();
    names.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1)).collect()
}

/// Says that less than usual is removed from a source, and why.
pub fn tell_of_doubt(source: &str, trust: Option<&Trust>, reporter: &Reporter) {
    if let Some(doubt) = trust.and_then(Trust::doubt) {
        reporter.warn_often(Kind::Doubt, &format!("source '{source}': {doubt}"));
    }
}

fn warn_of_small_sources(listings: &[SourceListing], mined: &[Mined], reporter: &Reporter) {
    for (listing, mined) in listings.iter().zip(mined).filter(|(_, mined)| mined.is_too_small()) {
        reporter.warn(&format!(
            "source '{}' is too small to mine: it needs {} different documents and has {}; only shared patterns will apply",
            listing.id,
            Mined::MIN_DOCUMENTS,
            mined.counted(),
        ));
    }
}

/// What sources are mined with.
pub struct Miner<'a> {
    pub inventory: &'a Inventory,
    pub args: &'a SourceMineArgs,
    pub options: &'a MineOptions,
    pub lexer: &'a Lexer,
    pub reporter: &'a Reporter,
}

/// What is known of a source once all are compared.
pub struct MinedSource {
    mined: Mined,
    /// How many of its candidates turned out to be language.
    language: usize,
    /// The documents in which its patterns are tried out.
    looked_at: Vec<DocumentRef>,
}

impl Miner<'_> {
    /// Mines sources and compares them; gives a fresh pattern file for each, and then the shared one, if any.
    pub fn mine_files(
        &self,
        listings: &[SourceListing],
        global: &Global,
        summary: &mut Summary,
    ) -> anyhow::Result<(Vec<MinedSource>, Vec<PatternFile>)> {
        let (mined, looked_at): (Vec<Mined>, Vec<Vec<DocumentRef>>) =
            summary.time("mine", || self.mine_all(listings, global))?.into_iter().unzip();
        let mut templates = summary.time("compare sources", || cross_source::cross_source(&mined));
        let language = std::mem::take(&mut templates.language);
        warn_of_small_sources(listings, &mined, self.reporter);
        let files = pattern_files(listings, &mined, templates, self.lexer);
        let sources = mined.into_iter().zip(language).zip(looked_at);
        let sources = sources.map(|((mined, language), looked_at)| MinedSource { mined, language, looked_at });
        Ok((sources.collect(), files))
    }

    /// Looks at what the patterns do to the documents: notes in the sources' own files, which come before the shared one,
    /// where articles end, and leaves out the patterns that are not needed, or none.
    pub fn try_out(
        &self,
        sources: &[MinedSource],
        mut files: Vec<PatternFile>,
        all_patterns: bool,
        global: &Global,
    ) -> anyhow::Result<Vec<PatternFile>> {
        let mut shared = files.split_off(sources.len());
        let budget = global.budget();
        self.test(sources, &mut files, &mut shared, &budget, global)?;
        // Elements that are open when an article ends are closed after it.
        let html = self.inventory.options().html;
        let has_ends = html == HtmlView::Text;
        let cleaning = suited(CleanOptions::default(), html);
        self.reporter.start("trying out", sources.len());
        let tried = share_out_and_collect(global.threads(), sources.len(), |index| {
            let (documents, need) = self.fitting(&sources[index], &files[index], shared.first(), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.texts(documents)?;
            self.reporter.step(1);
            let sampled = Sampled::new(&files[index], shared.first(), &texts);
            let ends = if has_ends { Ends::of(&sampled) } else { Ends::none(&sampled) };
            let mut file = if all_patterns { files[index].clone() } else { thinned(&sampled, &ends) };
            drop(sampled);
            ends.mark(&mut file);
            file.mined.removed = sampling::removed_share(&file, shared.first(), &texts, &cleaning);
            Ok(file)
        });
        self.reporter.finish();
        Ok(tried?.into_iter().chain(shared).collect())
    }

    /// Finds out how far what was mined can be relied on, and which patterns have a place; notes both in the files. A source
    /// that is too small to be mined shows nothing of that.
    fn test(
        &self,
        sources: &[MinedSource],
        own: &mut [PatternFile],
        shared: &mut [PatternFile],
        budget: &Budget,
        global: &Global,
    ) -> anyhow::Result<()> {
        self.reporter.start("testing", sources.len());
        let shape = ShapeModel::shipped();
        let tested = share_out_and_collect(global.threads(), sources.len(), |index| {
            let (documents, need) = self.fitting(&sources[index], &own[index], shared.first(), budget.limit())?;
            let _share = budget.take(need);
            let texts = self.texts(documents)?;
            self.reporter.step(1);
            let sampled = Sampled::new(&own[index], shared.first(), &texts);
            let values = Values::of(&sampled);
            let tally = Tally::of(&sampled, &values, &shape);
            anyhow::Ok((Places::of(&sampled), values, tally))
        });
        self.reporter.finish();
        let tested = tested?;
        for (file, (places, values, tally)) in own.iter_mut().zip(&tested) {
            places.mark(file);
            values.mark(file);
            file.trust = (file.mined.counted() >= Mined::MIN_DOCUMENTS).then(|| tally.trust());
        }
        for file in shared {
            Places::mark_shared(tested.iter().map(|(places, ..)| places), file);
            file.trust = Trust::mean(own.iter().filter_map(|own| Some((own.trust.as_ref()?, own.mined.documents))));
        }
        Ok(())
    }

    /// The documents of a source that its patterns are tried out on, and what that takes, in bytes: of a sample as many as
    /// there is memory for.
    fn fitting<'s>(
        &self,
        source: &'s MinedSource,
        own: &PatternFile,
        shared: Option<&PatternFile>,
        limit: u64,
    ) -> anyhow::Result<(impl Iterator<Item = &'s DocumentRef>, u64)> {
        let need = |documents: usize| need_to_try_out(own, shared, documents);
        let most = source.looked_at.len();
        let least = if self.args.sample { most.min(1) } else { most };
        let Some(count) = (least..=most).rev().find(|&documents| need(documents) <= limit) else {
            bail!(not_enough(&[(&SourceId::parse(&own.source)?, need(least))], limit));
        };
        Ok((sampling::evenly_spread(&source.looked_at, count), need(count)))
    }

    /// The texts of documents that could be mined.
    fn texts<'d>(&self, documents: impl Iterator<Item = &'d DocumentRef>) -> anyhow::Result<Vec<String>> {
        let read = |place| {
            interrupt::check()?;
            // What cannot be read was said when it was to be mined.
            Ok(self.inventory.read(place).ok().map(|document| document.text))
        };
        documents.filter_map(|place| read(place).transpose()).collect()
    }

    /// Mines the sources, as many at a time as there are threads and memory for; in the order of the listings.
    fn mine_all(&self, listings: &[SourceListing], global: &Global) -> anyhow::Result<Vec<(Mined, Vec<DocumentRef>)>> {
        let needs: Vec<u64> = listings.iter().map(|listing| self.need(&listing.documents)).collect();
        let budget = global.budget();
        self.refuse_what_needs_more(listings, &needs, budget.limit())?;
        self.reporter.start("mining", listings.iter().map(|listing| listing.documents.len()).sum::<usize>());
        let mined = share_out_and_collect(global.threads(), listings.len(), |index| {
            self.mine(&listings[index], needs[index], &budget)
        });
        self.reporter.finish();
        mined
    }

    /// Mines a source; gives the documents to look at as well.
    fn mine(&self, listing: &SourceListing, need: u64, budget: &Budget) -> anyhow::Result<(Mined, Vec<DocumentRef>)> {
        let limit = budget.limit();
        let mut share = budget.take(need);
        let places = if need > limit { self.sample(listing, need, limit) } else { listing.documents.clone() };
        let documents = read_documents(self.inventory, &places, self.reporter)?;
        let read = places.into_iter().zip(documents).filter_map(|(place, document)| Some((place, document?.text)));
        let (places, texts): (Vec<DocumentRef>, Vec<String>) = read.unzip();
        // In no order that people gave them.
        let order = content_order(&texts);
        let (mut places, mut texts) = picked(&order, &places, texts);
        // Only now it shows of how many tokens the text is.
        let mut sequence = self.lexed(listing, &texts)?;
        let mut need_of_tokens = need_of(&texts, &sequence);
        if need_of_tokens > limit && !self.args.sample {
            bail!(not_enough(&[(&listing.id, need_of_tokens)], limit));
        }
        while need_of_tokens > limit && texts.len() > 1 {
            let most = (texts.len() as u128 * u128::from(limit) / u128::from(need_of_tokens)) as usize;
            let all: Vec<usize> = (0..texts.len()).collect();
            (places, texts) = picked(sampling::evenly_spread(&all, most.max(1)), &places, texts);
            self.tell_of_sample(listing, texts.len());
            sequence = self.lexed(listing, &texts)?;
            need_of_tokens = need_of(&texts, &sequence);
        }
        if need_of_tokens > need {
            drop(share);
            share = budget.take(need_of_tokens);
        }
        let mined = mine_sequence(&texts, sequence, self.lexer, self.options);
        drop(share);
        self.reporter.step(listing.documents.len());
        Ok((mined, sampling::looked_at(&places).copied().collect()))
    }

    fn lexed(&self, listing: &SourceListing, texts: &[String]) -> anyhow::Result<SymbolSequence> {
        SymbolSequence::of_texts(texts, self.lexer).with_context(|| format!("source '{}'", listing.id))
    }

    /// How much memory these documents of a source need at most while they are mined, in bytes.
    fn need(&self, documents: &[DocumentRef]) -> u64 {
        documents.par_iter().map(|place| self.need_of(place)).sum()
    }

    fn need_of(&self, place: &DocumentRef) -> u64 {
        let is_stripped = self.inventory.is_html(place) && self.inventory.options().html == HtmlView::Text;
        let factor = if is_stripped { memory::BYTES_PER_BYTE_OF_HTML } else { memory::BYTES_PER_BYTE };
        factor * self.inventory.bytes(place)
    }

    fn refuse_what_needs_more(&self, listings: &[SourceListing], needs: &[u64], limit: u64) -> anyhow::Result<()> {
        if self.args.sample {
            return Ok(());
        }
        let needs = listings.iter().map(|listing| &listing.id).zip(needs.iter().copied());
        let too_large: Vec<(&SourceId, u64)> = needs.filter(|(_, need)| *need > limit).collect();
        if too_large.is_empty() { Ok(()) } else { bail!(not_enough(&too_large, limit)) }
    }

    /// As many documents of a source as there is memory for, evenly spread.
    fn sample(&self, listing: &SourceListing, need: u64, limit: u64) -> Vec<DocumentRef> {
        let all = &listing.documents;
        let needs: Vec<u64> = all.par_iter().map(|place| self.need_of(place)).collect();
        let mut count = (all.len() as u128 * u128::from(limit) / u128::from(need.max(1))) as usize;
        loop {
            let sample = (0..count).map(|index| index * all.len() / count);
            if sample.clone().map(|index| needs[index]).sum::<u64>() <= limit {
                self.tell_of_sample(listing, count);
                return sample.map(|index| all[index]).collect();
            }
            count -= 1 + count / 100;
        }
    }

    fn tell_of_sample(&self, listing: &SourceListing, count: usize) {
        let (source, of) = (&listing.id, listing.documents.len());
        self.reporter.warn(&format!(
            "source '{source}' needs more memory than there is: {count} of its {of} documents are mined"
        ));
    }
}

/// What these texts need at most while they are mined, in bytes.
fn need_of(texts: &[String], sequence: &SymbolSequence) -> u64 {
    let bytes: u64 = texts.iter().map(|text| text.len() as u64).sum();
    bytes + memory::need_of_tokens(sequence.tokens(), sequence.vocabulary().len())
}

/// What trying patterns out on so many of a source's documents takes, in bytes.
fn need_to_try_out(own: &PatternFile, shared: Option<&PatternFile>, documents: usize) -> u64 {
    let patterns = own.patterns.len() + shared.map_or(0, |shared| shared.patterns.len());
    let matches: usize = own.patterns.iter().map(|pattern| pattern.occurrences).sum();
    let part = |all: usize| (all as u128 * documents as u128 / own.mined.documents.max(1) as u128) as u64;
    memory::need_to_try_out(patterns, part(matches), part(own.mined.tokens))
}

/// Says which sources need more than there is.
fn not_enough(needs: &[(&SourceId, u64)], limit: u64) -> String {
    let needs: Vec<String> =
        needs.iter().map(|(source, need)| format!("source '{source}' may need {}", size(*need))).collect();
    let (needs, limit) = (needs.join(", "), size(limit));
    format!("there is not enough memory: {needs}, of {limit}; give it more with --memory, or mine a part with --sample")
}

/// The documents with these indices, each of which comes once.
fn picked<'i>(
    indices: impl IntoIterator<Item = &'i usize>,
    places: &[DocumentRef],
    mut texts: Vec<String>,
) -> (Vec<DocumentRef>, Vec<String>) {
    indices.into_iter().map(|&index| (places[index], mem::take(&mut texts[index]))).unzip()
}

/// The fresh pattern files: one a source, and the shared one if there were enough sources to tell what is shared.
fn pattern_files(listings: &[SourceListing], mined: &[Mined], templates: Templates, lexer: &Lexer) -> Vec<PatternFile> {
    let shared = (listings.len() >= cross_source::MIN_SOURCES)
        .then(|| PatternFile::of_templates(SHARED, cross_source::shared_facts(mined), templates.shared, lexer));
    let own = listings.iter().zip(mined).zip(templates.own).map(|((listing, mined), templates)| {
        PatternFile::of_templates(listing.id.as_str(), mined.facts(), templates, lexer)
    });
    own.chain(shared).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_or_accents_only_are_alike() {
        let sources =
            |names: &[&str]| -> Vec<SourceId> { names.iter().map(|name| SourceId::parse(name).expect(name)).collect() };
        assert_eq!(names_alike(sources(&["a", "ab", "b"]).iter()), []);
        let alike = sources(&["TIDE", "hale", "Ähre", "tide", "a\u{308}hre"]);
        let found = names_alike(alike.iter()).into_iter().map(|(one, two)| (one.as_str(), two.as_str()));
        assert_eq!(found.collect::<Vec<_>>(), [("TIDE", "tide"), ("a\u{308}hre", "Ähre")]);
    }
}
