//! Every call of the table, rendered for every door and parsed back there.

use super::*;
use crate::terminal::{self, Terminal};
use crate::verbs::entry_of;
use crate::{Entry, Object, Screen, Toolset, cli, table, tools};
use brainstem_base::advice;
use brainstem_base::next::{Shell, field};

/// A connection that is offered every set.
const MCP: Door = Door::mcp(Offered::ALL);

fn fields_of(call: &NextCall) -> Object {
    call.fields().iter().map(|(field, value)| ((*field).to_owned(), as_json(value))).collect()
}

/// The words of a command line, as a shell splits them.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut is_quoted, mut chars) = (false, line.chars());
    while let Some(c) = chars.next() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '\\' if !is_quoted => words.last_mut().expect("one").extend(chars.next()),
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().expect("one").push(c),
        }
    }
    words
}

/// The verb and the fields of a command line, through the parser of the command line.
fn parsed_command(line: &str) -> (&'static Entry, Object) {
    let matches = cli::command()
        .try_get_matches_from(shell_words(line))
        .unwrap_or_else(|error| panic!("{line}: {error}"));
    let cli::RequestedCommand::Verb(entry, fields) = cli::requested(&matches).expect("a command") else {
        panic!("{line} is no verb");
    };
    let open = |_: &std::path::Path| -> std::io::Result<Box<dyn std::io::Read>> { panic!("no file is read") };
    let mut terminal = Terminal { stdin: &mut std::io::empty(), open: &open };
    (entry, terminal::arguments(entry, fields, &mut terminal).expect("arguments"))
}

/// The name and the fields of a call as MCP and REST render it: `NAME with FIELD: VALUE, FIELD: VALUE`.
fn parsed_call(told: &str) -> (&str, Object) {
    let (name, mut rest) = told.split_once(" with ").unwrap_or((told, ""));
    let mut fields = Object::new();
    while !rest.is_empty() {
        let (field, value) = rest.split_once(": ").unwrap_or_else(|| panic!("{told}: {rest}"));
        let (value, len) = if value.starts_with(['"', '[']) {
            let mut documents = serde_json::Deserializer::from_str(value).into_iter::<Json>();
            let document =
                documents.next().expect("a value").unwrap_or_else(|error| panic!("{told}: {error}"));
            (document, documents.byte_offset())
        } else {
            // A plain word is a text, unless it is a number or true.
            let word = value.split(", ").next().unwrap_or(value);
            (serde_json::from_str(word).unwrap_or_else(|_| word.into()), word.len())
        };
        assert!(fields.insert(field.to_owned(), value).is_none(), "{told}: {field} stands twice");
        rest = rest[field.len() + 2 + len..].trim_start_matches(", ");
    }
    (name, fields)
}

/// The verb of a method and a path, and the fields that are in the path.
fn parsed_route(route: &str) -> (&'static Entry, Object) {
    let (method, path) = route.split_once(' ').unwrap_or_else(|| panic!("{route}"));
    let fits = |form: &str| -> Option<Object> {
        let (parts, given): (Vec<_>, Vec<_>) = (form.split('/').collect(), path.split('/').collect());
        let mut fields = Object::new();
        if parts.len() != given.len() {
            return None;
        }
        for (part, text) in parts.iter().zip(given) {
            match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(field) => {
                    fields.insert(field.to_owned(), text.into());
                }
                None if *part == text => {}
                None => return None,
            }
        }
        Some(fields)
    };
    let paths = table().iter().filter(|entry| entry.spec().doors.has_path());
    let mut found = paths.filter(|entry| entry.spec().method().as_str() == method);
    found.find_map(|entry| Some((entry, fits(entry.spec().path())?))).unwrap_or_else(|| panic!("{route}"))
}

