//! A crawler that is killed again and again asks for nothing twice, and loses nothing.

mod crawling;
mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crawling::{Told, answers, answers_so_far, crawled, options, options_for, pages, stored};
use dehusk_crawler::archive::Packing;
use dehusk_crawler::crawl::{Crawl, CrawlError, Options, Start};
use dehusk_crawler::frontier::Frontier;
use server::{Behaviour, Server, Sites};

const DELAY: Duration = Duration::from_millis(5);
const KILLS: usize = 30;

/// Tells the other process what to do: folder, packing, port, and names with their addresses.
const TASK: &str = "DEHUSK_TEST_CRAWL";

/// The process that is killed is this test. Without a task it does nothing.
#[test]
fn a_crawl_that_is_killed() {
    let Ok(task) = std::env::var(TASK) else { return };
    let mut lines = task.lines();
    let mut line = || lines.next().expect("a line");
    let (folder, packing, port) = (line(), line(), line());
    let names: Vec<(String, IpAddr)> = lines
        .map(|line| line.split_once(' ').expect("a name and an address"))
        .map(|(name, address)| (name.to_owned(), address.parse().expect("an address")))
        .collect();
    let homes: Vec<String> = names.iter().map(|(name, _)| format!("http://{name}:{port}/")).collect();
    let packing = if packing == "gz" { Packing::Gzip } else { Packing::Zstandard };
    let folder = Path::new(folder);
    let options = of_test(Options { packing, ..options_for(names) });
    let crawl = match Crawl::open(folder, options.clone(), Start::Resume) {
        // It was killed after its end.
        Err(CrawlError::NothingToResume(_)) if answers_so_far(folder) != Default::default() => return,
        Err(CrawlError::NothingToResume(_)) => Crawl::open(folder, options, Start::New),
        crawl => crawl,
    };
    let summary = crawl.expect("a crawl").run(pages(&homes).into_iter(), &Told::default(), None).expect("a crawl");
    assert_eq!(summary.left, 0, "{summary:?}");
}

/// Files are small, so that more than one of them is written.
fn of_test(options: Options) -> Options {
    Options { delay: DELAY, depth: 9, file_size: 50_000, ..options }
}

/// A crawl that goes on where the last one was killed.
struct Running(Child);

impl Running {
    fn start(folder: &Path, packing: &str, server: &Server) -> Running {
        let names: Vec<String> = server.names().iter().map(|(name, address)| format!("{name} {address}")).collect();
        let task =
            [&[folder.display().to_string(), packing.to_owned(), server.port().to_string()], &names[..]].concat();
        let mut command = Command::new(std::env::current_exe().expect("a program"));
        command.args(["--exact", "a_crawl_that_is_killed", "--nocapture"]).env(TASK, task.join("\n"));
        Running(command.stdout(Stdio::null()).spawn().expect("a process"))
    }

