//! What each trial of a run was, in two bits.

/// Which trials were mistakes, and which were updates.
#[derive(Clone, Debug, Default)]
pub struct Log {
    trials: u64,
    mistakes: Vec<u64>,
    updates: Vec<u64>,
}

impl Log {
    /// One more trial.
    #[inline]
    pub fn push(&mut self, is_mistake: bool, is_update: bool) {
        let bit = self.trials % 64;
        if bit == 0 {
            self.mistakes.push(0);
            self.updates.push(0);
        }
        for (words, is_set) in [(&mut self.mistakes, is_mistake), (&mut self.updates, is_update)] {
            if let Some(word) = words.last_mut() {
                *word |= u64::from(is_set) << bit;
            }
        }
        self.trials += 1;
    }

    /// How many trials there were.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// Whether trial `t`, counting from 0, was a mistake.
    pub fn is_mistake(&self, t: u64) -> bool {
        bit(&self.mistakes, t)
    }

    /// Whether trial `t` changed the hypothesis.
    pub fn is_update(&self, t: u64) -> bool {
        bit(&self.updates, t)
    }

    /// Forgets all trials.
    pub fn clear(&mut self) {
        *self = Log::default();
    }
}

fn bit(words: &[u64], t: u64) -> bool {
    words.get((t / 64) as usize).is_some_and(|word| word >> (t % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_are_found_again() {
        let mut log = Log::default();
        (0..1000).for_each(|t| log.push(t % 3 == 0, t % 7 == 0));
        assert_eq!(log.trials(), 1000);
        assert!((0..1000).all(|t| log.is_mistake(t) == (t % 3 == 0) && log.is_update(t) == (t % 7 == 0)));
        assert!(!log.is_mistake(1002));
        log.clear();
        assert!(log.trials() == 0 && !log.is_mistake(0));
    }
}
