//! Names that were probably meant.

/// Whether two names differ by little: case and separators, a part left out, or two letters.
pub fn is_near(given: &str, known: &str) -> bool {
    let (given, known) = (bare(given), bare(known));
    let inside = |long: &[char], short: &[char]| {
        short.len() >= 3 && long.windows(short.len()).any(|window| window == short)
    };
    let allowed = if known.len() <= 4 { 1 } else { 2 };
    inside(&given, &known) || inside(&known, &given) || distance(&given, &known) <= allowed
}

fn bare(text: &str) -> Vec<char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

/// Whether a word is another one with a slip in it: other case or separators, or up to two letters.
pub fn is_typo(given: &str, known: &str) -> bool {
    let (given, known) = (bare(given), bare(known));
    let allowed = if known.len() <= 4 { 1 } else { 2 };
    given.len() > 1 && distance(&given, &known) <= allowed
}

/// How many slips make `known` of `given`: a letter too many, too few or wrong, or two that changed places.
/// `None` for more than two, for more than one in a name of up to four letters, and for a single letter.
pub fn slips(given: &str, known: &str) -> Option<usize> {
    let (given, known) = (bare(given), bare(known));
    let allowed = if known.len() <= 4 { 1 } else { 2 };
    let slips = distance_with_swaps(&given, &known);
    (given.len() > 1 && slips <= allowed).then_some(slips)
}

/// The distance of two texts where neighbours that changed places count as one change.
fn distance_with_swaps(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
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