#[test] // spec: IF-4, IF-8a
fn every_call_is_a_valid_call_of_every_door_that_offers_it() {
    let (mut tool_calls, mut paths) = (0, 0);
    for (name, call) in calls::samples() {
        let expected = entry_of(call.verb()).fitted(fields_of(&call));
        let expected = expected.unwrap_or_else(|fault| panic!("{name}: {fault}"));
        let line = call.to_string();
        let (entry, given) = parsed_command(&line);
        assert_eq!(entry.spec().verb, call.verb(), "{line}");
        assert_eq!(entry.fitted(given), Ok(expected.clone()), "{line}");
        assert_eq!(Door::command_line(&[]).call(&call), line);

        if MCP.offers(&call) {
            let told = MCP.call(&call);
            let (tool, mut given) = parsed_call(&told);
            let document = MCP.next(&call.clone().into());
            assert_eq!(document, [json!({ "tool": tool, "arguments": given.clone() })], "{told}");
            let found = tools::find(tool, &mut given, Offered::ALL);
            let entry = found.ok().flatten().unwrap_or_else(|| panic!("{told}: no such tool"));
            assert_eq!(entry.spec().verb, call.verb(), "{told}");
            assert_eq!(entry.fitted(given), Ok(expected.clone()), "{told}");
            tool_calls += 1;
        } else {
            assert_eq!(MCP.call(&call), format!("{line}{IS_A_COMMAND}"));
        }

        if Door::rest().offers(&call) {
            let told = Door::rest().call(&call);
            let (route, mut given) = parsed_call(&told);
            let (entry, in_path) = parsed_route(route);
            given.extend(in_path);
            assert_eq!(entry.fitted(given), Ok(expected), "{told}");
            paths += 1;
        } else {
            assert_eq!(Door::rest().call(&call), format!("{line}{IS_A_COMMAND}"));
        }
    }
    assert!(tool_calls > 30 && paths > 30, "{tool_calls} tools, {paths} paths");
}

#[test] // spec: IF-4, IF-8
fn no_door_names_a_tool_that_it_does_not_offer() {
    for sets in [
        &[][..],
        &[Toolset::Memory],
        &[Toolset::Upkeep],
        &[Toolset::Mail],
        &[Toolset::Live],
        &[Toolset::Ledger],
    ] {
        let door = Door::mcp(Offered::of(sets));
        for (_, call) in calls::samples() {
            let spec = entry_of(call.verb()).spec();
            // `tools` comes with every set.
            let is_offered =
                spec.doors.has_tool() && (sets.contains(&spec.toolset) || spec.verb == VerbId::Tools);
            let told = door.call(&call);
            assert_eq!(told.starts_with("brainstem "), !is_offered, "{sets:?}: {told}");
            assert_eq!(told.ends_with(IS_A_COMMAND), !is_offered, "{sets:?}: {told}");
            assert_eq!(door.next(&call.into()).len(), usize::from(is_offered), "{sets:?}: {told}");
        }
    }
}

#[test] // spec: IF-4
fn every_line_for_a_shell_that_names_the_program_parses() {
    for shell in calls::shell_samples().into_iter().chain([calls::mail_list_as("codex:maker")]) {
        let line = shell.as_str();
        if line.starts_with("brainstem ") {
            let matches = cli::command().try_get_matches_from(shell_words(line));
            let is_help = matches.as_ref().is_err_and(|error| error.exit_code() == 0);
            assert!(is_help || matches.is_ok(), "{line}: {:?}", matches.err());
        }
    }
}

#[test] // spec: IF-8a
fn the_command_line_has_the_words_and_fields_that_base_says() {
    let ids: Vec<VerbId> = table().iter().map(|entry| entry.spec().verb).collect();
    assert_eq!(ids, VerbId::ALL, "each verb stands once in the table, in the same order");
    for entry in table() {
        let verb = entry.spec().verb;
        let command = entry.add_fields(clap::Command::new("verb"));
        let places: Vec<&str> = command.get_positionals().map(|arg| arg.get_id().as_str()).collect();
        assert_eq!(places, verb.places(), "{verb}");
        for arg in command.get_arguments() {
            let (id, long) = (arg.get_id().as_str(), arg.get_long());
            // As the help shows it; a field of a few words is shown as these words.
            let named = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
            let named = named.filter(|name| !name.contains('|')).unwrap_or_else(|| id.to_uppercase());
            let expected = long.map_or(named, |long| format!("--{long}"));
            assert_eq!(verb.on_command_line(id), expected, "{verb}");
        }
    }
}

