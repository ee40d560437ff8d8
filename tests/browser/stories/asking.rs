//! Requests to the review that no honest browser sends, and who may ask for what.

use std::io::{Read, Write};
use std::net::TcpStream;

use url::Url;

use super::*;

/// A client that can reach the port.
struct Asker {
    port: u16,
    key: String,
}

/// The answer.
struct Answer {
    status: u16,
    /// In lower case.
    head: String,
    body: String,
}

impl Asker {
    fn of(review: &Review) -> Asker {
        let url = Url::parse(&review.url).expect("an address");
        Asker { port: url.port().expect("a port"), key: url.path().trim_matches('/').to_owned() }
    }

    /// Sends a request line and headers as they are; only a `Host` of ours is added if there is none.
    fn send(&self, line: &str, headers: &[&str], body: &str) -> Answer {
        let ours = format!("Host: 127.0.0.1:{}", self.port);
        let host = (!headers.iter().any(|header| header.starts_with("Host:"))).then_some(ours.as_str());
        let head = [line].into_iter().chain(host).chain(headers.iter().copied()).collect::<Vec<_>>().join("\r\n");
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        let request = format!("{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).expect("a request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        Answer::parse(&String::from_utf8_lossy(&answer))
    }

    fn get(&self, path: &str, headers: &[&str]) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1"), headers, "")
    }

    fn post(&self, path: &str, headers: &[&str], body: &str) -> Answer {
        self.send(&format!("POST /{}/{path} HTTP/1.1", self.key), headers, body)
    }
}

impl Answer {
    fn parse(answer: &str) -> Answer {
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// Checks that it is one of these refusals, says nothing about any file, and has the security headers.
    #[track_caller]
    fn expect_refusal(&self, statuses: &[u16], what: &str) {
        assert!(statuses.contains(&self.status), "{what}: {} {}", self.status, self.body);
        for secret in ["dehusk: 1", "root:", "Tideline", "[package]", "patterns:"] {
            assert!(!self.body.contains(secret), "{what}: {}", self.body);
        }
        self.expect_protection(what);
    }

    #[track_caller]
    fn expect_protection(&self, what: &str) {
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "referrer-policy: no-referrer",
            "cache-control: no-store",
            "cross-origin-opener-policy: same-origin",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(self.head.contains(header), "{what} without {header}: {}", self.head);
        }
        assert!(!self.head.contains("access-control-allow"), "{what}: {}", self.head);
    }
}

/// Who is not our own page.
const OTHERS: [&[&str]; 9] = [
    &["Origin: http://evil.example"],
    &["Origin: https://127.0.0.1"],
    &["Origin: null"],
    &["Origin: http://127.0.0.1:1"],
    &["Sec-Fetch-Site: cross-site"],
    &["Sec-Fetch-Site: same-site"],
    &["Host: evil.example"],
    &["Host: evil.example:80"],
    &["Host: 127.0.0.1.evil.example"],
];

const JSON: &str = "Content-Type: application/json";

#[test]
fn only_who_has_the_key_and_is_our_own_page_may_ask() {
    let review = Review::of_sample_corpus();
    let asker = Asker::of(&review);
    let before = review.file(SOURCE);
    let ours = format!("/{}/", asker.key);
    let welcome = asker.get(&ours, &[]);
    assert_eq!(welcome.status, 200);
    welcome.expect_protection("the overview");
    assert_eq!(asker.get(&ours, &["Sec-Fetch-Site: none"]).status, 200);

    let upper = ours.to_uppercase();
    let longer = format!("/{}0/", asker.key);
    let encoded = format!("/%{:02x}{}/", asker.key.as_bytes()[0], &asker.key[1..]);
    for path in ["/", "//", "/undo", "/style.css", "/s/tideline-wire.example/", "/x/../", &longer, &encoded] {
        asker.get(path, &[]).expect_refusal(&[403], path);
    }
    if upper != ours {
        asker.get(&upper, &[]).expect_refusal(&[403], &upper);
    }
    for other in OTHERS {
        asker.get(&ours, other).expect_refusal(&[403], other[0]);
        let mut headers = other.to_vec();
        headers.push(JSON);
        let keep = r#"{"text": "Tideline"}"#;
        asker.post(&format!("s/{SOURCE}/keep"), &headers, keep).expect_refusal(&[403], other[0]);
        asker.post("undo", &headers, "{}").expect_refusal(&[403], other[0]);
    }
    assert_eq!(review.file(SOURCE), before);
}

#[test]
fn no_path_leads_out_of_the_review() {
    let review = Review::of_sample_corpus();
    let asker = Asker::of(&review);
    let ups = ["../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd"];
    let twice = ["..%252f..%252fetc%252fpasswd", "..%5c..%5cetc%5cpasswd", "%2fetc%2fpasswd", "..%00", "%ff", "%"];
    let tideline = format!("s/{SOURCE}");
    for up in ups.into_iter().chain(twice) {
        for path in [
            up.to_owned(),
            format!("s/{up}"),
            format!("s/{up}/"),
            format!("s/{up}/about"),
            format!("{tideline}/{up}"),
            format!("{tideline}/d/{up}"),
            format!("{tideline}/d/{up}/text"),
            format!("{tideline}/p/{up}/"),
            format!("{tideline}/p/{up}/matches"),
        ] {
            asker.get(&format!("/{}/{path}", asker.key), &[]).expect_refusal(&[400, 404], &path);
        }
    }
    for number in ["-1", "99999999999999999999999", "0.5", "x", "27"] {
        let path = format!("/{}/{tideline}/d/{number}", asker.key);
        asker.get(&path, &[]).expect_refusal(&[400, 404], &path);
    }
}

#[test]
fn what_is_not_json_decides_nothing() {
    let review = Review::of_sample_corpus();
    let asker = Asker::of(&review);
    let id = &review.patterns(SOURCE).patterns[0].id;
    let pattern = format!("s/{SOURCE}/p/{id}/");
    let keep = format!("s/{SOURCE}/keep");
    assert_eq!(asker.post(&keep, &[JSON], r#"{"text": "By the light"}"#).status, 200);
    let before = review.file(SOURCE);
    assert!(before.contains("By the light"));

    let forms = ["Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded", "X-Nothing: "];
    for form in forms {
        for (path, body) in
            [(&*keep, r#"{"text": "Tide"}"#), ("undo", "{}"), (&pattern, r#"{"seen": "", "note": "x"}"#)]
        {
            asker.post(path, &[form], body).expect_refusal(&[415], path);
        }
    }
    for body in ["", "{", "[]", "null", r#"{"seen": 1}"#, r#"{"seen": "", "status": "perhaps"}"#] {
        asker.post(&pattern, &[JSON], body).expect_refusal(&[400, 422], body);
    }
    for body in ["", "{", "null", r#"{"text": 5}"#] {
        asker.post(&keep, &[JSON], body).expect_refusal(&[400, 422], body);
    }
    asker.post("undo", &[JSON], "{").expect_refusal(&[400], "undo");
    asker.post(&pattern, &[JSON], r#"{"seen": "0", "status": "accepted"}"#).expect_refusal(&[409], "seen");
    let many = r#"{"status": "accepted", "group": "listed", "seen": "0", "query": {}}"#;
    asker.post(&format!("s/{SOURCE}/all"), &[JSON], many).expect_refusal(&[409], many);
    assert_eq!(review.file(SOURCE), before);
    for method in ["PUT", "DELETE", "OPTIONS", "PATCH"] {
        let line = format!("{method} /{}/{pattern} HTTP/1.1", asker.key);
        asker.send(&line, &[JSON], "{}").expect_refusal(&[405], method);
    }
}
