//! Flags that several commands share, and the options that are made from them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf, is_separator};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};

use dehusk_core::cleaning::decision_model::DecisionModel;
use dehusk_core::cleaning::{CleanOptions, Method};
use dehusk_core::dom::block_model::BlockModel;
use dehusk_core::dom::page_judge::PageJudge;
use dehusk_core::dom::page_level::PageModel;
use dehusk_core::dom::page_parts::{Favor, PageChoices, PartChoice};
use dehusk_core::mining::{MineOptions, NearDuplicates};
use dehusk_core::tokens::mutable::MutablePreset;
use dehusk_core::tokens::{Lexer, MutableSet, Tokenizer, mutable};
use dehusk_core::whole;
use dehusk_corpus::{BoxesFile, FileKind, HtmlView, Keys, MAX_DOCUMENT_BYTES, ReadOptions, SourceBy};
use dehusk_run::clean::document::CHOICES;
use dehusk_run::clean::spans;
use dehusk_run::{CorpusCleanOptions, CorpusMineOptions};
use dehusk_segments::importance::model::ImportanceModel;
use dehusk_segments::segmentation::model::SegmentModel;

use super::corpus_paths::ListArgs;
use super::force::ForceArgs;
use super::{Global, size};

/// How the summary is printed.
#[derive(Args, Clone, Debug)]
pub struct SummaryArgs {
    /// Print the summary as JSON
    ///
    /// Print the summary as JSON: on stdout, or on stderr if documents go to stdout.
    #[arg(long)]
    pub json: bool,
}

/// Where documents are, and how they are read.
#[derive(Args, Debug)]
pub struct CorpusArgs {
    /// Folders with a folder for each source, files with many documents, or `-` for stdin
    ///
    /// Folders with a folder for each source, files with many documents (.jsonl, .warc, .wet, .parquet), single documents,
    /// quoted globs, or `-` for stdin. Files may be compressed (.gz, .zst).
    #[arg(required_unless_present = "files_from", value_name = "CORPUS")]
    pub corpus: Vec<PathBuf>,
    #[command(flatten)]
    pub list: ListArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How documents are read.
#[derive(Args, Debug)]
pub struct ReadingArgs {
    /// Write HTML as text, page, markdown or markup
    ///
    /// How HTML is read and written. `text` reads the text that a visitor sees, with a line for each block, and writes text.
    /// `page` reads the same text, and writes the page without the removed text, the elements that are empty then, and pictures
    /// that are template. `markdown` writes that page as Markdown. `markup` reads and writes the markup itself as text.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Html::Text)]
    pub html: Html,
    /// Count the `alt` texts of pictures as text of HTML pages
    ///
    /// Count the `alt` texts of pictures (`<img alt>`) as text of HTML pages. Give it to mining and to cleaning alike. With `--html
    /// markup`, it changes nothing.
    #[arg(long, hide_short_help = true)]
    pub alt_text: bool,
    /// Also follow symbolic links that lead out of the given folder
    #[arg(long, hide_short_help = true)]
    pub follow_links: bool,
    /// What a source is, such as a host or folder [default: auto]
    ///
    /// What a source is: `auto`, `key`, `host`, `domain`, `folder` or a regex. `auto` uses the source key, else the host of the
    /// address, else the folder. `domain` uses the registered domain of the host. A regex uses what it finds in the address, or
    /// in the path if there is no address [default: auto]
    #[arg(long, value_name = "HOW", hide_default_value = true, default_value = "auto", value_parser = SourceBy::parse)]
    pub source_by: SourceBy,
    /// Skip documents that have more bytes than this, such as 1G
    ///
    /// Skip documents that have more bytes than this after decompression, such as 1G. The highest value is 2G.
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = document_size, default_value_t = size::Size(ReadOptions::default().max_document))]
    pub max_document: size::Size,
    /// Key or column of a document's name
    #[arg(long, value_name = "KEY", default_value = "id", help_heading = "JSONL and Parquet", hide_short_help = true)]
    pub id_key: String,
    /// Key or column of a document's source
    #[arg(
        long,
        value_name = "KEY",
        default_value = "source",
        help_heading = "JSONL and Parquet",
        hide_short_help = true
    )]
    pub source_key: String,
    /// Key or column of a document's address, which can name its source
    #[arg(long, value_name = "KEY", default_value = "url", help_heading = "JSONL and Parquet", hide_short_help = true)]
    pub url_key: String,
    /// Key or column of a document's text
    #[arg(
        long,
        value_name = "KEY",
        default_value = "text",
        help_heading = "JSONL and Parquet",
        hide_short_help = true
    )]
    pub text_key: String,
    /// Key or column of a document's HTML, which is read if there is no text
    #[arg(
        long,
        value_name = "KEY",
        default_value = "html",
        help_heading = "JSONL and Parquet",
        hide_short_help = true
    )]
    pub html_key: String,
}

