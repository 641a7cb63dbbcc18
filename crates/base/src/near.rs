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
