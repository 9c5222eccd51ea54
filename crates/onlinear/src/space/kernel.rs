//! Kernels K(x, z) as functions of x·z, ‖x‖² and ‖z‖².

use super::exp::exp_of_negative;

/// A kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    /// Which function of x·z it is.
    pub shape: Shape,
    /// Whether it is divided by √(K(x,x) K(z,z)).
    pub cosine: bool,
}

/// The function behind a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// x·z
    Linear,
    /// (x·z + offset)^degree
    Polynomial {
        /// A whole number ≥ 1.
        degree: u32,
        /// A number ≥ 0.
        offset: f64,
    },
    /// exp(−γ ‖x − z‖²)
    Gaussian {
        /// γ = 1/(2σ²)
        gamma: f64,
    },
}

impl Kernel {
    /// Whether the kernel is x·z itself, so that a weight vector will do.
    pub fn is_linear(&self) -> bool {
        self.shape == Shape::Linear && !self.cosine
    }

    /// What a row of this squared norm brings.
    pub(crate) fn traits_of(&self, square: f64) -> Traits {
        let mut value = [square];
        let plain = Kernel { cosine: false, ..*self };
        plain.finish(&mut value, &[square], &[0.0], Traits { square, length: 0.0 });
        Traits { square, length: value[0].sqrt() }
    }

    /// K(x,x), from ‖x‖².
    pub fn with_itself(&self, square: f64) -> f64 {
        let row = self.traits_of(square);
        let mut value = [square];
        self.finish(&mut value, &[square], &[row.length], row);
        value[0]
    }

    /// By how much K(x, z) may be off for rows of this squared norm, if products of rows are off by one unit of
    /// rounding: a power multiplies that, and so does a width that is small beside the rows.
    pub(crate) fn rounding(&self, square: f64) -> f64 {
        let units = match self.shape {
            Shape::Linear => 1.0,
            Shape::Polynomial { degree, .. } => 2.0 * f64::from(degree),
            Shape::Gaussian { gamma } => 1.0 + 4.0 * gamma * square,
        };
        (units * f64::EPSILON).min(1.0) * self.with_itself(square) // no value is larger than K(x,x)
    }
}

/// A kernel before any division, in plain arithmetic: for what is to compute it elsewhere.
pub(crate) enum KernelFormula {
    /// x·z
    Product,
    /// ‖x‖² + ‖z‖² − 2 x·z, or 0 where rounding makes that less.
    Distance,
    Number(f64),
    Sum(Box<[KernelFormula; 2]>),
    Times(Box<[KernelFormula; 2]>),
    Power(Box<KernelFormula>, u32),
    Exp(Box<KernelFormula>),
}

impl KernelFormula {
    /// Whether it needs ‖x‖² and ‖z‖² besides x·z.
    pub(crate) fn has_distance(&self) -> bool {
        match self {
            KernelFormula::Product | KernelFormula::Number(_) => false,
            KernelFormula::Distance => true,
            KernelFormula::Sum(terms) | KernelFormula::Times(terms) => terms.iter().any(KernelFormula::has_distance),
            KernelFormula::Power(inner, _) | KernelFormula::Exp(inner) => inner.has_distance(),
        }
    }
}

impl Shape {
    /// It in plain arithmetic.
    pub(crate) fn formula(&self) -> KernelFormula {
        use KernelFormula::{Distance, Exp, Number, Power, Product, Sum, Times};
        match *self {
            Shape::Linear => Product,
            Shape::Polynomial { degree, offset } => Power(Box::new(Sum(Box::new([Product, Number(offset)]))), degree),
            Shape::Gaussian { gamma } => Exp(Box::new(Times(Box::new([Number(-gamma), Distance])))),
        }
    }
}

/// What a row brings to a kernel besides its products with others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Traits {
    /// ‖x‖², summed in the order of features.
    pub(crate) square: f64,
    /// √K(x,x) of the kernel before any division.
    pub(crate) length: f64,
}

impl Kernel {
    /// Turns N products x·z into N kernel values; `squares` and `lengths` are those of the N rows.
    #[inline(always)]
    pub(crate) fn finish<const N: usize>(
        &self,
        products: &mut [f64; N],
        squares: &[f64; N],
        lengths: &[f64; N],
        z: Traits,
    ) {
        // Each shape has a loop of its own, so that the compiler can do several lanes at once.
        match self.shape {
            Shape::Linear => {}
            Shape::Polynomial { degree, offset } => {
                for product in products.iter_mut() {
                    *product += offset;
                }
                let mut base = *products;
                let mut exponent = degree;
                *products = [1.0; N];
                loop {
                    if exponent & 1 == 1 {
                        for lane in 0..N {
                            products[lane] *= base[lane];
                        }
                    }
                    exponent >>= 1;
                    if exponent == 0 {
                        break;
                    }
                    for b in base.iter_mut() {
                        *b *= *b;
                    }
                }
            }
            Shape::Gaussian { gamma } => {
                for lane in 0..N {
                    let distance = (squares[lane] + z.square) - 2.0 * products[lane];
                    let distance = if distance < 0.0 { 0.0 } else { distance }; // keeps a NaN
                    products[lane] = exp_of_negative(-gamma * distance);
                }
            }
        }
        if self.cosine {
            for lane in 0..N {
                let length = lengths[lane] * z.length;
                products[lane] = if length == 0.0 { 0.0 } else { products[lane] / length }; // keeps a NaN
            }
        }
    }
}
