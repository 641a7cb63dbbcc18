//! Project notes as teams write them, drawn from a seed: the same number draws the same note everywhere.

use brainstem_testkit::Chance;

/// The seed of everything that is measured.
const SEED: u64 = 0x6272_6169_6e73_7465;
/// One note in this many was written together with others.
const GROUPED: u64 = 5;
/// How many notes are written together.
const GROUP_LEN: u64 = 12;
/// Births lie five minutes apart, from this instant on; after this many notes they begin anew.
const BORN_MS: i64 = 1_750_000_000_000;
const BETWEEN_MS: i64 = 300_000;
const BIRTHS: u64 = 100_000;

/// One note.
#[derive(Clone, Debug)]
pub struct Note {
    pub label: String,
    pub title: String,
    pub text: String,
    pub tags: Vec<String>,
    pub evidence: Vec<String>,
    pub group: Option<String>,
    pub agent: String,
    pub created_ms: i64,
}

/// Whether some notes were written together with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Groups {
    /// A share of them.
    Some,
    /// None.
    None,
}

/// A question whose answer is known.
#[derive(Clone, Debug)]
pub struct Asked {
    /// In other words than the note's own.
    pub sentence: String,
    /// Ten words that a note may hold.
    pub words: String,
    /// The label of the note that answers the sentence.
    pub answer: String,
}

const AREAS: &str = "\
    billing checkout search catalog identity ledger shipping inbox reports gateway scheduler \
    notifier archive importer exporter pricing inventory refunds sessions uploads thumbnails \
    webhooks quotas audit tenants mailer renderer crawler replicator sandbox telemetry ranking \
    matching calendar payroll vouchers consent geocoder feeds moderation";
const ROLES: &str = "\
    worker service daemon proxy queue cache store api cron bridge client indexer listener router \
    pool batch";
const THINGS: &str = "\
    invoice token session cart shipment document profile thumbnail voucher event webhook lease \
    snapshot cursor manifest migration payload receipt subscription template report checksum \
    address price order refund digest header partition replica backup export";
const QUALITIES: &str = "\
    stale duplicate pending expired partial signed cached orphaned nightly regional legacy \
    encrypted compressed oversized anonymous archived draft rejected shadow primary";
const ACTS: &str = "\
    retry flush rebuild merge validate archive replay throttle encrypt paginate dedupe rotate \
    prune resend lock split sample compact verify migrate truncate escalate";
const PEOPLE: &str = "\
    Amara Bjorn Chen Dolores Emeka Farah Gustavo Hana Ivan Jolanta Kofi Lena Mateo Nadia Oskar \
    Priya Quentin Rosa Samir Tuuli Ulrich Vera Wanjiru Xavier Yuki Zofia";
const DATABASES: &str = "\
    Postgres SQLite Redis Kafka S3 MySQL Elasticsearch NATS etcd";
const SUFFIXES: &str = "\
    ms max count limit id key window at ratio len";
const FOLDERS: &str = "\
    src crates services internal lib apps tools deploy";
const ENDINGS: &str = "\
    rs py ts go sql toml yaml md";
const AGENTS: &str = "\
    maker:api reviewer:api planner:core tester:web maker:web";

/// What the notes are about: a title, sentences, and the same thing asked in other words.
struct Subject {
    title: &'static str,
    sentences: &'static [&'static str],
    asked: &'static str,
}

