//! The port through which the program draws random ids.

use crate::Timestamp;
use uuid::Uuid;

/// Draws unique values. Every crate gets it as an argument, so that tests can repeat a run.
pub trait Ids: Send + Sync {
    /// Ten random bytes: the random part of a version 7 UUID.
    fn random(&self) -> [u8; 10];

    /// A UUID of version 7: its first half is the time, its second half is random.
    fn uuid_v7(&self, now: Timestamp) -> Uuid {
        let ms = u64::try_from(now.ms()).expect("a Timestamp is never negative");
        uuid::Builder::from_unix_timestamp_millis(ms, &self.random()).into_uuid()
    }

    /// Sixteen hex digits for a temporary file name that no other process picks.
    fn temp_suffix(&self) -> String {
        crate::hash::hex(&self.random()[..8])
    }
}

/// Ids from the operating system's random source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn random(&self) -> [u8; 10] {
        let mut bytes = [0; 10];
        getrandom::fill(&mut bytes).expect("the operating system always has random bytes");
        bytes
    }
}

/// Ids that count up from a start, the same in every run.
#[cfg(feature = "testing")]
#[derive(Debug)]
pub struct CountingIds(std::sync::atomic::AtomicU64);

#[cfg(feature = "testing")]
impl CountingIds {
    /// The first id is made from `first`.
    pub fn from(first: u64) -> Self {
        Self(std::sync::atomic::AtomicU64::new(first))
    }
}

#[cfg(feature = "testing")]
impl Ids for CountingIds {
    fn random(&self) -> [u8; 10] {
        let n = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let digest = crate::hash::sha256(&n.to_be_bytes());
        digest[..10].try_into().expect("a digest has 32 bytes")
    }
}
