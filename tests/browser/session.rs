//! A browser from start to end, with its window, colours and scripts.
//!
//! Every call waits until it is done, so a story needs no `await`.

use std::cell::Cell;
use std::future::Future;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use super::in_target;
use super::process::Process;
use super::tools::Tools;
use super::waiting::PATIENCE;
use super::waiting::eventually;

/// Headless, without features that use the network for anything but the pages, and able to run as any user.
const FLAGS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// The colours that a person prefers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// Dark text on light ground.
    Light,
    /// Light text on dark ground.
    Dark,
}

impl Scheme {
    /// As CSS calls it.
    pub fn name(self) -> &'static str {
        match self {
            Scheme::Light => "light",
            Scheme::Dark => "dark",
        }
    }
}

/// A browser with one window and an empty profile, closed when dropped. A story that fails leaves a picture.
pub struct Browser {
    client: Client,
    runtime: Runtime,
    scheme: Cell<Scheme>,
    axe: String,
    // The order matters: the driver ends before the profile is deleted.
    _driver: Process,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser, of light scheme.
    pub fn start(tools: &Tools) -> Browser {
        // On a busy machine, a driver sometimes ends before it has a port.
        let start = || Process::start(Command::new(&tools.chromedriver).arg("--port=0"));
        let started = |driver: Process| driver.first(port).map(|port| (driver, port));
        let (driver, port) = (0..3).find_map(|_| started(start()).ok()).expect("a driver prints its port");
        let profile = tempfile::tempdir().expect("a folder for the profile");
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities(&tools.chromium, profile.path()));
        let client = runtime.block_on(builder.connect(&format!("http://127.0.0.1:{port}"))).expect("a session");
        let axe = std::fs::read_to_string(&tools.axe).expect("axe.min.js");
        let browser =
            Browser { client, runtime, scheme: Cell::new(Scheme::Light), axe, _driver: driver, _profile: profile };
        browser.prefer(Scheme::Light);
        browser
    }

    /// Runs a script in the page. Returns its result, and waits if it is a promise.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.run_with(script, Vec::new())
    }

    /// Sets the width and the height of the page in CSS pixels, and waits until the page has them.
    #[track_caller]
    pub fn resize(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", size);
        eventually("the new size of the page", || match self.run("return [innerWidth, innerHeight]") {
            now if now == json!([width, height]) => Ok(()),
            now => Err(format!("it is {now}")),
        });
    }

    /// Sets the preferred colours.
    #[track_caller]
    pub fn prefer(&self, scheme: Scheme) {
        let colours = json!({"name": "prefers-color-scheme", "value": scheme.name()});
        // A moving element cannot be clicked.
        let features = json!([colours, {"name": "prefers-reduced-motion", "value": "reduce"}]);
        self.devtools("Emulation.setEmulatedMedia", json!({"features": features}));
        self.scheme.set(scheme);
    }

    /// The page on paper, as PDF.
    #[track_caller]
    pub fn printed(&self) -> Vec<u8> {
        let pdf = self.command("print", json!({}));
        base64::engine::general_purpose::STANDARD.decode(pdf.as_str().unwrap_or_default()).expect("base64")
    }

    /// The colours that are preferred now.
    pub fn scheme(&self) -> Scheme {
        self.scheme.get()
    }

    /// Takes a picture of what is in sight, as PNG.
    #[track_caller]
    pub fn screenshot(&self, path: &Path) {
        let image = self.done("a screenshot", self.client.screenshot());
        std::fs::write(path, image).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// The session with the driver.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The script of axe-core.
    pub fn axe(&self) -> &str {
        &self.axe
    }

    /// A command that is the driver's own: posts the parameters to this path below the session.
    #[track_caller]
    pub fn command(&self, path: &'static str, parameters: Value) -> Value {
        self.done(path, self.client.issue_cmd(Post { path, parameters }))
    }

    #[track_caller]
    fn devtools(&self, name: &str, parameters: Value) {
        self.command("goog/cdp/execute", json!({"cmd": name, "params": parameters}));
    }

    /// Runs a script with these values in `arguments`.
    #[track_caller]
    pub fn run_with(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.done("run a script", self.client.execute(script, arguments))
    }

    /// Does something in the first frame of the page.
    #[track_caller]
    pub fn in_frame<T>(&self, work: impl FnOnce() -> T) -> T {
        self.done("enter the frame", self.client.enter_frame(0));
        let result = work();
        self.done("leave the frame", self.client.enter_parent_frame());
        result
    }

    /// What a script returns in the first frame of the page. `None` if the page puts another frame in its place meanwhile.
    pub fn run_in_frame(&self, script: &str) -> Option<Value> {
        let entered = self.wait(self.client.enter_frame(0)).ok();
        let value = entered.and_then(|()| self.wait(self.client.execute(script, Vec::new())).ok());
        self.wait(self.client.enter_parent_frame()).ok().and(value)
    }

    /// Waits for an operation that must succeed.
    #[track_caller]
    pub fn done<T>(&self, what: &str, task: impl Future<Output = Result<T, CmdError>>) -> T {
        self.wait(task).unwrap_or_else(|error| panic!("{what}: {error}"))
    }

    /// Waits for an operation that may fail.
    pub fn wait<T>(&self, task: impl Future<Output = T>) -> T {
        self.runtime.block_on(task)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.leave_picture();
        }
        // Closing the session ends the browser. Killing only its driver would leave it running.
        let close = async { tokio::time::timeout(PATIENCE, self.client.clone().close()).await };
        let _ = self.runtime.block_on(close);
    }
}

impl Browser {
    /// A picture of a failed story, named after its test.
    fn leave_picture(&self) -> Result<(), Box<dyn std::error::Error>> {
        let thread = std::thread::current();
        let path = in_target(&format!("browser/{}.png", thread.name().unwrap_or("story").replace("::", "-")));
        std::fs::create_dir_all(in_target("browser"))?;
        std::fs::write(&path, self.wait(self.client.screenshot())?)?;
        eprintln!("what the page looked like: {}", path.display());
        Ok(())
    }
}

/// A command that WebDriver has no name for: a POST below the session.
#[derive(Debug)]
struct Post {
    path: &'static str,
    parameters: Value,
}

impl WebDriverCompatibleCommand for Post {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.parameters.to_string()))
    }
}

/// The port that the driver says it listens on.
fn port(line: &str) -> Option<u16> {
    line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
}

fn capabilities(chromium: &Path, profile: &Path) -> Capabilities {
    let flags = FLAGS.map(str::to_owned).into_iter();
    let flags: Vec<String> = flags.chain([format!("--user-data-dir={}", profile.display())]).collect();
    let options = json!({"binary": chromium, "args": flags});
    let all = json!({"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}});
    all.as_object().cloned().unwrap_or_default()
}
