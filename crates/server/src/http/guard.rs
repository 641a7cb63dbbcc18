//! Which requests get in: the guard checks the host name in the request, the site that it comes from, and the
//! token.
//!
//! A page in the user's browser can send requests to this machine. It cannot forge `Host` and `Origin`, and it
//! does not know the token; each of the three refuses it.

use crate::caller_key::CallerKey;
use crate::http::text::cookies;
use brainstem_base::advice;
use brainstem_base::next::calls;
use brainstem_base::{Fault, codes, hash};
use brainstem_memory::Declared;
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Method, header};

/// The names of this daemon, and its token.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Names in lower case, without a port.
    hosts: Vec<String>,
    token: [u8; 32],
    pub(crate) cookie: String,
}

/// What let a request in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequestAccess {
    /// It carries the token.
    Token,
    /// It carries a cookie, which must still be known; only for reading.
    Cookie(String),
}

impl RequestAccess {
    /// Its name in the log.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Cookie(_) => "cookie",
        }
    }

    /// The share that a request counts against. A cookie has a share of its own, whatever else the request declares.
    pub(crate) fn key(&self, declared: &Declared) -> CallerKey {
        match self {
            Self::Token => CallerKey::of(declared, None),
            Self::Cookie(cookie) => CallerKey::browser(cookie),
        }
    }
}

impl Guard {
    pub(crate) fn new(token: &str, port: u16, names: &[String]) -> Self {
        let loopback = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let named = names.iter().map(|name| name.to_ascii_lowercase());
        Self {
            hosts: loopback.into_iter().chain(named).collect(),
            token: hash::sha256(token.as_bytes()),
            // Browsers send a cookie to every port of a host.
            cookie: format!("brainstem-{port}"),
        }
    }

    /// Refuses a request that was not sent to this daemon under one of its names, or that comes from a page of another site.
    pub(crate) fn admit(&self, head: &Parts) -> Result<(), Fault> {
        let host = self.host(head)?;
        let headers = &head.headers;
        if let Some(origin) = only(headers, header::ORIGIN)? {
            // This daemon uses no encryption, so a page from https is another site's.
            let is_own = origin.strip_prefix("http://").is_some_and(|rest| rest.eq_ignore_ascii_case(host));
            if !is_own {
                return Err(foreign("it comes from another site"));
            }
        }
        // Browsers send this header if they send no Origin. A one-time link may be clicked on any site.
        let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
        let is_link = head.uri.path() == "/link" && head.method == Method::GET;
        match site {
            Some(b"cross-site" | b"same-site") if !is_link => Err(foreign("it comes from another site")),
            _ => Ok(()),
        }
    }

    /// The token or the cookie of a request.
    pub(crate) fn access(&self, head: &Parts) -> Result<RequestAccess, Fault> {
        if let Some(given) = only(&head.headers, header::AUTHORIZATION)? {
            let (scheme, token) = given.split_once(' ').unwrap_or((given, ""));
            // Digests are compared, so that the time of the comparison reveals nothing about the token.
            let is_token = hash::sha256(token.trim().as_bytes()) == self.token;
            return match (scheme.eq_ignore_ascii_case("bearer"), is_token) {
                (true, true) => Ok(RequestAccess::Token),
                (true, false) => Err(no_token("the token is not the one of this home")),
                // The value may be the token itself, so it is not repeated.
                (false, _) => Err(no_token("the scheme of Authorization is not Bearer")),
            };
        }
        let given = head.headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        match given.flat_map(|line| cookies(line, &self.cookie)).next() {
            Some(cookie) if head.method == Method::GET => Ok(RequestAccess::Cookie(cookie.to_owned())),
            Some(_) => {
                Err(no_token("a browser's cookie is good for looking; a client that writes shows the token"))
            }
            None => Err(no_token("the request carries no token")),
        }
    }

    fn host<'a>(&self, head: &'a Parts) -> Result<&'a str, Fault> {
        let named = only(&head.headers, header::HOST)?.ok_or_else(|| foreign("it names no host"))?;
        let whole = head.uri.authority().map(Authority::as_str);
        for name in [Some(named), whole].into_iter().flatten() {
            let is_known = name.parse::<Authority>().is_ok_and(|authority| {
                let host = authority.host().to_ascii_lowercase();
                !name.contains('@') && self.hosts.contains(&host)
            });
            if !is_known {
                return Err(foreign("it was sent to another name than the daemon's"));
            }
        }
        Ok(named)
    }
}

