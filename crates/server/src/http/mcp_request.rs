//! What a request of MCP over HTTP carries beside its message.

use hyper::HeaderMap;
use tokio_util::sync::CancellationToken;

/// The header that names the protocol version of a request, and the first version without sessions. Versions are named by
/// dates.
const VERSION_HEADER: &str = "mcp-protocol-version";
const WITHOUT_SESSIONS: &str = "2026-07-28";

/// The connection that waits for the answer to a request: cancelled when the connection is lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listener(pub(crate) CancellationToken);

/// Whether the protocol version of a request has sessions. Without the header it is an older one, and has.
pub(crate) fn has_sessions(headers: &HeaderMap) -> bool {
    let spoken = headers.get(VERSION_HEADER).and_then(|version| version.to_str().ok());
    spoken.is_none_or(|version| version < WITHOUT_SESSIONS)
}
