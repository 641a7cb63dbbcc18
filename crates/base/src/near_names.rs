//! Finds the name that a caller probably meant.

/// Whether two names differ by little: case and separators, a part left out, or two letters.
pub fn is_near(given: &str, known: &str) -> bool {
    let (given, known) = (bare(given), bare(known));
    let is_inside = |long: &str, short: &str| short.chars().count() >= 3 && long.contains(short);
    is_inside(&given, &known)
        || is_inside(&known, &given)
        || strsim::levenshtein(&given, &known) <= allowed(&known)
}

/// The letters and digits of a name, in lower case.
fn bare(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

/// How many slips are forgiven in a name.
fn allowed(known: &str) -> usize {
    if known.chars().count() <= 4 { 1 } else { 2 }
}

/// Whether a word is another one with a slip in it: other case or separators, or up to two letters.
pub fn is_typo(given: &str, known: &str) -> bool {
    let (given, known) = (bare(given), bare(known));
    given.chars().count() > 1 && strsim::levenshtein(&given, &known) <= allowed(&known)
}

/// How many slips turn `known` into `given`: a letter too many, too few or wrong, or two that changed places. `None`
/// for more than two, for more than one in a name of up to four letters, and for a single letter.
pub fn slips(given: &str, known: &str) -> Option<usize> {
    let (given, known) = (bare(given), bare(known));
    let slips = strsim::osa_distance(&given, &known);
    (given.chars().count() > 1 && slips <= allowed(&known)).then_some(slips)
}

#[cfg(test)]
mod tests {
    use super::slips;

    #[test] // spec: IF-6
    fn neighbours_that_changed_places_are_one_slip() {
        assert_eq!(slips("lsit", "list"), Some(1));
        assert_eq!(slips("whoamy", "whoami"), Some(1));
        assert_eq!(slips("memorice", "memorize"), Some(1));
        assert_eq!(slips("retarct", "retract"), Some(1));
        assert_eq!(slips("seek", "seek"), Some(0));
    }

    #[test] // spec: IF-6
    fn a_short_name_allows_one_slip_and_no_name_more_than_two() {
        assert_eq!(slips("sook", "seek"), None);
        assert_eq!(slips("remember", "rename"), None);
        assert_eq!(slips("start", "retract"), None);
        assert_eq!(slips("x", "up"), None);
    }
}
