//! How wide a Gaussian kernel should be for some rows.

use super::{Kernel, Rows, Shape, SupportSet};

/// Half the median of the squared distances of all pairs of rows, if that is a number above 0.
pub(crate) fn half_median_distance(rows: &Rows) -> Option<f64> {
    let mut set = SupportSet::new(Kernel { shape: Shape::Linear, cosine: false });
    let mut distances: Vec<f64> = Vec::with_capacity(rows.len() * rows.len().saturating_sub(1) / 2);
    let mut squares = Vec::with_capacity(rows.len());
    for x in (0..rows.len()).map(|i| rows.row(i)) {
        let square = set.with_itself(x);
        let distance = |(product, other): (f64, &f64)| square + other - 2.0 * product;
        set.column(x, |products| distances.extend(products.zip(&squares).map(distance)));
        set.push(x, None);
        squares.push(square);
    }
    let (middle, count) = (distances.len() / 2, distances.len());
    if count == 0 {
        return None;
    }
    let (below, upper, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
    let upper = *upper;
    let lower = if count % 2 == 1 { upper } else { below.iter().copied().fold(f64::NEG_INFINITY, f64::max) };
    let width = (lower + upper) / 4.0;
    (width > 0.0 && width.is_finite()).then_some(width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Row;

    fn of(rows: &[&[f64]]) -> Option<f64> {
        let mut all = Rows::default();
        rows.iter().for_each(|row| all.push_row(Row::Dense(row)));
        half_median_distance(&all)
    }

    #[test]
    fn it_is_half_the_median() {
        assert_eq!(of(&[&[0.0], &[1.0]]), Some(0.5));
        assert_eq!(of(&[&[0.0], &[1.0], &[3.0]]), Some(2.0)); // 1, 4, 9
        assert_eq!(of(&[&[0.0, 0.0], &[0.0, 1.0], &[2.0, 0.0], &[2.0, 1.0]]), Some(2.0)); // 1, 1, 4, 4, 5, 5
        assert_eq!([of(&[]), of(&[&[1.0]]), of(&[&[1.0], &[1.0]]), of(&[&[1e200], &[-1e200]])], [None; 4]);
    }
}
