//! What a verb is run with.

use crate::caller::Form;
use crate::caller_words::CallerWords;
use crate::door::{Door, DoorKind};
use crate::limits::BATCH_LINES_MAX;
use crate::live::Live;
use crate::progress::{Progress, Steps};
use crate::spec::Toolset;
use brainstem_base::{Advice, Fault, codes};
use brainstem_connect::Connect;
use brainstem_memory::{Caller, CallerPlace, Declared, Memory, Principal, RootHints, Session};
use brainstem_post::Post;
use brainstem_transfer::Transfer;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The caller of a call, its place, and the services that answer. The door builds one for each call.
#[derive(Clone)]
pub struct Context {
    /// The services of memory.
    pub memory: Arc<Memory>,
    /// What each source says about the caller.
    pub declared: Declared,
    /// The folders that the caller may be in.
    pub roots: RootHints,
    /// This program itself, for git to call.
    pub program: Option<PathBuf>,
    /// The door it came through.
    pub door: Door,
    /// The MCP session of the call; the command line has none.
    pub session: Option<Arc<Session>>,
    /// What the door offers beside.
    pub offers: Offers,
    /// The caller's place, as far as this call has found it.
    pub found: FoundPlace,
}

/// The place of the caller of a call, as far as the call has found it. Clones of a context share it.
#[derive(Clone, Default)]
pub struct FoundPlace(Arc<Mutex<Option<CallerPlace>>>);

/// What some doors offer to a verb.
#[derive(Clone, Default)]
pub struct Offers {
    /// The caller's own editor.
    pub editor: Option<Arc<dyn Editor>>,
    /// The watcher of long work.
    pub progress: Option<Arc<dyn Progress>>,
    /// The live channel, which a daemon holds.
    pub live: Option<Live>,
    /// The form in which the answer is sent.
    pub form: Form,
    /// The tool sets of the MCP session; `None` on other doors.
    pub tool_switch: Option<Arc<dyn ToolSwitch>>,
    /// What the call said of its caller and its place.
    pub said: CallerWords,
    /// The door of another process that a daemon answers for.
    pub asked_through: Option<Door>,
}

/// The tool sets that an MCP session is offered.
pub trait ToolSwitch: Send + Sync {
    /// Offers these too, until the session ends.
    fn switch_on(&self, sets: &[Toolset]);
}

/// The caller's own editor.
pub trait Editor: Send + Sync {
    /// Opens a page and waits until it is closed. Returns its text then, and the path of the file.
    fn edit(&self, name: &str, page: &str) -> Result<(String, PathBuf), Fault>;

    /// What was written is stored, and the file can go.
    fn discard(&self, path: &Path);
}

impl Context {
    /// An advice in the words of the door that the caller used: calls in it say what the caller said of itself and its
    /// place.
    pub(crate) fn told(&self, advice: &Advice) -> String {
        self.words_of().render_after(advice, &self.offers.said)
    }

    /// The door that the caller used, also where a daemon answers for another process.
    pub(crate) fn words_of(&self) -> Door {
        self.offers.asked_through.unwrap_or(self.door)
    }

    /// The caller as the services take it, resolved the same way for every door.
    pub fn caller(&self) -> Result<Caller, Fault> {
        let place = self.place();
        let mut principal = self.memory.identify(&self.declared, &place)?;
        self.fill_in(&mut principal);
        Ok(self.noted(Caller::new(principal, place)))
    }

    /// The caller of a verb that only looks: settings that cannot be read do not stop it.
    pub fn reader(&self) -> Result<Caller, Fault> {
        let place = self.place();
        let mut principal = self.memory.identify_reader(&self.declared, &place)?;
        self.fill_in(&mut principal);
        Ok(self.noted(Caller::new(principal, place)))
    }

    /// Returns the caller's place. It is found once, and kept for as long as the same words name it: a session that a
    /// call moves has another place afterwards.
    pub fn place(&self) -> CallerPlace {
        let now = CallerPlace::of_call(self.roots.clone(), self.session.as_deref());
        let mut found = self.found.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*found {
            Some(known) if known.is_same(&now) => known.clone(),
            _ => found.insert(now).clone(),
        }
    }

    /// Begins a call, or a further attempt: the next question about the caller's place looks at the disk.
    pub(crate) fn look_again(&self) {
        self.place().look_again();
    }

    /// The services of mail and letters, over the same home.
    pub fn post(&self) -> Post {
        // A letter that names one of these tools is about this system.
        Post::new(&self.memory).knowing(self.door.verbs().own_tools())
    }

