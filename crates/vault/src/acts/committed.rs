//! Which parts of an act may be committed: no path of this machine outside prose.
//!
//! Keys that this program does not know may hold paths too, so the whole line is checked and not only the deed.

use super::codec;
use brainstem_claims::act::Act;
use brainstem_claims::outside_paths;
use serde_json::{Map, Value};
use std::path::Path;

/// The key of a line that holds everything that belongs to one kind of deed.
const DATA: &str = "data";
/// The fields of an act's data that are prose: they stay as they were written.
const PROSE: [&str; 3] = ["reason", "note", "deviations"];
/// The fields of an act's data that are labels: the claim is found by them, so they stay, as the label in its file
/// does.
const LABELS: [&str; 3] = ["label", "from", "to"];

/// The act in the form in which it may be committed in the project at `root`: without a path of this machine outside
/// prose. `None` if it may be committed as it is.
pub(super) fn without_paths(act: &Act, root: &Path) -> Option<Act> {
    let line = fit_value(root, "", &Value::Object(keys(act)))?;
    codec::read_value(&line)
}

/// The prose of an act.
pub fn prose(act: &Act) -> Vec<String> {
    let line = keys(act);
    let said = PROSE.iter().filter_map(|key| line.get(DATA)?.get(key));
    let texts = said.flat_map(|value| match value {
        Value::Array(several) => several.iter().collect(),
        one => vec![one],
    });
    texts.filter_map(|text| text.as_str().map(str::to_owned)).collect()
}

/// The keys of the line of an act.
fn keys(act: &Act) -> Map<String, Value> {
    match codec::value(act) {
        Value::Object(keys) => keys,
        _ => unreachable!("a line of an act is an object"),
    }
}

/// A value of an act's line in the form in which it may be committed; `None` if it may be committed as it is.
fn fit_value(root: &Path, key: &str, value: &Value) -> Option<Value> {
    match value {
        _ if PROSE.contains(&key) || LABELS.contains(&key) => None,
        Value::String(ground) if key == "ground" => {
            outside_paths::committable_ground(root, ground).map(Value::String)
        }
        Value::String(text) => outside_paths::committable_text(root, text).map(Value::String),
        Value::Array(values) => {
            let fitting: Vec<Option<Value>> =
                values.iter().map(|value| fit_value(root, key, value)).collect();
            fitting.iter().any(Option::is_some).then(|| {
                let fit = fitting.into_iter().zip(values);
                Value::Array(fit.map(|(fitting, given)| fitting.unwrap_or_else(|| given.clone())).collect())
            })
        }
        Value::Object(fields) => {
            let mut is_changed = false;
            let fitting: Map<String, Value> = fields
                .iter()
                .map(|(key, value)| {
                    let fitting = (outside_paths::committable_text(root, key), fit_value(root, key, value));
                    is_changed |= fitting.0.is_some() || fitting.1.is_some();
                    (fitting.0.unwrap_or_else(|| key.clone()), fitting.1.unwrap_or_else(|| value.clone()))
                })
                .collect();
            is_changed.then_some(Value::Object(fitting))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-2, MEM-3c
    fn no_path_of_this_machine_is_left_and_all_else_that_a_line_has_stays() {
        let root = Path::new("/home/ana/cherry");
        let fit = |text: &str| {
            let act = codec::read(text.as_bytes()).expect("an act");
            without_paths(&act, root).map(|act| codec::line(&act))
        };
        let before = r#"{"id":"x","ts":"t","agent":"a","act":"levitate","subject":"s","data":{"reason":"/home/ana/x","from":"/home/ana/y","in":["/home/ana/cherry/src/a.rs",{"at":"/home/ana/z"}],"n":1},"how":[1,2]}"#;
        let after = r#"{"id":"x","ts":"t","agent":"a","act":"levitate","subject":"s","data":{"reason":"/home/ana/x","from":"/home/ana/y","in":["src/a.rs",{"at":"outside://z"}],"n":1},"how":[1,2]}"#;
        assert_eq!(fit(before).as_deref(), Some(after));
        assert_eq!(fit(after), None, "it may be as it is");
        let before = r#"{"id":"x","ts":"t","agent":"a","act":"levitate","subject":"/home/ana/p/x@1","data":{"k":{"/home/ana/p":"\\/home\\/ana\\/p"}},"/home/ana/q":"z"}"#;
        let after = r#"{"id":"x","ts":"t","agent":"a","act":"levitate","subject":"outside://x@1","data":{"k":{"outside://p":"outside://p"}},"outside://q":"z"}"#;
        assert_eq!(fit(before).as_deref(), Some(after), "a subject, keys and escaped separators");
        assert_eq!(fit(r#"{"id":"x","ts":"t","agent":"a","act":"levitate","subject":"s"}"#), None);
    }

    #[test] // spec: MEM-2
    fn the_prose_of_an_act_is_found_whatever_the_act_is() {
        let text = r#"{"id":"x","ts":"t","agent":"a","act":"levitate","subject":"s","data":{"note":"one","deviations":["two",3,"four"],"label":"five"}}"#;
        let act = codec::read(text.as_bytes()).expect("an act");
        assert_eq!(prose(&act), ["one", "two", "four"]);
    }
}
