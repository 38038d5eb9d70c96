//! Finds the name that the user probably meant.

/// The nearest name that differs from `typed` by at most `most` edits. `None` if `typed` is one of them.
pub fn nearest_name<'a>(typed: &str, names: impl Iterator<Item = &'a str>, most: usize) -> Option<&'a str> {
    let distances = names.map(|name| (strsim::damerau_levenshtein(name, typed), name));
    distances.min().filter(|(distance, _)| (1..=most).contains(distance)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::nearest_name;

    #[test]
    fn mo_1_nearest_name_is_a_small_typo() {
        let nearest = |typed| nearest_name(typed, ["ollama", "openai", "sonnet"].into_iter(), 2);
        assert_eq!(
            [nearest("olama"), nearest("opneai"), nearest("sonett")],
            [Some("ollama"), Some("openai"), Some("sonnet")]
        );
        assert_eq!([nearest("ollama"), nearest("mistral"), nearest("")], [None, None, None]);
    }
}
