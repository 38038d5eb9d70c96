//! Errors of a request: whether a retry may help, and the text for the user (MO-3).

use crate::providers::endpoint::{Endpoint, is_loopback};
use crate::{FaultKind, ModelError};
use cutonce_core::text::truncate::with_ellipsis;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::{Duration, SystemTime};

/// One failed attempt, as data.
#[derive(Debug)]
pub(crate) enum AttemptError {
    /// The provider answered with an error: a status, or an error event in a stream that began well.
    Provider {
        status: u16,
        code: String,
        words: String,
        after: Option<Duration>,
    },
    /// The connection failed or broke.
    Disconnected {
        words: String,
        refused: bool,
    },
    /// The stream ended before the answer did.
    StreamEnded,
    HalfEvent,
    Idle(Duration),
    Malformed(String),
    /// The answer exceeds a size limit.
    TooBig(&'static str),
    /// The status was good, but no event stream followed.
    NoStream {
        kind: String,
        words: String,
    },
    /// The server's certificate is not trusted, or the HTTP client can't be built.
    Setup(String),
}

/// What to do after a failed attempt.
#[derive(Debug)]
pub(crate) enum RetryDecision {
    Final(ModelError),
    /// Retry, at most `max` times, after the pause that the provider asked for.
    Retry {
        reason: String,
        status: Option<u16>,
        after: Option<Duration>,
        max: Option<u32>,
    },
    /// The model does not support thinking: retry without it.
    WithoutThinking {
        reason: String,
    },
}

/// Longest wait requested by a provider that we sit out; a longer one is reported to the user.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Maximum retries if no server listens on this machine: waiting rarely helps.
const REFUSED_RETRIES: u32 = 2;

/// Maximum retries if the server accepts a request and stays silent: each one takes the whole idle timeout.
const IDLE_RETRIES: u32 = 2;

/// Phrases for a too long conversation: Anthropic, OpenAI, OpenRouter, Groq, llama.cpp, vLLM, Ollama, LM Studio.
const TOO_LONG_PHRASES: &[&str] = &[
    "prompt is too long",
    "input is too long",
    "input length and `max_tokens` exceed",
    "context_length_exceeded",
    "maximum context length",
    "context length",
    "context window",
    "context size",
    "context limit",
    "exceed_context_size",
    "maximum model length",
    "reduce the length of the messages",
    "request_too_large",
    "request too large",
    "context the overflows",
];

/// Phrases for a model or server without thinking.
const NO_THINKING_PHRASES: &[&str] = &[
    "does not support thinking",
    "does not support reasoning",
    "thinking is not supported",
    "adaptive thinking is not supported",
    "reasoning_effort",
    "reasoning.effort",
    "reasoning.summary",
    "reasoning.encrypted_content",
    "encrypted content is not supported",
    "output_config.effort",
    "thinking.type",
    "thinking.display",
];

impl AttemptError {
    /// Creates an error from an event inside a stream; the code implies the HTTP status.
    pub fn in_stream(code: &str, words: &str) -> Self {
        let status = match code {
            "overloaded_error" => 529,
            "rate_limit_error" | "rate_limit_exceeded" => 429,
            "timeout_error" => 408,
            "invalid_request_error" | "invalid_prompt" | "context_length_exceeded" | "exceed_context_size_error" => 400,
            "authentication_error" | "invalid_api_key" => 401,
            "billing_error" | "insufficient_quota" => 402,
            "permission_error" => 403,
            "not_found_error" | "model_not_found" => 404,
            "request_too_large" => 413,
            other => other.parse().ok().filter(|status| (400..600).contains(status)).unwrap_or(500),
        };
        AttemptError::Provider { status, code: code.to_owned(), words: words.to_owned(), after: None }
    }

