//! Which message a caller means: by its whole name, as `box/file`, or by a part of the name that no other message has.

use super::desk::Desk;
use brainstem_base::advice;
use brainstem_base::next::{calls, field};
use brainstem_base::{Fault, codes};
use brainstem_mail::FileName;
use brainstem_vault::mail::{MailFault, MailFolder, Mailbox};

/// How many messages are named that a name may mean.
const NAMED_MAX: usize = 10;
/// The folders in which a part of a name is looked for, one after the other: what waits counts before what is done.
const TURNS: &[&[MailFolder]] =
    &[&[MailFolder::Unread, MailFolder::Held], &[MailFolder::Read], &[MailFolder::Archive]];

/// A message, and the box it lies in.
pub(crate) struct Meant<'a> {
    pub(crate) file: FileName,
    pub(crate) mailbox: Mailbox<'a>,
}

impl Desk<'_> {
    /// The message that a text means, in the box that is named, else in the caller's own. A name that several
    /// messages have is refused, and the answer names them. A text with a secret in it is refused, and a part is looked for in
    /// the names as readers see them: a message that is found by its secret would confirm a guess.
    pub(crate) fn meant(&self, text: &str, named: Option<&str>) -> Result<Meant<'_>, Fault> {
        self.floor.check_secret("file", text)?;
        if let Some((mailbox, file)) = text.split_once('/') {
            let (in_text, named) = (self.named("file", mailbox)?, named.map(|name| self.named("box", name)));
            if named.transpose()?.is_some_and(|named| named.name() != in_text.name()) {
                return Err(Fault::new(codes::INPUT_BAD_VALUE, "`file` names one box, and `box` another")
                    .fix("name the box once")
                    .field("box")
                    .rule("MAIL-2"));
            }
            return self.meant_in(file, Some(mailbox));
        }
        self.meant_in(text, named)
    }

    fn meant_in(&self, text: &str, named: Option<&str>) -> Result<Meant<'_>, Fault> {
        self.message_in(text, named).map_err(|fault| {
            // A file that a list names as unreadable for its name is there.
            let boxes = self.boxes(named).map(|(boxes, _)| boxes).unwrap_or_default();
            let misnamed = boxes.iter().find_map(|mailbox| mailbox.misnamed(text));
            match misnamed.filter(|_| fault.code != codes::MAIL_AMBIGUOUS) {
                Some(bad) => MailFault::Unreadable { file: bad.file, why: bad.why }.into(),
                None => fault,
            }
        })
    }

    fn message_in(&self, text: &str, named: Option<&str>) -> Result<Meant<'_>, Fault> {
        let (boxes, mut broken) = self.boxes(named)?;
        let found = match FileName::parse(text) {
            Ok(file) => whole(&file, boxes, &mut broken),
            Err(fault) => match if is_part(text) { self.part(text, boxes, &mut broken)? } else { None } {
                Some(meant) => vec![meant],
                None if is_part(text) => Vec::new(),
                None => return Err(fault.into()),
            },
        };
        match <[Meant<'_>; 1]>::try_from(found) {
            Ok([one]) => Ok(one),
            Err(several) if several.len() > 1 => Err(ambiguous(
                text,
                several.iter().map(|meant| format!("{}/{}", meant.mailbox.name(), meant.file)).collect(),
            )),
            // It may lie where nobody can look.
            Err(_) if !broken.is_empty() => Err(broken.swap_remove(0)),
            Err(_) => {
                let place = match named {
                    Some(mailbox) => format!("the box {mailbox}"),
                    None => format!("the boxes of {}", self.own.me),
                };
                let told = match FileName::parse(text) {
                    Ok(_) => format!("no message {text} is in {place}"),
                    Err(_) => format!("no message in {place} has {text:?} in its name"),
                };
                Err(Fault::new(codes::MAIL_NOT_FOUND, told)
                    .fix(advice![
                        "see `",
                        calls::mail_list(),
                        "` for the messages that are there, or name another box with `",
                        field("box"),
                        "`"
                    ])
                    .field("file")
                    .rule("MAIL-10"))
            }
        }
    }
}

/// The boxes in which a message of that name lies. What is wrong with a box that cannot be looked into goes to `broken`.
fn whole<'a>(file: &FileName, boxes: Vec<Mailbox<'a>>, broken: &mut Vec<Fault>) -> Vec<Meant<'a>> {
    let there = boxes.into_iter().filter(|mailbox| match mailbox.find(file) {
        Err(MailFault::NotFound { .. }) => false,
        Err(fault @ MailFault::Store(_)) => {
            broken.push(fault.into());
            false
        }
        Ok(_) | Err(_) => true,
    });
    there.map(|mailbox| Meant { file: file.clone(), mailbox }).collect()
}

impl Desk<'_> {
    /// The one message whose name has that part, of the first folders that hold any. What is wrong with a folder that
    /// cannot be listed goes to `broken`.
    fn part<'a>(
        &self,
        text: &str,
        mut boxes: Vec<Mailbox<'a>>,
        broken: &mut Vec<Fault>,
    ) -> Result<Option<Meant<'a>>, Fault> {
        for folders in TURNS {
            let mut found: Vec<(usize, FileName)> = Vec::new();
            for (at, mailbox) in boxes.iter().enumerate() {
                for folder in *folders {
                    let files = mailbox.files(*folder).unwrap_or_else(|error| {
                        broken.push(error.into());
                        Vec::new()
                    });
                    found.extend(
                        files
                            .into_iter()
                            .filter(|file| self.floor.mask(file.as_str()).contains(text))
                            .map(|file| (at, file)),
                    );
                }
            }
            if found.len() > 1 {
                let named = |(at, file): &(usize, FileName)| format!("{}/{file}", boxes[*at].name());
                return Err(ambiguous(text, found.iter().map(named).collect()));
            }
            if let Some((at, file)) = found.pop() {
                return Ok(Some(Meant { file, mailbox: boxes.swap_remove(at) }));
            }
        }
        Ok(None)
    }
}

/// Whether a text can be a part of a name; a path is none.
pub(super) fn is_part(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._@~-".contains(&byte))
}

/// The refusal of a name that several messages have.
pub(super) fn ambiguous(text: &str, mut several: Vec<String>) -> Fault {
    let count = several.len();
    several.truncate(NAMED_MAX);
    let more = count - several.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let told = format!("{text:?} may mean {count} messages: {}{more}", several.join(", "));
    Fault::new(codes::MAIL_AMBIGUOUS, told)
        .fix("name one of them as it stands there, box/file")
        .field("file")
        .rule("MAIL-2")
}
