//! Puts values into JSON by inserting text, in the style of what is there.

use super::read::{List, Member};
use super::{Dialect, JsonDocument, Node, NodeKind, read};
use crate::edit::{InsertedPart, UnfitFile};
use crate::steps::{BOM, Draft, line_end};
use crate::want::WantedValue;
use serde_json::{Map, Value};

/// Puts in what is wanted and not there yet.
pub(crate) fn insert(text: &str, dialect: Dialect, wants: &[WantedValue]) -> Result<InsertedPart, UnfitFile> {
    if dialect == Dialect::Strict && text.starts_with(BOM) {
        return Err(UnfitFile {
            what: "line 1: it begins with a byte order mark".into(),
            fix: "save the file without that mark (the host drops the whole file otherwise)".into(),
        });
    }
    let mut draft = Draft::new(text);
    let mut done = InsertedPart::default();
    for want in wants {
        let document = document(&draft.text, dialect)?;
        let Some(root) = &document.root else {
            // An empty file, or comments alone.
            done.made.push(String::new());
            let style = Style::of(&draft.text, None);
            let wanted = nested(want.path, want.value());
            let mut added = style.render(&wanted, "");
            let body = draft.text.trim_start_matches(BOM);
            if !body.is_empty() && !body.ends_with('\n') {
                added.insert_str(0, style.end);
            }
            added.push_str(style.end);
            draft.insert(draft.text.len(), added);
            note_made(want.path, 0, want, &mut done);
            continue;
        };
        put(&mut draft, root, want, &mut done)?;
    }
    done.exact = !done.was_there;
    done.steps = draft.steps;
    done.text = draft.text;
    Ok(done)
}

/// Reads a text that is to be changed, or says why that cannot be done.
pub(super) fn document(text: &str, dialect: Dialect) -> Result<JsonDocument, UnfitFile> {
    let document = read(text, dialect).map_err(|broken| {
        let what = format!("line {}: {}", broken.line, broken.what);
        UnfitFile { what, fix: "mend that line (the host drops the whole file otherwise)".into() }
    })?;
    match document.root.as_ref().map(|root| &root.kind) {
        None | Some(NodeKind::Object(_)) => Ok(document),
        Some(_) => Err(UnfitFile {
            what: "it holds no object".into(),
            fix: "make it a JSON object, or move it aside".into(),
        }),
    }
}

fn put(draft: &mut Draft, root: &Node, want: &WantedValue, done: &mut InsertedPart) -> Result<(), UnfitFile> {
    let (keys, last) = (&want.path[..want.path.len() - 1], want.path[want.path.len() - 1]);
    let mut node = root;
    for (depth, key) in keys.iter().enumerate() {
        match node.get(key) {
            Some(member) => node = object(&member.value, key)?,
            None => {
                let value = nested(&want.path[depth + 1..], want.value());
                note_made(want.path, depth, want, done);
                Style::of(&draft.text.clone(), Some(root)).member(draft, node, key, &value);
                return Ok(());
            }
        }
    }
    let style = Style::of(&draft.text, Some(root));
    match (node.get(last), want.is_item) {
        (None, _) => {
            note_made(want.path, keys.len(), want, done);
            style.member(draft, node, last, &want.value());
        }
        (Some(member), true) => {
            let NodeKind::Array(list) = &member.value.kind else {
                return Err(UnfitFile {
                    what: format!("`{last}` is no list"),
                    fix: "make it a list, or take it out".into(),
                });
            };
            let items: Vec<Value> = list.items.iter().map(Node::value).collect();
            if items.contains(&want.item) {
                done.note_there(want);
            } else if items.iter().any(|item| want.is_ours(item)) {
                done.note_there(want);
                done.notes.push(format!(
                    "a hook of brainstem under `{last}` was changed by hand and is left as it is"
                ));
            } else {
                style.item(draft, &member.value, list, &want.item);
            }
        }
        (Some(member), false) => {
            let found = member.value.value();
            if want.is_default {
                return Ok(());
            }
            done.note_there(want);
            if found != want.item {
                done.notes.push(format!("`{last}` is there with other values and is left as it is"));
            }
        }
    }
    Ok(())
}

impl InsertedPart {
    fn note_there(&mut self, want: &WantedValue) {
        self.was_there = true;
        self.there.push(want.path.join("/"));
    }
}

/// Which keys were made on the way to a value.
fn note_made(path: &[&str], from: usize, want: &WantedValue, done: &mut InsertedPart) {
    let keys = if want.is_item || want.is_default { path.len() } else { path.len() - 1 };
    for depth in from..keys {
        done.made.push(path[..=depth].join("/"));
    }
}

fn object<'a>(node: &'a Node, key: &str) -> Result<&'a Node, UnfitFile> {
    match node.kind {
        NodeKind::Object(_) => Ok(node),
        NodeKind::Array(_) | NodeKind::Scalar(_) => Err(UnfitFile {
            what: format!("`{key}` is no object"),
            fix: "make it an object, or take it out".into(),
        }),
    }
}

/// A value under the keys that lead to it.
fn nested(path: &[&str], value: Value) -> Value {
    path.iter().rev().fold(value, |value, key| Value::Object(Map::from_iter([((*key).to_owned(), value)])))
}

/// How a file is written.
struct Style {
    end: &'static str,
    unit: String,
    /// Everything on one line.
    is_flat: bool,
}