    /// Decides what to do after a failed request; `thinking` says whether it asked for thinking.
    pub fn retry_decision(&self, endpoint: &Endpoint, thinking: bool) -> RetryDecision {
        let name = &endpoint.provider;
        let again = |reason: String| RetryDecision::Retry { reason, status: None, after: None, max: None };
        match self {
            AttemptError::Provider { status, code, words, after } => {
                let words = endpoint.redact_secrets(words);
                decide_provider_error(
                    endpoint,
                    ProviderError { status: *status, code, words: &words },
                    *after,
                    thinking,
                )
            }
            AttemptError::Disconnected { words, refused } => RetryDecision::Retry {
                reason: format!("no connection to {} ({})", endpoint.display_url(), endpoint.redact_secrets(words)),
                status: None,
                after: None,
                max: (*refused && is_loopback(&endpoint.base_url)).then_some(REFUSED_RETRIES),
            },
            AttemptError::StreamEnded => again(format!("{name} cut the stream in the middle of the answer")),
            AttemptError::HalfEvent => again(format!("{name} cut the stream in the middle of an event")),
            AttemptError::Idle(time) => RetryDecision::Retry {
                reason: format!("{} sent nothing for {} s", endpoint.host(), time.as_secs_f32()),
                status: None,
                after: None,
                max: Some(IDLE_RETRIES),
            },
            AttemptError::Malformed(what) => {
                again(format!("{name} sent a malformed event ({})", endpoint.redact_secrets(what)))
            }
            AttemptError::TooBig(what) => final_decision(
                FaultKind::Refused,
                None,
                format!("The answer of {name} was discarded: {what}. Ask for less at once."),
            ),
            AttemptError::NoStream { kind, words } => {
                let words = endpoint.redact_secrets(words);
                let shown = endpoint.display_url();
                let text = format!("{name} answered with {kind} instead of an event stream: {words}");
                let hint = if is_described_page(&words) { PAGE_HINT } else { "" };
                final_decision(FaultKind::Refused, None, format!("{text}\n{hint}Is the base URL right? It is {shown}."))
            }
            AttemptError::Setup(words) => final_decision(
                FaultKind::Refused,
                None,
                format!(
                    "No secure connection to {name}: {}. Check the system's certificates.",
                    endpoint.redact_secrets(words)
                ),
            ),
        }
    }
}

struct ProviderError<'a> {
    status: u16,
    code: &'a str,
    words: &'a str,
}

fn decide_provider_error(
    endpoint: &Endpoint,
    said: ProviderError<'_>,
    after: Option<Duration>,
    thinking: bool,
) -> RetryDecision {
    let ProviderError { status, code, words } = said;
    let name = &endpoint.provider;
    let lower = format!("{code} {words}").to_lowercase();
    let may_overflow = match status {
        // The requested answer is too long, not the conversation: compacting would not help.
        400 | 422 if lower.contains("max_tokens' is too large") || lower.contains("max_tokens is too large") => false,
        400 | 422 | 500.. => true,
        429 => lower.contains("request too large"),
        _ => false,
    };
    if status == 413 || (may_overflow && TOO_LONG_PHRASES.iter().any(|text| lower.contains(text))) {
        let text = format!("The conversation does not fit {}: {words} ({status}). Use /compact.", endpoint.model);
        return final_decision(FaultKind::TooLong, Some(status), text);
    }
    if thinking && matches!(status, 400 | 422) && NO_THINKING_PHRASES.iter().any(|text| lower.contains(text)) {
        return RetryDecision::WithoutThinking {
            reason: format!("{} does not support thinking: {words}", endpoint.model),
        };
    }
    let quota = lower.contains("insufficient_quota");
    match status {
        408 | 409 | 425 | 429 | 500.. if !quota => match after {
            Some(wait) if wait > LONGEST_WAIT => final_decision(
                FaultKind::Exhausted,
                Some(status),
                format!(
                    "{name} asks to wait {} s ({status}): {words}\nSend the message again after that.",
                    wait.as_secs()
                ),
            ),
            _ => RetryDecision::Retry {
                reason: format!("{name} answered {status}: {words}"),
                status: Some(status),
                after,
                max: None,
            },
        },
        _ => final_error(endpoint, ProviderError { status, code, words }, quota),
    }
}

