//! Eigenvalues and eigenvectors of a symmetric matrix.
//!
//! Householder reflections make the matrix tridiagonal, A = Q T Qᵀ; the implicit QL iteration makes T
//! diagonal (EISPACK's tred2 and tql2, after Wilkinson and Reinsch). O(n³), two full n × n matrices of
//! work memory, the same bits on every machine.

use super::{Symmetric, vector};

/// A = Σ λₖ vₖ vₖᵀ.
#[derive(Clone, Debug)]
pub(crate) struct Eigen {
    /// λₖ, in no particular order.
    pub values: Vec<f64>,
    /// v₀, v₁, … one after another, each of length 1.
    vectors: Vec<f64>,
}

/// One eigenvalue takes two or three steps; more than this many mean numbers that are not finite.
const MOST_STEPS: usize = 100;

impl Eigen {
    /// The decomposition of a matrix of finite numbers.
    pub(crate) fn of(matrix: &Symmetric) -> Eigen {
        let n = matrix.order();
        // A power of two by which squares neither overflow nor underflow.
        let largest = (0..n).flat_map(|i| (0..=i).map(move |j| matrix.get(i, j).abs())).fold(0.0, f64::max);
        let unit = if largest > 0.0 { 2f64.powi(libm::ilogb(largest).clamp(-1000, 1000)) } else { 1.0 };
        let mut a: Vec<f64> = (0..n * n).map(|place| matrix.get(place / n, place % n) / unit).collect();
        let (mut values, mut beside) = (vec![0.0; n], vec![0.0; n]);
        let reflections = make_tridiagonal(&mut a, n, &mut values, &mut beside);
        let mut vectors = transposed_product(&a, n, &reflections);
        make_diagonal(&mut values, &mut beside, &mut vectors);
        values.iter_mut().for_each(|value| *value *= unit);
        Eigen { values, vectors }
    }

    /// vₖ.
    pub(crate) fn vector(&self, k: usize) -> &[f64] {
        let n = self.values.len();
        &self.vectors[k * n..(k + 1) * n]
    }

    /// Σ f(λₖ) vₖ vₖᵀ.
    pub(crate) fn map(&self, f: impl Fn(f64) -> f64) -> Symmetric {
        let mut matrix = Symmetric::default();
        matrix.grow(self.values.len(), 0.0);
        for (k, &value) in self.values.iter().enumerate() {
            let image = f(value);
            if image != 0.0 {
                matrix.add(image, self.vector(k));
            }
        }
        matrix
    }
}

/// Reflects A from both sides until only its diagonal and what stands beside it are left. The vector v
/// of reflection k, I − β v vᵀ, is left in row k from place k+1 on; gives the β.
fn make_tridiagonal(a: &mut [f64], n: usize, diagonal: &mut [f64], beside: &mut [f64]) -> Vec<f64> {
    let mut betas = vec![0.0; n];
    let (mut v, mut p) = (vec![0.0; n], vec![0.0; n]);
    for k in 0..n {
        diagonal[k] = a[k * n + k];
        let first = k + 1;
        if first >= n {
            break;
        }
        v[first..].copy_from_slice(&a[k * n + first..(k + 1) * n]);
        let rest = vector::dot(&v[first + 1..], &v[first + 1..]);
        if rest == 0.0 {
            beside[k] = v[first]; // nothing to reflect
            continue;
        }
        let length = (v[first] * v[first] + rest).sqrt();
        beside[k] = -length.copysign(v[first]);
        v[first] -= beside[k]; // both of one sign: nothing cancels
        let beta = 2.0 / (v[first] * v[first] + rest);
        betas[k] = beta;
        a[k * n + first..(k + 1) * n].copy_from_slice(&v[first..]);
        // A ← A − v wᵀ − w vᵀ with p = β A v and w = p − ½ β (p·v) v, written over p.
        for i in first..n {
            p[i] = beta * vector::dot(&a[i * n + first..(i + 1) * n], &v[first..]);
        }
        let half = 0.5 * beta * vector::dot(&p[first..], &v[first..]);
        vector::add(&mut p[first..], -half, &v[first..]);
        for i in first..n {
            let row = &mut a[i * n + first..(i + 1) * n];
            vector::add(row, -v[i], &p[first..]);
            vector::add(row, -p[i], &v[first..]);
        }
    }
    betas
}

/// Qᵀ, row after row, where Q is the product of the reflections.
fn transposed_product(a: &[f64], n: usize, betas: &[f64]) -> Vec<f64> {
    let mut q = vec![0.0; n * n];
    (0..n).for_each(|i| q[i * n + i] = 1.0);
    let mut s = vec![0.0; n];
    // Q = H₀ H₁ …, from the last on: what H_k meets is still the identity in all rows and columns up to k.
    for k in (0..n).rev().filter(|&k| betas[k] != 0.0) {
        let first = k + 1;
        let v = &a[k * n + first..(k + 1) * n];
        s[first..].fill(0.0);
        for (i, v_i) in (first..n).zip(v) {
            vector::add(&mut s[first..], betas[k] * v_i, &q[i * n + first..(i + 1) * n]);
        }
        for (i, v_i) in (first..n).zip(v) {
            vector::add(&mut q[i * n + first..(i + 1) * n], -v_i, &s[first..]);
        }
    }
    for i in 0..n {
        for j in 0..i {
            q.swap(i * n + j, j * n + i);
        }
    }
    q
}

