//! Answers: good ones, and all the bad ones.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use flate2::write::GzEncoder;
use flate2::{Compression, Crc, FlushCompress};

use super::connection::{Connection, LONGEST, Request};
use super::sites::{Page, Sent, text};
use super::{Shared, date};

/// How a page misbehaves. What never ends does end after 20 seconds, after 64 MB, or when the client goes away.
///
/// Where nothing else is said, the body is that of the page at this path, or a short one. The connection is closed afterwards where
/// the answer does not say where it ends.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// The headers come at a byte per 100 ms, and do not end.
    SlowHeaders,
    /// Header lines without an end.
    EndlessHeaders,
    /// This number of header lines, then the page.
    ManyHeaders(usize),
    /// A header line of 1 MB, then the page.
    HugeHeader,
    /// The connection is closed in the middle of the headers.
    HeadersCutOff,
    /// Header lines without a colon, continued lines, and lines that end with LF, then the page.
    OddHeaders,
    /// Continued lines, and spaces before colons, then the page.
    FoldedHeaders,
    /// The body comes at a byte per 100 ms.
    SlowBody,
    /// A body without a length that does not end.
    EndlessBody,
    /// `Content-Length` is 1000 more than there is, then the connection is closed.
    LengthTooLong,
    /// `Content-Length` is ten bytes, and the body has more.
    LengthTooShort,
    /// `Content-Length: -5`.
    LengthNegative,
    /// `Content-Length: many`.
    LengthNotANumber,
    /// `Content-Length` is larger than any number of 64 bits.
    LengthHuge,
    /// `Content-Length: 9223372036854775807`, with a short body.
    LengthAlmostHuge,
    /// Two `Content-Length` that differ.
    TwoLengths,
    /// `Content-Length` and `Transfer-Encoding: chunked`; the body is chunked.
    LengthAndChunked,
    /// The length of the second chunk is no number.
    ChunkedBroken,
    /// Chunks without an end.
    ChunkedEndless,
    /// The connection is closed in the middle of a chunk.
    ChunkedCutOff,
    /// A chunk of ffffffffffffffff bytes.
    ChunkedHuge,
    /// Trailers without an end after the last chunk.
    ChunkedTrailers,
    /// 1 MB that unpacks to 1 GB: one gzip stream.
    GzipBomb,
    /// 1 MB that unpacks to 1 GB: a thousand gzip members.
    GzipBombMembers,
    /// The same as a file: `Content-Type: application/gzip`, no `Content-Encoding`.
    GzipBombFile,
    /// The gzip stream is cut off; `Content-Length` fits.
    GzipBroken,
    /// The gzip stream is whole, but its checksum is wrong.
    GzipWrongSum,
    /// Says that it is gzip, and is not.
    GzipLie,
    /// `Content-Encoding: br`, which nobody asked for.
    UnknownEncoding,
    /// `Content-Encoding: gzip, gzip`, and so it is.
    GzipTwice,
    /// The body at once, without a status line: HTTP 0.9.
    Http09,
    /// The status line is not one.
    StatusLineGarbage,
    /// `HTTP/1.1 999999 What`.
    StatusTooLarge,
    /// NUL bytes in a header and in the body.
    NulBytes,
    /// Says that it is UTF-8, and is windows-1251.
    CharsetLie,
    /// Says that it is UTF-16, and is UTF-8.
    CharsetLieUtf16,
    /// A character set that does not exist.
    CharsetUnknown,
    /// A redirection with this status to this URL. `{port}` and `{scheme}` are replaced.
    Redirect(u16, String),
    /// A redirection to itself.
    RedirectLoop,
    /// This number of redirections, one after another (`?step=1`), then the page.
    RedirectChain(usize),
    /// A redirection to an address of a private network; the number says to which of [`PRIVATE`].
    ///
    /// A client that follows it sends something to an address that may exist. Use it only if the client is known to refuse it.
    RedirectToPrivate(usize),
    /// A redirection to a URL that is not of HTTP; the number says to which of [`OTHER_SCHEMES`].
    RedirectToOtherScheme(usize),
    /// A redirection to nowhere.
    RedirectWithoutLocation,
    /// A redirection to a URL of 10 MB.
    RedirectToLongUrl,
    /// A redirection to bytes that are no URL, and no UTF-8.
    LocationGarbage,
    /// The connection is closed after the request line. For the path `*`: before anything is read, on all of the address.
    CloseAtOnce,
    /// The connection is closed after the request.
    CloseAfterRequest,
    /// The connection is reset after the request.
    Reset,
    /// The connection is reset in the middle of the body.
    ResetInBody,
    /// The connection is reset at the first requests, so many, then fine.
    ResetTimes(usize),
    /// No answer for 30 seconds. For the path `*`: not even the request is read, on all of the address.
    Hang,
    /// The page comes after this time.
    Late(Duration),
    /// The page comes as soon as a host was asked for a path: this host, this path.
    After(&'static str, &'static str),
    /// A status, with a short page.
    Status(u16),
    /// 429 with `Retry-After` in seconds, at the first requests, so many (`times`), then fine.
    RetryAfter {
        /// After how many seconds.
        seconds: u64,
        /// How often.
        times: usize,
    },
    /// 503 with `Retry-After` as a date, at the first requests, then fine.
    RetryAfterDate {
        /// After how many seconds.
        seconds: i64,
        /// How often.
        times: usize,
    },
    /// 503 with this as `Retry-After`, at the first requests, so many, then fine.
    RetryAfterText(String, usize),
    /// 503 at the first requests, so many, then fine.
    Unavailable(usize),
    /// Sets cookies with the page. A request that has a cookie gets 400, and [`Server::cookies`](super::Server::cookies) counts it.
    SetCookies,
    /// `100 Continue`, `102 Processing` and `103 Early Hints` before the page.
    Interim,
    /// `100 Continue` without an end.
    EndlessInterim,
    /// 200 with no body.
    EmptyReply,
    /// 204, and a body all the same.
    NoContentWithBody,
    /// 304 to whoever asks, without a condition.
    AlwaysNotModified,
    /// A calendar: each page links to the next and the last month, without an end. For a prefix such as `/calendar/*`.
    Trap,
    /// Twenty pages, and each link has a new session id. For a prefix such as `/shop/*`.
    SessionIds,
    /// Each page links to folders below it: `/x/a/b/a/b/`. For a prefix such as `/x/*`.
    DeepTrap,
    /// Links whose queries grow: `?a=1&a=2&a=3`. For a prefix such as `/find*`.
    QueryTrap,
    /// Every path is there, with the same text. For a prefix such as `*`.
    SoftNotFound,
    /// Random bytes that say that they are HTML.
    BinaryAsHtml,
    /// An image with the right type.
    Image,
    /// A page of 10 MB.
    TenMegabytePage,
    /// A page of 100 000 elements, one in another.
    DeepHtml,
    /// A page with so many links to other pages of its host.
    ManyLinks(usize),
    /// A page with so many links to hosts that do not exist, `host-0.flood.example` and so on.
    HostFlood(usize),
    /// XML whose entities unpack to 10 GB.
    XmlBomb,
}

