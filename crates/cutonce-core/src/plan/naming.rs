//! Names of plan files (PM-41, PM-42, PM-51). Random numbers and reservations are passed in by the caller.

const ADJECTIVES: &str = include_str!("words/adjectives.txt");
const VERBS: &str = include_str!("words/verbs.txt");
const NOUNS: &str = include_str!("words/nouns.txt");

/// Number of random names to try before a number is appended.
const MAX_TRIES: usize = 10;
/// Maximum length of a name, which appears in paths, shell commands and tables.
const MAX_NAME_LEN: usize = 100;
const MAX_TASK_WORDS: usize = 6;
const MAX_TASK_LEN: usize = 50;
/// Part of a word, but not of a name: "don't" becomes "dont".
const APOSTROPHES: [char; 2] = ['\'', '’'];

/// A name of three words, like `peaceful-dancing-firefly`.
pub fn word_name(numbers: [u64; 3]) -> String {
    let [adjective, verb, noun] = numbers;
    format!("{}-{}-{}", pick_word(ADJECTIVES, adjective), pick_word(VERBS, verb), pick_word(NOUNS, noun))
}

fn pick_word(list: &'static str, number: u64) -> &'static str {
    let count = list.lines().count().max(1) as u64;
    list.lines().nth((number % count) as usize).unwrap_or("plan")
}

/// The first free three-word name. `reserve` reserves a name across processes and returns whether it was
/// free.
pub fn free_word_name<E>(
    mut numbers: impl FnMut() -> [u64; 3],
    mut reserve: impl FnMut(&str) -> Result<bool, E>,
) -> Result<String, E> {
    let mut name = word_name(numbers());
    for tried in 1..=MAX_TRIES {
        if reserve(&name)? {
            return Ok(name);
        }
        if tried < MAX_TRIES {
            name = word_name(numbers());
        }
    }
    reserve_numbered(&name, reserve)
}

/// The first free name for a task, like `2026-11-15-migrate-auth`.
pub fn free_task_name<E>(
    date: &str,
    request: &str,
    mut reserve: impl FnMut(&str) -> Result<bool, E>,
) -> Result<String, E> {
    let name = task_name(date, request);
    if reserve(&name)? { Ok(name) } else { reserve_numbered(&name, reserve) }
}

fn reserve_numbered<E>(name: &str, mut reserve: impl FnMut(&str) -> Result<bool, E>) -> Result<String, E> {
    let mut number: u64 = 2;
    loop {
        let numbered = format!("{name}-{number}");
        if reserve(&numbered)? {
            return Ok(numbered);
        }
        number += 1;
    }
}

/// The date and the first words of the request: letters and digits of any script (PM-51).
pub fn task_name(date: &str, request: &str) -> String {
    let mut name = date.to_string();
    let words = request.split(|c: char| !c.is_alphanumeric() && !APOSTROPHES.contains(&c));
    let words = words.map(file_word).filter(|word| !word.is_empty());
    for word in words.take(MAX_TASK_WORDS) {
        let room = (date.len() + MAX_TASK_LEN).saturating_sub(name.len() + 1);
        if word.len() > room {
            // Scripts without spaces: the beginning of the sentence is the name.
            let start = if name.len() == date.len() { word.floor_char_boundary(room) } else { 0 };
            if start > 0 {
                name = format!("{name}-{}", &word[..start]);
            }
            break;
        }
        name = format!("{name}-{word}");
    }
    if name.len() == date.len() { format!("{date}-plan") } else { name }
}

/// A word as part of a name: lower case, without what [`is_plan_name`] refuses.
fn file_word(word: &str) -> String {
    word.to_lowercase().chars().filter(|c| is_name_char(*c)).collect()
}

/// True for letters and digits that have no lower case of their own.
fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() && c.to_lowercase().eq([c])
}

/// True if this is a valid plan name. Checked for names from transcripts and command lines, so that they
/// can't lead out of the folder.
pub fn is_plan_name(name: &str) -> bool {
    let plain = |c: char| is_name_char(c) || c == '-';
    !name.is_empty() && name.len() <= MAX_NAME_LEN && name.chars().all(plain) && !name.starts_with('-')
}

pub fn plan_file_name(name: &str) -> String {
    format!("{name}.md")
}

/// File name of a subagent's own plan (PM-42); `None` if the id can't be part of a file name.
pub fn agent_plan_file_name(name: &str, agent_id: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let usable = !agent_id.is_empty() && agent_id.len() <= MAX_NAME_LEN && agent_id.chars().all(plain);
    usable.then(|| format!("{name}-agent-{agent_id}.md"))
}
