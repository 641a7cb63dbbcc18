//! A tag that is a slip away from one in use.

use crate::world::{CHERRY, MAKER, Short as _, caller, clock, service, two_repositories};
use brainstem_base::Coded as _;
use brainstem_memory::MemorizeRequest;
use std::sync::Arc;

#[test] // spec: MEM-53
fn a_new_tag_that_is_nearly_one_in_use_is_named() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let me = caller(MAKER, CHERRY);
    memory.begin(&me).unwrap();
    let tagged = |label: &str, tag: &str| MemorizeRequest {
        label: label.into(),
        text: label.into(),
        tags: vec![tag.into()],
        ..MemorizeRequest::default()
    };
    memory.memorize(&me, &tagged("Retry policy", "retries")).unwrap();
    let slips = |tags: &[&str]| {
        let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
        memory.tag_slips(&me, &tags).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(slips(&[]), [] as [String; 0]);
    assert_eq!(slips(&["retries", "#Retries", "database"]), [] as [String; 0]);
    assert_eq!(
        slips(&["#retires", "ports"]),
        [r#"no claim had the tag "retires" before: did you mean "retries"?"#]
    );
}

#[test] // spec: MEM-48
fn the_tags_of_a_claim_change_without_its_text() {
    let memory = service(Arc::new(two_repositories()), &clock());
    let me = caller(MAKER, CHERRY);
    memory.begin(&me).unwrap();
    memory.tell(&me, "Retry policy", "three times").unwrap();
    let retag = |label: &str, tags: &[&str]| {
        let editing = memory.begin_edit(&me, label, None)?;
        memory.retag(&me, &editing, tags.iter().map(|tag| (*tag).to_owned()).collect())
    };
    let done = retag("retry policy", &["net", "#http"]).unwrap().unwrap();
    assert!(done.history.is_some());
    let row = || memory.all(&me).rows.remove(0);
    assert_eq!((row().text.as_str(), row().tags), ("three times", vec!["http".to_owned(), "net".to_owned()]));
    assert!(retag("Retry policy", &["http", "net"]).unwrap().is_none(), "it has them");
    retag("Retry policy", &[]).unwrap().unwrap();
    assert_eq!(row().tags, [] as [String; 0]);
    assert_eq!(retag("Retry", &["x"]).unwrap_err().code().name(), "claim.not_found");
    assert_eq!(retag("Retry policy", &["/src/cherry/lib"]).unwrap_err().code().name(), "input.bad_value");
}
