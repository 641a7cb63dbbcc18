//! Sending to who is online, and as mail to who is not.

use super::hub::Hub;
use super::place::place_of;
use super::refusals::{check_len, no_daemon};
use crate::Post;
use crate::mail::send::after_copies;
use crate::mail::{SendRequest, Sent, kind_of};
use brainstem_base::advice;
use brainstem_base::next::field;
use brainstem_base::{AgentId, Fault, codes};
use brainstem_mail::live::{Address, LiveNote, LiveTarget, TargetReach};
use brainstem_mail::name::{BROADCAST, MailboxName, is_everyone, may_be_everybody};
use brainstem_mail::resolve::ResolveRule;
use brainstem_memory::{Caller, box_of_alias};

/// The type of a message whose sender names none.
const TYPE_DEFAULT: &str = "task";

/// What is to be sent.
#[derive(Clone, Debug, Default)]
pub struct LiveRequest {
    /// `session:NAME`, `tag:NAME`, an agent id, `everyone`, `worktree:PATH` or `parent`; a bare name is a session, a tag
    /// or another name of an agent.
    pub target: String,
    /// The type, as mail has it; `task` where none is named.
    pub kind: Option<String>,
    /// What it is about.
    pub subject: Option<String>,
    /// What it says.
    pub body: String,
    /// At once.
    pub urgent: bool,
    /// Write it as mail too.
    pub persist: bool,
    /// Reach sessions of other projects as well.
    pub everywhere: bool,
}

/// A mail file that was written beside.
#[derive(Clone, Debug)]
pub struct MailedCopy {
    /// The box.
    pub mailbox: MailboxName,
    /// The file.
    pub file: String,
    /// By which rule the box was found.
    pub rule: ResolveRule,
    /// What the sender should know of the box: nobody here has its name.
    pub note: Option<String>,
}

/// Whom it reached.
#[derive(Clone, Debug)]
pub struct LiveSent {
    /// Who it is from.
    pub from: MailboxName,
    /// The sessions that are online and have it waiting, by name.
    pub recipients: Vec<Address>,
    /// The mail files that were written.
    pub mailed: Vec<MailedCopy>,
    /// A daemon carries the channel to this call; without one, nobody can be online.
    pub has_daemon: bool,
}

impl Post {
    /// Sends to whoever the target reaches now. Where that is nobody, or persistence is asked for, the
    /// message is mail too, and the mail is durable before anybody sees it.
    pub fn live_send(
        &self,
        caller: &Caller,
        hub: Option<&Hub>,
        request: &LiveRequest,
    ) -> Result<LiveSent, Fault> {
        let desk = self.desk(caller)?;
        let kind = kind_of(request.kind.as_deref().unwrap_or(TYPE_DEFAULT))?;
        let (now, from) = (desk.now, desk.own.me.clone());
        let me = Address { project: place_of(&desk.root), name: desk.own.holder.clone() };
        let scope = if request.everywhere { TargetReach::Everywhere } else { TargetReach::Project };
        let targets = targets(&request.target, &|name| desk.is_session_or_tag(name))?;
        let presence = self.presence(caller, &desk, None);
        let recipients = hub.map_or_else(Vec::new, |hub| {
            hub.with(|channel| {
                channel.hear(presence, now);
                let reached = targets.iter().map(|target| channel.recipients(&me, target, scope, now));
                // A bare name is the session, where one is online, else the tag.
                reached.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
            })
        });
        // No reader is shown a secret, so that a message with one would not arrive as it was sent.
        let floor = self.memory().floor();
        floor.check_name("target", &request.target)?;
        floor.check_secret("body", &request.body)?;
        floor.check_secret("subject", request.subject.as_deref().unwrap_or_default())?;
        check_len("body", &request.body)?;
        check_len("subject", request.subject.as_deref().unwrap_or_default())?;
        check_one_line("subject", request.subject.as_deref().unwrap_or_default())?;
        let mut mailed = Vec::new();
        if recipients.is_empty() {
            let to = mail_target(&targets[0], &request.target)
                .ok_or_else(|| nobody(hub.is_some(), &targets[0], scope, &request.target))?;
            mailed.push(self.copy(caller, to, request)?);
        }
        for recipient in &recipients {
            let is_near = recipient.project == me.project;
            let send = |hub: &Hub| -> Result<Option<MailedCopy>, Fault> {
                // A connection has no box that anybody reads after it: its copy lies in its agent's.
                let to = hub.with(|channel| channel.box_of(recipient));
                let copy = (request.persist && is_near)
                    .then(|| self.copy(caller, by_name(&to), request))
                    .transpose()?;
                let note = LiveNote {
                    from: Some(from.to_string()),
                    kind: kind.as_str().to_owned(),
                    subject: request.subject.clone().unwrap_or_default(),
                    body: request.body.clone(),
                    urgent: request.urgent,
                    is_copy: copy.is_some(),
                    about: copy.as_ref().map(|copy| (copy.mailbox.clone(), copy.file.clone())),
                    is_tracked: false,
                };
                hub.with(|channel| channel.push(recipient, note, now));
                Ok(copy)
            };
            if let Some(hub) = hub {
                let copies: Vec<String> = mailed
                    .iter()
                    .map(|copy: &MailedCopy| format!("{}/{}", copy.mailbox, copy.file))
                    .collect();
                let sent = hub.sending(|| send(hub)).map_err(|fault| {
                    let told = "free some space or make the folder writable, then send it to those alone that have no copy";
                    after_copies(fault, &copies, told.into())
                })?;
                mailed.extend(sent);
            }
        }
        Ok(LiveSent { from, recipients, mailed, has_daemon: hub.is_some() })
    }

