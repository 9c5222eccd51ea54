//! A virtual environment of its own under `target`, in which the package is installed and tested.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{cargo, succeed, works};
use crate::target;

/// What the tests need beside the package: its optional dependencies, pytest, the linter and two type checkers.
const EXTRA: &str = "test";
/// What builds the package, as pyproject.toml asks for it.
const MATURIN: &str = "maturin>=1.9,<2";

/// The environment.
pub struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// The environment, made if it is not there; `None` where there is no Python 3.10 or newer.
    pub fn make() -> Result<Option<Environment>> {
        let Some(python) = interpreter() else { return Ok(None) };
        let environment = Environment { folder: target()?.join("python") };
        if !environment.program("python").exists() {
            succeed(Command::new(python).args(["-m", "venv"]).arg(&environment.folder))?;
        }
        Ok(Some(environment))
    }

    /// One of its programs.
    pub fn program(&self, name: &str) -> PathBuf {
        let (folder, ending) = if cfg!(windows) { ("Scripts", ".exe") } else { ("bin", "") };
        self.folder.join(folder).join(format!("{name}{ending}"))
    }

    /// Installs the package as users do, built with these options, and all that its tests need.
    pub fn install_package(&self, build: &[&str]) -> Result<()> {
        let spark = if works(Command::new("java").arg("-version")) { ",spark" } else { "" }; // of no use without Java
        self.install(&[&format!(".[{EXTRA}{spark}]")], build)?;
        // The version stays the same from change to change, so the package itself is always installed anew.
        self.install(&["--force-reinstall", "--no-deps", "."], build)
    }

    /// Installs what the package is measured beside and its tests do without, as far as it can be had for this machine.
    pub fn install_peers(&self) {
        for peer in ["scikit-learn", "river", "pandas", "polars", "vowpalwabbit", "fastapi", "uvicorn"] {
            if let Err(error) = self.install(&[peer], &[]) {
                eprintln!("without {peer}: {error:#}");
            }
        }
    }

    /// Installs what `pip install` understands.
    fn install(&self, arguments: &[&str], build: &[&str]) -> Result<()> {
        let mut pip = Command::new(self.program("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(arguments);
        succeed(pip.env("MATURIN_PEP517_ARGS", build.join(" ")).env("CARGO_TARGET_DIR", target()?))
    }

    /// Makes the package of sources that pip gets where there is no wheel, and compiles what is in it.
    fn source_package(&self) -> Result<()> {
        self.install(&[MATURIN], &[])?;
        let folder = target()?.join("sdist");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let mut maturin = Command::new(self.program("maturin"));
        succeed(maturin.args(["sdist", "--out"]).arg(&folder).env("VIRTUAL_ENV", &self.folder))?;
        let made = fs::read_dir(&folder)?.next().context("maturin made no package of sources")??;
        let archive = made.file_name().to_string_lossy().into_owned();
        let unpack = ["-m", "tarfile", "-e"].map(OsStr::new);
        self.run("python", unpack.into_iter().chain([made.path().as_os_str(), folder.as_os_str()]))?;
        let manifest = folder.join(archive.trim_end_matches(".tar.gz")).join("Cargo.toml");
        let mut check = cargo();
        check.args(["check", "--quiet", "--package", "onlinear-python", "--manifest-path"]).arg(manifest);
        succeed(check.env("CARGO_TARGET_DIR", target()?))
    }

    fn run<S: AsRef<OsStr>>(&self, program: &str, arguments: impl IntoIterator<Item = S>) -> Result<()> {
        let mut command = Command::new(self.program(program));
        succeed(command.args(arguments).env("ONLINEAR_PROGRAM", target()?.join("debug/onlinear")))
    }
}

/// A Python that is new enough and can make environments.
fn interpreter() -> Option<String> {
    let named = std::env::var("ONLINEAR_PYTHON").ok();
    let script = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    let fits = |python: &String| works(Command::new(python).args(["-c", script]));
    named.into_iter().chain(["python3", "python"].map(String::from)).find(fits)
}

/// Installs the package as users do and runs its tests; says so where that cannot be.
pub fn check() -> Result<()> {
    println!("== Python package");
    let Some(environment) = Environment::make()? else {
        println!("skipped: no Python 3.10 or newer was found (ONLINEAR_PYTHON can name one)");
        return Ok(());
    };
    succeed(cargo().args(["build", "--quiet", "-p", "onlinear-cli"]))?;
    environment.install_package(&["--profile", "dev"])?;
    environment.run("ruff", ["format", "--check", "--quiet", "python"])?;
    environment.run("ruff", ["check", "--quiet", "python"])?;
    environment.run("mypy", ["--no-error-summary"])?;
    let python = environment.program("python");
    environment.run("pyright", [OsStr::new("--level=error"), OsStr::new("--pythonpath"), python.as_os_str()])?;
    environment.run("python", ["-m", "pytest", "--quiet"])?;
    environment.source_package()
}

/// Builds a wheel of the package into `target/wheels`, for Linux from that of 2014 on with this processor.
///
/// zig, which pip installs, links against symbols of that age, for any processor.
pub fn wheel(processor: &str) -> Result<()> {
    let environment =
        Environment::make()?.context("a wheel needs Python 3.10 or newer (ONLINEAR_PYTHON can name one)")?;
    environment.install(&[MATURIN, "ziglang"], &[])?;
    let triple = format!("{processor}-unknown-linux-gnu");
    if works(Command::new("rustup").arg("--version")) {
        succeed(Command::new("rustup").args(["--quiet", "target", "add", &triple]))?;
    }
    let folder = target()?.join("wheels");
    let mut maturin = Command::new(environment.program("maturin"));
    maturin.args(["build", "--release", "--zig", "--compatibility", "manylinux2014", "--target", &triple, "--out"]);
    // maturin takes the environment's Python, and asks it for zig.
    maturin.env("VIRTUAL_ENV", &environment.folder).env("CARGO_ZIGBUILD_PYTHON_PATH", environment.program("python"));
    succeed(maturin.arg(&folder))?;
    println!("the wheel is in {}", folder.display());
    Ok(())
}
