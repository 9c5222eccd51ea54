//! A model to a file and back: canonical when written, tolerant when read.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use super::Model;
use super::file::{FileContents, FileFailure, read_pipe};
use super::metadata;
use super::object::Object;
use crate::data::Replacement;
use crate::error::{Error, Result};
use crate::state::{State, refusal};

impl Model {
    /// The version of the files that are written, and the newest that is read.
    pub const FILE_VERSION: u32 = metadata::VERSION;

    /// Writes the model to `path`: to a temporary file first, which then takes its place, so that
    /// the old file stays whole whatever happens on the way.
    pub fn save(&mut self, path: &Path) -> Result<()> {
        let bytes = self.to_bytes().map_err(|error| about_file(error, path))?;
        let write = || {
            let mut file = Replacement::of(path)?;
            file.write_all(&bytes)?;
            file.complete()
        };
        write().map_err(|error| Error::io(path.display(), error))
    }

    /// Reads a model and verifies it.
    pub fn load(path: &Path) -> Result<Model> {
        let name = path.display().to_string();
        let about = std::fs::metadata(path).map_err(|error| Error::io(&name, error))?;
        if about.is_dir() {
            return Err(Error::data(&name, "is a directory; expected a model file"));
        }
        let mut file = File::open(path).map_err(|error| Error::io(&name, error))?;
        let about = file.metadata().map_err(|error| Error::io(&name, error))?;
        let read = match about.is_file() {
            true => decoded(&mut file, about.len()),
            // How much will come of a pipe is known at its end.
            false => read_pipe(&mut file)
                .map_err(FileFailure::Io)
                .and_then(|bytes| decoded(&mut &bytes[..], bytes.len() as u64)),
        };
        read.map_err(|failure| match failure {
            FileFailure::Io(error) => Error::io(&name, error),
            FileFailure::Refused(error) => about_file(printable(error), path),
        })
    }

    /// The model file as bytes: the same model gives the same. They have been read back and verified, so that none
    /// are ever written that could not be.
    pub fn to_bytes(&mut self) -> Result<Vec<u8>> {
        let bytes = self.contents()?.encode();
        match Model::from_bytes(&bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(refusal(format!("{}; nothing was saved", reason(error)))),
        }
    }

    /// What the model file holds.
    fn contents(&mut self) -> Result<FileContents> {
        let mut state = State::saving();
        self.learner.state(&mut state)?;
        self.stages.state(self.features, &mut state)?;
        if let Some(names) = self.vocabulary.names() {
            let mut ends: Vec<u64> = Vec::with_capacity(names.len());
            let mut bytes = Vec::new();
            for name in names {
                bytes.extend_from_slice(name);
                ends.push(bytes.len() as u64);
            }
            state.u64s("features.ends", &mut ends)?;
            state.u8s("features.names", &mut bytes)?;
        }
        let mut contents = FileContents::new(metadata::write(self), state.into_tensors());
        contents.metadata.insert("checksum".to_string(), contents.checksum());
        Ok(contents)
    }

    /// Reads a model file, whatever program laid it out, and verifies all of it. A file of an older program may lack
    /// what has a default since.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
        decoded(&mut &bytes[..], bytes.len() as u64).map_err(|failure| match failure {
            FileFailure::Io(error) => refusal(error.to_string()),
            FileFailure::Refused(error) => printable(error),
        })
    }
}

/// The model in a file of so many bytes.
fn decoded(source: &mut impl Read, length: u64) -> std::result::Result<Model, FileFailure> {
    let contents = FileContents::read(source, length)?;
    model_of(contents).map_err(FileFailure::Refused)
}

fn model_of(contents: FileContents) -> Result<Model> {
    let mut metadata = Object::of_metadata(contents.metadata.clone());
    let (version, checksum) = metadata::read_signature(&mut metadata)?;
    if checksum != contents.checksum() {
        return Err(refusal("the checksum does not match: the file was damaged or edited"));
    }
    if let Some(name) = contents.not_finite() {
        return Err(refusal(format!("tensor '{name}' holds a number that is not finite")));
    }
    let mut state = State::loading(contents.tensors);
    let mut model = metadata::read(metadata, version, &mut state)?;
    let most = model.stages.features_after(model.features);
    state.limit_features(most);
    model.learner.state(&mut state)?;
    if let Some(name) = state.into_tensors().keys().next() {
        return Err(refusal(format!("tensor '{name}' does not belong to {}", model.spec.algorithm().name)));
    }
    if model.learner.leaves().any(|leaves| leaves.weights().is_some_and(|weights| weights.len() > most)) {
        return Err(refusal("it has more weights than features"));
    }
    Ok(model)
}

/// The refusal without anything that would move a terminal's cursor: it may quote the file.
fn printable(error: Error) -> Error {
    match error {
        Error::Model { file, reason } => {
            let plain = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
            Error::Model { file, reason: reason.chars().map(plain).collect() }
        }
        other => other,
    }
}

/// The refusal with the file it is about.
fn about_file(error: Error, path: &Path) -> Error {
    Error::Model { file: path.display().to_string(), reason: reason(error) }
}

/// Why a model is refused.
fn reason(error: Error) -> String {
    match error {
        Error::Model { reason, .. } => reason,
        other => other.to_string(),
    }
}
