//! x^p for x ≥ 0, the same to the bit on every machine.
//!
//! Where 8p is a small whole number, as it is for the norms that are asked for (p = 3, 4, 8 and their inverses), by
//! multiplications and square roots, which are exact to the last bit everywhere and several times faster; else by
//! `libm`.

/// 8p up to which x^p is multiplied out: its error is then below 16 units of rounding.
const MOST_EIGHTHS: f64 = 8.0 * 16.0;

/// The function x^p of x ≥ 0, for a p ≥ 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Power {
    p: f64,
    /// 8p where x^p is multiplied out.
    eighths: Option<u32>,
}

impl Power {
    /// x^p.
    pub(crate) fn new(p: f64) -> Power {
        let eighths = 8.0 * p;
        let is_multiplied = eighths <= MOST_EIGHTHS && eighths.fract() == 0.0;
        Power { p, eighths: is_multiplied.then_some(eighths as u32) }
    }

    /// x^p at this x.
    #[inline]
    pub(crate) fn of(self, x: f64) -> f64 {
        match self.eighths {
            Some(8) => x,
            Some(16) => x * x,
            Some(24) => x * (x * x),
            Some(32) => (x * x) * (x * x),
            Some(eighths) => multiplied_out(x, eighths),
            None => libm::pow(x, self.p),
        }
    }
}

/// x^p for x ≥ 0 and p ≥ 0.
pub(crate) fn power(x: f64, p: f64) -> f64 {
    Power::new(p).of(x)
}

/// x^{left/8}, as the digits of `left` say.
fn multiplied_out(x: f64, mut left: u32) -> f64 {
    let (mut product, mut factor) = (1.0, x);
    while left & 7 != 0 {
        factor = factor.sqrt();
        product *= if left & 4 != 0 { factor } else { 1.0 };
        left = (left & !7) | ((left << 1) & 7); // the eighths that are left, as quarters, then halves
    }
    (left, factor) = (left >> 3, x);
    while left != 0 {
        product *= if left & 1 != 0 { factor } else { 1.0 };
        factor *= factor;
        left >>= 1;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_standard_library() {
        for p in
            [0.125, 0.25, 0.375, 0.5, 0.875, 1.0, 1.5, 2.0, 3.0, 3.125, 7.0, 15.0, 16.0, 16.5, 0.3, 1.0 / 3.0, 199.0]
        {
            for x in [1e-200, 1e-9, 0.1, 0.5, 0.999, 1.0, 1.1, 7.0, 1e9, 1e18] {
                let (found, expected) = (power(x, p), x.powf(p));
                let is_near = found == expected || (found - expected).abs() <= 4e-15 * expected;
                assert!(is_near, "{x}^{p}: {found} {expected}");
            }
            assert_eq!((power(0.0, p), power(1.0, p)), (0.0, 1.0));
        }
    }
}
