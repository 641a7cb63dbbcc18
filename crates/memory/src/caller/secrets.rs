//! The hygiene floor of a home: no credential and no unfinished merge is ever written, whatever field of a request has
//! it. A secret that is in a file all the same is masked before it is shown. The floor is asked first, so that no
//! other refusal repeats a secret.

use crate::caller::error::CallerError;
use crate::error::MemoryError;
use brainstem_base::next::calls;
use brainstem_base::{Advice, advice};
use brainstem_base::{Disk, Fault, codes};
use brainstem_caller::identity::Declared;
use brainstem_claims::{Claim, ClaimSlug, Label};
use brainstem_hygiene::{HygieneFault, MASK, OWN_TOKEN, SecretFinding, inspect, mask, secrets};
use brainstem_index::CarriesSecret;
use brainstem_vault::Store;
use brainstem_vault::daemon_files::{DaemonFiles, TOKEN_LEN_MIN};
use brainstem_vault::scan::{CLAIM_SUFFIX, read_file};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// So many bytes of a secret in a row are a repetition of it.
const REPEATED_LEN_MIN: usize = 8;

/// The floor of one home, which knows the home's own token beside the kinds that every home knows.
///
/// It is made for one call, and reads the token once, when it is first asked.
#[derive(Clone)]
pub struct Floor {
    own: Arc<OwnWords>,
}

/// The token of the home's daemon, and the word that proves a command to the daemon that runs, read when they are first
/// asked for.
struct OwnWords {
    disk: Arc<dyn Disk>,
    files: DaemonFiles,
    read: OnceLock<Vec<String>>,
}

impl fmt::Debug for Floor {
    /// The token is no part of any text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Floor")
    }
}

/// What the index of the home at this path asks of each claim file that it reads: whether it carries a secret.
pub(crate) fn carries_secret(disk: Arc<dyn Disk>, home: &Path) -> CarriesSecret {
    let files = DaemonFiles::of(home);
    // The daemon may make another token at any time, so each claim is asked with a floor of its own; the token is read
    // for those files alone that are long enough to hold one.
    Arc::new(move |claim| Floor::of(disk.clone(), files.clone()).carried(claim).is_some())
}

impl Floor {
    /// The floor of the home whose daemon has these files.
    pub(crate) fn of(disk: Arc<dyn Disk>, files: DaemonFiles) -> Self {
        Self { own: Arc::new(OwnWords { disk, files, read: OnceLock::new() }) }
    }

    /// What must not be kept in a text: the strongest finding, or the home's own token.
    pub fn inspect(&self, text: &str) -> Option<SecretFinding> {
        inspect(text).or_else(|| self.own_tokens(text).into_iter().next())
    }

    /// Refuses a text that carries what must not be kept.
    pub fn check(&self, field: &'static str, text: &str) -> Result<(), HygieneFault> {
        match self.inspect(text) {
            None => Ok(()),
            Some(SecretFinding { kind, span }) => Err(HygieneFault { field, kind, at: Some(span.start) }),
        }
    }

    /// Refuses a text that carries a secret; an unfinished merge is none.
    pub fn check_secret(&self, field: &'static str, text: &str) -> Result<(), HygieneFault> {
        let found = secrets(text).into_iter().next().or_else(|| self.own_tokens(text).into_iter().next());
        match found {
            None => Ok(()),
            Some(SecretFinding { kind, span }) => Err(HygieneFault { field, kind, at: Some(span.start) }),
        }
    }

    /// Refuses a text that is made of several fields. The refusal names no position, which would be that in the joined
    /// text.
    pub fn check_whole(&self, field: &'static str, text: &str) -> Result<(), HygieneFault> {
        self.check(field, text).map_err(|fault| HygieneFault { at: None, ..fault })
    }

