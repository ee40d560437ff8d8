//! Finds the IP addresses of a host by its name.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};

use crate::public::is_public;

/// Finds the IP addresses of hosts, and decides which of them may be visited. It decides once, before a connection is
/// made to one of them. So a host that gets another address a moment later cannot lead elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Resolver {
    /// The addresses of some hosts. They are used even if they are private, because a person chose them.
    pub given: HashMap<String, IpAddr>,
    /// Whether hosts may have addresses that do not belong to the public network.
    pub allows_private: bool,
}

/// Why a host has no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// It was not found.
    #[error("the host is not found: {0}")]
    NotFound(String),
    /// It has no address that may be visited.
    #[error("its address {0} is private; --allow-private allows it")]
    Private(IpAddr),
}

impl Resolver {
    /// The addresses of a host, those of IPv4 first. There is at least one.
    pub fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, ResolveError> {
        if let Some(&ip) = self.given.get(host) {
            return Ok(vec![ip]);
        }
        let found = match host.parse() {
            Ok(ip) => vec![ip],
            Err(_) => looked_up(host).map_err(|error| ResolveError::NotFound(error.to_string()))?,
        };
        let (mut allowed, refused): (Vec<IpAddr>, Vec<IpAddr>) =
            found.into_iter().partition(|&ip| self.allows_private || is_public(ip));
        allowed.sort_by_key(IpAddr::is_ipv6);
        allowed.dedup();
        match (allowed.is_empty(), refused.first()) {
            (false, _) => Ok(allowed),
            (true, Some(&ip)) => Err(ResolveError::Private(ip)),
            (true, None) => Err(ResolveError::NotFound("it has no address".to_owned())),
        }
    }
}

fn looked_up(host: &str) -> io::Result<Vec<IpAddr>> {
    Ok((host, 0).to_socket_addrs()?.map(|socket| socket.ip()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_refused_unless_a_person_gave_them() {
        let mut resolver = Resolver::default();
        let private = |ip: &str| Err(ResolveError::Private(ip.parse().unwrap()));
        assert_eq!(resolver.resolve("127.0.0.1"), private("127.0.0.1"));
        assert_eq!(resolver.resolve("::ffff:10.0.0.1"), private("::ffff:10.0.0.1"));
        assert!(matches!(resolver.resolve("localhost"), Err(ResolveError::Private(_))));
        assert_eq!(resolver.resolve("1.1.1.1"), Ok(vec!["1.1.1.1".parse().unwrap()]));
        resolver.given.insert("paper.example".to_owned(), "127.0.0.9".parse().unwrap());
        assert_eq!(resolver.resolve("paper.example"), Ok(vec!["127.0.0.9".parse().unwrap()]));
        assert_eq!(resolver.resolve("127.0.0.1"), private("127.0.0.1"));
        resolver.allows_private = true;
        assert_eq!(resolver.resolve("127.0.0.1"), Ok(vec!["127.0.0.1".parse().unwrap()]));
    }
}
