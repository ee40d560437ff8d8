//! `dehusk-lab feeds WARC...`: compares the text that cleaning keeps with the texts of feeds.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use serde_json::{Map, Value, json};

use dehusk_corpus::HtmlView;
use dehusk_lab::feeds::{Crawl, FeedGold, Refusal};

use dehusk::cli::corpus_paths::ListArgs;
use dehusk::cli::eval::gold::ScoringArgs;
use dehusk::cli::mine::{list, scan_paths};
use dehusk::cli::options::ReadingArgs;
use dehusk::cli::reporter::Reporter;
use dehusk::cli::summary::{Summary, count};
use dehusk::cli::{Exit, Global};

/// Options of `dehusk-lab feeds`.
#[derive(Args, Debug)]
pub struct FeedsArgs {
    /// WARC files of a crawl, folders of them, quoted globs, or `-` for stdin
    #[arg(required_unless_present = "files_from", value_name = "WARC")]
    warc: Vec<PathBuf>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    scoring: ScoringArgs,
}

/// Runs the command.
pub fn run(args: &FeedsArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let mut summary = Summary::default();
    let asked = args.reading.read_only();
    let html = asked.html;
    if html == HtmlView::Markup {
        bail!("`feeds` compares feeds with the text of pages: leave --html markup out");
    }
    // Pages of WARC files are stored when they are listed. Without their markup they would have no trees.
    let inventory = scan_paths(&args.warc, &args.list, &asked, reporter, &mut summary)?.with_html(HtmlView::Page);
    let listings = list(&inventory, reporter, &mut summary)?;
    let crawl = summary.time("feeds", || Crawl::read(&inventory, reporter))?;
    if crawl.feeds.is_empty() {
        bail!(
            "there is no feed in what was read: give WARC files of a crawl that also fetched feeds, or score against text that \
             a person marked (dehusk eval CORPUS --gold DIR)"
        );
    }
    let inventory = inventory.with_html(html);
    let found = summary.time("compare", || FeedGold::of(&crawl, &inventory, &listings, reporter))?;
    if found.full == 0 {
        bail!(
            "no entry has the full text of an article:\n{}crawl feeds that carry full texts, and the pages of their entries, or \
             score against text that a person marked (dehusk eval CORPUS --gold DIR)",
            in_words(&found)
        );
    }
    let scored = args.scoring.score(inventory, &listings, &found.gold, global, reporter, &mut summary)?;
    scored.tell(&(in_words(&found) + "\n"), Some(("feeds", json_of(&found))))?;
    Ok(reporter.exit())
}

fn in_words(found: &FeedGold) -> String {
    let mut text = format!(
        "{}: {}, {} with a page, {} with the full text of an article\n",
        count(found.feeds, "feed"),
        count_entries(found.entries),
        found.with_page,
        found.full
    );
    for refusal in Refusal::ALL {
        if let Some(entries) = found.refused.get(&refusal) {
            let _ = writeln!(text, "{entries:>6}  {}", refusal.label());
        }
    }
    text
}

fn count_entries(entries: usize) -> String {
    if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") }
}

fn json_of(found: &FeedGold) -> Value {
    let refused = found.refused.iter().map(|(refusal, entries)| (refusal.key().to_owned(), json!(entries)));
    json!({
        "feeds": found.feeds,
        "entries": found.entries,
        "with_page": found.with_page,
        "full": found.full,
        "refused": refused.collect::<Map<String, Value>>(),
    })
}
