//! Signed notes (C2SP signed-note): a text, a blank line, and lines of Ed25519 signatures.

use crate::limits::{NOTE_BYTES_MAX, NOTE_SIGNATURES_MAX};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use brainstem_base::hash::{hex, sha256};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use std::fmt;

/// The byte that names Ed25519 among the kinds of signatures.
const ED25519: u8 = 1;
const SIGNATURE_LINE: &str = "\u{2014} ";
const SECRET_KEY: &str = "PRIVATE+KEY+";

/// Why a text is no signed note, or none that a known key signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteFault {
    /// It has not the form of a signed note.
    #[error("it is not a signed note")]
    NotANote,
    /// No key that was handed in signed it.
    #[error("it is signed by {signers}, and by none of the keys that it is held to")]
    UnknownSigner {
        /// The names of its signers.
        signers: String,
    },
    /// A key that was handed in has a signature in it that does not fit the text.
    #[error("its signature by {signer} does not fit its text: one of them was changed")]
    SignatureDiffers {
        /// The name of that key.
        signer: String,
    },
}

/// Why a text is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a public key has the form `NAME+ID+BASE64`, as `ledger head` prints it")]
pub struct NoteKeyFault;

/// The secret key that signs notes, with its name.
pub struct NoteSigner {
    name: String,
    key: SigningKey,
}

/// The public key that a note is held to, with its name.
#[derive(Clone, PartialEq, Eq)]
pub struct NoteVerifier {
    name: String,
    key: VerifyingKey,
}

impl NoteSigner {
    /// The signer with this secret, which is 32 random bytes.
    pub fn new(name: &str, secret: &[u8; 32]) -> Result<Self, NoteKeyFault> {
        match is_key_name(name) {
            true => Ok(Self { name: name.to_owned(), key: SigningKey::from_bytes(secret) }),
            false => Err(NoteKeyFault),
        }
    }

    /// The signer whose key is written as `PRIVATE+KEY+NAME+ID+BASE64`.
    pub fn parse(text: &str) -> Result<Self, NoteKeyFault> {
        let (name, id, secret) = key_parts(text.strip_prefix(SECRET_KEY).ok_or(NoteKeyFault)?)?;
        let signer = Self::new(name, &secret)?;
        (hex(&signer.verifier().id()) == id).then_some(signer).ok_or(NoteKeyFault)
    }

    /// The key in the form that [`parse`](Self::parse) reads. It is the secret itself.
    pub fn to_secret_text(&self) -> String {
        let id = hex(&self.verifier().id());
        format!("{SECRET_KEY}{}+{id}+{}", self.name, encode_key(&self.key.to_bytes()))
    }

    /// The public half.
    pub fn verifier(&self) -> NoteVerifier {
        NoteVerifier { name: self.name.clone(), key: self.key.verifying_key() }
    }

    /// The text as a note with this key's signature. The text ends with a newline.
    pub fn sign(&self, text: &str) -> String {
        let id = self.verifier().id();
        let signature = BASE64.encode([&id[..], &self.key.sign(text.as_bytes()).to_bytes()].concat());
        format!("{text}\n{SIGNATURE_LINE}{} {signature}\n", self.name)
    }
}

impl fmt::Debug for NoteSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NoteSigner({})", self.name)
    }
}

impl NoteVerifier {
    /// The key of these 32 bytes.
    pub fn new(name: &str, public: &[u8; 32]) -> Result<Self, NoteKeyFault> {
        let key = VerifyingKey::from_bytes(public).map_err(|_| NoteKeyFault)?;
        is_key_name(name).then(|| Self { name: name.to_owned(), key }).ok_or(NoteKeyFault)
    }

    /// The key that is written as `NAME+ID+BASE64`.
    pub fn parse(text: &str) -> Result<Self, NoteKeyFault> {
        let (name, id, public) = key_parts(text)?;
        let verifier = Self::new(name, &public)?;
        (hex(&verifier.id()) == id).then_some(verifier).ok_or(NoteKeyFault)
    }

