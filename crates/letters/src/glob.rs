//! Patterns with `*` and `?`, for aliases of many names.

/// Whether a text fits a pattern: `*` is any run of characters, `?` is one.
pub fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut upto) = (0, 0);
    // Where the last star was, and how much of the text it has taken.
    let mut star: Option<(usize, usize)> = None;
    while upto < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, upto));
                at += 1;
            }
            Some(sign) if *sign == '?' || *sign == text[upto] => {
                at += 1;
                upto += 1;
            }
            Some(_) | None => match star {
                Some((from, taken)) => {
                    star = Some((from, taken + 1));
                    (at, upto) = (from + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|sign| *sign == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test] // spec: LTR-5
    fn a_star_is_any_run_and_a_question_mark_is_one() {
        for (pattern, text, expected) in [
            ("cherry", "cherry", true),
            ("cherry", "cherry2", false),
            ("cherry-*", "cherry-fix-3", true),
            ("cherry-*", "cherry", false),
            ("*", "", true),
            ("", "", true),
            ("", "x", false),
            ("*-wt-?", "a-wt-b-wt-c", true),
            ("*-wt-?", "a-wt-cc", false),
            ("a*b*c", "aXbYbZc", true),
            ("**", "x", true),
            ("?", "", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
        // A pattern of stars over a long text ends soon.
        assert!(!fits(&"*a".repeat(30), &"a".repeat(29)));
    }
}
