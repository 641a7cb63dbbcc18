//! The fields of a letter that its writer resolved: each names exactly one folder or one brain, without a remark, an
//! alias or another name.

use serde_json::{Map, Value};
use std::fmt;

/// The field of a letter that marks them: `{"repo": "folder", "brain": "id"}`.
pub(crate) const EXACT: &str = "exact";
/// The part of it that says which folder of that name is meant.
const AT: &str = "at";

/// What a resolved field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResolvedValue {
    /// The last parts of a folder's path, or its whole path.
    Folder,
    /// A brain: `name@id`.
    Id,
}

/// Which fields of a letter are resolved, and to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResolvedFields {
    /// `repo`.
    pub repo: Option<ResolvedValue>,
    /// `brain`.
    pub brain: Option<ResolvedValue>,
    /// Which folder is meant, of all that ever have its name: that of `brain` where it names a folder, else that of `repo`.
    pub at: Option<FolderMark>,
}

/// Tells one folder of one home from every other of the same name, and says nothing about where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FolderMark {
    /// The home through which the letter was written.
    pub home: u32,
    /// The folder, as that home tells it apart.
    pub folder: u64,
}

impl FolderMark {
    /// Reads the text of a mark: eight hex digits, a hyphen, sixteen hex digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (home, folder) =
            text.split_once('-').filter(|(home, folder)| (home.len(), folder.len()) == (8, 16))?;
        let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (home, folder) = Some((home, folder)).filter(|(home, folder)| is_hex(home) && is_hex(folder))?;
        Some(Self {
            home: u32::from_str_radix(home, 16).ok()?,
            folder: u64::from_str_radix(folder, 16).ok()?,
        })
    }
}

impl fmt::Display for FolderMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}-{:016x}", self.home, self.folder)
    }
}

impl ResolvedValue {
    const ALL: [Self; 2] = [Self::Folder, Self::Id];

    fn word(self) -> &'static str {
        match self {
            Self::Folder => "folder",
            Self::Id => "id",
        }
    }
}

impl ResolvedFields {
    /// Reads the field. An unknown form does not count: the letter is read as one of another program.
    pub(crate) fn read(value: &Value) -> Self {
        let of = |field: &str| {
            let word = value.get(field)?.as_str()?;
            ResolvedValue::ALL.into_iter().find(|exactly| exactly.word() == word)
        };
        let at = value.get(AT).and_then(Value::as_str).and_then(FolderMark::parse);
        Self { repo: of("repo"), brain: of("brain"), at }
    }

    /// Which folder `brain` means, where it names a folder.
    pub(crate) fn mark_of_brain(self) -> Option<FolderMark> {
        self.at.filter(|_| self.brain == Some(ResolvedValue::Folder))
    }

    /// Which folder `repo` means, where it alone names one.
    pub(crate) fn mark_of_repo(self) -> Option<FolderMark> {
        self.at
            .filter(|_| self.repo == Some(ResolvedValue::Folder) && self.brain != Some(ResolvedValue::Folder))
    }

    /// The field for a letter; `None` if nothing was resolved.
    pub(crate) fn to_value(self) -> Option<Value> {
        let mut fields: Map<String, Value> = [("repo", self.repo), ("brain", self.brain)]
            .into_iter()
            .filter_map(|(name, exactly)| Some((name.to_owned(), exactly?.word().into())))
            .collect();
        if let Some(mark) = self.mark_of_brain().or(self.mark_of_repo()) {
            fields.insert(AT.to_owned(), mark.to_string().into());
        }
        (!fields.is_empty()).then_some(Value::Object(fields))
    }
}
