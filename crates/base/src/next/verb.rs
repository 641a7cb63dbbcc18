//! Every verb of the program by name, so that all crates can name one.

use std::fmt;

/// Declares the verbs: the variant, its name, the words on the command line, the positional fields of the command line,
/// in order, and the names that callers knew the verb by before.
macro_rules! verbs {
    ($($verb:ident: $id:literal, [$($word:literal),*], [$($place:literal),*] $(, was [$($former:literal),*])?;)*) => {
        /// A verb of the program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each variant is the verb of its name")]
        pub enum VerbId {
            $($verb,)*
        }

        impl VerbId {
            /// Every verb, in the order of help and reference.
            pub const ALL: &[Self] = &[$(Self::$verb,)*];

            /// Its name: the words of its command, joined by `_`.
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$verb => $id,)*
                }
            }

            /// The names that callers knew it by before. They still work, and no list shows them.
            pub const fn former(self) -> &'static [&'static str] {
                match self {
                    $(Self::$verb => &[$($($former),*)?],)*
                }
            }

            /// The words on the command line, behind the name of the program.
            pub const fn words(self) -> &'static [&'static str] {
                match self {
                    $(Self::$verb => &[$($word),*],)*
                }
            }

            /// The path over REST: its words behind `/api`.
            pub const fn path(self) -> &'static str {
                match self {
                    $(Self::$verb => concat!("/api" $(, "/", $word)*),)*
                }
            }

            /// The positional fields of the command line, in order. All others are options.
            pub const fn places(self) -> &'static [&'static str] {
                match self {
                    $(Self::$verb => &[$($place),*],)*
                }
            }
        }
    };
}

verbs! {
    Status: "status", ["status"], [];
    North: "north", ["north"], ["task"];
    Seek: "seek", ["seek"], ["query"];
    Memorize: "memorize", ["memorize"], ["label"];
    Retract: "retract", ["retract"], ["label"];
    Learn: "learn", ["learn"], ["label", "verdict"];
    Promote: "promote", ["promote"], ["label"];
    Audit: "audit", ["audit"], ["what"];
    Consolidate: "consolidate", ["consolidate"], [];
    Verify: "verify", ["verify"], ["label"], was ["cross_verify"];
    Show: "show", ["show"], ["label"];
    List: "list", ["list"], [];
    Tags: "tags", ["tags"], [];
    Edit: "edit", ["edit"], ["label"];
    Rename: "rename", ["rename"], ["label", "to"];
    Forget: "forget", ["forget"], ["label"];
    Export: "export", ["export"], [];
    Import: "import", ["import"], ["path"];
    MigratePlan: "migrate_plan", ["migrate", "plan"], [];
    MigrateApply: "migrate_apply", ["migrate", "apply"], [];
    MigrateRollback: "migrate_rollback", ["migrate", "rollback"], [];
    Boot: "boot", ["boot"], ["action", "key", "value"], was ["boot_memory"];
    Delegate: "delegate", ["delegate"], ["task"];
    Debrief: "debrief", ["debrief"], ["delegation_id"];
    MailSend: "mail_send", ["mail", "send"], [];
    MailList: "mail_list", ["mail", "list"], [];
    MailRead: "mail_read", ["mail", "read"], ["file"];
    MailClaim: "mail_claim", ["mail", "claim"], ["file"];
    MailReply: "mail_reply", ["mail", "reply"], ["file"];
    MailMarkRead: "mail_mark_read", ["mail", "mark-read"], ["file"];
    MailArchive: "mail_archive", ["mail", "archive"], ["file"];
    MailThread: "mail_thread", ["mail", "thread"], ["thread"];
    MailSearch: "mail_search", ["mail", "search"], ["query"];
    MailSweep: "mail_sweep", ["mail", "sweep"], [];
    MailPrune: "mail_prune", ["mail", "prune"], [];
    MailInit: "mail_init", ["mail", "init"], [];
    SessionRegister: "session_register", ["session", "register"], ["name"];
    SessionList: "session_list", ["session", "list"], [];
    InboxList: "inbox_list", ["inbox", "list"], [];
    InboxRead: "inbox_read", ["inbox", "read"], ["id"];
    InboxFetch: "inbox_fetch", ["inbox", "fetch"], [], was ["fetch_inbox"];
    InboxReply: "inbox_reply", ["inbox", "reply"], ["id"];
    InboxDone: "inbox_done", ["inbox", "done"], ["ids"], was ["ack_messages"];
    InboxSend: "inbox_send", ["inbox", "send"], [], was ["send_message"];
    InboxSearch: "inbox_search", ["inbox", "search"], ["query"], was ["search_inbox"];
    InboxEvents: "inbox_events", ["inbox", "events"], [];
    InboxRequests: "inbox_requests", ["inbox", "requests"], [];
    InboxDecide: "inbox_decide", ["inbox", "decide"], ["account", "decision"];
    InboxWatch: "inbox_watch", ["inbox", "watch"], [];
    InboxRebuild: "inbox_rebuild", ["inbox", "rebuild"], [];
    Note: "note", ["note"], ["note"], was ["post_note"];
    AgentTopics: "agent_topics", ["agent", "topics"], ["agents"];
    LiveStatus: "live_status", ["live", "status"], ["status"], was ["report_status"];
    LiveSend: "live_send", ["live", "send"], [], was ["send_orchestration"];
    LivePoll: "live_poll", ["live", "poll"], [], was ["poll_messages"];
    LiveWatch: "live_watch", ["live", "watch"], [];
    LetterWrite: "letter_write", ["letter", "write"], [];
    LetterList: "letter_list", ["letter", "list"], [];
    LetterShow: "letter_show", ["letter", "show"], ["id"];
    LetterDistribute: "letter_distribute", ["letter", "distribute"], [], was ["distribute"];
    LetterAll: "letter_all", ["letter", "all"], [], was ["inbox_sweep", "sweep"];
    LetterBox: "letter_box", ["letter", "box"], [], was ["mailbox"];
    BatteryAdd: "battery_add", ["battery", "add"], [];
    BatteryRun: "battery_run", ["battery", "run"], [];
    LedgerTopics: "ledger_topics", ["ledger", "topics"], [];
    LedgerShow: "ledger_show", ["ledger", "show"], ["topic", "message"];
    LedgerTail: "ledger_tail", ["ledger", "tail"], ["topic"];
    LedgerVerify: "ledger_verify", ["ledger", "verify"], [];
    LedgerHead: "ledger_head", ["ledger", "head"], [];
    LedgerReceipt: "ledger_receipt", ["ledger", "receipt"], ["topic", "message"];
    LedgerCheckReceipt: "ledger_check_receipt", ["ledger", "check-receipt"], ["file"];
    LedgerRedact: "ledger_redact", ["ledger", "redact"], ["topic", "message"];
    LedgerExport: "ledger_export", ["ledger", "export"], [];
    Bootstrap: "bootstrap", ["bootstrap"], ["path"];
    Handshake: "handshake", ["handshake"], [], was ["session_handshake"];
    Brains: "brains", ["brains"], [];
    Init: "init", ["init"], ["path"];
    Resolve: "resolve", ["resolve"], ["label"];
    Eject: "eject", ["eject"], ["path"];
    SetAside: "set_aside", ["set-aside"], ["brain"];
    Whoami: "whoami", ["whoami"], [];
    Tools: "tools", ["tools"], [];
    Doctor: "doctor", ["doctor"], [];
    Index: "index", ["index"], [];
    ConfigList: "config_list", ["config", "list"], [];
    ConfigGet: "config_get", ["config", "get"], ["key"];
    ConfigSet: "config_set", ["config", "set"], ["key", "value"];
    ConfigUnset: "config_unset", ["config", "unset"], ["key"];
    ConfigPath: "config_path", ["config", "path"], [];
}

