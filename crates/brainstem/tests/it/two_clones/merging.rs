//! Two clones that changed the same claim: both sides are kept until one is decided for.

use super::{Person, all_texts, shared};
use serde_json::{Value, json};
use std::fs;

#[test] // spec: MEM-49, MEM-3c
fn two_clones_that_disagree_keep_both_sides_until_someone_decides() {
    let (_dir, ana, ben) = shared();
    ben.ask(&["init"]); // tells Ben's git how claims are merged
    ana.ask(&["memorize", "Retry policy", "--text", "four times", "--as", "human:ana"]);
    ana.ask(&["memorize", "Only Ana", "--text", "one"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "human:ben"]);
    ben.ask(&["retract", "Cache", "--reason", "gone"]);
    ben.commit("ben");
    let pulled = ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]);
    assert_ne!(pulled.status, Some(0), "git tells that someone has to decide");

    // Both versions are recalled, each with its author, and nothing else is in the way.
    let found = ben.ask(&["seek", "retry policy"]);
    let sides: Vec<_> =
        found["rows"].as_array().expect("rows").iter().map(|row| (&row["side"], &row["text"])).collect();
    assert!(sides.contains(&(&json!("ours"), &json!("five times"))), "{found}");
    assert!(sides.contains(&(&json!("theirs"), &json!("four times"))), "{found}");
    assert_eq!(found["gaps"][0]["name"], "undecided");
    let refused = ben.run(&["memorize", "Retry policy", "--text", "six times"]);
    assert_eq!(refused.code(), "claim.unreadable");
    assert!(refused.json()["error"]["fix"].as_str().is_some_and(|fix| fix.contains("resolve")));
    assert_eq!(ben.ask(&["resolve"])["waiting"].as_array().map(Vec::len), Some(2));

    let decided = ben.ask(&["resolve", "Retry policy", "--take", "theirs", "--as", "human:ben"]);
    assert_eq!((&decided["text"], &decided["waiting"]), (&json!("four times"), &json!([])));
    ben.git_ok(&["add", "-A"]);
    ben.git_ok(&["commit", "-q", "-m", "merged"]);
    ben.git_ok(&["push", "-q"]);
    let shown = ben.ask(&["show", "Retry policy"]);
    assert_eq!(shown["claim"]["source_agent"], "human:ana");
    let before: Vec<_> =
        shown["history"].as_array().expect("history").iter().map(|v| v["text"].clone()).collect();
    assert!(before.contains(&json!("five times")) && before.contains(&json!("three times")), "{shown}");

    // Ana gets the decision, the union of the acts, and who decided.
    ana.git_ok(&["pull", "-q"]);
    assert_eq!(ana.texts(), ["four times", "one"]);
    let acts = fs::read_to_string(ana.clone.join(".brainstem/acts.jsonl")).expect("acts");
    assert!(acts.contains("\"resolve\"") && acts.contains("\"gone\""), "{acts}");
}

#[test] // spec: MEM-49
fn a_clone_whose_git_was_told_nothing_merges_as_text_and_resolve_reads_that() {
    let (_dir, ana, ben) = shared();
    ana.ask(&["memorize", "Retry policy", "--text", "four times", "--as", "human:ana"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "human:ben"]);
    ben.commit("ben");
    assert_ne!(ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]).status, Some(0));
    let own = ben.ask(&["resolve", "Retry policy", "--text", "six times", "--as", "human:ben"]);
    assert_eq!((&own["text"], &own["source_agent"]), (&json!("six times"), &json!("human:ben")));
    let shown = ben.ask(&["show", "Retry policy"]);
    let before: Vec<_> =
        shown["history"].as_array().expect("history").iter().map(|v| v["text"].clone()).collect();
    assert!(before.contains(&json!("five times")) && before.contains(&json!("four times")), "{shown}");
}

#[test] // spec: MEM-49, MEM-48
fn a_version_that_was_decided_for_carries_no_mark_and_is_live_alone() {
    let (_dir, ana, _) = shared();
    ana.git_ok(&["checkout", "-q", "-b", "other"]);
    ana.ask(&["memorize", "Retry policy", "--text", "four times", "--as", "codex:maker"]);
    ana.commit("four");
    ana.git_ok(&["checkout", "-q", "main"]);
    for text in ["five times", "six times"] {
        ana.ask(&["memorize", "Retry policy", "--text", text, "--as", "codex:maker"]);
    }
    ana.commit("six");
    assert_ne!(ana.git(&["merge", "-q", "other"]).status, Some(0));
    let gaps = ana.ask(&["status"])["gaps"].clone();
    let waits = gaps.as_array().expect("gaps").iter().find(|gap| gap["name"] == "undecided");
    let detail = waits.and_then(|gap| gap["detail"].as_str()).unwrap_or_default();
    assert!(detail.starts_with("1 claim waits for a decision between versions (\"Retry policy\")"), "{gaps}");
    ana.ask(&["resolve", "Retry policy", "--take", "theirs"]);
    let shown = ana.ask(&["show", "Retry policy"]);
    assert_eq!(
        (&shown["claim"]["text"], &shown["claim"]["resurrected"]),
        (&json!("four times"), &Value::Null)
    );
    let before: Vec<_> =
        shown["history"].as_array().expect("history").iter().map(|v| v["text"].clone()).collect();
    assert_eq!(before, ["six times", "five times", "three times"], "{shown}");
    assert_eq!(ana.ask(&["doctor"])["findings"], json!([]));
    assert!(ana.ask(&["status"])["gaps"].as_array().is_none_or(Vec::is_empty));
    // What is written over it and taken back by git is marked as before.
    ana.commit("decided");
    ana.ask(&["memorize", "Retry policy", "--text", "seven times", "--as", "codex:maker"]);
    ana.git_ok(&["checkout", "-q", "."]);
    assert_eq!(ana.ask(&["show", "Retry policy"])["claim"]["resurrected"], true);
}