/// See [`HtmlView`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Html {
    /// Read the text that a visitor sees, with a line for each block, and write text
    Text,
    /// Read the same text, and write the page without the removed text and the elements that are empty then
    Page,
    /// Read the same text, and write the page without the removed text as Markdown
    Markdown,
    /// Read the same text, and write it with what the page says about itself: only `extract` does
    #[value(skip)]
    Json,
    /// Read and write the markup itself as text
    Markup,
}

impl ReadingArgs {
    pub fn options(&self) -> ReadOptions {
        self.options_with(match self.html {
            Html::Text => HtmlView::Text,
            Html::Page => HtmlView::Page,
            Html::Markdown => HtmlView::Markdown,
            Html::Json => HtmlView::Json,
            Html::Markup => HtmlView::Markup,
        })
    }

    /// For commands that write no documents.
    pub fn read_only(&self) -> ReadOptions {
        let options = self.options();
        let html = options.html.read_only();
        options.html(html)
    }

    /// For gold text, which has no markup and is in folders named after the sources.
    pub fn gold_options(&self) -> ReadOptions {
        self.options_with(HtmlView::Text).source_by(SourceBy::Auto)
    }

    fn options_with(&self, html: HtmlView) -> ReadOptions {
        let keys = Keys::default()
            .id(self.id_key.clone())
            .source(self.source_key.clone())
            .url(self.url_key.clone())
            .text(self.text_key.clone())
            .html(self.html_key.clone());
        let options = ReadOptions::default().html(html).alt_text(self.alt_text).keys(keys);
        let options = options.source_by(self.source_by.clone());
        options.follow_links(self.follow_links).max_document(self.max_document.0).memory(super::budget())
    }
}

/// How a source is mined.
#[derive(Args, Debug)]
pub struct MineArgs {
    /// Lowest share of the documents at which a repeat counts as template (0 to 1)
    ///
    /// Lowest share of the documents at which a repeat counts as template (0 to 1). The learned method does not use it
    /// [default: computed from the repeats]
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Mining", hide_short_help = true)]
    pub cutoff: Option<f64>,
    /// Minimum number of documents that contain a repeat
    ///
    /// Minimum number of documents that contain a repeat. A template with slots always needs 5 or more.
    #[arg(long, alias = "min-df", value_name = "N", default_value_t = MineOptions::default().min_documents as u32,
        value_parser = clap::value_parser!(u32).range(MineOptions::LEAST_DOCUMENTS as i64..), help_heading = "Mining")]
    pub min_documents: u32,
    /// Minimum share of the documents that contain a repeat (0 to 1)
    #[arg(long, value_name = "SHARE", default_value_t = MineOptions::default().min_share, value_parser = share, help_heading = "Mining", hide_short_help = true)]
    pub min_share: f64,
    /// Minimum number of words of a repeat, unless it is a whole line
    #[arg(long, alias = "min-tokens", value_name = "N", default_value_t = MineOptions::default().min_words, help_heading = "Mining", hide_short_help = true)]
    pub min_words: usize,
    /// Mine no templates that have slots for any text
    #[arg(long, help_heading = "Mining", hide_short_help = true)]
    pub no_slots: bool,
    /// Count near-duplicates once (group), each (count), or each if they are snapshots (auto)
    ///
    /// Which documents count. `group` counts near-duplicates once. `count` counts each document, and takes for template only what
    /// 9 of 10 have: for snapshots of one page, such as a front page fetched every hour. `auto` does that for sources that it
    /// recognizes as snapshots. Documents that differ in nothing but numbers, dates and the like always count once.
    #[arg(long, value_enum, value_name = "HOW", hide_possible_values = true, default_value_t = Counting::Auto, help_heading = "Mining", hide_short_help = true)]
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

