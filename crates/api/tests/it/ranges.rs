//! The numbers that the references name are those that the verbs take.

use crate::world::{CHERRY, World};
use brainstem_api::table;
use serde_json::{Map, Value, json};

#[test] // spec: IF-12
fn a_field_takes_the_numbers_that_its_schema_names_and_no_other() {
    let world = World::new();
    world.get("human:ana", CHERRY, "bootstrap", json!({}));
    let mut checked = 0;
    for entry in table().iter().filter(|entry| entry.spec().doors.has_tool()) {
        let schema = entry.input_schema();
        let tool = entry.tool_schema();
        let mut given = Map::new();
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            given.insert(name.to_owned(), if name == "what" { "promotions".into() } else { "x".into() });
        }
        // A question is one of two ways to ask.
        if schema["properties"].get("query").is_some() {
            given.insert("query".into(), "x".into());
        }
        for (field, about) in schema["properties"].as_object().expect("fields") {
            let (Some(low), Some(high)) = (about["minimum"].as_i64(), about["maximum"].as_i64()) else {
                continue;
            };
            checked += 1;
            let is_refused = |number: i64| {
                let mut given = given.clone();
                given.insert(field.clone(), number.into());
                let asked = world.ask("human:ana", CHERRY, entry.spec().id(), Value::Object(given));
                asked.is_err_and(|fault| fault.field.as_deref() == Some(field))
            };
            let id = entry.spec().id();
            assert!(
                is_refused(low - 1) && is_refused(high + 1),
                "{id}.{field} takes more than {low} to {high}"
            );
            let default = about["default"].as_i64().expect("a default");
            for number in [low, high, default] {
                assert!(!is_refused(number), "{id}.{field} refuses {number}, within {low} to {high}");
            }
            // A list of tools sits in a context window, and does without.
            assert!(
                tool["properties"].get(field).is_none_or(|listed| listed.get("maximum").is_none()),
                "{id}.{field}"
            );
        }
    }
    assert!(checked >= 10, "{checked}");
}
