//! Sends each request to its door, after the guard has let it in.

use crate::caller_key::CallerKey;
use crate::http::answer::{HttpAnswer, bytes, document, refusal, sealed, wrong_method};
use crate::http::guard::{RequestAccess, no_token};
use crate::http::knock::{self, Knock};
use crate::http::page::{self, Pass};
use crate::http::shared::DaemonParts;
use crate::http::text::query_fields;
use crate::http::visitors::VisitorHandle;
use crate::http::{body, rest};
use brainstem_api::instances;
use brainstem_base::{Fault, codes};
use brainstem_memory::Declared;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode, header};
use serde_json::json;
use std::sync::Arc;
use tracing::{Instrument as _, Span, debug_span, field};

/// The prefix of a browser's cookie, so that it is recognised if it gets into a text.
const PASS: &str = "bsp_";

impl DaemonParts {
    /// Answers one request.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        visitor: &VisitorHandle,
    ) -> HttpAnswer {
        let door = door_of(request.uri().path());
        let span = debug_span!("request", door, access = field::Empty, status = field::Empty);
        let answer = self.answer_at(door, request, visitor).instrument(span.clone()).await;
        span.record("status", answer.status().as_u16());
        answer
    }

    async fn answer_at(
        self: &Arc<Self>,
        door: &'static str,
        request: Request<Incoming>,
        visitor: &VisitorHandle,
    ) -> HttpAnswer {
        let (head, incoming) = request.into_parts();
        let answer = match self.let_in(&head, visitor) {
            Ok(access) => {
                Span::current().record("access", access.as_ref().map_or("open", RequestAccess::name));
                let busy = visitor.begin();
                let answer = self.through(door, access, Request::from_parts(head, incoming)).await;
                // Counts as busy until the last byte of the answer is sent.
                answer.map(|body| body::keeping(body, busy))
            }
            Err(fault) => {
                self.log_refusal(&fault);
                if door == "page" && is_browser(&head.headers) {
                    page::refused(&fault, &self.nonce())
                } else {
                    refusal(&fault)
                }
            }
        };
        self.meters.answered(door, answer.status().as_u16());
        sealed(answer)
    }

    /// The token or the cookie that lets a request in; `None` if the path is open to every program on this machine.
    fn let_in(&self, head: &Parts, visitor: &VisitorHandle) -> Result<Option<RequestAccess>, Fault> {
        self.guard.admit(head)?;
        let path = head.uri.path();
        if matches!(path, "/healthz" | "/link") || path.starts_with(knock::PATH) {
            return Ok(None);
        }
        let access = self.guard.access(head)?;
        match &access {
            RequestAccess::Token => {}
            RequestAccess::Cookie(cookie) if self.browsers.knows(cookie) => {}
            RequestAccess::Cookie(_) => {
                return Err(no_token("this browser was not let in, or was away for too long"));
            }
        }
        if !visitor.is_let_in() {
            let message = format!("{} connections are open here already", self.limits.connections_max);
            return Err(Fault::new(codes::DAEMON_BUSY, message)
                .fix("close some, or try again")
                .rule("IF-14"));
        }
        body::check_coding(&head.headers)?;
        Ok(Some(access))
    }

    async fn through(
        self: &Arc<Self>,
        door: &'static str,
        access: Option<RequestAccess>,
        request: Request<Incoming>,
    ) -> HttpAnswer {
        let is_get = request.method() == Method::GET;
        match door {
            "mcp" => self.through_mcp(access, request).await,
            "rest" => match access {
                Some(access) => rest::answer(self, &access, request).await,
                None => refusal(&no_token("the request carries no token")),
            },
            "knock" if request.method() != Method::POST => wrong_method("POST"),
            "knock" => {
                let query = query_fields(request.uri().query().unwrap_or_default()).unwrap_or_default();
                let (answer, what) =
                    knock::answer(&self.record, request.uri().path(), &query, self.door.memory.now());
                if what == Some(Knock::Stop) {
                    tracing::info!("a process of this home asks it to stop");
                    self.quit.cancel();
                }
                answer
            }
            "health" | "metrics" | "page" | "link" if !is_get => wrong_method("GET"),
            "health" => document(&json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })),
            "metrics" => {
                let page = self.meters.render(self.room.pending(), self.room.waiting());
                bytes(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", page)
            }
            "link" => self.enter(&request).unwrap_or_else(|fault| {
                if is_browser(request.headers()) {
                    page::refused(&fault, &self.nonce())
                } else {
                    refusal(&fault)
                }
            }),
            "page" => {
                let memory = self.looking.clone();
                let look = move || Ok((instances::instances(&memory)?, memory.daemon_token()));
                let nobody = Declared::default();
                let key = access.map_or_else(|| CallerKey::of(&nobody, None), |access| access.key(&nobody));
                match self.look("page", key, look).await {
                    Ok((found, token)) => {
                        let is_token_there = token.as_ref() == Some(&self.token);
                        page::status(&found, &self.record.address, is_token_there, &self.nonce())
                    }
                    Err(fault) => refusal(&fault),
                }
            }
            _ => refusal(
                &Fault::new(codes::INPUT_UNKNOWN_VERB, "nothing is served under this path")
                    .fix("use /api/…, /mcp, /healthz, /metrics or /"),
            ),
        }
    }

    /// Passes a request to MCP. A session of MCP can write, so a cookie opens none.
    async fn through_mcp(&self, access: Option<RequestAccess>, request: Request<Incoming>) -> HttpAnswer {
        if access != Some(RequestAccess::Token) {
            return refusal(&no_token("MCP takes the token; a browser's cookie is good for looking"));
        }
        let (head, incoming) = request.into_parts();
        match body::read(incoming, &self.limits, &self.room.bodies).await {
            Ok(body) => self.mcp.answer(head, body).await,
            Err(fault) => refusal(&fault),
        }
    }

    fn enter(&self, request: &Request<Incoming>) -> Result<HttpAnswer, Fault> {
        let query = query_fields(request.uri().query().unwrap_or_default()).unwrap_or_default();
        let code = query.iter().find(|(name, _)| name == "code").map_or("", |(_, code)| code);
        let memory = &self.door.memory;
        let pass = Pass {
            token: &self.token,
            instance: &self.record.instance,
            cookie: &self.guard.cookie,
            fresh: format!("{PASS}{}", memory.secret()),
            now: memory.now(),
        };
        self.browsers.enter(&pass, code)
    }
}

/// Whether a person's browser asks. Programs that accept any type want JSON.
fn is_browser(headers: &HeaderMap) -> bool {
    let takes = headers.get(header::ACCEPT).and_then(|takes| takes.to_str().ok()).unwrap_or_default();
    takes.contains("text/html")
}

/// The door of a path.
fn door_of(path: &str) -> &'static str {
    match path {
        "/mcp" => "mcp",
        "/healthz" => "health",
        "/metrics" => "metrics",
        "/" => "page",
        "/link" => "link",
        path if path.starts_with("/api/") => "rest",
        path if path.starts_with(knock::PATH) => "knock",
        _ => "none",
    }
}
