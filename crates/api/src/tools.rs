//! The tools of MCP: one for each verb, or one for all verbs whose commands begin with the same word.
//!
//! A model holds the list of tools in its head from the first word of a session to the last. So `mail send`,
//! `mail list` and the rest are one tool, `mail`, whose field `op` says which is meant. A call by a verb's whole name
//! (`mail_send`), or by one that it had before, reaches it all the same, and no list has those.

use crate::schema::Object;
use crate::spec::{Effect, Offered};
use crate::{Entry, verbs};
use brainstem_base::near_names::is_near;
use brainstem_base::next::OP;
use brainstem_base::{Fault, codes};
use serde_json::{Value, json};

/// What a tool of several verbs is for.
const GROUPS: &[(&str, &str)] = &[
    ("mail", "Messages between the agents of this project, as files."),
    ("session", "Your name in mail, and the names of the others."),
    ("letter", "Reports on this memory: what was wrong, missing or misdelivered."),
    ("inbox", "Messages to an agent or a person in any project; each is open until done."),
    ("agent", "Agents and their topics."),
    ("live", "Messages to sessions that are online at the daemon."),
];

/// One tool as a list has it.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// The verbs that it calls: one, or several of which `op` chooses.
    pub verbs: Vec<&'static Entry>,
}

/// Returns the tools of these verbs, in their order; a tool of several verbs has the place of its first verb.
pub fn of(entries: impl IntoIterator<Item = &'static Entry>) -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for entry in entries {
        let name = entry.spec().verb.tool().tool;
        match tools.iter_mut().find(|tool| tool.name == name) {
            Some(tool) => tool.verbs.push(entry),
            None => tools.push(Tool { name, verbs: vec![entry] }),
        }
    }
    tools
}

impl Tool {
    /// Returns the one verb of a tool without `op`; `None` if the tool has several.
    pub fn only_verb(&self) -> Option<&'static Entry> {
        match self.verbs.as_slice() {
            [entry] if op_of(entry).is_none() => Some(entry),
            _ => None,
        }
    }

    /// When to call it. Of several verbs, what each does.
    pub fn description(&self) -> String {
        if let Some(entry) = self.only_verb() {
            return entry.spec().when_to_use.to_owned();
        }
        let about = GROUPS.iter().find(|(name, _)| *name == self.name).map_or("", |(_, about)| *about);
        let of_each = self.verbs.iter().map(|entry| {
            let spec = entry.spec();
            format!("{}: {}", op_of(entry).unwrap_or(spec.id()), spec.when_to_use)
        });
        std::iter::once(about.to_owned()).chain(of_each).collect::<Vec<_>>().join(" ")
    }

    /// Returns the schema of its fields in a list of tools: what a model needs, with the words that a field takes. If
    /// `op` chooses among verbs, it has the fields of all of them, and beside `op` those that each verb requires.
    pub fn schema(&self) -> Object {
        if let Some(entry) = self.only_verb() {
            return entry.listed_schema();
        }
        let (mut fields, mut needs) = (Object::new(), Vec::<(Vec<&str>, String)>::new());
        for entry in &self.verbs {
            let mut schema = entry.listed_schema();
            let required = schema.shift_remove("required");
            let names: Vec<&str> =
                required.iter().flat_map(Value::as_array).flatten().filter_map(Value::as_str).collect();
            if let (Some(op), false) = (op_of(entry), names.is_empty()) {
                let names = names.join(", ");
                match needs.iter_mut().find(|(_, fields)| *fields == names) {
                    Some((ops, _)) => ops.push(op),
                    None => needs.push((vec![op], names)),
                }
            }
            if let Some(Value::Object(more)) = schema.shift_remove("properties") {
                for (name, field) in more {
                    fields.entry(name).or_insert(field);
                }
            }
        }
        let ops: Vec<&str> = self.verbs.iter().filter_map(|entry| op_of(entry)).collect();
        let mut op = json!({ "type": "string", "enum": ops });
        if !needs.is_empty() {
            let needs = needs.iter().map(|(ops, fields)| match ops.as_slice() {
                [op] => format!("{op} needs {fields}"),
                ops => format!("{} need {fields}", ops.join(", ")),
            });
            op["description"] = needs.collect::<Vec<_>>().join("; ").into();
        }
        let mut all = Object::new();
        all.insert(OP.to_owned(), op);
        all.extend(fields);
        let whole = json!({ "type": "object", "properties": all, "required": [OP] });
        whole.as_object().cloned().unwrap_or_default()
    }

    /// The greatest effect that a call of it may have.
    pub fn effect(&self) -> Effect {
        let has = |effect: Effect| self.verbs.iter().any(|entry| entry.spec().effect == effect);
        match (has(Effect::Destructive), has(Effect::Write)) {
            (true, _) => Effect::Destructive,
            (false, true) => Effect::Write,
            (false, false) => Effect::Read,
        }
    }

    /// Whether a second call with the same fields changes nothing more, for each of its verbs.
    pub fn is_idempotent(&self) -> bool {
        self.verbs.iter().all(|entry| entry.spec().idempotent)
    }
}

