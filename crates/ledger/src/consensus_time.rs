//! The time of a message: nanoseconds, later than every time before it.

use brainstem_base::Timestamp;
use std::fmt;
use std::str::FromStr;

/// Seconds and nanoseconds since 1970-01-01T00:00:00Z, written `1234567890.000000001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConsensusTime {
    // Invariant: fits a signed 64-bit number.
    seconds: u64,
    // Invariant: below a thousand million.
    nanos: u32,
}

const NANOS_OF_A_SECOND: u32 = 1_000_000_000;

/// Why a text is no consensus time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a consensus time has the form `SECONDS.NANOSECONDS`, with nine digits behind the dot")]
pub struct ConsensusTimeFault;

impl ConsensusTime {
    /// The time of the two numbers; refuses seconds beyond 63 bits and a whole second of nanoseconds.
    pub fn new(seconds: u64, nanos: u32) -> Result<Self, ConsensusTimeFault> {
        let is_in_range = i64::try_from(seconds).is_ok() && nanos < NANOS_OF_A_SECOND;
        is_in_range.then_some(Self { seconds, nanos }).ok_or(ConsensusTimeFault)
    }

    /// The seconds.
    pub fn seconds(self) -> u64 {
        self.seconds
    }

    /// The nanoseconds of the second.
    pub fn nanos(self) -> u32 {
        self.nanos
    }

    /// The time of the next message: the clock's, or a nanosecond after the last one where the clock does not move or
    /// went back. A clock that once ran ahead therefore leaves later messages a nanosecond apart, and in order.
    pub fn following(last: Option<Self>, clock: Timestamp) -> Self {
        let clock = Self::from(clock);
        last.map_or(clock, |last| clock.max(last.plus_one_nano()))
    }

    /// The same instant to the millisecond, rounded down.
    pub fn to_timestamp(self) -> Timestamp {
        let ms = u128::from(self.seconds) * 1_000 + u128::from(self.nanos / 1_000_000);
        Timestamp::from_ms(i64::try_from(ms).unwrap_or(i64::MAX))
    }

    fn plus_one_nano(self) -> Self {
        match self.nanos + 1 {
            NANOS_OF_A_SECOND => Self { seconds: self.seconds + 1, nanos: 0 },
            nanos => Self { nanos, ..self },
        }
    }
}

impl From<Timestamp> for ConsensusTime {
    fn from(at: Timestamp) -> Self {
        // A timestamp is never before the epoch.
        let ms = at.ms().unsigned_abs();
        let nanos = u32::try_from(ms % 1_000).expect("below a thousand") * 1_000_000;
        Self { seconds: ms / 1_000, nanos }
    }
}

impl fmt::Display for ConsensusTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:09}", self.seconds, self.nanos)
    }
}

impl FromStr for ConsensusTime {
    type Err = ConsensusTimeFault;

    fn from_str(text: &str) -> Result<Self, ConsensusTimeFault> {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (seconds, nanos) = text.split_once('.').ok_or(ConsensusTimeFault)?;
        if !is_number(seconds) || !is_number(nanos) || nanos.len() != 9 {
            return Err(ConsensusTimeFault);
        }
        let seconds = seconds.parse().map_err(|_| ConsensusTimeFault)?;
        Self::new(seconds, nanos.parse().map_err(|_| ConsensusTimeFault)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: LED-1
    fn a_time_is_written_with_nine_digits_and_read_back() {
        let time = ConsensusTime::new(1_234_567_890, 1).expect("in range");
        assert_eq!(time.to_string(), "1234567890.000000001");
        assert_eq!("1234567890.000000001".parse(), Ok(time));
        for text in [
            "",
            "1",
            "1.1",
            "1.0000000001",
            ".000000001",
            "-1.000000000",
            "1.00000000x",
            "9223372036854775808.000000000",
        ] {
            assert_eq!(text.parse::<ConsensusTime>(), Err(ConsensusTimeFault), "{text:?}");
        }
    }

    #[test] // spec: LED-1, LED-2b
    fn times_increase_whatever_the_clock_does() {
        let clock = [5_000, 5_000, 4_000, 1, 5_001, Timestamp::MAX.ms(), 6_000];
        let mut times: Vec<ConsensusTime> = Vec::new();
        for ms in clock {
            times.push(ConsensusTime::following(times.last().copied(), Timestamp::from_ms(ms)));
        }
        assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
        assert_eq!(times[1].to_string(), "5.000000001");
        assert_eq!(times[4], ConsensusTime::from(Timestamp::from_ms(5_001)));
    }

    #[test]
    fn the_last_nanosecond_of_a_second_is_followed_by_the_next_second() {
        let last = ConsensusTime::new(7, 999_999_999).expect("in range");
        assert_eq!(ConsensusTime::following(Some(last), Timestamp::MIN).to_string(), "8.000000000");
        assert_eq!(last.to_timestamp(), Timestamp::from_ms(7_999));
    }
}
