//! `python/onlinear/datasets.py`: a function for each artificial set, from its declaration.

use anyhow::Result;

use onlinear::workshop::synthetic::{SETS, Set};

use super::text::{WIDTH, annotation, name, value, values, wrapped};

/// The whole file.
pub fn datasets() -> Result<String> {
    let mut file = String::from(
        "# Made by `cargo xtask generate` from the declarations beside the code; do not edit.\n\
         \"\"\"The artificial sets of the papers: one seed gives one endless sequence of rows, of which any number is \
         taken.\"\"\"\n\n\
         from __future__ import annotations\n\n\
         import numpy as np\n\n\
         from ._convert import seed_of, word\n\
         from ._native import generate\n\n",
    );
    let names: String = SETS.iter().map(|set| format!("    \"make_{}\",\n", name(set.name))).collect();
    file += &format!(
        "__all__ = [\n{names}]\n\n\n\
         def _make(name: str, rows: int, random_state: object, **settings: object) -> \
         tuple[np.ndarray, np.ndarray]:\n    \
         text = \",\".join(f\"{{key}}={{word(value)}}\" for key, value in settings.items())\n    \
         return generate(f\"{{name}}:{{text}}\" if text else name, int(rows), seed_of(random_state))\n"
    );
    for set in SETS {
        file += &function(set);
    }
    Ok(file)
}

fn function(set: &Set) -> String {
    let Set { name: key, summary, paper, parameters, .. } = set;
    let mut text = format!("\n\ndef make_{}(\n    n_samples: int = 1000,\n    *,\n", name(key));
    for parameter in *parameters {
        text += &format!("    {}: {} = {},\n", name(parameter.name), annotation(parameter), value(parameter));
    }
    text += "    random_state: object = 1,\n) -> tuple[np.ndarray, np.ndarray]:\n";
    text += &format!(
        "    \"\"\"Draw rows of {key}.\n\n{}\n",
        wrapped(&format!("{}.", summary.trim_end_matches('.')), "    ")
    );
    text += &wrapped(&format!("From: {paper}."), "    ");
    text += "\n    Parameters\n    ----------\n    n_samples : int, default=1000\n        How many rows.\n";
    for parameter in *parameters {
        let heading = format!("{} : {}, default={}", name(parameter.name), values(parameter), value(parameter));
        text += &wrapped(&heading, "    ");
        text += &wrapped(&format!("{}.", parameter.help), "        ");
    }
    text += "    random_state : int, RandomState, Generator or None, default=1\n        \
             Where the sequence starts.\n\n    \
             Returns\n    -------\n    X : array of shape (n_samples, n_features)\n    \
             y : array of shape (n_samples,)\n        -1 or +1.\n    \"\"\"\n";
    let mut arguments = format!("{key:?}, n_samples, random_state");
    for parameter in *parameters {
        // A keyword of Python cannot have a hyphen, so no parameter of a set has one.
        arguments += &format!(", {0}={0}", name(parameter.name));
    }
    let call = format!("    return _make({arguments})\n");
    text + &if call.chars().count() <= WIDTH + 1 {
        call
    } else {
        format!("    return _make(\n        {arguments}\n    )\n")
    }
}
