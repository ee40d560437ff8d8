//! Writes where a browser draws the parts of pages, for `--boxes` of dehusk.
//!
//! ```text
//! chromedriver --port=9515 &
//! dehusk-lab boxes CORPUS -o boxes.jsonl
//! ```
//!
//! Each page is drawn by Chromium as it is stored, without scripts and without the network. So it has the style that is in
//! the page itself, and no other. The window is 1024 pixels wide and 768 high.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use serde::Deserialize;
use serde_json::{Value, json};

use dehusk::cli::Exit;
use dehusk_core::html::{NodeKind, Tree};
use dehusk_corpus::{Color, Document, DrawnPage, HtmlView, Inventory, ReadOptions};

/// Measures the pages.
const SCRIPT: &str = include_str!("measure.js");
/// The attribute that numbers the elements of a page.
const MARK: &str = "data-dehusk-node";
/// Maximum time to load a page.
const PATIENCE: Duration = Duration::from_secs(20);

/// Options of `dehusk-lab boxes`.
#[derive(Args, Debug)]
pub struct BoxesArgs {
    /// Folders with a folder of pages for each source, or files of pages
    #[arg(required = true)]
    corpus: Vec<PathBuf>,
    /// File for the boxes, a line of JSON for each page
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Where chromedriver listens
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:9515")]
    driver: String,
}

/// Runs the command.
pub fn run(args: &BoxesArgs) -> anyhow::Result<Exit> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(draw(args))?;
    Ok(Exit::Done)
}

async fn draw(arguments: &BoxesArgs) -> anyhow::Result<()> {
    let options = ReadOptions::default().html(HtmlView::Page).tree(true);
    let inventory = Inventory::scan(&arguments.corpus, &options)?;
    let sources = inventory.sources()?;
    let client = connect(&arguments.driver).await?;
    let folder = tempfile::tempdir()?;
    let mut output = BufWriter::new(fs::File::create(&arguments.output)?);
    for place in sources.listings.iter().flat_map(|listing| &listing.documents) {
        let document = match inventory.read(place) {
            Ok(document) => document,
            Err(skipped) => {
                tell(&skipped)?;
                continue;
            }
        };
        match drawn(&client, &document, folder.path()).await {
            Ok(page) => {
                serde_json::to_writer(&mut output, &page)?;
                output.write_all(b"\n")?;
            }
            Err(error) => tell(&format_args!("{}/{}: {error:#}", document.source, document.id))?,
        }
    }
    output.flush()?;
    client.close().await?;
    Ok(())
}

/// Says on stderr what is left out.
fn tell(what: &dyn Display) -> io::Result<()> {
    writeln!(io::stderr(), "skipped: {what}")
}

/// A browser that runs no scripts of pages and asks nobody for anything.
async fn connect(driver: &str) -> anyhow::Result<Client> {
    let flags = ["--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"];
    let seconds = PATIENCE.as_millis() as u64;
    let all = json!({"goog:chromeOptions": {"args": flags}, "timeouts": {"pageLoad": seconds, "script": seconds}});
    let mut capabilities = Capabilities::new();
    capabilities.extend(all.as_object().cloned().unwrap_or_default());
    let mut builder = ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new());
    builder.capabilities(capabilities);
    let client = builder.connect(driver).await.context("chromedriver does not answer; start it with --port=9515")?;
    let size = json!({"width": 1024, "height": 768, "deviceScaleFactor": 1, "mobile": false});
    devtools(&client, "Emulation.setDeviceMetricsOverride", size).await?;
    devtools(&client, "Emulation.setScriptExecutionDisabled", json!({"value": true})).await?;
    Ok(client)
}

/// Where the parts of a page are drawn.
async fn drawn(client: &Client, document: &Document, folder: &Path) -> anyhow::Result<DrawnPage> {
    let page = document.page.as_deref().ok_or_else(|| anyhow!("it is no HTML page"))?;
    let file = folder.join("page.html");
    // With a byte order mark, whatever the page says of its encoding.
    fs::write(&file, format!("\u{feff}{}", marked(page.markup(), page.tree())))?;
    let address = url::Url::from_file_path(&file).map_err(|()| anyhow!("the folder has no address"))?;
    client.goto(address.as_str()).await?;
    let measured: Measured = serde_json::from_value(client.execute(SCRIPT, vec![json!(MARK)]).await?)?;
    if measured.nodes.len() <= 1 && page.tree().len() > 3 {
        bail!("the browser went to another page");
    }
    Ok(DrawnPage {
        source: document.source.as_str().to_owned(),
        id: document.id.clone(),
        width: measured.width,
        height: measured.height,
        boxes: boxes(page.tree(), &measured.nodes),
        styles: styles(page.tree(), &measured.nodes),
    })
}

/// What the script returns.
#[derive(Deserialize)]
struct Measured {
    width: f32,
    height: f32,
    nodes: Vec<MeasuredNode>,
}

/// An element: its number, its box, and the boxes of the runs of text that are its children.
#[derive(Deserialize)]
struct MeasuredNode {
    node: usize,
    rect: Option<Sides>,
    runs: Vec<Option<Sides>>,
    style: Look,
}

/// Size and weight of the font, whether it is slanted, color, and background. A background that shows what is behind it is
/// `None`.
type Look = (f32, u16, bool, [u8; 3], Option<[u8; 3]>);

/// Left, top, width and height.
type Sides = [f32; 4];

