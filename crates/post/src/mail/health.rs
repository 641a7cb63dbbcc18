//! The doctor's findings about the mail of the caller's project. Looking changes nothing.

use super::sharing::ignored_fix;
use crate::Post;
use brainstem_base::disk::FileKind;
use brainstem_base::next::{Shell, calls, shell_word};
use brainstem_base::{Advice, advice};
use brainstem_mail::name::MailboxName;
use brainstem_memory::{Caller, Finding, Meant, OutOfReach, Trouble, out_of_reach, unfit};
use brainstem_vault::census;
use brainstem_vault::mail::{AstrayFolder, GitRule, KeptOut, MailFolder, MailRoot, UnreadableMessage};
use std::collections::BTreeSet;
use std::path::Path;

/// The folders inside a box.
const FOLDERS_OF_A_BOX: &[&str] = &["read", "archive", ".claimed", ".seen", ".keys"];
/// How many files of one kind are named.
const NAMED_MAX: usize = 10;

impl Post {
    /// Checks the boxes of the caller's mail root.
    pub fn mail_health(&self, caller: &Caller) -> Vec<Finding> {
        let Some(root) = self.mail_root(caller) else { return Vec::new() };
        let mut findings = self.sessions_under_anothers_address(&root);
        findings.extend(self.mail_folder_reach(root.path()));
        findings.extend(self.mail_folder_reach(&root.path().join(".names")));
        let boxes = match root.boxes() {
            Ok(boxes) => boxes,
            Err(_) if findings.iter().any(|found| found.trouble == Trouble::MailUnreachable) => {
                return findings;
            }
            Err(error) => {
                let path = root.path().display();
                let fix = advice!["look at `{path}`, then run ", calls::doctor(), " again"];
                findings.push(finding(Trouble::MailUnreadable, root.path(), error.to_string(), fix));
                return findings;
            }
        };
        findings.extend(exposed(&root));
        findings.extend(self.ignored_by_git(&root));
        findings.extend(self.boxes_without_folders(caller, &root));
        let known = self.mail_sessions(&root).names(self.clock().now());
        findings.extend(boxes_spelled_alike(&root, &boxes, &known));
        findings.extend(self.boxes_never_read(caller, &root, &boxes));
        let mut bad: Vec<UnreadableMessage> = Vec::new();
        for name in boxes {
            let dir = root.path().join(name.as_str());
            let unreachable = self.mail_folder_reach(&dir);
            let is_reachable = unreachable.is_none();
            findings.extend(unreachable);
            let below = FOLDERS_OF_A_BOX.iter().map(|folder| dir.join(folder));
            let unreachable: Vec<Finding> = below.filter_map(|dir| self.mail_folder_reach(&dir)).collect();
            let is_reachable = is_reachable && unreachable.is_empty();
            findings.extend(unreachable);
            let Ok(mailbox) = root.listed(&name) else { continue };
            for folder in [MailFolder::Unread, MailFolder::Held] {
                match mailbox.list(folder) {
                    Ok(listing) => bad.extend(listing.unreadable),
                    Err(error) if is_reachable => {
                        let path = dir.display();
                        let fix = advice!["look at `{path}`, then run ", calls::doctor(), " again"];
                        findings.push(finding(Trouble::MailUnreachable, &dir, error.to_string(), fix));
                    }
                    Err(_) => {}
                }
            }
        }
        let is_named = |findings: &[Finding], path: &Path| findings.iter().any(|found| found.place == path);
        for AstrayFolder { path, why } in root.astray().unwrap_or_default().into_iter().take(NAMED_MAX) {
            if is_named(&findings, &path) {
                continue;
            }
            let fix = "move the messages into a box, or away; they are left where they are";
            findings.push(finding(Trouble::MailUnreadable, &path, why, fix.into()));
        }
        let more = bad.len().saturating_sub(NAMED_MAX);
        for file in bad.into_iter().take(NAMED_MAX) {
            let fix = "mend the file or move it away; it is left where it is";
            findings.push(finding(Trouble::MailUnreadable, &file.path, file.why, fix.into()));
        }
        if more > 0 {
            let detail = format!("and {more} more files that are not messages");
            let fix = advice!["mend the ones above, then run ", calls::doctor(), " again"];
            findings.push(finding(Trouble::MailUnreadable, root.path(), detail, fix));
        }
        let tracked = root.tracked();
        if tracked.is_uncertain() {
            let detail = "it cannot be read which of its messages git tracks, so that every message counts as one that came with the \
                          repository";
            let fix = advice![
                "look at `.git/index` with `git status` (where a folder of the mail is a repository of its own, there too), \
                 then run ",
                calls::doctor(),
                " again"
            ];
            findings.push(finding(Trouble::MailTracked, root.path(), detail.to_owned(), fix));
        }
        let tracked = tracked.count();
        if tracked > 0 && !root.is_noted_committed() {
            let detail = format!(
                "git tracks {tracked} of its messages, so anyone who can write to the repository can write to these boxes"
            );
            // Noted before a person takes them out of git, so that they stay marked as brought by a repository.
            let fix = match root.note_every_tracked() {
                Ok(()) => advice![
                    "look at their senders; `",
                    Shell::line("git rm -r --cached .mail"),
                    "` takes them out of git (where a folder of the mail is a repository of its own, run it there), and \
                     they keep their mark; `",
                    calls::mail_init_commit(),
                    "` says that it is meant"
                ],
                Err(error) => advice![
                    "look at their senders; {error}, so they would lose their mark outside git: mend that first, then run ",
                    calls::doctor(),
                    " again"
                ],
            };
            findings.push(finding(Trouble::MailTracked, root.path(), detail, fix));
        }
        let others = unfit(self.disk(), root.path(), census::MAIL).into_iter();
        let others: Vec<Finding> =
            others.filter(|other| !findings.iter().any(|finding| finding.place == other.place)).collect();
        findings.extend(others);
        findings
    }