/// Where [`Behaviour::RedirectToPrivate`] leads.
pub const PRIVATE: [&str; 12] = [
    "http://10.0.0.1/",
    "http://169.254.169.254/",
    "http://192.168.0.1/",
    "http://172.16.0.1/",
    "http://127.0.0.1:9/",
    "http://localhost:9/",
    "http://[::1]:9/",
    "http://[::ffff:10.0.0.1]/",
    "http://[fd00::1]/",
    "http://0.0.0.0:9/",
    "http://2130706433:9/",
    "http://0x7f.1:9/",
];

/// Where [`Behaviour::RedirectToOtherScheme`] leads.
pub const OTHER_SCHEMES: [&str; 6] = [
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "javascript:alert(1)",
    "data:text/html,hello",
    "gopher://127.0.0.1:9/_x",
    "mailto:desk@paper.example",
];

/// What comes after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The next request of the connection.
    Keep,
    /// The polite end of the connection.
    Close,
    /// The impolite end.
    Reset,
    /// The behaviour is over: the page as usual.
    Page,
}

/// A behaviour, and how often it was met.
pub(super) struct Acting {
    pub behaviour: Behaviour,
    used: AtomicUsize,
}

/// Packs bytes.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        410 => "Gone",
        421 => "Misdirected Request",
        429 => "Too Many Requests",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "",
    }
}

