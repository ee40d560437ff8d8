//! A web server for tests, which can misbehave byte by byte. It takes connections on loopback addresses only.
//!
//! ```ignore
//! let mut sites = Sites::news(&["tideline-wire.example"]);
//! sites.page("odd.example", "/", "<p>Hello</p>").behave("odd.example", "/slow", Behaviour::SlowBody);
//! let server = Server::start(sites);
//! let resolver = server.names(); // what a client needs instead of DNS
//! crawl(server.url("odd.example", "/"), resolver);
//! assert!(server.closest("odd.example") >= Some(Duration::from_secs(1)));
//! ```
//!
//! Each host has its own address in 127.0.0.0/8, all on one port. It needs Linux, which answers on all of these addresses.

#![allow(dead_code, unused_imports)] // no test uses all of it

mod behaviour;
mod connection;
mod date;
mod news;
mod sites;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

pub use behaviour::{Behaviour, OTHER_SCHEMES, PRIVATE};
pub use connection::{Plain, Wire};
pub use news::{Article, PAPERS, articles, corpora};
pub use sites::{Base, Page, Rule, Sent, Sites};

use behaviour::{Acting, Next};
use connection::{Connection, Request};

/// Connections at a time. More are closed at once.
const MOST_CONNECTIONS: usize = 1000;
/// Requests whose headers are kept.
const MOST_HEADERS: usize = 20_000;
/// An idle connection is closed after this time.
const IDLE: Duration = Duration::from_secs(30);

/// Puts TLS around connections.
pub trait Wrap: Send + Sync {
    /// Shakes hands.
    fn wrap(&self, stream: Plain) -> io::Result<Box<dyn Wire>>;
    /// The certificate (DER) that clients must trust.
    fn certificate(&self) -> Vec<u8>;
}

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Seen {
    /// When its first line was there, since the start of the server. Clocks that are set do not change it.
    pub at: Duration,
    /// When its answer was sent, or was cut off. `None` if it is being sent.
    pub until: Option<Duration>,
    /// The host of its `Host` header, without the port.
    pub host: String,
    /// The address that it came to.
    pub address: IpAddr,
    /// Such as `GET`.
    pub method: String,
    /// Its path, with the query.
    pub path: String,
    /// Its headers, as they were written. After the first 20 000 requests they are not kept, because they take much memory.
    pub headers: Vec<(String, String)>,
}

impl Seen {
    /// A header; upper and lower case are the same.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }
}

/// What all threads of a server know.
struct Shared {
    base: Base,
    sites: BTreeMap<String, sites::Site>,
    addresses: BTreeMap<String, IpAddr>,
    behaviours: Mutex<HashMap<(String, String), Arc<Acting>>>,
    /// How often pages were changed.
    changes: Mutex<HashMap<(String, String), u32>>,
    log: Mutex<Vec<Seen>>,
    start: Instant,
    stop: AtomicBool,
    open: Mutex<HashMap<u64, Arc<TcpStream>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    connections: AtomicU64,
    most_open: AtomicUsize,
    cookies: AtomicUsize,
    /// For session ids and the like.
    counter: AtomicU64,
    wrap: Option<Arc<dyn Wrap>>,
}

/// A running server. It ends when it is dropped.
pub struct Server {
    shared: Arc<Shared>,
    listeners: Vec<JoinHandle<()>>,
}

