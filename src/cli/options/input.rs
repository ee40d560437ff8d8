//! Flags of all commands that read documents.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use dehusk_corpus::{HtmlView, Keys, MAX_DOCUMENT_BYTES, ReadOptions, SourceBy, SourceId};

use crate::cli::corpus_paths::ListArgs;
use crate::cli::{budget, size};

/// Where documents are, and how they are read.
#[derive(Args, Debug)]
pub struct CorpusArgs {
    /// Folders with a folder for each source, files with many documents, or `-` for stdin
    ///
    /// Folders with a folder for each source, files with many documents (.jsonl, .json, .csv, .tsv, .warc, .wet,
    /// .parquet), single documents, quoted globs, or `-` for stdin. Files may be compressed (.gz, .zst).
    #[arg(required_unless_present = "files_from", value_name = "CORPUS")]
    pub corpus: Vec<PathBuf>,
    #[command(flatten)]
    pub list: ListArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How documents are read.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub struct ReadingArgs {
    /// Write HTML as text, page, markdown or markup
    ///
    /// How HTML is read and written. `text` reads the text that a visitor sees, with a line for each block, and writes
    /// text. `page` reads the same text, and writes the page without the removed text, the elements that are empty
    /// then, and pictures that are boilerplate. `markdown` writes that page as Markdown. `markup` reads and writes the
    /// markup itself as text.
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Html::Text)]
    pub html: Html,
    /// Count the `alt` texts of pictures as text of HTML pages
    ///
    /// Count the `alt` texts of pictures (`<img alt>`) as text of HTML pages. Give it to mining and to cleaning alike.
    /// With `--html markup`, it changes nothing.
    #[arg(long, hide_short_help = true)]
    pub alt_text: bool,
    /// Also follow symbolic links that lead out of the given folder
    #[arg(long, hide_short_help = true)]
    pub follow_links: bool,
    /// What a source is, such as a host or folder [default: auto]
    ///
    /// What a source is: `auto`, `key`, `host`, `domain`, `folder` or a regex. `auto` uses the source key, else the
    /// host of the address, else the folder. `domain` uses the registered domain of the host. A regex uses what it
    /// finds in the address, or in the path if there is no address [default: auto]
    #[arg(long, value_name = "HOW", hide_default_value = true, default_value = "auto", value_parser = SourceBy::parse)]
    pub source_by: SourceBy,
    /// The source of all documents, if nothing in them names it
    #[arg(long, value_name = "NAME", conflicts_with = "source_by", value_parser = SourceId::parse)]
    pub source: Option<SourceId>,
    /// Skip documents that have more bytes than this, such as 1G
    ///
    /// Skip documents that have more bytes than this after decompression, such as 1G. The highest value is 2G.
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = document_size, default_value_t = size::Size(ReadOptions::default().max_document))]
    pub max_document: size::Size,
    /// Key or column of a document's name
    #[arg(long, value_name = "KEY", default_value = "id", hide_short_help = true)]
    pub id_key: String,
    /// Key or column of a document's source
    #[arg(long, value_name = "KEY", default_value = "source", hide_short_help = true)]
    pub source_key: String,
    /// Key or column of a document's address, which can name its source
    #[arg(long, value_name = "KEY", default_value = "url", hide_short_help = true)]
    pub url_key: String,
    /// Key or column of a document's text
    #[arg(long, value_name = "KEY", default_value = "text", hide_short_help = true)]
    pub text_key: String,
    /// Key or column of a document's HTML, which is read if there is no text
    #[arg(long, value_name = "KEY", default_value = "html", hide_short_help = true)]
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

    /// The options of commands that write no documents.
    pub fn read_only(&self) -> ReadOptions {
        let options = self.options();
        let html = options.html.read_only();
        options.html(html)
    }

    /// The options for gold text, which has no markup and is in folders named after the sources.
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
        let source_by = self.source.clone().map_or_else(|| self.source_by.clone(), SourceBy::Name);
        let options = options.source_by(source_by);
        options.follow_links(self.follow_links).max_document(self.max_document.0).memory(budget())
    }
}

fn document_size(text: &str) -> Result<size::Size, String> {
    match size::parse(text)? {
        bytes if bytes > MAX_DOCUMENT_BYTES as u64 => Err("a document may have at most 2G".to_owned()),
        bytes => Ok(size::Size(bytes)),
    }
}
