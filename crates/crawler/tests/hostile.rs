//! Sites that were made to hang, crash, trap or fill the crawler.
//!
//! Every case has one host that misbehaves and one that does not. What is asked of all of them:
//!
//! - the crawl ends, and all good pages are in the WARC, which can be read to its end;
//! - a second run starts, and finds the good pages unchanged;
//! - at both domains, no two requests are closer than the delay, and none are at once;
//! - nothing is sent to a host that the server does not have, and no cookie is sent back.

#![allow(clippy::unwrap_used)] // all are tests

mod crawling;
mod server;
mod tls;

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crawling::{Told, answers, crawl, options, pages, stored};
use dehusk_crawler::crawl::{Crawl, Observer, Options, Seed, Start, Summary};
use dehusk_crawler::fetch::Limits;
use dehusk_crawler::frontier::Kind;
use server::Behaviour::*;
use server::{Behaviour, OTHER_SCHEMES, PRIVATE, Page, Server, Sites};

const BAD: &str = "bad.example";
const GOOD: &str = "good.example";
const GOOD_PAGES: usize = 5;
const DELAY: Duration = Duration::from_millis(20);

/// No crawl of these takes longer.
const LONGEST: Duration = Duration::from_secs(20);

/// What is reported of hosts that do not answer in time.
const TOO_LATE: &str = "it did not answer within 1 s";

/// A host that misbehaves, and what is asked of the crawl.
struct Case {
    /// The path that misbehaves.
    path: &'static str,
    behaviour: Behaviour,
    /// Where the crawl of the host begins, and what is expected there.
    seed: &'static str,
    kind: Kind,
    /// Number of requests to the host, with those for its robots.txt.
    requests: RangeInclusive<usize>,
    /// Parts of what is reported, one for each URL.
    told: &'static [&'static str],
    /// The statuses of what is in the WARC, without its robots.txt.
    stored: &'static [u16],
    depth: u8,
    per_domain: u64,
    /// URLs that stay in the queue.
    left: u64,
    /// URLs that are not visited for want of a robots.txt.
    without_robots: u64,
    /// Whether all of it is encrypted.
    is_secure: bool,
}

/// A case for the path `/x`. The requests are those but the one for robots.txt, which there is not.
fn page(behaviour: Behaviour, requests: usize, told: &'static [&'static str], stored: &'static [u16]) -> Case {
    Case {
        path: "/x",
        behaviour,
        seed: "/x",
        kind: Kind::Page,
        requests: requests + 1..=requests + 1,
        told,
        stored,
        depth: 0,
        per_domain: 1000,
        left: 0,
        without_robots: 0,
        is_secure: false,
    }
}

/// A case for robots.txt. The requests are those for it; there is one more if the page may be visited.
fn robots(behaviour: Behaviour, requests: usize, told: &'static [&'static str]) -> Case {
    let (pages, stored): (usize, &[u16]) = if told.is_empty() { (1, &[200]) } else { (0, &[]) };
    let requests = requests + pages..=requests + pages;
    let without_robots = u64::from(!told.is_empty());
    Case { path: "/robots.txt", requests, without_robots, ..page(behaviour, 0, told, stored) }
}

/// A case for all of a host, from which the crawl follows links to `per_domain` pages.
fn links(path: &'static str, seed: &'static str, behaviour: Behaviour, per_domain: u64, requests: usize) -> Case {
    let requests = requests..=requests;
    Case { path, seed, depth: u8::MAX, per_domain, requests, ..page(behaviour, 0, &[], &[]) }
}

/// Runs a crawl that is stopped after a time.
struct Watch {
    told: Told,
    until: Instant,
}

impl Observer for Watch {
    fn go_on(&self) -> bool {
        Instant::now() < self.until
    }

    fn failed(&self, url: &str, why: &str) {
        self.told.failed(url, why);
    }
}

