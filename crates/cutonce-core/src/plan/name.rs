//! What a plan file is called (PM-41, PM-42, PM-51). Random numbers and reserved names come in as data.

const ADJECTIVES: &str = include_str!("words/adjectives.txt");
const VERBS: &str = include_str!("words/verbs.txt");
const NOUNS: &str = include_str!("words/nouns.txt");

/// How often three new words are tried before a number is added.
const TRIES: usize = 10;
/// A name is part of a path, of a shell line and of a table: long enough is enough.
const LONGEST: usize = 100;
const TASK_WORDS: usize = 6;
const TASK_LENGTH: usize = 50;

/// Three words, like `peaceful-dancing-firefly`.
pub fn word_name(numbers: [u64; 3]) -> String {
    let [adjective, verb, noun] = numbers;
    format!("{}-{}-{}", pick(ADJECTIVES, adjective), pick(VERBS, verb), pick(NOUNS, noun))
}

fn pick(list: &'static str, number: u64) -> &'static str {
    let count = list.lines().count().max(1) as u64;
    list.lines().nth((number % count) as usize).unwrap_or("plan")
}

/// The first free three-word name. `reserve` takes a name for this session, for all processes, and says whether it was free.
pub fn free_word_name<E>(
    mut numbers: impl FnMut() -> [u64; 3],
    mut reserve: impl FnMut(&str) -> Result<bool, E>,
) -> Result<String, E> {
    let mut name = word_name(numbers());
    for tried in 1..=TRIES {
        if reserve(&name)? {
            return Ok(name);
        }
        if tried < TRIES {
            name = word_name(numbers());
        }
    }
    numbered(&name, reserve)
}

/// The first free name for a task, like `2026-11-15-migrate-auth`.
pub fn free_task_name<E>(
    date: &str,
    request: &str,
    mut reserve: impl FnMut(&str) -> Result<bool, E>,
) -> Result<String, E> {
    let name = task_name(date, request);
    if reserve(&name)? { Ok(name) } else { numbered(&name, reserve) }
}

fn numbered<E>(name: &str, mut reserve: impl FnMut(&str) -> Result<bool, E>) -> Result<String, E> {
    let mut number: u64 = 2;
    loop {
        let numbered = format!("{name}-{number}");
        if reserve(&numbered)? {
            return Ok(numbered);
        }
        number += 1;
    }
}

/// The date and the first words of the request. Only ASCII letters and digits: other characters have several
/// spellings on some disks, and then the plan file would not be found as itself.
pub fn task_name(date: &str, request: &str) -> String {
    let mut name = date.to_string();
    let words = request.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'').map(|word| word.replace('\'', ""));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).take(TASK_WORDS).collect();
    for word in &words {
        if name.len() + 1 + word.len() > date.len() + TASK_LENGTH {
            break;
        }
        name = format!("{name}-{}", word.to_ascii_lowercase());
    }
    if name.len() == date.len() { format!("{date}-plan") } else { name }
}

/// Could this be one of our names? What a transcript or a command line says is asked first, so that it can't lead
/// out of the folder.
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(plain) && !name.starts_with('-')
}

pub fn file_name(name: &str) -> String {
    format!("{name}.md")
}

/// A subagent's own plan file (PM-42); None if the id can't be part of a file's name.
pub fn agent_file(name: &str, agent_id: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let usable = !agent_id.is_empty() && agent_id.len() <= LONGEST && agent_id.chars().all(plain);
    usable.then(|| format!("{name}-agent-{agent_id}.md"))
}