    /// The findings about sessions that earlier programs registered under an address of another agent. They get no mail under
    /// it, but a session that still runs believes that it has the name.
    fn sessions_under_anothers_address(&self, root: &MailRoot) -> Vec<Finding> {
        let void = self.mail_sessions(root).void(self.clock().now());
        let named = void.into_iter().take(NAMED_MAX).map(|(path, record)| {
            let (name, agent) = (&record.name, record.agent.as_deref().unwrap_or("an agent"));
            let detail = format!(
                "{agent} registered a session called {name}, which is an address of another agent: the session gets no mail under it"
            );
            let shown = shell_word(&path.display().to_string());
            let fix = advice![
                "give that session another name, for example with ",
                calls::session_register(calls::NAME, calls::TAG),
                "; once it has ended, ",
                Shell::line(format!("rm {shown}")),
                " removes the record"
            ];
            finding(Trouble::SessionNameTaken, &path, detail, fix)
        });
        named.collect()
    }

    /// The findings about a file or link with the name of a box. A plain file counts if its name is that of a session, a tag, a
    /// box of the caller or broadcasts: any other may be a person's note. A link always counts.
    fn boxes_without_folders(&self, caller: &Caller, root: &MailRoot) -> Vec<Finding> {
        let others = root.boxes_that_are_no_folders().unwrap_or_default();
        if others.is_empty() {
            return Vec::new();
        }
        let mut known = self.mail_sessions(root).names(self.clock().now());
        known.extend(self.own_boxes(caller, root).boxes);
        let stands_for_a_box = |name: &MailboxName, kind: FileKind| {
            kind == FileKind::Link || name.is_broadcast() || known.contains(name)
        };
        let found_message = others.into_iter().filter(|(name, kind)| stands_for_a_box(name, *kind));
        found_message
            .filter_map(|(name, _)| self.mail_folder_reach(&root.path().join(name.as_str())))
            .collect()
    }

    /// The finding about a mail root that a person lets git commit, if a rule of git leaves its messages out.
    fn ignored_by_git(&self, root: &MailRoot) -> Option<Finding> {
        let ignoring = self.ignoring_rule(root)?;
        let detail = format!(
            "git may commit the mail here, and the rule `{}` leaves it out: no message travels with the repository",
            ignoring.rule
        );
        let fix = advice![
            ignored_fix(&ignoring),
            "; or, if the mail is to be private: ",
            calls::mail_init_private()
        ];
        Some(finding(Trouble::MailIgnored, &ignoring.file, detail, fix))
    }

