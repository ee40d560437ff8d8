//! Access control: requests may come only from a browser on this machine that has the key, and only from our own pages.
//!
//! The server listens on loopback only, but any page in the browser can send requests to it. So every path begins with
//! a random key. A request from another site's page, or through another site's name that resolves to this address,
//! shows this in its `Origin`, `Sec-Fetch-Site` or `Host` header and is refused.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use dehusk_core::html::MARKED_PAGE_POLICY;

/// The key and the port that a valid request must have.
#[derive(Clone, Debug)]
pub struct Guard {
    key: String,
    port: u16,
}

/// The page may use its own style sheet and script, and its own server. Nothing else, whatever a document contains.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The headers that an answer with a document as a page has instead. Only our own pages may frame the document. It is
/// in a sandbox even if it is opened without a frame: it runs no script, sends nothing, and belongs to no site.
pub fn of_marked_page() -> [(HeaderName, String); 2] {
    let policy = format!("{MARKED_PAGE_POLICY}; frame-ancestors 'self'; sandbox");
    [(header::CONTENT_SECURITY_POLICY, policy), (header::X_FRAME_OPTIONS, "SAMEORIGIN".to_owned())]
}

impl Guard {
    /// A new key, for a server on this port.
    pub fn new(port: u16) -> Result<Guard, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Guard { key: bytes.iter().map(|byte| format!("{byte:02x}")).collect(), port })
    }

    /// The first part of every path.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The address of the review for the browser.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.key)
    }

    fn refusal(&self, path: &str, headers: &HeaderMap) -> Option<&'static str> {
        let value = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let is_ours =
            |host: &str| ["127.0.0.1", "localhost"].iter().any(|ours| host == format!("{ours}:{}", self.port));
        let given = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if !value(header::HOST).is_some_and(is_ours) {
            return Some("dehusk does not serve this address");
        }
        if value(header::ORIGIN).is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(is_ours)) {
            return Some("requests from other sites are refused");
        }
        let site = value(HeaderName::from_static("sec-fetch-site"));
        if site.is_some_and(|site| !["same-origin", "none"].contains(&site)) {
            return Some("requests from other sites are refused");
        }
        (!is_same(given, &self.key)).then_some("the key is wrong; open the address that dehusk printed")
    }
}

/// Refuses invalid requests, and adds the security headers to every answer. Headers that the answer already has are
/// kept.
pub async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let refusal = guard.refusal(request.uri().path(), request.headers());
    let mut response = match refusal {
        Some(why) => (StatusCode::FORBIDDEN, format!("403: {why}\n")).into_response(),
        None => next.run(request).await,
    };
    let protection = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in protection {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Whether 2 texts are equal. The time does not depend on where they differ, so that nobody can guess the key step by
/// step.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &str, headers: &[(&'static str, &'static str)]) -> bool {
        let guard = Guard { key: "abc".to_owned(), port: 80 };
        let headers =
            headers.iter().map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        guard.refusal(path, &headers.collect()).is_some()
    }

    #[test]
    fn our_own_page_may_ask() {
        assert!(!refused("/abc/", &[("host", "127.0.0.1:80")]));
        let ours = [("host", "localhost:80"), ("origin", "http://localhost:80"), ("sec-fetch-site", "same-origin")];
        assert!(!refused("/abc/s/x", &ours));
    }

    #[test]
    fn a_marked_page_is_in_a_sandbox_without_exceptions() {
        let [(_, policy), _] = of_marked_page();
        assert!(policy.starts_with("default-src 'none'; script-src 'none';"), "{policy}");
        assert!(policy.ends_with("; frame-ancestors 'self'; sandbox") && !policy.contains("allow-"), "{policy}");
    }

    #[test]
    fn others_may_not() {
        for path in ["/", "/ab", "/abcd/", "/abd/", "//x", "/x/abc/", "/%61bc/"] {
            assert!(refused(path, &[("host", "127.0.0.1:80")]), "{path}");
        }
        for host in ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:81"] {
            let host: &'static str = host;
            assert!(refused("/abc/", &[("host", host)]), "{host}");
        }
        for other in [("origin", "http://evil.example"), ("origin", "null"), ("sec-fetch-site", "cross-site")] {
            assert!(refused("/abc/", &[("host", "127.0.0.1:80"), other]), "{other:?}");
        }
        assert!(refused("/abc/", &[]));
    }
}