fn watched(folder: &std::path::Path, options: Options, seeds: Vec<Seed>) -> (Summary, Vec<(String, String)>) {
    let watch = Watch { told: Told::default(), until: Instant::now() + LONGEST };
    let crawl = Crawl::open(folder, options, Start::New).expect("a new crawl");
    let summary = crawl.run(seeds.into_iter(), &watch, None).expect("a crawl");
    assert!(Instant::now() < watch.until, "it does not end: {summary:?}");
    (summary, watch.told.failed.into_inner().expect("no panic"))
}

/// The good host, with a page at `/x` of the bad one.
fn sites() -> Sites {
    let mut sites = Sites::new();
    sites.robots(GOOD, "").page(BAD, "/x", "<p>A page that is there after all.</p>");
    sites.rule(BAD, |path, _| path.starts_with("/many/").then(|| Page::html("<p>One of many pages.</p>")));
    (0..GOOD_PAGES).for_each(|number| {
        sites.page(GOOD, &format!("/{number}"), &format!("<p>Good page {number}</p>"));
    });
    sites
}

fn good(server: &Server) -> Vec<Seed> {
    pages(&(0..GOOD_PAGES).map(|number| server.url(GOOD, &format!("/{number}"))).collect::<Vec<_>>())
}

fn limited(server: &Server) -> Options {
    let limits = Limits { time: Duration::from_secs(8), body: 2 << 20 };
    Options { delay: DELAY, threads: 4, limits, ..options(server) }
}

/// What holds after every crawl. Then the good pages are visited once more.
fn is_in_order(server: &Server, folder: &std::path::Path, name: &str, left: u64) {
    let all = stored(folder);
    for seed in good(server) {
        assert!(all.contains(&seed.url), "{name}: {} is not stored", seed.url);
    }
    if let Some((closest, host)) = server.closest_of_all() {
        assert!(closest >= DELAY, "{name}: {closest:?} at {host}");
    }
    for (host, _) in server.names() {
        assert!(server.most_at_once(&host) <= 1, "{name}: requests to {host} at once");
    }
    assert_eq!(server.cookies(), 0, "{name}");
    let hosts: Vec<String> = server.names().into_iter().map(|(host, _)| host).collect();
    let log = server.log();
    assert!(log.iter().all(|seen| hosts.contains(&seen.host)), "{name}: other hosts are asked: {log:?}");
    let mut start = Start::New;
    if left > 0 {
        let began = server.log().len();
        let (resumed, _) = crawl(folder, limited(server), Start::Resume, Vec::new()).expect("a resumed crawl");
        assert_eq!((resumed.pages, resumed.left, server.log().len()), (0, left, began), "{name}: {resumed:?}");
        start = Start::Restart;
    }
    let (again, told) = crawl(folder, limited(server), start, good(server)).expect("a second crawl");
    assert_eq!((again.pages, again.unchanged), (GOOD_PAGES as u64, GOOD_PAGES as u64), "{name}: {:?}", told.failed);
}

fn run(case: &Case) {
    let name = format!("{:?} at {}", case.behaviour, case.path);
    let mut sites = sites();
    sites.behave(BAD, case.path, case.behaviour.clone());
    let server = if case.is_secure { tls::start(sites) } else { Server::start(sites) };
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = Options { depth: case.depth, per_domain: case.per_domain, ..limited(&server) };
    // Only who waits in vain waits for a short time: a busy machine may need longer for the others.
    if case.told.contains(&TOO_LATE) {
        options.limits.time = Duration::from_secs(1);
    }
    let mut seeds = vec![Seed { url: server.url(BAD, case.seed), kind: case.kind.clone() }];
    seeds.extend(good(&server));
    let (summary, mut told) = watched(folder.path(), options, seeds);
    told.sort();
    let log = server.log();
    let requests = log.iter().filter(|seen| seen.host == BAD).count();
    let robots = server.url(BAD, "/robots.txt");
    let of_bad =
        |(url, ..): &(String, u16, Vec<u8>)| url.starts_with(&server.url(BAD, "/")) && !url.starts_with(&robots);
    let mut statuses: Vec<u16> = answers(folder.path()).into_iter().filter(of_bad).map(|answer| answer.1).collect();
    statuses.sort_unstable();
    assert!(case.requests.contains(&requests), "{name}: {requests} requests, {told:?}");
    let is_told = |((_, why), part): (&(String, String), &&str)| why.contains(part);
    assert!(told.len() == case.told.len() && told.iter().zip(case.told).all(is_told), "{name}: {told:?}");
    let expected = match case.stored {
        [] if case.depth > 0 => vec![200; requests - 1],
        expected => expected.to_vec(),
    };
    assert_eq!(statuses, expected, "{name}");
    assert_eq!((summary.left, summary.without_robots), (case.left, case.without_robots), "{name}: {summary:?}");
    is_in_order(&server, folder.path(), &name, case.left);
}

