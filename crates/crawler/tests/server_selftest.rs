//! The test server, tested with plain connections.

mod server;

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use flate2::read::{GzDecoder, MultiGzDecoder};
use server::{Behaviour, PAPERS, Page, Sent, Server, Sites, articles};

const HOST: &str = "odd.example";
const STORY: &str =
    "<html><body><p>The ferry sailed at dawn and came back before the moon stood over Hale.</p></body></html>";

fn connect(to: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect_timeout(&to, Duration::from_secs(5)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a timeout");
    stream
}

fn ask(stream: &mut TcpStream, host: &str, path: &str, lines: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}:80\r\n{lines}\r\n");
    stream.write_all(request.as_bytes()).expect("the request is sent");
}

/// The whole answer, as bytes. The connection is closed afterwards.
fn raw(server: &Server, host: &str, path: &str, lines: &str) -> Vec<u8> {
    let mut stream = connect(server.socket(host));
    ask(&mut stream, host, path, &format!("Connection: close\r\n{lines}"));
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    answer
}

/// The head and the body of an answer.
fn split(answer: &[u8]) -> (String, Vec<u8>) {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("a head") + 4;
    (String::from_utf8_lossy(&answer[..end]).into_owned(), answer[end..].to_vec())
}

fn get(server: &Server, host: &str, path: &str, lines: &str) -> (String, Vec<u8>) {
    split(&raw(server, host, path, lines))
}

fn body(server: &Server, host: &str, path: &str) -> String {
    let (head, body) = get(server, host, path, "");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{host}{path}: {head}");
    String::from_utf8(body).expect("UTF-8")
}

fn value(head: &str, name: &str) -> String {
    let line = head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
    line.unwrap_or_else(|| panic!("no {name}: {head}")).to_owned()
}

/// A server with a host whose path `/x` misbehaves so.
fn odd(behaviour: Behaviour) -> Server {
    let mut sites = Sites::new();
    sites.page(HOST, "/x", STORY).page(HOST, "/", "<p>Home</p>").behave(HOST, "/x", behaviour);
    Server::start(sites)
}

fn answer_of(behaviour: Behaviour) -> Vec<u8> {
    raw(&odd(behaviour), HOST, "/x", "")
}

fn head_of(behaviour: Behaviour) -> String {
    split(&answer_of(behaviour)).0
}

/// Reads for a while from something that does not end. Then the client goes away, and the server must end soon.
fn endless(behaviour: Behaviour, least: usize) -> Vec<u8> {
    let server = odd(behaviour);
    let mut stream = connect(server.socket(HOST));
    ask(&mut stream, HOST, "/x", "");
    let mut answer = Vec::new();
    while answer.len() < least {
        let mut buffer = [0; 4096];
        let count = stream.read(&mut buffer).expect("more");
        assert!(count > 0, "it ended after {} bytes", answer.len());
        answer.extend_from_slice(&buffer[..count]);
    }
    drop(stream);
    let start = Instant::now();
    while server.log().iter().any(|seen| seen.until.is_none()) {
        assert!(start.elapsed() < Duration::from_secs(5), "the server goes on without a client");
        thread::sleep(Duration::from_millis(10));
    }
    drop(server);
    assert!(start.elapsed() < Duration::from_secs(5), "the server does not stop");
    answer
}

#[test]
fn a_page_and_what_is_not_there() {
    let mut sites = Sites::new();
    sites.page(HOST, "/a", "<p>{scheme}, {port}</p>").host("empty.example");
    let server = Server::start(sites);
    assert_eq!(server.url(HOST, "/a"), format!("http://odd.example:{}/a", server.port()));
    let (head, content) = get(&server, HOST, "/a", "");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert_eq!(value(&head, "Content-Type"), "text/html; charset=utf-8");
    assert_eq!(content, format!("<p>http, {}</p>", server.port()).as_bytes());
    assert_eq!(body(&server, HOST, "/a?b=c"), String::from_utf8_lossy(&content));
    for (host, path) in [(HOST, "/b"), ("empty.example", "/"), ("empty.example", "/robots.txt")] {
        assert!(get(&server, host, path, "").0.starts_with("HTTP/1.1 404 "), "{host}{path}");
    }
    // The right host at the wrong address.
    let mut stream = connect(server.socket("empty.example"));
    ask(&mut stream, HOST, "/a", "Connection: close\r\n");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 421 "), "{answer}");
}

