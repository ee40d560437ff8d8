//! `dehusk crawl`: takes URLs, feeds and sitemaps, and writes the pages as WARC files.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use chrono::{DateTime, NaiveDate, Utc};
use clap::{Args, ValueEnum, ValueHint};
use dehusk_crawler::archive::Packing;
use dehusk_crawler::crawl::{self, Crawl, LeftOut, Observer, Options, Seed, Start, Wanted};
use dehusk_crawler::fetch::Limits;
use dehusk_crawler::frontier::Kind;
use dehusk_crawler::resolve::Resolver;
use regex::{Regex, RegexSet};
use serde::Serialize;

use dehusk_core::shown::{count, size};
use dehusk_run::Steps;

use super::options::SummaryArgs;
use super::reporter::Reporter;
use super::{Exit, Global, interrupt};

/// Options of `dehusk crawl`.
#[derive(Args, Debug)]
pub struct CrawlCommand {
    /// URLs of pages
    #[arg(value_name = "URL", required_unless_present_any = ["urls", "feeds", "resume"])]
    pages: Vec<String>,
    /// File with more URLs of pages, one on each line; `-` for stdin
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    urls: Option<PathBuf>,
    /// File with URLs of feeds, one on each line; `-` for stdin
    ///
    /// File with URLs of feeds (RSS, Atom, JSON Feed), one on each line; `-` for stdin. The pages of their entries are fetched.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    feeds: Option<PathBuf>,
    /// Folder for the WARC files and the state of the crawl
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// URL or e-mail address under which you can be reached
    ///
    /// URL or e-mail address under which you can be reached. Every request tells it to the server (`User-Agent`).
    #[arg(long, value_name = "CONTACT", value_parser = contact)]
    contact: String,
    /// Continue a crawl that was stopped
    #[arg(long, conflicts_with = "restart")]
    resume: bool,
    /// Begin anew, and forget what a crawl that was stopped still had to do
    #[arg(long, hide_short_help = true)]
    restart: bool,
    /// Write each URL that is not fetched, and why, to a JSONL file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,
    #[command(flatten)]
    summary: SummaryArgs,
    #[command(flatten)]
    found: FoundArgs,
    #[command(flatten)]
    politeness: PolitenessArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    storage: StorageArgs,
    #[command(flatten)]
    network: NetworkArgs,
}

/// Which URLs are found beside the given ones.
#[derive(Args, Debug)]
#[command(next_help_heading = "What is fetched")]
struct FoundArgs {
    /// How many links to follow from each page
    #[arg(long, value_name = "N", default_value_t = 0)]
    depth: u8,
    /// Also read the sitemaps of each site
    ///
    /// Also read the sitemaps that the robots.txt of each site names, or else /sitemap.xml.
    #[arg(long)]
    sitemaps: bool,
    /// Also read the feeds that pages name
    #[arg(long)]
    find_feeds: bool,
    /// Leave out what feeds and sitemaps date earlier, such as 2026-11-01
    #[arg(long, value_name = "DATE", value_parser = date)]
    since: Option<DateTime<Utc>>,
    /// Fetch only found pages whose URL matches; more than one may be given
    ///
    /// Fetch only those of the found pages whose URL matches this regex somewhere, or one of several. It is for what links, feeds and
    /// sitemaps lead to. URLs that are given are always fetched, also where they are redirected to; so are feeds and sitemaps.
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    only: Vec<String>,
    /// Leave out found pages whose URL matches; more than one may be given
    ///
    /// Leave out those of the found pages whose URL matches this regex somewhere, or one of several. It goes before --only.
    #[arg(long, value_name = "REGEX", value_parser = regex)]
    skip: Vec<String>,
    /// Also follow links to other domains
    #[arg(long)]
    offsite: bool,
    /// Go on, and read feeds again and again
    ///
    /// Go on until Ctrl-C, and read feeds again and again: as often as they ask for (`ttl`, `sy:updatePeriod`), and less often while
    /// nothing is new.
    #[arg(long)]
    watch: bool,
    /// The least time between two looks at a feed
    #[arg(long, value_name = "TIME", default_value = "15m", value_parser = time, requires = "watch", hide_short_help = true)]
    poll: Duration,
    /// Also write pages to stdout as WARC, for `dehusk stream -`
    #[arg(long)]
    stdout: bool,
}

