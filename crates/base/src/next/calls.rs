//! Every call that an advice names: one table. A test renders it for each door and parses it back.

use super::{CallValue, NextCall, Placeholder, Shell, VerbId, shell_word};

/// Declares the constructors, and a sample of each for the tests: the name, its arguments, the verb and its fields.
macro_rules! calls {
    ($($(#[$doc:meta])+ $name:ident($($argument:ident),*) = $verb:ident { $($field:ident: $value:expr),* };)*) => {
        $(
            $(#[$doc])+
            pub fn $name($($argument: impl Into<CallValue>),*) -> NextCall {
                NextCall::new(VerbId::$verb, vec![$((field_name(stringify!($field)), $value.into())),*])
            }
        )*

        /// A sample of every call of the table, with the name of its constructor.
        pub fn samples() -> Vec<(&'static str, NextCall)> {
            vec![$((stringify!($name), $name($(sample(stringify!($argument))),*))),*]
        }
    };
}

/// Declares the lines for a shell that name this program, and the list of them.
macro_rules! shell_lines {
    ($($(#[$doc:meta])+ $name:ident = $line:literal;)*) => {
        $(
            $(#[$doc])+
            pub fn $name() -> Shell {
                Shell::line($line)
            }
        )*

        /// Every line for a shell of the table.
        pub fn shell_samples() -> Vec<Shell> {
            vec![$($name()),*]
        }
    };
}

/// Declares the words that take the place of a value.
macro_rules! placeholders {
    ($($name:ident),*) => {
        $(
            #[doc = concat!("Stands for the caller's own ", stringify!($name), ".")]
            pub const $name: Placeholder = Placeholder(stringify!($name));
        )*
    };
}

placeholders!(
    AGENT, BRAIN, FILE, HOST, ID, KEY, LABEL, NAME, NEW, PATH, QUESTION, R, REASON, SIDE, TAG, TEXT, VALUE,
    WHY
);

/// A field whose name is a keyword of Rust is declared with an underscore behind it.
fn field_name(name: &'static str) -> &'static str {
    match name {
        "box_" => "box",
        "type_" => "type",
        name => name,
    }
}

/// The only value of a field that takes several.
fn only(value: impl Into<CallValue>) -> CallValue {
    value.into().listed()
}

/// A value for an argument of that name, for the tests.
fn sample(argument: &str) -> CallValue {
    match argument {
        "label" | "to" => "retry policy: what's \"it\", now?".into(),
        "path" | "root" => "/src/my cherry".into(),
        "brain" => "cherry@1a2b3c4d".into(),
        "tier" => "medulla".into(),
        "tokens" => CallValue::Number(4000),
        "decision" => "b, c=medulla".into(),
        "exact" => CallValue::Flag,
        "id" => "0123456789ab".into(),
        "key" => "test".into(),
        "action" => "get".into(),
        "type_" => "task".into(),
        "reply_to" | "message" => "ana/20260128T153000Z_ana_task.md".into(),
        _ => "one".into(),
    }
}

calls! {
    /// Gives the caller's project a brain.
    bootstrap() = Bootstrap {};
    /// Gives the project at this path a brain.
    bootstrap_at(path) = Bootstrap { path: path };
    /// Gives exactly this folder a brain, or the project that contains it.
    bootstrap_place(path, exact) = Bootstrap { path: path, exact: exact };
    /// Gives a folder the memory of a brain that was kept.
    take_up(path, exact, brain) = Bootstrap { path: path, exact: exact, take_up: brain };
    /// Gives a folder a new brain beside the one that was set aside.
    bootstrap_anew(path, exact) = Bootstrap { path: path, exact: exact, anew: true };
    /// Names the caller's project to the server.
    handshake(root) = Handshake { expect_root: root };
    /// Names the caller's project to the server, and checks that it is that very one.
    handshake_of(root, fingerprint) = Handshake { expect_root: root, expect_fingerprint: fingerprint };
    /// Lists the brains of the home.
    brains() = Brains {};
    /// Keeps a brain, and stops serving it in its folder.
    set_aside(brain) = SetAside { brain: brain };

    /// Keeps the project's memory in its repository.
    init() = Init {};
    /// Keeps the memory of the project at this path in its repository.
    init_at(path) = Init { path: path };
    /// Lets git have the memory.
    init_shared() = Init { shared: true };
    /// Lets git have the memory of the project at this path.
    init_shared_at(path) = Init { path: path, shared: true };
    /// Keeps the memory out of git.
    init_private() = Init { private: true };
    /// Connects a host.
    init_host(host) = Init { host: only(host) };
    /// Takes the memory of the project under the home again.
    eject() = Eject {};
    /// Takes the memory of the project at this path under the home again.
    eject_at(path) = Eject { path: path };
    /// Disconnects a host.
    eject_host(host) = Eject { host: only(host) };

    /// Says what is wrong.
    doctor() = Doctor {};
    /// Removes what nothing needs.
    doctor_sweep() = Doctor { sweep: true };
    /// Says what is wrong in every brain.
    doctor_all_brains() = Doctor { all_brains: true };
    /// Computes the search index.
    index() = Index {};
    /// Makes the search index anew.
    index_rebuild() = Index { rebuild: true };
    /// Makes the search index of a tier anew.
    index_rebuild_of(tier) = Index { rebuild: true, tier: tier };

    /// Returns the beat: what is worth knowing.
    north() = North {};
    /// Returns the beat for a task.
    north_for(task) = North { task: task };
    /// Returns a larger beat.
    north_with_budget(tokens) = North { budget_tokens: tokens };
    /// Finds claims.
    seek(query) = Seek { query: query };
    /// Finds claims in one tier.
    seek_in(query, tier) = Seek { query: query, tier: tier };
    /// Lists the claims.
    list() = List {};
    /// Shows a claim.
    show(label) = Show { label: label };
    /// Shows a claim of one tier.
    show_in(label, tier) = Show { label: label, tier: tier };

    /// Writes a claim.
    memorize(label, text) = Memorize { label: label, text: text };
    /// Writes doctrine.
    memorize_doctrine(label, text) = Memorize { label: label, text: text, tier: "medulla" };
    /// Says that a claim still holds.
    reaffirm(label) = Memorize { label: label, reaffirm: true };
    /// Says of doctrine that it still holds.
    reaffirm_doctrine(label) = Memorize { label: label, reaffirm: true, tier: "medulla" };
    /// Takes a claim back.
    retract(label, reason) = Retract { label: label, reason: reason };
    /// Takes doctrine back.
    retract_doctrine(label, reason) = Retract { label: label, reason: reason, tier: "medulla" };
    /// Gives a claim another label.
    rename(label, to) = Rename { label: label, to: to };
    /// Says what forgetting a claim would delete.
    forget(label) = Forget { label: label };
    /// Deletes a claim.
    forget_for_good(label, tier) = Forget { label: label, tier: tier, confirm: true };
    /// Lists the versions that wait for a decision.
    resolve() = Resolve {};
    /// Decides between versions.
    resolve_take(label, side) = Resolve { label: label, take: side };

    /// Says that a claim of the project is wrong.
    learn_wrong_here(label) = Learn { label: label, verdict: "wrong" };
    /// Says that a claim of the medulla is wrong, which takes it out.
    learn_wrong(label) = Learn { label: label, verdict: "wrong", tier: "medulla" };
    /// Says that a claim of the medulla holds.
    learn_correct(label) = Learn { label: label, verdict: "correct", tier: "medulla" };
    /// Shares a claim with every project.
    promote(label, reason) = Promote { label: label, reason: reason };
    /// Turns a proposal down.
    decline(label, reason) = Promote { label: label, reason: reason, decline: true };
    /// Says what was shared, and what waits.
    audit_promotions() = Audit { what: "promotions" };
    /// Says what was delegated.
    audit_delegations() = Audit { what: "delegations" };
    /// Says what of the medulla can go.
    consolidate() = Consolidate {};
    /// Takes out what can go.
    consolidate_apply() = Consolidate { apply: true };

    /// Says what a migration would do.
    migrate_plan() = MigratePlan {};
    /// Moves every claim to where it belongs.
    migrate_apply() = MigrateApply {};
    /// Moves claims to where a person says they belong.
    migrate_decide(decision) = MigrateApply { decide: only(decision) };
    /// Brings every original back.
    migrate_rollback() = MigrateRollback {};

    /// Lists the settings.
    config_list() = ConfigList {};
    /// Changes a setting.
    config_set(key, value) = ConfigSet { key: key, value: value };
    /// Takes a setting out of the home's file.
    config_unset(key) = ConfigUnset { key: key };
    /// Takes a setting out of the repository's file.
    config_unset_repo(key) = ConfigUnset { key: key, repo: true };
    /// Lists the keys of boot memory.
    boot_list() = Boot { action: "list" };
    /// Reads a key of boot memory.
    boot_get(key) = Boot { action: "get", key: key };
    /// Writes a key of boot memory.
    boot_set(key, value) = Boot { action: "set", key: key, value: value };
    /// Reads, writes or deletes a key of boot memory.
    boot(action, key) = Boot { action: action, key: key };
    /// Deletes a key of boot memory of one tier.
    boot_delete(key, tier) = Boot { action: "delete", key: key, tier: tier };

    /// Lists the claims that carry a tag.
    list_tag(tag) = List { tag: tag };
    /// Asks the claims that carry a tag.
    seek_tag(question, tag) = Seek { query: question, tag: tag };

    /// Writes the project's memory into a file.
    export_to(path) = Export { out: path };
    /// Takes the memory in a file into the project.
    import_from(path) = Import { path: path };
    /// Takes one of the brains in a file into the project, or its medulla into the medulla.
    import_brain(path, brain) = Import { path: path, from: brain };
    /// Writes every store of the home into a folder.
    export_home(path) = Export { all: true, format: "dir", out: path };

    /// Completes a delegation.
    debrief(id) = Debrief { delegation_id: id };

    /// Lists the messages.
    mail_list() = MailList {};
    /// Lists the inbox.
    inbox_list() = InboxList {};
    /// Posts a note on an entity, which is made if it is new.
    note_on_task(note, id) = Note { note: note, entity_id: id, entity_type: "task" };
    /// Answers a message of the inbox.
    inbox_reply(id, text) = InboxReply { id: id, body: text };
    /// Answers a message.
    mail_reply(message, text) = MailReply { file: message, body: text };
    /// Makes the mirror of the inbox anew.
    inbox_rebuild() = InboxRebuild {};
    /// Makes the mirror of the inbox anew from a ledger that is not what it was.
    inbox_rebuild_accept() = InboxRebuild { accept: true };
    /// Lists the outsiders that ask to write to the caller.
    inbox_requests() = InboxRequests {};
    /// Decides about an outsider.
    inbox_decide(account, decision) = InboxDecide { account: account, decision: decision };
    /// Finishes a message of the inbox.
    inbox_done(id) = InboxDone { ids: only(id) };
    /// Lists the messages of every box.
    mail_list_all() = MailList { all: true };
    /// Lists the messages of a conversation that are in one folder, of every box.
    mail_list_thread(thread, folder) = MailList { all: true, thread: thread, folder: folder };
    /// Lists the messages of one folder of a box.
    mail_list_box(box_, folder) = MailList { box_: box_, folder: folder };
    /// Lists the messages of one folder.
    mail_list_of(folder) = MailList { folder: folder };
    /// Shows the next unread message.
    mail_read() = MailRead {};
    /// Shows a message.
    mail_read_file(message) = MailRead { file: message };
    /// Says that the caller is done with a message.
    mail_mark_read(message) = MailMarkRead { file: message };
    /// Archives what has expired.
    mail_sweep() = MailSweep {};
    /// Makes the boxes.
    mail_init() = MailInit {};
    /// Lets git have the messages.
    mail_init_commit() = MailInit { commit_mail: true };
    /// Keeps git from the messages.
    mail_init_private() = MailInit { private_mail: true };
    /// Deletes old messages of the broadcast box.
    mail_prune_broadcast(age) = MailPrune { box_: "__broadcast", force: true, older_than: age };
    /// Sends a message.
    mail_send(name, type_, text) = MailSend { to: only(name), type_: type_, body: text };
    /// Archives a message.
    mail_archive(message) = MailArchive { file: message };
    /// Answers a message whose sender cannot be read from it.
    mail_answer(name, reply_to) = MailSend { to: only(name), type_: "response", reply_to: reply_to };
    /// Gives the session its name and its tag.
    session_register(name, tag) = SessionRegister { name: name, tag: only(tag) };

    /// Lists the topics of the ledger.
    ledger_topics() = LedgerTopics {};
    /// Verifies the ledger.
    ledger_verify() = LedgerVerify {};

    /// Lists the letters.
    letter_all() = LetterAll {};
    /// Lists the letters of one class.
    letter_all_class(class) = LetterAll { class: class };
    /// Lists the letters of the project.
    letter_box() = LetterBox {};
    /// Files the letters.
    letter_distribute() = LetterDistribute {};
    /// Offers the tools of a set to this session.
    tools_on(set) = Tools { on: only(set) };
    /// Drafts the case of a letter.
    battery_add(id) = BatteryAdd { from_letter: id };
    /// Says why a letter's case cannot fail.
    battery_cannot_fail(id, why) = BatteryAdd { from_letter: id, cannot_fail: why };
    /// Runs the cases.
    battery_run() = BatteryRun {};
}

/// Lists the inbox of an agent.
pub fn inbox_list_as(agent: &str) -> Shell {
    Shell::line(format!("brainstem --as {} inbox list", shell_word(agent)))
}

/// Lists the messages of an agent.
pub fn mail_list_as(agent: &str) -> Shell {
    Shell::line(format!("brainstem --as {} mail list", shell_word(agent)))
}

shell_lines! {
    /// Starts the daemon.
    up = "brainstem up --detach";
    /// Runs the daemon in the terminal.
    up_in_terminal = "brainstem up";
    /// Ends the daemon.
    down = "brainstem down";
    /// Makes a link to the daemon's page.
    page = "brainstem page";
    /// Lists the commands.
    help = "brainstem --help";
    /// Serves MCP over standard input and output.
    mcp = "brainstem mcp";
    /// Names the person that calls.
    as_person = "--as human:NAME";
    /// Chooses another home.
    home = "--home";
    /// Chooses another home, on the command line or in the environment.
    home_or_variable = "--home or BRAINSTEM_HOME";
    /// Writes one JSON document.
    json = "--json";
    /// Offers the tools of the set upkeep too.
    toolsets_upkeep = "--toolsets default,upkeep";
    /// Lets other machines reach the daemon.
    expose = "--expose";
    /// Serves MCP with a mail root.
    mcp_mail_root = "brainstem mcp --mail-root PATH";
}
