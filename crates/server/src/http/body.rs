//! Bodies of requests, read within bounds, and bodies of answers.

use crate::budget::{ByteBudget, HeldBytes};
use crate::limits::{HttpLimits, LIGHT_LEN};
use brainstem_base::{Fault, codes};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body as _, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderMap, HeaderName};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// The body of an answer.
pub(crate) type Body = BoxBody<Bytes, Infallible>;

/// A body that is complete.
pub(crate) fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).boxed()
}

/// A text that holds its part of the budget for answers until its last byte is sent.
pub(crate) fn held(text: String, held: Option<HeldBytes>) -> Body {
    match held {
        Some(held) => full(Bytes::from_owner(Owned(text.into(), held))),
        None => full(text),
    }
}

/// Attaches a value to every piece of a body, until the piece is sent.
pub(crate) fn holding<T: Clone + Send + Sync + 'static>(body: Body, held: T) -> Body {
    body.map_frame(move |frame| {
        let held = held.clone();
        frame.map_data(move |bytes| Bytes::from_owner(Owned(bytes, held)))
    })
    .boxed()
}

struct Owned<T>(Bytes, T);

impl<T> AsRef<[u8]> for Owned<T> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Refuses a compressed body: its bytes would be read as they are.
pub(crate) fn check_coding(headers: &HeaderMap) -> Result<(), Fault> {
    let is_only = |name: HeaderName, word: &str| {
        let mut all = headers.get_all(name).iter();
        all.all(|coding| coding.as_bytes().eq_ignore_ascii_case(word.as_bytes()))
    };
    if is_only(header::CONTENT_ENCODING, "identity") && is_only(header::TRANSFER_ENCODING, "chunked") {
        return Ok(());
    }
    Err(Fault::new(codes::INPUT_MEDIA, "the body is packed, and is only read as it is")
        .fix("send it without Content-Encoding, and in no other Transfer-Encoding than chunked")
        .field("body")
        .rule("IF-12"))
}

/// A body that was read, and its part of the budget for bodies.
#[derive(Debug)]
pub(crate) struct ReadBody {
    pub(crate) bytes: Bytes,
    pub(crate) held: Option<HeldBytes>,
}

/// Reads a whole body. Refuses one that is too long or too slow, and does not read the rest of it. A long body is read once
/// there is room for all of it.
pub(crate) async fn read(body: Incoming, limits: &HttpLimits, room: &ByteBudget) -> Result<ReadBody, Fault> {
    let until = Instant::now() + limits.body_wait;
    let mut reading = Reading { len_max: limits.body_len_max, room, until, bytes: Vec::new(), held: None };
    let said = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    reading.make_room(said).await?;
    match tokio::time::timeout_at(until, reading.collect(body)).await {
        Ok(Ok(())) => Ok(ReadBody { bytes: reading.bytes.into(), held: reading.held }),
        Ok(Err(fault)) => Err(fault),
        Err(_) => {
            let seconds = limits.body_wait.as_secs_f32();
            Err(Fault::new(codes::INPUT_TOO_SLOW, format!("the body took longer than {seconds} s to arrive"))
                .fix("send it at once")
                .field("body")
                .rule("IF-11"))
        }
    }
}

struct Reading<'a> {
    len_max: usize,
    room: &'a ByteBudget,
    until: Instant,
    bytes: Vec<u8>,
    held: Option<HeldBytes>,
}

impl Reading<'_> {
    async fn collect(&mut self, mut body: Incoming) -> Result<(), Fault> {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| {
                Fault::new(codes::INPUT_UNPARSABLE, "the body ended before its end")
                    .fix("send as many bytes as Content-Length says")
                    .field("body")
            })?;
            let Ok(piece) = frame.into_data() else { continue };
            self.make_room(self.bytes.len() + piece.len()).await?;
            self.bytes.extend_from_slice(&piece);
        }
        Ok(())
    }

    /// Waits until so many bytes may be held. A body without a declared length takes the room of the longest at once: if many
    /// took it piece by piece, they could wait for each other.
    async fn make_room(&mut self, len: usize) -> Result<(), Fault> {
        if len > self.len_max {
            return Err(Fault::new(
                codes::INPUT_TOO_LARGE,
                format!("a body may be {} KiB at most", self.len_max >> 10),
            )
            .fix("send less at a time")
            .field("body")
            .rule("IF-11"));
        }
        if len <= LIGHT_LEN || self.held.is_some() {
            return Ok(());
        }
        let is_said = self.bytes.is_empty();
        let wait = self.until.saturating_duration_since(Instant::now());
        let held = self.room.hold(if is_said { len } else { self.len_max }, wait).await;
        self.held = held.map_err(|()| {
            let message = "too many long bodies are being read; this one was not";
            Fault::new(codes::DAEMON_BUSY, message).fix("try again in a moment, or send less").rule("IF-14")
        })?;
        Ok(())
    }
}

/// A body that is written while it is sent. Only a few pieces are kept, and the writer waits for the reader.
pub(crate) struct Pieces(mpsc::Receiver<Bytes>);

impl Pieces {
    pub(crate) fn channel() -> (mpsc::Sender<Bytes>, Body) {
        let (sender, receiver) = mpsc::channel(8);
        (sender, Self(receiver).boxed())
    }
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|piece| piece.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// A body with a value that is dropped when the body was read, or when its reader went away.
struct Holding<G> {
    body: Body,
    _held: G,
}

/// Keeps a value for as long as a body is read.
pub(crate) fn keeping(body: Body, held: impl Send + Sync + Unpin + 'static) -> Body {
    BoxBody::new(Holding { body, _held: held })
}

impl<G: Unpin> hyper::body::Body for Holding<G> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body that ends when the daemon stops.
pub(crate) struct UntilStopped {
    body: Body,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl UntilStopped {
    pub(crate) fn around(body: Body, stop: &CancellationToken) -> Body {
        BoxBody::new(SyncBody(std::sync::Mutex::new(Self {
            body,
            stopped: Box::pin(stop.clone().cancelled_owned()),
        })))
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.stopped.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(None),
            Poll::Pending => Pin::new(&mut self.body).poll_frame(cx),
        }
    }
}

/// A waiting future is not `Sync`, and a body must be.
struct SyncBody(std::sync::Mutex<UntilStopped>);

impl hyper::body::Body for SyncBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).poll(cx)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