/// How text is split into tokens.
#[derive(Args, Debug)]
pub struct LexerArgs {
    /// How text is split into tokens: words, whitespace, or a repeated class such as `[^,\s]+`
    #[arg(long, value_name = "words|whitespace|REGEX", default_value = "words", value_parser = Tokenizer::parse, help_heading = "Tokens", hide_short_help = true)]
    pub tokenizer: Tokenizer,
    /// Set of mutable patterns: default, foschini or none
    ///
    /// The set of mutable patterns: `default`, `foschini` (16 after the thesis of Foschini, see docs/method.md) or `none`.
    #[arg(long, value_enum, value_name = "NAME", hide_possible_values = true, default_value_t = Preset::Default, help_heading = "Tokens", hide_short_help = true)]
    pub mutable_preset: Preset,
    /// Add the mutable patterns of a YAML file. They are tried before those of the set
    #[arg(long, value_name = "FILE", help_heading = "Tokens", hide_short_help = true)]
    pub mutable: Vec<PathBuf>,
    /// The same as `--mutable-preset none`
    #[arg(long, conflicts_with = "mutable_preset", help_heading = "Tokens", hide_short_help = true)]
    pub no_default_mutable: bool,
}

/// See [`MutablePreset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// Dates, times, numbers, addresses, what stands beside names, rows of marks
    Default,
    /// 16 patterns after the thesis of Foschini
    Foschini,
    /// No patterns
    None,
}

/// How sources are mined, and which of their patterns are kept.
#[derive(Args, Debug)]
pub struct SourceMineArgs {
    #[command(flatten)]
    pub mining: MineArgs,
    /// Mine a part of a source that needs more memory than there is
    ///
    /// If a source needs more memory than there is, mine as many of its documents as fit, evenly spread.
    #[arg(long, help_heading = "Mining")]
    pub sample: bool,
    /// Keep all patterns, even those that remove hardly anything beyond what others remove
    #[arg(long, help_heading = "Mining", hide_short_help = true)]
    pub all_patterns: bool,
}

fn document_size(text: &str) -> Result<size::Size, String> {
    match size::parse(text)? {
        bytes if bytes > MAX_DOCUMENT_BYTES as u64 => Err("a document may have at most 2G".to_owned()),
        bytes => Ok(size::Size(bytes)),
    }
}

/// Parses a path of an output that cannot go to stdout.
pub fn path_to_write() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.to_str() {
        Some("-") => Err("this output cannot go to stdout: give a path (./- for a file that is named -)"),
        _ => Ok(path),
    })
}

/// Parses the path of a folder for an output that cannot go to stdout.
pub fn folder_to_write() -> impl TypedValueParser<Value = PathBuf> {
    path_to_write().try_map(|path| refuse_file_name(path, ""))
}

/// Parses the path of a folder for documents, or `-` for stdout.
pub fn folder_or_stdout() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| refuse_file_name(path, "; `-o - > FILE` writes JSONL to a file"))
}

/// Refuses a device or a pipe, and a new folder with the name of a file: who gives such a name expects a file.
fn refuse_file_name(path: PathBuf, other: &str) -> Result<PathBuf, String> {
    let is_known = |extension: &OsStr| ["yaml", "yml", "json"].iter().any(|known| extension == *known);
    let is_of_file = FileKind::of(&path).is_some() || path.extension().is_some_and(is_known);
    let is_of_folder = path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| is_separator(last.into()));
    match std::fs::metadata(&path) {
        Ok(found) if !found.is_dir() && !found.is_file() => {
            Err(format!("this is a device or a pipe, and a folder is written: name a folder{other}"))
        }
        Ok(found) if found.is_dir() => Ok(path),
        _ if is_of_file && !is_of_folder => {
            Err(format!("this is the name of a file, and a folder is written: name a folder, or end it with /{other}"))
        }
        _ => Ok(path),
    }
}

