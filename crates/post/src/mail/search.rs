//! Search in the texts of messages.

use super::error::MailError;
use super::limits::SNIPPET_LEN_MAX;
use super::list::MessageRow;
use super::named_box::Boxes;
use crate::Post;
use brainstem_mail::FileName;
use brainstem_mail::name::MailboxName;
use brainstem_memory::Caller;
use brainstem_vault::mail::MailFolder;
use std::collections::HashMap;

/// What a search asks for.
#[derive(Clone, Debug, Default)]
pub struct SearchRequest {
    /// Words that must all be in the subject or the body, in any case.
    pub query: String,
    /// The boxes.
    pub boxes: Boxes,
    /// A folder; all of them without one.
    pub folder: Option<MailFolder>,
    /// The most messages that the answer has.
    pub limit: usize,
}

/// A message that was found.
#[derive(Clone, Debug)]
pub struct SearchHit {
    /// Its head, and where it is.
    pub row: MessageRow,
    /// A part of the text around the first word.
    pub snippet: String,
}

/// What a search found, newest first.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The messages.
    pub hits: Vec<SearchHit>,
    /// How many the limit left out.
    pub left_out: usize,
    /// How many files could not be searched.
    pub unreadable: usize,
    /// The boxes that were searched.
    pub boxes: Vec<MailboxName>,
    /// Boxes and folders that could not be looked at.
    pub gaps: Vec<String>,
}

impl Post {
    /// Finds messages by their text.
    pub fn search_mail(&self, caller: &Caller, request: &SearchRequest) -> Result<SearchResult, MailError> {
        let caller_mail = self.open_mail_to_read(caller)?;
        let words: Vec<String> = request.query.split_whitespace().map(str::to_lowercase).collect();
        if words.is_empty() {
            return Err(MailError::NoQuery);
        }
        let folders = request.folder.map_or_else(|| MailFolder::ALL.to_vec(), |folder| vec![folder]);
        let (boxes, broken) = caller_mail.boxes(&request.boxes)?;
        let gaps = broken.iter().map(MailError::whole).collect();
        let mut found =
            SearchResult { hits: Vec::new(), left_out: 0, unreadable: 0, boxes: Vec::new(), gaps };
        for mailbox in boxes {
            // For all boxes this check is left out: they were listed a moment ago, and one more listing for each costs the
            // square of their number.
            if request.boxes != Boxes::All
                && let Some(none) = caller_mail.missing_box_sentence(mailbox.name())?
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
                    // The text is masked before it is searched and cut. Otherwise a search could guess a secret letter by
                    // letter, and a part of a secret does not look like one.
                    let shown = caller_mail.floor.mask(&text);
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
                    found.hits.push(SearchHit { row: caller_mail.row(&mailbox, one), snippet });
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

/// Whether a text contains all these words, which are in lower case.
fn has_all(text: &str, words: &[String]) -> bool {
    let lower = text.to_lowercase();
    words.iter().all(|word| lower.contains(word))
}

/// The first line with a word, cut to size.
fn snippet(text: &str, word: &str) -> String {
    let line = text.lines().find(|line| line.to_lowercase().contains(word)).unwrap_or_default().trim();
    let mut end = line.len().min(SNIPPET_LEN_MAX);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}
