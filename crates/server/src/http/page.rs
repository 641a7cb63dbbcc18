//! The page: a browser is let in by a one-time link, and sees what there is.

use crate::http::answer::{Answer, bytes, refusal};
use crate::http::body::full;
use crate::http::guard::no_token;
use crate::http::link;
use crate::http::text::html;
use crate::limits::BROWSERS_MAX;
use brainstem_api::instances::Instances;
use brainstem_base::{Fault, Timestamp};
use hyper::StatusCode;
use hyper::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, SET_COOKIE};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a browser may be away.
const BROWSER_IDLE: Duration = Duration::from_secs(12 * 3600);

/// The browsers that were let in, and the links that were used.
#[derive(Default)]
pub(crate) struct Browsers {
    known: Mutex<HashMap<String, Instant>>,
    /// Words of links that are still in time, with the time they end.
    used: Mutex<HashSet<(i64, String)>>,
}

impl Browsers {
    /// Whether a cookie is of a browser that was let in.
    pub(crate) fn knows(&self, cookie: &str) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, seen| seen.elapsed() < BROWSER_IDLE);
        match known.get_mut(cookie) {
            Some(seen) => {
                *seen = Instant::now();
                true
            }
            None => false,
        }
    }

    /// Lets a browser in that comes with a link nobody used before.
    pub(crate) fn enter(&self, pass: &Pass<'_>, code: &str) -> Result<Answer, Fault> {
        let word = link::word(pass.token, pass.instance, code, pass.now);
        let Some(word) = word.filter(|word| self.is_first(word, pass.now)) else {
            return Err(no_token("this link was used already, has run out, or is not of this daemon"));
        };
        let _ = word;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= BROWSERS_MAX
            && let Some(oldest) = known.iter().min_by_key(|(_, seen)| **seen).map(|(name, _)| name.clone())
        {
            known.remove(&oldest);
        }
        known.insert(pass.fresh.clone(), Instant::now());
        // The page goes on by itself: a cookie that is strict is not sent along with a redirect from elsewhere.
        let page = "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url=/\">\
                    <title>Brainstem</title><p><a href=\"/\">Go on</a></p>\n";
        let mut answer = bytes(StatusCode::OK, "text/html; charset=utf-8", page.to_owned());
        let cookie = format!(
            "{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}",
            pass.cookie,
            pass.fresh,
            BROWSER_IDLE.as_secs()
        );
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            answer.headers_mut().insert(SET_COOKIE, cookie);
        }
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
        Ok(answer)
    }

    fn is_first(&self, word: &str, now: Timestamp) -> bool {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|(until, _)| *until >= now.ms());
        if used.iter().any(|(_, known)| known == word) {
            return false;
        }
        used.insert((now.ms() + link::LINK_MS, word.to_owned()))
    }
}

/// What a link is checked with.
pub(crate) struct Pass<'a> {
    pub(crate) token: &'a str,
    pub(crate) instance: &'a str,
    pub(crate) cookie: &'a str,
    /// What the browser will be known by.
    pub(crate) fresh: String,
    pub(crate) now: Timestamp,
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
                     table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid}\
                     td.n,th.n{text-align:right}";

/// A refusal for a person who looks with a browser.
pub(crate) fn refused(fault: &Fault) -> Answer {
    let mut answer = refusal(fault);
    let (told, fix) = (html(&fault.message), html(fault.fix.as_deref().unwrap_or_default()));
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Brainstem</title><h1>Not let in</h1>\
         <p>{told}.</p><p>To come in, run <code>brainstem page</code> and open the link it prints.</p>\
         <p>For a program: {fix}.</p></html>\n"
    );
    *answer.body_mut() = full(page);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'"));
    answer
}

/// What there is: the brains, how much each holds, and the version. `is_token_there` says whether callers find the
/// token that this daemon knows.
pub(crate) fn status(found: &Instances, is_token_there: bool, nonce: &str) -> Answer {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Brainstem</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style nonce=\"{nonce}\">{STYLE}</style>\
         <h1>Brainstem {}</h1><p>This daemon serves {}.</p>\
         <table><thead><tr><th>brain</th><th>root</th><th class=\"n\">claims</th><th class=\"n\">stale</th>\
         <th class=\"n\">sessions this week</th></tr></thead><tbody>",
        html(env!("CARGO_PKG_VERSION")),
        html(&found.home),
    );
    let count =
        |count: Option<usize>| count.map_or_else(|| "unreadable".to_owned(), |count| count.to_string());
    for brain in &found.instances {
        let gone = if brain.root_missing { " (gone)" } else { "" };
        let _ = write!(
            page,
            "<tr><td>{}</td><td>{}{gone}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            html(&brain.brain),
            html(&brain.root),
            count(brain.claims),
            count(brain.stale),
            brain.served.sessions,
        );
    }
    let _ = write!(
        page,
        "<tr><td>medulla</td><td></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr></tbody></table>",
        count(found.medulla.claims),
        count(found.medulla.stale),
        found.medulla.served.sessions,
    );
    for gap in &found.gaps {
        let _ = write!(page, "<p>Not read: {}</p>", html(&gap.detail));
    }
    if !is_token_there {
        page.push_str(
            "<p>The file <code>daemon/token</code> is gone or was replaced: who reads the token there is refused. \
             Run <code>brainstem down</code>, then <code>brainstem up --detach</code>.</p>",
        );
    }
    page.push_str("</html>\n");
    let mut answer = bytes(StatusCode::OK, "text/html; charset=utf-8", page);
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    answer
}
