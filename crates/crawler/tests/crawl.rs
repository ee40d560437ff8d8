//! Crawls of sites that behave.

mod crawling;
mod server;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use crawling::{answers, crawl, crawled, options, pages, recorded_so_far, sitemap, stored, with_many_sitemaps};
use dehusk_crawler::crawl::{CrawlError, LeftOut, Options, Seed, Start, Wanted};
use dehusk_crawler::fetch::Limits;
use dehusk_crawler::frontier::Kind;
use regex::RegexSet;
use server::{Behaviour, PAPERS, Page, Server, Sites, articles};

#[test]
fn all_pages_of_many_hosts_and_none_too_early() {
    const DELAY: Duration = Duration::from_millis(40);
    let server = Server::start(Sites::many(20, 15));
    let folder = tempfile::tempdir().unwrap();
    let options = Options { delay: DELAY, depth: 1, threads: 16, ..options(&server) };
    let homes: Vec<String> = server.names().iter().map(|(host, _)| server.url(host, "/")).collect();
    let (summary, _) = crawled(folder.path(), options, pages(&homes));
    assert_eq!((summary.pages, summary.left, summary.failed.len()), (300, 0, 0), "{summary:?}");
    assert_eq!(stored(folder.path()).len(), 300);
    let (closest, host) = server.closest_of_all().unwrap();
    assert!(closest >= DELAY, "{closest:?} at {host}");
    assert!(homes.iter().all(|home| server.most_at_once(&home[7..home.len() - 7]) <= 1));
}

#[test]
fn hosts_of_one_machine_share_its_delay() {
    const DELAY: Duration = Duration::from_millis(50);
    let mut sites = Sites::new();
    sites.page("a.example", "/", "<p>A").page("b.example", "/", "<p>B").share(&["a.example", "b.example"]);
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let homes = ["a.example", "b.example"].map(|host| server.url(host, "/"));
    let (summary, _) = crawled(folder.path(), Options { delay: DELAY, ..options(&server) }, pages(&homes));
    assert_eq!(summary.pages, 2);
    let closest = server.closest(&server.address("a.example").to_string()).unwrap();
    assert!(closest >= DELAY, "{closest:?}");
}

#[test]
fn a_slow_host_does_not_hold_up_others_of_its_machine() {
    let mut sites = Sites::new();
    // One has no answer before the other one is asked, and one wants to be left alone for hours.
    sites.page("hangs.example", "/", "<p>A").page("good.example", "/", "<p>B").page("rare.example", "/", "<p>C");
    sites.behave("hangs.example", "/robots.txt", Behaviour::After("good.example", "/"));
    sites.robots("rare.example", "User-agent: *\nCrawl-delay: 9999\n");
    sites.share(&["hangs.example", "rare.example", "good.example"]);
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let homes = ["rare.example", "hangs.example", "good.example"].map(|host| server.url(host, "/"));
    let limits = Limits { time: Duration::from_secs(60), ..options(&server).limits };
    let (summary, told) = crawled(folder.path(), Options { limits, ..options(&server) }, pages(&homes));
    assert_eq!((summary.pages, summary.left), (2, 1), "{summary:?} {:?}", told.failed);
    let log = server.log();
    let answered = log.iter().find(|seen| seen.host == "hangs.example").and_then(|seen| seen.until).unwrap();
    let asked = log.iter().find(|seen| seen.host == "good.example" && seen.path == "/").unwrap().at;
    assert!(asked < answered, "the other one is asked while the slow one has not answered: {log:?}");
}