/// Runs cases, some of them at the same time: they wait more than they work.
fn run_all(cases: Vec<Case>) {
    let next = AtomicUsize::new(0);
    let failed = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(case)));
                    failed.fetch_add(usize::from(result.is_err()), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(failed.into_inner(), 0, "cases failed");
    // All crawls and servers of this process together.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
    assert!(most.is_none_or(|most: u64| most < 600_000), "{most:?} kB of memory");
}

#[test]
fn headers() {
    run_all(vec![
        page(SlowHeaders, 3, &[TOO_LATE], &[]),
        page(EndlessInterim, 1, &["its header is longer"], &[]),
        page(EndlessHeaders, 1, &["too many headers"], &[]),
        page(ManyHeaders(100_000), 1, &["too many headers"], &[]),
        page(HugeHeader, 1, &["its header is longer"], &[]),
        page(HeadersCutOff, 3, &["the answer is cut off"], &[]),
        page(StatusLineGarbage, 1, &["the answer is no HTTP"], &[]),
        page(StatusTooLarge, 1, &["the answer is no HTTP"], &[]),
        page(Http09, 1, &["the answer is no HTTP"], &[]),
        page(OddHeaders, 1, &["the answer is no HTTP"], &[]),
        page(FoldedHeaders, 1, &[], &[200]),
        page(NulBytes, 1, &["the answer is no HTTP"], &[]),
        page(Interim, 1, &[], &[200]),
        page(LengthNegative, 1, &["the answer is no HTTP"], &[]),
        page(LengthNotANumber, 1, &["the answer is no HTTP"], &[]),
        page(LengthHuge, 1, &["the answer is no HTTP"], &[]),
        page(TwoLengths, 1, &["the answer is no HTTP"], &[]),
    ]);
}

#[test]
fn bodies() {
    run_all(vec![
        page(SlowBody, 3, &[TOO_LATE], &[]),
        page(EndlessBody, 1, &["it is longer than"], &[]),
        page(ChunkedEndless, 1, &["it is longer than"], &[]),
        page(TenMegabytePage, 1, &["it is longer than"], &[]),
        page(LengthAlmostHuge, 1, &["it is longer than"], &[]),
        page(LengthTooLong, 3, &["the answer is cut off"], &[]),
        page(LengthTooShort, 1, &[], &[200]),
        page(LengthAndChunked, 1, &[], &[200]),
        page(ChunkedCutOff, 3, &["the answer is cut off"], &[]),
        page(ChunkedBroken, 1, &["the answer is no HTTP"], &[]),
        page(ChunkedHuge, 3, &["the answer is cut off"], &[]),
        page(ChunkedTrailers, 3, &[TOO_LATE], &[]),
        page(EmptyReply, 1, &[], &[200]),
        page(NoContentWithBody, 1, &["status 204"], &[204]),
        page(AlwaysNotModified, 1, &["status 304, which nobody asked for"], &[304]),
    ]);
}