    /// Whether it ends within this time, as it should.
    fn ends(&mut self, within: Duration) -> bool {
        let began = Instant::now();
        while began.elapsed() < within {
            if let Some(status) = self.0.try_wait().expect("a process") {
                assert!(status.success(), "{status}");
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Writes the beginning of a record at the end of the last file, like a kill that comes while it is written.
fn begin_record(folder: &Path) {
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    let Some(last) = files.filter(|path| path.is_file()).max() else { return };
    let mut file = std::fs::read(&last).expect("a file");
    let begin = file[..file.len().min(90)].to_vec();
    file.extend(begin);
    std::fs::write(&last, file).expect("a file");
}

#[test]
fn nothing_is_lost_and_nothing_is_asked_for_twice() {
    let mut sites = Sites::tree(10, 60, 3);
    let hosts = sites.hosts();
    sites.page(&hosts[2], "/other", "<p>Elsewhere</p> <a href=/p/59>Back</a>");
    // The same page at another host, which is the only way to one more.
    sites.page(&hosts[3], "/other", "<p>Elsewhere</p> <a href=/p/59>Back</a> <a href=/far>Far</a>");
    sites.page(&hosts[5], "/other", "<p>Elsewhere</p> <a href=/p/59>Back</a> <a href=/far>Far</a>");
    for host in [3, 5] {
        sites.page(&hosts[host], "/far", &format!("<p>Far away at {host}"));
        sites.behave(&hosts[host], "/p/20", Behaviour::Redirect(302, "/other".to_owned()));
    }
    sites.behave(&hosts[2], "/p/20", Behaviour::Redirect(302, "/other".to_owned()));
    sites.robots(&hosts[4], "User-agent: *\nDisallow: /p/3\n");
    sites.robots(&hosts[6], "User-agent: *\nDisallow: /p/5\n");
    let server = Server::start(sites);
    let folder = tempfile::tempdir().expect("a folder");
    let homes: Vec<String> = hosts.iter().map(|host| server.url(host, "/")).collect();
    let (summary, _) = crawled(folder.path(), of_test(options(&server)), pages(&homes));
    assert_eq!(summary.left, 0);
    let undisturbed = stored(folder.path());
    assert!(undisturbed.len() > 500, "{}", undisturbed.len());

    let mut random = 20_261_123_u64;
    let mut kills = 0;
    for round in 0..KILLS {
        if kills == KILLS {
            break;
        }
        let packing = ["gz", "zst"][round % 2];
        server.forget();
        // One host has a page that fails at first, another one its robots.txt.
        server.behave(&hosts[1], "/p/7", Behaviour::Unavailable(1));
        server.behave(&hosts[6], "/robots.txt", Behaviour::Unavailable(1));
        let folder = tempfile::tempdir().expect("a folder");
        // After each kill: when the last request came, and what was stored.
        let mut stored_then: Vec<(Duration, BTreeSet<String>)> = Vec::new();
        loop {
            let mut crawl = Running::start(folder.path(), packing, &server);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let pause = if kills < KILLS { 20 + (random >> 33) % 281 } else { 20_000 };
            if crawl.ends(Duration::from_millis(pause)) {
                break;
            }
            assert!(kills < KILLS, "it does not end");
            drop(crawl);
            kills += 1;
            let last = server.log().last().map_or(Duration::ZERO, |seen| seen.at);
            let (stored, cut_off) = answers_so_far(folder.path());
            assert!(cut_off.len() <= 1, "{cut_off:?}");
            // A crawl that has come to its end writes no more.
            let is_open =
                || Frontier::open(&folder.path().join(".crawl/state.redb")).is_ok_and(|state| state.state.is_open);
            if kills % 2 == 0 && cut_off.is_empty() && is_open() {
                begin_record(folder.path());
            }
            stored_then
                .push((last, stored.into_iter().filter(|answer| answer.1 != 503).map(|answer| answer.0).collect()));
        }
        let stored = stored(folder.path());
        let different: Vec<_> = stored.symmetric_difference(&undisturbed).collect();
        assert!(different.is_empty(), "round {round}: {different:?}");
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for (url, status, _) in answers(folder.path()) {
            *times.entry(url).or_default() += usize::from(status == 200);
        }
        let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
        assert!(twice.is_empty(), "round {round}: {twice:?} are stored twice");
        let log = server.log();
        for (kill, (last, stored)) in stored_then.iter().enumerate() {
            let after = log.iter().filter(|seen| seen.at > *last);
            let again: Vec<String> =
                after.map(|seen| server.url(&seen.host, &seen.path)).filter(|url| stored.contains(url)).collect();
            assert!(again.is_empty(), "round {round}: {again:?} were stored before kill {kill}");
        }
        let (closest, host) = server.closest_of_all().expect("requests");
        assert!(closest >= DELAY, "round {round}: {closest:?} at {host}");
    }
    assert_eq!(kills, KILLS);
}