/// How servers are spared.
#[derive(Args, Debug)]
#[command(next_help_heading = "Politeness")]
struct PolitenessArgs {
    /// The least time between two requests to a domain
    ///
    /// The least time between an answer of a registered domain, or of an IP address, and the next request to it. For a domain it is
    /// longer if its robots.txt says so, and while its server is slow or busy.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = time)]
    delay: Duration,
    /// How long to wait before something is tried again
    ///
    /// How long to wait before something that failed is tried again. The third time is the last, after four times as long.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time, hide_short_help = true)]
    retry: Duration,
}

/// Limits.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
struct LimitArgs {
    /// Number of pages of one domain that are queued, at most
    ///
    /// Number of pages of one domain that are queued or asked for, at most. Its feeds and sitemaps count apart, up to the same number.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    per_host: u64,
    /// Stop after this number of pages
    #[arg(long, value_name = "N")]
    max_pages: Option<u64>,
    /// Stop after so many bytes, such as 10G
    #[arg(long, value_name = "SIZE", value_parser = super::size::parse)]
    max_bytes: Option<u64>,
    /// Leave out pages that are larger, packed or unpacked
    #[arg(long, value_name = "SIZE", default_value = "10M", value_parser = super::size::parse)]
    page_size: u64,
    /// How long a request may take
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time)]
    timeout: Duration,
}

/// How files are written.
#[derive(Args, Debug)]
#[command(next_help_heading = "Files")]
struct StorageArgs {
    /// How WARC files are packed: gz or zst
    #[arg(long, value_enum, value_name = "gz|zst", hide_possible_values = true, default_value_t = PackingName::Gz)]
    format: PackingName,
    /// Size after which another WARC file begins
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = super::size::parse, hide_short_help = true)]
    warc_size: u64,
}

/// Where hosts are.
#[derive(Args, Debug)]
#[command(next_help_heading = "Network")]
struct NetworkArgs {
    /// Also visit private addresses, such as 127.0.0.1 and 10.0.0.1
    #[arg(long, hide_short_help = true)]
    allow_private: bool,
    /// Use this address for a host; it may be private
    ///
    /// Use this IP address for a host, whatever its name stands for. It may be private.
    #[arg(long, value_name = "HOST:IP", value_parser = given_address, hide_short_help = true)]
    resolve: Vec<(String, IpAddr)>,
}

/// See [`Packing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PackingName {
    /// gzip
    Gz,
    /// Zstandard
    Zst,
}

fn contact(text: &str) -> Result<String, String> {
    let is_plain = text.chars().all(|c| c.is_ascii_graphic() && !"()".contains(c));
    match is_plain && (text.contains('@') || text.contains("://")) {
        true => Ok(text.to_owned()),
        false => Err("give a URL or an e-mail address".to_owned()),
    }
}

/// Parses `500ms`, `1.5s`, `15m`, `2h`, or a number of seconds.
fn time(text: &str) -> Result<Duration, String> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let factor = match &text[unit..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => f64::NAN,
    };
    let seconds = text[..unit].parse::<f64>().unwrap_or(f64::NAN) * factor;
    match (0.0..=31_536_000.0).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err("a time is given as 500ms, 1.5s, 15m or 2h".to_owned()),
    }
}

fn date(text: &str) -> Result<DateTime<Utc>, String> {
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().and_then(|day| day.and_hms_opt(0, 0, 0));
    let time = || DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    day.map(|day| day.and_utc()).or_else(time).ok_or_else(|| "a date is given as 2026-11-01".to_owned())
}