#[test] // spec: MEM-49
fn a_merge_over_an_undecided_file_does_not_nest_and_eject_waits_for_it() {
    let (_dir, ana, _) = shared();
    for (branch, text) in [("b2", "b2 view"), ("b3", "b3 view")] {
        ana.git_ok(&["checkout", "-q", "-b", branch, "main"]);
        ana.ask(&["memorize", "Retry policy", "--text", text]);
        ana.git_ok(&["commit", "-q", "-a", "-m", branch]);
    }
    ana.git_ok(&["checkout", "-q", "main"]);
    ana.ask(&["memorize", "Retry policy", "--text", "main view"]);
    ana.git_ok(&["commit", "-q", "-a", "-m", "main"]);
    assert_ne!(ana.git(&["merge", "-q", "b2"]).status, Some(0));
    ana.git_ok(&["commit", "-q", "-a", "-m", "left undecided"]);
    assert_ne!(ana.git(&["merge", "-q", "b3"]).status, Some(0));
    let waiting = ana.ask(&["resolve"])["waiting"].clone();
    let sides: Vec<_> = waiting.as_array().expect("rows").iter().map(|row| row["text"].clone()).collect();
    assert_eq!(
        sides,
        [json!("main view"), json!("b2 view"), json!("b3 view")],
        "all of them, and none nested"
    );
    ana.ask(&["resolve", "Retry policy", "--text", "all of it"]);
    let texts = all_texts(&ana, "Retry policy");
    for text in ["all of it", "main view", "b2 view", "b3 view", "three times"] {
        assert!(texts.iter().any(|known| known == text), "{text} is not in {texts:?}");
    }
    assert_eq!(
        ana.run(&["resolve", "Retry policy", "--take", "ours"]).code(),
        "claim.not_found",
        "nothing waits"
    );
    fs::write(ana.clone.join(".brainstem/agent-memory/odd.light.md"), "no claim").expect("a file");
    assert_eq!(ana.run(&["eject"]).code(), "claim.unreadable", "nothing is left behind in silence");
}

#[test] // spec: MEM-49, MEM-5a
fn a_correction_by_hand_and_a_new_version_are_both_kept_by_a_pull() {
    let (_dir, ana, ben) = shared();
    ben.ask(&["init"]);
    let file = ana.clone.join(".brainstem/agent-memory/retry-policy.light.md");
    let text = fs::read_to_string(&file).expect("a claim").replace("three times", "three times, corrected");
    fs::write(&file, text).expect("a file");
    ana.commit("by hand");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "cursor:maker"]);
    ben.commit("five");
    assert_ne!(ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]).status, Some(0), "someone has to decide");
    let texts = all_texts(&ben, "Retry policy");
    for text in ["three times, corrected", "five times"] {
        assert!(texts.iter().any(|known| known == text), "{text} is not in {texts:?}");
    }
    assert_eq!(ben.gaps(), ["undecided"]);
    ben.ask(&["resolve", "Retry policy", "--take", "ours", "--as", "human:ben"]);
    ben.commit("decided");
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q", "--no-edit"]);
    assert!(ana.texts().contains(&"five times".to_owned()), "{:?}", ana.texts());
    assert!(ana.gaps().is_empty(), "{:?}", ana.gaps());
}

#[test] // spec: MEM-49, MEM-48
fn a_rename_in_one_clone_and_a_new_version_in_another_become_one_claim() {
    let (_dir, ana, ben) = shared();
    ben.ask(&["init"]);
    ana.ask(&["rename", "Retry policy", "Attempts", "--as", "human:ana"]);
    ana.commit("renamed");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Retry policy", "--text", "five times", "--as", "cursor:maker"]);
    ben.commit("five");
    ben.git_ok(&["pull", "-q", "--no-rebase", "--no-edit"]);
    let shown = ben.ask(&["show", "Attempts"]);
    assert_eq!(
        (shown["claim"]["label"].as_str(), shown["claim"]["text"].as_str()),
        (Some("Attempts"), Some("five times"))
    );
    assert!(ben.gaps().is_empty(), "{:?}", ben.gaps());
    let health = ben.ask(&["doctor"]);
    assert_eq!(health["findings"].as_array().map(Vec::len), Some(0), "{health}");
}