impl Style {
    fn of(text: &str, root: Option<&Node>) -> Self {
        let end = line_end(text);
        let members = match root.map(|root| &root.kind) {
            Some(NodeKind::Object(list)) => list.items.as_slice(),
            _ => &[],
        };
        let first = members.first().and_then(|member| own_line(text, member.span.start));
        let is_flat = first.is_none() && !members.is_empty();
        let unit = first.filter(|indent| !indent.is_empty()).unwrap_or("  ").to_owned();
        Self { end, unit, is_flat }
    }

    /// Adds a member to an object.
    fn member(&self, draft: &mut Draft, object: &Node, key: &str, value: &Value) {
        let NodeKind::Object(list) = &object.kind else { return };
        let name = Value::from(key).to_string();
        let last = list.items.last().map(|member: &Member| member.span.clone());
        self.add(draft, object, list, last, |style, indent| {
            format!("{name}: {}", style.render(value, indent))
        });
    }

    /// Adds an item to an array.
    fn item(&self, draft: &mut Draft, array: &Node, list: &List<Node>, value: &Value) {
        let last = list.items.last().map(|node| node.span.clone());
        self.add(draft, array, list, last, |style, indent| style.render(value, indent));
    }

    fn add<T>(
        &self,
        draft: &mut Draft,
        holder: &Node,
        list: &List<T>,
        last: Option<std::ops::Range<usize>>,
        render: impl Fn(&Self, &str) -> String,
    ) {
        let Some(last) = last else {
            return self.first(draft, holder, render);
        };
        let trailing = list.commas.get(list.items.len() - 1).copied();
        let indent = own_line(&draft.text, last.start).map(str::to_owned);
        let after = trailing.map_or(last.end, |comma| comma + 1);
        let (mut before, mut behind) = (String::new(), String::new());
        if trailing.is_some() {
            behind.push(',');
        } else {
            before.push(',');
        }
        match indent {
            None => {
                let flat = Self { is_flat: true, ..self.copy() };
                draft.insert(after, format!("{before} {}{behind}", render(&flat, "")));
            }
            Some(indent) => {
                let lined = Self { is_flat: false, ..self.copy() };
                let item = format!("{}{indent}{}{behind}", self.end, render(&lined, &indent));
                // A comment beside the last item stays beside it.
                match line_rest(&draft.text, after) {
                    Some(rest) if rest > after => {
                        draft.insert(rest, item);
                        if !before.is_empty() {
                            draft.insert(after, before);
                        }
                    }
                    _ => draft.insert(after, format!("{before}{item}")),
                }
            }
        }
    }

    /// Adds the first item to brackets with nothing between them.
    fn first(&self, draft: &mut Draft, holder: &Node, render: impl Fn(&Self, &str) -> String) {
        let open = holder.span.start + 1;
        if self.is_flat {
            return draft.insert(open, render(self, ""));
        }
        let outer = line_indent(&draft.text, holder.span.start).to_owned();
        let indent = format!("{outer}{}", self.unit);
        let item = format!("{}{indent}{}", self.end, render(self, &indent));
        match line_rest(&draft.text, open) {
            Some(rest) => draft.insert(rest, item),
            None => {
                let at = after_comments(&draft.text, open);
                draft.insert(at, format!("{item}{}{outer}", self.end));
            }
        }
    }

    fn copy(&self) -> Self {
        Self { end: self.end, unit: self.unit.clone(), is_flat: self.is_flat }
    }

    /// Writes a value. A list of plain words is on one line, as people write it.
    fn render(&self, value: &Value, indent: &str) -> String {
        let inner = format!("{indent}{}", self.unit);
        let (open, items, close) = match value {
            Value::Object(members) if !members.is_empty() => {
                let item = |(key, value): (&String, &Value)| {
                    format!("{}: {}", Value::from(key.as_str()), self.render(value, &inner))
                };
                ('{', members.iter().map(item).collect::<Vec<_>>(), '}')
            }
            Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
                ('[', items.iter().map(|item| self.render(item, &inner)).collect(), ']')
            }
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(Value::to_string).collect();
                return format!("[{}]", items.join(", "));
            }
            plain => return plain.to_string(),
        };
        if self.is_flat {
            return format!("{open}{}{close}", items.join(", "));
        }
        let end = self.end;
        let between = format!(",{end}{inner}");
        format!("{open}{end}{inner}{}{end}{indent}{close}", items.join(&between))
    }
}

/// The blanks before a place, when nothing else is before it on its line, and it is not the first line.
fn own_line(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n')? + 1;
    let before = &text[start..at];
    before.bytes().all(|b| b == b' ' || b == b'\t').then_some(before)
}

/// The blanks at the start of the line of a place.
fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The end of the line of a place, when only blanks and comments are between.
fn line_rest(text: &str, at: usize) -> Option<usize> {
    let end = after_comments(text, at);
    let rest = &text[end..];
    (rest.starts_with('\n') || rest.starts_with("\r\n")).then_some(end)
}

/// The place after the blanks and comments of this line.
fn after_comments(text: &str, at: usize) -> usize {
    let mut at = at;
    loop {
        let rest = &text[at..];
        if rest.starts_with([' ', '\t']) {
            at += 1;
        } else if rest.starts_with("//") {
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            at += line.trim_end_matches('\r').len();
            return at;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else {
            return at;
        }
    }
}