    fn copy(&self, caller: &Caller, to: String, request: &LiveRequest) -> Result<MailedCopy, Fault> {
        let request = SendRequest {
            to,
            kind: request.kind.clone().unwrap_or_else(|| TYPE_DEFAULT.to_owned()),
            subject: request.subject.clone(),
            body: Some(request.body.clone()),
            priority: request.urgent.then(|| "urgent".to_owned()),
            ..SendRequest::default()
        };
        let mut sent = self.send(caller, &request)?;
        let sent = sent.swap_remove(0);
        let note = sent.note();
        let Sent { mailbox, file, rule, .. } = sent;
        Ok(MailedCopy { mailbox, file: file.to_string(), rule, note })
    }
}

/// A reader is shown it on the line of the sender, so that a second line could pass for the program's own words.
fn check_one_line(field: &'static str, text: &str) -> Result<(), Fault> {
    if !text.chars().any(char::is_control) {
        return Ok(());
    }
    let message = format!("`{field}` has a line break or a control character");
    Err(Fault::new(codes::INPUT_BAD_VALUE, message).fix("say it in one line").field(field).rule("MAIL-17"))
}

/// What a target may mean, the first that is online counts. A word for everybody that a session or a tag has as its name
/// is that name.
fn targets(text: &str, is_known: &dyn Fn(&MailboxName) -> bool) -> Result<Vec<LiveTarget>, Fault> {
    let name = |text: &str| MailboxName::parse(text).map_err(|fault| Fault::from(fault).field("target"));
    Ok(match text.trim().split_once(':') {
        Some(("session", of)) => vec![LiveTarget::Session(name(of)?)],
        Some(("tag", of)) => vec![LiveTarget::Tag(name(of)?)],
        Some(("worktree", path)) if !path.is_empty() => vec![LiveTarget::Worktree(path.to_owned())],
        // Whoever runs an agent reads its box, as whoever carries a tag does.
        Some(_) => match AgentId::parse(text.trim()) {
            Ok(agent) => vec![LiveTarget::Tag(MailboxName::of_agent(&agent))],
            Err(_) => return Err(bad_target(text)),
        },
        None => match text.trim() {
            word if is_everyone(word) => vec![LiveTarget::Everyone],
            "parent" => vec![LiveTarget::Parent],
            other => {
                let (word, other) = (other, name(other)?);
                if may_be_everybody(word) && !is_known(&other) {
                    return Ok(vec![LiveTarget::Everyone]);
                }
                let of_agent = box_of_alias(&other).map(LiveTarget::Tag);
                [LiveTarget::Session(other.clone()), LiveTarget::Tag(other)]
                    .into_iter()
                    .chain(of_agent)
                    .collect()
            }
        },
    })
}

fn bad_target(text: &str) -> Fault {
    let shown: String = text.chars().take(40).collect();
    Fault::new(codes::INPUT_BAD_VALUE, format!("{shown:?} is no target"))
        .fix("use a name, an agent id, session:NAME, tag:NAME, everyone, worktree:PATH or parent")
        .field("target")
        .rule("MAIL-17")
}

/// Returns the text that names a box in `to` of mail: a name that is also a word of mail's own is marked as a name.
fn by_name(name: &MailboxName) -> String {
    let is_word = name.as_str() == "parent" || may_be_everybody(name.as_str());
    if is_word { format!("session:{name}") } else { name.to_string() }
}

/// Returns the text that names, in `to` of mail, the box of a target when nobody is online. What the caller named with `session:` or
/// `tag:` is that very name, also where it is another name of an agent.
fn mail_target(target: &LiveTarget, text: &str) -> Option<String> {
    let is_exact = matches!(text.trim().split_once(':'), Some(("session" | "tag", _)));
    match target {
        LiveTarget::Session(name) | LiveTarget::Tag(name) if is_exact => Some(format!("session:{name}")),
        LiveTarget::Session(name) | LiveTarget::Tag(name) => Some(by_name(name)),
        LiveTarget::Everyone => Some(BROADCAST.to_owned()),
        LiveTarget::Worktree(_) | LiveTarget::Parent => None,
    }
}

fn nobody(has_daemon: bool, meant: &LiveTarget, scope: TargetReach, target: &str) -> Fault {
    let shown: String = target.chars().take(40).collect();
    let fix = match (meant, scope) {
        (LiveTarget::Worktree(_), TargetReach::Project) => {
            advice![
                "add ",
                field("everywhere").set(),
                " if the folder is not of this project, or send it to a session or a tag: then it waits as mail"
            ]
        }
        _ => "send it to a session or a tag: then it waits as mail".into(),
    };
    if has_daemon {
        return Fault::new(codes::LIVE_NOBODY, format!("nobody is online at {shown:?}, and it names no box"))
            .fix(fix)
            .field("target")
            .rule("MAIL-17");
    }
    no_daemon()
}
