//! Removes keys from transcripts and logs (MO-4): every line is searched for all encodings of known keys.

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use cutonce_core::sync::RwLockUnpoisoned;
use cutonce_tools::spill::StreamRedactor;
use std::borrow::Cow;
use std::sync::{Arc, RwLock};

/// Minimum length of a secret: replacing shorter values would damage texts and protect nothing.
const MIN_SECRET: usize = 8;

/// Replaces known secrets by `[redacted:NAME]`. Secrets of the environment are known from the start; those of a
/// helper or the keyring are added later.
#[derive(Default)]
pub(crate) struct Redactor {
    known: RwLock<Arc<KnownSecrets>>,
}

#[derive(Default)]
struct KnownSecrets {
    /// Each encoded form and its replacement.
    forms: Vec<(String, String)>,
    /// For text: all forms.
    text: Option<SecretMatcher>,
    /// For JSON lines: only forms that are valid within a JSON string.
    json: Option<SecretMatcher>,
}

struct SecretMatcher {
    search: AhoCorasick,
    replacements: Vec<String>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} forms)", self.known_secrets().forms.len())
    }
}

impl Redactor {
    /// Takes pairs of variable name and secret. Short values are ignored.
    pub fn new(secrets: Vec<(String, String)>) -> Self {
        let forms = secrets.iter().flat_map(|(name, value)| replacements_for(name, value)).collect();
        Self { known: RwLock::new(Arc::new(KnownSecrets::new(forms))) }
    }

    /// Adds a secret.
    pub(crate) fn add_secret(&self, name: &str, value: &str) {
        let mut known = self.known.write_unpoisoned();
        let new: Vec<_> = replacements_for(name, value).into_iter().filter(|new| !known.forms.contains(new)).collect();
        if !new.is_empty() {
            *known = Arc::new(KnownSecrets::new(known.forms.iter().cloned().chain(new).collect()));
        }
    }

    fn known_secrets(&self) -> Arc<KnownSecrets> {
        self.known.read_unpoisoned().clone()
    }

    /// Redacts plain text, such as logs and errors.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.known_secrets().text.as_ref().map_or(Cow::Borrowed(text), |set| set.replace(text, |_| true))
    }

    /// Redacts one line of JSON; the result is valid JSON.
    pub(crate) fn redact_json<'a>(&self, line: &'a str) -> Cow<'a, str> {
        // Ignore matches that start within an escape (`\n` + `abc…` for a secret `nabc…`).
        let starts_clean = |at: usize| line.as_bytes()[..at].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 0;
        self.known_secrets().json.as_ref().map_or(Cow::Borrowed(line), |set| set.replace(line, starts_clean))
    }
}

impl StreamRedactor for Redactor {
    fn redact_part(&self, bytes: &[u8], last: bool) -> (Vec<u8>, usize) {
        self.known_secrets()
            .text
            .as_ref()
            .map_or_else(|| (bytes.to_vec(), bytes.len()), |set| set.redact_part(bytes, last))
    }
}

impl KnownSecrets {
    fn new(forms: Vec<(String, String)>) -> KnownSecrets {
        let in_json = forms.iter().filter(|(form, _)| fits_into_json(form)).cloned().collect();
        KnownSecrets { text: SecretMatcher::new(forms.clone()), json: SecretMatcher::new(in_json), forms }
    }
}

/// The forms of one secret with their replacement; none for a short value.
fn replacements_for(name: &str, value: &str) -> Vec<(String, String)> {
    if value.trim().len() < MIN_SECRET {
        return Vec::new();
    }
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_' || *c == '-').collect();
    let replacement = if name.is_empty() { "[redacted]".to_string() } else { format!("[redacted:{name}]") };
    encoded_forms(value.trim()).into_iter().map(|form| (form, replacement.clone())).collect()
}

impl SecretMatcher {
    fn new(forms: Vec<(String, String)>) -> Option<Self> {
        if forms.is_empty() {
            return None;
        }
        let (patterns, replacements): (Vec<_>, Vec<_>) = forms.into_iter().unzip();
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok()?;
        Some(Self { search, replacements })
    }

    /// Redacts a part of a stream; matches that start at `safe` or later may continue in the next part.
    fn redact_part(&self, bytes: &[u8], last: bool) -> (Vec<u8>, usize) {
        let safe = if last { bytes.len() } else { (bytes.len() + 1).saturating_sub(self.search.max_pattern_len()) };
        let (mut out, mut from) = (Vec::with_capacity(bytes.len()), 0);
        let next = |from: usize| self.search.find(aho_corasick::Input::new(bytes).span(from..bytes.len()));
        while let Some(found) = next(from).filter(|found| found.start() < safe) {
            out.extend_from_slice(&bytes[from..found.start()]);
            out.extend_from_slice(self.replacements[found.pattern().as_usize()].as_bytes());
            from = found.end();
        }
        let end = from.max(safe);
        out.extend_from_slice(&bytes[from..end]);
        (out, end)
    }

    fn replace<'a>(&self, text: &'a str, counts: impl Fn(usize) -> bool) -> Cow<'a, str> {
        let mut out = String::new();
        let (mut from, mut search_from) = (0, 0);
        while let Some(found) = self.search.find(aho_corasick::Input::new(text).span(search_from..text.len())) {
            if counts(found.start()) {
                out.push_str(&text[from..found.start()]);
                out.push_str(&self.replacements[found.pattern().as_usize()]);
                (from, search_from) = (found.end(), found.end());
            } else {
                search_from = found.start() + 1;
            }
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[from..]);
        Cow::Owned(out)
    }
}

