//! TLS for the test server, with a certificate that it signs itself. The module `server` must stand beside this one.

#![allow(dead_code)] // no test uses all of it

use std::io::{self, Read, Write};
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::server::{Plain, Server, Sites, Wire, Wrap};

/// Starts a server for `https` URLs. Its certificate has the names of all hosts; clients must trust [`Server::certificate`].
pub fn start(sites: Sites) -> Server {
    start_without(sites, &[])
}

/// Starts a server for `https` URLs, whose certificate does not have the names of these hosts.
pub fn start_without(sites: Sites, hosts: &[&str]) -> Server {
    let names = sites.hosts().into_iter().filter(|host| !hosts.contains(&&**host));
    let tls = Tls::new(names.collect());
    Server::start_wrapped(sites, Some(Arc::new(tls)))
}

struct Tls {
    config: Arc<ServerConfig>,
    certificate: Vec<u8>,
}

impl Tls {
    fn new(names: Vec<String>) -> Tls {
        let signed = rcgen::generate_simple_self_signed(names).expect("a certificate");
        let certificate = signed.cert.der().clone();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions of TLS")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .expect("a certificate with its key");
        Tls { config: Arc::new(config), certificate: certificate.to_vec() }
    }
}

impl Wrap for Tls {
    fn wrap(&self, mut stream: Plain) -> io::Result<Box<dyn Wire>> {
        let mut connection = ServerConnection::new(Arc::clone(&self.config)).map_err(io::Error::other)?;
        while connection.is_handshaking() {
            if let Err(error) = connection.complete_io(&mut stream) {
                // The client learns what was wrong.
                let _ = connection.write_tls(&mut stream);
                return Err(error);
            }
        }
        Ok(Box::new(Encrypted(StreamOwned::new(connection, stream))))
    }

    fn certificate(&self) -> Vec<u8> {
        self.certificate.clone()
    }
}

struct Encrypted(StreamOwned<ServerConnection, Plain>);

impl Read for Encrypted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Encrypted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Wire for Encrypted {
    fn end(&mut self) {
        self.0.conn.send_close_notify();
        let _ = self.0.flush();
    }
}
