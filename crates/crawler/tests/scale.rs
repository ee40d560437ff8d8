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

use crawling::{Told, options, options_for, pages, stored, with_many_sitemaps};
use dehusk_crawler::crawl::{Crawl, Observer, Options, Seed, Start};
use dehusk_crawler::fetch::Limits;
use dehusk_crawler::frontier::Kind;
use server::{Behaviour, Server, Sites};

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

/// More seeds than can be on their way to the crawl.
const ON_THEIR_WAY: usize = 2000;

/// Stops a crawl a second after all seeds are queued.
#[derive(Default)]
struct UntilQueued {
    is_queued: Arc<AtomicBool>,
    since: OnceLock<Instant>,
}

impl Observer for UntilQueued {
    fn go_on(&self) -> bool {
        !self.is_queued.load(Ordering::Relaxed)
            || self.since.get_or_init(Instant::now).elapsed() < Duration::from_secs(1)
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
    let is_queued = until.is_queued.clone();
    // The last one comes again and again, which changes nothing. When all of that was read, it is in the queue.
    let seeds = (0..=urls + ON_THEIR_WAY).map(move |number| {
        is_queued.store(number == urls + ON_THEIR_WAY, Ordering::Relaxed);
        let number = number.min(urls - 1);
        let url = format!("http://{}:9/section/an-article-with-a-name-{number}.html", host(number % domains));
        Seed { url, kind: Kind::Page }
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

/// Stops a crawl after some time.
struct For(Instant, Duration);

impl Observer for For {
    fn go_on(&self) -> bool {
        self.0.elapsed() < self.1
    }
}

/// Crawls some sites for this time at most. Returns when those of [`Sites::many`] had their last answer.
fn good_ones(told: &str, sites: Sites, options_of: &Options, most: Duration) -> Duration {
    let hosts = sites.hosts();
    let server = Server::start(sites);
    let folder = tempfile::tempdir().expect("a folder");
    let options = Options { resolver: options(&server).resolver, ..options_of.clone() };
    let homes: Vec<String> = hosts.iter().map(|host| server.url(host, "/")).collect();
    let crawl = Crawl::open(folder.path(), options, Start::New).expect("a crawl");
    let until = For(Instant::now(), most);
    let summary = crawl.run(pages(&homes).into_iter(), &until, None).expect("a crawl");
    let took = until.0.elapsed();
    let (good, others): (Vec<_>, Vec<_>) = server.log().into_iter().partition(|seen| seen.host.starts_with("site-"));
    let last = good.iter().filter_map(|seen| seen.until).max().expect("an answer");
    let state = std::fs::metadata(folder.path().join(".crawl/state.redb")).expect("a file").len() as f64 / 1e6;
    let (good, others, left) = (good.len(), others.len(), summary.left);
    eprintln!(
        "  {told}: {good} requests in {last:.1?}. Others: {others} in {took:.1?}, {left} URLs left, state {state:.1} MB"
    );
    last
}

/// Nobody notices a bad neighbour: one with two billion URLs in its sitemaps, and two that are on the same address.
#[test]
#[ignore = "it takes minutes"]
fn neighbours() {
    let seconds = Duration::from_secs;
    let options = Options {
        delay: Duration::from_millis(100),
        threads: 16,
        per_domain: 10_000,
        depth: 1,
        sitemaps: true,
        limits: Limits { time: seconds(60), body: 10 << 20 },
        retry: seconds(60),
        ..options_for([])
    };
    let compare = |told: &str, options: &Options, hosts: usize, pages: usize, most: u64, bad: &dyn Fn(&mut Sites)| {
        let mut sites = Sites::many(hosts, pages);
        sites.share(&["site-0000.example", "site-0001.example"][..hosts]);
        let alone = good_ones("alone", sites.clone(), options, seconds(most));
        bad(&mut sites);
        let with = good_ones(told, sites, options, seconds(most));
        // The address waits a second for an answer that does not come, and then as always.
        assert!(with < alone.mul_f64(1.2) + seconds(3), "{alone:?}, {with:?}");
    };
    compare("40,000 sitemaps of 50,000 URLs", &options, 1, 60, 45, &|sites| {
        with_many_sitemaps(sites, "endless.example", 40_000, 50_000);
    });
    let options = Options { delay: seconds(1), sitemaps: false, ..options };
    compare("a crawl delay of 20 s", &options, 2, 18, 90, &|sites| {
        sites.robots("rare.example", "User-agent: *\nCrawl-delay: 20\n");
        let links: String = (0..4).map(|page| format!("<a href=/{page}>{page}</a>")).collect();
        sites.page("rare.example", "/", &links).share(&["site-0000.example", "rare.example"]);
    });
    compare("no answer", &options, 1, 1, 10, &|sites| {
        sites.behave("hangs.example", "/*", Behaviour::Late(seconds(100)));
        sites.share(&["site-0000.example", "hangs.example"]);
    });
}
