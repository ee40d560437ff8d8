//! A request, and the answer of the server.

use std::io::{self, ErrorKind, Read};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use ureq::config::{Config, IpFamily};
use ureq::http::Uri;
use ureq::tls::{Certificate, RootCerts, TlsConfig};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, DefaultConnector, LazyBuffers, NextTimeout, Transport,
};
use ureq::{Agent, Error};

use crate::http::{Head, Mender, is_text};

/// The limits of a [`Fetcher`].
#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum time of a whole request, including the answer.
    pub time: Duration,
    /// Maximum number of bytes of a body, both as it is sent and unpacked.
    pub body: u64,
}

/// Maximum number of bytes of the header of an answer.
const LONGEST_HEAD: usize = 64 * 1024;

/// Maximum number of bytes of all headers before a body: servers may send other headers before the final one.
const LONGEST_HEADS: usize = 4 * LONGEST_HEAD;

/// Maximum number of bytes that are sent at once.
const BUFFER: usize = 16 * 1024;

/// A request to a server.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The URL.
    pub url: &'a str,
    /// The machine that is asked.
    pub ip: IpAddr,
    /// The `ETag` of the version that is already known.
    pub etag: Option<&'a str>,
    /// The `Last-Modified` of the version that is already known.
    pub last_modified: Option<&'a str>,
    /// The number of bytes of the body that are enough. The bytes after them are not read, and it is not an error if
    /// they are missing.
    pub enough: Option<u64>,
}

/// The answer of the server.
#[derive(Clone, Debug)]
pub struct Response {
    /// When the request began.
    pub at: DateTime<Utc>,
    /// The machine that answered.
    pub ip: IpAddr,
    /// The request, as it was sent.
    pub request: Vec<u8>,
    /// Status and fields.
    pub head: Head,
    /// The body without transfer coding. It may be packed.
    pub body: Vec<u8>,
    /// Whether the body is longer, but only this beginning was needed.
    pub is_cut: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// There is no connection.
    #[error("no connection: {0}")]
    Connection(String),
    /// The server cannot show that it is the one that was asked for.
    #[error("its certificate is not valid: {0}")]
    Certificate(String),
    /// The request took too long.
    #[error("it did not answer within {} s", .0.as_secs_f64())]
    Time(Duration),
    /// The header is too long.
    #[error("its header is longer than {} bytes", LONGEST_HEAD)]
    LongHead,
    /// The body is too long.
    #[error("it is longer than {0} bytes")]
    LongBody(u64),
    /// The answer is not HTTP.
    #[error("the answer is no HTTP: {0}")]
    NoHttp(String),
    /// The connection ended before the answer did.
    #[error("the answer is cut off: {0}")]
    CutOff(String),
    /// The answer is not text.
    #[error("it is {0}, and no text")]
    NoText(String),
}

impl FetchError {
    /// Whether the same request may have an answer later.
    pub fn may_pass(&self) -> bool {
        matches!(self, FetchError::Connection(_) | FetchError::Time(_) | FetchError::CutOff(_))
    }
}

/// Fetches one address after another. Each request has a connection of its own, so an answer can never belong to
/// another request. A fetcher keeps no cookies, follows no redirection, and uses no proxy.
pub struct Fetcher {
    agent: Agent,
    wire: Wire,
    limits: Limits,
}

/// The exchange that the parts of a fetcher share.
#[derive(Clone, Debug, Default)]
struct Wire(Arc<Mutex<Exchange>>);

/// The bytes of a request and its answer.
#[derive(Debug, Default)]
struct Exchange {
    peer: Option<IpAddr>,
    sent: Vec<u8>,
    /// The header of the answer. Other headers may be before it, and a part of the body after it.
    received: Vec<u8>,
}