#[test]
fn one_connection_has_many_requests() {
    let server = odd(Behaviour::Status(503));
    let mut stream = connect(server.socket(HOST));
    for path in ["/", "/x", "/none", "/"] {
        ask(&mut stream, HOST, path, "");
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).expect("a head");
            head.push(byte[0]);
        }
        let length = value(&String::from_utf8_lossy(&head), "Content-Length").parse::<usize>().expect("a number");
        stream.read_exact(&mut vec![0; length]).expect("a body");
    }
    assert_eq!(server.connections(), 1);
    assert_eq!(server.log().len(), 4);
    assert_eq!(server.count(HOST, "/"), 2);
}

#[test]
fn pages_that_are_known_are_not_sent_again() {
    let server = Server::start(Sites::many(1, 3));
    let host = "site-0000.example";
    let (head, _) = get(&server, host, "/p/1", "");
    let (tag, date) = (value(&head, "ETag"), value(&head, "Last-Modified"));
    let conditions = [
        format!("If-None-Match: {tag}\r\n"),
        format!("If-None-Match: \"x\", W/{tag}\r\n"),
        format!("If-Modified-Since: {date}\r\n"),
    ];
    for condition in &conditions {
        let (head, body) = get(&server, host, "/p/1", condition);
        assert!(head.starts_with("HTTP/1.1 304 ") && body.is_empty(), "{condition}{head}");
    }
    assert!(get(&server, host, "/p/2", &conditions[0]).0.starts_with("HTTP/1.1 200 "));
    server.change(host, "/p/1");
    for condition in &conditions {
        let (head, body) = get(&server, host, "/p/1", condition);
        assert!(head.starts_with("HTTP/1.1 200 "), "{condition}{head}");
        assert!(String::from_utf8_lossy(&body).contains("This page was changed"));
    }
    let (head, _) = get(&server, host, "/p/1", "");
    assert_ne!(value(&head, "ETag"), tag);
    assert_ne!(value(&head, "Last-Modified"), date);
}

#[test]
fn the_log_has_times() {
    let mut sites = Sites::new();
    for host in ["a.one.example", "b.one.example", "two.example", "three.example"] {
        sites.page(host, "/", STORY);
    }
    sites.share(&["two.example", "three.example"]).behave(
        "two.example",
        "/",
        Behaviour::Late(Duration::from_millis(200)),
    );
    let server = Server::start(sites);
    assert_eq!(server.address("two.example"), server.address("three.example"));
    assert_ne!(server.address("a.one.example"), server.address("b.one.example"));
    assert_eq!(server.closest("one.example"), None);
    body(&server, "a.one.example", "/");
    thread::sleep(Duration::from_millis(120));
    body(&server, "b.one.example", "/");
    thread::scope(|scope| {
        scope.spawn(|| body(&server, "two.example", "/"));
        thread::sleep(Duration::from_millis(60));
        body(&server, "three.example", "/");
    });
    let one = server.closest("b.one.example").expect("two requests");
    assert!(one >= Duration::from_millis(120), "{one:?}");
    assert_eq!(server.closest(&server.address("a.one.example").to_string()), None);
    assert_eq!(server.closest("two.example"), None);
    let address = server.address("two.example").to_string();
    let shared = server.closest(&address).expect("two requests");
    assert!(shared >= Duration::from_millis(30) && shared < Duration::from_millis(190), "{shared:?}");
    assert_eq!(server.closest_after_answer(&address), Some(Duration::ZERO));
    let (closest, place) = server.closest_of_all().expect("two requests");
    assert_eq!((closest, &*place), (shared, &*address));
    assert_eq!(server.most_at_once(&address), 2);
    assert_eq!(server.most_at_once("one.example"), 1);
    let log = server.log();
    assert_eq!(
        log.iter().map(|seen| &*seen.host).collect::<Vec<_>>(),
        ["a.one.example", "b.one.example", "two.example", "three.example"]
    );
    assert_eq!(log[0].header("host"), Some("a.one.example:80"));
    assert!(log.windows(2).all(|pair| pair[0].at <= pair[1].at));
    server.forget();
    assert!(server.log().is_empty());
}

