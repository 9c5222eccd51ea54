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

/// A function that runs `$body`, compiled for each width of vectors. The code neither fuses nor
/// reorders, so all give the same bits.
macro_rules! for_all_vectors {
    ($(#[$doc:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? = $body:path) => {
        $(#[$doc])*
        fn $name($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),*) $(-> $result)? {
                $body($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
            fn avx512($($argument: $type),*) $(-> $result)? {
                $body($($argument),*)
            }
            // SAFETY: `vectors` has found that the processor has these.
            #[allow(unsafe_code)]
            match $crate::space::cpu::vectors() {
                $crate::space::cpu::Vectors::Portable => $body($($argument),*),
                #[cfg(target_arch = "x86_64")]
                $crate::space::cpu::Vectors::Avx2 => unsafe { avx2($($argument),*) },
                #[cfg(target_arch = "x86_64")]
                $crate::space::cpu::Vectors::Avx512 => unsafe { avx512($($argument),*) },
            }
        }
    };
}
pub(crate) use for_all_vectors;
