//! The test server with TLS, tested with plain clients of rustls.

mod server;
mod tls;

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use server::{Behaviour, Server, Sites};

/// The answer to a request for a page.
fn get(server: &Server, trusted: &Server, host: &str, path: &str) -> io::Result<String> {
    let mut roots = RootCertStore::empty();
    let certificate = trusted.certificate().expect("a certificate");
    roots.add(CertificateDer::from(certificate)).expect("a certificate that can be trusted");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
    let stream = TcpStream::connect_timeout(&server.socket(host), Duration::from_secs(5))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut stream = StreamOwned::new(connection, stream);
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[test]
fn pages_come_encrypted() {
    let server = tls::start(Sites::many(3, 5));
    assert!(server.url("site-0000.example", "/").starts_with("https://site-0000.example:"));
    for (host, _) in server.names() {
        let answer = get(&server, &server, &host, "/p/4").expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("</html>\n"), "{answer}");
    }
    assert_eq!(server.log().len(), 3);
    let start = Instant::now();
    drop(server);
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn clients_that_do_not_trust_it_get_nothing() {
    let mut sites = Sites::many(1, 1);
    sites.page("wrong.example", "/", "<p>Hello</p>");
    let server = tls::start_without(sites, &["wrong.example"]);
    assert!(get(&server, &server, "wrong.example", "/").is_err());
    let other = tls::start(Sites::many(1, 1));
    assert!(get(&server, &other, "site-0000.example", "/").is_err());
    assert!(get(&server, &server, "site-0000.example", "/").is_ok());
    assert_eq!(server.log().len(), 1);
}

#[test]
fn misbehaviour_comes_encrypted_too() {
    let host = "odd.example";
    let mut sites = Sites::new();
    sites.behave(host, "/http09", Behaviour::Http09).behave(host, "/reset", Behaviour::Reset);
    sites.behave(host, "/status", Behaviour::Status(410));
    let server = tls::start(sites);
    assert!(get(&server, &server, host, "/http09").expect("an answer").starts_with("<!DOCTYPE"));
    assert!(get(&server, &server, host, "/status").expect("an answer").starts_with("HTTP/1.1 410 "));
    assert!(get(&server, &server, host, "/reset").is_err());
    // Plain text is no handshake.
    let mut plain = TcpStream::connect(server.socket(host)).expect("a connection");
    plain.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    plain.write_all(b"GET / HTTP/1.1\r\nHost: odd.example\r\n\r\n").expect("sent");
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"));
}
