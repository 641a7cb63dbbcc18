//! The budget of a beat, measured on what is really sent, in every form it is sent in.

use crate::world::{CHERRY, World};
use brainstem_api::wire::escaped;
use brainstem_api::{Context, Form, Object, Screen, hook, prompts, resources, verbs};
use brainstem_hosts::Payload;
use brainstem_hosts::payload::HookEvent;
use serde_json::{Value, json};
use std::sync::Arc;

const MAKER: &str = "codex:maker";
const PERSON: &str = "human:ana";

/// Sixty labels that disagree, forty boot keys of 200 bytes, long claims, many gaps.
fn crowded() -> World {
    let world = World::new();
    world.get(PERSON, CHERRY, "bootstrap", json!({}));
    let tell = |agent: &str, fields: Value| world.get(agent, CHERRY, "memorize", fields);
    for n in 0..60 {
        let ours = format!("the gadget number {n} is red, and \"quoted\"\non two lines");
        tell(MAKER, json!({"label": format!("Gadget {n}"), "text": ours}));
        let theirs = format!("the gadget number {n} is blue");
        tell(PERSON, json!({"label": format!("Gadget {n}"), "text": theirs, "tier": "medulla"}));
    }
    for n in 0..40 {
        let (key, value) = (format!("key-{n:02}"), format!("{n:02} ").repeat(67));
        world.get(PERSON, CHERRY, "boot_memory", json!({"action": "set", "key": key, "value": value}));
    }
    for n in 0..6 {
        let text = (0..200)
            .map(|step| format!("{step}. the retry step {step} of runbook {n}\n"))
            .collect::<String>();
        let evidence = format!("docs/a rather long name of a runbook number {n}.md");
        world.disk.write_raw(format!("{CHERRY}/{evidence}"), b"a runbook");
        tell(
            MAKER,
            json!({"label": format!("Runbook {n}"), "text": text, "confidence": 0.9, "evidence": [evidence]}),
        );
    }
    for n in 0..40 {
        let name = format!(
            "{}/broken-{n}.light.md",
            world.get(MAKER, CHERRY, "north", json!({}))["sources"]["project"].as_str().unwrap()
        );
        world.disk.write_raw(name, b"no claim");
    }
    world
}

/// A form in which a beat is sent, and its size.
struct Sent {
    form: &'static str,
    text: String,
    /// Bytes of it that are the caller's own words.
    own: usize,
}

fn texts(world: &World, task: &str, budget: usize) -> Vec<Sent> {
    let over_mcp = || world.context(MAKER, CHERRY, Some(Arc::default()));
    let shell = |form: Form| {
        let mut cx = world.context(MAKER, CHERRY, None);
        cx.offers.form = form;
        cx
    };
    let north = |cx: &Context, fenced: bool| {
        let mut fields = Object::new();
        fields.insert("budget_tokens".into(), json!(budget));
        fields.insert("fenced".into(), json!(fenced));
        fields.insert("task".into(), json!(task));
        verbs::find("north").unwrap().call(fields, cx).unwrap()
    };
    let served = |text: String| {
        // As the server says which brain it served.
        format!("{},\"served_brain\":\"cherry@0a1b2c3d\"}}", text.strip_suffix('}').unwrap())
    };
    let page = |cx: &Context, fenced| {
        let mut out = Screen::plain();
        north(cx, fenced).present(&mut out);
        out.into_string()
    };
    let sent = |form, text| Sent { form, text, own: 0 };
    vec![
        sent("MCP", served(north(&over_mcp(), false).text(usize::MAX).unwrap())),
        sent("MCP, fenced", served(north(&over_mcp(), true).text(usize::MAX).unwrap())),
        // As the program prints it.
        sent(
            "command line, JSON",
            escaped(&format!("{}\n", north(&shell(Form::Json), false).text(usize::MAX).unwrap())),
        ),
        sent("command line, text", page(&shell(Form::Text), false)),
        sent("command line, fenced", page(&shell(Form::Text), true)),
    ]
}

/// The forms whose budget nobody chooses.
fn fixed(world: &World) -> Vec<Sent> {
    let cx = world.context(MAKER, CHERRY, Some(Arc::default()));
    let mut arguments = Object::new();
    let start = |arguments: &Object| prompts::write("start_session", arguments, &cx).unwrap();
    let bare = start(&arguments);
    let task = "the retry steps of the runbook ".repeat(20);
    arguments.insert("task".into(), json!(task));
    let payload = Payload::read(b"{}", &|_| None);
    let hooked =
        hook::text(HookEvent::SessionStart, &payload, &world.context(MAKER, CHERRY, None)).unwrap().unwrap();
    vec![
        Sent { form: "resource", text: resources::read("brainstem://beat", &cx).unwrap(), own: 0 },
        Sent { form: "prompt", text: bare, own: 0 },
        Sent {
            form: "prompt with a task",
            text: start(&arguments),
            own: task.len() + "The task: \n\n".len(),
        },
        Sent { form: "hook", text: hooked, own: 0 },
    ]
}

