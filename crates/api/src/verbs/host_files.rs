//! The files of hosts, on the wire and on a terminal.

use crate::screen::{Look, bold, dim, name, styled};
use crate::{Context, Screen, guidance};
use brainstem_base::{Fault, codes};
use brainstem_connect::{FileFate, HostsDone, HostsRequest};
use brainstem_hosts::Host;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// One file of a host.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HostChange {
    /// Its path below the root.
    pub file: String,
    /// made, changed, unchanged or removed.
    pub outcome: String,
    /// What its part of the file is for.
    pub purpose: String,
    /// The difference, in the unified form; empty where there is none.
    pub diff: String,
}

/// The agent of a host.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HostAgent {
    /// The host.
    pub host: String,
    /// Its agent id: its claims are signed with it, and mail to it reaches every session there.
    pub agent_id: String,
}

/// The agents of these hosts.
pub(super) fn agents(hosts: &[String]) -> Vec<HostAgent> {
    let found = hosts.iter().filter_map(|host| Some((host.clone(), Host::find(host)?.agent().to_owned())));
    found.map(|(host, agent_id)| HostAgent { host, agent_id }).collect()
}

/// Which way.
#[derive(Clone, Copy)]
pub(super) enum HostDirection {
    In,
    Out,
}

/// What was done for hosts.
pub(super) struct Done {
    pub(super) root: String,
    pub(super) brain: Option<String>,
    pub(super) hosts: Vec<String>,
    pub(super) files: Vec<HostChange>,
    pub(super) notes: Vec<String>,
}

/// Puts hosts in or takes them out.
pub(super) fn run(
    way: HostDirection,
    hosts: &[String],
    path: Option<String>,
    dry_run: bool,
    cx: &Context,
) -> Result<Done, Fault> {
    let hosts = Host::parse_list(hosts.iter().map(String::as_str)).map_err(|word| {
        let known: Vec<_> = Host::ALL.iter().map(|host| host.as_str()).collect();
        let message = match word.is_empty() {
            true => "no host is named".to_owned(),
            false => format!("{word:?} is no host that is known here"),
        };
        let near =
            known.iter().find(|known| !word.is_empty() && brainstem_base::near_names::is_near(&word, known));
        let near = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        Fault::new(codes::INPUT_BAD_VALUE, message)
            .fix(format!("{near}use one or more of: {}, all", known.join(", ")))
            .field("host")
            .rule("IF-15")
    })?;
    let request =
        HostsRequest { path: path.map(PathBuf::from), hosts, section: guidance::section(), dry_run };
    let caller = cx.caller()?;
    let HostsDone { root, brain, hosts, files, mut notes } = match way {
        HostDirection::In => cx.connect().init_hosts(&caller, &request)?,
        HostDirection::Out => cx.connect().eject_hosts(&caller, &request)?,
    };
    notes.extend(cx.door.render_all(&caller.principal.notes()));
    let change = |file: brainstem_connect::HostFile| HostChange {
        file: file.file,
        outcome: file.fate.as_str().to_owned(),
        purpose: file.purpose.to_owned(),
        diff: file.diff,
    };
    Ok(Done {
        root: root.display().to_string(),
        brain: brain.map(|brain| brain.origin()),
        hosts: hosts.iter().map(|host| host.as_str().to_owned()).collect(),
        files: files.into_iter().map(change).collect(),
        notes,
    })
}

/// What became of each file; in a dry run the differences first.
pub(super) fn present(
    root: &str,
    brain: Option<&str>,
    files: &[HostChange],
    dry_run: bool,
    out: &mut Screen,
) {
    let diffs = files.iter().filter(|_| dry_run);
    for line in diffs.flat_map(|file| file.diff.lines()) {
        let look = match line.as_bytes().first() {
            _ if line.starts_with("+++ ") || line.starts_with("--- ") => Look::Bold,
            Some(b'+') => Look::Good,
            Some(b'-') => Look::Bad,
            Some(b'@') => Look::Dim,
            _ => Look::Plain,
        };
        out.line([styled(look, line)]);
    }
    if dry_run && files.iter().any(|file| !file.diff.is_empty()) {
        out.blank();
    }
    let brain = brain.map(|brain| format!("  {brain}")).unwrap_or_default();
    let nothing = if dry_run { "  nothing was written" } else { "" };
    out.flow(0, 2, [name(root), dim(format!("{brain}{nothing}"))]);
    for file in files {
        let would = if dry_run && file.outcome != FileFate::Unchanged.as_str() { "would be " } else { "" };
        let told = format!("  {would}{}: {}", file.outcome, file.purpose);
        out.flow(2, 4, [bold(file.file.as_str()), dim(told)]);
    }
}
