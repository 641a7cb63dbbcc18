//! The program as its users meet it: a process with words, streams and a status.

mod command_line;
mod config;
mod daemon;
mod delegation;
mod doctor;
mod hooks;
mod hosts;
mod letters;
mod letters_story;
mod letters_words;
mod limits;
mod mail;
mod mail_processes;
mod mcp;
mod mcp_resources;
mod migrate;
mod probe;
mod program;
mod promotion;
mod secrets;
mod shells;
mod texts;
mod tiers;
mod tour;
mod transcripts;
mod two_clones;
