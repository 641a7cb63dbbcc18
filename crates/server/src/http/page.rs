//! The page: a one-time link lets a browser in, and the page shows the state of the daemon.

use crate::http::answer::{HttpAnswer, bytes, refusal};
use crate::http::guard::no_token;
use crate::http::link;
use crate::http::sheet::sheet;
use crate::http::text::html;
use crate::limits::BROWSERS_MAX;
use brainstem_api::instances::Instances;
use brainstem_base::{Fault, Timestamp};
use hyper::StatusCode;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderValue, SET_COOKIE};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a browser may stay away before it needs another link.
const BROWSER_IDLE: Duration = Duration::from_secs(12 * 3600);

/// The browsers that were let in, and the links that were used.
#[derive(Default)]
pub(crate) struct Browsers {
    known: Mutex<HashMap<String, Instant>>,
    /// Words of links that have not expired yet, with the time they end.
    used: Mutex<HashSet<(i64, String)>>,
}

impl Browsers {
    /// Whether a cookie belongs to a browser that was let in.
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

    /// Lets a browser in that has an unused link.
    pub(crate) fn enter(&self, pass: &Pass<'_>, code: &str) -> Result<HttpAnswer, Fault> {
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
        // The page continues by itself: a strict cookie is not sent with a redirect from another site.
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
    /// The cookie that the browser will get.
    pub(crate) fresh: String,
    pub(crate) now: Timestamp,
}

/// A refusal for a person that looks with a browser.
pub(crate) fn refused(fault: &Fault, nonce: &str) -> HttpAnswer {
    let why = sentence(&fault.message);
    let body = format!(
        "<h1>Not let in</h1><p>{}</p><p>To come in, run <code>brainstem page</code> in a terminal and open the link \
         that it prints.</p>",
        html(&why)
    );
    let refusal = refusal(fault);
    let mut answer = sheet(refusal.status(), nonce, &body);
    // The headers of a refusal are for a browser too.
    for (name, value) in refusal.headers() {
        if !answer.headers().contains_key(name) {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

/// The state of the daemon: the brains, how much each holds, and the version. `is_token_there` says whether callers find the
/// token that this daemon knows.
pub(crate) fn status(found: &Instances, address: &str, is_token_there: bool, nonce: &str) -> HttpAnswer {
    let mut body = format!(
        "<h1>Brainstem {}</h1><p class=\"dim\">serves <code>{}</code> at <code>{}</code></p>",
        html(env!("CARGO_PKG_VERSION")),
        html(&found.home),
        html(address),
    );
    body.push_str(
        "<div class=\"wide\"><table><thead><tr><th>brain</th><th>root</th><th class=\"n\">claims</th>\
         <th class=\"n\">over a month old</th><th class=\"n\">open letters</th><th class=\"n\">calls this week</th></tr></thead><tbody>",
    );
    for brain in &found.instances {
        let gone = if brain.root_missing { " <span class=\"dim\">(gone)</span>" } else { "" };
        let place = format!("<code>{}</code>{gone}", html(&brain.root));
        let letters = if brain.root_missing { "–".to_owned() } else { count(brain.mailbox_open_count) };
        row(
            &mut body,
            &brain.brain,
            &place,
            [count(brain.claims), count(brain.stale), letters, brain.served.calls.to_string()],
        );
    }
    let medulla = &found.medulla;
    row(
        &mut body,
        "medulla",
        "<span class=\"dim\">shared by all projects</span>",
        [
            count(medulla.claims),
            count(medulla.stale),
            count(medulla.mailbox_open_count),
            medulla.served.calls.to_string(),
        ],
    );
    body.push_str("</tbody></table></div>");
    if found.instances.is_empty() {
        body.push_str(
            "<p>No project has a brain yet: run <code>brainstem bootstrap</code> in one, or \
             <code>brainstem init --host claude-code</code>.</p>",
        );
    }
    for gap in &found.gaps {
        let _ = write!(body, "<p class=\"told\">Not read: {}</p>", html(&gap.detail));
    }
    if !is_token_there {
        body.push_str(
            "<p class=\"told\">The file <code>daemon/token</code> is gone or was replaced: a caller that reads the token there is \
             refused. Run <code>brainstem down</code>, then <code>brainstem up --detach</code>.</p>",
        );
    }
    body.push_str(
        "<p class=\"dim\">What a project remembers: <code>brainstem list</code>, <code>brainstem seek</code>. Its \
         letters: <code>brainstem letter box</code>. What is wrong: <code>brainstem doctor</code>.</p>",
    );
    sheet(StatusCode::OK, nonce, &body)
}

fn row(body: &mut String, brain: &str, place: &str, counts: [String; 4]) {
    let _ = write!(body, "<tr><td>{}</td><td>{place}</td>", html(brain));
    for count in counts {
        let _ = write!(body, "<td class=\"n\">{count}</td>");
    }
    body.push_str("</tr>");
}

fn count(count: Option<usize>) -> String {
    count.map_or_else(|| "unreadable".to_owned(), |count| count.to_string())
}

/// The message of a fault as a sentence of a page.
fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}