/// The least that can be told of the crowded store, in tokens: above it the budget is kept, below it the answer says
/// how much it takes.
fn least(form: &str) -> usize {
    if form.contains("JSON") || form.contains("MCP") { 600 } else { 450 }
}

#[test] // spec: MEM-28, MEM-30, MEM-29
fn whatever_is_sent_takes_no_more_than_its_budget_and_fills_it() {
    let world = crowded();
    for task in ["", "the retry step of a runbook"] {
        for budget in [100, 600, 1_200, 20_000] {
            for Sent { form, text, .. } in texts(&world, task, budget) {
                let tokens = text.len().div_ceil(4);
                let told = format!("{form}, {budget} tokens, task {task:?}: {tokens} tokens");
                if tokens > budget {
                    assert!(budget < least(form), "{told}");
                    assert!(tokens <= least(form), "{told}: more than the least");
                    assert!(
                        text.contains("over_budget") || text.contains("the least that can be told"),
                        "{told}: {text}"
                    );
                } else if budget <= 4_000 && task.is_empty() {
                    assert!(tokens * 100 >= budget * 80, "{told}: there is more to tell");
                }
            }
        }
    }
    for Sent { form, text, own } in fixed(&world) {
        let tokens = (text.len() - own).div_ceil(4);
        assert!((900..=1_200).contains(&tokens), "{form}: {tokens} tokens: {text}");
    }
}

#[test] // spec: MEM-28
fn characters_that_are_sent_as_escapes_count_as_what_is_sent() {
    let world = World::new();
    world.get(PERSON, CHERRY, "bootstrap", json!({}));
    for n in 0..20 {
        let text = format!("ducks {}", "\u{202e}\u{200b}\u{2066}".repeat(300));
        world.get(MAKER, CHERRY, "memorize", json!({"label": format!("Duck {n}"), "text": text}));
    }
    for budget in [1_200, 5_000] {
        for Sent { form, text, .. } in texts(&world, "ducks", budget) {
            let tokens = text.len().div_ceil(4);
            assert!(tokens <= budget, "{form}, {budget} tokens: {tokens} tokens");
        }
    }
}

#[test] // spec: MEM-28
fn what_does_not_fit_is_counted_and_the_answer_says_how_to_get_it() {
    let world = crowded();
    let beat = world.get(MAKER, CHERRY, "north", json!({"budget_tokens": 1200}));
    let count =
        |path: &str| beat.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path} in {beat}"));
    let shown = |key: &str| beat[key].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(
        count("/left_out") + shown("memory"),
        count("/memory_exists"),
        "every claim is shown or counted"
    );
    assert_eq!(count("/cut/boot") + shown("boot"), 40);
    assert_eq!(count("/cut/conflicts") + shown("conflicts"), 60);
    for (what, key) in [("a boot key", "boot"), ("a pair", "conflicts"), ("a row", "memory")] {
        assert!(shown(key) > 0, "{what} is there: {beat}");
    }
    let moves = beat["next_moves"].to_string();
    for call in ["brainstem seek: ", "brainstem boot list: ", "brainstem north --budget-tokens 4800: "] {
        assert!(moves.contains(call), "{call} in {moves}");
    }
    let gap = beat["honest_gaps"].as_array().unwrap().iter().find(|gap| gap["name"] == "unreadable_claim");
    assert!(gap.is_some(), "a gap is named whatever the budget: {}", beat["honest_gaps"]);

    // With a task, what disagrees about other things is counted and stays away.
    let beat = world.get(MAKER, CHERRY, "north", json!({"task": "the retry step of a runbook"}));
    assert_eq!(beat["conflicts"], json!([]), "{beat}");
    assert_eq!(beat["cut"]["conflicts_elsewhere"], 60);
    assert!(beat["next_moves"].to_string().contains("brainstem north without a task: 60 disagreements"));
}

#[test] // spec: MEM-28, MEM-51
fn a_claim_that_is_cut_says_so_inside_its_fence_and_in_the_words_of_its_door() {
    let world = crowded();
    let task = "the retry step of a runbook";
    let all: Vec<Sent> = texts(&world, task, 1_200).into_iter().chain(fixed(&world)).collect();
    for Sent { form, text, .. } in &all {
        let text = if form.contains("MCP") {
            let document: Value = serde_json::from_str(text).unwrap();
            document["fenced"].as_str().map_or_else(|| document["memory"].to_string(), str::to_owned)
        } else {
            text.clone()
        };
        let expected = match *form {
            "MCP" | "command line, JSON" => "\"cut\":true",
            "MCP, fenced" | "resource" | "prompt" | "prompt with a task" => {
                "[cut here: show with label: runbook-"
            }
            "command line, fenced" => "[cut here: brainstem show runbook-",
            "hook" => "[cut here: the tool `show` or brainstem show runbook-",
            _ => "brainstem show runbook-",
        };
        assert!(text.contains(expected), "{form}: {text}");
        if expected.starts_with('[') {
            let mark = text.find(expected).unwrap();
            let after = &text[mark..];
            let end = after.find('\n').unwrap();
            assert!(
                after[..end].ends_with("has the rest]") && after[end + 1..].starts_with("```"),
                "{form}: {after}"
            );
            assert!(text[..mark].trim_end().ends_with('…'), "{form}");
        }
    }
}

