//! Finds the message that a caller means: by its whole name, as `box/file`, or by a part of the name that no other message has.

use super::caller_mail::CallerMail;
use super::error::{BoxNaming, MailError};
use super::message_ref::{MessageName, MessageRef};
use super::named_box::{Boxes, NamedBox};
use brainstem_mail::FileName;
use brainstem_vault::mail::{MailFault, MailFolder, Mailbox};

/// How many messages an answer names if several match.
const NAMED_MAX: usize = 10;
/// The folders in which a part of a name is looked for, in this order: unread messages count before read ones.
const TURNS: &[&[MailFolder]] =
    &[&[MailFolder::Unread, MailFolder::Held], &[MailFolder::Read], &[MailFolder::Archive]];

/// Where a text of a caller is looked for.
#[derive(Clone, Copy)]
enum Looked {
    /// In the names of the files.
    Name,
    /// In the subjects.
    Subject,
}

/// A message and its box.
pub(crate) struct MessageInBox<'a> {
    pub(crate) file: FileName,
    pub(crate) mailbox: Mailbox<'a>,
}

impl CallerMail<'_> {
    /// The message that a caller means, in the named box, else in the caller's own. If several messages match, the refusal
    /// names them. A part is compared with the masked names that readers see: a message that is found by its secret would
    /// confirm a guess.
    pub(crate) fn find_message(
        &self,
        message: &MessageRef,
        named: Option<&NamedBox>,
    ) -> Result<MessageInBox<'_>, MailError> {
        let Some(before_name) = &message.in_box else {
            return self.meant_in(&message.name, &named.cloned().into());
        };
        let in_text = self.named("file", before_name)?;
        let named = named.map(|named| self.named("box", named)).transpose()?;
        if named.is_some_and(|named| named.name() != in_text.name()) {
            return Err(MailError::TwoBoxes);
        }
        self.meant_in(&message.name, &Boxes::One(before_name.clone()))
    }

    fn meant_in(&self, name: &MessageName, boxes: &Boxes) -> Result<MessageInBox<'_>, MailError> {
        self.message_in(name, boxes).map_err(|error| {
            // A listing may name a file as unreadable because of its name; such a file exists.
            let boxes = self.boxes(boxes).map(|(boxes, _)| boxes).unwrap_or_default();
            let misnamed = boxes.iter().find_map(|mailbox| mailbox.misnamed(name.text()));
            match misnamed.filter(|_| !matches!(error, MailError::Ambiguous { .. })) {
                Some(bad) => MailFault::Unreadable { file: bad.file, why: bad.why }.into(),
                None => error,
            }
        })
    }

    fn message_in(&self, name: &MessageName, wanted: &Boxes) -> Result<MessageInBox<'_>, MailError> {
        let (boxes, mut broken) = self.boxes(wanted)?;
        let found = match name {
            MessageName::Whole(file) => whole(file, boxes, &mut broken),
            MessageName::Part(text) => {
                let looked = [Looked::Name, Looked::Subject].into_iter();
                self.first_found(looked, text, wanted, boxes, &mut broken)?.into_iter().collect()
            }
            // A path, and a text that ends as a file does, was meant as a name.
            MessageName::Neither(text, fault)
                if text.ends_with(".md") || text.contains(['/', '\\']) || text.trim().is_empty() =>
            {
                return Err(fault.clone().into());
            }
            MessageName::Neither(text, _) => {
                let looked = std::iter::once(Looked::Subject);
                self.first_found(looked, text, wanted, boxes, &mut broken)?.into_iter().collect()
            }
        };
        match <[MessageInBox<'_>; 1]>::try_from(found) {
            Ok([one]) => Ok(one),
            Err(several) if several.len() > 1 => Err(ambiguous(
                name.text(),
                several
                    .iter()
                    .map(|found_message| format!("{}/{}", found_message.mailbox.name(), found_message.file))
                    .collect(),
            )),
            // The message may be in a box that cannot be looked into.
            Err(_) if !broken.is_empty() => Err(broken.swap_remove(0)),
            Err(_) => {
                let place = match wanted {
                    Boxes::One(mailbox) => format!("the box {mailbox}"),
                    Boxes::Own | Boxes::All => format!("the boxes of {}", self.own.me),
                };
                let sentence = match name {
                    MessageName::Whole(file) => format!("no message {file} is in {place}"),
                    MessageName::Part(text) | MessageName::Neither(text, _) => {
                        format!("no message in {place} has {text:?} in its name or its subject")
                    }
                };
                let in_box = match wanted {
                    Boxes::One(mailbox) => Some(mailbox.to_string()),
                    Boxes::Own | Boxes::All => None,
                };
                Err(MailError::NoMessage { sentence, in_box, other_box: BoxNaming::Field })
            }
        }
    }
}

