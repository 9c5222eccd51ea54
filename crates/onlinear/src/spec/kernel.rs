//! The parameters that every learner with a kernel has: the word `kernel` in a declaration.

use super::declaration::{Declaration, choice, flag, number, whole};
use super::parameter::{Kind, Parameter, Range, Value, half_inverse};
use super::settings::Settings;
use crate::space::{Kernel, Shape};

choice! {
    /// Which function of x·z the kernel is.
    enum KernelName { Linear = "linear", Polynomial = "polynomial" | "poly", Gaussian = "gaussian" | "rbf" }
}

const TABLE: [Parameter; 5] = [
    KernelName::parameter("kernel", KernelName::Linear, "x·z, (x·z + offset)^degree, or exp(−‖x − z‖²/(2 sigma2))")
        .parameter,
    whole("degree", 2, 1, 1000, "of the polynomial kernel").parameter,
    number("offset", 1.0, Range::NOT_NEGATIVE, "of the polynomial kernel").alias(&["coef0"]).parameter,
    WIDTH.parameter,
    flag("cosine", false, "divide the kernel by √(K(x,x) K(z,z))").parameter,
];

/// How wide a Gaussian kernel is.
pub(crate) const WIDTH: Declaration<f64> = Declaration {
    parameter: Parameter {
        name: "sigma2",
        aliases: &["gamma"],
        kind: Kind::Width,
        synonyms: &[],
        default: Value::Number(1.0),
        help: "of the Gaussian kernel; or gamma = 1/(2 sigma2); auto: half the median squared distance of first rows",
    },
    read: |settings, key| match settings.get(key) {
        Some(Value::Number(number)) => number,
        _ => 1.0, // until rows tell: see `Settings::settle_width`
    },
};

/// Parameter number `place` of a kernel.
pub(crate) const fn kernel(place: usize) -> Parameter {
    TABLE[place]
}

/// The kernel that settings ask for.
pub(crate) fn of(settings: &Settings) -> Kernel {
    let name = KernelName::parameter("kernel", KernelName::Linear, "");
    let shape = match (name.read)(settings, "kernel") {
        KernelName::Linear => Shape::Linear,
        KernelName::Polynomial => {
            Shape::Polynomial { degree: settings.whole("degree") as u32, offset: settings.number("offset") }
        }
        KernelName::Gaussian => Shape::Gaussian { gamma: half_inverse((WIDTH.read)(settings, "sigma2")) },
    };
    Kernel { shape, cosine: settings.flag("cosine") }
}

/// Whether a width of these settings matters: among kernels only the Gaussian one has any.
pub(crate) fn has_width(settings: &Settings) -> bool {
    settings.get("kernel").is_none_or(|kernel| kernel == Value::Choice(KernelName::Gaussian.word()))
}

/// The setting that makes this kernel another than x·z.
pub(crate) fn setting(kernel: Kernel) -> String {
    let name = match kernel.shape {
        Shape::Linear => return "cosine=true".to_string(),
        Shape::Polynomial { .. } => KernelName::Polynomial,
        Shape::Gaussian { .. } => KernelName::Gaussian,
    };
    format!("kernel={}", name.word())
}