#[test]
fn newspapers_by_their_feeds_and_sitemaps() {
    let server = Server::start(Sites::news(&PAPERS));
    let folder = tempfile::tempdir().unwrap();
    let homes: Vec<String> = PAPERS.iter().map(|host| server.url(host, "/")).collect();
    let options = Options { sitemaps: true, feeds: true, ..options(&server) };
    let (summary, told) = crawled(folder.path(), options, pages(&homes));
    assert!(summary.feeds > 0 && summary.sitemaps > 0, "{summary:?} {:?}", told.failed);
    let stored = stored(folder.path());
    // Four of the papers tell of their articles, one of them only of the last ones.
    let complete = PAPERS.iter().filter(|host| {
        let found = articles(host).iter().filter(|article| stored.contains(&server.url(host, &article.path))).count();
        found == articles(host).len()
    });
    assert!(complete.count() >= 3, "{stored:?}");
}

#[test]
fn who_forbids_everything_gets_one_request() {
    let mut sites = Sites::new();
    sites.page("a.example", "/", "<p>A").robots("a.example", "User-agent: *\nDisallow: /\n");
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let urls: Vec<String> = (0..50).map(|page| server.url("a.example", &format!("/{page}"))).collect();
    let (summary, told) = crawled(folder.path(), options(&server), pages(&urls));
    assert_eq!((server.log().len(), summary.forbidden, summary.pages), (1, 50, 0));
    let left_out: BTreeSet<(String, LeftOut)> = told.left_out.into_inner().unwrap().into_iter().collect();
    assert_eq!(left_out, urls.iter().map(|url| (url.clone(), LeftOut::Forbidden)).collect());
    // Its rules are known for a day.
    let (summary, _) = crawled(folder.path(), options(&server), pages(&urls));
    assert_eq!((server.log().len(), summary.forbidden), (1, 50));
}

#[test]
fn a_second_run_asks_for_what_has_changed() {
    let server = Server::start(Sites::many(2, 5));
    let folder = tempfile::tempdir().unwrap();
    let hosts: Vec<String> = server.names().into_iter().map(|(host, _)| host).collect();
    let homes: Vec<String> = hosts.iter().map(|host| server.url(host, "/")).collect();
    let urls: Vec<String> =
        hosts.iter().flat_map(|host| (0..5).map(|page| server.url(host, &format!("/p/{page}")))).collect();
    let all = pages(&[homes, urls].concat());
    let (first, _) = crawled(folder.path(), options(&server), all.clone());
    assert!(first.pages >= 10 && first.unchanged == 0, "{first:?}");
    server.change(&hosts[0], "/p/3");
    let (second, _) = crawled(folder.path(), options(&server), all);
    assert_eq!((second.pages, second.unchanged), (first.pages, first.pages - 1), "{second:?}");
    let of_page =
        |(url, status, body): &(String, u16, Vec<u8>)| url.ends_with("/p/3") && *status == 200 && !body.is_empty();
    assert_eq!(
        answers(folder.path()).iter().filter(|answer| of_page(answer)).count(),
        3,
        "one of each host, and the change"
    );
}

#[test]
fn what_was_stopped_goes_on_only_if_asked() {
    let server = Server::start(Sites::many(1, 30));
    let folder = tempfile::tempdir().unwrap();
    let home = pages(&[server.url(&server.names()[0].0, "/")]);
    let some = Options { depth: 1, max_pages: Some(10), ..options(&server) };
    let all = Options { depth: 1, ..options(&server) };
    assert!(matches!(
        crawl(folder.path(), all.clone(), Start::Resume, home.clone()),
        Err(CrawlError::NothingToResume(_))
    ));
    let (summary, _) = crawled(folder.path(), some.clone(), home.clone());
    assert_eq!((summary.pages, summary.left), (10, 20));
    let refused = crawl(folder.path(), all.clone(), Start::New, home.clone());
    assert!(matches!(refused, Err(CrawlError::Unfinished { left: 20, .. })));
    let before = server.log().len();
    let (summary, _) = crawl(folder.path(), all.clone(), Start::Resume, Vec::new()).unwrap();
    assert_eq!((summary.pages, summary.left, server.log().len() - before), (20, 0, 20));
    assert_eq!(stored(folder.path()).len(), 30);
    let (_, _) = crawled(folder.path(), some, home.clone());
    let (summary, _) = crawl(folder.path(), all, Start::Restart, home).unwrap();
    assert_eq!((summary.pages, summary.left), (30, 0));
}

