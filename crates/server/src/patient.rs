//! A transport that waits: the end of the input is passed on only when every request that was read
//! has its answer, and no more requests are read while too many wait.
//!
//! rmcp itself gives running calls five seconds after the end of the input and then drops their
//! answers; a script that pipes its requests in would lose some.

use crate::limits::PENDING_REQUESTS_MAX;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

pub(crate) struct Patient<T> {
    inner: T,
    pending: Arc<Pending>,
}

impl<T> Patient<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, pending: Arc::default() }
    }
}

/// The requests that were read and not answered.
#[derive(Default)]
struct Pending {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Pending {
    fn add(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone());
    }

    fn remove(&self, id: &RequestId) {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.fewer.notify_one();
    }

    async fn at_most(&self, count: usize) {
        // Only the one reader waits, and a stored permit keeps a change between check and wait.
        while self.ids.lock().unwrap_or_else(PoisonError::into_inner).len() > count {
            self.fewer.notified().await;
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
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
        let Some(message) = self.inner.receive().await else {
            self.pending.at_most(0).await;
            return None;
        };
        match &message {
            JsonRpcMessage::Request(request) => self.pending.add(&request.id),
            // rmcp sends no answer to a request that was cancelled.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.pending.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
