//! WARC 1.1 records (ISO 28500:2017).

use chrono::{DateTime, SecondsFormat, Utc};
use data_encoding::BASE32;
use sha1::{Digest, Sha1};
use uuid::Uuid;

use crate::address::Address;
use crate::fetch::Response;

/// The SHA-1 of a body without transfer coding.
pub type PayloadDigest = [u8; 20];

/// The digest of a body.
pub fn digest(body: &[u8]) -> PayloadDigest {
    Sha1::digest(body).into()
}

/// An earlier answer that has the same body.
#[derive(Clone, Copy, Debug)]
pub struct Earlier<'a> {
    /// The id of its record.
    pub id: &'a str,
    /// Its URL.
    pub url: &'a str,
    /// The time of the answer.
    pub at: DateTime<Utc>,
    /// The digest of its body.
    pub digest: &'a PayloadDigest,
}

/// The records of a request and its answer.
#[derive(Clone, Debug)]
pub struct Records {
    /// The id of the record of the answer.
    pub id: String,
    /// The record of the request.
    pub request: Vec<u8>,
    /// The record of the answer.
    pub answer: Vec<u8>,
}

/// Makes the records of an answer from this URL. `payload` is the digest of its body. `identified` is the type of the
/// body according to its content, if it is not a page. If an `earlier` answer has the same body, the record says so and
/// has no body.
pub fn records(
    url: &str,
    response: &Response,
    payload: &PayloadDigest,
    identified: Option<&str>,
    earlier: Option<Earlier>,
) -> Records {
    let (id, request_id) = (new_id(), new_id());
    let ip = response.ip.to_string();
    let at = date(response.at);
    let common = |id: &str, kind: &str| {
        vec![
            ("WARC-Type", kind.to_owned()),
            ("WARC-Record-ID", format!("<{id}>")),
            ("WARC-Date", at.clone()),
            ("WARC-Target-URI", url.to_owned()),
            ("WARC-IP-Address", ip.clone()),
        ]
    };

    let mut block = response.head.stored(response.body.len());
    let mut fields = common(&id, if earlier.is_some() { "revisit" } else { "response" });
    fields.push(("Content-Type", "application/http;msgtype=response".to_owned()));
    match earlier {
        Some(earlier) => {
            let profile = match response.head.status() {
                304 => "server-not-modified",
                _ => "identical-payload-digest",
            };
            block = response.head.stored(0);
            fields.push(("WARC-Profile", format!("http://netpreserve.org/warc/1.1/revisit/{profile}")));
            fields.push(("WARC-Refers-To", format!("<{}>", earlier.id)));
            fields.push(("WARC-Refers-To-Target-URI", earlier.url.to_owned()));
            fields.push(("WARC-Refers-To-Date", date(earlier.at)));
            fields.push(("WARC-Payload-Digest", named(earlier.digest)));
        }
        None => {
            fields.push(("WARC-Payload-Digest", named(payload)));
            block.extend_from_slice(&response.body);
        }
    }

    fields.extend(response.is_cut.then(|| ("WARC-Truncated", "length".to_owned())));
    fields.extend(identified.map(|kind| ("WARC-Identified-Payload-Type", kind.to_owned())));
    let mut of_request = common(&request_id, "request");
    of_request.push(("WARC-Concurrent-To", format!("<{id}>")));
    of_request.push(("Content-Type", "application/http;msgtype=request".to_owned()));
    let request = record(&of_request, &response.request);
    Records { answer: record(&fields, &block), id, request }
}

/// The record that every file begins with.
pub fn about_file(name: &str, user_agent: &str) -> Vec<u8> {
    let fields = [
        ("WARC-Type", "warcinfo".to_owned()),
        ("WARC-Record-ID", format!("<{}>", new_id())),
        ("WARC-Date", date(Utc::now())),
        ("WARC-Filename", name.to_owned()),
        ("Content-Type", "application/warc-fields".to_owned()),
    ];
    let lines = format!(
        "software: dehusk-crawler/{}\r\nformat: WARC file version 1.1\r\nhttp-header-user-agent: {user_agent}\r\nrobots: obey\r\n",
        env!("CARGO_PKG_VERSION")
    );
    record(&fields, lines.as_bytes())
}

fn new_id() -> String {
    format!("urn:uuid:{}", Uuid::new_v4())
}