/// Whether the client leaves the connection open.
fn after(request: &Request) -> Next {
    let says = |word: &str| request.header("connection").is_some_and(|value| value.to_ascii_lowercase().contains(word));
    if says("close") || (request.version != "HTTP/1.1" && !says("keep-alive")) { Next::Close } else { Next::Keep }
}

fn connection_line(next: Next) -> &'static str {
    if next == Next::Keep { "" } else { "Connection: close\r\n" }
}

/// A short answer. `lines` are more header lines, each with its end.
pub(super) fn status(
    connection: &mut Connection,
    request: &Request,
    status: u16,
    lines: &str,
    body: &str,
) -> io::Result<Next> {
    let next = after(request);
    let has_body = status >= 200 && !matches!(status, 204 | 304);
    let length =
        if has_body { format!("Content-Type: text/html\r\nContent-Length: {}\r\n", body.len()) } else { String::new() };
    let head = format!(
        "HTTP/1.1 {status} {}\r\nDate: {}\r\n{lines}{length}{}\r\n",
        reason(status),
        date::http(date::now()),
        connection_line(next)
    );
    let body = if has_body && request.method != "HEAD" { body } else { "" };
    connection.send(head + body)?;
    Ok(next)
}

/// A page as it should be, or 304 if the client has it.
pub(super) fn page(connection: &mut Connection, request: &Request, page: &Page, sent: Sent) -> io::Result<Next> {
    let tag = page.tag();
    let marks = format!("ETag: {tag}\r\nLast-Modified: {}\r\n", date::http(page.modified));
    let is_known = match (request.header("if-none-match"), request.header("if-modified-since")) {
        (Some(tags), _) => {
            tags.split(',').any(|known| matches!(known.trim(), "*") || known.trim().trim_start_matches("W/") == tag)
        }
        (None, Some(since)) => date::parse_http(since).is_some_and(|since| page.modified <= since),
        (None, None) => false,
    };
    if is_known {
        return status(connection, request, 304, &marks, "");
    }
    let mut next = after(request);
    let takes_gzip = request.header("accept-encoding").is_some_and(|value| value.contains("gzip"));
    let mut head =
        format!("HTTP/1.1 200 OK\r\nDate: {}\r\nContent-Type: {}\r\n{marks}", date::http(date::now()), page.kind);
    let body = match sent {
        Sent::Gzip if takes_gzip => {
            let packed = gzip(&page.body);
            head += &format!("Content-Encoding: gzip\r\nVary: Accept-Encoding\r\nContent-Length: {}\r\n", packed.len());
            packed
        }
        Sent::Plain | Sent::Gzip => {
            head += &format!("Content-Length: {}\r\n", page.body.len());
            page.body.clone()
        }
        Sent::Chunked if request.version == "HTTP/1.1" => {
            head += "Transfer-Encoding: chunked\r\n";
            [chunks(&page.body), b"0\r\n\r\n".to_vec()].concat()
        }
        Sent::Chunked | Sent::UntilClosed => {
            next = Next::Close;
            page.body.clone()
        }
    };
    head += connection_line(next);
    head += "\r\n";
    connection.send(head)?;
    if request.method != "HEAD" {
        connection.send(body)?;
    }
    Ok(next)
}