#[test]
fn content() {
    run_all(vec![
        page(GzipBomb, 1, &["it is longer than"], &[]),
        page(GzipBombMembers, 1, &["it is longer than"], &[]),
        Case { kind: Kind::Sitemap(BAD.to_owned()), ..page(GzipBombFile, 1, &["it is longer than"], &[]) },
        page(GzipBroken, 1, &[], &[200]),
        page(GzipWrongSum, 1, &[], &[200]),
        page(GzipLie, 1, &[], &[200]),
        page(GzipTwice, 1, &[], &[200]),
        page(UnknownEncoding, 1, &[], &[200]),
        page(CharsetLie, 1, &[], &[200]),
        page(CharsetLieUtf16, 1, &[], &[200]),
        page(CharsetUnknown, 1, &[], &[200]),
        page(BinaryAsHtml, 1, &[], &[200]),
        page(Image, 1, &["it is image/png, and no text"], &[]),
        Case { depth: 1, stored: &[200], ..page(DeepHtml, 1, &[], &[200]) },
        // Its entry is there, without what the entities stand for.
        Case { kind: Kind::Feed, ..page(XmlBomb, 2, &["status 404"], &[200, 404]) },
        Case { kind: Kind::Sitemap(BAD.to_owned()), ..page(XmlBomb, 1, &["it is no sitemap"], &[200]) },
        Case { kind: Kind::Feed, ..page(BinaryAsHtml, 1, &["it is no feed"], &[200]) },
        Case { kind: Kind::Sitemap(BAD.to_owned()), ..page(EndlessBody, 1, &["it is longer than"], &[]) },
    ]);
}

#[test]
fn redirections() {
    let other_schemes = (0..OTHER_SCHEMES.len())
        .map(|number| page(RedirectToOtherScheme(number), 1, &["only http and https URLs are visited"], &[302]));
    let mut cases = vec![
        page(RedirectLoop, 1, &["it is redirected to itself"], &[302]),
        page(RedirectChain(3), 4, &[], &[200, 302, 302, 302]),
        page(RedirectChain(5), 6, &[], &[200, 302, 302, 302, 302, 302]),
        page(RedirectChain(100), 6, &["it is redirected too often"], &[302; 6]),
        page(RedirectWithoutLocation, 1, &["a redirection to nowhere"], &[302]),
        page(LocationGarbage, 1, &["the answer is no HTTP"], &[]),
        page(RedirectToLongUrl, 1, &["its header is longer"], &[]),
        page(Redirect(302, "http://good.example:{port}/0".to_owned()), 1, &[], &[302]),
        page(Redirect(308, format!("http://{}/", "a".repeat(2040))), 1, &["its robots.txt has no URL"], &[308]),
        page(Redirect(308, format!("/{}", "a".repeat(2048))), 1, &["it is longer than 2048 bytes"], &[308]),
        page(Redirect(301, "http://me:secret@good.example:{port}/0".to_owned()), 1, &["a password"], &[301]),
        page(Redirect(303, "/a/a/a/a".to_owned()), 1, &["repeats itself"], &[303]),
    ];
    cases.extend(other_schemes);
    run_all(cases);
}

#[test]
fn connections() {
    run_all(vec![
        page(Hang, 3, &[TOO_LATE], &[]),
        page(Late(Duration::from_millis(300)), 1, &[], &[200]),
        page(CloseAtOnce, 3, &["no connection"], &[]),
        page(CloseAfterRequest, 3, &[""], &[]),
        page(Reset, 3, &["no connection"], &[]),
        page(ResetInBody, 3, &["the answer is cut off"], &[]),
        page(ResetTimes(1), 2, &[], &[200]),
        page(ResetTimes(2), 3, &[], &[200]),
        Case { path: "*", ..robots(Hang, 0, &[TOO_LATE]) },
        Case { path: "*", requests: 0..=3, ..robots(CloseAtOnce, 0, &[""]) },
        Case { path: "*", ..robots(Reset, 3, &["no connection"]) },
    ]);
}

