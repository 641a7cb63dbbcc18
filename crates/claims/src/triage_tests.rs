//! Every row of the triage, one case each.

use super::*;

fn projects() -> Vec<TriageProject> {
    let project = |name: &str, id: &str, root: &str| TriageProject {
        origin: format!("{name}@{id}"),
        name: name.into(),
        root: root.into(),
    };
    vec![
        project("cherry", "aaaaaaaa", "/src/cherry"),
        project("plum", "bbbbbbbb", "/src/plum"),
        project("plum", "cccccccc", "/old/plum"),
        project("inner", "dddddddd", "/src/cherry/inner"),
        project("ci", "eeeeeeee", "/src/ci"),
    ]
}

fn claim(label: &str, header: &str) -> Claim {
    let text = format!("---\nProtocol: L1GHT/1.0\nNode: {label}\n{header}---\n\n# {label}\n\nSomething.\n");
    Claim::parse(text.as_bytes()).expect("a claim")
}

#[track_caller]
fn check(label: &str, header: &str, found: TriageFacts, expected: ClaimDestination, why: &str) {
    let sorted = sort(&claim(label, header), &projects(), &found);
    assert_eq!(sorted.destination, expected, "{sorted:?}");
    assert!(sorted.reason.contains(why), "{}", sorted.reason);
}

fn evidence(at: &[usize]) -> TriageFacts {
    TriageFacts { evidence: at.iter().map(|at| (*at, "src/lib.rs".into())).collect(), text: Vec::new() }
}

#[test] // spec: MEM-42, MEM-42a
fn what_a_claim_says_of_its_birth_decides() {
    use ClaimDestination::{Doctrine, Doubt, Project};
    let none = TriageFacts::default;
    check("A", "Origin-Brain: medulla\n", evidence(&[0]), Doctrine, "born in the medulla");
    check("A", "Origin-Brain: x@1\nOrigin-Claim: x@1#a\n", none(), Doctrine, "witness is x@1#a");
    check("A", "Origin-Brain: cherry@aaaaaaaa\nDoctrine: absolute\n", none(), Doctrine, "every project");
    check("A", "Origin-Brain: cherry@aaaaaaaa\n", evidence(&[1]), Project(0), "written in cherry@aaaaaaaa");
    check("A", "Origin-Brain: /src/cherry\n", none(), Project(0), "written in cherry@aaaaaaaa");
    check("A", "Origin-Brain: /src/cherry/inner/deep\n", none(), Project(3), "written in inner@");
    check("A", "Origin-Brain: /src/cherry-two\n", none(), Doubt, "not a brain of this home");
    check("A", "Origin-Brain: cherry\n", none(), Project(0), "written in cherry@");
    check("A", "Origin-Brain: plum\n", none(), Doubt, "2 brains");
    check("A", "Origin-Brain: cherry@00000000\n", evidence(&[0]), Doubt, "not a brain of this home");
}

#[test] // spec: MEM-42, MEM-6, MEM-42a
fn a_claim_without_an_origin_goes_where_everything_points_or_stays() {
    use ClaimDestination::{Doctrine, Doubt, Project};
    let none = TriageFacts::default;
    let text = |at| TriageFacts { evidence: Vec::new(), text: vec![(at, "/src/plum/x".into())] };
    check("A", "", evidence(&[1]), Project(1), "its evidence `src/lib.rs` is in plum@bbbbbbbb");
    check("A", "", evidence(&[1, 1]), Project(1), "its evidence");
    check("A", "", evidence(&[0, 1]), Doubt, "is in cherry@aaaaaaaa, but its evidence");
    check("A", "", text(1), Project(1), "its text names `/src/plum/x`");
    check("A", "", TriageFacts { evidence: evidence(&[0]).evidence, ..text(1) }, Doubt, "but its text names");
    check("A", "Tags: hall, Cherry\n", none(), Project(0), "tagged cherry");
    check("A", "Tags: cherry\n", text(1), Doubt, "but it is tagged cherry");
    check("Cherry: the hall", "", none(), Project(0), "label begins with cherry");
    check("cherry/hall", "", none(), Project(0), "label begins with cherry");
    check("Cherry hall", "", none(), Doubt, "names cherry, and nothing else does");
    check("Cherrybubbles", "", none(), Doubt, "nothing says");
    check("CI: flaky", "Tags: ci\n", none(), Doubt, "nothing says");
    check("A", "Tags: Preference\n", none(), Doctrine, "tagged as doctrine");
    check("A", "Tags: rule\n", evidence(&[0]), Doubt, "but it is tagged as doctrine");
    check("Cherry first", "Tags: rule\n", none(), Doubt, "names cherry");
    check("A", "", none(), Doubt, "nothing says where it belongs");
}

#[test] // spec: MEM-42
fn paths_are_found_between_other_words() {
    let text = "See `/src/cherry/a.rs`, (~/plum/b) and either/or; http://x/y / is none.";
    assert_eq!(paths_in(text).collect::<Vec<_>>(), ["/src/cherry/a.rs", "~/plum/b"]);
}