    /// The name of the key.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes of the key.
    pub fn public(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// The four bytes by which a signature names its key beside the name.
    pub fn id(&self) -> [u8; 4] {
        let hashed = [self.name.as_bytes(), b"\n", &[ED25519], self.key.as_bytes()].concat();
        sha256(&hashed)[..4].try_into().expect("a digest is longer")
    }
}

impl fmt::Display for NoteVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}+{}", self.name, hex(&self.id()), encode_key(self.key.as_bytes()))
    }
}

impl fmt::Debug for NoteVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NoteVerifier({self})")
    }
}

/// A note that was read. Its text means nothing before [`verify`](Self::verify) has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedNote {
    text: String,
    signatures: Vec<NoteSignature>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct NoteSignature {
    name: String,
    id: [u8; 4],
    bytes: Vec<u8>,
}

impl SignedNote {
    /// Reads a note; refuses what has not its form.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteFault> {
        Self::try_parse(bytes).ok_or(NoteFault::NotANote)
    }

    fn try_parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > NOTE_BYTES_MAX {
            return None;
        }
        let note = std::str::from_utf8(bytes).ok()?;
        if note.bytes().any(|byte| byte < b' ' && byte != b'\n') {
            return None;
        }
        let (text, lines) = note.split_at(note.rfind("\n\n")? + 1);
        let lines = lines.strip_prefix('\n')?.strip_suffix('\n')?;
        let signatures: Option<Vec<_>> =
            lines.split('\n').take(NOTE_SIGNATURES_MAX + 1).map(NoteSignature::parse).collect();
        let signatures = signatures.filter(|found| found.len() <= NOTE_SIGNATURES_MAX)?;
        Some(Self { text: text.to_owned(), signatures })
    }

    /// The text, not yet verified: enough to find out which key to ask for.
    pub fn unverified_text(&self) -> &str {
        &self.text
    }

    /// The names of its signers, as the note says them.
    pub fn signers(&self) -> Vec<&str> {
        self.signatures.iter().map(|signature| signature.name.as_str()).collect()
    }

    /// Returns the text if one of these keys signed it. A signature of one of them that does not fit refuses the note.
    pub fn verify(&self, keys: &[NoteVerifier]) -> Result<&str, NoteFault> {
        let mut is_signed = false;
        for signature in &self.signatures {
            let known = keys.iter().find(|key| key.name == signature.name && key.id() == signature.id);
            let Some(key) = known else { continue };
            let fits = Signature::from_slice(&signature.bytes)
                .and_then(|fit| key.key.verify_strict(self.text.as_bytes(), &fit));
            if fits.is_err() {
                return Err(NoteFault::SignatureDiffers { signer: key.name.clone() });
            }
            is_signed = true;
        }
        match is_signed {
            true => Ok(&self.text),
            false => Err(NoteFault::UnknownSigner { signers: self.signers().join(", ") }),
        }
    }
}

impl NoteSignature {
    fn parse(line: &str) -> Option<Self> {
        let (name, signature) = line.strip_prefix(SIGNATURE_LINE)?.split_once(' ')?;
        let bytes = BASE64.decode(signature).ok()?;
        let (id, bytes) = bytes.split_first_chunk::<4>()?;
        if !is_key_name(name) || bytes.is_empty() {
            return None;
        }
        Some(Self { name: name.to_owned(), id: *id, bytes: bytes.to_vec() })
    }
}

fn is_key_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|it| it.is_whitespace() || it.is_control() || it == '+')
}

fn encode_key(key: &[u8; 32]) -> String {
    BASE64.encode([&[ED25519][..], key].concat())
}

