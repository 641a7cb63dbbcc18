//! The program as its users meet it: a process with words, streams and a status.

mod command_line;
mod mcp;
mod probe;
mod program;
mod texts;
mod transcripts;