#[test]
fn limits_of_domains_are_told() {
    let server = Server::start(Sites::many(2, 30));
    let folder = tempfile::tempdir().unwrap();
    let homes: Vec<String> = server.names().iter().map(|(host, _)| server.url(host, "/")).collect();
    let options = Options { depth: 1, per_domain: 7, ..options(&server) };
    let (summary, _) = crawled(folder.path(), options, pages(&homes));
    assert_eq!((summary.pages, summary.over_limit, summary.left), (14, 46, 0));
}

#[test]
fn busy_servers_are_asked_later() {
    let mut sites = Sites::many(1, 3);
    let host = sites.hosts()[0].clone();
    sites.behave(&host, "/p/1", Behaviour::RetryAfter { seconds: 1, times: 1 });
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let options = Options { depth: 1, ..options(&server) };
    let began = Instant::now();
    let (summary, told) = crawled(folder.path(), options, pages(&[server.url(&host, "/")]));
    assert_eq!((summary.pages, summary.left), (3, 0), "{summary:?} {:?}", told.failed);
    assert!(began.elapsed() >= Duration::from_secs(1));
    let log = server.log();
    let busy = log.iter().position(|seen| seen.path == "/p/1").unwrap();
    assert!(log[busy + 1].at - log[busy].at >= Duration::from_secs(1), "nobody else of the host is asked meanwhile");
    assert_eq!(server.count(&host, "/p/1"), 2);
}

#[test]
fn feeds_are_watched_by_their_own_hints() {
    let mut sites = Sites::news(&["tideline-wire.example"]);
    sites.robots("tideline-wire.example", "");
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let options = Options { watch: Some(Duration::from_millis(300)), max_pages: Some(2), ..options(&server) };
    let feed = Seed { url: server.url("tideline-wire.example", "/feed.xml"), kind: Kind::Feed };
    let mut copy = Vec::new();
    let crawl = dehusk_crawler::crawl::Crawl::open(folder.path(), options, Start::New).unwrap();
    let summary = crawl.run(vec![feed].into_iter(), &crawling::Told::default(), Some(&mut copy)).unwrap();
    assert_eq!(summary.pages, 2);
    let copied = String::from_utf8_lossy(&copy).matches("WARC-Type: response").count();
    assert_eq!(copied, 2, "pages are copied, and nothing else");
}

#[test]
fn urls_that_cannot_be_visited_are_told() {
    let server = Server::start(Sites::many(1, 1));
    let folder = tempfile::tempdir().unwrap();
    let urls = ["ftp://a.example/", "no url", "http://127.0.0.1:9/"].map(str::to_owned);
    let (summary, told) = crawled(folder.path(), options(&server), pages(&urls));
    let failed: BTreeSet<String> = told.failed.lock().unwrap().iter().map(|(url, _)| url.clone()).collect();
    assert_eq!(failed.len(), 3, "{failed:?}");
    assert_eq!((summary.requests, summary.left), (0, 0));
}

#[test]
fn links_to_nowhere_count_as_well() {
    let mut sites = Sites::new();
    let links: String = (0..100).map(|page| format!("<a href='/nothing/{page}'>")).collect();
    sites.page("a.example", "/", &links);
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let options = Options { depth: 1, per_domain: 10, ..options(&server) };
    let (summary, _) = crawled(folder.path(), options, pages(&[server.url("a.example", "/")]));
    assert_eq!((summary.requests, summary.pages, summary.over_limit), (11, 1, 91));
}

