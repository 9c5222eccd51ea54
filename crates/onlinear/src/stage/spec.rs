//! A stage as it is written: `name:key=value,…`.

use std::fmt;
use std::str::FromStr;

use super::{STAGES, StageKind};
use crate::error::{Error, Result};
use crate::spec::{Settings, did_you_mean, find_parameter};

/// A stage with its settings: `bias:value=1`. Prints in canonical form.
///
/// ```
/// use onlinear::StageSpec;
/// assert_eq!("bias".parse::<StageSpec>()?.to_string(), "bias:value=1");
/// # Ok::<(), onlinear::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct StageSpec {
    pub(super) kind: &'static StageKind,
    pub(super) settings: Settings,
}

impl PartialEq for StageSpec {
    fn eq(&self, other: &StageSpec) -> bool {
        self.settings == other.settings
    }
}

impl StageSpec {
    /// What kind of stage it is.
    pub fn kind(&self) -> &'static StageKind {
        self.kind
    }

    /// The stage `text` with other values for some keys; keys that it has are replaced.
    ///
    /// ```
    /// use onlinear::StageSpec;
    /// let stage = StageSpec::varied("nystrom:kernel=gaussian,gamma=2", &[("sigma2", "3"), ("landmarks", "20")])?;
    /// assert_eq!(stage, "nystrom:landmarks=20,kernel=gaussian,sigma2=3".parse()?);
    /// # Ok::<(), onlinear::Error>(())
    /// ```
    pub fn varied(text: &str, changes: &[(&str, &str)]) -> Result<StageSpec> {
        let stage: StageSpec = text.parse()?;
        let place = |key: &str| find_parameter(stage.kind.parameters, key).map(|(place, _)| place);
        let changed: Vec<_> = changes.iter().map(|(key, _)| place(key)).collect();
        let settings = Settings::split(text).1.into_iter().flat_map(|text| text.split(',')).map(str::to_string);
        let kept = settings.filter(|setting| !changed.contains(&place(setting.split('=').next().unwrap_or(setting))));
        let all: Vec<String> = kept.chain(changes.iter().map(|(key, value)| format!("{key}={value}"))).collect();
        format!("{}:{}", stage.kind.name, all.join(",")).trim_end_matches(':').parse()
    }

    /// Its parameters.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

impl fmt::Display for StageSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

impl FromStr for StageSpec {
    type Err = Error;

    fn from_str(text: &str) -> Result<StageSpec> {
        let (name, settings) = Settings::split(text);
        let kind = STAGES.iter().copied().find(|kind| kind.name == name).ok_or_else(|| {
            let names: Vec<&str> = STAGES.iter().map(|kind| kind.name).collect();
            let known = names.join(", ");
            Error::usage(format!("no stage is called '{name}'; there are {known}{}", did_you_mean(name, &names)))
        })?;
        let settings = Settings::read(kind.name, kind.parameters, settings)?;
        match (kind.new)(&settings) {
            Ok(_) => Ok(StageSpec { kind, settings }),
            Err(reason) => Err(settings.refused(reason)),
        }
    }
}