#[test]
fn statuses() {
    run_all(vec![
        page(Unavailable(1), 2, &[], &[200, 503]),
        page(Status(500), 3, &["status 500"], &[500, 500, 500]),
        page(Status(404), 1, &["status 404"], &[404]),
        page(Status(451), 1, &["status 451"], &[451]),
        page(Status(999), 1, &["status 999"], &[999]),
        page(RetryAfter { seconds: 1, times: 1 }, 2, &[], &[200, 429]),
        page(RetryAfterDate { seconds: 2, times: 1 }, 2, &[], &[200, 503]),
        page(RetryAfterDate { seconds: -99, times: 1 }, 2, &[], &[200, 503]),
        page(RetryAfterText("soon".to_owned(), 1), 2, &[], &[200, 503]),
        page(RetryAfterText("-1".to_owned(), 1), 2, &[], &[200, 503]),
        Case { left: 1, ..page(RetryAfter { seconds: 999_999_999, times: 1 }, 1, &[], &[429]) },
        Case { left: 1, ..page(RetryAfter { seconds: u64::MAX, times: 1 }, 1, &[], &[429]) },
        Case { path: "/*", ..page(SetCookies, 1, &[], &[200]) },
    ]);
}

#[test]
fn rules() {
    run_all(vec![
        robots(Status(404), 1, &[]),
        robots(Status(403), 1, &[]),
        robots(Status(500), 3, &["status 500"]),
        robots(Status(429), 3, &["status 429"]),
        robots(Unavailable(1), 2, &[]),
        robots(ResetTimes(2), 3, &[]),
        robots(Reset, 3, &["no connection"]),
        robots(Hang, 3, &[TOO_LATE]),
        robots(SlowBody, 3, &[TOO_LATE]),
        robots(EndlessBody, 1, &[]),
        robots(ChunkedEndless, 1, &[]),
        robots(TenMegabytePage, 1, &[]),
        robots(GzipBomb, 1, &[]),
        robots(GzipBombMembers, 1, &[]),
        robots(BinaryAsHtml, 1, &[]),
        robots(EmptyReply, 1, &[]),
        robots(RedirectLoop, 6, &[]),
        robots(RedirectChain(5), 6, &[]),
        robots(RedirectChain(100), 6, &[]),
        robots(Redirect(301, "http://good.example:{port}/robots.txt".to_owned()), 1, &[]),
        Case { told: &["it is redirected: only http"], ..robots(RedirectToOtherScheme(0), 1, &[]) },
        robots(LengthTooLong, 3, &["the answer is cut off"]),
        robots(HugeHeader, 1, &["its header is longer"]),
        robots(Http09, 1, &["the answer is no HTTP"]),
        robots(RedirectToPrivate(4), 1, &["its address 127.0.0.1 is private"]),
        Case { left: 1, stored: &[], requests: 1..=1, ..robots(RetryAfter { seconds: 999_999_999, times: 1 }, 1, &[]) },
    ]);
}

#[test]
fn traps() {
    run_all(vec![
        links("/calendar/*", "/calendar/", Trap, 12, 13),
        links("/x/*", "/x/", DeepTrap, 12, 13),
        links("/find*", "/find", QueryTrap, 12, 13),
        links("/*", "/", SoftNotFound, 12, 13),
        Case { requests: 20..=22, ..links("/shop/*", "/shop/item-1", SessionIds, 100, 0) },
        links("/x", "/x", ManyLinks(20_000), 12, 13),
    ]);
}

#[test]
fn private_addresses() {
    // Somebody listens there, and hears nothing.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.set_nonblocking(true).expect("a listener");
    let port = listener.local_addr().expect("a port").port();
    let hosts =
        ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"];
    let mut cases: Vec<Case> = hosts
        .map(|host| page(Redirect(302, format!("http://{host}:{port}/")), 1, &["is private; --allow-private"], &[302]))
        .into();
    cases.extend(
        (0..PRIVATE.len()).map(|number| page(RedirectToPrivate(number), 1, &["is private; --allow-private"], &[302])),
    );
    // The address of the server itself, which a person gave for its names only.
    let own = |status, host| Redirect(status, format!("http://{host}:{{port}}/x"));
    cases.push(page(own(307, "127.77.0.1"), 1, &["its address 127.77.0.1 is private"], &[307]));
    // There is no robots.txt that could be asked for.
    cases.iter_mut().for_each(|case| case.without_robots = 1);
    cases.push(robots(RedirectToPrivate(4), 1, &["its address 127.0.0.1 is private"]));
    cases.push(robots(own(301, "127.77.0.1"), 1, &["its address 127.77.0.1 is private"]));
    run_all(cases);
    assert!(listener.accept().is_err(), "there is a connection to a private address");
}

