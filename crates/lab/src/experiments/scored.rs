//! Mines some documents of a corpus with some options, and scores others.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;

use dehusk_core::cleaning::{CleanOptions, Method};
use dehusk_core::mining::MineOptions;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer};
use dehusk_corpus::{DocumentRef, Inventory, ReadOptions, SourceListing};
use dehusk_run::left_out::tell_of_skipped;
use dehusk_run::mine::mining::list;
use dehusk_run::scoring::figures::Figures;
use dehusk_run::scoring::gold_texts::GoldTexts;
use dehusk_run::scoring::rules::{Methods, Rule};
use dehusk_run::scoring::score::Score;
use dehusk_run::scoring::{Libraries, Scoring};
use dehusk_run::{CorpusMineOptions, Observer, mine_library};

/// The corpus of an experiment in which options are varied.
#[derive(Args, Debug)]
pub struct ScoredArgs {
    /// The documents: what `dehusk mine` takes
    #[arg(required = true, value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    /// Folder with the text to keep: DIR/<source>/<document>.txt
    #[arg(long, value_name = "DIR")]
    gold: PathBuf,
    /// Print the outcome as JSON
    #[arg(long)]
    pub json: bool,
}

/// A corpus with gold text.
pub struct ScoredCorpus {
    pub inventory: Inventory,
    pub listings: Vec<SourceListing>,
    gold: GoldTexts,
}

/// How a corpus is mined and cleaned.
pub struct Options {
    pub lexer: Lexer,
    pub mining: MineOptions,
    /// Number of characters between two matches that the union method joins.
    pub merge_gap: usize,
}

/// The scores of the two methods, as means of sources.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BothScores {
    pub union: Score,
    pub smooth: Score,
}

impl Default for Options {
    fn default() -> Options {
        let lexer = Lexer::new(Tokenizer::Words, Arc::new(MutableSet::shipped()));
        Options { lexer, mining: MineOptions::default(), merge_gap: 0 }
    }
}

impl ScoredCorpus {
    pub fn read(args: &ScoredArgs, observer: &dyn Observer) -> anyhow::Result<ScoredCorpus> {
        let gold = GoldTexts::read(&args.gold, &ReadOptions::default(), observer)?;
        let inventory = Inventory::scan(&args.corpus, &ReadOptions::default())?;
        inventory.skipped().iter().for_each(|skipped| tell_of_skipped(skipped, observer));
        let listings = list(&inventory, observer)?;
        gold.refuse_other_sources(&listings)?;
        Ok(ScoredCorpus { inventory: inventory.with_trees(), listings, gold })
    }

    /// Mines the documents of `mined`, cleans those of `scored`, and scores each source.
    pub fn figures(
        &self,
        mined: &[SourceListing],
        scored: &[SourceListing],
        options: &Options,
        observer: &dyn Observer,
    ) -> anyhow::Result<Figures> {
        let threads = rayon::current_num_threads();
        let mining = CorpusMineOptions::default().mining(options.mining.clone()).threads(threads);
        let all = mine_library(&self.inventory, mined, &options.lexer, &mining, CleanOptions::default(), observer)?;
        let libraries = Libraries { all, half: None };
        let union =
            CleanOptions::default().method(Method::Union { merge_gap: options.merge_gap, second_filter: false });
        let methods = Methods { asked: CleanOptions::default(), union };
        let scoring = Scoring::new(&self.inventory, scored, &self.gold, &libraries, &methods, observer);
        let mut sources = scoring.score_all(threads)?;
        // Documents with gold text that are not scored now do not count as missing.
        sources.iter_mut().for_each(|source| source.documents.retain(|document| !document.is_missing));
        Ok(Figures::of(sources, Rule::Dehusk))
    }
}

impl BothScores {
    /// The mean scores of sources. All zero if there are none.
    pub fn of(figures: &Figures) -> BothScores {
        let scores = figures.scores();
        let score = |rule| scores.get(&rule).copied().unwrap_or_default();
        BothScores { union: score(Rule::Union), smooth: score(Rule::Dehusk) }
    }
}

/// The chosen documents of each source. Sources without chosen documents are left out.
pub fn chosen(listings: &[SourceListing], choose: impl Fn(&SourceListing) -> Vec<DocumentRef>) -> Vec<SourceListing> {
    let listings = listings.iter().map(|listing| SourceListing { id: listing.id.clone(), documents: choose(listing) });
    listings.filter(|listing| !listing.documents.is_empty()).collect()
}
