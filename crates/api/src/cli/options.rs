//! The names that the command line and its help share: the environment, and the options that every command has.

/// The variables that the program reads, each with its meaning.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("BRAINSTEM_HOME", "the home folder; default ~/.brainstem"),
    ("BRAINSTEM_WORKSPACE_ROOT", "the root you stand in, when it is not the working directory"),
    ("M1ND_WORKSPACE_ROOT", "another name for BRAINSTEM_WORKSPACE_ROOT, read when that is not set"),
    ("BRAINSTEM_AGENT", "your agent id, when --as does not give one"),
    ("BRAINSTEM_HOST", "the host that an MCP entry was written for, as --host names it; its agent calls"),
    ("BRAINSTEM_SESSION", "the name of your session in mail, when --session does not give one"),
    ("BRAINSTEM_TAGS", "the tags your session carries, with commas between them, when --tag gives none"),
    ("BRAINSTEM_MAIL_ROOT", "the folder that holds the boxes, when it is not .mail of the project"),
    ("BRAINSTEM_BACKGROUND", "off keeps commands from starting work in the background"),
    ("XDG_CONFIG_HOME", "where `service` puts a systemd unit; default ~/.config"),
    ("TMPDIR", "where `tour` makes its throw-away folder; default /tmp"),
    ("VISUAL", "the editor that edit opens"),
    ("EDITOR", "the same, when VISUAL is not set; default vi"),
    ("NO_COLOR", "when set to anything, no colour unless --color asks for it"),
];

/// The id of the option with which a caller tags its session.
pub(super) const CALLER_TAG: &str = "caller-tag";

/// The heading of the options that every command has.
pub(crate) const GLOBAL_OPTIONS: &str = "Global options";