    /// The finding about a folder of mail that this user may not list or write, or that is not a folder. A missing folder is in
    /// order.
    fn mail_folder_reach(&self, dir: &Path) -> Option<Finding> {
        let OutOfReach { detail, fix, .. } = out_of_reach(self.disk(), dir, Meant::Folder)?;
        let detail = detail.replace("writes are refused", "mail is refused");
        Some(finding(Trouble::MailUnreachable, dir, detail, fix.into()))
    }
}

/// The finding about a private mail root that git may take: its `.gitignore` is missing, has no rule or lets messages be
/// committed, and this clone does not exclude it. One that is no plain file has a finding of the census.
pub(super) fn exposed(root: &MailRoot) -> Option<Finding> {
    if root.says_private() {
        return None;
    }
    let what = match root.git_rule() {
        GitRule::Private | GitRule::Unusable { .. } => return None,
        GitRule::Nothing => "its `.gitignore` is missing or has no rule",
        GitRule::Committable => "its `.gitignore`, which nobody here wrote, lets messages be committed",
    };
    let is_there = root.exists().is_ok_and(|is_there| is_there);
    if !is_there || root.is_noted_committed() {
        return None;
    }
    let says = advice!["; `", calls::mail_init_commit(), "` says that git may commit them"];
    let (detail, fix) = match root.kept_out() {
        Ok(KeptOut::NoGit | KeptOut::Excluded) => return None,
        Ok(KeptOut::NotYet) => (
            format!("{what}: git may take the messages"),
            advice![calls::mail_init(), " keeps them out of git in this clone", says],
        ),
        Ok(KeptOut::Overruled(path)) => (
            format!("{what}, and a rule in `{}` lets git take the messages", path.display()),
            advice![calls::mail_init_private(), " keeps them out of git", says],
        ),
        Err(error) => (
            format!("{what}: git may take the messages, and {error}"),
            advice![calls::mail_init_private(), " keeps them out of git", says],
        ),
    };
    let detail = format!("the mail here is private, and {detail}");
    Some(finding(Trouble::MailExposed, root.path(), detail, fix))
}

/// What [`exposed`] finds, as a sentence with its fix.
pub(super) fn exposed_in_words(root: &MailRoot) -> Option<Advice> {
    exposed(root).map(|found| advice![found.detail, "; ", found.fix])
}

/// The findings about boxes whose names differ only by case. A send to either name is refused, and a file system that ignores
/// case would make one box of both.
fn boxes_spelled_alike(
    root: &MailRoot,
    boxes: &[MailboxName],
    known: &BTreeSet<MailboxName>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, name) in boxes.iter().enumerate() {
        let alike = boxes[at + 1..].iter().filter(|other| name.differs_only_by_case(other.as_str()));
        for other in alike {
            // Messages move into the spelling that a session or a tag has.
            let is_swapped = known.contains(other) && !known.contains(name);
            let (into, from) = if is_swapped { (other, name) } else { (name, other) };
            let (one, two) = (root.path().join(into.as_str()), root.path().join(from.as_str()));
            let detail = format!(
                "the boxes `{name}` and `{other}` differ only by case: mail to one of them is not seen by a reader of the other"
            );
            let [from, into] = [&two, &one].map(|path| shell_word(&path.display().to_string()));
            let fix = advice![
                "see that nothing writes to `",
                two.display().to_string(),
                "` any more, then move its messages, whether unread, read, archived or held, without replacing any: ",
                Shell::line(moved_without_replacing(&from, &into)),
                "; what the last command still names has the name of a message in the other box, so give it another name and move it too; \
                 remove the folder when it names none"
            ];
            findings.push(finding(Trouble::MailBoxesAlike, &two, detail, fix));
        }
    }
    findings
}

/// The shell line that moves every message of a box into the same folders of another. It replaces no file, and prints what
/// stays.
fn moved_without_replacing(from: &str, into: &str) -> String {
    format!(
        "for d in . read archive .claimed; do mkdir -p {into}/$d && find {from}/$d -maxdepth 1 -type f -name '*.md*' -exec mv -n {{}} {into}/$d/ ';'; done; \
         find {from} -name '*.md*'"
    )
}

fn finding(trouble: Trouble, place: &Path, detail: String, fix: Advice) -> Finding {
    Finding { trouble, place: place.to_owned(), detail, fix }
}