/// Parses a share.
pub fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share is a number from 0 to 1".to_owned()),
    }
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

impl LexerArgs {
    /// Whether no option was given.
    pub fn is_default(&self) -> bool {
        self.mutable.is_empty()
            && self.preset() == MutablePreset::Default
            && self.tokenizer.name() == Tokenizer::Words.name()
    }

    fn preset(&self) -> MutablePreset {
        match self.mutable_preset {
            _ if self.no_default_mutable => MutablePreset::None,
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
            let added = mutable::parse_file(&yaml).with_context(naming)?;
            // They are checked alone first, so that an error names their file.
            Arc::new(MutableSet::new(added.clone()).with_context(naming)?).check_examples().with_context(naming)?;
            patterns.extend(added);
        }
        patterns.extend(self.preset().patterns());
        let set = MutableSet::new(patterns).context("all mutable patterns together")?;
        Ok(Lexer::new(self.tokenizer.clone(), Arc::new(set)))
    }
}

/// How the content of pages is extracted, and what happens when something goes wrong.
#[derive(Args, Debug)]
pub struct ExtractArgs {
    /// Model of the content of pages [default: the shipped model]
    ///
    /// Model of the content of pages, written by `dehusk-lab train --pages --gold` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = block_model, value_hint = ValueHint::FilePath, help_heading = "Cleaning")]
    pub model: Option<Arc<BlockModel>>,
    #[command(flatten)]
    pub page: PageArgs,
    #[command(flatten)]
    pub written: WrittenArgs,
    #[command(flatten)]
    pub long: LongRunArgs,
}

/// How documents are cleaned, and what happens when something goes wrong.
#[derive(Args, Debug)]
pub struct CleanArgs {
    #[command(flatten)]
    pub method: PageMethodArgs,
    #[command(flatten)]
    pub written: WrittenArgs,
    #[command(flatten)]
    pub long: LongRunArgs,
}

/// How documents are cleaned and written.
#[derive(Args, Debug)]
pub struct DocumentArgs {
    #[command(flatten)]
    pub method: PageMethodArgs,
    #[command(flatten)]
    pub written: WrittenArgs,
}

/// What is written for a document.
#[derive(Args, Debug)]
pub struct WrittenArgs {
    /// Write this text in place of removed text
    #[arg(long, value_name = "TEXT", help_heading = "Cleaning")]
    pub replacement: Option<String>,
    /// Remove nothing. Write what would be removed, as Dolma attributes
    ///
    /// Remove nothing. Write what would be removed as Dolma attributes, in a .jsonl file for each input file.
    #[arg(long, conflicts_with = "replacement", help_heading = "Cleaning")]
    pub spans: bool,
    /// Unit of the positions of spans
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = SpanUnit::Codepoints, requires = "spans", help_heading = "Cleaning", hide_short_help = true)]
    pub span_units: SpanUnit,
    /// Keep a document if more than this share would go
    ///
    /// Keep a document unchanged, and name it, if more than this share of its text would be removed (0 to 1).
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = share, help_heading = "Cleaning")]
    pub max_removed: f64,
}

/// The unit of the positions of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SpanUnit {
    /// Unicode code points, as in Python and Dolma
    Codepoints,
    /// Bytes of the text in UTF-8
    Bytes,
}