#[test]
fn the_time_is_that_of_the_request_line() {
    let server = odd(Behaviour::Status(200));
    let mut stream = connect(server.socket(HOST));
    stream.write_all(b"GET / HTTP/1.1\r\nHost:").expect("a half request");
    thread::sleep(Duration::from_millis(300));
    stream.write_all(b" odd.example\r\nConnection: close\r\n\r\n").expect("the rest");
    stream.read_to_end(&mut Vec::new()).expect("an answer");
    let seen = &server.log()[0];
    assert!(seen.until.expect("an answer") - seen.at >= Duration::from_millis(250), "{seen:?}");
}

#[test]
fn all_addresses_are_loopback() {
    let mut sites = Sites::many(20, 1);
    sites.share(&["site-0003.example", "site-0004.example"]).share(&["site-0005.example", "site-0006.example"]);
    sites.at("site-0007.example", IpAddr::from([127, 1, 2, 3]));
    let server = Server::start(sites);
    let names = server.names();
    assert_eq!(names.len(), 20);
    assert!(names.iter().all(|(_, address)| address.is_loopback()));
    let mut addresses: Vec<IpAddr> = names.iter().map(|(_, address)| *address).collect();
    addresses.sort();
    addresses.dedup();
    assert_eq!(addresses.len(), 18);
    assert_eq!(server.address("site-0007.example"), IpAddr::from([127, 1, 2, 3]));
}

#[test]
#[should_panic(expected = "not a loopback address")]
fn other_addresses_are_refused() {
    Sites::new().at("far.example", IpAddr::from([10, 0, 0, 1]));
}