/// Builds the final error for failures that a retry would only repeat: the provider's text and what to do.
fn final_error(endpoint: &Endpoint, said: ProviderError<'_>, quota: bool) -> RetryDecision {
    let ProviderError { status, words, .. } = said;
    let name = &endpoint.provider;
    let key = match &endpoint.key_env {
        Some(env) if endpoint.key.is_none() => format!("No key was given: set {env}."),
        Some(env) => format!("Set {env} to a valid key, or store one: cutonce key {env}."),
        None => "Check the key.".to_owned(),
    };
    let (kind, what, hint) = match status {
        401 => (FaultKind::Key, format!("{name} refused the key"), key),
        403 => (FaultKind::Key, format!("{name} does not allow this"), "Check what the key may use.".to_owned()),
        404 => (
            FaultKind::NotFound,
            format!("{name} has no model `{}` at {}", endpoint.model, endpoint.display_url()),
            "Check the model's name and the base URL.".to_owned(),
        ),
        402 => (FaultKind::Key, format!("{name} requires payment"), "Check plan and billing.".to_owned()),
        300..=399 => (
            FaultKind::Refused,
            format!("{name} sends the request to another address"),
            format!("Is the base URL right? It is {}.", endpoint.display_url()),
        ),
        _ if quota => (FaultKind::Refused, format!("{name} has no quota left"), "Check plan and billing.".to_owned()),
        _ => (FaultKind::Refused, format!("{name} refused the request"), "Sending it again would not help.".to_owned()),
    };
    let hint = match is_described_page(words) {
        true => format!("{PAGE_HINT}Is the base URL right? It is {}.", endpoint.display_url()),
        false => hint,
    };
    final_decision(kind, Some(status), format!("{what} ({status}): {words}\n{hint}"))
}

fn final_decision(kind: FaultKind, status: Option<u16>, message: String) -> RetryDecision {
    RetryDecision::Final(ModelError { message, status, kind })
}

/// Extracts code and text from an error body in any of the known forms.
pub(crate) fn parse_error_body(body: &[u8]) -> (String, String) {
    #[derive(Deserialize, Default)]
    struct ErrorBody<'a> {
        #[serde(borrow, default)]
        error: Option<&'a RawValue>,
        #[serde(borrow, default)]
        message: Option<&'a RawValue>,
        #[serde(borrow, default)]
        detail: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct ErrorObject<'a> {
        #[serde(default)]
        message: Option<String>,
        #[serde(default, rename = "type")]
        kind: Option<String>,
        #[serde(borrow, default)]
        code: Option<&'a RawValue>,
    }
    let parsed: ErrorBody<'_> = serde_json::from_slice(body).unwrap_or_default();
    if let Some(error) = parsed.error {
        if let Ok(inner) = serde_json::from_str::<ErrorObject<'_>>(error.get()) {
            let code = inner.code.map(|code| code.get().trim_matches('"').to_owned()).filter(|code| code != "null");
            let code = code.or(inner.kind).unwrap_or_default();
            let words = inner.message.filter(|words| !words.is_empty()).unwrap_or_else(|| to_one_line(error.get()));
            return (code, to_one_line(&words));
        }
        return (String::new(), to_one_line(error.get().trim_matches('"')));
    }
    if let Some(text) = parsed.message.or(parsed.detail) {
        return (String::new(), to_one_line(text.get().trim_matches('"')));
    }
    let text = String::from_utf8_lossy(body);
    let words = match text.trim() {
        "" => "no reason given".to_owned(),
        text => web_page_words(text).unwrap_or_else(|| to_one_line(text)),
    };
    (String::new(), words)
}

