//! One connection: reading requests byte by byte, and writing whatever a test wants.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Shared;

/// Time after which things without an end do end.
pub(super) const LONGEST: Duration = Duration::from_secs(20);
/// Bytes after which things without an end do end.
const MOST: usize = 64 << 20;
/// Bytes of the head of a request.
const LARGEST_HEAD: usize = 64 << 10;
/// Time between the bytes of something slow.
pub(super) const DRIP: Duration = Duration::from_millis(100);

/// What goes over a connection, which TLS may encrypt.
pub trait Wire: Read + Write + Send {
    /// Says that nothing comes any more.
    fn end(&mut self) {}
}

/// The connection itself, for the server and its list of connections.
pub struct Plain(pub Arc<TcpStream>);

impl Read for Plain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.0).flush()
    }
}

impl Wire for Plain {}

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// When its first line was there.
    pub at: Instant,
    pub method: String,
    pub path: String,
    pub version: String,
    pub headers: Vec<(String, String)>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// The name of the `Host` header, without the port.
    pub fn host(&self) -> String {
        let host = self.header("host").unwrap_or_default();
        host.rsplit_once(':').map_or(host, |(name, _)| name).to_ascii_lowercase()
    }
}

pub(super) struct Connection {
    pub tcp: Arc<TcpStream>,
    wire: Box<dyn Wire>,
    is_plain: bool,
    /// The last byte of a request was not read yet. A connection that is closed so is reset.
    has_rest: bool,
}

impl Connection {
    pub fn new(tcp: Arc<TcpStream>, wire: Option<Box<dyn Wire>>) -> Connection {
        let is_plain = wire.is_none();
        let wire = wire.unwrap_or_else(|| Box::new(Plain(Arc::clone(&tcp))));
        Connection { tcp, wire, is_plain, has_rest: false }
    }

    /// Reads the head of the next request, but for its last byte. `None` if there is none, or it is broken.
    pub fn request(&mut self) -> io::Result<Option<Request>> {
        let mut head = Vec::new();
        let mut at = None;
        loop {
            let new = self.peek()?;
            if new.is_empty() {
                return Ok(None);
            }
            let start = head.len();
            head.extend_from_slice(&new);
            let line = head.iter().position(|&byte| byte == b'\n');
            if line.is_some() {
                at.get_or_insert_with(Instant::now);
            }
            let end = head.windows(4).position(|window| window == b"\r\n\r\n").map(|end| end + 4);
            // Over TLS there is one byte at a time, and it was read.
            let taken = end.map_or(head.len(), |end| end - 1) - start;
            if self.is_plain && taken > 0 {
                let mut sink = vec![0; taken];
                self.wire.read_exact(&mut sink)?;
            }
            if let Some(end) = end {
                self.has_rest = self.is_plain;
                head.truncate(end);
                return Ok(parse(&head, at.unwrap_or_else(Instant::now)));
            }
            if head.len() > LARGEST_HEAD {
                return Ok(None);
            }
        }
    }

    fn peek(&mut self) -> io::Result<Vec<u8>> {
        let mut buffer = [0; 2048];
        let count = match self.is_plain {
            true => self.tcp.peek(&mut buffer)?,
            false => self.wire.read(&mut buffer[..1])?,
        };
        Ok(buffer[..count].to_vec())
    }

    /// Reads the last byte of the request, so that the end of the connection is a polite one.
    pub fn take_rest(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.has_rest) { self.wire.read_exact(&mut [0]) } else { Ok(()) }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.wire.write_all(bytes.as_ref())?;
        self.wire.flush()
    }

    /// Sends this again and again: until the client goes away, or the server thinks that it is enough.
    pub fn send_endlessly(&mut self, shared: &Shared, mut next: impl FnMut(u64) -> Vec<u8>) -> io::Result<()> {
        let (start, mut sent) = (Instant::now(), 0);
        for number in 0.. {
            if start.elapsed() > LONGEST || sent > MOST || shared.stop.load(Ordering::Relaxed) {
                break;
            }
            let bytes = next(number);
            sent += bytes.len();
            self.send(bytes)?;
        }
        Ok(())
    }

    /// Sends this byte by byte, slowly: until its end, or the client goes away, or the server thinks that it is enough.
    pub fn drip(&mut self, shared: &Shared, bytes: impl IntoIterator<Item = u8>) -> io::Result<()> {
        let start = Instant::now();
        for byte in bytes {
            if start.elapsed() > LONGEST || shared.stop.load(Ordering::Relaxed) {
                break;
            }
            self.send([byte])?;
            sleep(DRIP);
        }
        Ok(())
    }

    /// Sends nothing until the client goes away, or the server thinks that it is enough.
    pub fn hang(&mut self, shared: &Shared) {
        let start = Instant::now();
        let _ = self.tcp.set_read_timeout(Some(Duration::from_millis(50)));
        while start.elapsed() < Duration::from_secs(30) && !shared.stop.load(Ordering::Relaxed) {
            match (&*self.tcp).read(&mut [0; 512]) {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                Err(_) => return,
            }
        }
    }

    pub fn end(&mut self) {
        self.wire.end();
    }
}

fn parse(head: &[u8], at: Instant) -> Option<Request> {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.trim_end().split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, path, version) = (first.next()?, first.next()?, first.next()?);
    let header = |line: &str| line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
    Some(Request {
        at,
        method: method.to_owned(),
        path: path.to_owned(),
        version: version.to_owned(),
        headers: lines.filter_map(header).collect(),
    })
}