/// The value of a header that may occur once.
fn only(headers: &HeaderMap, name: header::HeaderName) -> Result<Option<&str>, Fault> {
    let mut values = headers.get_all(&name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => {
            value.to_str().map(Some).map_err(|_| foreign(&format!("its header `{name}` is no text")))
        }
        (Some(_), Some(_)) => Err(foreign(&format!("its header `{name}` occurs twice"))),
    }
}

fn foreign(why: &str) -> Fault {
    Fault::new(codes::ACCESS_FOREIGN, format!("the request is refused: {why}"))
        .fix("call http://127.0.0.1 with the daemon's port, from a program and not from a web page; `up --allow-host` adds a name")
        .rule("IF-11")
}

pub(crate) fn no_token(why: &str) -> Fault {
    Fault::new(codes::ACCESS_TOKEN, why)
        .fix(advice![
            "send `Authorization: Bearer` with the text of daemon/token in the home; for a browser, `",
            calls::page(),
            "` makes a link"
        ])
        .rule("IF-11")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn guard() -> Guard {
        Guard::new(TOKEN, 7733, &["Box.lan".to_owned()])
    }

    fn head(method: &str, uri: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test] // spec: IF-11
    fn only_the_daemons_own_names_are_answered() {
        let admits = |host: &str| guard().admit(&head("GET", "/", &[("host", host)])).is_ok();
        for own in ["127.0.0.1:7733", "localhost", "LOCALHOST:1", "[::1]:7733", "box.lan:7733"] {
            assert!(admits(own), "{own}");
        }
        for other in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io:7733",
            "localhost@evil",
            "",
            "::1",
            "a b",
        ] {
            assert!(!admits(other), "{other:?}");
        }
        let refused =
            |head: Parts| guard().admit(&head).is_err_and(|fault| fault.code == codes::ACCESS_FOREIGN);
        assert!(refused(head("GET", "/", &[])));
        assert!(refused(head("GET", "/", &[("host", "localhost"), ("host", "localhost")])));
        assert!(refused(head("GET", "http://evil.example/", &[("host", "localhost")])));
    }

    #[test] // spec: IF-11
    fn other_sites_are_refused_and_the_own_page_is_not() {
        let admits = |uri: &str, name: &str, value: &str| {
            guard().admit(&head("GET", uri, &[("host", "localhost:7733"), (name, value)])).is_ok()
        };
        assert!(admits("/", "origin", "http://localhost:7733"));
        for other in [
            "http://localhost:3000",
            "https://localhost:7733",
            "null",
            "https://evil.example",
            "http://127.0.0.1:7733",
            "",
        ] {
            assert!(!admits("/", "origin", other), "{other:?}");
        }
        assert!(admits("/", "sec-fetch-site", "same-origin") && admits("/", "sec-fetch-site", "none"));
        assert!(!admits("/", "sec-fetch-site", "cross-site") && !admits("/", "sec-fetch-site", "same-site"));
        assert!(admits("/link?code=x", "sec-fetch-site", "cross-site"));
    }

    #[test] // spec: IF-11
    fn the_token_opens_and_a_cookie_only_looks() {
        let access = |method: &str, name: &str, value: &str| {
            guard().access(&head(method, "/", &[(name, value)])).map_err(|fault| fault.code)
        };
        assert_eq!(access("POST", "authorization", &format!("Bearer {TOKEN}")), Ok(RequestAccess::Token));
        assert_eq!(access("POST", "authorization", &format!("bearer {TOKEN}")), Ok(RequestAccess::Token));
        for wrong in ["Bearer", "Bearer x", TOKEN, &format!("Basic {TOKEN}"), &format!("Bearer {TOKEN}0")] {
            assert_eq!(access("GET", "authorization", wrong), Err(codes::ACCESS_TOKEN), "{wrong}");
        }
        let basic = guard().access(&head("GET", "/", &[("authorization", "Basic eDp5")]));
        assert!(basic.is_err_and(|fault| fault.message.contains("not Bearer")));
        assert_eq!(access("GET", "cookie", "a=b; brainstem-7733=c"), Ok(RequestAccess::Cookie("c".into())));
        assert_eq!(access("POST", "cookie", "brainstem-7733=c"), Err(codes::ACCESS_TOKEN));
        assert_eq!(access("GET", "cookie", "brainstem-7734=c"), Err(codes::ACCESS_TOKEN));
        assert_eq!(access("GET", "x-token", TOKEN), Err(codes::ACCESS_TOKEN));
    }
}