fn date(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

fn named(digest: &PayloadDigest) -> String {
    format!("sha1:{}", BASE32.encode(digest))
}

fn record(fields: &[(&str, String)], block: &[u8]) -> Vec<u8> {
    let mut record = b"WARC/1.1\r\n".to_vec();
    for (name, value) in fields {
        record.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    let block_digest = named(&digest(block));
    record.extend_from_slice(
        format!("WARC-Block-Digest: {block_digest}\r\nContent-Length: {}\r\n\r\n", block.len()).as_bytes(),
    );
    record.extend_from_slice(block);
    record.extend_from_slice(b"\r\n\r\n");
    record
}

/// An answer that was read from its record.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The URL that was asked for.
    pub url: String,
    /// The address of this URL.
    pub address: Address,
    /// The id of the record.
    pub id: String,
    /// The answer.
    pub response: Response,
    /// The digest of the body, if another record has the body.
    pub elsewhere: Option<PayloadDigest>,
}

/// Reads the answer in a record that [`records`] made. `None` if it is another kind of record.
pub fn answer_in(record: &[u8]) -> Option<Recorded> {
    let end = record.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let header = str::from_utf8(&record[..end]).ok()?;
    let value = |name: &str| {
        let mut fields = header.lines().filter_map(|line| line.split_once(": "));
        fields.find(|(found, _)| *found == name).map(|(_, value)| value)
    };
    if !matches!(value("WARC-Type")?, "response" | "revisit") {
        return None;
    }

    let length: usize = value("Content-Length")?.parse().ok()?;
    let block = record.get(end..end.checked_add(length)?)?;
    let head = crate::http::Head::parse(block)?;
    let begin = block.windows(4).position(|end| end == b"\r\n\r\n")? + 4;
    let id = value("WARC-Record-ID")?.strip_prefix('<')?.strip_suffix('>')?.to_owned();
    let response = Response {
        at: DateTime::parse_from_rfc3339(value("WARC-Date")?).ok()?.to_utc(),
        ip: value("WARC-IP-Address")?.parse().ok()?,
        request: Vec::new(),
        body: block[begin..].to_vec(),
        head,
        is_cut: value("WARC-Truncated").is_some(),
    };

    let is_of_known = response.head.status() == 200 && value("WARC-Type") == Some("revisit");
    let digest =
        || BASE32.decode(value("WARC-Payload-Digest")?.strip_prefix("sha1:")?.as_bytes()).ok()?.try_into().ok();
    let elsewhere = if is_of_known { Some(digest()?) } else { None };
    let url = value("WARC-Target-URI")?.to_owned();
    Some(Recorded { address: Address::parse(&url).ok()?, url, id, response, elsewhere })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::http::Head;

    pub(crate) fn response(fields: &str, body: &[u8]) -> Response {
        Response {
            at: "2026-11-23T19:00:00.25Z".parse().unwrap(),
            ip: "127.0.0.1".parse().unwrap(),
            request: b"GET / HTTP/1.1\r\nHost: paper.example\r\n\r\n".to_vec(),
            head: Head::parse(format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes()).unwrap(),
            body: body.to_vec(),
            is_cut: false,
        }
    }

    fn text(record: &[u8]) -> String {
        String::from_utf8_lossy(record).into_owned()
    }

    #[test]
    fn an_answer_is_found_again_in_its_record() {
        let url = "http://paper.example/a?b=1&utm_source=x";
        let response = response("Content-Type: text/html\r\n", b"<p>Rain.\r\n\r\n</p>");
        let records = records(url, &response, &digest(&response.body), None, None);
        let Recorded { url: found, address, id, response: read, elsewhere } = answer_in(&records.answer).unwrap();
        assert_eq!((found.as_str(), address.as_str(), elsewhere), (url, "http://paper.example/a?b=1", None));
        assert_eq!((&id, &read.body, read.at), (&records.id, &response.body, response.at));
        assert_eq!(read.head.media_type(), "text/html");
        assert!(answer_in(&records.request).is_none());
        assert!(answer_in(&about_file("a", "b")).is_none());
    }

    #[test]
    fn records_say_what_they_are() {
        let response = Response { is_cut: true, ..response("", b"abc") };
        let records =
            records("http://paper.example/feed", &response, &digest(&response.body), Some("application/rss+xml"), None);
        let answer = text(&records.answer);
        for line in [
            "WARC/1.1",
            "WARC-Type: response",
            "WARC-Date: 2026-11-23T19:00:00.250Z",
            "WARC-Target-URI: http://paper.example/feed",
            "WARC-IP-Address: 127.0.0.1",
            "WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", // of "abc"
            "WARC-Identified-Payload-Type: application/rss+xml",
            "WARC-Truncated: length",
        ] {
            assert!(answer.contains(&format!("{line}\r\n")), "{line}\n{answer}");
        }
        assert!(answer.ends_with("\r\n\r\nabc\r\n\r\n"));
        assert!(text(&records.request).contains(&format!("WARC-Concurrent-To: <{}>\r\n", records.id)));
    }

    #[test]
    fn what_is_known_is_not_stored_again() {
        let response = response("Content-Length: 3\r\n", b"abc");
        let earlier =
            Earlier { id: "urn:uuid:1", url: "http://paper.example/b", at: response.at, digest: &digest(b"abc") };
        let answer = records("http://paper.example/", &response, &digest(b"abc"), None, Some(earlier)).answer;
        assert_eq!(answer_in(&answer).unwrap().elsewhere, Some(digest(b"abc")));
        let answer = text(&answer);
        for line in [
            "WARC-Type: revisit",
            "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            "WARC-Refers-To: <urn:uuid:1>",
            "WARC-Refers-To-Target-URI: http://paper.example/b",
            "WARC-Refers-To-Date: 2026-11-23T19:00:00.250Z",
            "WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
        ] {
            assert!(answer.contains(&format!("{line}\r\n")), "{line}\n{answer}");
        }
        assert!(!answer.contains("abc"));
    }
}