/// A panic of one thread is no reason for others to panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Server {
    /// Starts a server for these sites.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub fn start(sites: Sites) -> Server {
        Server::start_wrapped(sites, None)
    }

    /// Starts a server whose connections are encrypted, if `wrap` is there.
    ///
    /// # Panics
    ///
    /// If there is no free port.
    pub fn start_wrapped(sites: Sites, wrap: Option<Arc<dyn Wrap>>) -> Server {
        let addresses = sites.addresses();
        let distinct: BTreeSet<IpAddr> = addresses.values().copied().collect();
        let (port, listeners) =
            (0..50).find_map(|_| listen(&distinct).ok()).expect("a port that is free on all addresses");
        let scheme = if wrap.is_some() { "https" } else { "http" };
        let behaviours = sites.behaviours.into_iter().map(|(key, behaviour)| (key, Arc::new(Acting::new(behaviour))));
        let shared = Arc::new(Shared {
            base: Base { scheme, port },
            sites: sites.sites,
            addresses,
            behaviours: Mutex::new(behaviours.collect()),
            changes: Mutex::default(),
            log: Mutex::default(),
            start: Instant::now(),
            stop: AtomicBool::new(false),
            open: Mutex::default(),
            threads: Mutex::default(),
            connections: AtomicU64::new(0),
            most_open: AtomicUsize::new(0),
            cookies: AtomicUsize::new(0),
            counter: AtomicU64::new(0),
            wrap,
        });
        let listeners = listeners
            .into_iter()
            .map(|(address, listener)| {
                let shared = Arc::clone(&shared);
                let thread = Builder::new().name("listener".to_owned()).stack_size(128 << 10);
                thread.spawn(move || accept(&shared, &listener, address)).expect("a thread")
            })
            .collect();
        Server { shared, listeners }
    }

    /// The port of all hosts.
    pub fn port(&self) -> u16 {
        self.shared.base.port
    }

    /// Such as `http://host.example:4567/path`.
    pub fn url(&self, host: &str, path: &str) -> String {
        self.shared.base.url(host, path)
    }

    /// The loopback address of a host.
    ///
    /// # Panics
    ///
    /// If the server does not have this host.
    pub fn address(&self, host: &str) -> IpAddr {
        *self.shared.addresses.get(host).unwrap_or_else(|| panic!("{host} is not a host of the server"))
    }

    /// Where to connect for a host.
    pub fn socket(&self, host: &str) -> SocketAddr {
        SocketAddr::new(self.address(host), self.port())
    }

    /// All hosts and their addresses: what a client needs instead of DNS.
    pub fn names(&self) -> Vec<(String, IpAddr)> {
        self.shared.addresses.iter().map(|(host, address)| (host.clone(), *address)).collect()
    }

    /// The certificate (DER) that clients must trust. `None` without TLS.
    pub fn certificate(&self) -> Option<Vec<u8>> {
        self.shared.wrap.as_ref().map(|wrap| wrap.certificate())
    }

    /// Changes a page, its `ETag` and its `Last-Modified`. Each call changes it again.
    pub fn change(&self, host: &str, path: &str) {
        *lock(&self.shared.changes).entry((host.to_owned(), path.to_owned())).or_default() += 1;
    }

    /// Sets how a page misbehaves from now on; see [`Sites::behave`].
    pub fn behave(&self, host: &str, path: &str, behaviour: Behaviour) {
        let key = (host.to_owned(), path.to_owned());
        lock(&self.shared.behaviours).insert(key, Arc::new(Acting::new(behaviour)));
    }

    /// All requests, in the order in which they came.
    pub fn log(&self) -> Vec<Seen> {
        let mut log = lock(&self.shared.log).clone();
        log.sort_by_key(|seen| seen.at);
        log
    }

    /// Forgets all requests, such as those of a first run. It waits until they are answered.
    pub fn forget(&self) {
        loop {
            let mut log = lock(&self.shared.log);
            // A request that is being answered has its place in the log.
            if log.iter().all(|seen| seen.until.is_some()) {
                log.clear();
                self.shared.cookies.store(0, Ordering::Relaxed);
                return;
            }
            drop(log);
            sleep(Duration::from_millis(5));
        }
    }

    /// The number of requests for a page. The path has its query.
    pub fn count(&self, host: &str, path: &str) -> usize {
        lock(&self.shared.log).iter().filter(|seen| seen.host == host && seen.path == path).count()
    }

    /// The smallest time between two requests to a registered domain, or to an address. `None` if there were less than two.
    ///
    /// The domain is that of the given host: its last two names, or three for such as `co.uk`.
    pub fn closest(&self, host_or_address: &str) -> Option<Duration> {
        let seen = self.seen_at(host_or_address);
        seen.windows(2).map(|pair| pair[1].at - pair[0].at).min()
    }

    /// The smallest time from the end of an answer to the next request, at a registered domain or an address. Zero if the next one
    /// did not wait for the answer.
    pub fn closest_after_answer(&self, host_or_address: &str) -> Option<Duration> {
        let seen = self.seen_at(host_or_address);
        let gap = |pair: &[Seen]| pair[0].until.map_or(Duration::ZERO, |until| pair[1].at.saturating_sub(until));
        seen.windows(2).map(gap).min()
    }

    /// The largest number of requests that were answered at one time, at a registered domain or an address.
    pub fn most_at_once(&self, host_or_address: &str) -> usize {
        let seen = self.seen_at(host_or_address);
        let open_at = |at: Duration| {
            seen.iter().filter(|other| other.at <= at && other.until.is_none_or(|until| until > at)).count()
        };
        seen.iter().map(|seen| open_at(seen.at)).max().unwrap_or(0)
    }

    /// The smallest time between two requests to one domain, or to one address, of all of them; and at which. Faster than
    /// [`Server::closest`] for each of many hosts.
    pub fn closest_of_all(&self) -> Option<(Duration, String)> {
        let mut times: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
        for seen in lock(&self.shared.log).iter() {
            times.entry(domain(&seen.host).to_owned()).or_default().push(seen.at);
            times.entry(seen.address.to_string()).or_default().push(seen.at);
        }
        let closest = times.into_iter().filter_map(|(name, mut times)| {
            times.sort();
            Some((times.windows(2).map(|pair| pair[1] - pair[0]).min()?, name))
        });
        closest.min()
    }

    /// The requests at a domain or an address, in the order in which they came.
    fn seen_at(&self, host_or_address: &str) -> Vec<Seen> {
        let address = host_or_address.parse::<IpAddr>();
        let fits = |seen: &&Seen| match address {
            Ok(address) => seen.address == address,
            Err(_) => domain(&seen.host) == domain(host_or_address),
        };
        let mut log: Vec<Seen> = lock(&self.shared.log).iter().filter(fits).cloned().collect();
        log.sort_by_key(|seen| seen.at);
        log
    }

    /// The number of requests that had a cookie. The server sets some; see [`Behaviour::SetCookies`].
    pub fn cookies(&self) -> usize {
        self.shared.cookies.load(Ordering::Relaxed)
    }

    /// The number of connections so far.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// The largest number of connections that were open at one time.
    pub fn most_open(&self) -> usize {
        self.shared.most_open.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        let distinct: BTreeSet<IpAddr> = self.shared.addresses.values().copied().collect();
        for address in distinct {
            // A listener wakes up for it, and sees that it must stop.
            let _ = TcpStream::connect_timeout(&SocketAddr::new(address, self.port()), Duration::from_secs(1));
        }
        for listener in self.listeners.drain(..) {
            let _ = listener.join();
        }
        let shut = |how: Shutdown| {
            for stream in lock(&self.shared.open).values() {
                let _ = stream.shutdown(how);
            }
        };
        // Idle connections end now. Answers have a second.
        shut(Shutdown::Read);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(1) && !lock(&self.shared.open).is_empty() {
            sleep(Duration::from_millis(5));
        }
        shut(Shutdown::Both);
        for thread in std::mem::take(&mut *lock(&self.shared.threads)) {
            let _ = thread.join();
        }
    }
}