    /// Export, import and migration, over the same home.
    pub fn transfer(&self) -> Transfer {
        Transfer::new(&self.memory)
    }

    /// The services of hosts, over the same home.
    pub fn connect(&self) -> Connect {
        Connect::new(&self.memory)
    }

    /// Notes the caller for its MCP session, which needs it when it ends.
    fn noted(&self, caller: Caller) -> Caller {
        if let Some(session) = &self.session {
            session.note_caller(&caller);
        }
        caller
    }

    /// What the MCP session was introduced as counts before what its process was started with.
    fn fill_in(&self, principal: &mut Principal) {
        if let Some(session) = &self.session {
            session.fill_in(principal, &**self.memory.ids());
        }
    }

    /// A path as the caller means it: every field that becomes a path passes here. On the command line a relative
    /// one counts from the working folder; through the other doors that is the server's, so it counts from the
    /// root that the caller is routed by: its session's, or else what it names. Over HTTP it stays in that root.
    pub(crate) fn path(&self, field: &'static str, text: &str) -> Result<PathBuf, Fault> {
        let path = PathBuf::from(text);
        // An empty text is no path, and does not mean the caller's folder.
        if path.is_absolute() || text.is_empty() || self.has_shell() {
            return Ok(path);
        }
        let shown: String = text.chars().take(80).collect();
        let refused = |what: &str, fix: &str| {
            let message = format!("`{field}` is {shown:?}, a relative path, and {what}");
            Fault::new(codes::INPUT_BAD_VALUE, message).fix(fix).field(field).rule("MEM-17")
        };
        let Some((_, root)) = self.roots.deciding(self.session_root().as_deref()) else {
            return Err(refused("where you stand is not known", "give the whole path, from /"));
        };
        // A process with a folder was started there by its caller.
        if self.roots.cwd.is_some() {
            return Ok(root.join(path));
        }
        self.memory.path_inside(&root, &path).ok_or_else(|| {
            let what = "it leads out of your root, or through a link that cannot be followed";
            refused(what, "name what lies below your root, or give the whole path, from /")
        })
    }

    /// A project as a field names it: by its folder, or as name@id.
    pub(crate) fn project(&self, field: &'static str, text: &str) -> Result<PathBuf, Fault> {
        if text.contains('@') && !text.contains('/') { Ok(text.into()) } else { self.path(field, text) }
    }

    /// Returns a project as a letter names it: a path relative to the caller's folder (`.`, `./x`, `../x`) becomes an
    /// absolute one. Everything else stays as it is: a name, an absolute path, name@id, or a word such as `all`.
    pub(crate) fn letter_place(&self, field: &'static str, text: &str) -> Result<String, Fault> {
        let word = text.trim();
        if !matches!(word.split('/').next(), Some("." | "..")) {
            return Ok(text.to_owned());
        }
        // A folder's name may end with a blank; what is not there so is looked for without it.
        let word = if matches!(word, "." | "..") { word } else { text.trim_start() };
        let path = self.path(field, word)?;
        let path = self.roots.cwd.as_ref().map_or(path.clone(), |cwd| cwd.join(path));
        Ok(path.display().to_string())
    }

    /// The brain of a folder that a field names.
    pub fn brain_at(&self, text: &str) -> Option<brainstem_vault::Brain> {
        let path = self.path("brain", text).ok()?;
        self.memory.place_at(&path).brain().cloned()
    }

    /// Whether the caller has a shell, so that commands are of use to it; through the other doors it has tools or
    /// paths.
    pub(crate) fn has_shell(&self) -> bool {
        matches!(self.door.way(), DoorKind::CommandLine(_))
    }

    fn session_root(&self) -> Option<PathBuf> {
        self.session.as_ref().and_then(|session| session.root())
    }

    /// The steps of this call's work.
    pub(crate) fn steps(&self) -> Steps<'_> {
        Steps::seen_by(self.offers.progress.as_deref())
    }

    /// Refuses a batch that is too long for one call. The command line runs for itself, and takes any.
    pub(crate) fn check_batch(&self, lines: usize) -> Result<(), Fault> {
        if self.has_shell() || lines <= BATCH_LINES_MAX {
            return Ok(());
        }
        let message =
            format!("the batch has {lines} lines, and one call takes {BATCH_LINES_MAX}; nothing was done");
        Err(Fault::new(codes::INPUT_TOO_LARGE, message)
            .fix(format!("send it in parts of {BATCH_LINES_MAX} lines at most"))
            .field("batch")
            .rule("IF-14"))
    }
}