/// Chunks of uneven length, without the last one. They cut characters in two.
fn chunks(body: &[u8]) -> Vec<u8> {
    let mut chunked = Vec::with_capacity(body.len() + 64);
    let mut rest = body;
    for length in [1_usize, 7, 64, 333, 1021].into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, later) = rest.split_at(length.min(rest.len()));
        chunked.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        chunked.extend_from_slice(chunk);
        chunked.extend(b"\r\n");
        rest = later;
    }
    chunked
}

/// Zeros, 1 GB of them, as one deflate stream in gzip.
fn bomb() -> Vec<u8> {
    const PART: usize = 1 << 20;
    let zeros = vec![0; PART];
    let mut compressor = flate2::Compress::new(Compression::best(), false);
    let mut part = Vec::with_capacity(64 << 10);
    // A full flush ends at a byte, and what comes next does not look back: so it can be repeated.
    compressor.compress_vec(&zeros, &mut part, FlushCompress::Full).expect("memory");
    let mut sum = Crc::new();
    sum.update(&zeros);
    for _ in 0..10 {
        let mut same = Crc::new();
        same.combine(&sum);
        sum.combine(&same);
    }
    let mut packed = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for _ in 0..1024 {
        packed.extend_from_slice(&part);
    }
    packed.extend([3, 0]); // an empty last block
    packed.extend(sum.sum().to_le_bytes());
    packed.extend(sum.amount().to_le_bytes());
    packed
}

/// The same as 1024 members.
fn bomb_members() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; 1 << 20]).expect("memory");
    encoder.finish().expect("memory").repeat(1024)
}

/// Bytes that look random, always the same ones.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    std::iter::repeat_with(byte).take(length).collect()
}

fn links(title: &str, targets: impl IntoIterator<Item = String>) -> String {
    let links: String =
        targets.into_iter().map(|target| format!("<li><a href=\"{target}\">{title}</a></li>\n")).collect();
    let story = text(title, 40);
    format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body><h1>{title}</h1>\n\
         <p>{story}</p>\n<ul>\n{links}</ul>\n</body></html>\n"
    )
}

/// The page of a calendar at `/any/thing/2024-05`, or of its first month.
fn calendar(path: &str) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", ""));
    let month = name.split_once('-').and_then(|(year, month)| {
        let (year, month) = (year.parse::<i64>().ok()?, month.parse::<i64>().ok()?);
        (1..=12).contains(&month).then_some(year * 12 + month - 1)
    });
    let month = month.unwrap_or(2024 * 12);
    let name = |month: i64| format!("{}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
    let title = format!("What happens in {}", name(month));
    links(&title, [month + 1, month - 1].map(|month| format!("{folder}/{}", name(month))))
}

/// Windows-1251, of text in ASCII and Russian.
fn windows_1251(text: &str) -> Vec<u8> {
    let byte = |character: char| match u32::from(character) {
        code @ 0..0x80 => code as u8,
        code @ 0x410..=0x44f => (code - 0x410 + 0xc0) as u8,
        0x451 => 0xb8, // ё
        _ => b'?',
    };
    text.chars().map(byte).collect()
}

const RUSSIAN: &str = "<!DOCTYPE html>\n<html lang=\"ru\"><head><title>Мост открыт</title></head>\n<body><p>Новый мост через реку \
                       открыли утром. Первым по нему прошёл почтальон с тяжёлой сумкой.</p></body></html>\n";

impl Acting {
    pub fn new(behaviour: Behaviour) -> Acting {
        Acting { behaviour, used: AtomicUsize::new(0) }
    }

    /// Whether this is one of the first requests, so many.
    fn is_early(&self, times: usize) -> bool {
        self.used.fetch_add(1, Ordering::Relaxed) < times
    }