/// What a run does when something goes wrong.
#[derive(Args, Debug)]
pub struct LongRunArgs {
    /// What happens to documents that cannot be read
    ///
    /// What happens to documents that cannot be read or cleaned. `skip` leaves them out of the output, `copy` copies them
    /// unchanged.
    #[arg(long, value_enum, value_name = "skip|copy", hide_possible_values = true, default_value_t = OnError::Skip, conflicts_with = "spans", help_heading = "Long runs")]
    pub on_error: OnError,
    /// Stop if more documents than this are skipped
    ///
    /// Stop if more documents than this cannot be read or cleaned.
    #[arg(long, value_name = "N", help_heading = "Long runs")]
    pub max_errors: Option<usize>,
    /// Continue a run that was stopped
    ///
    /// Continue a run that was stopped, and do not clean again what it finished. The patterns and options must be the same.
    #[arg(long, help_heading = "Long runs")]
    pub resume: bool,
    /// Detect changed input by a hash of its content
    ///
    /// Detect changed input by a hash of its content, not only by its size and time. The hash is stored, and compared with
    /// --resume. All input is read once more.
    #[arg(long, help_heading = "Long runs", hide_short_help = true)]
    pub verify: bool,
    /// Write what happened to each document to a JSONL file
    ///
    /// Write what happened to each document to a file, with a line of JSON for each.
    #[arg(long, value_name = "FILE", value_parser = path_to_write(), help_heading = "Long runs")]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub prune: PruneArgs,
    #[command(flatten)]
    pub force: ForceArgs,
}

/// What happens to files of earlier runs.
#[derive(Args, Clone, Copy, Debug)]
pub struct PruneArgs {
    /// Delete files of earlier runs that this run did not write
    ///
    /// Delete files that earlier runs wrote to the output and this run did not. Files that were changed since are kept.
    #[arg(long)]
    pub prune: bool,
}

/// What happens to documents that cannot be read or cleaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    /// Leave them out of the output
    Skip,
    /// Copy them unchanged
    Copy,
}

impl CleanArgs {
    /// The options for cleaning a corpus.
    pub fn options(&self, global: &Global) -> anyhow::Result<CorpusCleanOptions> {
        Ok(self.long.add_to(self.written.options(global).cleaning(self.method.options()?)))
    }
}

impl ExtractArgs {
    /// The options for extracting the content of the pages of a corpus.
    pub fn options(&self, global: &Global) -> CorpusCleanOptions {
        let model = self.model.clone().unwrap_or_else(BlockModel::shipped);
        self.long.add_to(self.written.options(global).page_judge(Some(PageJudge::Content(model, self.page.choices()))))
    }
}

impl LongRunArgs {
    /// These options, and how a long run goes on.
    pub fn add_to(&self, options: CorpusCleanOptions) -> CorpusCleanOptions {
        let options = options.copies_broken(self.on_error == OnError::Copy);
        let options = options.resume(self.resume).verify(self.verify).prune(self.prune.prune);
        options.report(self.report.clone()).force(self.force.force)
    }
}

impl DocumentArgs {
    /// The options for cleaning the documents of a stream.
    pub fn options(&self, global: &Global) -> anyhow::Result<CorpusCleanOptions> {
        Ok(self.written.options(global).cleaning(self.method.options()?))
    }
}

impl WrittenArgs {
    /// The unit of spans, if `--spans` is given.
    pub fn spans(&self) -> Option<spans::SpanUnit> {
        self.spans.then_some(match self.span_units {
            SpanUnit::Codepoints => spans::SpanUnit::Codepoints,
            SpanUnit::Bytes => spans::SpanUnit::Bytes,
        })
    }

    /// The options for writing documents.
    pub fn options(&self, global: &Global) -> CorpusCleanOptions {
        let options = CorpusCleanOptions::default().spans(self.spans());
        let options = options.replacement(self.replacement.clone()).max_removed(self.max_removed);
        options.reads(global.reads.clone()).threads(global.threads())
    }
}

