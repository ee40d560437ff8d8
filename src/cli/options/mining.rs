//! Flags of the commands that mine.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::{Args, ValueEnum};

use dehusk_core::mining::{MineOptions, NearDuplicates};
use dehusk_core::tokens::mutable_file::MutablePreset;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer, mutable_file};
use dehusk_core::whole;
use dehusk_run::CorpusMineOptions;

use super::{at_least, share};
use crate::cli::Global;

/// How sources are mined, and which of their patterns are kept.
#[derive(Args, Debug)]
#[command(next_help_heading = "Mining")]
pub struct SourceMineArgs {
    #[command(flatten)]
    pub mining: MineArgs,
    /// Mine a part of a source that needs more memory than there is
    ///
    /// If a source needs more memory than there is, mine as many of its documents as fit, evenly spread.
    #[arg(long)]
    pub sample: bool,
    /// Keep all patterns, even those that remove hardly anything beyond what others remove
    #[arg(long, hide_short_help = true)]
    pub all_patterns: bool,
}

/// How a source is mined.
#[derive(Args, Debug)]
#[command(next_help_heading = "Mining")]
pub struct MineArgs {
    /// Lowest share of the documents at which a repeat counts as template (0 to 1)
    ///
    /// Lowest share of the documents at which a repeat counts as template (0 to 1). The learned method does not use it
    /// [default: computed from the repeats]
    #[arg(long, value_name = "SHARE", value_parser = share, hide_short_help = true)]
    pub cutoff: Option<f64>,
    /// Minimum number of documents that contain a repeat
    ///
    /// Minimum number of documents that contain a repeat. A template with slots always needs 5 or more.
    #[arg(long, value_name = "N", default_value_t = MineOptions::default().min_documents as u32,
        value_parser = at_least(MineOptions::LEAST_DOCUMENTS as u32))]
    pub min_documents: u32,
    /// Minimum share of the documents that contain a repeat (0 to 1)
    #[arg(long, value_name = "SHARE", default_value_t = MineOptions::default().min_share, value_parser = share, hide_short_help = true)]
    pub min_share: f64,
    /// Minimum number of words of a repeat, unless it is a whole line
    #[arg(long, value_name = "N", default_value_t = MineOptions::default().min_words, hide_short_help = true)]
    pub min_words: usize,
    /// Mine no templates that have slots for any text
    #[arg(long, hide_short_help = true)]
    pub no_slots: bool,
    /// Count near-duplicates once (group), each (count), or each if they are snapshots (auto)
    ///
    /// Which documents count. `group` counts near-duplicates once. `count` counts each document, and takes for template only what
    /// 9 of 10 have: for snapshots of one page, such as a front page fetched every hour. `auto` does that for sources that it
    /// recognizes as snapshots. Documents that differ in nothing but numbers, dates and the like always count once.
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true, default_value_t = Counting::Auto, hide_short_help = true)]
    pub near_duplicates: Counting,
    #[command(flatten)]
    pub lexer: LexerArgs,
}

/// See [`NearDuplicates`].
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Counting {
    /// Near-duplicates count once
    Group,
    /// Each document counts, and template is what nearly all have
    Count,
    /// Like `count` if the documents are snapshots of one page, else like `group`
    Auto,
}

impl MineArgs {
    pub fn options(&self) -> MineOptions {
        let options = MineOptions::default().min_documents(self.min_documents as usize).min_share(self.min_share);
        options.min_words(self.min_words).cutoff(self.cutoff).slots(!self.no_slots).near_duplicates(
            match self.near_duplicates {
                Counting::Group => NearDuplicates::Group,
                Counting::Count => NearDuplicates::Count,
                Counting::Auto => NearDuplicates::Auto,
            },
        )
    }

    /// The options for the sources of a corpus.
    pub fn of_corpus(&self, global: &Global) -> CorpusMineOptions {
        CorpusMineOptions::default().mining(self.options()).memory(global.memory()).threads(global.threads())
    }
}

/// How text is split into tokens.
#[derive(Args, Debug)]
#[command(next_help_heading = "Mining")]
pub struct LexerArgs {
    /// How text is split into tokens: words, whitespace, or a repeated class such as `[^,\s]+`
    #[arg(long, value_name = "words|whitespace|REGEX", default_value = "words", value_parser = Tokenizer::parse, hide_short_help = true)]
    pub tokenizer: Tokenizer,
    /// Set of mutable patterns: default, foschini or none
    ///
    /// The set of mutable patterns: `default`, `foschini` (17 after the thesis of Foschini, see docs/method.md) or `none`.
    #[arg(long, value_enum, value_name = "NAME", hide_possible_values = true, default_value_t = Preset::Default, hide_short_help = true)]
    pub mutable_preset: Preset,
    /// Add the mutable patterns of a YAML file. They are tried before those of the set
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub mutable: Vec<PathBuf>,
}

/// See [`MutablePreset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// Dates, times, numbers, addresses, what stands beside names, rows of marks
    Default,
    /// 17 patterns after the thesis of Foschini
    Foschini,
    /// No patterns
    None,
}

impl LexerArgs {
    /// Whether all options have their default values.
    pub fn is_default(&self) -> bool {
        self.mutable.is_empty()
            && self.preset() == MutablePreset::Default
            && self.tokenizer.name() == Tokenizer::Words.name()
    }

    fn preset(&self) -> MutablePreset {
        match self.mutable_preset {
            Preset::Default => MutablePreset::Default,
            Preset::Foschini => MutablePreset::Foschini,
            Preset::None => MutablePreset::None,
        }
    }

    /// Builds a lexer with this tokenizer and these mutable patterns.
    pub fn build(&self) -> anyhow::Result<Lexer> {
        let mut patterns = Vec::new();
        for path in &self.mutable {
            let naming = || format!("mutable pattern file {}", path.display());
            let yaml = whole::text_at(path).with_context(naming)?;
            let entries = mutable_file::parse(&yaml).with_context(naming)?;
            // The patterns of each file are checked alone first, so that an error names the file.
            mutable_file::check_examples(&entries).with_context(naming)?;
            patterns.extend(mutable_file::patterns_of(&entries));
        }
        patterns.extend(self.preset().patterns());
        let set = MutableSet::new(patterns).context("all mutable patterns together")?;
        Ok(Lexer::new(self.tokenizer.clone(), Arc::new(set)))
    }
}
