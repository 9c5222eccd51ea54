//! The parameters that every learner with a kernel has.

use crate::algorithm::{Kind, Parameter, Range, Value, half_inverse};
use crate::space::{Kernel, Shape};
use crate::spec::Spec;

pub(crate) const KERNEL: Parameter = Parameter {
    name: "kernel",
    aliases: &[],
    kind: Kind::Choice(&["linear", "polynomial", "gaussian"]),
    default: Value::Choice("linear"),
    help: "x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2))",
};

pub(crate) const DEGREE: Parameter = Parameter {
    name: "degree",
    aliases: &[],
    kind: Kind::Integer { low: 1, high: 1000 },
    default: Value::Number(2.0),
    help: "of the polynomial kernel",
};

pub(crate) const OFFSET: Parameter = Parameter {
    name: "offset",
    aliases: &["coef0"],
    kind: Kind::Number(Range { low: (0.0, true), high: (f64::INFINITY, false) }),
    default: Value::Number(1.0),
    help: "of the polynomial kernel",
};

pub(crate) const SIGMA2: Parameter = Parameter {
    name: "sigma2",
    aliases: &["gamma"],
    kind: Kind::Width,
    default: Value::Number(1.0),
    help: "of the Gaussian kernel; or gamma = 1/(2 sigma2)",
};

pub(crate) const COSINE: Parameter = Parameter {
    name: "cosine",
    aliases: &[],
    kind: Kind::Flag,
    default: Value::Flag(false),
    help: "divide the kernel by √(K(x,x) K(z,z))",
};

/// The kernel that a spec asks for.
pub(crate) fn kernel(spec: &Spec) -> Kernel {
    let shape = match spec.choice("kernel") {
        "polynomial" => Shape::Polynomial { degree: spec.whole("degree") as u32, offset: spec.number("offset") },
        "gaussian" => Shape::Gaussian { gamma: half_inverse(spec.number("sigma2")) },
        _ => Shape::Linear,
    };
    Kernel { shape, cosine: spec.flag("cosine") }
}
