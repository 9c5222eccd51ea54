//! The eigenvalues' part in the bounds.

use crate::bound::{ChargedTrials, Evidence, for_each_column};
use crate::space::{Cholesky, Eigen, Kernel, Row, Rows, Shape, SupportSet, Symmetric};

/// Larger matrices take too long.
const MOST: usize = 8000;
/// Larger matrices take too long where they are decomposed again and again.
const MOST_DECOMPOSED: usize = 150;

/// Σ ln(1 + λᵢ/a) over the eigenvalues of Σ x xᵀ over the trials, a being `ridge`.
pub(super) fn log_volume(evidence: &Evidence<'_>, ridge: f64) -> Result<f64, String> {
    let &Evidence { trials, kernel, .. } = evidence;
    let (rows, features) = (trials.rows().len(), trials.rows().dimension());
    let matrix = match kernel {
        None if features <= rows => correlations(trials, features)?,
        _ => scaled_gram(trials.rows(), trials.counts(), kernel, MOST)?,
    };
    let volume = Cholesky::of(&matrix, ridge).log_determinant() - matrix.order() as f64 * libm::log(ridge);
    if volume.is_finite() { Ok(volume.max(0.0)) } else { Err("the eigenvalues are lost in rounding".to_string()) }
}

/// The rank of Σ x xᵀ over the charged trials, and the least positive eigenvalue that it had after any of
/// them: only a row out of the span of those before it can bring a smaller one.
pub(super) fn rank_and_least(evidence: &Evidence<'_>) -> Result<(f64, f64), String> {
    let &Evidence { trials, kernel, .. } = evidence;
    let coordinates;
    let rows = match kernel {
        None if trials.rows().dimension() <= MOST_DECOMPOSED => trials.rows(),
        _ => {
            coordinates = coordinates_of(trials, kernel)?;
            &coordinates
        }
    };
    let n = rows.dimension();
    let (mut matrix, mut basis): (Symmetric, Vec<Vec<f64>>) = (Symmetric::default(), Vec::new());
    matrix.grow(n, 0.0);
    let mut least = f64::INFINITY;
    for &place in trials.sequence() {
        let x = rows.row(place as usize);
        matrix.add_row(x);
        if basis.len() < n && extends(&mut basis, x, n) {
            let mut values = Eigen::of(&matrix).values;
            values.sort_by(|a, b| b.total_cmp(a));
            let last = values[basis.len() - 1];
            if last <= 10.0 * n as f64 * f64::EPSILON * values[0] {
                return Err("the least eigenvalue is lost in rounding".to_string());
            }
            least = least.min(last);
        }
    }
    Ok((basis.len() as f64, least))
}

fn too_many(order: usize, most: usize) -> Result<(), String> {
    if order <= most {
        return Ok(());
    }
    Err(format!("the eigenvalues of a matrix of order {order} are beyond what is computed here (order {most})"))
}

/// Σ x xᵀ over the charged trials.
fn correlations(trials: &ChargedTrials, features: usize) -> Result<Symmetric, String> {
    too_many(features, MOST)?;
    let mut matrix = Symmetric::default();
    matrix.grow(features, 0.0);
    for &place in trials.sequence() {
        matrix.add_row(trials.rows().row(place as usize));
    }
    Ok(matrix)
}

/// √(cᵢcⱼ) K(xᵢ, xⱼ), whose eigenvalues other than 0 are those of the trials, a row counted c times.
fn scaled_gram(rows: &Rows, counts: &[f64], kernel: Option<Kernel>, most: usize) -> Result<Symmetric, String> {
    too_many(rows.len(), most)?;
    let mut set = SupportSet::new(kernel.unwrap_or(Kernel { shape: Shape::Linear, cosine: false }));
    (0..rows.len()).for_each(|i| set.push(rows.row(i), None));
    let roots: Vec<f64> = counts.iter().map(|count| count.sqrt()).collect();
    let columns = for_each_column(&set, rows, |i, column| {
        column.take(i + 1).zip(&roots).map(|(k, root)| k * root * roots[i]).collect::<Vec<f64>>()
    });
    let mut matrix = Symmetric::default();
    columns.iter().enumerate().for_each(|(i, column)| matrix.push(&column[..i], column[i]));
    Ok(matrix)
}

/// Coordinates of the rows in which K(x,z) is an inner product.
fn coordinates_of(trials: &ChargedTrials, kernel: Option<Kernel>) -> Result<Rows, String> {
    let gram = scaled_gram(trials.rows(), &vec![1.0; trials.rows().len()], kernel, MOST_DECOMPOSED)?;
    let eigen = Eigen::of(&gram);
    let mut rows = Rows::default();
    for i in 0..gram.order() {
        let x: Vec<f64> = (0..gram.order()).map(|k| eigen.values[k].max(0.0).sqrt() * eigen.vector(k)[i]).collect();
        rows.push_row(Row::Dense(&x));
    }
    Ok(rows)
}

/// Whether x lies out of the span of the orthonormal basis, which then grows by it.
fn extends(basis: &mut Vec<Vec<f64>>, x: Row<'_>, n: usize) -> bool {
    let mut rest = vec![0.0; n];
    x.add_to(&mut rest, 1.0);
    for _ in 0..2 {
        for q in basis.iter() {
            let along = Row::Dense(&rest).dot(q);
            Row::Dense(q).add_to(&mut rest, -along);
        }
    }
    let length = Row::Dense(&rest).norm(2.0);
    if length <= 1e-8 * x.norm(2.0) {
        return false;
    }
    rest.iter_mut().for_each(|v| *v /= length);
    basis.push(rest);
    true
}