/// How MCP names a verb: a tool, and which of its verbs where several share the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolName {
    /// The tool.
    pub tool: &'static str,
    /// The value of its field `op`; `None` where the tool is one verb.
    pub op: Option<&'static str>,
}

/// The name of the field that says which verb of a tool is meant.
pub const OP: &str = "op";

/// As a sentence names it: `north`, `mail with op: send`.
impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.op {
            None => f.write_str(self.tool),
            Some(op) => write!(f, "{} with {OP}: {op}", self.tool),
        }
    }
}

/// Fields whose option has another name than the field.
const RENAMED: &[(&str, &str)] = &[
    ("confirm", "yes"),
    ("findings", "finding"),
    ("deviations", "deviation"),
    ("touched_paths", "touched-path"),
    ("seeds", "seed"),
    ("to_agent", "to"),
    ("message_type", "type"),
    ("ref_id", "ref"),
    ("entity_id", "on"),
    ("entity_type", "new"),
];

/// The option of a field, with its dashes: `--expect-root`.
pub(super) fn option(field: &str) -> String {
    let renamed = RENAMED.iter().find(|(name, _)| *name == field);
    format!("--{}", renamed.map_or_else(|| field.replace('_', "-"), |(_, option)| (*option).to_owned()))
}

impl VerbId {
    /// Returns the word that its command shares with the others of its group; `""` for a command of one word.
    pub const fn group(self) -> &'static str {
        match self.words() {
            [group, _, ..] => group,
            [] | [_] => "",
        }
    }

    /// How MCP names it: verbs whose commands begin with the same word are one tool.
    pub fn tool(self) -> ToolName {
        match self.words() {
            [group, _, ..] => ToolName { tool: group, op: Some(&self.id()[group.len() + 1..]) },
            [] | [_] => ToolName { tool: self.id(), op: None },
        }
    }

    /// A field as the command line of this verb shows it: the option, or in capitals if it is positional.
    pub fn on_command_line(self, field: &str) -> String {
        match (self, field) {
            // The name that its help uses.
            (Self::Debrief, "delegation_id") => "ID".to_owned(),
            _ if self.places().contains(&field) => field.to_uppercase(),
            _ => option(field),
        }
    }
}

impl fmt::Display for VerbId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
