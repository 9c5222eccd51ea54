//! The settings that are tried: every combination of the values of some keys.

use onlinear::workshop::Value;
use onlinear::{Error, Spec, StageSpec};

use crate::rows::brought;

/// More combinations than this are a slip of the finger.
const MOST: usize = 100_000;

/// A key with the values to try.
#[derive(Debug)]
pub struct Grid {
    pub key: String,
    pub values: Vec<String>,
}

/// Widths and degrees of kernels that are worth trying.
const KERNELS: [(&str, &str); 2] = [("gaussian", "sigma2=0.1..1000*10"), ("polynomial", "degree=2,3,4")];

/// A combination: which value of each grid, and the learner it makes, with the stages that it brings along.
pub struct Setting {
    pub places: Vec<usize>,
    pub stages: Vec<StageSpec>,
    pub spec: Spec,
}

impl Setting {
    /// What can be typed for it.
    pub fn typed(&self) -> String {
        let stages: String = self.stages.iter().map(|stage| format!("{stage}/")).collect();
        stages + &self.spec.brief()
    }
}

impl Grid {
    /// Reads `key=v1,v2`, `key=low..high*factor` or `key=low..high+step`.
    pub fn parse(text: &str) -> onlinear::Result<Grid> {
        let refuse = |reason: String| Error::usage(format!("--grid {text}: {reason}"));
        let Some((key, values)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(refuse("expected key=v1,v2,… or key=low..high*factor or key=low..high+step".to_string()));
        };
        let values = match values.split_once("..") {
            Some((low, rest)) => range(low, rest).map_err(refuse)?,
            None => values.split(',').map(str::to_string).collect(),
        };
        if values.iter().any(String::is_empty) {
            return Err(refuse("a value is missing".to_string()));
        }
        match values.iter().enumerate().find(|(i, value)| values[..*i].contains(value)) {
            Some((_, twice)) => Err(refuse(format!("{twice} is there twice"))),
            None => Ok(Grid { key: key.to_string(), values }),
        }
    }

    /// What is worth trying of a learner where nobody says what: values that its declaration names, of settings that
    /// were not typed, and those of its kernel.
    pub fn of_learner(text: &str) -> onlinear::Result<Vec<Grid>> {
        let (_, learner) = brought(text);
        let spec: Spec = learner.parse()?;
        let typed: Vec<String> = learner
            .split_once(':')
            .map_or("", |(_, settings)| settings)
            .split(',')
            .filter_map(|setting| Some(spec.full_key(setting.split_once('=')?.0)))
            .collect();
        let kernel = KERNELS.iter().filter(|(name, _)| spec.get("kernel") == Some(Value::Choice(name)));
        let grids = spec.algorithm().grid.iter().copied().chain(kernel.map(|(_, grid)| *grid));
        let open = |grid: &&str| grid.split_once('=').is_some_and(|(key, _)| !typed.contains(&key.to_string()));
        grids.filter(open).map(Grid::parse).collect()
    }

    /// The values as numbers, if all are.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        self.values.iter().map(|value| value.parse().ok()).collect()
    }

    /// Whether the values belong on a logarithmic scale: each is about as many times the one before.
    pub fn is_geometric(&self) -> bool {
        let Some(numbers) = self.numbers().filter(|numbers| numbers.len() > 2 && numbers.iter().all(|&n| n > 0.0))
        else {
            return false;
        };
        let ratios: Vec<f64> = numbers.windows(2).map(|pair| pair[1] / pair[0]).collect();
        let (least, most) = ratios.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &ratio| (a.min(ratio), b.max(ratio)));
        least >= 1.5 && most <= 2.0 * least
    }
}

/// The values from `low` to `high`, of `rest` = `high*factor` or `high+step`.
fn range(low: &str, rest: &str) -> Result<Vec<String>, String> {
    let number =
        |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite()).ok_or(format!("'{text}' is not a number"));
    // A plus sign may also belong to an exponent.
    let is_operator = |(i, c): &(usize, char)| *c == '*' || *c == '+' && *i > 0 && !rest[..*i].ends_with(['e', 'E']);
    let Some((at, operator)) = rest.char_indices().find(is_operator) else {
        return Err("a range ends in *factor or +step, such as 1e-3..1e3*10 or 1..9+2".to_string());
    };
    let (low, high, step) = (number(low)?, number(&rest[..at])?, number(&rest[at + 1..])?);
    if high < low {
        return Err(format!("the range ends at {high} before it starts at {low}"));
    }
    let count = match operator {
        '*' if low <= 0.0 => return Err("a range with a factor starts above 0".to_string()),
        '*' if step <= 1.0 => return Err("the factor must be larger than 1".to_string()),
        '*' => (high / low).ln() / step.ln(),
        _ if step <= 0.0 => return Err("the step must be larger than 0".to_string()),
        _ => (high - low) / step,
    };
    if count >= MOST as f64 {
        return Err("the range has too many values".to_string());
    }
    let value = |i: usize| if operator == '*' { low * step.powi(i as i32) } else { low + step * i as f64 };
    // Twelve digits, so that 0.1 + 0.2 is 0.3; the last value may miss the end by as little.
    let rounded = |value: f64| format!("{value:.11e}").parse::<f64>().unwrap_or(value).to_string();
    Ok((0..=(count + 1e-9).floor() as usize).map(|i| rounded(value(i))).collect())
}

