use super::day::AskedDays;
use super::{Day, QuestionCues, TextTraits};

const DAY_MS: i64 = 86_400_000;

#[test]
fn days_are_written_as_people_write_them() {
    for (ms, words) in [
        (0, "1 january 1970 thursday"),
        (1_683_504_000_000, "8 may 2023 monday"),
        (951_782_400_000, "29 february 2000 tuesday"),
        (-1, "31 december 1969 wednesday"),
    ] {
        assert_eq!(Day::of_ms(ms).words(), words);
    }
}

#[test]
fn a_question_is_about_the_days_it_names() {
    let fit =
        |question: &str, ms: i64| AskedDays::in_question(question).map(|asked| asked.fit(Day::of_ms(ms)));
    let may_8 = 1_683_504_000_000;
    assert_eq!(fit("What did she do on 8 May 2023?", may_8), Some(1.0));
    assert_eq!(fit("What did she do on May 8th?", may_8), Some(1.0));
    assert_eq!(fit("What happened in May?", may_8), Some(1.0));
    assert_eq!(fit("What happened in 2023?", may_8), Some(1.0));
    assert_eq!(fit("What happened in 2022?", may_8), Some(0.0));
    assert_eq!(fit("What may happen?", may_8), None);
    let after = fit("on 8 May 2023", may_8 + 7 * DAY_MS).expect("named");
    assert!(after > 0.3 && after < 0.4, "{after}");
    let before = fit("on 8 May 2023", may_8 - DAY_MS).expect("named");
    assert!(before > 0.2 && before < after, "{before}");
    assert_eq!(fit("in December", 1_703_980_800_000), Some(1.0));
}

#[test]
fn what_a_question_asks_for_is_seen() {
    let asks = |question: &str| {
        let asks = QuestionCues::of(question);
        (asks.when, asks.how_many, asks.several)
    };
    assert_eq!(asks("When did Ana move?"), (true, false, false));
    assert_eq!(asks("What year was it?"), (true, false, false));
    assert_eq!(asks("How many times did we retry?"), (false, true, true));
    assert_eq!(asks("What games has he played?"), (false, false, true));
    assert_eq!(asks("What is the address of the office?"), (false, false, false));
    assert_eq!(asks(""), (false, false, false));
}

#[test]
fn what_a_text_is_like_survives_its_two_bytes() {
    let traits = TextTraits::of("We met Ana and Ben in Rome last week. Twice! Why? [a photo of 3 cats]");
    assert!(traits.asks && traits.counts);
    assert_eq!((traits.times, traits.names, traits.code), (2, 3, 0));
    assert_eq!(TextTraits::of_bytes(traits.bytes()), traits);
    assert_eq!(TextTraits::of(""), TextTraits::default());
    assert!(TextTraits::of("fn main() { let x = call(a_b); }").code > 200);
    assert!(TextTraits::of("Plain words, with (one) remark in it and not much else to see here.").code < 100);
}