/// What to call a body that is a web page; `None` for any other text.
pub(crate) fn web_page_words(body: &str) -> Option<String> {
    let page = body.trim();
    is_web_page(page).then(|| describe_web_page(page))
}

/// True for HTML: proxies and login pages answer with it.
fn is_web_page(text: &str) -> bool {
    let start: String = text.chars().take(15).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

const PAGE_HINT: &str = "A proxy or a login page may be in between. ";

/// True for the words of `describe_web_page`.
fn is_described_page(words: &str) -> bool {
    words == "a web page" || words.starts_with("the web page «")
}

/// The page's title, for the user: its markup says nothing.
fn describe_web_page(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let inside = |tag: &str| {
        let start = lower.find(&format!("<{tag}>"))? + tag.len() + 2;
        let end = start + lower[start..].find("</")?;
        page.get(start..end).map(to_one_line).filter(|title| !title.is_empty())
    };
    match inside("title").or_else(|| inside("h1")) {
        Some(title) => format!("the web page «{title}»"),
        None => "a web page".to_owned(),
    }
}

/// An error text of another library in one line; a web page in it is replaced by its title.
pub fn name_web_page(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    match lower.find("<!doctype html").or_else(|| lower.find("<html")) {
        Some(at) => to_one_line(&format!("{}{}", &text[..at], describe_web_page(&text[at..]))),
        None => to_one_line(text),
    }
}

/// Returns one line of at most 600 characters, without control characters.
pub(crate) fn to_one_line(text: &str) -> String {
    let mut out: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    out.retain(|c| !c.is_control());
    with_ellipsis(out, 600)
}

/// Parses the wait that the provider asks for: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date.
pub(crate) fn requested_wait(header: impl Fn(&str) -> Option<String>, now: SystemTime) -> Option<Duration> {
    let number = |name: &str| header(name)?.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    if let Some(ms) = number("retry-after-ms") {
        return Some(Duration::from_secs_f64((ms / 1000.0).min(1e9)));
    }
    if let Some(seconds) = number("retry-after") {
        return Some(Duration::from_secs_f64(seconds.min(1e9)));
    }
    let date = httpdate::parse_http_date(header("retry-after")?.trim()).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::conversation::WireFormat;

    fn verdict(status: u16, body: &str) -> RetryDecision {
        let mut endpoint = Endpoint::new("acme", WireFormat::Chat, "https://api.example/v1", "big-1");
        endpoint.key_env = Some("ACME_KEY".to_owned());
        endpoint.key = Some("sk-123456".to_owned().into());
        let (code, words) = parse_error_body(body.as_bytes());
        AttemptError::Provider { status, code, words, after: None }.retry_decision(&endpoint, true)
    }

    fn kind(status: u16, body: &str) -> Option<FaultKind> {
        match verdict(status, body) {
            RetryDecision::Final(error) => Some(error.kind),
            RetryDecision::Retry { .. } | RetryDecision::WithoutThinking { .. } => None,
        }
    }

    #[test]
    fn mo_3_context_overflow_is_recognized_in_every_wording() {
        let bodies = [
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#,
            ),
            (
                413,
                r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":null}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}"#,
            ),
            (400, r#"{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}"#),
            (500, r#"{"error":"the input length exceeds the context length"}"#),
            (
                429,
                r#"{"error":{"message":"Request too large for gpt-x on tokens per min: Limit 30000, Requested 45000","code":"rate_limit_exceeded"}}"#,
            ),
        ];
        for (status, body) in bodies {
            assert_eq!(kind(status, body), Some(FaultKind::TooLong), "{body}");
        }
    }

    #[test]
    fn mo_3_too_long_answer_is_no_overflow() {
        let body =
            r#"{"message":"'max_tokens' is too large: 32000. This model's maximum context length is 4096 tokens."}"#;
        assert_eq!(kind(400, body), Some(FaultKind::Refused));
    }

    #[test]
    fn mo_3_some_statuses_are_final() {
        let expected = [
            (400, Some(FaultKind::Refused)),
            (401, Some(FaultKind::Key)),
            (403, Some(FaultKind::Key)),
            (404, Some(FaultKind::NotFound)),
            (422, Some(FaultKind::Refused)),
        ];
        for (status, kind_of) in expected {
            assert_eq!(kind(status, "{\"detail\":\"no\"}"), kind_of, "{status}");
        }
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert_eq!(kind(status, "{\"detail\":\"later\"}"), None, "{status}");
        }
        assert_eq!(kind(429, r#"{"error":{"message":"quota","code":"insufficient_quota"}}"#), Some(FaultKind::Refused));
    }

    #[test]
    fn mo_3_final_errors_quote_the_provider() {
        let RetryDecision::Final(error) = verdict(401, r#"{"error":{"message":"invalid x-api-key sk-123456"}}"#) else {
            panic!()
        };
        let next = "Set ACME_KEY to a valid key, or store one: cutonce key ACME_KEY.";
        assert_eq!(error.message, format!("acme refused the key (401): invalid x-api-key [key]\n{next}"));
        let RetryDecision::Final(error) = verdict(404, "<html>\n<h1>Not\tFound</h1></html>") else { panic!() };
        assert!(error.message.contains("`big-1` at https://api.example/v1 (404): the web page «Not Found»\nA proxy"));
    }

    #[test]
    fn mo_3_web_page_is_named_by_its_title() {
        let words = |body: &str| parse_error_body(body.as_bytes()).1;
        let page = "<!DOCTYPE html>\n<html><head><TITLE>Sign in\nto \u{1b}[31mHotel</TITLE></head><script>x</script>";
        assert_eq!(words(page), "the web page «Sign in to [31mHotel»");
        assert_eq!(words("<html><title></title><h1>502 Bad Gateway</h1>"), "the web page «502 Bad Gateway»");
        assert_eq!(words("<html lang=de><body>Ä"), "a web page");
        assert_eq!(words("<html><title>never closed"), "a web page");
        let told = name_web_page("HTTP 501 <!DOCTYPE HTML>\n<html><title>Error</title><p>a</p>");
        assert_eq!(told, "HTTP 501 the web page «Error»");
        assert_eq!(name_web_page("plain\ntext"), "plain text");
        let RetryDecision::Final(error) = verdict(302, "") else { panic!() };
        assert!(error.message.ends_with("\nIs the base URL right? It is https://api.example/v1."), "{}", error.message);
    }

    #[test]
    fn mo_2_retries_without_unsupported_thinking() {
        let body = r#"{"error":{"message":"\"llama\" does not support thinking"}}"#;
        assert!(matches!(verdict(400, body), RetryDecision::WithoutThinking { .. }));
    }

    #[test]
    fn mo_3_retry_after_in_all_its_forms() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let wait = |name: &'static str, value: &'static str| {
            requested_wait(|asked| (asked == name).then(|| value.to_owned()), now).map(|wait| wait.as_millis())
        };
        assert_eq!(wait("retry-after", "3"), Some(3000));
        assert_eq!(wait("retry-after", "0.5"), Some(500));
        assert_eq!(wait("retry-after-ms", "250"), Some(250));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"), Some(10_000));
        assert_eq!(wait("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT"), Some(0));
        assert_eq!(wait("retry-after", "soon"), None);
        assert_eq!(wait("retry-after", "-1"), None);
    }

    #[test]
    fn mo_3_long_wait_is_reported_not_awaited() {
        let endpoint = Endpoint::new("acme", WireFormat::Chat, "https://api.example/v1", "m");
        let after = Some(Duration::from_secs(3600));
        let trouble = AttemptError::Provider { status: 429, code: String::new(), words: "limit".into(), after };
        let RetryDecision::Final(error) = trouble.retry_decision(&endpoint, false) else { panic!() };
        assert!(error.message.contains("asks to wait 3600 s"), "{error}");
    }
}