/// Every combination of the grids, the last key changing fastest; a wrong one is refused.
pub fn settings<'a>(text: &'a str, grids: &'a [Grid]) -> onlinear::Result<Vec<Setting>> {
    let (stages, learner) = brought(text);
    let spec: Spec = learner.parse()?;
    let names: Vec<String> = grids.iter().map(|grid| spec.full_key(&grid.key)).collect();
    if let Some((i, twice)) = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
        return Err(Error::usage(format!("--grid {}: there is another grid for {twice}", grids[i].key)));
    }
    let count = grids
        .iter()
        .try_fold(1usize, |count, grid| count.checked_mul(grid.values.len()).filter(|&count| count <= MOST));
    let count = count.ok_or(Error::usage(format!("the grids have more than {MOST} combinations")))?;
    let setting = |number: usize| {
        let (mut left, mut places) = (number, vec![0; grids.len()]);
        for (place, grid) in places.iter_mut().zip(grids).rev() {
            *place = left % grid.values.len();
            left /= grid.values.len();
        }
        let changes: Vec<(&str, &str)> =
            grids.iter().zip(&places).map(|(grid, &i)| (grid.key.as_str(), grid.values[i].as_str())).collect();
        // nystrom.landmarks reaches into the stage of that name.
        let mut varied = Vec::with_capacity(stages.len());
        let mut of_learner = changes.clone();
        for stage in &stages {
            let prefix = format!("{}.", stage.split(':').next().unwrap_or(stage));
            let own = |(key, value): &(&'a str, &'a str)| Some((key.strip_prefix(prefix.as_str())?, *value));
            let of_stage: Vec<(&str, &str)> = changes.iter().filter_map(own).collect();
            of_learner.retain(|change| own(change).is_none());
            varied.push(StageSpec::varied(stage, &of_stage)?);
        }
        Ok(Setting { spec: Spec::varied(learner, &of_learner)?, stages: varied, places })
    };
    (0..count).map(setting).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> String {
        Grid::parse(text).map_or_else(|error| error.to_string(), |grid| grid.values.join(" "))
    }

    #[test]
    fn every_learner_has_a_grid_that_can_be_tried() {
        for algorithm in onlinear::ALGORITHMS {
            let grids = Grid::of_learner(algorithm.name).expect(algorithm.name);
            assert!(settings(algorithm.name, &grids).is_ok_and(|settings| !settings.is_empty()), "{}", algorithm.name);
        }
        let keys = |text: &str| -> Vec<String> { Grid::of_learner(text).unwrap().into_iter().map(|g| g.key).collect() };
        assert_eq!(keys("passive-aggressive:c=1,kernel=gaussian"), ["output", "sigma2"]);
        assert_eq!(keys("arow"), ["regularization"]);
        assert_eq!(keys("perceptron"), [""; 0]);
    }

    #[test]
    fn lists_and_ranges() {
        assert_eq!(values("c=1,0.50,auto"), "1 0.50 auto");
        assert_eq!(values("c=1e-3..1e3*10"), "0.001 0.01 0.1 1 10 100 1000");
        assert_eq!(values("c=1..10*2"), "1 2 4 8");
        assert_eq!(values("c=0.1..0.5+0.1"), "0.1 0.2 0.3 0.4 0.5");
        assert_eq!(values("c=-2..1e+0+1"), "-2 -1 0 1");
        assert_eq!(values("c=5..5*2"), "5");
    }

    #[test]
    fn grids_that_are_wrong() {
        let form = "expected key=v1,v2,… or key=low..high*factor or key=low..high+step";
        for (text, reason) in [
            ("c", form),
            ("=1", form),
            ("c=", "a value is missing"),
            ("c=1,", "a value is missing"),
            ("c=1,1", "1 is there twice"),
            ("c=1..2", "a range ends in *factor or +step, such as 1e-3..1e3*10 or 1..9+2"),
            ("c=2..1*2", "the range ends at 1 before it starts at 2"),
            ("c=0..1*2", "a range with a factor starts above 0"),
            ("c=1..2*1", "the factor must be larger than 1"),
            ("c=1..2+0", "the step must be larger than 0"),
            ("c=a..2*2", "'a' is not a number"),
            ("c=1..9e9+1e-9", "the range has too many values"),
        ] {
            assert_eq!(values(text), format!("--grid {text}: {reason}"));
        }
    }

    #[test]
    fn scales() {
        let geometric = |text: &str| Grid::parse(text).unwrap().is_geometric();
        assert!(geometric("c=1e-3..1e3*10") && geometric("c=1,3,10,30") && geometric("c=1..64*2"));
        assert!(!geometric("c=1..9+2") && !geometric("c=a,b,c") && !geometric("c=0,1,10") && !geometric("c=1,10"));
    }

    #[test]
    fn combinations_come_in_order() {
        let grids = [Grid::parse("c=1,2").unwrap(), Grid::parse("variant=pa1,pa2").unwrap()];
        let settings = settings("passive-aggressive:aggressiveness=7", &grids).unwrap();
        let seen: Vec<String> = settings
            .iter()
            .map(|s| format!("{} {}", s.spec.number("aggressiveness"), s.spec.choice("variant")))
            .collect();
        assert_eq!(seen, ["1 pa1", "1 pa2", "2 pa1", "2 pa2"]);
    }

    #[test]
    fn a_name_in_front_reaches_into_a_stage() {
        let grids = [Grid::parse("fourier.dimension=10,20").unwrap(), Grid::parse("r=1,2").unwrap()];
        let typed: Vec<String> =
            settings("l2/fourier:seed=3/arow", &grids).unwrap().iter().map(Setting::typed).collect();
        assert_eq!(typed[0], "l2/fourier:dimension=10,sigma2=1,seed=3/arow");
        assert_eq!(typed[3], "l2/fourier:dimension=20,sigma2=1,seed=3/arow:regularization=2");
        let wrong = [Grid::parse("nystrom.landmarks=1").unwrap()];
        let error = settings("fourier/arow", &wrong).err().unwrap().to_string();
        assert!(error.contains("no parameter 'nystrom.landmarks'"), "{error}");
    }
}
