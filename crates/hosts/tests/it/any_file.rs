//! Random files: putting in and taking out is the identity, and putting in twice is putting in once.

use brainstem_hosts::part::WantedContent;
use brainstem_hosts::{Host, steps};
use proptest::prelude::*;

/// JSON as a person may have typed it, with blanks and, where they are allowed, comments and commas.
fn json(depth: u32, comments: bool) -> BoxedStrategy<String> {
    let blank = if comments {
        prop_oneof![
            6 => "[ \t]{0,3}",
            3 => "\n[ \t]{0,4}",
            2 => "\r\n {0,4}",
            1 => Just(" // note, {\"x\"}\n".to_owned()),
            1 => Just("/* a\n b */".to_owned()),
        ]
        .boxed()
    } else {
        prop_oneof![6 => "[ \t]{0,3}", 3 => "\n[ \t]{0,4}", 2 => "\r\n {0,4}"].boxed()
    };
    let comma = if comments { prop_oneof![Just(""), Just(",")].boxed() } else { Just("").boxed() };
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("-1.5e3".to_owned()),
        Just("\"a, } // \\\" \\u00e9\"".to_owned()),
        Just("true".to_owned()),
    ];
    if depth == 0 {
        return scalar.boxed();
    }
    let key = prop_oneof![
        4 => "\"[a-z]{1,3}\"",
        2 => Just("\"mcpServers\"".to_owned()),
        2 => Just("\"hooks\"".to_owned()),
        2 => Just("\"SessionStart\"".to_owned()),
        1 => Just("\"servers\"".to_owned()),
        1 => Just("\"version\"".to_owned()),
    ];
    let inner = json(depth - 1, comments);
    let member = (blank.clone(), key, blank.clone(), inner.clone(), blank.clone())
        .prop_map(|(a, key, b, value, c)| format!("{a}{key}:{b}{value}{c}"));
    let item = (blank.clone(), inner, blank.clone()).prop_map(|(a, value, b)| format!("{a}{value}{b}"));
    let joined = move |open: char, items: Vec<String>, comma: &str, blank: String, close: char| {
        let comma = if items.is_empty() { "" } else { comma };
        format!("{open}{}{comma}{blank}{close}", items.join(","))
    };
    let object = (prop::collection::vec(member, 0..4), comma.clone(), blank.clone())
        .prop_map(move |(items, comma, blank)| joined('{', items, comma, blank, '}'));
    let array = (prop::collection::vec(item, 0..3), comma, blank)
        .prop_map(move |(items, comma, blank)| joined('[', items, comma, blank, ']'));
    prop_oneof![5 => object, 1 => array, 1 => scalar].boxed()
}

/// A file that holds it, perhaps with a mark before and blanks behind; or next to nothing.
fn file(comments: bool) -> BoxedStrategy<String> {
    let whole = ("\u{feff}?", json(4, comments), "[ \n]{0,2}")
        .prop_map(|(mark, json, end)| format!("{mark}{json}{end}"));
    prop_oneof![9 => whole, 1 => "\u{feff}?[ \n\r]{0,3}"].boxed()
}

/// The contents of one kind, of every host.
fn contents(json: bool) -> Vec<WantedContent> {
    let all = Host::ALL.iter().flat_map(|host| host.wiring("## Memory\n\nPull.", &|_| None).parts);
    all.map(|part| part.content)
        .filter(|content| matches!(content, WantedContent::Json { .. }) == json)
        .collect()
}

fn check(content: &WantedContent, text: &str) -> Result<(), TestCaseError> {
    // What cannot be changed safely is refused, and that is all.
    let Ok(inserted) = content.insert(text) else { return Ok(()) };
    prop_assert_eq!(steps::undo(&inserted.text, &inserted.steps), Some(text.to_owned()));
    let again = content.insert(&inserted.text).expect("what we wrote can be read");
    prop_assert_eq!(&again.text, &inserted.text, "twice is once");
    prop_assert!(again.steps.is_empty() && again.was_there);
    let removed =
        content.remove(&inserted.text, Some(&inserted.made), &[]).expect("what we wrote can be read");
    prop_assert!(removed.found);
    let left = removed.text.unwrap_or_default();
    prop_assert!(!content.is_in(&left), "{left:?}");
    // Taken out without the steps, the rest means what it meant, and no word of it is gone.
    let words = |text: &str| {
        text.split([' ', '\t', '\r', '\n', ',', '\u{feff}'])
            .filter(|word| !word.is_empty())
            .collect::<String>()
    };
    // A version that was missing stays as long as another program's hooks need it.
    let made = inserted.made.iter().any(|key| key == "version");
    let left = if made { words(&left).replace("\"version\":1", "") } else { words(&left) };
    prop_assert_eq!(left, words(text), "{}", inserted.text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test] // spec: IF-15
    fn any_json_comes_back_as_it_was(strict in file(false), commented in file(true)) {
        for content in contents(true) {
            check(&content, &strict)?;
            check(&content, &commented)?;
        }
    }

    #[test] // spec: IF-15
    fn any_text_comes_back_as_it_was(text in "(\u{feff}?(# [a-z]{1,4}|[a-z]{0,3} = \"[a-z]\"|\\[[a-z]{1,3}\\]|)(\n|\r\n)){0,6}(x = 1)?") {
        for content in contents(false) {
            check(&content, &text)?;
        }
    }
}

/// Files that a library's tree lays out anew when something is put in and taken out (docs/decisions/0008).
const ODD: &[&str] = &[
    "{\"a\":1}",
    "{ \"a\": 1 }",
    "{ }",
    "{\n}\n",
    "{\n\n  \"a\": 1\n\n}\n",
    "  {\"a\":1}",
    "{\"a\":1}   \n\n",
    "{\r\n  \"a\": 1,\n  \"b\": 2\n}",
    "{\n  \"mcpServers\": {\n  }\n}\n",
    "{\"mcpServers\":{\"x\":{}}, \"mcpServers\":{\"y\":{}}}",
];
/// The same, for hosts that read comments.
const ODD_WITH_COMMENTS: &[&str] =
    &["// only\n", "/* x */", "{\n  // only\n}\n", "{\n  \"a\": 1 ,\n}\n", "\u{feff}{\"a\":1}"];
/// What hosts drop the whole file for, and a lenient parser takes.
const BROKEN: &[&str] = &[
    "{\"a\":\"tab\there\"}",
    "{\"a\":\"line\nend\"}",
    "{\"a\":\"nul\0\"}",
    "{\"a\":\u{a0}1}",
    "{\u{b}}",
    "{\u{2028}}",
];

#[test] // spec: IF-15
fn files_that_a_tree_would_lay_out_anew_come_back_as_they_were() {
    for content in contents(true) {
        for text in ODD.iter().chain(ODD_WITH_COMMENTS) {
            check(&content, text).unwrap_or_else(|failure| panic!("{text:?}: {failure}"));
        }
        let takes_all = ODD.iter().all(|text| content.insert(text).is_ok());
        assert!(takes_all, "plain JSON can be changed for every host");
        let refuses_all = BROKEN.iter().all(|text| content.insert(text).is_err());
        assert!(refuses_all, "what hosts drop is refused for every host");
    }
}