impl Wire {
    fn with<T>(&self, of: impl FnOnce(&mut Exchange) -> T) -> T {
        of(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Fetcher {
    /// `user_agent` names the crawler. `root` is the only root certificate that is trusted, in DER; without it, those
    /// that browsers trust are trusted.
    pub fn new(user_agent: &str, limits: Limits, root: Option<&[u8]>) -> Fetcher {
        let roots = match root {
            Some(der) => RootCerts::new_with_certs(&[Certificate::from_der(der).to_owned()]),
            None => RootCerts::WebPki,
        };
        let config = Config::builder()
            .user_agent(user_agent)
            .accept("text/html, application/xhtml+xml, application/xml;q=0.9, text/plain;q=0.8, */*;q=0.5")
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .input_buffer_size(2 * LONGEST_HEAD)
            .output_buffer_size(BUFFER)
            .max_idle_connections(0)
            .max_idle_connections_per_host(0)
            .max_response_header_size(LONGEST_HEAD)
            .timeout_global(Some(limits.time))
            .ip_family(IpFamily::Any)
            .proxy(None)
            .tls_config(TlsConfig::builder().root_certs(roots).build())
            .build();
        let wire = Wire::default();
        let connector = DefaultConnector::default().chain(Recorder(wire.clone()));
        let agent = Agent::with_parts(config, connector, Pinned(wire.clone()));
        Fetcher { agent, wire, limits }
    }

    /// Sends a request. If the answer is not text, its body is not read.
    pub fn fetch(&self, request: &Request) -> Result<Response, FetchError> {
        let (at, began) = (Utc::now(), Instant::now());
        self.wire.with(|exchange| *exchange = Exchange { peer: Some(request.ip), ..Exchange::default() });
        // This is the only character of a URL that is not allowed in a request.
        let url = request.url.replace('`', "%60");
        let mut call = self.agent.get(url).header("Accept-Encoding", "gzip").header("Connection", "close");
        if let Some(etag) = request.etag {
            call = call.header("If-None-Match", etag);
        }
        if let Some(date) = request.last_modified {
            call = call.header("If-Modified-Since", date);
        }

        let answer = call.call().map_err(|error| self.failed(error))?;
        let (sent, received) =
            self.wire.with(|exchange| (std::mem::take(&mut exchange.sent), std::mem::take(&mut exchange.received)));
        let head = Head::parse(&received).ok_or_else(|| FetchError::NoHttp("it has no header".to_owned()))?;
        let length = head.length().map_err(FetchError::NoHttp)?;
        if head.status() == 200 && request.enough.is_none() && !is_text(&head.media_type()) {
            return Err(FetchError::NoText(head.media_type().to_owned()));
        }

        let mut body = Vec::new();
        if let Some(enough) = request.enough {
            let mut reader = answer.into_body().into_reader().take(enough);
            reader.read_to_end(&mut body).map_err(|error| self.broken(error, began))?;
            // If the next byte cannot be read, the body is longer, too.
            let is_cut = body.len() as u64 == enough && !matches!(reader.into_inner().read(&mut [0]), Ok(0));
            return Ok(Response { at, ip: request.ip, request: sent, head, body, is_cut });
        }

        if length.is_some_and(|length| length > self.limits.body) {
            return Err(FetchError::LongBody(self.limits.body));
        }
        let mut reader = answer.into_body().into_reader().take(self.limits.body + 1);
        reader.read_to_end(&mut body).map_err(|error| self.broken(error, began))?;
        if body.len() as u64 > self.limits.body {
            return Err(FetchError::LongBody(self.limits.body));
        }
        if let Some(length) = length.filter(|&length| length != body.len() as u64 && !head.has_no_body()) {
            return Err(FetchError::CutOff(format!("{} of {length} bytes", body.len())));
        }
        Ok(Response { at, ip: request.ip, request: sent, head, body, is_cut: false })
    }

    fn broken(&self, error: io::Error, began: Instant) -> FetchError {
        match error.downcast::<Error>() {
            Ok(error) => match self.failed(error) {
                FetchError::Connection(error) => FetchError::CutOff(error),
                error => error,
            },
            Err(_) if began.elapsed() >= self.limits.time => FetchError::Time(self.limits.time),
            Err(error) => FetchError::CutOff(error.to_string()),
        }
    }

    fn failed(&self, error: Error) -> FetchError {
        let has_answer = self.wire.with(|exchange| !exchange.received.is_empty());
        match error {
            Error::Timeout(_) => FetchError::Time(self.limits.time),
            Error::LargeResponseHeader(..) => FetchError::LongHead,
            Error::Rustls(error) => FetchError::Certificate(error.to_string()),
            Error::Tls(error) => FetchError::Certificate(error.to_owned()),
            // Errors of rustls come as reading errors.
            Error::Io(error) if error.kind() == ErrorKind::InvalidData && !has_answer => {
                FetchError::Certificate(error.to_string())
            }
            Error::Io(error) if has_answer => FetchError::CutOff(error.to_string()),
            Error::Io(error) => FetchError::Connection(error.to_string()),
            Error::ConnectionFailed => FetchError::Connection("it is refused".to_owned()),
            error => FetchError::NoHttp(error.to_string()),
        }
    }
}

/// Resolves every host to the IP address of the request, which was chosen before.
#[derive(Debug)]
struct Pinned(Wire);

impl Resolver for Pinned {
    fn resolve(&self, uri: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let is_https = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let mut found = self.empty();
        let peer = self.0.with(|exchange| exchange.peer).ok_or(Error::HostNotFound)?;
        found.push(SocketAddr::new(peer, port));
        Ok(found)
    }
}

/// Records the bytes that are sent, and the header of the answer.
#[derive(Debug)]
struct Recorder(Wire);

impl Connector<Box<dyn Transport>> for Recorder {
    type Out = Recording;

    fn connect(&self, _: &ConnectionDetails, below: Option<Box<dyn Transport>>) -> Result<Option<Recording>, Error> {
        let buffers = LazyBuffers::new(2 * LONGEST_HEAD, BUFFER);
        let (wire, mender) = (self.0.clone(), Mender::default());
        Ok(below.map(|below| Recording { below, buffers, wire, mender, readable: Vec::new() }))
    }
}

/// A connection whose bytes a [`Recorder`] records.
#[derive(Debug)]
struct Recording {
    below: Box<dyn Transport>,
    buffers: LazyBuffers,
    wire: Wire,
    mender: Mender,
    /// Mended bytes for which the buffers have no room yet.
    readable: Vec<u8>,
}

impl Recording {
    /// Records the part of the header that came, and mends it.
    fn read_header(&mut self) -> Result<(), Error> {
        let input = self.below.buffers().input();
        self.readable = if input.is_empty() { self.mender.end() } else { self.mender.push(input) };
        let amount = input.len();
        let received = self.wire.with(|exchange| {
            exchange.received.extend_from_slice(input);
            exchange.received.len()
        });
        self.below.buffers().input_consume(amount);
        match received > LONGEST_HEADS {
            true => Err(Error::LargeResponseHeader(received, LONGEST_HEADS)),
            false => Ok(()),
        }
    }
}

impl Transport for Recording {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        for part in self.buffers.output()[..amount].chunks(BUFFER) {
            self.wire.with(|exchange| exchange.sent.extend_from_slice(part));
            self.below.buffers().output()[..part.len()].copy_from_slice(part);
            self.below.transmit_output(part.len(), timeout)?;
        }
        Ok(())
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        if self.readable.is_empty() {
            self.below.maybe_await_input(timeout)?;
        }
        let has_input = !self.below.buffers().input().is_empty();
        if self.readable.is_empty() && !self.mender.is_in_body() {
            self.read_header()?;
        }
        let free = self.buffers.input_append_buf();
        let is_header = !self.readable.is_empty();
        let input = if is_header { &self.readable } else { self.below.buffers().input() };
        let amount = input.len().min(free.len());
        free[..amount].copy_from_slice(&input[..amount]);
        match is_header {
            true => self.readable.drain(..amount).for_each(drop),
            false => self.below.buffers().input_consume(amount),
        }
        self.buffers.input_appended(amount);
        Ok(amount > 0 || has_input)
    }

    fn is_open(&mut self) -> bool {
        self.below.is_open()
    }

    fn is_tls(&self) -> bool {
        self.below.is_tls()
    }
}