#[test] // spec: MEM-48, MEM-8
fn a_label_that_another_clone_renamed_has_a_new_history_and_forgetting_it_leaves_the_renamed_claim_whole() {
    let (_dir, ana, ben) = shared();
    ana.ask(&["memorize", "Cache", "--text", "cleared by hand", "--as", "claude:maker"]);
    ana.commit("by hand");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    ben.ask(&["rename", "Cache", "Page cache", "--as", "human:ben"]);
    ben.commit("renamed");
    ben.git_ok(&["push", "-q"]);
    ana.git_ok(&["pull", "-q"]);
    ana.ask(&["memorize", "Cache", "--text", "of the compiler", "--as", "claude:maker"]);
    let renamed = ["cleared by hand", "cleared on deploy"];
    assert_eq!(all_texts(&ana, "Cache"), ["of the compiler"]);
    assert_eq!(all_texts(&ana, "Page cache"), renamed);
    let gone = ana.ask(&["forget", "Cache", "--yes"]);
    assert_eq!(gone["versions"], 0, "{gone}");
    assert!(gone["notes"].to_string().contains("another clone renamed that claim"), "{gone}");
    assert_eq!(all_texts(&ana, "Page cache"), renamed);
    ana.commit("forgotten");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    assert_eq!(all_texts(&ben, "Page cache")[0], "cleared by hand");
}

#[test] // spec: MEM-10a, MEM-49
fn of_a_merge_without_the_driver_the_side_that_was_written_here_is_recorded() {
    let (_dir, ana, ben) = shared();
    let text =
        |first: &str| format!("{first}\n{}", "a line that git finds again in the renamed file\n".repeat(9));
    ana.ask(&["memorize", "Backups", "--text", &text("nightly"), "--as", "claude:maker"]);
    ana.commit("backups");
    ana.git_ok(&["push", "-q"]);
    ben.git_ok(&["pull", "-q"]);
    ana.ask(&["rename", "Backups", "Copies", "--as", "human:ana"]);
    ana.commit("renamed");
    ana.git_ok(&["push", "-q"]);
    ben.ask(&["memorize", "Backups", "--text", &text("hourly"), "--as", "human:ben"]);
    ben.commit("hourly");
    assert_ne!(ben.git(&["pull", "-q", "--no-rebase", "--no-edit"]).status, Some(0));
    let sides = |answer: Value| -> Vec<(String, bool)> {
        let rows = answer["waiting"].as_array().or(answer["sides"].as_array()).expect("sides").clone();
        let side = |row: &Value| {
            let is_told = row["warnings"].to_string().contains("this home has no record of it");
            assert_eq!(is_told, row["unrecorded"] == true, "{row}");
            (row["side"].as_str().expect("a side").to_owned(), is_told)
        };
        rows.iter().map(side).collect()
    };
    // Both versions are whole, as git's index has them: his own, and the one that Ana renamed, which claims no authority.
    let expected = [("ours".to_owned(), false), ("theirs".to_owned(), false)];
    assert_eq!(sides(ben.ask(&["resolve"])), expected);
    assert_eq!(sides(ben.ask(&["show", "Copies"])), expected);
    let marks = |person: &Person| {
        let rows = person.ask(&["list"])["rows"].as_array().expect("rows").clone();
        let own = rows.into_iter().filter(|row| row["id"] == "copies");
        own.map(|row| row["unrecorded"] == true).collect::<Vec<_>>()
    };
    assert_eq!(marks(&ben), [false, false]);
    ben.ask(&["resolve", "Copies", "--take", "ours", "--as", "human:ben"]);
    assert_eq!(marks(&ben), [false]);
}

#[test] // spec: MEM-2, MEM-49
fn what_a_forced_push_replaced_is_named_shown_and_decided() {
    let (_dir, ana, ben) = shared();
    ben.ask(&["init"]);
    ben.ask(&["memorize", "Retry policy", "--text", "ben says", "--as", "human:ben"]);
    ben.commit("ben");
    ben.git_ok(&["push", "-q"]);
    ana.ask(&["memorize", "Retry policy", "--text", "ana says", "--as", "human:ana"]);
    ana.commit("ana");
    ana.git_ok(&["push", "-q", "--force"]);
    ben.git_ok(&["fetch", "-q"]);
    ben.git_ok(&["reset", "-q", "--hard", "origin/main"]);
    assert_eq!(ben.gaps(), ["version_absent"]);
    let texts = all_texts(&ben, "Retry policy");
    assert!(texts.starts_with(&["ana says".into(), "ben says".into()]), "{texts:?}");
    ben.ask(&["resolve", "Retry policy", "--take", "theirs", "--as", "human:ben"]);
    assert!(ben.texts().contains(&"ben says".to_owned()));
    assert!(all_texts(&ben, "Retry policy").contains(&"ana says".to_owned()));
    assert!(ben.gaps().is_empty(), "{:?}", ben.gaps());
}
