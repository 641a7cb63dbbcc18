//! A transport that keeps every answer. It passes on the end of the input only when every request that was read
//! has its answer, and it reads no more requests while too many wait. It refuses a request with the id of one
//! that has no answer yet: their answers could not be distinguished.
//!
//! rmcp itself gives running calls five seconds after the end of the input and then drops their answers; a
//! script that pipes its requests in would lose some. This transport also drops what comes before the first
//! request, which rmcp takes for a broken client.

use crate::limits::PENDING_REQUESTS_MAX;
use rmcp::ErrorData;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::HashSet;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub(crate) struct DrainingTransport<T> {
    inner: T,
    pending: Arc<Pending>,
    started: bool,
    /// Cancelled when the input has ended, so that calls stop waiting for news.
    ended: CancellationToken,
    /// A refusal that is being sent. It is kept here because the reader may stop at any time and continue later.
    refusing: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl<T> DrainingTransport<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self {
            inner,
            pending: Arc::default(),
            started: false,
            ended: CancellationToken::new(),
            refusing: None,
        }
    }

    /// The same transport, which cancels this token when the input has ended.
    pub(crate) fn telling(self, ended: CancellationToken) -> Self {
        Self { ended, ..self }
    }
}

/// The requests that were read and not answered.
#[derive(Default)]
struct Pending {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Pending {
    /// Adds an id, and returns whether it was free.
    fn add(&self, id: &RequestId) -> bool {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone())
    }

    fn remove(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.fewer.notify_one();
    }

    async fn at_most(&self, count: usize) {
        // There is one reader, and a stored permit keeps a change between check and wait.
        while self.ids.lock().unwrap_or_else(PoisonError::into_inner).len() > count {
            self.fewer.notified().await;
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for DrainingTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let pending = self.pending.clone();
        let sending = self.inner.send(message);
        async move {
            let sent = sending.await;
            if let Some(id) = answered {
                pending.remove(&id);
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.pending.at_most(PENDING_REQUESTS_MAX - 1).await;
        loop {
            if let Some(refusing) = &mut self.refusing {
                refusing.await;
                self.refusing = None;
            }
            let Some(message) = self.inner.receive().await else {
                self.ended.cancel();
                self.pending.at_most(0).await;
                return None;
            };
            match &message {
                JsonRpcMessage::Request(request) if self.pending.add(&request.id) => self.started = true,
                JsonRpcMessage::Request(request) => {
                    let why =
                        "another request has this id, and no answer yet; give every request an id of its own";
                    let refused = TxJsonRpcMessage::<RoleServer>::error(
                        ErrorData::invalid_request(why, None),
                        Some(request.id.clone()),
                    );
                    let sending = self.inner.send(refused);
                    self.refusing = Some(Box::pin(async move { drop(sending.await) }));
                    continue;
                }
                _ if !self.started => continue,
                // rmcp sends no answer to a cancelled request.
                JsonRpcMessage::Notification(notification) => {
                    if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.pending.remove(id);
                    }
                }
                JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
            }
            return Some(message);
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ServerJsonRpcMessage, ServerResult};
    use std::collections::VecDeque;
    use std::convert::Infallible;

    /// Hands out these messages, then the end; takes every answer.
    struct Script(VecDeque<RxJsonRpcMessage<RoleServer>>, Vec<serde_json::Value>);

    impl Transport<RoleServer> for Script {
        type Error = Infallible;

        fn send(
            &mut self,
            message: TxJsonRpcMessage<RoleServer>,
        ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
            self.1.push(serde_json::to_value(message).expect("JSON"));
            std::future::ready(Ok(()))
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
            self.0.pop_front()
        }

        async fn close(&mut self) -> Result<(), Infallible> {
            Ok(())
        }
    }

    fn script(lines: &[&str]) -> DrainingTransport<Script> {
        let parse = |line: &&str| serde_json::from_str(line).expect("a message of MCP");
        DrainingTransport::new(Script(lines.iter().map(parse).collect(), Vec::new()))
    }

    const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    const CANCEL: &str = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;

    fn on_a_runtime<T>(run: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(run)
    }

    /// Whether the next thing read is ready now.
    async fn ready(patient: &mut DrainingTransport<Script>) -> Option<bool> {
        let mut receiving = Box::pin(patient.receive());
        std::future::poll_fn(|cx| {
            std::task::Poll::Ready(match receiving.as_mut().poll(cx) {
                std::task::Poll::Ready(message) => Some(message.is_some()),
                std::task::Poll::Pending => None,
            })
        })
        .await
    }

    #[test]
    fn the_end_waits_for_the_answers() {
        on_a_runtime(async {
            let mut patient = script(&[PING]);
            assert_eq!(ready(&mut patient).await, Some(true));
            assert_eq!(ready(&mut patient).await, None, "one request has no answer yet");
            let answer = ServerJsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(7));
            patient.send(answer).await.expect("it cannot fail");
            assert_eq!(ready(&mut patient).await, Some(false));
        });
    }

    #[test]
    fn the_end_does_not_wait_for_what_was_cancelled() {
        on_a_runtime(async {
            let mut patient = script(&[PING, CANCEL]);
            assert_eq!(ready(&mut patient).await, Some(true));
            assert_eq!(ready(&mut patient).await, Some(true));
            assert_eq!(ready(&mut patient).await, Some(false));
        });
    }

    #[test] // spec: IF-7
    fn a_second_request_under_an_id_in_flight_is_refused() {
        on_a_runtime(async {
            let mut patient = script(&[PING, PING, READY, PING]);
            assert_eq!(ready(&mut patient).await, Some(true));
            let next = patient.receive().await;
            assert!(matches!(next, Some(JsonRpcMessage::Notification(_))), "the second was passed over");
            let reply = patient.inner.1.last().expect("a refusal").clone();
            assert_eq!((&reply["id"], &reply["error"]["code"]), (&7.into(), &(-32600).into()), "{reply}");
            let answer = ServerJsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(7));
            patient.send(answer).await.expect("it cannot fail");
            assert_eq!(ready(&mut patient).await, Some(true), "the id is free again");
        });
    }

    #[test]
    fn what_comes_before_the_first_request_is_passed_over() {
        on_a_runtime(async {
            let mut patient = script(&[READY, CANCEL, PING, READY]);
            assert!(matches!(patient.receive().await, Some(JsonRpcMessage::Request(_))));
            assert!(matches!(patient.receive().await, Some(JsonRpcMessage::Notification(_))));
        });
    }
}