/// The implicit QL iteration; every rotation is applied to two rows of `vectors` as well.
fn make_diagonal(d: &mut [f64], e: &mut [f64], vectors: &mut [f64]) {
    let n = d.len();
    let (mut shift, mut largest) = (0.0, 0.0f64);
    for l in 0..n {
        largest = largest.max(d[l].abs() + e[l].abs());
        let small = f64::EPSILON * largest;
        let end = (l..n - 1).find(|&m| e[m].abs() <= small).unwrap_or(n - 1);
        for _ in 0..MOST_STEPS {
            if end == l || e[l].abs() <= small {
                break;
            }
            let g = d[l];
            let p = (d[l + 1] - g) / (2.0 * e[l]);
            let r = length(p, 1.0).copysign(p);
            d[l] = e[l] / (p + r);
            d[l + 1] = e[l] * (p + r);
            let (next, h) = (d[l + 1], g - d[l]);
            d[l + 2..].iter_mut().for_each(|d| *d -= h);
            shift += h;

            let beside_next = e[l + 1];
            let mut p = d[end];
            let (mut c, mut c2, mut c3, mut s, mut s2) = (1.0, 1.0, 1.0, 0.0, 0.0);
            for i in (l..end).rev() {
                (c3, c2, s2) = (c2, c, s);
                let (g, h) = (c * e[i], c * p);
                let r = length(p, e[i]);
                e[i + 1] = s * r;
                (s, c) = (e[i] / r, p / r);
                p = c * d[i] - s * g;
                d[i + 1] = h + s * (c * g + s * d[i]);
                rotate(&mut vectors[i * n..(i + 2) * n], s, c);
            }
            p = -s * s2 * c3 * beside_next * e[l] / next;
            e[l] = s * p;
            d[l] = c * p;
        }
        d[l] += shift;
        e[l] = 0.0;
    }
}

/// (a, b) ← (c a − s b, s a + c b) for two rows, one after the other.
fn rotate(rows: &mut [f64], s: f64, c: f64) {
    let (a, b) = rows.split_at_mut(rows.len() / 2);
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
    }
}

/// √(a² + b²) without overflow.
fn length(a: f64, b: f64) -> f64 {
    let (large, small) = (a.abs().max(b.abs()), a.abs().min(b.abs()));
    if large == 0.0 { 0.0 } else { large * (1.0 + (small / large) * (small / large)).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn matrix(n: usize, entry: impl Fn(usize, usize) -> f64) -> Symmetric {
        let mut matrix = Symmetric::default();
        for i in 0..n {
            let row: Vec<f64> = (0..i).map(|j| entry(i, j)).collect();
            matrix.push(&row, entry(i, i));
        }
        matrix
    }

    /// The vectors are of length 1 and at right angles, and make up the matrix again.
    fn check(a: &Symmetric, tolerance: f64) -> Vec<f64> {
        let (n, eigen) = (a.order(), Eigen::of(a));
        let again = eigen.map(|value| value);
        let size = eigen.values.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        for i in 0..n {
            for j in 0..=i {
                let product = vector::dot(eigen.vector(i), eigen.vector(j));
                let expected = f64::from(u8::from(i == j));
                assert!((product - expected).abs() < tolerance, "{n}: v{i}·v{j} = {product}");
                let difference = (again.get(i, j) - a.get(i, j)).abs();
                assert!(difference <= tolerance * size, "{n}: entry {i}, {j} is off by {difference}");
            }
        }
        let mut values = eigen.values;
        values.sort_by(f64::total_cmp);
        values
    }

    #[test]
    fn random_matrices_are_put_together_again() {
        let mut random = Random::new(1);
        for n in [1, 2, 3, 4, 10, 50, 150] {
            for unit in [1.0, 1e200, 1e-200] {
                let mut a = matrix(n, |_, _| 0.0);
                for _ in 0..n {
                    let u: Vec<f64> = (0..n).map(|_| unit * random.symmetric()).collect();
                    let v: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
                    a.add_pair(1.0, &u, &v);
                }
                check(&a, 1e-12);
            }
        }
        assert!(Eigen::of(&Symmetric::default()).values.is_empty());
    }

    #[test]
    fn known_spectra() {
        let near = |values: &[f64], expected: &[f64]| {
            let size = expected.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
            for (a, b) in values.iter().zip(expected) {
                assert!((a - b).abs() <= 1e-12 * size, "{a} instead of {b}");
            }
        };
        // Zeros, the identity, and a matrix that is diagonal already.
        near(&check(&matrix(5, |_, _| 0.0), 1e-15), &[0.0; 5]);
        near(&check(&matrix(6, |i, j| f64::from(u8::from(i == j))), 1e-15), &[1.0; 6]);
        near(&check(&matrix(4, |i, j| if i == j { i as f64 - 1.0 } else { 0.0 }), 1e-15), &[-1.0, 0.0, 1.0, 2.0]);
        // Rank one: all ones.
        let mut expected = vec![0.0; 20];
        expected[19] = 20.0;
        near(&check(&matrix(20, |_, _| 1.0), 1e-13), &expected);
        // The second difference: 2 − 2 cos(kπ/(n+1)).
        let n = 60;
        let chain = matrix(n, |i, j| if i == j { 2.0 } else { -f64::from(u8::from(i - j == 1)) });
        let expected: Vec<f64> =
            (1..=n).map(|k| 2.0 - 2.0 * (k as f64 * std::f64::consts::PI / (n as f64 + 1.0)).cos()).collect();
        near(&check(&chain, 1e-12), &expected);
        // Two by two: (3 ± √5)/2.
        let golden = matrix(2, |i, j| if i + j == 0 { 2.0 } else { 1.0 });
        near(&check(&golden, 1e-15), &[(3.0 - 5f64.sqrt()) / 2.0, (3.0 + 5f64.sqrt()) / 2.0]);
    }

    #[test]
    fn numbers_that_are_not_finite_come_to_an_end() {
        for bad in [f64::NAN, f64::INFINITY] {
            Eigen::of(&matrix(8, |i, j| if i + j == 5 { bad } else { 1.0 }));
        }
    }
}