    /// The text with every secret masked. Every text that comes from a file passes here before it is shown.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let own = self.own_tokens(text);
        if own.is_empty() {
            return mask(text);
        }
        let mut shown = text.to_owned();
        for SecretFinding { span, .. } in own.into_iter().rev() {
            shown.replace_range(span, MASK);
        }
        Cow::Owned(mask(&shown).into_owned())
    }

    /// A fault that repeats no secret: what looks like one is masked, wherever it came from.
    pub fn masked(&self, fault: &Fault) -> Fault {
        with_texts(fault, |text| self.mask(text).into_owned())
    }

    /// Whether a text carries a secret; an unfinished merge is none.
    pub fn has_secret(&self, text: &str) -> bool {
        !secrets(text).is_empty() || !self.own_tokens(text).is_empty()
    }

    /// Returns the spans of the secrets in a text.
    pub(crate) fn secret_spans(&self, text: &str) -> Vec<Range<usize>> {
        secrets(text).into_iter().chain(self.own_tokens(text)).map(|finding| finding.span).collect()
    }

    /// Refuses a name that a caller gives, of a claim or a box, if it is a secret or another spelling of one: in
    /// capitals or small letters, or as the name of a file spells it. The caller of this function asks it before it
    /// looks anything up, so that the answer is the same whether such a name exists or not.
    pub fn check_name(&self, field: &'static str, text: &str) -> Result<(), HygieneFault> {
        self.check_secret(field, text)?;
        let slug = Label::parse(text).map(|label| ClaimSlug::of(&label).to_string()).unwrap_or_default();
        let spellings = [text.to_lowercase(), text.to_uppercase(), slug.replace('-', "_"), slug];
        for spelling in &spellings {
            // The words around a value do not make it a secret in another spelling.
            let shapes = secrets(spelling).into_iter().filter(|found| found.kind.family.is_shape());
            if let Some(SecretFinding { kind, .. }) = shapes.chain(self.own_tokens(spelling)).next() {
                return Err(HygieneFault { field, kind, at: None });
            }
        }
        Ok(())
    }

    /// The label that a caller gives, unless it names a secret.
    pub(crate) fn label(&self, field: &'static str, text: &str) -> Result<Label, MemoryError> {
        self.check_name(field, text)?;
        Ok(Label::parse(text)?)
    }

    /// Returns the spans of the home's own token in a text.
    fn own_tokens(&self, text: &str) -> Vec<SecretFinding> {
        // A token has no spaces in it.
        if !text.split_ascii_whitespace().any(|run| run.len() >= TOKEN_LEN_MIN) {
            return Vec::new();
        }
        let mut found: Vec<SecretFinding> = Vec::new();
        for word in self.own.words() {
            // Its digits may have been written in capitals.
            let folded = if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
                Cow::Borrowed(text)
            } else {
                Cow::Owned(text.to_ascii_lowercase())
            };
            let spans = folded.match_indices(word).map(|(at, word)| at..at + word.len());
            found.extend(spans.map(|span| SecretFinding { kind: &OWN_TOKEN, span }));
        }
        // They are masked from the last to the first.
        found.sort_by_key(|finding| finding.span.start);
        found
    }

    /// Refuses a text that carries what must not be kept.
    pub fn check_text(&self, field: &'static str, text: &str) -> Result<(), MemoryError> {
        Ok(self.check(field, text)?)
    }

    /// Refuses a value that its name makes a secret: `db_password` and a word, each harmless by itself.
    pub(crate) fn check_named(
        &self,
        field: &'static str,
        name: &str,
        value: &str,
    ) -> Result<(), MemoryError> {
        let line = format!("{}={value}", name.trim());
        Ok(self.check_secret(field, &line).map_err(|fault| HygieneFault { at: None, ..fault })?)
    }

    /// A value with every secret masked, those included that only its name makes one.
    pub(crate) fn mask_named(&self, name: &str, value: &str) -> String {
        let line = format!("{name}={value}");
        match self.mask(&line) {
            Cow::Borrowed(_) => value.to_owned(),
            Cow::Owned(shown) => {
                shown.strip_prefix(&format!("{name}=")).map_or_else(|| MASK.to_owned(), str::to_owned)
            }
        }
    }

    /// Refuses a claim that is taken over as it is: its whole file is looked at, keys this program does not
    /// know included.
    pub fn check_claim(&self, claim: &Claim) -> Result<(), MemoryError> {
        self.check_name("label", &claim.label)?;
        Ok(self.check("text", &claim.file.render())?)
    }

    /// Refuses a claim with a secret that would come into a place that git commits; the refusal names its file.
    pub(crate) fn check_committable(&self, path: &Path, claim: &Claim) -> Result<(), MemoryError> {
        let Err(fault) = self.check_claim(claim) else { return Ok(()) };
        let fault = Fault::from(fault);
        let path = path.display().to_string();
        let path = self.mask(&path);
        let message = format!("`{path}` must not get into a repository: {}", fault.message);
        let fix = match fault.code == codes::CLAIM_CONFLICT_MARKERS {
            true => advice![
                "open `{path}`, leave one version in it and remove the lines of the markers, then repeat"
            ],
            false => advice![
                "take it out of `{path}`, or forget that claim (",
                calls::forget(calls::LABEL),
                "), then repeat"
            ],
        };
        Err(Fault { message, fix: Some(fix), ..fault }.into())
    }

    /// Refuses a claim that is still under the home and that a write of its label would take along into the
    /// repository.
    pub fn check_adopted(&self, disk: &dyn Disk, store: &Store, slug: &ClaimSlug) -> Result<(), MemoryError> {
        let owner = store.paths().placed.as_ref().and_then(|placed| placed.owner.as_ref());
        let Some(path) = owner.map(|claims| claims.join(format!("{slug}{CLAIM_SUFFIX}"))) else {
            return Ok(());
        };
        let read = read_file(disk, &path).ok();
        match read.and_then(|bytes| Claim::parse(&bytes).ok()) {
            Some(claim) => self.check_committable(&path, &claim),
            None => Ok(()),
        }
    }

    /// Returns the secret that a claim's file carries; it was written there past the floor.
    pub(crate) fn carried(&self, claim: &Claim) -> Option<SecretFinding> {
        let file = claim.file.render();
        secrets(&file).into_iter().next().or_else(|| self.own_tokens(&file).into_iter().next())
    }

    /// Refuses an id that carries what must not be kept, wherever the caller said it.
    pub(crate) fn check_declared(&self, declared: &Declared) -> Result<(), MemoryError> {
        let Declared {
            argument,
            flag,
            env,
            config,
            host,
            client,
            login,
            session,
            connection,
            session_agent,
            tags,
            mail_root,
        } = declared;
        for said in [argument, flag, env, config, host, client, login, session_agent].into_iter().flatten() {
            self.check("agent", said)?;
        }
        for said in session.iter().chain(connection).chain(tags) {
            self.check("session", said)?;
            self.check_name("session", said)?;
        }
        if let Some(root) = mail_root {
            self.check_path("mail_root", root)?;
        }
        Ok(())
    }

    /// Refuses a path that carries a secret: it would be kept and shown as a name.
    pub fn check_path(&self, field: &'static str, path: &Path) -> Result<(), MemoryError> {
        Ok(self.check_secret(field, &path.to_string_lossy())?)
    }

    /// A fault about a call with these fields and values, which repeats no secret among them, nor a part of
    /// one: a part is no longer known as a secret by itself. Such a fault becomes the refusal of the secret.
    pub fn unrepeated<'a>(&self, fault: Fault, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Fault {
        let fix = fault.fix.as_ref().map(Advice::to_string);
        let shown = [Some(&fault.message), fix.as_ref(), fault.field.as_ref()];
        let shown: Vec<&[u8]> = shown.into_iter().flatten().map(|text| text.as_bytes()).collect();
        let is_shown = |part: &[u8]| shown.iter().any(|text| text.windows(part.len()).any(|at| at == part));
        for (field, value) in given {
            for SecretFinding { kind, span } in secrets(value).into_iter().chain(self.own_tokens(value)) {
                let secret = &value.as_bytes()[span];
                let len = secret.len().clamp(1, REPEATED_LEN_MIN);
                if secret.windows(len).any(is_shown) {
                    return CallerError::WouldRepeatSecret { field: field.to_owned(), kind }.into();
                }
            }
        }
        fault
    }
}

impl OwnWords {
    fn words(&self) -> &[String] {
        self.read.get_or_init(|| {
            let token = self.files.read_token(&*self.disk);
            let record = self.files.read_record(&*self.disk);
            let instance = record.map(|record| record.instance).filter(|word| word.len() >= TOKEN_LEN_MIN);
            token.into_iter().chain(instance).collect()
        })
    }
}

/// A fault that repeats no secret of a known kind, for a door that has no home at hand.
pub fn masked(fault: &Fault) -> Fault {
    with_texts(fault, |text| mask(text).into_owned())
}

fn with_texts(fault: &Fault, shown: impl Fn(&str) -> String) -> Fault {
    Fault {
        code: fault.code,
        message: shown(&fault.message),
        fix: fault.fix.clone().map(|fix| fix.map_texts(&shown)),
        field: fault.field.as_deref().map(&shown),
        rule: fault.rule,
    }
}

/// A text in which every secret of a known kind is masked, for a place that has no home at hand.
pub fn without_secrets(text: &str) -> String {
    mask(text).into_owned()
}