#[test]
fn two_hundred_hosts_and_many_connections() {
    let server = Server::start(Sites::many(200, 1000));
    let names = server.names();
    thread::scope(|scope| {
        let server = &server;
        for part in names.chunks(10) {
            scope.spawn(move || {
                for (host, _) in part {
                    assert!(body(server, host, "/").contains("href=\"/p/50\""));
                    assert!(body(server, host, "/p/999").contains("<h1>Page 999</h1>"));
                    assert!(get(server, host, "/p/1000", "").0.starts_with("HTTP/1.1 404 "));
                }
            });
        }
    });
    assert_eq!(server.log().len(), 600);
    assert_eq!(server.most_at_once("site-0007.example"), 1);
    let start = Instant::now();
    drop(server);
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// All pages of a host that can be reached by its links.
fn reachable(server: &Server, host: &str) -> usize {
    let (mut known, mut next) = (vec!["/".to_owned()], 0);
    while let Some(path) = known.get(next).cloned() {
        for part in body(server, host, &path).split("href=\"").skip(1) {
            let link = part.split('"').next().unwrap_or_default().to_owned();
            if !known.contains(&link) {
                known.push(link);
            }
        }
        next += 1;
        assert!(next < 10_000);
    }
    known.len()
}

#[test]
fn all_pages_can_be_reached() {
    let server = Server::start(Sites::many(1, 100));
    assert_eq!(reachable(&server, "site-0000.example"), 100);
    let server = Server::start(Sites::tree(1, 130, 4));
    assert_eq!(reachable(&server, "site-0000.example"), 130);
}

#[test]
fn pages_are_sent_in_several_ways() {
    for sent in [Sent::Plain, Sent::Gzip, Sent::Chunked, Sent::UntilClosed] {
        let mut sites = Sites::new();
        sites.page(HOST, "/", &STORY.repeat(50)).sent(HOST, sent);
        let server = Server::start(sites);
        let (head, content) = get(&server, HOST, "/", "Accept-Encoding: br, gzip\r\n");
        let content = match sent {
            Sent::Gzip => {
                let mut text = Vec::new();
                GzDecoder::new(&content[..]).read_to_end(&mut text).expect("gzip");
                text
            }
            Sent::Chunked => unchunk(&content),
            _ => content,
        };
        assert_eq!(content, STORY.repeat(50).as_bytes(), "{sent:?} {head}");
        assert_eq!(head.contains("Content-Length"), matches!(sent, Sent::Plain | Sent::Gzip), "{head}");
    }
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut content = Vec::new();
    loop {
        let end = bytes.windows(2).position(|window| window == b"\r\n").expect("a length");
        let length = usize::from_str_radix(&String::from_utf8_lossy(&bytes[..end]), 16).expect("a length");
        if length == 0 {
            return content;
        }
        content.extend_from_slice(&bytes[end + 2..end + 2 + length]);
        bytes = &bytes[end + 4 + length..];
    }
}

fn news_body(server: &Server, host: &str, path: &str) -> Vec<u8> {
    let (head, content) = get(server, host, path, "");
    assert!(head.starts_with("HTTP/1.1 200 "), "{host}{path}: {head}");
    if head.contains("chunked") { unchunk(&content) } else { content }
}

#[test]
fn newspapers_have_all_their_articles() {
    let server = Server::start(Sites::news(&PAPERS));
    for host in PAPERS {
        let home = String::from_utf8(news_body(&server, host, "/")).expect("UTF-8");
        let mut packed = Vec::new();
        let sitemap = news_body(&server, host, "/sitemap-news.xml.gz");
        MultiGzDecoder::new(&sitemap[..]).read_to_end(&mut packed).expect("gzip");
        let sitemap = String::from_utf8(packed).expect("UTF-8");
        let articles = articles(host);
        assert!(articles.len() > 10, "{host}");
        for article in &articles {
            assert!(home.contains(&format!("href=\"{}", article.path)), "{host}{}", article.path);
            assert!(sitemap.contains(&format!("<loc>{}</loc>", server.url(host, &article.path))));
        }
        let last = articles.last().expect("an article");
        let page = String::from_utf8(news_body(&server, host, &last.path)).expect("UTF-8");
        assert_eq!(page, last.html);
        assert!(page.contains(&last.gold[0]) && page.contains("<title>"), "{page}");
        let index = String::from_utf8(news_body(&server, host, "/sitemap.xml")).expect("UTF-8");
        assert!(index.contains(&server.url(host, "/sitemap-news.xml.gz")));
    }
    let feed = |host: &str, path: &str| String::from_utf8(news_body(&server, host, path)).expect("UTF-8");
    let rss = feed("harbor-ledger.example", "/feed.xml");
    assert!(rss.contains("<ttl>30</ttl>") && rss.matches("<content:encoded>").count() == 10, "{rss}");
    assert!(!feed("bergland-bote.example", "/feed.xml").contains("content:encoded>"));
    assert!(feed("tideline-wire.example", "/feed.xml").contains("http://www.w3.org/2005/Atom"));
    assert!(feed("orchard-courier.example", "/feed.json").contains("content_html"));
    assert!(feed("shiomi-shinpo.example", "/feed.xml").contains("<sy:updatePeriod>hourly"));
    let none = [("marsa-press.example", "/feed.xml"), ("orchard-courier.example", "/robots.txt"), (PAPERS[0], "/none")];
    for (host, path) in none {
        assert!(get(&server, host, path, "").0.starts_with("HTTP/1.1 404 "), "{host}{path}");
    }
    assert!(feed("marsa-press.example", "/robots.txt").ends_with("Disallow: /\n"));
    assert!(feed("tideline-wire.example", "/robots.txt").contains("Crawl-delay: 0.5\n"));
}

#[test]
fn files_that_are_changed_stay_readable() {
    let mut sites = Sites::news(&["harbor-ledger.example"]);
    sites.file("harbor-ledger.example", "/list.txt", Page::new("text/plain", "one\n"));
    let server = Server::start(sites);
    for path in ["/feed.xml", "/sitemap-news.xml.gz", "/robots.txt", "/list.txt"] {
        let before = news_body(&server, "harbor-ledger.example", path);
        server.change("harbor-ledger.example", path);
        let after = news_body(&server, "harbor-ledger.example", path);
        assert!(after.len() > before.len() && after.starts_with(&before), "{path}");
    }
    let mut unpacked = String::new();
    let sitemap = news_body(&server, "harbor-ledger.example", "/sitemap-news.xml.gz");
    MultiGzDecoder::new(&sitemap[..]).read_to_string(&mut unpacked).expect("gzip");
    assert!(unpacked.ends_with("</urlset>\n\n"));
}

#[test]
fn things_without_an_end() {
    assert!(endless(Behaviour::SlowHeaders, 30).starts_with(b"HTTP/1.1 200 OK\r\nX-Slow: xxx"));
    let headers = endless(Behaviour::EndlessHeaders, 1 << 20);
    assert!(!headers.windows(4).any(|window| window == b"\r\n\r\n"));
    endless(Behaviour::EndlessBody, 4 << 20);
    endless(Behaviour::ChunkedEndless, 4 << 20);
    endless(Behaviour::ChunkedTrailers, 100_000);
    endless(Behaviour::EndlessInterim, 100_000);
    endless(Behaviour::SlowBody, 80);
}

#[test]
fn what_has_no_end_stops_with_the_server() {
    for behaviour in [Behaviour::Hang, Behaviour::SlowBody, Behaviour::EndlessBody, Behaviour::SlowHeaders] {
        let server = odd(behaviour);
        let mut stream = connect(server.socket(HOST));
        ask(&mut stream, HOST, "/x", "");
        while server.log().is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        let start = Instant::now();
        drop(server);
        assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
        drop(stream);
    }
}

#[test]
fn wrong_lengths() {
    let (head, content) = split(&answer_of(Behaviour::LengthTooLong));
    assert_eq!(value(&head, "Content-Length"), (STORY.len() + 1000).to_string());
    assert_eq!(content, STORY.as_bytes());
    let (head, content) = split(&answer_of(Behaviour::LengthTooShort));
    assert_eq!((&*value(&head, "Content-Length"), &*content), ("10", STORY.as_bytes()));
    assert!(head_of(Behaviour::LengthNegative).contains("Content-Length: -5\r\n"));
    assert!(head_of(Behaviour::LengthNotANumber).contains("Content-Length: many\r\n"));
    assert_eq!(head_of(Behaviour::TwoLengths).matches("Content-Length").count(), 2);
    assert!(answer_of(Behaviour::ChunkedBroken).windows(4).any(|window| window == b"zz\r\n"));
    assert!(answer_of(Behaviour::ChunkedCutOff).ends_with(b"</p>"));
    assert!(answer_of(Behaviour::HeadersCutOff).ends_with(b"text/ht"));
    assert!(head_of(Behaviour::HugeHeader).len() > 1 << 20);
}

#[test]
fn bombs() {
    for behaviour in [Behaviour::GzipBomb, Behaviour::GzipBombFile, Behaviour::GzipBombMembers] {
        let is_one = !matches!(behaviour, Behaviour::GzipBombMembers);
        let (_, packed) = split(&answer_of(behaviour));
        assert!(packed.len() < 3 << 19, "{}", packed.len());
        // To unpack all would take long. Some is enough.
        let mut some = Vec::new();
        let length = 5 << 20;
        let count = MultiGzDecoder::new(&packed[..]).take(length).read_to_end(&mut some).expect("gzip");
        assert_eq!(count as u64, length);
        assert!(some.iter().all(|&byte| byte == 0));
        if is_one {
            assert_eq!(packed[packed.len() - 4..], (1_u32 << 30).to_le_bytes());
        }
    }
}

/// Takes a minute without optimisation.
#[test]
#[ignore = "it unpacks a gigabyte"]
fn a_bomb_is_right_to_its_end() {
    let (_, packed) = split(&answer_of(Behaviour::GzipBomb));
    let size = std::io::copy(&mut GzDecoder::new(&packed[..]), &mut std::io::sink()).expect("gzip, with its checksum");
    assert_eq!(size, 1 << 30);
}

#[test]
fn broken_gzip() {
    let unpack = |behaviour: Behaviour| {
        let (head, packed) = split(&answer_of(behaviour));
        assert!(head.contains("Content-Encoding: gzip"), "{head}");
        let mut text = String::new();
        GzDecoder::new(&packed[..]).read_to_string(&mut text).map(|_| text)
    };
    assert!(unpack(Behaviour::GzipBroken).is_err());
    assert!(unpack(Behaviour::GzipWrongSum).is_err());
    assert!(unpack(Behaviour::GzipLie).is_err());
    assert!(unpack(Behaviour::GzipTwice).is_err()); // no UTF-8 yet
}

#[test]
fn answers_that_are_none() {
    assert_eq!(answer_of(Behaviour::Http09), STORY.as_bytes());
    assert!(!answer_of(Behaviour::StatusLineGarbage).starts_with(b"HTTP"));
    let nul = answer_of(Behaviour::NulBytes);
    assert!(nul.windows(3).any(|window| window == b"a\0b") && nul.ends_with(b"\0"));
    assert!(answer_of(Behaviour::CloseAfterRequest).is_empty());
    let (head, content) = split(&answer_of(Behaviour::CharsetLie));
    assert!(head.contains("charset=utf-8") && String::from_utf8(content).is_err());
    assert!(split(&answer_of(Behaviour::EmptyReply)).1.is_empty());
    assert!(answer_of(Behaviour::Interim).starts_with(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102"));
}

#[test]
fn resets_and_closed_connections() {
    let read = |server: &Server| {
        let mut stream = connect(server.socket(HOST));
        let _ = stream.write_all(format!("GET /x HTTP/1.1\r\nHost: {HOST}\r\n\r\n").as_bytes());
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map(|_| answer)
    };
    let reset = |server: &Server| read(server).expect_err("no answer").kind();
    assert_eq!(reset(&odd(Behaviour::Reset)), ErrorKind::ConnectionReset);
    assert_eq!(reset(&odd(Behaviour::ResetInBody)), ErrorKind::ConnectionReset);
    let server = odd(Behaviour::ResetTimes(2));
    assert_eq!(reset(&server), ErrorKind::ConnectionReset);
    assert_eq!(reset(&server), ErrorKind::ConnectionReset);
    assert_eq!(server.count(HOST, "/x"), 2);
    assert!(body(&server, HOST, "/x").contains("ferry"));
    // All of the address, before the request.
    server.behave(HOST, "*", Behaviour::CloseAtOnce);
    match read(&server) {
        Ok(answer) => assert!(answer.is_empty()),
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset), // the request came after the end
    }
    assert_eq!(server.count(HOST, "/x"), 3);
}

#[test]
fn a_server_that_hangs() {
    let server = odd(Behaviour::Hang);
    for path in ["/x", "*"] {
        server.behave(HOST, path, Behaviour::Hang);
        let mut stream = connect(server.socket(HOST));
        stream.set_read_timeout(Some(Duration::from_millis(300))).expect("a timeout");
        ask(&mut stream, HOST, "/x", "");
        assert!(stream.read(&mut [0]).is_err(), "{path}");
    }
    assert_eq!(server.log().len(), 1);
}

#[test]
fn redirections() {
    let to = |behaviour: Behaviour| value(&head_of(behaviour), "Location");
    assert_eq!(to(Behaviour::Redirect(308, "/y".to_owned())), "/y");
    assert_eq!(to(Behaviour::RedirectLoop), "/x");
    assert_eq!(to(Behaviour::RedirectToPrivate(1)), "http://169.254.169.254/");
    assert_eq!(to(Behaviour::RedirectToOtherScheme(0)), "file:///etc/passwd");
    assert_eq!(to(Behaviour::RedirectToLongUrl).len(), 1 + (10 << 20));
    assert!(!head_of(Behaviour::RedirectWithoutLocation).contains("Location"));
    let server = odd(Behaviour::Redirect(301, "{scheme}://other.example:{port}/".to_owned()));
    let head = get(&server, HOST, "/x", "").0;
    assert!(head.starts_with("HTTP/1.1 301 Moved"), "{head}");
    assert_eq!(value(&head, "Location"), format!("http://other.example:{}/", server.port()));
    let server = odd(Behaviour::RedirectChain(3));
    let mut path = "/x".to_owned();
    for step in 1..=3 {
        path = value(&get(&server, HOST, &path, "").0, "Location");
        assert_eq!(path, format!("/x?step={step}"));
    }
    assert_eq!(body(&server, HOST, &path), STORY);
}

#[test]
fn servers_that_are_busy() {
    let server = odd(Behaviour::RetryAfter { seconds: 2, times: 2 });
    for _ in 0..2 {
        let (head, _) = get(&server, HOST, "/x", "");
        assert!(head.starts_with("HTTP/1.1 429 ") && head.contains("Retry-After: 2\r\n"), "{head}");
    }
    assert_eq!(body(&server, HOST, "/x"), STORY);
    let server = odd(Behaviour::Unavailable(1));
    assert!(get(&server, HOST, "/x", "").0.starts_with("HTTP/1.1 503 "));
    assert_eq!(body(&server, HOST, "/x"), STORY);
    assert!(value(&head_of(Behaviour::RetryAfterDate { seconds: 5, times: 1 }), "Retry-After").ends_with(" GMT"));
    assert!(head_of(Behaviour::Status(410)).starts_with("HTTP/1.1 410 Gone\r\n"));
}

#[test]
fn cookies_are_noticed() {
    let server = odd(Behaviour::SetCookies);
    assert_eq!(get(&server, HOST, "/x", "").0.matches("Set-Cookie: ").count(), 3);
    assert_eq!(server.cookies(), 0);
    assert!(get(&server, HOST, "/x", "Cookie: id=1234\r\n").0.starts_with("HTTP/1.1 400 "));
    assert_eq!(server.cookies(), 1);
}

#[test]
fn traps_go_on() {
    let mut sites = Sites::new();
    sites.behave(HOST, "/calendar/*", Behaviour::Trap).behave(HOST, "/shop/*", Behaviour::SessionIds);
    sites.behave(HOST, "/deep/*", Behaviour::DeepTrap).behave(HOST, "/find*", Behaviour::QueryTrap);
    let server = Server::start(sites);
    assert!(body(&server, HOST, "/calendar/2024-12").contains("href=\"/calendar/2025-01\""));
    assert!(body(&server, HOST, "/calendar/").contains("href=\"/calendar/2023-12\""));
    let shop = body(&server, HOST, "/shop/");
    assert!(shop.contains("item-1?PHPSESSID=") && shop != body(&server, HOST, "/shop/"), "{shop}");
    assert!(body(&server, HOST, "/deep/a/b/").contains("href=\"/deep/a/b/a/b/\""));
    assert!(body(&server, HOST, "/find?page=1").contains("href=\"/find?page=1&amp;page=2\""));
}

#[test]
fn large_and_odd_pages() {
    assert!(answer_of(Behaviour::TenMegabytePage).len() > 10_000_000);
    assert!(answer_of(Behaviour::DeepHtml).len() > 1_000_000);
    assert_eq!(split(&answer_of(Behaviour::BinaryAsHtml)).1.len(), 100_000);
    assert_eq!(String::from_utf8_lossy(&answer_of(Behaviour::ManyLinks(1000))).matches("href=").count(), 1000);
    assert!(String::from_utf8_lossy(&answer_of(Behaviour::HostFlood(3))).contains("http://host-2.flood.example:"));
}