/// Checks that a regex is valid and not too large.
fn regex(text: &str) -> Result<String, String> {
    Regex::new(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn given_address(text: &str) -> Result<(String, IpAddr), String> {
    let parsed = text.split_once(':').and_then(|(host, ip)| {
        let ip = ip.trim_matches(['[', ']']).parse().ok()?;
        (!host.is_empty()).then(|| (host.to_ascii_lowercase(), ip))
    });
    parsed.ok_or_else(|| "give a host and an IP address, such as paper.example:127.0.0.1".to_owned())
}

impl CrawlCommand {
    fn options(&self, global: &Global) -> anyhow::Result<Options> {
        let set = |flag: &str, patterns: &[String]| {
            RegexSet::new(patterns).with_context(|| format!("the regexes of {flag} are too large together: give fewer"))
        };
        let wanted = Wanted { only: set("--only", &self.found.only)?, skip: set("--skip", &self.found.skip)? };
        Ok(Options {
            contact: self.contact.clone(),
            delay: self.politeness.delay,
            threads: global.threads.unwrap_or(16),
            per_domain: self.limits.per_host,
            depth: self.found.depth,
            leaves_domain: self.found.offsite,
            sitemaps: self.found.sitemaps,
            feeds: self.found.find_feeds,
            since: self.found.since,
            max_pages: self.limits.max_pages,
            max_bytes: self.limits.max_bytes,
            limits: Limits { time: self.limits.timeout, body: self.limits.page_size },
            retry: self.politeness.retry,
            wanted,
            watch: self.found.watch.then_some(self.found.poll),
            resolver: Resolver {
                given: self.network.resolve.iter().cloned().collect(),
                allows_private: self.network.allow_private,
            },
            packing: match self.storage.format {
                PackingName::Gz => Packing::Gzip,
                PackingName::Zst => Packing::Zstandard,
            },
            file_size: self.storage.warc_size,
            root: None,
        })
    }

    /// The URLs of the command line and its lists: first feeds, then pages. Lists are read while the crawl runs.
    fn seeds(&self) -> anyhow::Result<impl Iterator<Item = Seed> + Send + use<>> {
        let seeds = |kind: Kind| move |url: String| Seed { url, kind: kind.clone() };
        let feeds = self.feeds.iter().map(|path| lines(path)).collect::<anyhow::Result<Vec<_>>>()?;
        let urls = self.urls.iter().map(|path| lines(path)).collect::<anyhow::Result<Vec<_>>>()?;
        let given = self.pages.clone().into_iter().chain(urls.into_iter().flatten());
        Ok(feeds.into_iter().flatten().map(seeds(Kind::Feed)).chain(given.map(seeds(Kind::Page))))
    }
}

/// The lines of a list that are neither empty nor comments. If the list cannot be read any further, the lines end
/// there.
fn lines(path: &Path) -> anyhow::Result<impl Iterator<Item = String> + Send + use<>> {
    let reader: Box<dyn BufRead + Send> = if path == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Box::new(BufReader::new(file))
    };
    let lines = reader.split(b'\n').map_while(Result::ok);
    let lines = lines.map(|line| String::from_utf8_lossy(&line).trim().to_owned());
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')))
}

/// Runs the command.
pub fn run(args: &CrawlCommand, global: &Global, reporter: &Reporter) -> anyhow::Result<Exit> {
    let seeds = args.seeds()?;
    let report = args.report.as_deref().map(|path| {
        global.reads.refuse(path)?;
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        anyhow::Ok(Mutex::new(BufWriter::new(file)))
    });
    let report = report.transpose()?;

    let start = match (args.resume, args.restart) {
        (true, _) => Start::Resume,
        (_, true) => Start::Restart,
        _ => Start::New,
    };
    // While a crawl runs, the first Ctrl-C does not end the process, so that pages that have arrived are still written.
    let _permission = interrupt::writing_one_of_many()?;
    let crawl = Crawl::open(&args.output, args.options(global)?, start)?;

    let steps = args.limits.max_pages.map_or(Steps::Bytes(None), Steps::Things);
    reporter.start("fetching pages", steps);
    let observer = Telling { reporter, report, counts_pages: args.limits.max_pages.is_some(), told: AtomicU64::new(0) };
    let mut stdout = io::stdout();
    let copy: Option<&mut dyn Write> = if args.found.stdout { Some(&mut stdout) } else { None };

    let summary = crawl.run(seeds, &observer, copy);
    reporter.finish();
    let summary = summary?;
    if let Some(report) = observer.report {
        let mut report = report.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        report.flush().context("cannot write the report")?;
    }

    print(&summary, args, global)?;
    interrupt::check()?;
    Ok(if summary.failed.is_empty() { Exit::Done } else { Exit::Skipped })
}

/// Shows the progress of a crawl, and writes the report of URLs that are not fetched.
struct Telling<'r> {
    reporter: &'r Reporter,
    report: Option<Mutex<BufWriter<File>>>,
    /// Whether the progress counts pages instead of bytes.
    counts_pages: bool,
    /// The number of pages or bytes that were already added to the progress.
    told: AtomicU64,
}

