//! A table in a file of TOML, appended as a block of lines and cut out as such.

use crate::edit::{InsertedPart, RemovedPart, UnfitFile, appended};
use crate::steps::{BOM, cut_block};
use toml_edit::{DocumentMut, Item};

pub(crate) fn insert(text: &str, table: &[&str], lines: &[&str]) -> Result<InsertedPart, UnfitFile> {
    let document = parse(text)?;
    if let Some(found) = at(&document, table) {
        let mut notes = Vec::new();
        if !is_ours(found, table, lines) {
            notes.push(format!("`[{}]` is there with other values and is left as it is", table.join(".")));
        }
        return Ok(InsertedPart { text: text.to_owned(), was_there: true, notes, ..InsertedPart::default() });
    }
    let inserted = appended(text, &block(table, lines));
    // A table that is written inline cannot be added to from below.
    match parse(&inserted.text) {
        Ok(document) if at(&document, table).is_some_and(|found| is_ours(found, table, lines)) => {
            Ok(inserted)
        }
        _ => Err(UnfitFile {
            what: format!("`{}` is written on one line, so nothing can be added below", table[0]),
            fix: format!("write it as tables, such as [{}.other]", table[0]),
        }),
    }
}

pub(crate) fn remove(text: &str, table: &[&str], lines: &[&str]) -> Result<RemovedPart, UnfitFile> {
    let document = parse(text)?;
    let mut removed = RemovedPart { text: Some(text.to_owned()), found: false, notes: Vec::new() };
    let Some(found) = at(&document, table) else { return Ok(removed) };
    let span = is_ours(found, table, lines).then(|| block_span(text, table, lines)).flatten();
    let Some((start, end)) = span else {
        removed.notes.push(format!("`[{}]` was changed by hand and stays", table.join(".")));
        return Ok(removed);
    };
    let rest = cut_block(text, start, end);
    // The rest of the file must still have the same meaning.
    let mut expected = document;
    if let Some(parent) = at_mut(&mut expected, &table[..table.len() - 1]) {
        parent.remove(table[table.len() - 1]);
    }
    if !parse(&rest).is_ok_and(|left| same(left.as_item(), expected.as_item())) {
        removed.notes.push(format!("`[{}]` cannot be taken out safely and stays", table.join(".")));
        return Ok(removed);
    }
    let is_empty = rest.strip_prefix(BOM).unwrap_or(&rest).is_empty();
    Ok(RemovedPart { text: (!is_empty).then_some(rest), found: true, notes: Vec::new() })
}

/// Whether the table is there with these lines.
pub(crate) fn is_written(text: &str, table: &[&str], lines: &[&str]) -> bool {
    let document = parse(text).ok();
    document.is_some_and(|document| at(&document, table).is_some_and(|found| is_ours(found, table, lines)))
}

/// The text without the table, if an earlier version of this program wrote it and it is unchanged.
pub(crate) fn without_older(
    text: &str,
    table: &[&str],
    before: &[&[&str]],
) -> Result<Option<String>, UnfitFile> {
    let Some(lines) = before.iter().find(|lines| is_written(text, table, lines)) else { return Ok(None) };
    let removed = remove(text, table, lines)?;
    Ok(removed.found.then(|| removed.text.unwrap_or_default()))
}

fn block(table: &[&str], lines: &[&str]) -> String {
    format!("[{}]\n{}", table.join("."), lines.join("\n"))
}

/// Where the block is, whichever line ends it has.
fn block_span(text: &str, table: &[&str], lines: &[&str]) -> Option<(usize, usize)> {
    let block = block(table, lines);
    [block.replace('\n', "\r\n"), block].iter().find_map(|block| {
        let start = text.find(block.as_str())?;
        let before = &text[..start];
        let is_line = before.is_empty() || before == BOM || before.ends_with('\n');
        let rest = &text[start + block.len()..];
        let ends = rest.is_empty() || rest.starts_with(['\n', '\r']);
        (is_line && ends).then(|| (start, start + block.len()))
    })
}

fn parse(text: &str) -> Result<DocumentMut, UnfitFile> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    text.parse::<DocumentMut>().map_err(|error| {
        let before = error.span().and_then(|span| text.as_bytes().get(..span.start)).unwrap_or_default();
        let line = before.iter().filter(|b| **b == b'\n').count() + 1;
        UnfitFile { what: format!("line {line}: {}", error.message()), fix: "mend that line".into() }
    })
}