/// The registered domain of a host, as far as tests need it. Tests use invented names, so the list of public suffixes is short.
fn domain(host: &str) -> &str {
    const SUFFIXES: [&str; 4] = ["co.uk", "co.jp", "com.au", "github.io"];
    if host.parse::<IpAddr>().is_ok() {
        return host;
    }
    let dots: Vec<usize> = host.rmatch_indices('.').map(|(place, _)| place).collect();
    let last_two = dots.get(1).map_or(host, |&place| &host[place + 1..]);
    match dots.get(2) {
        Some(&place) if SUFFIXES.contains(&last_two) => &host[place + 1..],
        None if SUFFIXES.contains(&last_two) => host,
        _ => last_two,
    }
}

/// Finds a port that is free on all addresses.
fn listen(addresses: &BTreeSet<IpAddr>) -> io::Result<(u16, Vec<(IpAddr, TcpListener)>)> {
    let mut port = 0;
    let mut listeners = Vec::new();
    let nothing = BTreeSet::from([IpAddr::V4(Ipv4Addr::LOCALHOST)]);
    for &address in if addresses.is_empty() { &nothing } else { addresses } {
        assert!(address.is_loopback(), "{address} is not a loopback address");
        let listener = TcpListener::bind((address, port))?;
        port = listener.local_addr()?.port();
        listeners.push((address, listener));
    }
    if addresses.is_empty() {
        listeners.clear();
    }
    Ok((port, listeners))
}

fn accept(shared: &Arc<Shared>, listener: &TcpListener, address: IpAddr) {
    loop {
        let stream = listener.accept();
        if shared.stop.load(Ordering::SeqCst) {
            return;
        }
        let Ok((stream, _)) = stream else {
            sleep(Duration::from_millis(10));
            continue;
        };
        let stream = Arc::new(stream);
        let id = shared.connections.fetch_add(1, Ordering::Relaxed);
        {
            let mut open = lock(&shared.open);
            if open.len() >= MOST_CONNECTIONS {
                continue;
            }
            open.insert(id, Arc::clone(&stream));
            shared.most_open.fetch_max(open.len(), Ordering::Relaxed);
        }
        let own = Arc::clone(shared);
        let thread = Builder::new().name("connection".to_owned()).stack_size(1 << 20);
        let thread = thread.spawn(move || {
            let close = Close(&own, id);
            let _ = serve(&own, stream, address);
            drop(close);
        });
        let mut threads = lock(&shared.threads);
        threads.retain(|thread| !thread.is_finished());
        threads.extend(thread);
    }
}