/// The boxes that have a message of that name. Faults of boxes that cannot be looked into go to `broken`.
fn whole<'a>(file: &FileName, boxes: Vec<Mailbox<'a>>, broken: &mut Vec<MailError>) -> Vec<MessageInBox<'a>> {
    let there = boxes.into_iter().filter(|mailbox| match mailbox.find(file) {
        Err(MailFault::NotFound { .. }) => false,
        Err(fault @ MailFault::Store(_)) => {
            broken.push(fault.into());
            false
        }
        Ok(_) | Err(_) => true,
    });
    there.map(|mailbox| MessageInBox { file: file.clone(), mailbox }).collect()
}

impl CallerMail<'_> {
    /// The only message that has that text in the first of these places in which any has it.
    fn first_found<'a>(
        &'a self,
        places: impl Iterator<Item = Looked>,
        text: &str,
        wanted: &Boxes,
        boxes: Vec<Mailbox<'a>>,
        broken: &mut Vec<MailError>,
    ) -> Result<Option<MessageInBox<'a>>, MailError> {
        let mut boxes = Some(boxes);
        for place in places {
            let boxes = match boxes.take() {
                Some(boxes) => boxes,
                None => self.boxes(wanted)?.0,
            };
            if let Some(found) = self.part(place, text, boxes, broken)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether a message of a box has a text where it is looked for, as readers see both.
    fn has_text(&self, place: Looked, text: &str, file: &FileName, mailbox: &Mailbox<'_>) -> bool {
        match place {
            Looked::Name => self.floor.mask(file.as_str()).contains(text),
            Looked::Subject => mailbox.find(file).is_ok_and(|(_, message)| {
                let subject = self.floor.mask(&message.head.subject).to_lowercase();
                subject.contains(&text.trim().to_lowercase())
            }),
        }
    }

    /// The only message that has that part in its name or its subject, in the first folders that have any. Faults of folders
    /// that cannot be listed go to `broken`.
    fn part<'a>(
        &self,
        place: Looked,
        text: &str,
        mut boxes: Vec<Mailbox<'a>>,
        broken: &mut Vec<MailError>,
    ) -> Result<Option<MessageInBox<'a>>, MailError> {
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
                            .filter(|file| self.has_text(place, text, file, mailbox))
                            .map(|file| (at, file)),
                    );
                }
            }
            if found.len() > 1 {
                let named = |(at, file): &(usize, FileName)| format!("{}/{file}", boxes[*at].name());
                return Err(ambiguous(text, found.iter().map(named).collect()));
            }
            if let Some((at, file)) = found.pop() {
                return Ok(Some(MessageInBox { file, mailbox: boxes.swap_remove(at) }));
            }
        }
        Ok(None)
    }
}

/// The refusal of a name that several messages have.
pub(super) fn ambiguous(text: &str, mut several: Vec<String>) -> MailError {
    let count = several.len();
    several.truncate(NAMED_MAX);
    let more = count - several.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let sentence = format!("{text:?} may mean {count} messages: {}{more}", several.join(", "));
    MailError::Ambiguous { sentence }
}
