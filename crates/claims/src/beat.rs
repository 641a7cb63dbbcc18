//! Composing the beat: which rows fit.

/// A token counts as this many bytes.
pub const BYTES_PER_TOKEN: usize = 4;

/// How many rows of each feed fit into a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// Rows of the project's feed, from its start.
    pub project: usize,
    /// Rows of the medulla's feed, from its start.
    pub medulla: usize,
}

/// Fits two feeds, each most useful first, into a budget of bytes.
///
/// A quarter of the budget is kept for the medulla while it has rows to fill it, so that doctrine is
/// not crowded out by a busy project; what one feed leaves is the other's. The first row of the
/// first non-empty feed always fits: a beat over a store that is not empty carries something.
pub fn fit(project: &[usize], medulla: &[usize], budget_bytes: usize) -> Fit {
    let kept = medulla.iter().sum::<usize>().min(budget_bytes / 4);
    let mut left = budget_bytes;
    let project_rows = take(project, budget_bytes - kept, &mut left);
    let medulla_budget = left;
    let medulla_rows = take(medulla, medulla_budget, &mut left);
    let mut fit = Fit { project: project_rows, medulla: medulla_rows };
    // What the medulla left is the project's again.
    for size in &project[fit.project..] {
        if *size > left {
            break;
        }
        left -= size;
        fit.project += 1;
    }
    if fit == (Fit { project: 0, medulla: 0 }) {
        fit.project = project.len().min(1);
        fit.medulla = if fit.project == 0 { medulla.len().min(1) } else { 0 };
    }
    fit
}

fn take(sizes: &[usize], budget: usize, left: &mut usize) -> usize {
    let mut used = 0;
    let mut rows = 0;
    for size in sizes {
        if used + size > budget {
            break;
        }
        used += size;
        rows += 1;
    }
    *left -= used;
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: MEM-28
    fn the_budget_is_kept_and_doctrine_is_not_crowded_out() {
        let check = |project: &[usize], medulla: &[usize], budget, expected: (usize, usize)| {
            let got = fit(project, medulla, budget);
            assert_eq!((got.project, got.medulla), expected, "{project:?} {medulla:?} {budget}");
        };
        check(&[10, 10, 10], &[], 25, (2, 0));
        check(&[10; 10], &[10; 10], 100, (7, 3));
        check(&[10; 10], &[5], 100, (9, 1));
        check(&[10], &[10; 10], 100, (1, 9));
        check(&[], &[], 100, (0, 0));
    }

    #[test] // spec: MEM-23
    fn a_beat_over_a_store_that_is_not_empty_is_not_empty() {
        assert_eq!(fit(&[500], &[500], 10), Fit { project: 1, medulla: 0 });
        assert_eq!(fit(&[], &[500], 10), Fit { project: 0, medulla: 1 });
    }
}
