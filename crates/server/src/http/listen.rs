//! Connections: a bounded number at once, each wait with a limit, and none cut off in the middle of an answer.

use crate::http::answer::HttpAnswer;
use crate::http::shared::DaemonParts;
use crate::http::stall::Stall;
use crate::http::visitors::{VisitorHandle, Visitors};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// The longest head of a request. A path with long texts in its query fits.
const HEAD_LEN_MAX: usize = 64 * 1024;
/// How long to wait when the system has no descriptor for another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";

/// How many connections may wait to be accepted. The system may keep fewer.
const BACKLOG: i32 = 1024;

/// Lets more connections wait than a listener does by default. Beyond that number the system drops them, and their callers try
/// again after a second.
pub(crate) fn let_wait(listener: &std::net::TcpListener) {
    // If this fails, the default stays.
    let _ = rustix::net::listen(listener, BACKLOG);
}

/// Accepts until the daemon stops, then waits for the connections that are in the middle of an answer.
pub(crate) async fn accept(listener: TcpListener, shared: Arc<DaemonParts>) {
    // One for each known caller, for each stranger, and for each stranger that is leaving.
    let count = shared.limits.connections_max + 2 * shared.limits.strangers_max;
    let (places, visitors) = (Arc::new(Semaphore::new(count)), Arc::new(Visitors::new(&shared.limits)));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shared.stop.cancelled() => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(_) => {
                // A fault of one connection is over already; more file descriptors will be free soon.
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        if let Some(wait) = visitors.wait() {
            tokio::time::sleep(wait).await;
        }
        let visitor = visitors.enter();
        match tokio::time::timeout(ACCEPT_PAUSE, places.clone().acquire_owned()).await {
            Ok(Ok(place)) => {
                let shared = shared.clone();
                tokio::spawn(async move {
                    let _place = place;
                    shared.meters.connections.fetch_add(1, Ordering::Relaxed);
                    serve(stream, &shared, Arc::new(visitor)).await;
                    shared.meters.connections.fetch_sub(1, Ordering::Relaxed);
                });
            }
            Ok(Err(_)) | Err(_) => {
                shared.meters.connections_refused.fetch_add(1, Ordering::Relaxed);
                let _ = stream.try_write(FULL);
            }
        }
    }
    drop(listener);
    let all = u32::try_from(count).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(shared.limits.stop_wait, places.acquire_many(all)).await;
}

async fn serve(stream: TcpStream, shared: &Arc<DaemonParts>, visitor: Arc<VisitorHandle>) {
    // Answers are small, and their readers wait for them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request: Request<Incoming>| {
        let (shared, visitor) = (shared.clone(), visitor.clone());
        async move { Ok::<HttpAnswer, Infallible>(shared.answer(request, &visitor).await) }
    });
    let stream = TokioIo::new(Stall::new(stream, shared.limits.write_wait));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(shared.limits.head_wait)
        .max_buf_size(HEAD_LEN_MAX)
        // The buffer alone grows beyond its size if a whole head comes at once.
        .max_header_size(HEAD_LEN_MAX)
        .serve_connection(stream, service);
    tokio::pin!(connection);
    // The other end notices a fault of its connection.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = visitor.gone() => {
            shared.meters.connections_refused.fetch_add(1, Ordering::Relaxed);
            return;
        }
        () = shared.stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

#[cfg(test)]
mod tests {
    use super::*;

    // Elsewhere the system may keep as few as 128, whatever is asked for.
    #[cfg(target_os = "linux")]
    #[test] // spec: IF-14
    fn a_caller_behind_hundreds_of_strangers_is_not_dropped() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let_wait(&listener);
        let soon = Duration::from_millis(500);
        let come = |_| std::net::TcpStream::connect_timeout(&address, soon).expect("it waits in the queue");
        let waiting: Vec<_> = (0..400).map(come).collect();
        assert_eq!(waiting.len(), 400);
    }
}
