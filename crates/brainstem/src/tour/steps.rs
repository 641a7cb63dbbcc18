//! The steps of the tour. They show what the product can do; a new verb earns a step.

/// One step: a sentence, a repository and a command line.
pub(super) struct TourStep {
    /// One sentence before it.
    pub(super) say: &'static str,
    /// The repository to run it in.
    pub(super) repository: &'static str,
    /// The command line.
    pub(super) command: &'static str,
    /// How it must end.
    pub(super) ends: Ends,
}

/// How a step ends.
#[derive(Clone, Copy)]
pub(super) enum Ends {
    /// The command succeeds.
    Well,
    /// The command is refused with this code, which is the point of the step.
    Refused(&'static str),
}

const fn step(say: &'static str, repository: &'static str, command: &'static str) -> TourStep {
    TourStep { say, repository, command, ends: Ends::Well }
}

pub(super) const STEPS: &[TourStep] = &[
    step("Two repositories, cherry and plum, and nothing is remembered yet.", "cherry", "brainstem"),
    step(
        "One call gives a project its brain; its files lie under the home, not in the repository.",
        "cherry",
        "brainstem bootstrap",
    ),
    step(
        "An agent writes down what it has learned, with the place where it can be checked.",
        "cherry",
        r#"brainstem memorize "Retry policy" --text "Three times, then give up." --evidence src/retry.rs#L1 --confidence high --as codex:maker"#,
    ),
    step(
        "So does another one, in another tool.",
        "cherry",
        r#"brainstem memorize "Deploy clears the cache" --text "Every deploy clears the page cache; the first minute is slow." --as claude:maker"#,
    ),
    step(
        "A third one asks in its own words, and the answer says who said it, how sure, and when.",
        "cherry",
        r#"brainstem seek "how often do we retry?" --as cursor:maker"#,
    ),
    TourStep {
        say: "A weaker claim never replaces a stronger one: nothing is written, and the refusal says what to do.",
        repository: "cherry",
        command: r#"brainstem memorize "Retry policy" --text "Perhaps five times?" --confidence low --as claude:maker"#,
        ends: Ends::Refused("claim.would_downgrade"),
    },
    step(
        "A claim that is as strong supersedes it, and the version before is kept.",
        "cherry",
        r#"brainstem memorize "Retry policy" --text "Four times since the last release." --confidence high --as claude:maker"#,
    ),
    step(
        "What is wrong is taken back with a reason, on the record.",
        "cherry",
        r#"brainstem retract "Deploy clears the cache" --reason "the cache is kept since the last release" --as human:ana"#,
    ),
    step(
        "One claim in full, with everything that it said before.",
        "cherry",
        r#"brainstem show "Retry policy""#,
    ),
    step("The other repository gets a brain of its own.", "plum", "brainstem bootstrap"),
    step("It sees nothing of the first one's memory.", "plum", r#"brainstem seek "how often do we retry?""#),
    step(
        "Only when it asks for every brain does it see more, and each row says where its claim came from.",
        "plum",
        r#"brainstem seek "how often do we retry?" --tier all-brains"#,
    ),
    step(
        "What holds in every project is doctrine, written by people and orchestrators.",
        "plum",
        r#"brainstem memorize "Commit messages" --text "One thing per commit, in the form area: what." --tier medulla --as human:ana"#,
    ),
    step(
        "What one project learned and holds elsewhere is promoted: a copy for all, with where it came from.",
        "cherry",
        r#"brainstem promote "Retry policy" --reason "plum retries in the same way" --because observed-in:../plum --as claude:orchestrator"#,
    ),
    step(
        "The other repository sees it now, and the chain reads as a sentence.",
        "plum",
        r#"brainstem seek "how often do we retry?""#,
    ),
    step(
        "When it does not hold there, it is un-shared, and the first repository keeps its own.",
        "plum",
        r#"brainstem learn "Retry policy" wrong --note "plum gives up at once" --tier medulla --as human:ana"#,
    ),
    step(
        "A value that every session needs at once is a boot key; it rides every beat.",
        "cherry",
        r#"brainstem boot set test "cargo test" --as codex:maker"#,
    ),
    step(
        "The beat: what an agent should know before it starts, within a budget of tokens.",
        "cherry",
        r#"brainstem north "make the retry loop quicker" --as codex:maker"#,
    ),
    step(
        "Work for another agent goes with what it has to know: its packet names the claims, and how to report.",
        "cherry",
        r#"brainstem delegate "Make the retry loop quicker" --scope src --to codex:maker --as claude:orchestrator"#,
    ),
    step(
        "Agents write to each other; a message is a file that waits until it is read.",
        "cherry",
        r#"brainstem mail send --to codex.maker --type question --subject "Is four enough?" --body "The nightly job fails on the fourth." --as claude:orchestrator"#,
    ),
    step(
        "The other one sees it when it next looks, in its beat too.",
        "cherry",
        "brainstem mail list --as codex:maker",
    ),
    step(
        "An inbox is one address in every project: what must be answered or done waits there until it is finished.",
        "cherry",
        r#"brainstem inbox send --to codex:maker --type review.request --subject "Look at the retry loop" --priority 1 --as human:ana"#,
    ),
    step(
        "Its owner finds it from the other repository too.",
        "plum",
        "brainstem inbox list --as codex:maker",
    ),
    step(
        "It is on a log that can be verified: a message that was changed, removed or swapped is named.",
        "plum",
        "brainstem ledger verify",
    ),
    step(
        "What was confusing or wrong is a letter, which says what happened and what was expected.",
        "plum",
        r#"brainstem letter write --class friction --what "the beat named a claim of last year first" --expected "the newest first" --as codex:maker"#,
    ),
    step(
        "It is filed with the project that it is about, where someone answers it.",
        "plum",
        "brainstem letter distribute --as human:ana",
    ),
    step(
        "Another label, and its history follows.",
        "cherry",
        r#"brainstem rename "Retry policy" "How often we retry" --as human:ana"#,
    ),
    step("Memory can live in the repository and travel with git.", "cherry", "brainstem init --as human:ana"),
    step(
        "What should not be there is deleted for good, and leaves a tombstone without a word of it.",
        "plum",
        r#"brainstem forget "Commit messages" --tier medulla --yes --as human:ana"#,
    ),
    step("The doctor says whether all of it is sound.", "cherry", "brainstem doctor"),
];
