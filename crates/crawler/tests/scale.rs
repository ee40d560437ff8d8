//! Large crawls. They take minutes, so they run only if they are asked for:
//!
//! ```text
//! cargo test --release -p dehusk-crawler --test scale -- --ignored --nocapture --test-threads 1
//! ```
//!
//! `DEHUSK_SCALE=0.1` makes them smaller. Each crawl has a process of its own, whose memory is measured.

#![allow(clippy::print_stdout, clippy::print_stderr)] // numbers are what it is for

mod crawling;
mod server;

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crawling::{Told, options_for, pages, stored};
use dehusk_crawler::crawl::{Crawl, Observer, Options, Seed, Start};
use dehusk_crawler::frontier::Kind;
use server::{Server, Sites};

/// Tells the other process what to do.
const TASK: &str = "DEHUSK_TEST_SCALE";

fn scaled(number: usize) -> usize {
    let scale = std::env::var("DEHUSK_SCALE").map_or(1.0, |scale| scale.parse().expect("a number"));
    (number as f64 * scale).ceil() as usize
}

/// Runs a test of this program in another process, with this task.
fn in_other_process(test: &str, task: &[String]) {
    let mut command = Command::new(std::env::current_exe().expect("a program"));
    command.args(["--exact", test, "--ignored", "--nocapture"]).env(TASK, task.join("\n"));
    let output = command.output().expect("a process");
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.lines().filter(|line| line.starts_with("  ")).for_each(|line| eprintln!("{line}"));
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
}

/// The most memory that this process has had, in MB.
fn most_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") / 1024
}

#[test]
#[ignore = "it takes minutes"]
fn child_twenty_thousand_pages() {
    let Ok(task) = std::env::var(TASK) else { return };
    let mut lines = task.lines();
    let (folder, port) = (lines.next().expect("a folder"), lines.next().expect("a port"));
    let names: Vec<(String, IpAddr)> = lines
        .map(|line| line.split_once(' ').expect("a name and an address"))
        .map(|(name, address)| (name.to_owned(), address.parse().expect("an address")))
        .collect();
    let homes: Vec<String> = names.iter().map(|(name, _)| format!("http://{name}:{port}/")).collect();
    let options = Options { delay: Duration::from_secs(1), threads: 16, depth: 1, ..options_for(names) };
    let crawl = Crawl::open(Path::new(folder), options, Start::New).expect("a crawl");
    let summary = crawl.run(pages(&homes).into_iter(), &Told::default(), None).expect("a crawl");
    println!("  pages: {}, requests: {}, memory: {} MB", summary.pages, summary.requests, most_memory());
    assert!(most_memory() < 300);
}

#[test]
#[ignore = "it takes minutes"]
fn twenty_thousand_pages_of_200_hosts() {
    const HOSTS: usize = 200;
    let of_host = scaled(100);
    let server = Server::start(Sites::many(HOSTS, of_host));
    let folder = tempfile::tempdir().expect("a folder");
    let names = server.names().into_iter().map(|(name, address)| format!("{name} {address}"));
    let task: Vec<String> =
        [folder.path().display().to_string(), server.port().to_string()].into_iter().chain(names).collect();
    let began = Instant::now();
    in_other_process("child_twenty_thousand_pages", &task);
    let took = began.elapsed();
    // robots.txt and the pages, with a second between two of them.
    let best = Duration::from_secs(of_host as u64);
    let (closest, host) = server.closest_of_all().expect("requests");
    let requests = server.log().len();
    eprintln!("{requests} requests, {took:.1?} (at best {best:?}), closest: {closest:?} at {host}");
    assert_eq!(stored(folder.path()).len(), HOSTS * of_host);
    assert!(closest >= Duration::from_secs(1));
    assert!(took <= best.mul_f64(1.2), "{took:?}");
}

/// Stops a crawl a second after all seeds were read.
#[derive(Default)]
struct UntilQueued {
    is_read: Arc<AtomicBool>,
    since: OnceLock<Instant>,
}

impl Observer for UntilQueued {
    fn go_on(&self) -> bool {
        !self.is_read.load(Ordering::Relaxed) || self.since.get_or_init(Instant::now).elapsed() < Duration::from_secs(1)
    }
}

/// The addresses of nobody: there is no server behind this port.
fn nobody(number: usize) -> IpAddr {
    IpAddr::V4(Ipv4Addr::from_bits(0x7f10_0000 + number as u32))
}

/// Queues this number of URLs of this number of domains.
fn queued(urls: usize, domains: usize) {
    let Ok(folder) = std::env::var(TASK) else { return };
    let host = move |number: usize| match domains {
        ..=10_000 => format!("site-{number}.example"),
        _ => nobody(number).to_string(),
    };
    let names = (0..domains.min(10_000)).map(|number| (host(number), nobody(number)));
    let options = options_for(names);
    let resolver = dehusk_crawler::resolve::Resolver { allows_private: true, ..options.resolver };
    // They are not given up while the test runs.
    let retry = Duration::from_secs(600);
    let options =
        Options { delay: Duration::from_secs(1), max_pages: Some(10), threads: 16, resolver, retry, ..options };
    let until = UntilQueued::default();
    let is_read = until.is_read.clone();
    let seeds = (0..=urls).map_while(move |number| {
        is_read.store(number == urls, Ordering::Relaxed);
        let url = format!("http://{}:9/section/an-article-with-a-name-{number}.html", host(number % domains));
        (number < urls).then_some(Seed { url, kind: Kind::Page })
    });
    let began = Instant::now();
    let crawl = Crawl::open(Path::new(&folder), options.clone(), Start::New).expect("a crawl");
    let summary = crawl.run(seeds, &until, None).expect("a crawl");
    let took = began.elapsed();
    let failed: u64 = summary.failed.values().sum();
    println!("  {urls} URLs of {domains} domains: {took:.1?}, memory: {} MB", most_memory());
    println!(
        "  left: {}, without robots.txt: {}, failed: {failed}, requests: {}",
        summary.left, summary.without_robots, summary.requests
    );
    assert_eq!(summary.left + summary.without_robots, urls as u64, "{summary:?}");
    // Some may not have been answered yet.
    assert!(summary.requests >= 900.min(domains as u64), "{summary:?}");
    let began = Instant::now();
    let crawl = Crawl::open(Path::new(&folder), options, Start::Resume).expect("a crawl");
    println!("  opened again: {:.1?}, memory: {} MB", began.elapsed(), most_memory());
    drop(crawl);
    let state = Path::new(&folder).join(".crawl/state.redb");
    println!("  state: {} MB", std::fs::metadata(state).expect("a file").len() >> 20);
    assert!(most_memory() < 1000);
}

#[test]
#[ignore = "it takes minutes"]
fn child_a_million_urls_of_1000_domains() {
    queued(scaled(1_000_000), 1000);
}

#[test]
#[ignore = "it takes minutes"]
fn child_a_million_domains() {
    queued(scaled(1_000_000), scaled(1_000_000));
}

#[test]
#[ignore = "it takes minutes"]
fn a_million_urls_in_the_queue() {
    for test in ["child_a_million_urls_of_1000_domains", "child_a_million_domains"] {
        let folder = tempfile::tempdir().expect("a folder");
        in_other_process(test, &[folder.path().display().to_string()]);
    }
}
