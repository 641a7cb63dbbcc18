//! Takes out of JSON what was put in, wherever it is now, and nothing else.

use super::Dialect;
use super::put::document;
use super::read::{List, Node, NodeKind};
use crate::edit::{RemovedPart, UnfitFile};
use crate::steps::BOM;
use crate::want::WantedValue;
use std::ops::Range;

/// Takes out every wanted value that is as it was put in, then what it leaves empty: of the keys in
/// `made`, or where that is not known, of all that lead to them.
pub(crate) fn remove(
    text: &str,
    dialect: Dialect,
    wants: &[WantedValue],
    made: Option<&[String]>,
) -> Result<RemovedPart, UnfitFile> {
    let mut text = text.to_owned();
    let mut notes = Vec::new();
    let mut found = false;
    for want in wants.iter().filter(|want| !want.is_default) {
        let Some(root) = document(&text, dialect)?.root else { break };
        let (last, keys) = want.path.split_last().expect("a path has a key");
        let parent = if want.is_item { root.at(want.path) } else { root.at(keys) };
        let Some(parent) = parent else { continue };
        let cut = match &parent.kind {
            NodeKind::Array(list) if want.is_item => {
                let at = list.items.iter().position(|node| node.value() == want.item);
                if at.is_none() && list.items.iter().any(|node| want.is_ours(&node.value())) {
                    notes.push(format!("a hook of brainstem under `{last}` was changed by hand and stays"));
                }
                at.map(|at| cuts(&text, parent, list, at, list.items[at].span.clone()))
            }
            NodeKind::Object(list) if !want.is_item => {
                let at = list.items.iter().rposition(|member| member.key == *last);
                let is_ours = at.is_some_and(|at| {
                    let value = list.items[at].value.value();
                    value == want.item || want.before.contains(&value)
                });
                if at.is_some() && !is_ours {
                    notes.push(format!("`{last}` was changed by hand and stays"));
                }
                at.filter(|_| is_ours).map(|at| cuts(&text, parent, list, at, list.items[at].span.clone()))
            }
            _ => None,
        };
        if let Some(cut) = cut {
            text = without(&text, cut);
            found = true;
        }
    }
    if !found {
        return Ok(RemovedPart { text: Some(text), found, notes });
    }
    text = without_empty(text, dialect, wants, made)?;
    let document = document(&text, dialect)?;
    let Some(root) = document.root.filter(is_empty) else {
        return Ok(RemovedPart { text: Some(text), found, notes });
    };
    // What is around an empty document, such as comments, is the person's own.
    let (before, after) = (&text[..root.span.start], &text[root.span.end..]);
    let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
    let around = format!("{before}{after}");
    let is_made = made.is_some_and(|made| made.iter().any(String::is_empty));
    let is_bare = around.trim_start_matches(BOM).trim().is_empty();
    let text = match (made, is_bare) {
        (Some(_), _) if !is_made => Some(text),
        (Some(_), false) => Some(around),
        (None, false) => Some(text),
        (_, true) => None,
    };
    Ok(RemovedPart { text, found, notes })
}

/// The text without what an earlier version of this program put in, where that is as it was; `None` where nothing is.
/// The keys that led to it stay: what takes its place goes under them.
pub(crate) fn without_older(
    text: &str,
    dialect: Dialect,
    wants: &[WantedValue],
) -> Result<Option<String>, UnfitFile> {
    let mut left: Option<String> = None;
    for want in wants.iter().filter(|want| !want.is_item && !want.before.is_empty()) {
        let current = left.as_deref().unwrap_or(text);
        let Some(root) = document(current, dialect)?.root else { break };
        let (last, keys) = want.path.split_last().expect("a path has a key");
        let Some(parent) = root.at(keys) else { continue };
        let NodeKind::Object(list) = &parent.kind else { continue };
        let Some(at) = list.items.iter().rposition(|member| member.key == *last) else { continue };
        if want.before.contains(&list.items[at].value.value()) {
            let cut = cuts(current, parent, list, at, list.items[at].span.clone());
            left = Some(without(current, cut));
        }
    }
    Ok(left)
}

/// Takes out the keys that are empty now, the deepest first, and values that only served the others.
fn without_empty(
    mut text: String,
    dialect: Dialect,
    wants: &[WantedValue],
    made: Option<&[String]>,
) -> Result<String, UnfitFile> {
    let mut paths: Vec<&[&str]> = Vec::new();
    for want in wants.iter().filter(|want| !want.is_default) {
        let end = if want.is_item { want.path.len() } else { want.path.len() - 1 };
        paths.extend((1..=end).map(|depth| &want.path[..depth]));
    }
    paths.sort_by_key(|path| (std::cmp::Reverse(path.len()), *path));
    paths.dedup();
    let defaults = wants.iter().filter(|want| want.is_default).map(|want| want.path);
    let is_default = |path: &[&str]| wants.iter().find(|want| want.is_default && want.path == path);
    for path in paths.into_iter().chain(defaults) {
        if made.is_some_and(|made| !made.contains(&path.join("/"))) {
            continue;
        }
        let Some(root) = document(&text, dialect)?.root else { break };
        let (last, keys) = path.split_last().expect("a path has a key");
        let Some(parent) = root.at(keys) else { continue };
        let NodeKind::Object(list) = &parent.kind else { continue };
        let Some(at) = list.items.iter().rposition(|member| member.key == *last) else { continue };
        let value = &list.items[at].value;
        let goes = match is_default(path) {
            // It served what is gone now: ours, if we made it; otherwise only if it is alone.
            Some(want) => {
                let serves = |other: &WantedValue| {
                    !other.is_default
                        && root.get(other.path[0]).is_some_and(|member| !is_empty(&member.value))
                };
                let is_ours = made.is_some() && !wants.iter().any(serves);
                value.value() == want.item && (list.items.len() == 1 || is_ours)
            }
            None => is_empty(value),
        };
        if goes {
            text = without(&text, cuts(&text, parent, list, at, list.items[at].span.clone()));
        }
    }
    Ok(text)
}

fn is_empty(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Object(list) => list.items.is_empty() && !list.has_comments,
        NodeKind::Array(list) => list.items.is_empty() && !list.has_comments,
        NodeKind::Scalar(_) => false,
    }
}

/// What goes with an item: the line end and blanks before it, and one comma; with the last one, all blanks
/// between the brackets.
fn cuts<T>(text: &str, parent: &Node, list: &List<T>, at: usize, item: Range<usize>) -> JsonCut {
    if list.items.len() == 1 && !list.has_comments {
        return JsonCut { text: parent.span.start + 1..parent.span.end - 1, comma: None };
    }
    let before = text[..item.start].trim_end_matches([' ', '\t']);
    let before = before.strip_suffix('\n').map_or(before, |line| line.strip_suffix('\r').unwrap_or(line));
    // Blanks behind an opening bracket on the same line are the person's own.
    let keeps = before.ends_with(['{', '[']) && !text[before.len()..item.start].contains('\n');
    let start = if keeps { item.start } else { before.len() };
    let own = list.commas.get(at);
    let comma = own.or_else(|| at.checked_sub(1).and_then(|before| list.commas.get(before)));
    JsonCut { text: start..item.end, comma: comma.copied() }
}

/// A stretch of text, and perhaps the place of a comma before or behind it.
struct JsonCut {
    text: Range<usize>,
    comma: Option<usize>,
}

fn without(text: &str, cut: JsonCut) -> String {
    let is_cut = |at: &usize| cut.text.contains(at) || cut.comma == Some(*at);
    text.char_indices().filter(|(at, _)| !is_cut(at)).map(|(_, c)| c).collect()
}
