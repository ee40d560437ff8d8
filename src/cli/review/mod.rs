//! `dehusk review`: accept or reject patterns in a browser, or write a report about them.

mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use tokio::runtime::{Builder, Runtime};

use crate::review::Session;
use crate::review::documents::Documents;
use crate::review::server::Server;
use dehusk_core::threads::none_left;
use dehusk_corpus::guarded::guarded;
use dehusk_corpus::remove_left_over;
use dehusk_run::library::pattern_files;
use dehusk_run::suited;

use crate::cli::check::warn_of_doubts;
use crate::cli::mine::scan;
use crate::cli::options::{CorpusArgs, PageMethodArgs, at_least};
use crate::cli::reporter::{Reporter, print};
use crate::cli::summary::Summary;
use crate::cli::{Exit, Global, interrupt};
use report::ReportArgs;

/// How long the end of a review waits for requests that still write. They take milliseconds.
const LAST_WRITES: Duration = Duration::from_secs(5);
/// How long threads without work are kept: longer than any review takes.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Options of `dehusk review`.
#[derive(Args, Debug)]
pub struct ReviewArgs {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Folder or file with the patterns, for decisions too
    ///
    /// Folder with the pattern files, or a single file. Decisions are saved there.
    #[arg(short, long, value_name = "PATTERNS")]
    patterns: PathBuf,
    /// Port of this machine to listen on [default: any free port]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Review")]
    port: u16,
    /// Do not open a browser
    #[arg(long, help_heading = "Review")]
    no_open: bool,
    /// Maximum number of documents of each source to use
    ///
    /// Maximum number of documents of each source to use, evenly spread.
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = at_least(1_u32), help_heading = "Review")]
    max_documents: u32,
    #[command(flatten)]
    report: ReportArgs,
    #[command(flatten)]
    method: PageMethodArgs,
}

/// Runs the command.
pub fn run(args: &ReviewArgs, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    match &args.report.report {
        Some(path) => report::write(path, args, global, reporter),
        None => review(args, reporter),
    }
}

/// Serves the review until Ctrl-C.
fn review(args: &ReviewArgs, reporter: &Reporter) -> anyhow::Result<Exit> {
    pattern_files(&args.patterns)?;
    remove_left_over(&args.patterns);
    let inventory = scan(&args.corpus, reporter, &mut Summary::default())?;
    let options = suited(args.method.options()?, inventory.options().html);

    let documents = Documents::new(inventory, args.max_documents as usize);
    let folder = args.patterns.clone();
    // If the folder cannot be read for a moment, this counts as no new files.
    let list = Box::new(move || pattern_files(&folder).unwrap_or_default());

    let session = Arc::new(Session::open(list, documents, options, args.method.is_default()));
    session.problems().iter().for_each(|problem| reporter.warn(problem));
    warn_of_doubts(session.files(), reporter);
    if session.sources() == 0 {
        bail!("there is no usable pattern file in {}", args.patterns.display());
    }
    // While this permission is held, Ctrl-C does not end the process: the server stops after its last file is written.
    let _permission = interrupt::writing()?;
    let runtime = runtime()?;
    runtime.block_on(serve(args, session, reporter))?;
    runtime.shutdown_timeout(LAST_WRITES);
    reporter.note(&format!("stopped; all decisions are saved in {}", args.patterns.display()));
    Ok(Exit::Done)
}

/// A runtime that serves all requests on one thread. Long computations run on separate threads, so that they do not
/// block other requests.
fn runtime() -> anyhow::Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_all().thread_keep_alive(FOR_EVER).build()?;
    // If the first separate thread cannot be started, this panics. Once there is one, it can do all the work alone.
    guarded(|| runtime.spawn_blocking(|| ())).map_err(|_| none_left("the review needs one more"))?;
    Ok(runtime)
}

async fn serve(args: &ReviewArgs, session: Arc<Session>, reporter: &Reporter) -> anyhow::Result<()> {
    let server = Server::bind(session, args.port).await?;
    let url = server.url();
    print(&format!("{url}\n"))?;
    reporter.note("open this address in a browser on this machine; Ctrl-C ends the review");
    if !args.no_open && open::that_detached(&url).is_err() {
        reporter.warn("no browser could be started; open the address yourself");
    }
    server.run(stopped()).await?;
    Ok(())
}

/// Waits for Ctrl-C.
async fn stopped() {
    while interrupt::check().is_ok() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
