//! The look of a page of the daemon: one style, no script, and nothing from other sites.

use crate::http::answer::{HttpAnswer, bytes};
use hyper::StatusCode;
use hyper::header::{CONTENT_SECURITY_POLICY, HeaderValue};

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2.5rem auto;padding:0 1.25rem}\
h1{font-size:1.5rem;margin:0 0 .25rem}\
p{margin:.5rem 0}\
.dim{opacity:.65}\
code{font:.9em ui-monospace,monospace}\
.wide{overflow-x:auto;margin:1.5rem 0}\
table{border-collapse:collapse;width:100%}\
th{font-weight:600;font-size:.85rem;opacity:.75}\
td,th{text-align:left;padding:.4rem .6rem;border-bottom:1px solid rgba(128,128,128,.35);vertical-align:top}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
.reply{border-left:3px solid #c77700;padding:.25rem .75rem}";

/// A whole page around a body of HTML. `nonce` permits the style, and nothing else is permitted.
pub(crate) fn sheet(status: StatusCode, nonce: &str, body: &str) -> HttpAnswer {
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Brainstem</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style nonce=\"{nonce}\">{STYLE}</style>\
         {body}</html>\n"
    );
    let mut answer = bytes(status, "text/html; charset=utf-8", page);
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        answer.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    }
    answer
}