#[test] // spec: MEM-28
fn without_a_task_the_beat_carries_what_is_worth_most_and_fills_its_budget() {
    let world = World::new();
    world.get(PERSON, CHERRY, "bootstrap", json!({}));
    let tell = |fields: Value| world.get(MAKER, CHERRY, "memorize", fields);
    world.disk.write_raw(format!("{CHERRY}/src/money.ts"), b"export const cents = 1;\n");
    let money = json!({"label": "Money is integer cents", "text": "Never a float.", "confidence": "high", "evidence": ["src/money.ts#cents"]});
    tell(money);
    tell(json!({"label": "Serial mode", "text": "Playwright runs one at a time.", "confidence": "high"}));
    for n in 0..12 {
        world.clock.advance(60_000);
        tell(json!({"label": format!("Note {n}"), "text": "a small thing of today"}));
    }
    let labels = |beat: &Value| -> Vec<String> {
        beat["memory"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["label"].as_str().unwrap().to_owned())
            .collect()
    };
    let beat = world.get(MAKER, CHERRY, "north", json!({"budget_tokens": 4000}));
    assert_eq!(labels(&beat)[..3], ["Money is integer cents", "Serial mode", "Note 11"]);
    assert_eq!((labels(&beat).len(), &beat["left_out"]), (14, &json!(0)), "more budget brings more rows");
    assert_eq!(beat["memory"][0]["why"], "worth");
    let few = world.get(MAKER, CHERRY, "north", json!({"budget_tokens": 600}));
    assert!((2..14).contains(&labels(&few).len()), "{few}");
    assert_eq!(labels(&few)[..2], labels(&beat)[..2], "the most useful first");
}

#[test] // spec: MEM-28, MEM-39
fn the_text_of_a_packet_keeps_its_budget_and_the_answer_repeats_no_text() {
    let world = crowded();
    for budget in [100, 500, 1_200, 4_000] {
        for task in ["the retry step of a runbook", "the gadget number 7", "entirely different things"] {
            let fields = json!({"task": task, "budget_tokens": budget});
            let packet = world.get("claude:orchestrator", CHERRY, "delegate", fields);
            let prompt = packet["prompt_markdown"].as_str().unwrap();
            let own = format!("```task · by claude:orchestrator\n{task}\n```\n");
            assert!(prompt.contains(&own), "{prompt}");
            let tokens = (prompt.len() - own.len()).div_ceil(4);
            let told = format!("{budget} tokens, {task:?}: {tokens} tokens");
            // The frame (mission, start, etiquette, report, sources) and the names of gaps take what they take.
            if tokens > budget {
                assert!(
                    budget < 600 && tokens < 700 && prompt.contains("the least that can be told"),
                    "{told}: {prompt}"
                );
            }
            let texts = packet["context"].to_string();
            assert!(!texts.contains("the retry step 1 ") && !texts.contains("is red"), "{texts}");
        }
    }
    let gadget = world.get("claude:orchestrator", CHERRY, "delegate", json!({"task": "the gadget number 7"}));
    let sources = &gadget["sources"];
    let carried = gadget["prompt_markdown"].as_str().unwrap().matches("· medulla · ").count();
    let distinct = gadget["context"]["conflicts"].as_array().unwrap().len();
    assert!(sources["medulla"].as_u64().unwrap() >= distinct as u64 && carried >= distinct, "{sources}");
    let nothing =
        world.get("claude:orchestrator", CHERRY, "delegate", json!({"task": "entirely different things"}));
    assert_eq!(nothing["context"].get("conflicts"), None, "{nothing}");
    assert_eq!(
        (&nothing["sources"]["project"]["rows"], &nothing["sources"]["medulla"]),
        (&json!(0), &json!(0))
    );
    // What was asked for by name comes in any case, as short as need be.
    let seeds: Vec<String> = (0..6).map(|n| format!("Runbook {n}")).collect();
    let fields = json!({"task": "x", "seeds": seeds, "budget_tokens": 900});
    let seeded = world.get("claude:orchestrator", CHERRY, "delegate", fields);
    let rows = seeded["context"]["memory"].as_array().unwrap();
    assert!(rows.len() >= 6 && rows[..6].iter().all(|row| row["cut"] == true), "{}", seeded["context"]);
}