fn at<'a>(document: &'a DocumentMut, path: &[&str]) -> Option<&'a Item> {
    path.iter().try_fold(document.as_item(), |item, key| item.get(key))
}

fn at_mut<'a>(document: &'a mut DocumentMut, path: &[&str]) -> Option<&'a mut dyn toml_edit::TableLike> {
    let item = path.iter().try_fold(document.as_item_mut(), |item, key| item.get_mut(key))?;
    item.as_table_like_mut()
}

fn is_ours(found: &Item, table: &[&str], lines: &[&str]) -> bool {
    let ours: DocumentMut = block(table, lines).parse().expect("our own lines are TOML");
    at(&ours, table).is_some_and(|ours| same(found, ours))
}

/// Whether two items have the same value, however they are written. Empty tables count as missing.
fn same(a: &Item, b: &Item) -> bool {
    match (a.as_table_like(), b.as_table_like()) {
        (Some(a), Some(b)) => {
            let covered = |a: &dyn toml_edit::TableLike, b: &dyn toml_edit::TableLike| {
                a.iter().all(|(key, item)| match b.get(key) {
                    Some(other) => same(item, other),
                    None => is_nothing(item),
                })
            };
            covered(a, b) && covered(b, a)
        }
        (None, None) => plain(a) == plain(b),
        _ => false,
    }
}

fn is_nothing(item: &Item) -> bool {
    item.is_none() || item.as_table().is_some_and(|table| table.iter().all(|(_, item)| is_nothing(item)))
}

/// A value as text, without the blanks around it.
fn plain(item: &Item) -> String {
    let mut item = item.clone();
    if let Some(value) = item.as_value_mut() {
        strip(value);
    }
    item.to_string().trim().to_owned()
}

fn strip(value: &mut toml_edit::Value) {
    value.decor_mut().clear();
    if let Some(array) = value.as_array_mut() {
        array.set_trailing("");
        array.set_trailing_comma(false);
        array.iter_mut().for_each(strip);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::undo;

    const TABLE: &[&str] = &["mcp_servers", "brainstem"];
    const LINES: &[&str] = &["command = \"brainstem\"", "args = [\"mcp\"]"];

    #[test] // spec: IF-15
    fn a_table_comes_and_goes_and_the_rest_stays_byte_for_byte() {
        for text in [
            "",
            "model = \"x\"",
            "# mine\r\nmodel = 'x'\r\n\r\n[projects.\"/a\"]\r\ntrust_level = \"trusted\"\r\n",
            "[mcp_servers.other]\ncommand = \"o\"\n",
            "\u{feff}a = 1\n\n\n",
        ] {
            let inserted = insert(text, TABLE, LINES).unwrap();
            assert!(inserted.exact && parse(&inserted.text).is_ok(), "{}", inserted.text);
            assert_eq!(undo(&inserted.text, &inserted.steps).as_deref(), Some(text));
            let again = insert(&inserted.text, TABLE, LINES).unwrap();
            assert!(again.was_there && again.text == inserted.text && again.notes.is_empty());
            let removed = remove(&inserted.text, TABLE, LINES).unwrap();
            assert!(removed.found, "{text:?}");
            assert_eq!(removed.text.unwrap_or_default(), text);
        }
    }

    #[test] // spec: IF-15
    fn a_table_that_somebody_changed_or_wrote_stays() {
        let text = "[mcp_servers.brainstem]\ncommand = \"/opt/brainstem\"\n";
        let inserted = insert(text, TABLE, LINES).unwrap();
        assert!(inserted.text == text && inserted.notes.len() == 1);
        let ours = insert("a = 1\n", TABLE, LINES).unwrap().text;
        for grown in
            [format!("{ours}enabled = false\n"), format!("{ours}[mcp_servers.brainstem.env]\nX = \"1\"\n")]
        {
            let removed = remove(&grown, TABLE, LINES).unwrap();
            assert!(!removed.found && removed.text.as_deref() == Some(&grown) && removed.notes.len() == 1);
        }
        let between = format!("{ours}\n[tui]\nx = 1\n");
        assert_eq!(remove(&between, TABLE, LINES).unwrap().text.as_deref(), Some("a = 1\n\n[tui]\nx = 1\n"));
    }

    #[test] // spec: IF-15
    fn what_cannot_be_parsed_or_added_to_is_refused() {
        assert!(insert("a = \n", TABLE, LINES).unwrap_err().what.starts_with("line 1"));
        assert!(insert("mcp_servers = { other = { command = \"o\" } }\n", TABLE, LINES).is_err());
    }
}