/// The page with the number of each element in its start tag.
fn marked(markup: &str, tree: &Tree) -> String {
    let (mut marked, mut at) = (String::with_capacity(markup.len() * 5 / 4), 0);
    for node in 1..tree.len() {
        let start = tree.bytes(node).start;
        let is_tag = matches!(tree.kind(node), NodeKind::Element)
            && markup[start..].starts_with('<')
            && markup
                .get(start + 1..start + 1 + tree.name(node).len())
                .is_some_and(|name| name.eq_ignore_ascii_case(tree.name(node)));
        let end = start + 1 + tree.name(node).len();
        // Elements that the page only implies begin where another one begins.
        if is_tag && end > at {
            marked.push_str(&markup[at..end]);
            marked.push_str(&format!(" {MARK}={node} "));
            at = end;
        }
    }
    marked.push_str(&markup[at..]);
    marked
}

/// The boxes of elements and of their runs of text, by where these begin in the page.
fn boxes(tree: &Tree, nodes: &[MeasuredNode]) -> Vec<(usize, f32, f32, f32, f32)> {
    let mut boxes = Vec::new();
    let mut add = |node: usize, sides: Option<Sides>| {
        let tenth = |side: f32| (side * 10.0).round() / 10.0;
        let [left, top, width, height] = sides.unwrap_or_default().map(tenth);
        boxes.extend(sides.map(|_| (tree.bytes(node).start, left, top, width, height)));
    };
    for measured in nodes.iter().filter(|measured| measured.node < tree.len()) {
        // The page itself is as large as the page.
        if measured.node > 0 {
            add(measured.node, measured.rect);
        }
        let is_run = |&node: &usize| matches!(tree.kind(node), NodeKind::Text(_));
        let runs: Vec<usize> = tree.children(measured.node).filter(is_run).collect();
        // Tags in the wrong place: the browser has other runs.
        if runs.len() == measured.runs.len() {
            runs.into_iter().zip(&measured.runs).for_each(|(run, &sides)| add(run, sides));
        }
    }
    boxes
}

/// Size and weight of the font, whether it is slanted, color and background.
type Told = (f32, u16, bool, Color, Color);

/// How elements look that look otherwise than what is around them, by where they begin in the page.
fn styles(tree: &Tree, nodes: &[MeasuredNode]) -> Vec<(usize, f32, u16, bool, Color, Color)> {
    let mut of: Vec<Option<Told>> = vec![None; tree.len()];
    let mut styles = Vec::new();
    // Elements are in the order of the page, so what is around one comes before it.
    for measured in nodes.iter().filter(|measured| measured.node < tree.len()) {
        let (font, weight, is_italic, color, background) = measured.style;
        let around = tree.ancestors(measured.node).find_map(|node| of[node]);
        let behind = background.or(around.map(|(.., background)| background.0)).unwrap_or([255; 3]);
        let style = (font, weight, is_italic, Color(color), Color(behind));
        of[measured.node] = Some(style);
        if around != Some(style) {
            let (font, weight, is_italic, color, background) = style;
            styles.push((tree.bytes(measured.node).start, font, weight, is_italic, color, background));
        }
    }
    styles
}

async fn devtools(client: &Client, command: &str, parameters: Value) -> anyhow::Result<()> {
    client.issue_cmd(DevTools { command: command.to_owned(), parameters }).await?;
    Ok(())
}

/// A command of the browser's own protocol.
#[derive(Debug)]
struct DevTools {
    command: String,
    parameters: Value,
}

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        let body = json!({"cmd": self.command, "params": self.parameters});
        (http::Method::POST, Some(body.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_marked_where_their_tags_are_and_boxes_are_told_by_byte() {
        let page = "<!doctype html><P class=a>one<br>two</P><ul><li>three<table><tr><td>four</table></ul>";
        let (_, tree) = dehusk::read::<Tree>(page);
        let marked = marked(page, &tree);
        assert!(marked.starts_with("<!doctype html><P data-dehusk-node=1  class=a>one"), "{marked}");
        // A line break is no node.
        assert_eq!(marked.matches(MARK).count(), ["<P", "<ul", "<li", "<table", "<tr", "<td"].len());
        let unmarked = (0..tree.len()).fold(marked, |page, node| page.replace(&format!(" {MARK}={node} "), ""));
        assert_eq!(unmarked, page);
        let sides = |left: f32| Some([left, 0.0, 1.04, 2.0]);
        let nodes = [
            MeasuredNode { node: 0, rect: None, runs: Vec::new(), style: (16.0, 400, false, [0; 3], None) },
            MeasuredNode {
                node: 1,
                rect: sides(1.0),
                runs: vec![sides(2.0), None],
                style: (16.0, 400, false, [0; 3], None),
            },
            // The browser has another run here.
            MeasuredNode {
                node: 2,
                rect: None,
                runs: vec![sides(9.0)],
                style: (16.0, 700, false, [0; 3], Some([1, 2, 255])),
            },
        ];
        let one = page.find("one").expect("a run");
        let styles: Vec<usize> = styles(&tree, &nodes).iter().map(|style| style.0).collect();
        assert_eq!(styles, [tree.bytes(0).start, tree.bytes(2).start]);
        assert_eq!(boxes(&tree, &nodes), [(15, 1.0, 0.0, 1.0, 2.0), (one, 2.0, 0.0, 1.0, 2.0)]);
    }
}