/// Name, id and key of `NAME+ID+BASE64`. The name has no plus, and base64 may have some.
fn key_parts(text: &str) -> Result<(&str, &str, [u8; 32]), NoteKeyFault> {
    let (name, rest) = text.split_once('+').ok_or(NoteKeyFault)?;
    let (id, key) = rest.split_once('+').ok_or(NoteKeyFault)?;
    let bytes = BASE64.decode(key).map_err(|_| NoteKeyFault)?;
    match bytes.split_first() {
        Some((&ED25519, key)) => Ok((name, id, key.try_into().map_err(|_| NoteKeyFault)?)),
        _ => Err(NoteKeyFault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The vectors of golang.org/x/mod/sumdb/note and of the C2SP document.
    const SECRET: &str = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    const PETER: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const ENOCH: &str = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop";
    const TEXT: &str = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
    const BY_PETER: &str = "\u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
    const BY_ENOCH: &str = "\u{2014} EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n";

    fn key(text: &str) -> NoteVerifier {
        NoteVerifier::parse(text).expect("a published key")
    }

    fn open(note: &str, keys: &[NoteVerifier]) -> Result<String, NoteFault> {
        SignedNote::parse(note.as_bytes())?.verify(keys).map(str::to_owned)
    }

    #[test] // spec: LED-4b
    fn notes_are_signed_and_opened_as_published() {
        let signer = NoteSigner::parse(SECRET).expect("a published key");
        assert_eq!(signer.to_secret_text(), SECRET);
        assert_eq!(signer.verifier().to_string(), PETER);
        assert_eq!(signer.sign(TEXT), format!("{TEXT}\n{BY_PETER}"));
        let both = format!("{TEXT}\n{BY_PETER}{BY_ENOCH}");
        for keys in [vec![key(PETER)], vec![key(ENOCH)], vec![key(PETER), key(ENOCH)]] {
            assert_eq!(open(&both, &keys), Ok(TEXT.to_owned()));
        }
        let example = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
        let note = "This is an example message.\n\n\u{2014} example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
        assert_eq!(open(note, &[key(example)]), Ok("This is an example message.\n".to_owned()));
    }

    #[test] // spec: LED-4b
    fn a_changed_note_and_a_note_of_others_are_refused() {
        let note = format!("{TEXT}\n{BY_PETER}");
        let unknown = NoteFault::UnknownSigner { signers: "PeterNeumann".to_owned() };
        assert_eq!(open(&note, &[key(ENOCH)]), Err(unknown.clone()));
        assert_eq!(open(&note, &[]), Err(unknown));
        let differs = NoteFault::SignatureDiffers { signer: "PeterNeumann".to_owned() };
        assert_eq!(open(&note.replace("think", "thinK"), &[key(PETER)]), Err(differs.clone()));
        assert_eq!(open(&note.replace("/ZJkuBS", "/ZJkuBT"), &[key(PETER)]), Err(differs));
        for broken in [
            "",
            "\n",
            TEXT,
            &format!("{TEXT}\n"),
            &format!("{TEXT}{BY_PETER}"),
            note.trim_end(),
            &format!("{note}\n"),
            &format!("{note}more\n"),
            &note.replace("If you", "If\tyou"),
            &note.replace(" x08go", "  x08go"),
            &note.replace("x08go/", "x08go!"),
            &note.replace('\u{2014}', "-"),
            &format!("{TEXT}\n{}", BY_PETER.repeat(NOTE_SIGNATURES_MAX + 1)),
        ] {
            assert_eq!(SignedNote::parse(broken.as_bytes()), Err(NoteFault::NotANote), "{broken:?}");
        }
        assert!(SignedNote::parse(&[note.as_bytes(), &[0xff]].concat()).is_err());
    }

    #[test] // spec: LED-4b
    fn a_key_that_was_mangled_is_refused() {
        for at in 0..PETER.len() {
            assert_eq!(NoteVerifier::parse(&PETER[..at]), Err(NoteKeyFault), "{}", &PETER[..at]);
        }
        for at in 0..SECRET.len() {
            assert!(
                NoteSigner::parse(&SECRET[..at]).is_err() && NoteSigner::parse(&SECRET[at + 1..]).is_err()
            );
        }
        for text in [
            "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
            "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            "Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        ] {
            assert_eq!(NoteVerifier::parse(text), Err(NoteKeyFault), "{text}");
        }
    }
}
