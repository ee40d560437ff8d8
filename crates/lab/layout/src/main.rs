//! Writes where the layout engine blitz draws the parts of pages, for `--boxes` of dehusk.
//!
//! ```text
//! cargo run --release --manifest-path crates/lab/layout/Cargo.toml -- CORPUS -o boxes.jsonl
//! ```
//!
//! Each page is drawn as it is stored, without scripts and without the network. So it has the style that is in the page itself,
//! and no other. The window is 1024 pixels wide and 768 high.

mod drawing;
mod fonts;
#[path = "../../src/boxes/pages.rs"]
mod pages;
mod sheets;

use std::any::Any;
use std::fmt::Display;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, bail};
use blitz_dom::FontContext;
use clap::Parser;

use dehusk_corpus::{Document, DrawnPage, HtmlView, Inventory, ReadOptions};
use pages::{Measured, boxes, marked, styles};

/// Maximum time for a page.
const PATIENCE: Duration = Duration::from_secs(20);
/// Memory for functions that call themselves on deeply nested pages. Only what is used is taken.
const STACK: usize = 1 << 30;

/// Writes where a layout engine draws the parts of pages
#[derive(Parser)]
struct Arguments {
    /// Folders with a folder of pages for each source, or files of pages
    #[arg(required = true)]
    corpus: Vec<PathBuf>,
    /// File for the boxes, a line of JSON for each page
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    // What went wrong is told with the name of the page.
    panic::set_hook(Box::new(|_| {}));
    let options = ReadOptions::default().html(HtmlView::Page).tree(true);
    let inventory = Inventory::scan(&arguments.corpus, &options)?;
    let sources = inventory.sources()?;
    let fonts = fonts::fonts()?;
    let mut output = BufWriter::new(fs::File::create(&arguments.output)?);
    let mut times = Vec::new();
    for place in sources.listings.iter().flat_map(|listing| &listing.documents) {
        let document = match inventory.read(place) {
            Ok(document) => document,
            Err(skipped) => {
                tell(&skipped)?;
                continue;
            }
        };
        match drawn(&document, &fonts) {
            Ok((page, took)) => {
                serde_json::to_writer(&mut output, &page)?;
                output.write_all(b"\n")?;
                times.push(took);
            }
            Err(error) => tell(&format_args!("{}/{}: {error:#}", document.source, document.id))?,
        }
    }
    output.flush()?;
    times.sort();
    let at = |share: f64| times.get((share * times.len() as f64) as usize).map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let (median, most) = (at(0.5), at(0.95));
    writeln!(io::stderr(), "{} pages; layout: {median:.1} ms median, {most:.1} ms at 95 %", times.len())?;
    Ok(())
}

/// Says on stderr what is left out.
fn tell(what: &dyn Display) -> io::Result<()> {
    writeln!(io::stderr(), "skipped: {what}")
}

/// Where the parts of a page are drawn, and how long it took to lay them out.
fn drawn(document: &Document, fonts: &FontContext) -> anyhow::Result<(DrawnPage, Duration)> {
    let page = document.page.as_deref().ok_or_else(|| anyhow!("it is no HTML page"))?;
    let tree = page.tree();
    let (measured, took) = patiently(marked(page.markup(), tree), fonts.clone())?;
    if measured.nodes.len() <= 1 && tree.len() > 3 {
        bail!("nothing of it was drawn");
    }
    let drawn = DrawnPage {
        source: document.source.as_str().to_owned(),
        id: document.id.clone(),
        width: measured.width,
        height: measured.height,
        boxes: boxes(tree, &measured.nodes),
        styles: styles(tree, &measured.nodes),
    };
    Ok((drawn, took))
}

/// Lays out a page on a thread of its own. One that does not end is left behind.
fn patiently(page: String, fonts: FontContext) -> anyhow::Result<(Measured, Duration)> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new().stack_size(STACK).spawn(move || {
        let drawn = panic::catch_unwind(AssertUnwindSafe(|| drawing::drawn(&page, fonts)));
        // Nobody listens any more if it took too long.
        let _ = sender.send(drawn.map_err(|panic| reason(&*panic)));
    })?;
    match receiver.recv_timeout(PATIENCE) {
        Ok(drawn) => drawn.map_err(|reason| anyhow!("blitz panicked: {reason}")),
        Err(_) => bail!("it takes longer than {} seconds", PATIENCE.as_secs()),
    }
}

/// The message of a panic.
fn reason(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}