#[test]
fn hosts_that_are_gone_do_not_hold_up_others_of_their_domain() {
    let mut sites = Sites::new();
    sites.page("www.a.example", "/", "<p>A");
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options { retry: Duration::from_secs(1), ..options(&server) };
    let mut urls = Vec::new();
    for number in 0..20 {
        let host = format!("gone-{number}.a.example");
        options.resolver.given.insert(host.clone(), [127, 9, 9, 9].into());
        urls.extend([format!("http://{host}:{}/a", server.port()), format!("http://{host}:{}/b", server.port())]);
    }
    urls.push(server.url("www.a.example", "/"));
    let began = Instant::now();
    let (summary, told) = crawled(folder.path(), options, pages(&urls));
    assert_eq!((summary.pages, summary.without_robots, summary.left), (1, 40, 0));
    assert_eq!(told.failed.lock().unwrap().len(), 20, "each is told once");
    // One after another, they would take 100 seconds.
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn endless_sitemaps_fill_neither_the_queue_nor_the_time() {
    let mut sites = Sites::new();
    with_many_sitemaps(&mut sites, "endless.example", 500, 1000);
    let server = Server::start(sites);
    let seeds = pages(&[server.url("endless.example", "/p/a"), server.url("endless.example", "/p/b")]);
    let options = Options { sitemaps: true, per_domain: 40, ..options(&server) };
    let folder = tempfile::tempdir().unwrap();
    let some = Options { max_pages: Some(6), ..options.clone() };
    let (summary, _) = crawled(folder.path(), some, seeds.clone());
    // As many pages, and as many sitemaps, as the domain may have.
    assert!(summary.left <= 2 * 40, "{summary:?}");
    let state = std::fs::metadata(folder.path().join(".crawl/state.redb")).unwrap().len();
    assert!(state < 8 << 20, "{state} bytes");

    server.forget();
    let folder = tempfile::tempdir().unwrap();
    let (summary, told) = crawled(folder.path(), options, seeds);
    let log = server.log();
    let asked: Vec<&str> = log.iter().map(|seen| &seen.path[..3]).collect();
    // A sitemap is read only as long as the domain may have more pages, and not before a page had its turn.
    assert_eq!(asked[..8], ["/ro", "/p/", "/in", "/p/", "/s/", "/p/", "/s/", "/p/"], "{asked:?}");
    assert_eq!((asked.iter().filter(|path| **path == "/s/").count(), summary.pages, summary.left), (2, 40, 0));
    // 461 sitemaps of the index, 37 that have no use any more, and the pages that are too many. Some of them are told.
    assert_eq!(summary.over_limit, 461 + 37 + 2 + 5 + 1000 - 40, "{summary:?}");
    assert_eq!(told.left_out.lock().unwrap().len(), 40 + 37);
}

#[test]
fn a_sitemap_on_another_host_speaks_for_the_site_that_names_it() {
    let mut sites = Sites::new();
    sites.robots("paper.example", "Sitemap: http://maps.example:{port}/index.xml\n").page(
        "paper.example",
        "/",
        "<p>Home",
    );
    sites.robots("other.example", "Sitemap: http://maps.example:{port}/both.xml\n").page(
        "other.example",
        "/",
        "<p>Home",
    );
    let all = |base: server::Base| {
        let of = |host: &str| (0..5).map(move |page| base.url(host, &format!("/{page}"))).collect::<Vec<_>>();
        [of("paper.example"), of("victim.example"), of("other.example")].concat()
    };
    sites.rule("maps.example", move |path, base| match path {
        "/index.xml" => {
            Some(sitemap(true, [base.url("maps.example", "/both.xml"), base.url("victim.example", "/s.xml")]))
        }
        "/both.xml" => Some(sitemap(false, all(base))),
        _ => None,
    });
    for host in ["paper.example", "other.example"] {
        sites.rule(host, |path, _| Some(Page::html(format!("<p>{path}"))));
    }
    sites.page("victim.example", "/", "<p>Leave me alone");
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let homes = ["paper.example", "other.example"].map(|host| server.url(host, "/"));
    let (summary, told) = crawled(folder.path(), Options { sitemaps: true, ..options(&server) }, pages(&homes));
    assert_eq!((summary.pages, summary.left), (12, 0), "{summary:?} {:?}", told.failed);
    assert!(server.log().iter().all(|seen| seen.host != "victim.example"));
    // Each site leaves out those of the two others, and one of them a sitemap. Each URL counts once.
    assert_eq!(summary.of_other_sites, 15 + 1, "{summary:?}");
    assert_eq!(server.count("maps.example", "/both.xml"), 2, "each of the two looks for its own pages");
}

#[test]
fn a_site_has_no_others_crawled_by_its_robots() {
    let mut sites = Sites::new();
    let named: String =
        (0..300).map(|number| format!("Sitemap: http://victim.example:{{port}}/s/{number}\n")).collect();
    sites.robots("bad.example", &named).page("bad.example", "/", "<p>Home");
    sites.rule("victim.example", |path, base| match path.strip_prefix("/s/") {
        Some(number) => Some(sitemap(false, [base.url("victim.example", &format!("/secret/{number}"))])),
        None => path.starts_with("/p/").then(|| Page::html(format!("<p>{path}"))),
    });
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let mut urls: Vec<String> = (0..20).map(|page| server.url("victim.example", &format!("/p/{page}"))).collect();
    urls.push(server.url("bad.example", "/"));
    let options = Options { sitemaps: true, delay: Duration::from_millis(2), ..options(&server) };
    let (summary, told) = crawled(folder.path(), options, pages(&urls));
    assert_eq!((summary.pages, summary.left), (21, 0), "{summary:?} {:?}", told.failed);
    let log = server.log();
    let of_victim: Vec<&str> =
        log.iter().filter(|seen| seen.host == "victim.example").map(|seen| &seen.path[..3]).collect();
    assert_eq!(of_victim.iter().filter(|path| **path == "/s/").count(), 100, "as many as a site may have elsewhere");
    assert!(!of_victim.contains(&"/se"), "its pages are not asked for");
    let last_page = of_victim.iter().rposition(|path| *path == "/p/").unwrap();
    let first_sitemap = of_victim.iter().position(|path| *path == "/s/").unwrap();
    assert!(last_page < first_sitemap, "they do not delay its own pages: {of_victim:?}");
    assert_eq!((summary.over_limit, summary.of_other_sites), (200, 100), "{summary:?}");
}

#[test]
fn another_spelling_of_an_address_is_no_loop() {
    let mut sites = Sites::new();
    sites.page("a.example", "/a", "<p>A").page("a.example", "/b", "<p>B").page("a.example", "/c", "<p>C");
    sites.robots("a.example", "User-agent: *\nDisallow: /*utm_medium\n");
    let redirect = |to: &str| Behaviour::Redirect(302, to.to_owned());
    sites.behave("a.example", "/a", redirect("/a?utm_source=x"));
    sites.behave("a.example", "/a?utm_source=x", redirect("/a;jsessionid=1"));
    sites.page("a.example", "/a;jsessionid=1", "<p>A at last");
    // Forth and back without an end, and one that robots.txt forbids.
    sites.behave("a.example", "/b", redirect("/b?utm_source=x"));
    sites.behave("a.example", "/b?utm_source=x", redirect("/b"));
    sites.behave("a.example", "/c", redirect("/c?utm_medium=x"));
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let urls = ["/a", "/b", "/c"].map(|path| server.url("a.example", path));
    let (summary, told) = crawled(folder.path(), options(&server), pages(&urls));
    let failed = told.failed.into_inner().unwrap();
    assert_eq!(failed, [(urls[1].clone(), "it is redirected too often".to_owned())], "{summary:?}");
    assert_eq!((summary.pages, summary.forbidden, summary.left), (1, 1, 0));
    assert_eq!(server.log().iter().filter(|seen| seen.path.starts_with("/b")).count(), 6);
    let (recorded, _) = recorded_so_far(folder.path());
    let page =
        recorded.iter().find(|recorded| recorded.address.as_str() == urls[0] && recorded.response.head.status() == 200);
    assert!(page.unwrap().url.ends_with("/a;jsessionid=1"), "the record has the URL that was asked for");
}

#[test]
fn refreshes_are_followed_like_redirections() {
    let refresh = |to: &str| format!("<meta http-equiv=refresh content='0; url={to}'><p>{to}");
    let mut sites = Sites::new();
    sites.page("a.example", "/", &refresh("/home")).page("a.example", "/home", "<p>Home <a href=/c/0>C</a>");
    sites.page("a.example", "/own", &refresh("/own")).page("a.example", "/loop", &refresh("/loop2"));
    sites.page("a.example", "/loop2", &refresh("/loop"));
    for number in 0..9 {
        sites.page("a.example", &format!("/c/{number}"), &refresh(&format!("/c/{}", number + 1)));
    }
    sites.page("a.example", "/d", &refresh("http://b.example:{port}/")).page("b.example", "/", "<p>B");
    let server = Server::start(sites);
    let seeds = ["/", "/own", "/loop", "/c/0", "/d"].map(|path| server.url("a.example", path));
    let folder = tempfile::tempdir().unwrap();
    let (summary, told) = crawled(folder.path(), options(&server), pages(&seeds));
    assert_eq!(
        told.failed.into_inner().unwrap(),
        [(server.url("a.example", "/c/6"), "it is redirected too often".to_owned())]
    );
    // All that is given and where it leads; five of the chain.
    assert_eq!((summary.pages, summary.left), (2 + 1 + 2 + 6 + 2, 0), "{summary:?}");
    let (again, _) = crawled(folder.path(), options(&server), pages(&seeds));
    assert_eq!(
        (again.pages, again.unchanged),
        (summary.pages, summary.pages),
        "where they lead is visited in each run"
    );
}

#[test]
fn a_long_robots_txt_is_marked_as_cut_off() {
    let mut sites = Sites::new();
    let rules = "User-agent: *\nDisallow: /private/\n";
    // The last line that counts is not whole.
    let long = format!("{rules}#{}\nDisallow: /open/private/", "x".repeat(500 * 1024 - rules.len() - 17));
    sites.robots("long.example", &long).page("long.example", "/open/a", "<p>A");
    sites.robots("short.example", rules).page("short.example", "/a", "<p>A");
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let urls = [
        server.url("long.example", "/open/a"),
        server.url("long.example", "/private/"),
        server.url("short.example", "/a"),
    ];
    let (summary, _) = crawled(folder.path(), options(&server), pages(&urls));
    assert_eq!((summary.pages, summary.forbidden), (2, 1), "{summary:?}");
    let (recorded, _) = recorded_so_far(folder.path());
    let cut: Vec<&str> =
        recorded.iter().filter(|found| found.response.is_cut).map(|found| found.address.host()).collect();
    assert_eq!(cut, ["long.example"]);
}

#[test]
fn the_same_page_at_many_addresses_is_stored_once() {
    let mut sites = Sites::new();
    sites.rule("a.example", |path, _| {
        let is_other = path.ends_with("/other");
        let html = if is_other { format!("<p>{path}") } else { "<p>The same page. <a href=other>Other</a>".to_owned() };
        path.starts_with('/').then(|| Page::html(html)).filter(|_| path != "/robots.txt")
    });
    sites.file("a.example", "/text", Page::new("text/plain", "<p>The same page. <a href=other>Other</a>"));
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let urls: Vec<String> = (0..10).map(|number| server.url("a.example", &format!("/{number}/x"))).collect();
    let all = [&urls[..], &[server.url("a.example", "/text")]].concat();
    let options = Options { depth: 1, ..options(&server) };
    let (summary, _) = crawled(folder.path(), options.clone(), pages(&all));
    assert_eq!((summary.pages, summary.copies, summary.unchanged), (21, 9, 0), "{summary:?}");
    let (recorded, _) = recorded_so_far(folder.path());
    let same = recorded.iter().filter(|found| found.url.ends_with("/x"));
    let (whole, copies): (Vec<_>, Vec<_>) = same.partition(|found| found.elsewhere.is_none());
    assert_eq!((whole.len(), copies.len()), (1, 9));
    assert!(copies.iter().all(|found| found.response.body.is_empty()));
    // A text is another page, though it has the same bytes; and each of the pages has its own links.
    assert_eq!(stored(folder.path()).len(), 10 + 1 + 10);
    let (again, _) = crawled(folder.path(), options, pages(&all));
    assert_eq!((again.pages, again.unchanged, again.copies), (21, 21, 0), "{again:?}");
}

#[test]
fn only_what_is_wanted_is_asked_for() {
    let mut sites = Sites::new();
    let links = "<a href=/news/1>1</a><a href=/news/2>2</a><a href=/news/1/print>P</a><a href=/about>A</a>";
    sites.page("a.example", "/start", links).page("a.example", "/news/1", links).page(
        "a.example",
        "/news/1/print",
        links,
    );
    sites.behave("a.example", "/", Behaviour::Redirect(302, "/start".to_owned()));
    sites.behave("a.example", "/news/2", Behaviour::Redirect(302, "/about".to_owned()));
    sites.page("a.example", "/about", links).page("a.example", "/feed", "");
    sites.robots("a.example", "Sitemap: /map.xml\n");
    sites.rule("a.example", |path, base| {
        (path == "/map.xml").then(|| sitemap(false, ["/news/3", "/imprint"].map(|path| base.url("a.example", path))))
    });
    sites.page("a.example", "/news/3", "<p>3");
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let set = |pattern: &str| RegexSet::new([pattern]).unwrap();
    let wanted = Wanted { only: set("/news/"), skip: set("/print$") };
    let options = Options { depth: 3, sitemaps: true, wanted, ..options(&server) };
    let (summary, told) = crawled(folder.path(), options, pages(&[server.url("a.example", "/")]));
    let mut asked: Vec<String> = server.log().into_iter().map(|seen| seen.path).collect();
    asked.sort();
    // What is given is asked for, with where it is redirected to.
    assert_eq!(asked, ["/", "/map.xml", "/news/1", "/news/2", "/news/3", "/robots.txt", "/start"]);
    let mut left_out = told.left_out.into_inner().unwrap();
    left_out.sort();
    let unwanted =
        ["/about", "/imprint", "/news/1/print"].map(|path| (server.url("a.example", path), LeftOut::Unwanted));
    assert_eq!((left_out, summary.unwanted), (unwanted.to_vec(), 3), "each is told once");
}

#[test]
fn paths_that_repeat_themselves_are_counted() {
    let mut sites = Sites::new();
    let links = "<a href=/x/x/x>Trap</a><a href=/2011/11/11/11/a>A</a>";
    sites.page("a.example", "/", links).page("a.example", "/2011/11/11/11/a", links).page(
        "a.example",
        "/y/y/y",
        "<p>Y",
    );
    let server = Server::start(sites);
    let folder = tempfile::tempdir().unwrap();
    let seeds = ["/", "/y/y/y"].map(|path| server.url("a.example", path));
    let (summary, told) = crawled(folder.path(), Options { depth: 2, ..options(&server) }, pages(&seeds));
    assert_eq!((summary.pages, summary.trapped), (3, 1), "what is given is no trap: {summary:?}");
    assert_eq!(told.left_out.into_inner().unwrap(), [(server.url("a.example", "/x/x/x"), LeftOut::Trap)]);
}