/// The secret and its encoded forms.
fn encoded_forms(value: &str) -> Vec<String> {
    let once = json_escaped(value);
    let twice = json_escaped(&once);
    let mut forms = vec![value.to_string(), once, twice, percent_encoded(value, true), percent_encoded(value, false)];
    forms.extend(base64_forms(value));
    forms.retain(|form| form.len() >= MIN_SECRET);
    forms.sort_unstable();
    forms.dedup();
    forms
}

/// Base64 forms at all three alignments within a longer text (`user:key`), without the characters that depend on the
/// neighbours.
fn base64_forms(value: &str) -> Vec<String> {
    (0..3usize)
        .flat_map(|before| {
            let bytes = [&vec![0; before][..], value.as_bytes()].concat();
            let skip = [0, 2, 3][before];
            let keep = bytes.len() * 8 / 6;
            [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
                .map(|encoded| encoded.get(skip..keep).unwrap_or_default().to_string())
        })
        .collect()
}

fn json_escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_string()
}

fn percent_encoded(text: &str, upper: bool) -> String {
    let encode = |byte: u8| match byte {
        _ if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => char::from(byte).to_string(),
        _ if upper => format!("%{byte:02X}"),
        _ => format!("%{byte:02x}"),
    };
    text.bytes().map(encode).collect()
}

/// Whether the form is valid within a JSON string.
fn fits_into_json(form: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(&format!("\"{form}\"")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "sk-ant-api03-\"quoted\"/and+more\\x";

    fn redactor() -> Redactor {
        Redactor::new(vec![("ANTHROPIC_API_KEY".into(), KEY.into()), ("PIN".into(), "1234".into())])
    }

    #[test]
    fn mo_4_keys_are_found_in_every_encoding() {
        let redactor = redactor();
        let encoded = STANDARD_NO_PAD.encode(format!("user:{KEY}!"));
        let once = json!({ "key": KEY }).to_string();
        let twice = json!({ "body": once }).to_string();
        for text in [
            KEY.to_string(),
            percent_encoded(KEY, true),
            percent_encoded(KEY, false),
            encoded,
            once.clone(),
            twice.clone(),
        ] {
            let clean = redactor.redact(&text);
            assert!(clean.contains("[redacted:ANTHROPIC_API_KEY]"), "{text} -> {clean}");
            assert!(!clean.contains("api03"), "{clean}");
        }
        for line in [once, twice] {
            let clean = redactor.redact_json(&line);
            assert!(clean.contains("[redacted:ANTHROPIC_API_KEY]"), "{clean}");
            serde_json::from_str::<serde_json::Value>(&clean).unwrap();
        }
    }

    #[test]
    fn mo_4_keys_are_found_across_chunks() {
        let redactor = redactor();
        let (all, clean) =
            (format!("a {KEY}{KEY} b sk-ant-"), "a [redacted:ANTHROPIC_API_KEY][redacted:ANTHROPIC_API_KEY] b sk-ant-");
        for size in 1..=all.len() {
            let (mut waiting, mut out) = (Vec::new(), Vec::new());
            for piece in all.as_bytes().chunks(size) {
                waiting.extend_from_slice(piece);
                let (clean, used) = redactor.redact_part(&waiting, false);
                waiting.drain(..used);
                out.extend(clean);
            }
            out.extend(redactor.redact_part(&waiting, true).0);
            assert_eq!(String::from_utf8_lossy(&out), clean, "in pieces of {size}");
        }
    }

    #[test]
    fn mo_4_short_values_and_other_texts_stay_unchanged() {
        assert!(matches!(redactor().redact("the PIN is 1234"), Cow::Borrowed("the PIN is 1234")));
        assert_eq!(Redactor::default().redact("x"), "x");
        assert_eq!(Redactor::new(vec![]).redact_json("{}"), "{}");
    }

    #[test]
    fn mo_4_redacted_line_stays_valid_json() {
        let redactor = Redactor::new(vec![("K".into(), "nabcdefgh".into()), ("Q".into(), "\",\"text\":\"".into())]);
        let line = json!({ "a": "\nabcdefgh", "b": "\\nabcdefgh", "text": "x" }).to_string();
        let clean: serde_json::Value = serde_json::from_str(&redactor.redact_json(&line)).unwrap();
        assert_eq!(clean, json!({ "a": "\nabcdefgh", "b": "\\[redacted:K]", "text": "x" }));
    }

    #[test]
    fn mo_4_later_keys_are_redacted() {
        let redactor = redactor();
        assert_eq!(redactor.redact("the helper said h3lper-key"), "the helper said h3lper-key");
        redactor.add_secret("OPENAI_API_KEY", "h3lper-key");
        redactor.add_secret("OPENAI_API_KEY", "h3lper-key");
        assert_eq!(redactor.redact("the helper said h3lper-key"), "the helper said [redacted:OPENAI_API_KEY]");
        assert!(redactor.redact(KEY).contains("[redacted:ANTHROPIC_API_KEY]"), "earlier secrets stay known");
    }

    #[test]
    fn mo_4_redactor_debug_output_has_no_keys() {
        assert!(!format!("{:?}", redactor()).contains("sk-ant"));
    }
}
