//! What the processor can do.

use std::sync::LazyLock;

/// The widest vectors to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vectors {
    /// Those that every processor of its kind has.
    Portable,
    /// 256 bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// 512 bits.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The widest vectors that this processor has. `ONLINEAR_VECTORS` in the environment, 0 or 256,
/// holds them down: for tests that all widths give the same bits.
pub(crate) fn vectors() -> Vectors {
    static FOUND: LazyLock<Vectors> = LazyLock::new(find);
    *FOUND
}

#[cfg(target_arch = "x86_64")]
fn find() -> Vectors {
    let most: u32 = std::env::var("ONLINEAR_VECTORS").ok().and_then(|text| text.parse().ok()).unwrap_or(512);
    let wide = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw");
    if most >= 512 && wide {
        Vectors::Avx512
    } else if most >= 256 && is_x86_feature_detected!("avx2") {
        Vectors::Avx2
    } else {
        Vectors::Portable
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn find() -> Vectors {
    Vectors::Portable
}
