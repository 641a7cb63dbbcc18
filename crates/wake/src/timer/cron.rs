//! The five fields of cron: minute, hour, day of the month, month, day of the week.

use jiff::civil::Date;
use std::fmt;

/// A cron expression, parsed.
///
/// A day has to match its month and, where both days are restricted, one of them, as in every cron since the first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cron {
    text: String,
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    is_day_free: bool,
    is_weekday_free: bool,
}

/// Why a text is not a cron expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CronFault {
    /// There are not five fields.
    #[error("a cron expression has five fields (minute hour day month weekday), and this one has {count}")]
    FieldCount {
        /// How many there are.
        count: usize,
    },
    /// One of the fields cannot be read.
    #[error("at character {position}, {text:?} is no {field}: use {min}-{max}, *, a list, a range or a step")]
    Field {
        /// Where the field begins, from 1.
        position: usize,
        /// The field.
        text: String,
        /// Its name.
        field: &'static str,
        /// Its smallest number.
        min: u8,
        /// Its largest number.
        max: u8,
    },
    /// No date has this day in one of these months.
    #[error("no month of {text:?} has such a day: change the day or the month")]
    NoSuchDay {
        /// The expression.
        text: String,
    },
}

/// One of the five fields: its name, its numbers, and words for them.
struct FieldRange {
    name: &'static str,
    min: u8,
    max: u8,
    words: &'static [&'static str],
}

const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const RANGES: [FieldRange; 5] = [
    FieldRange { name: "minute", min: 0, max: 59, words: &[] },
    FieldRange { name: "hour", min: 0, max: 23, words: &[] },
    FieldRange { name: "day of the month", min: 1, max: 31, words: &[] },
    FieldRange { name: "month", min: 1, max: 12, words: MONTHS },
    // Sunday is both 0 and 7.
    FieldRange { name: "day of the week", min: 0, max: 7, words: WEEKDAYS },
];

/// The longest each month can be, January first.
const MONTH_DAYS: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl Cron {
    /// Parses five fields, or names the one that is wrong.
    pub fn parse(text: &str) -> Result<Self, CronFault> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let &[minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(CronFault::FieldCount { count: fields.len() });
        };
        let read = |field: &str, range: &FieldRange| {
            // Both are pieces of the same text, so the distance is the position.
            let position = text[..field.as_ptr() as usize - text.as_ptr() as usize].chars().count() + 1;
            let FieldRange { name, min, max, .. } = *range;
            range.read(field).ok_or(CronFault::Field {
                position,
                text: field.to_owned(),
                field: name,
                min,
                max,
            })
        };
        let weekdays = read(weekday, &RANGES[4])?;
        let cron = Self {
            text: fields.join(" "),
            minutes: read(minute, &RANGES[0])?,
            hours: read(hour, &RANGES[1])?,
            days: read(day, &RANGES[2])?,
            months: read(month, &RANGES[3])?,
            weekdays: (weekdays | weekdays >> 7) & 0x7f,
            is_day_free: day.starts_with('*'),
            is_weekday_free: weekday.starts_with('*'),
        };
        let has_day = |month: u8| cron.days.trailing_zeros() <= u32::from(MONTH_DAYS[usize::from(month) - 1]);
        if cron.is_weekday_free && !(1..=12).any(|month| has(cron.months, month) && has_day(month)) {
            return Err(CronFault::NoSuchDay { text: cron.text });
        }
        Ok(cron)
    }

    /// Whether it fires in every hour of its days. Such an expression means the running clock, not a time of day.
    pub(super) fn is_every_hour(&self) -> bool {
        self.hours.count_ones() == 24
    }

    /// Whether it fires on this day.
    pub(super) fn has_date(&self, date: Date) -> bool {
        let day = has(self.days, number(date.day()));
        let weekday = has(self.weekdays, number(date.weekday().to_sunday_zero_offset()));
        let is_day = match (self.is_day_free, self.is_weekday_free) {
            (false, false) => day || weekday,
            (true, _) | (_, true) => day && weekday,
        };
        is_day && has(self.months, number(date.month()))
    }

    /// Whether it fires in this minute of an hour.
    pub(super) fn has_minute(&self, minute: i8) -> bool {
        has(self.minutes, number(minute))
    }

    /// The hours and minutes of its days, in order.
    pub(super) fn times(&self) -> impl DoubleEndedIterator<Item = (i8, i8)> {
        let hours = (0_i8..24).filter(|hour| has(self.hours, number(*hour)));
        hours.flat_map(|hour| {
            (0_i8..60).filter(|minute| self.has_minute(*minute)).map(move |minute| (hour, minute))
        })
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FieldRange {
    /// The numbers of a field as bits; `None` if it is not one.
    fn read(&self, field: &str) -> Option<u64> {
        field.split(',').try_fold(0, |bits, part| Some(bits | self.read_part(part)?))
    }

    fn read_part(&self, part: &str) -> Option<u64> {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<usize>().ok().filter(|step| *step > 0)?)),
            None => (part, None),
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (self.number(first)?, self.number(last)?),
            None if range == "*" => (self.min, self.max),
            // `5/15` begins at 5 and goes on to the end.
            None if step.is_some() => (self.number(range)?, self.max),
            None => (self.number(range)?, self.number(range)?),
        };
        (first <= last).then(|| (first..=last).step_by(step.unwrap_or(1)).fold(0, |bits, n| bits | 1 << n))
    }

    fn number(&self, text: &str) -> Option<u8> {
        if let Some(at) = self.words.iter().position(|word| word.eq_ignore_ascii_case(text)) {
            return Some(self.min + u8::try_from(at).ok()?);
        }
        let is_plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse().ok().filter(|number| is_plain && (self.min..=self.max).contains(number))
    }
}

