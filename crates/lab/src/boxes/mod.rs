//! Writes where a browser draws the parts of pages, for `--boxes` of dehusk.
//!
//! ```text
//! chromedriver --port=9515 &
//! dehusk-lab boxes CORPUS -o boxes.jsonl
//! ```
//!
//! Each page is drawn by Chromium as it is stored, without scripts and without the network. So it has the style that is in
//! the page itself, and no other. The window is 1024 pixels wide and 768 high.

mod pages;

use std::fmt::Display;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use serde_json::{Value, json};

use dehusk::cli::Exit;
use dehusk_corpus::{Document, DrawnPage, HtmlView, Inventory, ReadOptions};
use pages::{MARK, Measured, boxes, marked, styles};

/// Measures the pages.
const SCRIPT: &str = include_str!("measure.js");
/// Maximum time to load a page.
const PATIENCE_OF_LOADING: Duration = Duration::from_secs(20);

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

/// Names a page that is left out on stderr.
fn tell(what: &dyn Display) -> io::Result<()> {
    writeln!(io::stderr(), "skipped: {what}")
}

/// Connects to a browser that runs no scripts of pages and does not use the network.
async fn connect(driver: &str) -> anyhow::Result<Client> {
    let flags = ["--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"];
    let seconds = PATIENCE_OF_LOADING.as_millis() as u64;
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
    // With a byte order mark, so that the encoding that the page names does not count.
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