#[derive(Serialize)]
struct Failed<'f> {
    url: &'f str,
    error: &'f str,
}

impl Observer for Telling<'_> {
    fn go_on(&self) -> bool {
        interrupt::check().is_ok()
    }

    fn fetched(&self, url: &str, summary: &crawl::Summary) {
        let done = if self.counts_pages { summary.pages } else { summary.bytes };
        self.reporter.step((done - self.told.swap(done, Ordering::Relaxed)) as usize);
        self.reporter.explain(|| format!("{url}: {}", count(summary.pages as usize, "page")));
    }

    fn failed(&self, url: &str, why: &str) {
        self.reporter.skip(url, why);
        self.report(url, why);
    }

    fn left_out(&self, url: &str, why: LeftOut) {
        self.report(url, &why.to_string());
    }
}

impl Telling<'_> {
    fn report(&self, url: &str, why: &str) {
        if let Some(report) = &self.report {
            let mut report = report.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            // Writing strings as JSON never fails. If the file cannot be written, flushing it at the end fails.
            let _ = writeln!(report, "{}", serde_json::to_string(&Failed { url, error: why }).unwrap_or_default());
        }
    }
}

fn print(summary: &crawl::Summary, args: &CrawlCommand, global: &Global) -> anyhow::Result<()> {
    let text = match (args.summary.json, global.quiet) {
        (true, _) => serde_json::to_string_pretty(summary)? + "\n",
        (false, true) => return Ok(()),
        (false, false) => in_words(summary, &args.output),
    };
    match args.found.stdout {
        true => super::reporter::print_line(text.trim_end()),
        false => super::reporter::print(&text)?,
    }
    Ok(())
}

fn in_words(summary: &crawl::Summary, output: &Path) -> String {
    let number = |number: u64, of: &str| count(number as usize, of);
    let mut text = format!(
        "{} ({} unchanged, {} with the body of another one), {} of feeds, {} of sitemaps, {}, {}\n",
        number(summary.pages, "page"),
        summary.unchanged,
        summary.copies,
        summary.feeds,
        summary.sitemaps,
        number(summary.requests, "request"),
        size(summary.bytes),
    );
    let mut say = |count: u64, what: &str| {
        if count > 0 {
            text += &format!("{} {what}\n", number(count, "URL"));
        }
    };
    say(summary.failed.values().sum(), "without a page");
    say(summary.forbidden, "forbidden by robots.txt");
    say(summary.without_robots, "left out, because robots.txt of their host could not be read");
    say(summary.over_limit, "left out, because their domain has too many; see --per-host");
    say(summary.trapped, "left out, because their paths repeat themselves or are very deep");
    say(summary.unwanted, "left out by --only and --skip");
    say(summary.of_other_sites, "of sitemaps left out, because they are of another site than the sitemap");
    say(summary.left, "left to do; --resume goes on");
    text += &format!("wrote {}\n", output.display());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, millis) in
            [("500ms", 500), ("1.5s", 1500), ("2", 2000), ("15m", 900_000), ("2h", 7_200_000), ("0s", 0)]
        {
            assert_eq!(time(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "-1s", "1d", "1 s", "NaN", "inf"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn contacts_are_addresses() {
        assert!(contact("me@paper.example").is_ok() && contact("https://paper.example/bot").is_ok());
        for text in ["", "me", "me@paper.example)\r\nX: y", "a b@c"] {
            assert!(contact(text).is_err(), "{text}");
        }
    }

    #[test]
    fn dates_and_addresses() {
        assert_eq!(date("2026-11-01").unwrap().to_rfc3339(), "2026-11-01T00:00:00+00:00");
        assert!(date("2026-11-01T12:00:00Z").is_ok() && date("yesterday").is_err());
        assert_eq!(
            given_address("A.example:127.0.0.1").unwrap(),
            ("a.example".to_owned(), "127.0.0.1".parse().unwrap())
        );
        assert!(
            given_address("a.example:[::1]").is_ok()
                && given_address("a.example").is_err()
                && given_address(":1.1.1.1").is_err()
        );
    }
}
