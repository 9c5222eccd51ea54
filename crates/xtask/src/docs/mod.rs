//! The documentation: pages whose links lead somewhere, and the site that is made of them.

mod book;
mod links;

use anyhow::Result;

pub use book::build;
pub use links::{anchor, links};

/// Fails where a page of the repository or of the site is broken; builds the site where that can be.
pub fn check() -> Result<()> {
    println!("== pages");
    let root = crate::root().canonicalize()?;
    links::check(&root, &root, &links::files(&root)?)?;
    links::addresses(&root)?;
    let site = book::gather(None)?;
    if book::can_build() {
        book::make(&site)
    } else {
        println!("the site is not built: mdBook is not installed ({})", book::INSTALL);
        Ok(())
    }
}
