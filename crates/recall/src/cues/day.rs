//! Days: when a claim was born, and which days a question is about.

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [&str; 7] = ["thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday"];
const DAY_MS: i64 = 86_400_000;

/// A day, counted from 1 January 1970, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day(i64);

impl Day {
    pub(crate) fn of_ms(ms: i64) -> Self {
        Self(ms.div_euclid(DAY_MS))
    }

    /// The day of a date of the Gregorian calendar; months count from 0.
    fn of_date(year: i64, month: usize, day: i64) -> Self {
        // March begins the year, so that the odd day is its last.
        let (year, shifted) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * shifted as i64 + 2) / 5 + day - 1;
        Self(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
    }

    /// Year, month from 0, day of the month.
    fn date(self) -> (i64, usize, i64) {
        let days = self.0 + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = (shifted + 2) % 12;
        (year + era * 400 + i64::from(month < 2), month as usize, day)
    }

    /// Day of the month, month, year and weekday, as people write them.
    pub(crate) fn words(self) -> String {
        let (year, month, day) = self.date();
        format!("{day} {} {year} {}", MONTHS[month], WEEKDAYS[self.0.rem_euclid(7) as usize])
    }
}

/// The days that a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AskedDays {
    year: Option<i64>,
    /// Month from 0, and the day if one is named.
    month: Option<(usize, Option<i64>)>,
}

impl AskedDays {
    /// The days that a question names; `None` if it names none.
    pub(crate) fn in_question(text: &str) -> Option<Self> {
        let words: Vec<&str> =
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let number = |word: &str| word.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']).parse::<i64>().ok();
        let year = words
            .iter()
            .filter(|word| word.len() == 4)
            .find_map(|word| word.parse::<i64>().ok().filter(|year| (1900..2100).contains(year)));
        let month = words.iter().enumerate().find_map(|(at, word)| {
            // The month of May is written with a capital.
            let is_month = |name: &str| name.eq_ignore_ascii_case(word) && (name != "may" || *word == "May");
            let month = MONTHS.iter().position(|name| is_month(name))?;
            let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            let near = near.filter_map(|at| number(words.get(at)?));
            let day = near.into_iter().find(|day| (1..=31).contains(day));
            Some((month, day))
        });
        (year.is_some() || month.is_some()).then_some(Self { year, month })
    }

    /// How well a day fits: 1 within the asked days, less for days soon after (events are reported later), and a little
    /// for days just before.
    pub(crate) fn fit(self, born: Day) -> f32 {
        let year = self.year.unwrap_or_else(|| born.date().0);
        let (first, last) = match self.month {
            None => (Day::of_date(year, 0, 1), Day::of_date(year, 11, 31)),
            Some((month, Some(day))) => (Day::of_date(year, month, day), Day::of_date(year, month, day)),
            Some((month, None)) => {
                let next = if month == 11 { (year + 1, 0) } else { (year, month + 1) };
                (Day::of_date(year, month, 1), Day(Day::of_date(next.0, next.1, 1).0 - 1))
            }
        };
        if born < first {
            0.3 * (1.0 - (first.0 - born.0) as f32 / 7.0).max(0.0)
        } else if born > last {
            0.7 * (1.0 - (born.0 - last.0) as f32 / 14.0).max(0.0)
        } else {
            1.0
        }
    }
}