fn op_of(entry: &Entry) -> Option<&'static str> {
    entry.spec().verb.tool().op
}

/// Returns the verb that a call means, by a tool with its `op`, by the verb's own name, or by one that it had before,
/// and takes `op` out of the arguments. `None` if no tool has this name.
///
/// The refusal of an `op` that is missing or unknown names those that the connection is offered.
pub fn find(name: &str, arguments: &mut Object, offered: Offered) -> Result<Option<&'static Entry>, Fault> {
    let of_tool: Vec<&'static Entry> = crate::table()
        .iter()
        .filter(|entry| entry.spec().verb.tool().tool == name && op_of(entry).is_some())
        .collect();
    if of_tool.is_empty() {
        return Ok(verbs::find(name));
    }
    let listed: Vec<&str> = of_tool
        .iter()
        .filter(|entry| offered.has_verb(entry.spec()))
        .filter_map(|entry| op_of(entry))
        .collect();
    let refused =
        |code, what: String, fix: String| Err(Fault::new(code, what).fix(fix).field(OP).rule("IF-8"));
    let given = match arguments.shift_remove(OP) {
        Some(Value::String(op)) => op,
        None | Some(Value::Null) => {
            let what = format!("the tool {name} has several operations, and `{OP}` is missing");
            return refused(codes::INPUT_MISSING, what, format!("give `{OP}`: one of {}", listed.join(", ")));
        }
        Some(_) => {
            let what = format!("`{OP}` must be a text");
            return refused(
                codes::INPUT_BAD_VALUE,
                what,
                format!("give `{OP}`: one of {}", listed.join(", ")),
            );
        }
    };
    let plain = given.trim().to_lowercase().replace('-', "_");
    if let Some(entry) = of_tool.iter().find(|entry| op_of(entry) == Some(plain.as_str())) {
        return Ok(Some(entry));
    }
    let meant: Vec<&str> = crate::likely_commands::commands(name, &plain)
        .iter()
        .filter_map(|command| command.split_once(' '))
        .filter_map(|(_, op)| listed.iter().find(|one| **one == op.replace('-', "_")))
        .copied()
        .collect();
    let is_meant = |op: &&&str| is_near(&plain, op) && !crate::likely_commands::is_contrary(&plain, op);
    let near: Vec<&str> = listed.iter().filter(is_meant).copied().collect();
    let fix = match if meant.is_empty() { near } else { meant }.as_slice() {
        [] => format!("give `{OP}`: one of {}", listed.join(", ")),
        likely => format!("did you mean `{OP}`: {}?", likely.join(" or ")),
    };
    let shown: String = brainstem_memory::without_secrets(&given).chars().take(80).collect();
    refused(codes::INPUT_BAD_VALUE, format!("the tool {name} has no operation {shown:?}"), fix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Toolset;

    #[test] // spec: IF-6, IF-8
    fn the_contrary_of_an_operation_is_not_taken_for_it() {
        let fix = |op: &str| {
            let mut arguments = Object::new();
            arguments.insert(OP.to_owned(), op.into());
            let refused = find("mail", &mut arguments, Offered::of(&[Toolset::Mail])).err();
            refused.and_then(|fault| fault.fix).map(|fix| fix.to_string()).unwrap_or_default()
        };
        assert_eq!(fix("clam"), "did you mean `op`: claim?");
        for contrary in ["unclaim", "Unarchive"] {
            assert!(fix(contrary).starts_with("give `op`: one of "), "{}", fix(contrary));
        }
    }
}