fn has(bits: u64, number: u8) -> bool {
    bits >> number & 1 == 1
}

/// A part of a date or of a time, none of which is negative.
fn number(part: i8) -> u8 {
    part.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn cron(text: &str) -> Cron {
        Cron::parse(text).expect(text)
    }

    #[test]
    fn lists_ranges_steps_and_words_are_read() {
        let times = |text| cron(text).times().collect::<Vec<_>>();
        assert_eq!(times("0,30 7 * * *"), [(7, 0), (7, 30)]);
        assert_eq!(times("0 8-17/4 * * *"), [(8, 0), (12, 0), (16, 0)]);
        assert_eq!(times("50/5 23 * * *"), [(23, 50), (23, 55)]);
        assert!(cron("*/10 * * * *").is_every_hour() && !cron("0 */2 * * *").is_every_hour());
        let monday = date(2026, 11, 16);
        for text in ["0 7 * * mon", "0 7 * * 1", "0 7 * NOV *", "0 7 16 * *", "0 7 * * Mon-Fri"] {
            assert!(cron(text).has_date(monday), "{text}");
        }
        for text in ["0 7 * * sun", "0 7 * * 0,7", "0 7 * oct *", "0 7 17 * *"] {
            assert!(!cron(text).has_date(monday), "{text}");
        }
        assert_eq!(cron(" 0  7 * * mon ").to_string(), "0 7 * * mon");
        assert_eq!(cron("0 7 * * 7").weekdays, cron("0 7 * * sun").weekdays);
    }

    #[test]
    fn of_two_restricted_days_one_is_enough() {
        let both = cron("0 7 13 * fri");
        assert!(both.has_date(date(2026, 11, 13)) && both.has_date(date(2026, 11, 20)));
        assert!(both.has_date(date(2026, 12, 13)) && !both.has_date(date(2026, 12, 14)));
        assert!(!cron("0 7 */2 * fri").has_date(date(2026, 11, 20)), "a step of * restricts nothing");
    }

    #[test]
    fn an_error_names_the_place_and_the_field() {
        let check = |text: &str, expected: &str| {
            assert_eq!(Cron::parse(text).expect_err(text).to_string(), expected);
        };
        check(
            "0 7 * *",
            "a cron expression has five fields (minute hour day month weekday), and this one has 4",
        );
        check("0 25 * * *", "at character 3, \"25\" is no hour: use 0-23, *, a list, a range or a step");
        check(
            "0 7 * * mon-xyz",
            "at character 9, \"mon-xyz\" is no day of the week: use 0-7, *, a list, a range or a step",
        );
        check(
            "0 7 31 feb,apr *",
            "no month of \"0 7 31 feb,apr *\" has such a day: change the day or the month",
        );
        for bad in ["60 * * * *", "-1 * * * *", "*/0 * * * *", "5-1 * * * *", "1,,2 * * * *", "+1 * * * *"] {
            assert!(matches!(Cron::parse(bad), Err(CronFault::Field { position: 1, .. })), "{bad}");
        }
        assert!(Cron::parse("0 7 31 feb mon").is_ok(), "a Monday is enough");
    }
}
