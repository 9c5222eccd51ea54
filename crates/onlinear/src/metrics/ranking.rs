//! What the order of scores tells of two classes. The rows are sorted by score, the highest first, and say of each
//! whether it is of the positive class; rows of equal scores come at once.

/// The rows of each score: how many are positive, and how many are not.
fn groups(rows: &[(f64, bool)]) -> impl Iterator<Item = (u64, u64)> {
    rows.chunk_by(|a, b| a.0 == b.0).map(|group| {
        let positive = group.iter().filter(|(_, is_positive)| *is_positive).count() as u64;
        (positive, group.len() as u64 - positive)
    })
}

/// The share of pairs of a positive and another row in which the positive one has the higher score; equal ones count
/// by halves. `None` where there is no pair.
pub(super) fn area_under_curve(rows: &[(f64, bool)]) -> Option<f64> {
    // Twice the pairs in order, so that halves are whole.
    let (mut above, mut others, mut in_order) = (0u64, 0u64, 0u128);
    for (positive, other) in groups(rows) {
        in_order += u128::from(2 * above + positive) * u128::from(other);
        above += positive;
        others += other;
    }
    let pairs = 2 * u128::from(above) * u128::from(others);
    (pairs > 0).then(|| in_order as f64 / pairs as f64)
}

/// Precision at each score, weighted by the recall gained there. `None` where one of the classes has no rows.
pub(super) fn average_precision(rows: &[(f64, bool)]) -> Option<f64> {
    let (mut found, mut seen, mut sum) = (0u64, 0u64, 0.0);
    for (positive, other) in groups(rows) {
        found += positive;
        seen += positive + other;
        sum += positive as f64 * (found as f64 / seen as f64);
    }
    (found > 0 && found < seen).then(|| sum / found as f64)
}
