use super::*;
use crate::Toolset;

/// A connection that is offered every set.
const MCP: Via = Via::Mcp(Offered::ALL);

#[track_caller]
fn check(text: &str, mcp: &str, rest: &str) {
    assert_eq!(Via::CommandLine.spell(text), text);
    assert_eq!(MCP.spell(text), mcp);
    assert_eq!(Via::Rest.spell(text), rest);
    assert_eq!(MCP.spell(mcp), mcp, "twice is once");
}

#[test] // spec: IF-4
fn a_command_is_a_tool_or_a_path() {
    check("brainstem doctor", "doctor", "POST /api/doctor");
    check(
        "call it once: brainstem bootstrap /src/cherry",
        "call it once: bootstrap with path: /src/cherry",
        "call it once: POST /api/bootstrap with path: /src/cherry",
    );
    check(
        "take it out (brainstem learn LABEL wrong --tier medulla), or go on",
        "take it out (learn with label: LABEL wrong, tier: medulla), or go on",
        "take it out (POST /api/learn with label: LABEL wrong, tier: medulla), or go on",
    );
    check(
        "brainstem handshake --expect-root /x",
        "session_handshake with expect_root: /x",
        "POST /api/handshake with expect_root: /x",
    );
    check(
        "brainstem --root /src/plum …",
        "session_handshake with expect_root: /src/plum …",
        "any path with ?brain=/src/plum …",
    );
}

#[test] // spec: IF-4, IF-8
fn a_tool_that_is_not_offered_stays_a_command() {
    let default = Via::Mcp(Offered::of(Toolset::DEFAULT));
    let text = "see `brainstem seek QUESTION`, or brainstem audit promotions --all-brains; brainstem brains lists the roots";
    assert_eq!(
        default.spell(text),
        "see `seek with query: QUESTION`, or brainstem audit promotions --all-brains; brainstem brains lists the roots"
    );
    assert!(!MCP.spell(text).contains("brainstem"), "{}", MCP.spell(text));
}

#[test] // spec: IF-4
fn an_option_is_a_field() {
    check("repeat with --tier medulla", "repeat with tier: medulla", "repeat with tier: medulla");
    check(
        "repeat with --yes if that is meant",
        "repeat with confirm: true if that is meant",
        "repeat with confirm: true if that is meant",
    );
    check("give `text` (on the command line: --text TEXT, or -)", "give `text`", "give `text`");
}

#[test] // spec: IF-4
fn what_is_told_is_spelled_and_what_is_handed_on_is_not() {
    let told = "repeat with --tier medulla";
    let mut answer = serde_json::json!({
        "gaps": [{ "name": told, "detail": told }], "notes": [told], "text": told,
        "lines": [{ "act": { "data": { "notes": told, "fix": told } } }], "rows": [{ "label": told, "text": told }],
    });
    let mut expected = answer.clone();
    expected["gaps"][0]["detail"] = "repeat with tier: medulla".into();
    expected["notes"][0] = "repeat with tier: medulla".into();
    respell(&mut answer, false, Via::Rest);
    assert_eq!(answer, expected);
}

#[test] // spec: IF-4
fn what_only_a_shell_has_stays_and_so_does_what_somebody_wrote() {
    for same in [
        "brainstem init brings back what is gone",
        "brainstem down, then brainstem up --detach without --expose",
        "choose another home with --home or BRAINSTEM_HOME",
        "did you mean \"--tier medulla\" or \"brainstem doctor\"?",
        "git rm -r --cached .brainstem, then commit",
        "look for a stopped brainstem process",
    ] {
        check(same, same, same);
    }
}

#[test] // spec: IF-4, MAIL-1a
fn where_somebody_stands_is_said_as_the_door_has_it() {
    check(
        "name a project with --root, or a mail root with --mail-root",
        "name a project with session_handshake, or a mail root with the header Brainstem-Mail-Root, or over stdio \
         `brainstem mcp --mail-root PATH`",
        "name a project with ?brain= or the header Brainstem-Caller-Root, or a mail root with the header \
         Brainstem-Mail-Root",
    );
    check(
        "name its project with --root /src/plum, and repeat",
        "name its project with session_handshake with expect_root: /src/plum, and repeat",
        "name its project with ?brain=/src/plum, and repeat",
    );
    check("a person may add --force", "a person may add force: true", "a person may add force: true");
}

#[test] // spec: IF-4
fn a_field_is_an_option_on_the_command_line() {
    let of = |id: &str| crate::verbs::find(id).expect("a verb");
    let told = |via: Via, id: &str, field: &str, fix: &str| {
        let fault = Fault::new(brainstem_base::codes::INPUT_MISSING, "x").fix(fix).field(field);
        via.fault(fault, of(id)).fix.expect("a fix")
    };
    let fix = "give `subject`, `body` or both";
    assert_eq!(told(Via::CommandLine, "mail_send", "body", fix), "give `--subject`, `--body` or both");
    assert_eq!(told(Via::Rest, "mail_send", "body", fix), fix);
    let fix = "give `label`: a short name";
    assert_eq!(told(Via::CommandLine, "memorize", "label", fix), "give `LABEL`: a short name");
    assert_eq!(told(Via::CommandLine, "memorize", "batch", fix), fix, "objects have fields on every door");
}