/// Takes a connection off the list, even after a panic.
struct Close<'a>(&'a Shared, u64);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        lock(&self.0.open).remove(&self.1);
    }
}

fn serve(shared: &Shared, stream: Arc<TcpStream>, address: IpAddr) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(Duration::from_secs(20)))?;
    match shared.at_accept(address) {
        Some(Behaviour::CloseAtOnce) => return Ok(()),
        Some(Behaviour::Hang) => {
            Connection::new(stream, None).hang(shared);
            return Ok(());
        }
        _ => {}
    }
    let wire = match &shared.wrap {
        Some(wrap) => Some(wrap.wrap(Plain(Arc::clone(&stream)))?),
        None => None,
    };
    let mut connection = Connection::new(stream, wire);
    while let Some(request) = connection.request()? {
        let place = shared.note(&request, address);
        let next = answer(shared, &mut connection, &request, address);
        let until = shared.start.elapsed();
        if let Some(seen) = lock(&shared.log).get_mut(place) {
            seen.until = Some(until);
        }
        match next? {
            Next::Keep if !shared.stop.load(Ordering::Relaxed) => {}
            Next::Reset => return Ok(()),
            _ => {
                connection.end();
                return Ok(());
            }
        }
    }
    Ok(())
}

fn answer(shared: &Shared, connection: &mut Connection, request: &Request, address: IpAddr) -> io::Result<Next> {
    let host = request.host();
    let Some(site) = shared.sites.get(&host).filter(|_| shared.addresses.get(&host) == Some(&address)) else {
        connection.take_rest()?;
        return behaviour::status(
            connection,
            request,
            421,
            "",
            "The server does not have this host at this address.\n",
        );
    };
    if let Some(acting) = shared.behaviour(&host, &request.path) {
        match acting.act(shared, connection, request)? {
            Next::Page => {}
            next => return Ok(next),
        }
    }
    connection.take_rest()?;
    if !matches!(&*request.method, "GET" | "HEAD") {
        behaviour::status(connection, request, 405, "Allow: GET, HEAD\r\n", "")?;
        return Ok(Next::Close); // a body may follow
    }
    match shared.page(&host, &request.path) {
        Some(page) => behaviour::page(connection, request, &page, site.sent),
        None => {
            behaviour::status(connection, request, 404, "", "<title>Not found</title>\n<p>There is no such page.</p>\n")
        }
    }
}

impl Shared {
    /// Writes a request into the log. Returns its place there.
    fn note(&self, request: &Request, address: IpAddr) -> usize {
        if request.header("cookie").is_some() {
            self.cookies.fetch_add(1, Ordering::Relaxed);
        }
        let mut log = lock(&self.log);
        let headers = if log.len() < MOST_HEADERS { request.headers.clone() } else { Vec::new() };
        let seen = Seen {
            at: request.at - self.start,
            until: None,
            host: request.host(),
            address,
            method: request.method.clone(),
            path: request.path.clone(),
            headers,
        };
        log.push(seen);
        log.len() - 1
    }

    /// What all of an address does before the first request.
    fn at_accept(&self, address: IpAddr) -> Option<Behaviour> {
        let behaviours = lock(&self.behaviours);
        let mut here =
            behaviours.iter().filter(|((host, path), _)| path == "*" && self.addresses.get(host) == Some(&address));
        here.find_map(|(_, acting)| {
            let behaviour = &acting.behaviour;
            matches!(behaviour, Behaviour::CloseAtOnce | Behaviour::Hang).then(|| behaviour.clone())
        })
    }

    fn behaviour(&self, host: &str, path: &str) -> Option<Arc<Acting>> {
        let behaviours = lock(&self.behaviours);
        if behaviours.is_empty() {
            return None;
        }
        let find = |path: &str| behaviours.get(&(host.to_owned(), path.to_owned())).cloned();
        let bare = path.split('?').next().unwrap_or_default();
        find(path).or_else(|| find(bare)).or_else(|| {
            let prefix = |pattern: &str| pattern.strip_suffix('*').is_some_and(|prefix| path.starts_with(prefix));
            let fitting = behaviours.iter().filter(|((of, pattern), _)| of == host && prefix(pattern));
            fitting.max_by_key(|((_, pattern), _)| pattern.len()).map(|(_, acting)| Arc::clone(acting))
        })
    }

    fn page(&self, host: &str, path: &str) -> Option<Page> {
        let page = self.sites.get(host)?.page(path, self.base)?;
        let changes = lock(&self.changes).get(&(host.to_owned(), path.to_owned())).copied();
        Some(page.changed(changes.unwrap_or(0)))
    }
}

/// Text as HTML and XML write it.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
