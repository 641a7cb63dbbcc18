//! Lists that are read piece by piece.

use crate::world::{CHERRY, MAKER, PERSON, Short, caller, claim, clock, doctrine, service, two_repositories};
use brainstem_base::Coded as _;
use brainstem_memory::{Filter, ListRequest, Listed, MemorizeRequest, Memory, PromoteRequest, Tier};
use std::sync::Arc;

fn page(memory: &Memory, limit: usize, cursor: Option<String>) -> Listed {
    let request = ListRequest { tier: Tier::Both, limit, filter: Filter::default(), cursor };
    memory.list(&caller(MAKER, CHERRY), &request).unwrap()
}

#[test] // spec: IF-12
fn a_list_read_piece_by_piece_has_every_claim_once() {
    let (disk, clock) = (Arc::new(two_repositories()), clock());
    let memory = service(disk, &clock);
    let ana = caller(MAKER, CHERRY);
    memory.begin(&ana).unwrap();
    for n in 0..7 {
        // Two of them are born in the same moment.
        clock.advance(n % 2);
        memory.tell(&ana, &format!("Claim {n}"), "text").unwrap();
    }
    for n in 0..3 {
        memory.memorize(&caller(PERSON, CHERRY), &doctrine(&format!("Rule {n}"), "text")).unwrap();
    }
    let labels =
        |listed: &Listed| -> Vec<String> { listed.rows.iter().map(|row| row.label.clone()).collect() };
    let whole = page(&memory, 100, None);
    assert_eq!((whole.rows.len(), &whole.cursor), (10, &None));
    for limit in 1..=10 {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let piece = page(&memory, limit, cursor);
            assert!(piece.rows.len() <= limit);
            assert_eq!(piece.left_out, 10 - seen.len() - piece.rows.len());
            seen.extend(labels(&piece));
            match piece.cursor {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(seen, labels(&whole), "{limit} at a time");
    }
    // What is born meanwhile moves nothing.
    let first = page(&memory, 4, None);
    clock.advance(1);
    memory.tell(&ana, "Late", "text").unwrap();
    assert_eq!(labels(&page(&memory, 4, first.cursor)), labels(&whole)[4..8]);
    let broken = ["", "p", "p.1", "p.1.61", "x.1.61.61", "p.-1.61.61", "p.1.6.61", "p.1.zz.61", "p.1.61.x"];
    for broken in broken.into_iter().chain(["p.1.ff.61", "p.1.61.61.61"]) {
        let request = ListRequest {
            tier: Tier::Both,
            limit: 1,
            filter: Filter::default(),
            cursor: Some(broken.into()),
        };
        let error = memory.list(&ana, &request).expect_err("no place in a list");
        assert_eq!(error.field().as_deref(), Some("cursor"), "{broken:?}");
    }
}

#[test] // spec: IF-12
fn claims_of_one_birth_and_label_are_told_apart_by_their_files() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let claims = memory.begin(&caller(MAKER, CHERRY)).unwrap().brain.store_paths().claims;
    let file =
        |text: &str| format!("---\nProtocol: L1GHT/1.0\nNode: Twin\nCreated: 5\n---\n\n# Twin\n\n{text}\n");
    for name in ["c", "a", "d", "b"] {
        disk.write_raw(claims.join(format!("{name}.light.md")), file(name).as_bytes());
    }
    // Two versions of one file that wait for a decision may have one birth and one label, too.
    let sides = format!("<<<<<<< ours\n{}=======\n{}>>>>>>> theirs\n", file("mine"), file("yours"));
    disk.write_raw(claims.join("bb.light.md"), sides.as_bytes());
    let texts = |listed: &Listed| -> Vec<String> { listed.rows.iter().map(|row| row.text.clone()).collect() };
    let whole = texts(&page(&memory, 100, None));
    assert_eq!(whole.len(), 6, "{whole:?}");
    for limit in 1..=6 {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let piece = page(&memory, limit, cursor);
            seen.extend(texts(&piece));
            match piece.cursor {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(seen, whole, "{limit} at a time");
    }
}

#[test] // spec: MEM-53
fn tags_are_counted_over_both_stores_and_what_cannot_be_read_is_named() {
    let (disk, clock) = (two_repositories(), clock());
    let memory = service(Arc::new(disk.clone()), &clock);
    let (ana, person) = (caller(MAKER, CHERRY), caller(PERSON, CHERRY));
    let counts = |tier: Tier| -> Vec<(String, usize)> {
        memory.tags(&ana, tier).unwrap().tags.into_iter().map(|used| (used.tag, used.claims)).collect()
    };
    let paths = memory.begin(&ana).unwrap().brain.store_paths();
    assert_eq!(counts(Tier::Both), []);
    let tags = |tags: &[&str]| tags.iter().map(|&tag| tag.to_owned()).collect();
    for (label, own) in [("One", &["net", "db"][..]), ("Two", &["net"]), ("Three", &["cache"]), ("Four", &[])]
    {
        memory.memorize(&ana, &MemorizeRequest { tags: tags(own), ..claim(label, "text") }).unwrap();
    }
    memory.memorize(&person, &MemorizeRequest { tags: tags(&["net"]), ..doctrine("Rule", "text") }).unwrap();
    let used = |counts: &[(&str, usize)]| -> Vec<(String, usize)> {
        counts.iter().map(|&(tag, claims)| (tag.to_owned(), claims)).collect()
    };
    assert_eq!(counts(Tier::Both), used(&[("net", 3), ("cache", 1), ("db", 1)]));
    assert_eq!(counts(Tier::Medulla), used(&[("net", 1)]));
    // A shared claim is in both stores, and counts once.
    let shared =
        PromoteRequest { label: "Three".into(), reason: "every project".into(), ..PromoteRequest::default() };
    memory.promote(&person, &shared).unwrap();
    assert_eq!(counts(Tier::Both), used(&[("net", 3), ("cache", 1), ("db", 1)]));
    assert_eq!(counts(Tier::Medulla), used(&[("cache", 1), ("net", 1)]));
    // What a claim no longer says is not counted, and a file that cannot be read is named.
    memory.take_back(&ana, "Two").unwrap();
    disk.write_raw(paths.claims.join("broken.light.md"), b"\xff\xfe");
    let answer = memory.tags(&ana, Tier::Both).unwrap();
    assert_eq!(answer.gaps.len(), 1, "{:?}", answer.gaps);
    assert_eq!(counts(Tier::Both), used(&[("net", 2), ("cache", 1), ("db", 1)]));
}