/// What the user wants of an HTML page.
#[derive(Args, Debug)]
pub struct PageArgs {
    /// What happens to text in doubt
    ///
    /// What happens to text in doubt. `recall` keeps it, so that little content is lost. `precision` removes it, so that little
    /// boilerplate is left.
    #[arg(long, value_enum, value_name = "precision|recall", hide_possible_values = true, help_heading = "Cleaning")]
    pub favor: Option<FavorName>,
    /// What happens to the headline of an HTML page
    ///
    /// What happens to the headline of an HTML page: `keep`, `drop`, or `auto`, which keeps it, apart from proven template in it.
    #[arg(long, value_enum, value_name = "keep|drop|auto", hide_possible_values = true, default_value_t = Choice::Auto, help_heading = "Cleaning")]
    pub headline: Choice,
    /// What happens to author and date of an HTML page
    ///
    /// What happens to the short blocks between the headline of an HTML page and its text, such as author and date: `keep`,
    /// `drop`, or `auto`, which leaves them to the model.
    #[arg(long, value_enum, value_name = "keep|drop|auto", hide_possible_values = true, default_value_t = Choice::Auto, help_heading = "Cleaning")]
    pub byline: Choice,
    /// What happens to comments on an HTML page
    ///
    /// What happens to the comments of readers on an HTML page: `keep`, `drop`, or `auto`, which leaves them to the model: it
    /// keeps them where they are the content of the page, as in a forum. Comments are what the page itself calls so, in
    /// classes, ids and the like.
    #[arg(long, value_enum, value_name = "keep|drop|auto", hide_possible_values = true, default_value_t = Choice::Auto, help_heading = "Cleaning")]
    pub comments: Choice,
}

/// See [`Favor`].
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FavorName {
    /// Boilerplate that is left in weighs more
    Precision,
    /// Lost content weighs more
    Recall,
}

/// See [`PartChoice`].
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Choice {
    /// It stays
    Keep,
    /// It goes
    Drop,
    /// dehusk decides
    Auto,
}

/// How it is decided what is removed, by commands that look at the structure of pages.
#[derive(Args, Debug)]
pub struct PageMethodArgs {
    #[command(flatten)]
    pub text: MethodArgs,
    #[command(flatten)]
    pub page: PageArgs,
}

/// How it is decided what is removed.
#[derive(Args, Debug)]
pub struct MethodArgs {
    /// How dehusk decides what is removed
    ///
    /// How dehusk decides what is removed. `learned` judges each line or sentence by how it recurs, what it looks like and
    /// what stands around it. `union` removes all text that is matched by a pattern at or above the cutoff.
    #[arg(long, value_enum, value_name = "METHOD", hide_possible_values = true, default_value_t = MethodName::Learned,
        help_heading = "Cleaning")]
    pub method: MethodName,
    #[command(flatten)]
    pub any: AnyMethodArgs,
}

/// How documents are cleaned, whatever the method.
#[derive(Args, Debug)]
pub struct AnyMethodArgs {
    /// Join matches that are fewer than this many characters apart (only with `--method union`)
    #[arg(long, value_name = "CHARS", default_value_t = 0, help_heading = "Cleaning", hide_short_help = true)]
    pub merge_gap: usize,
    /// Use only patterns that a person accepted
    #[arg(long, value_enum, value_name = "accepted", hide_possible_values = true, help_heading = "Cleaning")]
    pub only: Option<Only>,
    /// Model that decides, written by `dehusk-lab train --decision` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = decision_model, value_hint = ValueHint::FilePath, help_heading = "Cleaning", hide_short_help = true)]
    pub decision_model: Option<Arc<DecisionModel>>,
    /// Model of the content of pages, written by `dehusk-lab train --pages --gold` [default: the shipped model]
    #[arg(long, value_name = "FILE", value_parser = block_model, value_hint = ValueHint::FilePath, help_heading = "Cleaning", hide_short_help = true)]
    pub block_model: Option<Arc<BlockModel>>,
    /// Remove only text that recurs beyond chance. No model decides
    #[arg(long, conflicts_with_all = ["decision_model", "block_model"], help_heading = "Cleaning")]
    pub recurrence_alone: bool,
    /// Judge pages by their text alone, not by the structure of their elements
    #[arg(long, conflicts_with = "block_model", help_heading = "Cleaning", hide_short_help = true)]
    pub no_structure: bool,
}

fn text_of_model(path: &str) -> Result<String, String> {
    whole::text_at(Path::new(path)).map_err(|error| error.to_string())
}

