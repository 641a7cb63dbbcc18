//! MCP over standard input and output: one process, one client, one session.

use crate::calls::Calls;
use crate::door::McpDoor;
use crate::draining::DrainingTransport;
use crate::handler::Handler;
use crate::limits::{CALLER_POLLS_MAX, RUNNING_CALLS_MAX};
use crate::lines::Lines;
use brainstem_api::table;
use brainstem_base::{Fault, codes};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use std::sync::Arc;
use tokio::io::AsyncReadExt;

/// Serves until standard input ends, then finishes the running calls and records that the client has left.
pub fn serve_stdio(door: McpDoor) -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // The calls, the polls that a daemon waits for, and one thread each for reading and writing if the streams are not
        // pipes.
        .max_blocking_threads(RUNNING_CALLS_MAX as usize + CALLER_POLLS_MAX + 2)
        .build()
        .map_err(|error| failed("cannot start", &error))?;
    let served = runtime.block_on(serve(door));
    // A thread that waits for input must not keep the process alive.
    runtime.shutdown_background();
    served
}

async fn serve(door: McpDoor) -> Result<(), Fault> {
    let (input, output) = rmcp::transport::stdio_pipes();
    // A last line without a line break is a message too.
    let input = input.chain(&b"\n"[..]);
    let calls = Arc::new(Calls::new());
    let handler = Handler::new(door, table(), calls.clone());
    let (ended, leaving) = (handler.ended(), handler.clone());
    let served = match handler.serve(DrainingTransport::new(Lines::new(input, output)).telling(ended)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|error| failed("stopped", &error)),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed("could not agree with the client", &error)),
    };
    calls.finished().await;
    leaving.say_goodbye().await;
    served
}

fn failed(what: &str, error: &dyn std::error::Error) -> Fault {
    Fault::new(codes::INPUT_UNPARSABLE, format!("the MCP server {what}: {error}"))
        .fix("start it from an MCP host, which sends `initialize` first")
}