/// `{area}` and the like are filled in; one subject never mixes two areas.
const SUBJECTS: &[Subject] = &[
    Subject {
        title: "{area} {role} listens on port {port}",
        sentences: &[
            "The {area} {role} listens on port {port} in every environment, because {number} was taken by the {other} {role2}.",
            "Local development forwards it through `{ident}`, and the health check answers on {port2}.",
        ],
        asked: "on which network port can I reach the {role} of {area}",
    },
    Subject {
        title: "How often {area} tries again",
        sentences: &[
            "When {database} refuses a {quality} {thing}, the {area} {role} will {act} it {small} times with backoff, starting at {number} ms.",
            "More attempts than that hid a real outage in the past, so `{ident}` is a hard limit.",
        ],
        asked: "how many attempts does {area} make when the {thing} write fails",
    },
    Subject {
        title: "{area} incident of week {week}",
        sentences: &[
            "A {quality} {thing} filled the {area} {role} until {database} ran out of connections; customers saw errors for {number} minutes.",
            "{person} stopped it by hand. The cause was `{ident}`, which nobody had set since ticket {ticket}.",
            "We now {act} before the queue is longer than {port}.",
        ],
        asked: "what caused the outage of {area} around week {week} and who fixed it",
    },
    Subject {
        title: "Decision: {area} keeps its {thing} in {database}",
        sentences: &[
            "We keep every {thing} of {area} in {database} and not in {database2}: reads are by key, and {person} measured {number} per second.",
            "The {other} team asked for joins; they get a nightly export instead.",
        ],
        asked: "why did we choose {database} for the {thing} data of {area}",
    },
    Subject {
        title: "Convention for `{ident}`",
        sentences: &[
            "Names like `{ident}` carry their unit at the end, and a {quality} {thing} is never passed as a bare number.",
            "Reviewers of {area} refuse anything else; see `{path}` for the pattern to follow.",
        ],
        asked: "how should identifiers for a {thing} be named in {area}",
    },
    Subject {
        title: "{area} flushes its cache before a release",
        sentences: &[
            "The {quality} {thing} cache of {area} must be flushed before every release, otherwise {other} shows old values for {small} hours.",
            "`{path}` does it; {person} owns the step, and the pipeline waits {number} seconds for it.",
        ],
        asked: "what has to happen to outdated {thing} entries of {area} before we ship",
    },
    Subject {
        title: "Never {act} a {thing} while {other} holds the lock",
        sentences: &[
            "To {act} a {quality} {thing} while the {other} {role} holds the lock loses the newest version; it happened in ticket {ticket}.",
            "Take `{ident}` first, and give up after {number} ms.",
        ],
        asked: "is it safe for {area} to {act} a {thing} while {other} has it locked",
    },
    Subject {
        title: "{person} owns the {area} {role}",
        sentences: &[
            "{person} owns the {area} {role} and reviews every change to `{path}`; {person2} stands in during holidays.",
            "Questions about a {quality} {thing} go to the {other} channel first, and pages only after {small} failures within {number} seconds.",
        ],
        asked: "whom do I ask about changes to the {role} of {area}",
    },
    Subject {
        title: "Limits of the {area} {role}",
        sentences: &[
            "One request to the {area} {role} may carry {number} items and {small} megabytes; a {quality} {thing} counts twice.",
            "`{ident}` sets it. {database} rejects larger batches with error {port}, which the {other} {role2} hides.",
        ],
        asked: "what is the largest batch that the {role} of {area} accepts",
    },
    Subject {
        title: "Test data of {area}",
        sentences: &[
            "Tests of {area} start from the {quality} {thing} in `{path}`, seeded with {number}; do not {act} it by hand.",
            "The suite takes {small} minutes, most of it in the {role2} of {other}. {person} is splitting it.",
        ],
        asked: "where do the fixtures for {area} tests come from",
    },
    Subject {
        title: "Clock skew in {area}",
        sentences: &[
            "Hosts of {area} may disagree by {number} ms, so a {thing} is ordered by `{ident}` and never by its time of arrival.",
            "The {quality} ones are settled by the {role} at night; {person2} wrote the proof in ticket {ticket}.",
        ],
        asked: "how does {area} put {thing} records into order when the machines' times differ",
    },
    Subject {
        title: "Rollback of the {thing} migration",
        sentences: &[
            "Migration {ticket} of {area} cannot be rolled back once a {quality} {thing} was written: {database} drops the old column.",
            "Stop the {role} first, then run `{path}` with `{ident}` set to {small}; it takes {number} seconds for each partition.",
        ],
        asked: "can we undo the schema change of {area} for {thing} and how",
    },
];

const REMARKS: &[&str] = &[
    "{person2} noted that the {other} {role2} still reads the {quality} {thing} directly.",
    "Measured on {database}: {number} per second, p99 {port} microseconds.",
    "The old behaviour is behind `{ident2}` until the {other} team has moved.",
    "See also ticket {ticket} and commit {hash}.",
    "Dashboards call it {other}-{role2}-{small}, which is misleading.",
    "This was agreed with {person} after the review of `{path}`.",
];

