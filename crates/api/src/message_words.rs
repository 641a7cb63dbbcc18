//! The words of mail and of the inbox for the same things. A call that uses the other one's word is taken as it is meant.

use crate::schema::Object;
use serde_json::Value;

/// Names of one field, in mail and in the inbox.
const SAME_FIELD: [(&str, &str); 4] =
    [("to", "to_agent"), ("type", "message_type"), ("body", "payload"), ("file", "id")];
/// Priorities: mail's word, and the number of the inbox.
const PRIORITIES: [(&str, u64); 5] = [("urgent", 1), ("high", 2), ("normal", 3), ("low", 4), ("fyi", 5)];
const PRIORITY: &str = "priority";

/// Gives the fields of a call the names that its verb has, if the call uses the name of the other way to send messages and no
/// field of the verb has it. What the verb has is left as it is.
pub(crate) fn translate(given: &mut Object, fields: &Object) {
    for (mail, inbox) in SAME_FIELD {
        for (from, to) in [(mail, inbox), (inbox, mail)] {
            let is_other = given.contains_key(from) && !fields.contains_key(from);
            if is_other && fields.contains_key(to) && !given.contains_key(to) {
                let value = given.remove(from).unwrap_or(Value::Null);
                given.insert(to.to_owned(), value);
            }
        }
    }
    let Some(kind) = fields.get(PRIORITY) else { return };
    let takes_number = takes(kind, "integer");
    if let Some(value) = given.get_mut(PRIORITY) {
        let word = value.as_str().and_then(|word| PRIORITIES.iter().find(|(known, _)| *known == word));
        let number = value.as_u64().and_then(|number| PRIORITIES.iter().find(|(_, known)| *known == number));
        match (word, number) {
            (Some((_, number)), _) if takes_number => *value = (*number).into(),
            // Mail has three priorities: high is urgent there, and fyi is low.
            (_, Some((_, number))) if !takes_number => {
                *value = match number {
                    1 | 2 => "urgent",
                    3 => "normal",
                    _ => "low",
                }
                .into();
            }
            _ => {}
        }
    }
}

/// Whether a field takes values of a type.
fn takes(schema: &Value, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == wanted,
        Some(Value::Array(several)) => several.iter().any(|one| one == wanted),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn translated(given: Value, fields: Value) -> Value {
        let (Value::Object(mut given), Value::Object(fields)) = (given, fields) else { panic!("objects") };
        translate(&mut given, &fields);
        Value::Object(given)
    }

    #[test] // spec: IF-7, INB-14
    fn the_words_of_mail_are_understood_by_the_inbox_and_the_other_way_round() {
        let inbox = json!({"to_agent": {}, "message_type": {}, "payload": {}, "priority": {"type": ["integer", "null"]}});
        let given = json!({"to": "human", "type": "question", "body": "which?", "priority": "urgent"});
        let want =
            json!({"to_agent": "human", "message_type": "question", "payload": "which?", "priority": 1});
        assert_eq!(translated(given, inbox), want);
        let mail = json!({"to": {}, "type": {}, "body": {}, "priority": {"type": ["string", "null"]}});
        let given = json!({"to_agent": "codex", "message_type": "task", "payload": "do it", "priority": 5});
        assert_eq!(
            translated(given, mail.clone()),
            json!({"to": "codex", "type": "task", "body": "do it", "priority": "low"})
        );
        assert_eq!(
            translated(json!({"to": "a", "to_agent": "b"}), mail),
            json!({"to": "a", "to_agent": "b"})
        );
        assert_eq!(translated(json!({"file": "3f2a"}), json!({"id": {}})), json!({"id": "3f2a"}));
    }
}