#[track_caller]
fn check(advice: &Advice, line: &str, mcp: &str, rest: &str) {
    assert_eq!(Door::command_line(&[]).render(advice), line);
    assert_eq!(MCP.render(advice), mcp);
    assert_eq!(Door::rest().render(advice), rest);
}

#[test] // spec: IF-4
fn a_call_is_a_command_a_tool_or_a_path() {
    check(&calls::doctor().into(), "brainstem doctor", "doctor", "POST /api/doctor");
    check(
        &advice!["call it once: ", calls::bootstrap_at("/src/cherry")],
        "call it once: brainstem bootstrap /src/cherry",
        "call it once: bootstrap with path: /src/cherry",
        "call it once: POST /api/bootstrap with path: /src/cherry",
    );
    // The verdict is a field of its own, and the label is the one that is meant.
    check(
        &advice!["take it out (", calls::learn_wrong("cache ttl"), "), or go on"],
        "take it out (brainstem learn 'cache ttl' wrong --tier medulla), or go on",
        "take it out (learn with label: \"cache ttl\", verdict: wrong, tier: medulla), or go on",
        "take it out (POST /api/learn with label: \"cache ttl\", verdict: wrong, tier: medulla), or go on",
    );
    check(
        &advice!["`", calls::audit_promotions(), "` shows what waits"],
        "`brainstem audit promotions` shows what waits",
        "`audit with what: promotions` shows what waits",
        "`GET /api/audit with what: promotions` shows what waits",
    );
    check(
        &advice!["write down what you learn: ", VerbId::Memorize],
        "write down what you learn: brainstem memorize",
        "write down what you learn: memorize",
        "write down what you learn: POST /api/memorize",
    );
}

#[test] // spec: IF-4
fn a_value_that_looks_like_an_option_is_a_value() {
    assert_eq!(calls::show("-x").to_string(), "brainstem show -- -x");
    assert_eq!(calls::promote("a", "-b").to_string(), "brainstem promote a --reason=-b");
    for call in [calls::show("-x"), calls::promote("a", "-b"), calls::show_in("--y", "medulla")] {
        let (entry, given) = parsed_command(&call.to_string());
        assert_eq!(entry.fitted(given), entry.fitted(fields_of(&call)), "{call}");
    }
}

#[test] // spec: IF-4
fn a_field_is_an_option_on_the_command_line() {
    let fix = advice!["repeat with ", field("tier").is("medulla"), ", or ", field("confirm").set()];
    check(
        &fix,
        "repeat with --tier medulla, or --yes",
        "repeat with tier: medulla, or confirm: true",
        "repeat with tier: medulla, or confirm: true",
    );
    let fix = advice!["give `", field("label"), "`: a short name"];
    assert_eq!(fix.clone().about(VerbId::Memorize).to_string(), "give `LABEL`: a short name");
    assert_eq!(fix.clone().about(VerbId::Delegate).to_string(), "give `--label`: a short name");
    assert_eq!(fix.clone().about_object().to_string(), "give `label`: a short name");
    assert_eq!(MCP.render(&fix.about(VerbId::Memorize)), "give `label`: a short name");
}