/// The note with a number.
pub fn note(number: u64, groups: Groups) -> Note {
    let mut filled = Filled::new(number);
    let subject = filled.subject;
    let title = filled.fill(subject.title);
    let mut text: String =
        subject.sentences.iter().map(|sentence| filled.fill(sentence)).collect::<Vec<_>>().join(" ");
    while text.len() < 260 {
        let remark = REMARKS[filled.chance.below(REMARKS.len() as u64) as usize];
        text = format!("{text} {}", filled.fill(remark));
    }
    let path = filled.fill("{path}");
    let line = 1 + filled.chance.below(400);
    let together = number / GROUP_LEN;
    let is_grouped = groups == Groups::Some && together.is_multiple_of(GROUPED);
    Note {
        label: label(number),
        title,
        text,
        tags: vec![filled.fill("{area}"), filled.fill("{role}")],
        evidence: vec![format!("{path}#L{line}-L{}", line + 12)],
        group: is_grouped.then(|| format!("session-{together}")),
        agent: pick(AGENTS, &mut filled.chance).to_owned(),
        created_ms: BORN_MS + (number % BIRTHS) as i64 * BETWEEN_MS,
    }
}

/// The question to which a note is the answer.
pub fn asked(number: u64) -> Asked {
    let filled = Filled::new(number);
    let sentence = filled.fill(filled.subject.asked);
    let words = [
        "{area}",
        "{thing}",
        "{quality}",
        "{act}",
        "{role}",
        "{database}",
        "{other}",
        "{person}",
        "{number}",
        "{port}",
    ];
    let words = words.iter().map(|word| filled.fill(word)).collect::<Vec<_>>().join(" ");
    Asked { sentence, words, answer: label(number) }
}

fn label(number: u64) -> String {
    let filled = Filled::new(number);
    filled.fill("{area} {thing} {act} ") + &number.to_string()
}

/// A subject and the words that fill it.
struct Filled {
    subject: &'static Subject,
    words: Vec<(&'static str, String)>,
    chance: Chance,
}

impl Filled {
    fn new(number: u64) -> Self {
        let mut chance = Chance::new(SEED, number);
        let mut pick = |from: &str| pick(from, &mut chance).to_owned();
        let (area, other, thing, act) = (pick(AREAS), pick(AREAS), pick(THINGS), pick(ACTS));
        let (quality, role, role2) = (pick(QUALITIES), pick(ROLES), pick(ROLES));
        let ident = format!("{thing}_{act}_{}", pick(SUFFIXES));
        let ident2 = format!("{}_{}_{}", pick(QUALITIES), pick(THINGS), pick(SUFFIXES));
        let path = format!("{}/{area}/{}_{thing}.{}", pick(FOLDERS), pick(ACTS), pick(ENDINGS));
        let (person, person2, database, database2) =
            (pick(PEOPLE), pick(PEOPLE), pick(DATABASES), pick(DATABASES));
        let subject = &SUBJECTS[chance.below(SUBJECTS.len() as u64) as usize];
        let numbers = [
            ("{port}", 1_024 + chance.below(60_000)),
            ("{port2}", 1_024 + chance.below(60_000)),
            ("{number}", 10 + chance.below(9_000)),
            ("{small}", 2 + chance.below(30)),
            ("{week}", 1 + chance.below(52)),
        ];
        let mut words = vec![
            ("{area}", area),
            ("{other}", other),
            ("{thing}", thing),
            ("{act}", act),
            ("{quality}", quality),
            ("{role}", role),
            ("{role2}", role2),
            ("{ident}", ident),
            ("{ident2}", ident2),
            ("{path}", path),
            ("{person}", person),
            ("{person2}", person2),
            ("{database}", database),
            ("{database2}", database2),
            ("{ticket}", format!("BR-{}", chance.below(20_000))),
            ("{hash}", format!("{:08x}", chance.draw() as u32)),
        ];
        words.extend(numbers.map(|(name, number)| (name, number.to_string())));
        Self { subject, words, chance }
    }

    fn fill(&self, text: &str) -> String {
        self.words.iter().fold(text.to_owned(), |text, (name, word)| text.replace(name, word))
    }
}

/// One word of many.
fn pick<'a>(from: &'a str, chance: &mut Chance) -> &'a str {
    let count = from.split_whitespace().count() as u64;
    from.split_whitespace().nth(chance.below(count) as usize).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_draws_the_same_note_and_nothing_is_left_unfilled() {
        for number in 0..500 {
            let drawn = note(number, Groups::Some);
            assert_eq!(drawn.text, note(number, Groups::Some).text);
            let whole = format!("{}{}{}{}", drawn.label, drawn.title, drawn.text, asked(number).sentence);
            assert!(!whole.contains(['{', '}']), "{whole}");
            assert!((250..700).contains(&drawn.text.len()), "{}", drawn.text.len());
        }
    }
}
