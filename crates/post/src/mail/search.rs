//! Searching texts.

use super::error::MailError;
use super::limits::SNIPPET_LEN_MAX;
use super::list::Row;
use super::named_box::Boxes;
use crate::Post;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_vault::mail::MailFolder;
use std::collections::HashMap;

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// Words that all stand in the subject or the body, in any case.
    pub query: String,
    /// The boxes.
    pub boxes: Boxes,
    /// A folder; all of them where none is named.
    pub folder: Option<MailFolder>,
    /// At most so many.
    pub limit: usize,
}

/// A message that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// What it says about itself, and where it lies.
    pub row: Row,
    /// A part of the text around the first word.
    pub snippet: String,
}

/// What was found, youngest first.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The messages.
    pub hits: Vec<Hit>,
    /// Those that the limit left out.
    pub left_out: usize,
    /// How many files could not be searched.
    pub unreadable: usize,
    /// The boxes that were searched.
    pub boxes: Vec<MailboxName>,
    /// Boxes and folders that could not be looked at.
    pub gaps: Vec<String>,
}

impl Post {
    /// Finds messages by what they say.
    pub fn search_mail(&self, caller: &Caller, request: &SearchRequest) -> Result<Searched, MailError> {
        let desk = self.desk_to_read(caller)?;
        let words: Vec<String> = request.query.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Err(MailError::NoQuery);
        }
        let folders = request.folder.map_or_else(|| MailFolder::ALL.to_vec(), |folder| vec![folder]);
        let (boxes, broken) = desk.boxes(&request.boxes)?;
        let gaps = broken.iter().map(MailError::whole).collect();
        let mut found = Searched { hits: Vec::new(), left_out: 0, unreadable: 0, boxes: Vec::new(), gaps };
        for mailbox in boxes {
            // All boxes were listed a moment ago; to list them once more for each of them costs the square of their number.
            if request.boxes != Boxes::All
                && let Some(none) = desk.no_such(mailbox.name())?
            {
                found.gaps.push(none);
                continue;
            }
            found.boxes.push(mailbox.name().clone());
            for folder in &folders {
                let mut snippets: HashMap<FileName, String> = HashMap::new();
                let listed = mailbox.list_if(*folder, &mut |file, message| {
                    let text = format!("{}\n{}", message.head.subject, message.body());
                    if !has_all(&text, &words) {
                        return false;
                    }
                    // A secret is not found either, so that no search guesses one letter by letter; and it is masked
                    // before the text is cut, because a part of it is not known as a secret.
                    let shown = desk.floor.mask(&text);
                    let is_hit = has_all(&shown, &words);
                    if is_hit {
                        snippets.insert(file.clone(), snippet(&shown, &words[0]));
                    }
                    is_hit
                });
                let listing = match listed {
                    Ok(listing) => listing,
                    Err(error) if matches!(request.boxes, Boxes::One(_)) => return Err(error.into()),
                    Err(error) => {
                        found.gaps.push(MailError::from(error).whole());
                        continue;
                    }
                };
                found.unreadable += listing.unreadable.len();
                for one in listing.found {
                    let snippet = snippets.remove(&one.file).unwrap_or_default();
                    found.hits.push(Hit { row: desk.row(&mailbox, one), snippet });
                }
            }
        }
        found
            .hits
            .sort_by(|a, b| (b.row.head.timestamp, &b.row.file).cmp(&(a.row.head.timestamp, &a.row.file)));
        found.left_out = found.hits.len().saturating_sub(request.limit);
        found.hits.truncate(request.limit);
        Ok(found)
    }
}

/// Whether every one of these words, in small letters, stands in a text.
fn has_all(text: &str, words: &[String]) -> bool {
    let lower = text.to_lowercase();
    words.iter().all(|word| lower.contains(word))
}

/// The line in which a word stands first, cut to size.
fn snippet(text: &str, word: &str) -> String {
    let line = text.lines().find(|line| line.to_lowercase().contains(word)).unwrap_or_default().trim();
    let mut end = line.len().min(SNIPPET_LEN_MAX);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}