#[test]
fn hosts_without_a_server() {
    const HOSTS: u8 = 12;
    let mut sites = sites();
    sites.behave(BAD, "/x", HostFlood(HOSTS.into()));
    let server = Server::start(sites);
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = || [pages(&[server.url(BAD, "/x")]), good(&server)].concat();
    // Links to others are not followed if nobody wants that.
    let (summary, told) = watched(folder.path(), Options { depth: 5, ..limited(&server) }, seeds());
    assert_eq!((summary.pages, told.len(), server.log().len()), (GOOD_PAGES as u64 + 1, 0, GOOD_PAGES + 3));
    let mut options = Options { depth: 5, leaves_domain: true, ..limited(&server) };
    for number in 0..HOSTS {
        let address = IpAddr::from([127, 88, 0, number + 1]);
        options.resolver.given.insert(format!("host-{number}.flood.example"), address);
    }
    let (summary, told) = watched(folder.path(), options, seeds());
    let expected = (GOOD_PAGES as u64 + 1, HOSTS.into(), 0);
    assert_eq!((summary.pages, summary.without_robots, summary.left), expected, "{summary:?}");
    assert!(
        told.len() == usize::from(HOSTS) && told.iter().all(|(_, why)| why.starts_with("no connection")),
        "{told:?}"
    );
    is_in_order(&server, folder.path(), "HostFlood", 0);
}

#[test]
fn a_crawl_delay_without_an_end() {
    let mut sites = sites();
    sites.robots(BAD, "User-agent: *\nCrawl-delay: 999999999\n");
    let server = Server::start(sites);
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = [pages(&[server.url(BAD, "/x")]), good(&server)].concat();
    let (summary, _) = watched(folder.path(), limited(&server), seeds);
    assert_eq!((summary.pages, summary.left), (GOOD_PAGES as u64, 1), "{summary:?}");
    is_in_order(&server, folder.path(), "Crawl-delay", 1);
}

#[test]
fn rules_that_lead_to_each_other() {
    const OTHER: &str = "other.example";
    let mut sites = sites();
    sites.page(OTHER, "/x", "<p>Another page.</p>");
    for (host, to) in [(BAD, OTHER), (OTHER, BAD)] {
        sites.behave(host, "/robots.txt", Redirect(302, format!("http://{to}:{{port}}/robots.txt")));
    }
    let server = Server::start(sites);
    let folder = tempfile::tempdir().expect("a folder");
    let seeds = [pages(&[BAD, OTHER].map(|host| server.url(host, "/x"))), good(&server)].concat();
    let (summary, told) = watched(folder.path(), limited(&server), seeds);
    assert_eq!((summary.pages, summary.left), (GOOD_PAGES as u64 + 2, 0), "{summary:?} {told:?}");
    // Six for each of the two, and the pages.
    assert_eq!(server.log().len(), 2 * 6 + 2 + GOOD_PAGES + 1);
    is_in_order(&server, folder.path(), "rules in a circle", 0);
}

#[test]
fn reasons_are_short_and_few() {
    const PAGES: usize = 120;
    let mut sites = sites();
    sites.rule(BAD, |path, _| {
        let number = path.strip_prefix("/image/")?;
        Some(Page::new(&format!("image/\u{9b}2J{number}{}", "x".repeat(10_000)), "no image"))
    });
    let server = Server::start(sites);
    let folder = tempfile::tempdir().expect("a folder");
    let images: Vec<String> = (0..PAGES).map(|number| server.url(BAD, &format!("/image/{number}"))).collect();
    let (summary, told) = watched(folder.path(), limited(&server), [pages(&images), good(&server)].concat());
    assert_eq!((told.len(), summary.failed.len(), summary.failed["other reasons"]), (PAGES, 101, 20));
    let is_short = |why: &String| why.len() <= 800 && !why.contains(char::is_control);
    assert!(told.iter().map(|(_, why)| why).chain(summary.failed.keys()).all(is_short));
    is_in_order(&server, folder.path(), "reasons", 0);
}