#[test] // spec: IF-4, MAIL-1a
fn where_somebody_stands_is_said_as_the_door_has_it() {
    check(
        &advice!["name a project with ", Advice::root(), ", or a mail root with ", Advice::mail_root()],
        "name a project with --root, or a mail root with --mail-root",
        "name a project with handshake, or a mail root with the header Brainstem-Mail-Root, or over stdio \
         `brainstem mcp --mail-root PATH`",
        "name a project with ?brain= or the header Brainstem-Caller-Root, or a mail root with the header \
         Brainstem-Mail-Root",
    );
    check(
        &Advice::any_call_at("/src/plum"),
        "brainstem --root /src/plum …",
        "handshake with expect_root: /src/plum",
        "any path with ?brain=/src/plum",
    );
    let without = Door::mcp(Offered::of(&[Toolset::Mail]));
    assert_eq!(without.render(&Advice::root()), "BRAINSTEM_WORKSPACE_ROOT in the server's environment");
}

#[test] // spec: IF-4
fn what_only_a_shell_has_is_told_as_it_is() {
    let git = advice!["take it out: ", Shell::line("git rm -r --cached .brainstem")];
    assert_eq!(MCP.render(&git), git.to_string());
    let up = advice!["start one with `", calls::up(), "`"];
    assert_eq!(MCP.render(&up), format!("start one with `brainstem up --detach`{IS_A_COMMAND}"));
    let aside = advice!["give the text", Advice::on_command_line(", or a file")];
    check(&aside, "give the text, or a file", "give the text", "give the text");
    assert!(MCP.next(&calls::init().into()).is_empty());
    assert!(
        MCP.next(&calls::show(calls::LABEL).into()).is_empty(),
        "a call that is not whole cannot be made"
    );
    assert!(Door::command_line(&[]).next(&calls::list().into()).is_empty());
}

#[test] // spec: IF-4
fn a_command_that_is_no_verb_repeats_the_global_options_too() {
    let of = |option, value: &str, groups| TypedOption { option, value: value.to_owned(), groups };
    let typed =
        vec![of("--home", "/h 2", &[][..]), of("--root", "/src/plum", &[]), of("--session", "w1", &["mail"])];
    let door = Door::command_line(Vec::leak(typed));
    let tell = |advice: Advice| door.render(&advice);
    let both = "brainstem --home '/h 2' --root /src/plum";
    assert_eq!(
        tell(advice!["start one with `", calls::up(), "`"]),
        format!("start one with `{both} up --detach`")
    );
    assert_eq!(tell(advice![VerbId::MailSend]), format!("{both} --session w1 mail send"));
    let at = tell(Advice::any_call_at("/src/cherry"));
    assert_eq!(at, "brainstem --home '/h 2' --root /src/cherry …", "its own root stays");
    assert_eq!(tell(Shell::line("git status").into()), "git status");
    let mut page = Screen::new(None, false).typed(Vec::leak(vec![of("--home", "/h", &[][..])]));
    let call = page.command(&calls::letter_distribute());
    page.line([call]);
    assert_eq!(page.as_str().trim(), "brainstem --home /h letter distribute");
}

#[test] // spec: IF-12
fn a_next_call_over_rest_is_a_method_a_path_and_a_body() {
    let next = |call: NextCall| Door::rest().next(&call.into());
    let learn = json!({ "method": "POST", "path": "/api/learn", "body": { "label": "a b", "verdict": "wrong", "tier": "medulla" } });
    assert_eq!(next(calls::learn_wrong("a b")), [learn]);
    let show = json!({ "method": "GET", "path": "/api/show?label=a%20b&tier=medulla" });
    assert_eq!(next(calls::show_in("a b", "medulla")), [show]);
    assert_eq!(
        next(calls::audit_promotions()),
        [json!({ "method": "GET", "path": "/api/audit?what=promotions" })]
    );
}

