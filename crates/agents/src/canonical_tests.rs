use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A value of an input, as a test makes it up and reads it back.
#[derive(Clone, Debug, PartialEq)]
enum Field {
    Text(String),
    NoText,
    Number(u64),
    Texts(Vec<String>),
    Json(Value),
}

/// The domains of the made-up inputs: one is the start of another, and one looks like a field.
const DOMAINS: [&str; 4] = ["a", "ab", "at1:b", ""];

fn input(domain: &'static str, fields: &[Field]) -> HashInput {
    fields.iter().fold(HashInput::new(domain), |input, field| match field {
        Field::Text(text) => input.text(text),
        Field::NoText => input.optional_text(None),
        Field::Number(number) => input.number(*number),
        Field::Texts(texts) => input.texts(texts.iter().map(String::as_str)),
        Field::Json(value) => input.json(&CanonicalJson::of(value).expect("small numbers")),
    })
}

/// Splits `kind length : bytes` off the front.
fn read_field(bytes: &[u8]) -> (u8, &[u8], &[u8]) {
    let colon = bytes.iter().position(|b| *b == b':').expect("a length ends with a colon");
    let length: usize = std::str::from_utf8(&bytes[1..colon]).expect("digits").parse().expect("a length");
    let (value, rest) = bytes[colon + 1..].split_at(length);
    (bytes[0], value, rest)
}

/// Reads an input back. That this works for all inputs is why no two of them have the same bytes.
fn read_back(bytes: &[u8]) -> (String, Vec<Field>) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let (kind, domain, mut rest) = read_field(bytes);
    assert_eq!(kind, b'd');
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (kind, value, behind) = read_field(rest);
        rest = behind;
        fields.push(match kind {
            b't' => Field::Text(text(value)),
            b'n' => Field::NoText,
            b'i' => Field::Number(text(value).parse().expect("digits")),
            b'j' => Field::Json(serde_json::from_slice(value).expect("JSON")),
            b'l' => {
                let (mut items, mut texts) = (value, Vec::new());
                while !items.is_empty() {
                    let (kind, item, behind) = read_field(items);
                    assert_eq!(kind, b't');
                    (items, texts) = (behind, [texts, vec![text(item)]].concat());
                }
                Field::Texts(texts)
            }
            kind => panic!("no kind of field: {kind}"),
        });
    }
    (text(domain), fields)
}

/// Texts that look like parts of the form itself are common.
fn tricky_text() -> impl Strategy<Value = String> {
    "[adtnilj01:{}\\[\\]\",é]{0,6}"
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_i64..10).prop_map(Value::from),
        tricky_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(tricky_text(), inner, 0..3)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn field() -> impl Strategy<Value = Field> {
    prop_oneof![
        4 => tricky_text().prop_map(Field::Text),
        1 => Just(Field::NoText),
        1 => any::<u64>().prop_map(Field::Number),
        2 => prop::collection::vec(tricky_text(), 0..4).prop_map(Field::Texts),
        1 => json_value().prop_map(Field::Json),
    ]
}

/// A domain and its fields.
fn sample() -> impl Strategy<Value = (&'static str, Vec<Field>)> {
    (prop::sample::select(&DOMAINS[..]), prop::collection::vec(field(), 0..5))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test] // spec: Z-20
    fn every_input_is_read_back_from_its_bytes((domain, fields) in sample()) {
        let (read_domain, read_fields) = read_back(input(domain, &fields).as_bytes());
        prop_assert_eq!(read_domain, domain);
        prop_assert_eq!(read_fields, fields);
    }

    #[test] // spec: Z-20
    fn two_inputs_have_the_same_bytes_only_if_they_are_the_same(a in sample(), b in sample()) {
        prop_assert_eq!(input(a.0, &a.1).as_bytes() == input(b.0, &b.1).as_bytes(), a == b);
    }

    /// The same characters in the same order, cut elsewhere.
    #[test] // spec: Z-20
    fn texts_that_are_cut_elsewhere_have_another_key(text in "[at1:]{1,8}", a in 0_usize..8, b in 0_usize..8) {
        let cut = |at: usize| {
            let (front, back) = text.split_at(at.min(text.len()));
            HashInput::new("cut.1").text(front).text(back)
        };
        let is_same_cut = a.min(text.len()) == b.min(text.len());
        prop_assert_eq!(cut(a).digest() == cut(b).digest(), is_same_cut);
        prop_assert_ne!(cut(a).digest(), HashInput::new("cut.1").text(&text).digest());
    }
}

/// Reads a field of a vector: `{"text": …}`, `{"none": true}`, `{"number": …}`, `{"texts": […]}` or `{"json": …}`.
fn field_of(vector: &Value) -> Field {
    let (kind, value) = vector.as_object().and_then(|object| object.iter().next()).expect("one key");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    match kind.as_str() {
        "text" => Field::Text(text(value)),
        "none" => Field::NoText,
        "number" => Field::Number(value.as_u64().expect("a number")),
        "texts" => Field::Texts(value.as_array().expect("a list").iter().map(text).collect()),
        "json" => Field::Json(value.clone()),
        kind => panic!("no kind of field: {kind}"),
    }
}

#[test] // spec: Z-20
fn the_vectors_on_file_hold() {
    let vectors: Value = serde_json::from_str(include_str!("../tests/vectors/canonical.json")).expect("JSON");
    let vectors = vectors["vectors"].as_array().expect("a list");
    assert!(vectors.len() >= 12, "the file was cut short");
    for vector in vectors {
        let fields: Vec<_> = vector["fields"].as_array().expect("a list").iter().map(field_of).collect();
        let domain = vector["domain"].as_str().expect("a text").to_owned();
        let input = input(domain.leak(), &fields);
        let bytes = String::from_utf8(input.as_bytes().to_vec()).expect("UTF-8");
        assert_eq!(json!([bytes, input.digest().to_string()]), json!([vector["input"], vector["sha256"]]));
    }
}

#[test]
fn a_digest_is_read_back_from_its_text_and_from_no_other() {
    let digest = HashInput::new("digest.1").digest();
    let text = digest.to_string();
    assert_eq!(text.parse(), Ok(digest));
    let bad = [text.to_uppercase(), text[1..].to_owned(), format!("{text}0"), text.replace(&text[..1], "g")];
    for bad in bad {
        assert_eq!(bad.parse::<CanonicalDigest>(), Err(DigestFault), "{bad}");
    }
}