/// A crawl of the good host over TLS and of one URL that is somewhere else, with the only certificate that is trusted. Returns what is
/// reported.
fn secure(server: &Server, url: String, others: &[(String, IpAddr)], name: &str) -> (Summary, Vec<(String, String)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = limited(server);
    others.iter().for_each(|(host, ip)| _ = options.resolver.given.insert(host.clone(), *ip));
    let seeds = [pages(&[url]), good(server)].concat();
    let found = watched(folder.path(), options, seeds);
    is_in_order(server, folder.path(), name, 0);
    found
}

#[test]
fn certificates() {
    let server = tls::start_without(sites(), &[BAD]);
    let (summary, told) = secure(&server, server.url(BAD, "/x"), &[], "a wrong name");
    assert!(told.len() == 1 && told[0].1.starts_with("its certificate is not valid"), "{told:?}");
    assert_eq!((summary.pages, summary.without_robots), (GOOD_PAGES as u64, 1));
    assert!(server.log().iter().all(|seen| seen.host == GOOD), "something is sent before the name is checked");

    let server = tls::start(sites());
    let mut others = Sites::new();
    others.page(BAD, "/x", "<p>Trust me.</p>").at(BAD, IpAddr::from([127, 88, 1, 1]));
    let other = tls::start(others);
    let (summary, told) = secure(&server, other.url(BAD, "/x"), &other.names(), "not trusted");
    assert!(told.len() == 1 && told[0].1.starts_with("its certificate is not valid"), "{told:?}");
    assert_eq!((summary.without_robots, other.log().len()), (1, 0));
}

#[test]
fn plain_text_instead_of_tls() {
    let listener = TcpListener::bind((Ipv4Addr::new(127, 88, 2, 1), 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = (&stream).write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            thread::sleep(Duration::from_millis(50));
        }
    });
    let server = tls::start(sites());
    let url = format!("https://plain.example:{}/x", address.port());
    let names = [("plain.example".to_owned(), address.ip())];
    let (summary, told) = secure(&server, url, &names, "plain text");
    assert!(told.len() == 1 && told[0].1.contains("corrupt message"), "{told:?}");
    assert_eq!((summary.pages, summary.without_robots), (GOOD_PAGES as u64, 1));
}

#[test]
fn from_https_to_http() {
    let mut others = Sites::new();
    others.page("plain.example", "/y", "<p>Nothing to hide.</p>").at("plain.example", IpAddr::from([127, 88, 3, 1]));
    let plain = Server::start(others);
    let mut sites = sites();
    sites.behave(BAD, "/x", Redirect(301, plain.url("plain.example", "/y")));
    let server = tls::start(sites);
    let (summary, told) = secure(&server, server.url(BAD, "/x"), &plain.names(), "https to http");
    assert!(told.is_empty(), "{told:?}");
    assert_eq!((summary.pages, summary.redirects), (GOOD_PAGES as u64 + 1, 1));
    let asked: Vec<String> = plain.log().into_iter().map(|seen| seen.path).collect();
    assert_eq!(asked, ["/robots.txt", "/y"]);
}

#[test]
fn encrypted() {
    let mut cases = vec![
        page(Hang, 3, &[TOO_LATE], &[]),
        page(SlowBody, 3, &[TOO_LATE], &[]),
        page(EndlessBody, 1, &["it is longer than"], &[]),
        page(EndlessHeaders, 1, &["too many headers"], &[]),
        page(LengthTooLong, 3, &["the answer is cut off"], &[]),
        page(ChunkedCutOff, 3, &["the answer is cut off"], &[]),
        page(Reset, 3, &["no connection"], &[]),
        page(ResetInBody, 3, &["the answer is cut off"], &[]),
        page(Http09, 1, &["the answer is no HTTP"], &[]),
        page(GzipBomb, 1, &["it is longer than"], &[]),
        robots(CloseAtOnce, 3, &["no connection"]),
    ];
    cases.iter_mut().for_each(|case| case.is_secure = true);
    run_all(cases);
}