/// Reads a page-level model.
pub fn page_model(path: &str) -> Result<Arc<PageModel>, String> {
    let yaml = text_of_model(path)?;
    PageModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

/// Reads a segment model.
pub fn segment_model(path: &str) -> Result<Arc<SegmentModel>, String> {
    let yaml = text_of_model(path)?;
    SegmentModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

/// Reads an importance model.
pub fn importance_model(path: &str) -> Result<Arc<ImportanceModel>, String> {
    let yaml = text_of_model(path)?;
    ImportanceModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

/// Opens a file with the boxes of pages.
pub fn boxes_file(path: &str) -> Result<Arc<BoxesFile>, String> {
    BoxesFile::open(Path::new(path)).map(Arc::new).map_err(|error| error.to_string())
}

fn block_model(path: &str) -> Result<Arc<BlockModel>, String> {
    let yaml = text_of_model(path)?;
    BlockModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

fn decision_model(path: &str) -> Result<Arc<DecisionModel>, String> {
    let yaml = text_of_model(path)?;
    DecisionModel::parse(&yaml, path).map(Arc::new).map_err(|error| error.to_string())
}

/// See [`Method`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Judge each line or sentence with a model
    Learned,
    /// Remove all text that is matched by a pattern at or above the cutoff
    Union,
}

/// The status that patterns must have.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Only {
    /// Patterns that a person accepted
    Accepted,
}

impl PageArgs {
    /// What the user chose.
    pub fn choices(&self) -> PageChoices {
        let [headline, byline, comments] = [self.headline, self.byline, self.comments].map(|choice| match choice {
            Choice::Keep => PartChoice::Keep,
            Choice::Drop => PartChoice::Drop,
            Choice::Auto => PartChoice::Auto,
        });
        let favor = match self.favor {
            None => Favor::Balance,
            Some(FavorName::Precision) => Favor::Precision,
            Some(FavorName::Recall) => Favor::Recall,
        };
        PageChoices::default().favor(favor).headline(headline).byline(byline).comments(comments)
    }

    /// Whether the user chose anything.
    pub fn is_given(&self) -> bool {
        self.choices() != PageChoices::default()
    }

    /// Refuses a choice beside a flag with which it could do nothing.
    fn refuse(&self, flag: &str) -> anyhow::Result<()> {
        if self.is_given() {
            bail!("{CHOICES} need the structure of pages, which {flag} does not use: leave one of them out");
        }
        Ok(())
    }
}

impl PageMethodArgs {
    /// Whether it is the method with which mining tries patterns.
    pub fn is_default(&self) -> bool {
        self.options().is_ok_and(|options| options == CleanOptions::default())
    }

    /// The options for cleaning pages with patterns.
    pub fn options(&self) -> anyhow::Result<CleanOptions> {
        let PageMethodArgs { text: MethodArgs { method, any }, page } = self;
        let without_structure = [
            ("--method union", *method == MethodName::Union),
            ("--only accepted", any.only.is_some()),
            ("--recurrence-alone", any.recurrence_alone),
        ];
        without_structure.into_iter().filter(|(_, is_given)| *is_given).try_for_each(|(flag, _)| page.refuse(flag))?;
        // What is favoured counts for texts as well.
        if any.no_structure && page.choices() != PageChoices::default().favor(page.choices().favor) {
            bail!("--headline, --byline and --comments need the structure of pages: leave them or --no-structure out");
        }
        Ok(self.text.options().page(page.choices()))
    }
}

impl MethodArgs {
    /// The options for cleaning with patterns.
    pub fn options(&self) -> CleanOptions {
        match self.method {
            MethodName::Learned => self.any.options(Method::Learned),
            MethodName::Union => self.any.union_options(),
        }
    }
}

impl AnyMethodArgs {
    /// The options for cleaning with the union method.
    pub fn union_options(&self) -> CleanOptions {
        self.options(Method::Union { merge_gap: self.merge_gap })
    }

    fn options(&self, method: Method) -> CleanOptions {
        let decision = match &self.decision_model {
            _ if self.recurrence_alone => None,
            Some(model) => Some(Arc::clone(model)),
            None => Some(DecisionModel::shipped()),
        };
        let structure = match &self.block_model {
            _ if self.recurrence_alone || self.no_structure => None,
            Some(model) => Some(Arc::clone(model)),
            None => Some(BlockModel::shipped()),
        };
        CleanOptions::default()
            .method(method)
            .only_accepted(self.only.is_some())
            .decision(decision)
            .structure(structure)
    }
}
