//! What every learner says of itself: lists, help and the pages of the documentation are made of it.

use std::collections::HashSet;

use onlinear::ALGORITHMS;

#[test]
fn every_learner_says_all_that_is_asked_of_it() {
    for algorithm in ALGORITHMS {
        let texts = [
            ("name", algorithm.name),
            ("title", algorithm.title),
            ("summary", algorithm.summary),
            ("rule", algorithm.rule),
            ("paper", algorithm.paper),
            ("cost", algorithm.cost),
            ("bound", algorithm.bound),
            ("differs", algorithm.differs),
            ("class of the Python package", algorithm.python.name),
        ];
        for (what, text) in texts {
            assert!(!text.is_empty() && text == text.trim(), "{} says of its {what}: '{text}'", algorithm.name);
        }
        assert!(algorithm.summary.ends_with('.'), "{}: '{}'", algorithm.name, algorithm.summary);
    }
}

#[test]
fn no_two_learners_have_the_same_name() {
    let (mut names, mut titles, mut classes) = (HashSet::new(), HashSet::new(), HashSet::new());
    for algorithm in ALGORITHMS {
        for name in [algorithm.name].iter().chain(algorithm.aliases) {
            assert!(names.insert(name.to_lowercase()), "two learners are called {name}");
        }
        assert!(titles.insert(algorithm.title), "two learners are called {}", algorithm.title);
        // A class may stand for several, one of which it means unless told otherwise.
        let is_new = !algorithm.python.is_default || classes.insert(algorithm.python.name);
        assert!(is_new, "two learners are what {} means", algorithm.python.name);
    }
    for algorithm in ALGORITHMS {
        assert!(classes.contains(algorithm.python.name), "{} means no learner", algorithm.python.name);
    }
}
