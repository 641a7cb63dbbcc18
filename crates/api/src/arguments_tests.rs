use super::{fit, object_of};
use crate::schema::{Object, raw_input};
use brainstem_base::{Fault, codes};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only the schema is looked at")]
struct Fields {
    /// What it is called.
    label: String,
    limit: Option<u32>,
    ratio: Option<f64>,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    evidence: Vec<String>,
    #[serde(default)]
    weights: Vec<i64>,
    inner: Option<Inner>,
    confidence: Option<Confidence>,
    kind: Option<Kind>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "only the schema is looked at")]
struct Inner {
    at: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only the schema is looked at")]
enum Confidence {
    Number(f64),
    Word(String),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(dead_code, reason = "only the schema is looked at")]
enum Kind {
    Entity,
    State,
}

fn fitted(arguments: Value) -> Result<Value, Fault> {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    fit(arguments, &raw_input::<Fields>()).map(Value::Object)
}

fn becomes(arguments: Value, expected: Value) {
    assert_eq!(fitted(arguments).map_err(|fault| fault.message), Ok(expected));
}

fn refused(arguments: Value, code: brainstem_base::ErrorCode, field: &str) -> Fault {
    let fault = fitted(arguments.clone()).expect_err(&format!("{arguments} should be refused"));
    assert_eq!((fault.code, fault.field.as_deref()), (code, Some(field)), "{arguments}: {}", fault.message);
    assert!(fault.fix.is_some());
    fault
}

#[test] // spec: IF-7
fn a_text_is_parsed_once_where_the_schema_wants_something_else() {
    becomes(json!({"label": "a", "limit": "5"}), json!({"label": "a", "limit": 5}));
    becomes(json!({"label": "a", "limit": "5.0"}), json!({"label": "a", "limit": 5}));
    becomes(json!({"label": "a", "limit": 5.0}), json!({"label": "a", "limit": 5}));
    becomes(json!({"label": "a", "ratio": " 0.5 "}), json!({"label": "a", "ratio": 0.5}));
    becomes(json!({"label": "a", "force": "true"}), json!({"label": "a", "force": true}));
    becomes(json!({"label": "a", "evidence": "[\"x\"]"}), json!({"label": "a", "evidence": ["x"]}));
    becomes(json!({"label": "a", "inner": "{\"at\": \"7\"}"}), json!({"label": "a", "inner": {"at": 7}}));
    becomes(json!({"label": "a", "weights": ["1", 2]}), json!({"label": "a", "weights": [1, 2]}));
}

#[test] // spec: IF-7
fn a_text_stays_a_text_where_one_is_allowed() {
    becomes(json!({"label": "5"}), json!({"label": "5"}));
    becomes(json!({"label": "{\"a\":1}"}), json!({"label": "{\"a\":1}"}));
    becomes(json!({"label": "a", "confidence": "high"}), json!({"label": "a", "confidence": "high"}));
    becomes(json!({"label": "a", "confidence": "0.8"}), json!({"label": "a", "confidence": "0.8"}));
    becomes(json!({"label": "a", "confidence": 0.8}), json!({"label": "a", "confidence": 0.8}));
    becomes(json!({"label": "a", "evidence": ["5", "[]"]}), json!({"label": "a", "evidence": ["5", "[]"]}));
}

#[test]
fn null_is_the_same_as_absent() {
    becomes(json!({"label": "a", "limit": null}), json!({"label": "a"}));
    refused(json!({"label": null}), codes::INPUT_MISSING, "label");
}

#[test] // spec: IF-7
fn refusals_name_the_field() {
    let missing = refused(json!({}), codes::INPUT_MISSING, "label");
    assert_eq!(
        missing.fix.as_ref().map(ToString::to_string).as_deref(),
        Some("give `label`: What it is called")
    );
    refused(json!({"label": "a", "inner": {}}), codes::INPUT_MISSING, "inner.at");
    refused(json!({"label": 5}), codes::INPUT_BAD_VALUE, "label");
    refused(json!({"label": "a", "limit": "many"}), codes::INPUT_BAD_VALUE, "limit");
    refused(json!({"label": "a", "limit": 1.5}), codes::INPUT_BAD_VALUE, "limit");
    refused(json!({"label": "a", "limit": -1}), codes::INPUT_BAD_VALUE, "limit");
    refused(json!({"label": "a", "limit": 5_000_000_000_i64}), codes::INPUT_BAD_VALUE, "limit");
    refused(json!({"label": "a", "force": "yes"}), codes::INPUT_BAD_VALUE, "force");
    becomes(json!({"label": "a", "evidence": "x"}), json!({"label": "a", "evidence": ["x"]}));
    becomes(json!({"label": "a", "evidence": "5"}), json!({"label": "a", "evidence": ["5"]}));
    refused(json!({"label": "a", "evidence": 5}), codes::INPUT_BAD_VALUE, "evidence");
    refused(json!({"label": "a", "evidence": ["x", 1]}), codes::INPUT_BAD_VALUE, "evidence[1]");
    let kind = refused(json!({"label": "a", "kind": "thing"}), codes::INPUT_BAD_VALUE, "kind");
    assert_eq!(kind.message, "`kind` must be one of entity, state, not the text \"thing\"");
}

#[test] // spec: IF-7
fn an_unknown_field_is_refused_with_near_names() {
    let fix = |field: &str| {
        let mut arguments = json!({"label": "a"});
        arguments[field] = json!(1);
        refused(arguments, codes::INPUT_BAD_VALUE, field).fix.unwrap_or_default()
    };
    assert_eq!(fix("limt"), "did you mean `limit`?");
    assert_eq!(fix("evidence_path"), "did you mean `evidence`?");
    assert_eq!(fix("Force"), "did you mean `force`?");
    assert!(fix("zebra").to_string().starts_with("the fields are `label`, "));
}

#[test]
fn a_refusal_never_repeats_a_body() {
    let body = "secret ".repeat(20);
    let fault = refused(json!({"label": "a", "limit": body}), codes::INPUT_BAD_VALUE, "limit");
    assert!(!fault.message.contains("secret"), "{}", fault.message);
}

#[test] // spec: IF-7
fn whole_arguments_may_come_as_text() {
    let expected: Object = serde_json::from_str("{\"a\":1}").expect("an object");
    assert_eq!(object_of(json!("{\"a\":1}")), Ok(expected.clone()));
    assert_eq!(object_of(json!({"a": 1})), Ok(expected));
    assert_eq!(object_of(Value::Null), Ok(Object::new()));
    assert_eq!(object_of(json!("")), Ok(Object::new()));
    for wrong in [json!([1]), json!("x"), json!(5)] {
        assert_eq!(object_of(wrong).map_err(|fault| fault.code), Err(codes::INPUT_BAD_VALUE));
    }
}

#[test] // spec: IF-7, IF-12
fn a_json_text_inside_the_arguments_is_held_to_the_same_rules() {
    refused(json!({"label": "x", "inner": r#"{"at":1,"at":2}"#}), codes::INPUT_BAD_VALUE, "inner");
    let many = format!("[{}0]", "0,".repeat(crate::limits::JSON_VALUES_MAX));
    refused(json!({"label": "x", "weights": many}), codes::INPUT_TOO_LARGE, "weights");
    let code = |text: &str| object_of(json!(text)).map_err(|fault| fault.code);
    assert_eq!(code(r#"{"label":"x","label":"y"}"#), Err(codes::INPUT_BAD_VALUE));
    assert_eq!(code(&many), Err(codes::INPUT_TOO_LARGE));
}

#[test] // spec: IF-14a
fn a_list_of_too_many_items_is_refused() {
    let evidence = |count: usize| json!({"label": "x", "evidence": vec!["a"; count]});
    assert!(fitted(evidence(crate::limits::LIST_ITEMS_MAX)).is_ok());
    refused(evidence(crate::limits::LIST_ITEMS_MAX + 1), codes::INPUT_TOO_LARGE, "evidence");
}

#[test] // spec: IF-7
fn a_field_that_clients_call_otherwise_is_named_as_it_is_called() {
    let fix = |field: &str| {
        let fault = refused(json!({ "label": "x", field: "y" }), codes::INPUT_BAD_VALUE, field);
        fault.fix.map(|fix| fix.to_string())
    };
    for (word, meant) in [("key", "`label`"), ("Id", "`label`"), ("top_k", "`limit`"), ("lable", "`label`")] {
        assert_eq!(fix(word), Some(format!("did you mean {meant}?")), "{word}");
    }
    let all = fix("zzz").unwrap_or_default();
    assert!(all.starts_with("the fields are `label`, ") && !all.contains("REST"), "{all}");
}