#[test] // spec: IF-4, IF-12
fn what_to_call_next_says_who_calls_and_where_as_the_refused_call_did() {
    use crate::refusal::error_document_after;
    use brainstem_base::{Fault, codes};
    let Json::Object(fields) =
        json!({ "agent_id": "codex:maker", "box": "w1", "file": "x", "folder": "new" })
    else {
        panic!("an object")
    };
    let said = CallerWords::of(&fields).in_brain(Some("/src/my p"));
    let next = |door, advice: Advice, field: Option<&str>| {
        let fault = Fault::new(codes::MAIL_NOT_FOUND, "there is none").fix(advice);
        let fault = field.map_or_else(|| fault.clone(), |field| fault.clone().field(field));
        error_document_after(&fault, door, &said)["error"]["next"].take()
    };
    let (list, seek) = (calls::mail_list, || calls::seek("Z"));
    assert_eq!(
        next(Door::rest(), list().into(), None),
        json!([{ "method": "GET", "path": "/api/mail/list?brain=%2Fsrc%2Fmy%20p&agent_id=codex%3Amaker&box=w1" }])
    );
    assert_eq!(
        next(Door::rest(), seek().into(), None),
        json!([{ "method": "GET", "path": "/api/seek?brain=%2Fsrc%2Fmy%20p&query=Z&agent_id=codex%3Amaker" }])
    );
    assert_eq!(
        next(MCP, list().into(), None),
        json!([{ "tool": "mail", "arguments": { "op": "list", "agent_id": "codex:maker", "box": "w1" } }])
    );
    // What was refused is not repeated, and what the advice itself says holds.
    assert_eq!(
        next(Door::rest(), list().into(), Some("brain")),
        json!([{ "method": "GET", "path": "/api/mail/list?agent_id=codex%3Amaker&box=w1" }])
    );
    assert_eq!(
        next(MCP, list().into(), Some("box")),
        json!([{ "tool": "mail", "arguments": { "op": "list", "agent_id": "codex:maker" } }])
    );
    assert_eq!(
        next(Door::rest(), seek().at("/src/q").into(), None),
        json!([{ "method": "GET", "path": "/api/seek?brain=%2Fsrc%2Fq&query=Z&agent_id=codex%3Amaker" }])
    );
    // A word that cannot be shown is repeated nowhere, and no call is advised that would answer for another caller.
    let Json::Object(fields) = json!({ "agent_id": "a\u{202e}b" }) else { panic!("an object") };
    let fault = Fault::new(codes::MAIL_NOT_FOUND, "there is none").fix(list());
    assert_eq!(error_document_after(&fault, MCP, &CallerWords::of(&fields))["error"].get("next"), None);
}

#[test] // spec: IF-4, MAIL-3
fn a_call_that_a_note_names_says_who_calls_and_where_as_the_call_did() {
    let Json::Object(fields) = json!({ "agent_id": "gemini:reviewer", "to": "nobody" }) else {
        panic!("an object")
    };
    let said = CallerWords::of(&fields).in_brain(Some("/src/shop"));
    let note = advice![calls::mail_archive("nobody/x.md"), " takes it back"];
    assert_eq!(
        Door::rest().render_after(&note, &said),
        "POST /api/mail/archive?brain=/src/shop with file: nobody/x.md, agent_id: gemini:reviewer takes it back"
    );
    assert_eq!(
        MCP.render_after(&note, &said),
        "mail with op: archive, file: nobody/x.md, agent_id: gemini:reviewer takes it back"
    );
    assert_eq!(
        Door::rest().render_after(&calls::mail_list().at("/src/q").into(), &said),
        "GET /api/mail/list?brain=/src/q with agent_id: gemini:reviewer",
        "what the advice itself says holds"
    );
}

#[test] // spec: IF-4, MAIL-3
fn a_call_at_another_root_does_not_repeat_the_mail_root() {
    let typed = |option, value: &str| TypedOption { option, value: value.into(), groups: &[] };
    let typed = [typed("--as", "codex:maker"), typed("--mail-root", "/mr"), typed("--root", "/src/p")];
    assert_eq!(
        calls::mail_list().at("/src/shop").line_with(&typed),
        "brainstem --as codex:maker mail list --root /src/shop"
    );
    assert_eq!(
        calls::mail_list().line_with(&typed),
        "brainstem --as codex:maker --mail-root /mr --root /src/p mail list"
    );
}