    /// Answers a request.
    pub fn act(&self, shared: &Shared, connection: &mut Connection, request: &Request) -> io::Result<Next> {
        use Behaviour::*;
        // A connection with an unread byte is reset when it is closed.
        match &self.behaviour {
            Reset | CloseAtOnce => return Ok(Next::Reset),
            ResetTimes(times) => return Ok(if self.is_early(*times) { Next::Reset } else { Next::Page }),
            ResetInBody => {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n<p>The first words.</p>")?;
                // The client reads it before the reset takes it away.
                std::thread::sleep(Duration::from_millis(100));
                return Ok(Next::Reset);
            }
            _ => connection.take_rest()?,
        }
        let page = shared.page(&request.host(), &request.path);
        let page = page.unwrap_or_else(|| Page::html(links("A page that misbehaves", ["/".to_owned()])));
        let kind = format!("Content-Type: {}\r\n", page.kind);
        let body = page.body;
        let length = body.len();
        let ok = |lines: &str| format!("HTTP/1.1 200 OK\r\n{kind}{lines}\r\n");
        let all = |lines: &str, body: &[u8]| [ok(lines).as_bytes(), body].concat();
        let html = |body: String| (200, String::new(), body);
        let path = request.path.split('?').next().unwrap_or_default();
        let redirect = |to: &str| (302, format!("Location: {to}\r\n"), String::new());
        let (code, lines, text) = match &self.behaviour {
            SlowHeaders => {
                connection.send("HTTP/1.1 200 OK\r\nX-Slow: ")?;
                connection.drip(shared, std::iter::repeat(b'x'))?;
                return Ok(Next::Close);
            }
            EndlessHeaders => {
                connection.send("HTTP/1.1 200 OK\r\n")?;
                let line = |number| format!("X-Header-{number}: {}\r\n", "and so on ".repeat(20)).into_bytes();
                connection.send_endlessly(shared, line)?;
                return Ok(Next::Close);
            }
            ManyHeaders(count) => {
                let lines: String = (0..*count).map(|number| format!("X-Header-{number}: yes\r\n")).collect();
                connection.send(all(&format!("Content-Length: {length}\r\n{lines}"), &body))?;
                return Ok(Next::Close);
            }
            HugeHeader => {
                let lines = format!("Content-Length: {length}\r\nX-Huge: {}\r\n", "x".repeat(1 << 20));
                connection.send(all(&lines, &body))?;
                return Ok(Next::Close);
            }
            HeadersCutOff => {
                connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/ht")?;
                return Ok(Next::Close);
            }
            OddHeaders => {
                let lines = "X-Odd: one\r\n two\r\nNo colon here\r\n: no name\r\nX Space: y\r\nX-Line: z\n";
                connection.send(all(&format!("{lines}Content-Length: {length}\r\n"), &body))?;
                return Ok(Next::Close);
            }
            FoldedHeaders => {
                let lines = format!("X-Odd: one\r\n\ttwo\r\nContent-Length : {length}\r\n");
                let head = format!("HTTP/1.1 200 OK\r\nContent-Type : text/html;\r\n charset=utf-8\r\n{lines}\r\n");
                // The lines do not come together.
                for part in head.as_bytes().chunks(7).chain([&body[..]]) {
                    connection.send(part)?;
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Ok(Next::Close);
            }
            SlowBody => {
                connection.send(ok(&format!("Content-Length: {length}\r\n")))?;
                connection.drip(shared, body)?;
                return Ok(Next::Close);
            }
            EndlessBody => {
                connection.send(ok("Connection: close\r\n"))?;
                connection.send_endlessly(shared, |_| b"<p>And so on, and so on.</p>\n".repeat(500))?;
                return Ok(Next::Close);
            }
            LengthTooLong => {
                connection.send(all(&format!("Content-Length: {}\r\n", length + 1000), &body))?;
                return Ok(Next::Close);
            }
            LengthTooShort => {
                connection.send(all("Content-Length: 10\r\n", &body))?;
                return Ok(Next::Close);
            }
            LengthNegative => {
                connection.send(all("Content-Length: -5\r\n", &body))?;
                return Ok(Next::Close);
            }
            LengthNotANumber => {
                connection.send(all("Content-Length: many\r\n", &body))?;
                return Ok(Next::Close);
            }
            LengthHuge => {
                connection.send(all("Content-Length: 99999999999999999999999\r\n", &body))?;
                return Ok(Next::Close);
            }
            LengthAlmostHuge => {
                connection.send(all("Content-Length: 9223372036854775807\r\n", &body))?;
                return Ok(Next::Close);
            }
            TwoLengths => {
                let lines = format!("Content-Length: {length}\r\nContent-Length: 3\r\n");
                connection.send(all(&lines, &body))?;
                return Ok(Next::Close);
            }
            LengthAndChunked => {
                let chunked = [chunks(&body), b"0\r\n\r\n".to_vec()].concat();
                connection.send(all("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", &chunked))?;
                return Ok(Next::Close);
            }
            ChunkedBroken => {
                let chunked = b"10\r\n<p>Sixteen bytes\r\nzz\r\n</p>\r\n0\r\n\r\n";
                connection.send(all("Transfer-Encoding: chunked\r\n", chunked))?;
                return Ok(Next::Close);
            }
            ChunkedEndless => {
                connection.send(ok("Transfer-Encoding: chunked\r\n"))?;
                let chunk = [b"1000\r\n".to_vec(), vec![b'x'; 0x1000], b"\r\n".to_vec()].concat();
                connection.send_endlessly(shared, |_| chunk.clone())?;
                return Ok(Next::Close);
            }
            ChunkedCutOff => {
                connection.send(all("Transfer-Encoding: chunked\r\n", b"100\r\n<p>Less than that</p>"))?;
                return Ok(Next::Close);
            }
            ChunkedHuge => {
                connection
                    .send(all("Transfer-Encoding: chunked\r\n", b"ffffffffffffffff\r\n<p>Less</p>\r\n0\r\n\r\n"))?;
                return Ok(Next::Close);
            }
            ChunkedTrailers => {
                connection.send(all("Transfer-Encoding: chunked\r\n", &[chunks(&body), b"0\r\n".to_vec()].concat()))?;
                connection.send_endlessly(shared, |number| format!("X-Trailer-{number}: more\r\n").into_bytes())?;
                return Ok(Next::Close);
            }
            GzipBomb | GzipBombMembers | GzipBombFile => {
                let packed = if matches!(self.behaviour, GzipBombMembers) { bomb_members() } else { bomb() };
                let length = packed.len();
                let head = match self.behaviour {
                    GzipBombFile => {
                        format!("HTTP/1.1 200 OK\r\nContent-Type: application/gzip\r\nContent-Length: {length}\r\n\r\n")
                    }
                    _ => ok(&format!("Content-Encoding: gzip\r\nContent-Length: {length}\r\n")),
                };
                connection.send([head.into_bytes(), packed].concat())?;
                return Ok(Next::Close);
            }
            GzipBroken | GzipWrongSum | GzipLie | GzipTwice => {
                let mut packed = gzip(&body);
                match self.behaviour {
                    GzipBroken => packed.truncate(packed.len() / 2),
                    GzipWrongSum => {
                        let place = packed.len() - 6;
                        packed[place] ^= 0x55;
                    }
                    GzipTwice => packed = gzip(&packed),
                    _ => packed = body,
                }
                let twice = if matches!(self.behaviour, GzipTwice) { ", gzip" } else { "" };
                let lines = format!("Content-Encoding: gzip{twice}\r\nContent-Length: {}\r\n", packed.len());
                connection.send(all(&lines, &packed))?;
                return Ok(Next::Close);
            }
            UnknownEncoding => {
                let packed = noise(1000);
                connection.send(all("Content-Encoding: br\r\nContent-Length: 1000\r\n", &packed))?;
                return Ok(Next::Close);
            }
            Http09 => {
                connection.send(body)?;
                return Ok(Next::Close);
            }
            StatusLineGarbage => {
                connection.send(b"\x16\x03\x01 hello \xff\xfe\r\nContent-Type: text/html\r\n\r\n<p>What?</p>\n")?;
                return Ok(Next::Close);
            }
            StatusTooLarge => {
                connection.send("HTTP/1.1 999999 What\r\nContent-Length: 0\r\n\r\n")?;
                return Ok(Next::Close);
            }
            NulBytes => {
                let body = b"<title>Nul</title><p>The b\0ridge\0\0 is open.</p>\0";
                let lines = format!("X-Nul: a\0b\r\nContent-Length: {}\r\n", body.len());
                connection.send(all(&lines, body))?;
                return Ok(Next::Close);
            }
            CharsetLie | CharsetLieUtf16 | CharsetUnknown => {
                let (name, body) = match self.behaviour {
                    CharsetLie => ("utf-8", windows_1251(RUSSIAN)),
                    CharsetLieUtf16 => ("utf-16", body),
                    _ => ("x-klingon-\"8", body),
                };
                let length = body.len();
                let head = format!("Content-Type: text/html; charset={name}\r\nContent-Length: {length}\r\n\r\n");
                connection.send([b"HTTP/1.1 200 OK\r\n", head.as_bytes(), &body].concat())?;
                return Ok(Next::Close);
            }
            Redirect(code, to) => (*code, format!("Location: {}\r\n", shared.base.fill(to)), String::new()),
            RedirectLoop => redirect(&request.path),
            RedirectChain(count) => {
                let step = request.path.split_once("?step=").and_then(|(_, step)| step.parse::<usize>().ok());
                match step.unwrap_or(0) {
                    step if step < *count => redirect(&format!("{path}?step={}", step + 1)),
                    _ => return Ok(Next::Page),
                }
            }
            RedirectToPrivate(number) => redirect(PRIVATE[number % PRIVATE.len()]),
            RedirectToOtherScheme(number) => redirect(OTHER_SCHEMES[number % OTHER_SCHEMES.len()]),
            RedirectWithoutLocation => (302, String::new(), String::new()),
            RedirectToLongUrl => redirect(&format!("/{}", "long/".repeat(2 << 20))),
            LocationGarbage => {
                let head =
                    b"HTTP/1.1 302 Found\r\nLocation: http://[::1/ \xff\xfe %zz \x01\r\nContent-Length: 0\r\n\r\n";
                connection.send(head)?;
                return Ok(Next::Close);
            }
            CloseAfterRequest => return Ok(Next::Close),
            Hang => {
                connection.hang(shared);
                return Ok(Next::Close);
            }
            Late(time) => {
                let start = std::time::Instant::now();
                while start.elapsed() < *time && !shared.stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(10).min(*time));
                }
                return Ok(Next::Page);
            }
            After(host, path) => {
                let is_asked = || super::lock(&shared.log).iter().any(|seen| seen.host == *host && seen.path == *path);
                let start = std::time::Instant::now();
                while start.elapsed() < LONGEST && !is_asked() && !shared.stop.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(10));
                }
                return Ok(Next::Page);
            }
            Status(code) => (*code, String::new(), format!("<title>{code}</title>\n<p>Status {code}</p>\n")),
            RetryAfter { seconds, times } if self.is_early(*times) => {
                (429, format!("Retry-After: {seconds}\r\n"), "<p>Slower, please.</p>\n".to_owned())
            }
            RetryAfterDate { seconds, times } if self.is_early(*times) => {
                let when = date::http(date::now() + seconds);
                (503, format!("Retry-After: {when}\r\n"), "<p>Later, please.</p>\n".to_owned())
            }
            RetryAfterText(text, times) if self.is_early(*times) => {
                (503, format!("Retry-After: {text}\r\n"), "<p>Later, please.</p>\n".to_owned())
            }
            Unavailable(times) if self.is_early(*times) => (503, String::new(), "<p>Not now.</p>\n".to_owned()),
            RetryAfter { .. } | RetryAfterDate { .. } | RetryAfterText(..) | Unavailable(_) => return Ok(Next::Page),
            SetCookies if request.header("cookie").is_some() => (400, String::new(), "<p>A cookie!</p>\n".to_owned()),
            SetCookies => {
                let lines = "Set-Cookie: id=1234; Path=/; Max-Age=9999\r\nSet-Cookie: seen=yes; Domain=example\r\n\
                             Set-Cookie: =;;=\r\n";
                (200, lines.to_owned(), String::from_utf8_lossy(&body).into_owned())
            }
            Interim => {
                connection.send(
                    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\
                     Link: </style.css>; rel=preload\r\n\r\n",
                )?;
                return Ok(Next::Page);
            }
            EndlessInterim => {
                connection.send_endlessly(shared, |_| b"HTTP/1.1 100 Continue\r\n\r\n".to_vec())?;
                return Ok(Next::Close);
            }
            EmptyReply => html(String::new()),
            NoContentWithBody => {
                connection.send("HTTP/1.1 204 No Content\r\nContent-Length: 12\r\n\r\n<p>Body.</p>")?;
                return Ok(Next::Close);
            }
            AlwaysNotModified => (304, String::new(), String::new()),
            Trap => html(calendar(path)),
            SessionIds => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let target = |item: usize| {
                    let id = next(&shared.counter).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    match item % 3 {
                        0 => format!("{folder}/item-{item};jsessionid={id:016X}{id:016X}"),
                        1 => format!("{folder}/item-{item}?PHPSESSID={id:016x}{id:016x}"),
                        _ => format!("{folder}/item-{item}?colour=red&amp;sid={id:016x}{id:016x}"),
                    }
                };
                html(links("A shop", (1..=20).map(target)))
            }
            DeepTrap => {
                let slash = if path.ends_with('/') { "" } else { "/" };
                html(links("Folders", ["a/", "b/", "a/b/"].map(|folder| format!("{path}{slash}{folder}"))))
            }
            QueryTrap => {
                let mark = if request.path.contains('?') { "&amp;" } else { "?" };
                let old = request.path.replace('&', "&amp;");
                html(links("Find", [1, 2].map(|number| format!("{old}{mark}page={number}"))))
            }
            SoftNotFound => {
                let id = next(&shared.counter);
                html(links("This page does not exist", ["/".to_owned(), format!("/missing-{id}")]))
            }
            BinaryAsHtml => {
                connection.send(all("Content-Length: 100000\r\n", &noise(100_000)))?;
                return Ok(Next::Close);
            }
            Image => {
                let body = [b"\x89PNG\r\n\x1a\n".to_vec(), noise(3000)].concat();
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {}\r\n\r\n", body.len());
                connection.send([head.as_bytes(), &body].concat())?;
                return Ok(Next::Close);
            }
            TenMegabytePage => {
                html(format!("<title>Long</title>\n{}", "<p>A very long page of ten megabytes.</p>\n".repeat(250_000)))
            }
            DeepHtml => {
                html(format!("<title>Deep</title>{}The bottom.{}", "<div>".repeat(100_000), "</div>".repeat(100_000)))
            }
            ManyLinks(count) => html(links("Links", (0..*count).map(|number| format!("/many/{number}")))),
            HostFlood(count) => {
                let target = |number| shared.base.url(&format!("host-{number}.flood.example"), "/");
                html(links("Hosts", (0..*count).map(target)))
            }
            XmlBomb => {
                let mut entities = "<!ENTITY a0 \"boilerplate\">\n".to_owned();
                for number in 1..=9 {
                    let inner = format!("&a{};", number - 1).repeat(10);
                    entities += &format!("<!ENTITY a{number} \"{inner}\">\n");
                }
                let body = format!(
                    "<?xml version=\"1.0\"?>\n<!DOCTYPE rss [\n{entities}]>\n<rss version=\"2.0\"><channel><title>&a9;</title>\n\
                     <item><title>&a9;</title><link>/p/1</link></item></channel></rss>\n"
                );
                let length = body.len();
                let head =
                    format!("HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: {length}\r\n\r\n");
                connection.send(head + &body)?;
                return Ok(Next::Close);
            }
            Reset | CloseAtOnce | ResetTimes(_) | ResetInBody => return Ok(Next::Reset), // done above
        };
        status(connection, request, code, &lines, &text)
    }
}

fn next(counter: &AtomicU64) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}
