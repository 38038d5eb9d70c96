//! What can go wrong with a request, whether sending it again may help, and the words the user reads (MO-3).

use crate::endpoint::{Endpoint, is_loopback};
use crate::{FaultKind, ModelError};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::time::{Duration, SystemTime};

/// One failed attempt, as data.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The provider answered with an error: a status, or an error event in a stream that had begun well.
    Provider {
        status: u16,
        code: String,
        words: String,
        after: Option<Duration>,
    },
    /// No connection, or it broke.
    Lost {
        words: String,
        refused: bool,
    },
    /// The stream ended before the answer did.
    Cut,
    HalfEvent,
    Idle(Duration),
    Malformed(String),
    /// An answer beyond all bounds.
    TooBig(&'static str),
    /// A good status, but no event stream behind it.
    NoStream {
        kind: String,
        words: String,
    },
    /// The server's certificate is not trusted, or no client can be built.
    Setup(String),
}

/// What follows from it.
#[derive(Debug)]
pub(crate) enum Verdict {
    Final(ModelError),
    /// Try again, at most `max` times, after `after` where the provider said so.
    Again {
        reason: String,
        status: Option<u16>,
        after: Option<Duration>,
        max: Option<u32>,
    },
    /// The model knows no thinking: send the request without it.
    WithoutThinking {
        reason: String,
    },
}

/// A wait that the provider asks for beyond this is told to the user instead of sat out.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// With nobody listening on this machine there is little to wait for.
const REFUSED_RETRIES: u32 = 2;

/// How providers say that a conversation does not fit: Anthropic, OpenAI, OpenRouter, Groq, llama.cpp, vLLM, Ollama, LM Studio.
const TOO_LONG: &[&str] = &[
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

/// How providers say that the model or the server knows no thinking.
const NO_THINKING: &[&str] = &[
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

impl Trouble {
    /// An error event inside a stream; the code stands for the status it would have been.
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
        Trouble::Provider { status, code: code.to_owned(), words: words.to_owned(), after: None }
    }

    /// The verdict for a request to this endpoint that asked for thinking or not.
    pub fn verdict(&self, endpoint: &Endpoint, thinking: bool) -> Verdict {
        let name = &endpoint.provider;
        let again = |reason: String| Verdict::Again { reason, status: None, after: None, max: None };
        match self {
            Trouble::Provider { status, code, words, after } => {
                let words = endpoint.scrub(words);
                provider_verdict(endpoint, Said { status: *status, code, words: &words }, *after, thinking)
            }
            Trouble::Lost { words, refused } => Verdict::Again {
                reason: format!("no connection to {} ({})", endpoint.shown_url(), endpoint.scrub(words)),
                status: None,
                after: None,
                max: (*refused && is_loopback(&endpoint.base_url)).then_some(REFUSED_RETRIES),
            },
            Trouble::Cut => again(format!("{name} cut the stream in the middle of the answer")),
            Trouble::HalfEvent => again(format!("{name} cut the stream in the middle of an event")),
            Trouble::Idle(time) => again(format!("{name} sent nothing for {} s", time.as_secs_f32())),
            Trouble::Malformed(what) => again(format!("{name} sent a malformed event ({})", endpoint.scrub(what))),
            Trouble::TooBig(what) => last(
                FaultKind::Refused,
                None,
                format!("The answer of {name} was given up: {what}. Ask for less at once."),
            ),
            Trouble::NoStream { kind, words } => {
                let words = endpoint.scrub(words);
                let shown = endpoint.shown_url();
                let text = format!("{name} answered with {kind} instead of an event stream: {words}");
                last(FaultKind::Refused, None, format!("{text}\nIs the base URL right? It is {shown}."))
            }
            Trouble::Setup(words) => last(
                FaultKind::Refused,
                None,
                format!("No secure connection to {name}: {}. Check the system's certificates.", endpoint.scrub(words)),
            ),
        }
    }
}

struct Said<'a> {
    status: u16,
    code: &'a str,
    words: &'a str,
}

fn provider_verdict(endpoint: &Endpoint, said: Said<'_>, after: Option<Duration>, thinking: bool) -> Verdict {
    let Said { status, code, words } = said;
    let name = &endpoint.provider;
    let lower = format!("{code} {words}").to_lowercase();
    let may_overflow = match status {
        // The answer that is asked for is too long, not the conversation: compacting would not help.
        400 | 422 if lower.contains("max_tokens' is too large") || lower.contains("max_tokens is too large") => false,
        400 | 422 | 500.. => true,
        429 => lower.contains("request too large"),
        _ => false,
    };
    if status == 413 || (may_overflow && TOO_LONG.iter().any(|text| lower.contains(text))) {
        let text = format!("The conversation does not fit {}: {words} ({status}). Use /compact.", endpoint.model);
        return last(FaultKind::TooLong, Some(status), text);
    }
    if thinking && matches!(status, 400 | 422) && NO_THINKING.iter().any(|text| lower.contains(text)) {
        return Verdict::WithoutThinking { reason: format!("{} takes no thinking: {words}", endpoint.model) };
    }
    let quota = lower.contains("insufficient_quota");
    match status {
        408 | 409 | 425 | 429 | 500.. if !quota => match after {
            Some(wait) if wait > LONGEST_WAIT => last(
                FaultKind::Exhausted,
                Some(status),
                format!(
                    "{name} asks to wait {} s ({status}): {words}\nSend the message again after that.",
                    wait.as_secs()
                ),
            ),
            _ => Verdict::Again {
                reason: format!("{name} answered {status}: {words}"),
                status: Some(status),
                after,
                max: None,
            },
        },
        _ => final_verdict(endpoint, Said { status, code, words }, quota),
    }
}

/// Errors that another attempt would only repeat: the provider's own words, and what to do.
fn final_verdict(endpoint: &Endpoint, said: Said<'_>, quota: bool) -> Verdict {
    let Said { status, words, .. } = said;
    let name = &endpoint.provider;
    let key = match &endpoint.key_env {
        Some(env) if endpoint.key.is_none() => format!("No key was given: set {env}."),
        Some(env) => format!("Set {env} to a valid key."),
        None => "Check the key.".to_owned(),
    };
    let (kind, what, hint) = match status {
        401 => (FaultKind::Key, format!("{name} refused the key"), key),
        403 => (FaultKind::Key, format!("{name} does not allow this"), "Check what the key may use.".to_owned()),
        404 => (
            FaultKind::NotFound,
            format!("{name} knows no model `{}` at {}", endpoint.model, endpoint.shown_url()),
            "Check the model's name and the base URL.".to_owned(),
        ),
        402 => (FaultKind::Key, format!("{name} wants to be paid"), "Check plan and billing.".to_owned()),
        _ if quota => (FaultKind::Refused, format!("{name} has no quota left"), "Check plan and billing.".to_owned()),
        _ => (FaultKind::Refused, format!("{name} refused the request"), "Sending it again would not help.".to_owned()),
    };
    last(kind, Some(status), format!("{what} ({status}): {words}\n{hint}"))
}

fn last(kind: FaultKind, status: Option<u16>, message: String) -> Verdict {
    Verdict::Final(ModelError { message, status, kind })
}

/// The code and the words of an error body, whichever of the known shapes it has.
pub(crate) fn words_of(body: &[u8]) -> (String, String) {
    #[derive(Deserialize, Default)]
    struct Body<'a> {
        #[serde(borrow, default)]
        error: Option<&'a RawValue>,
        #[serde(borrow, default)]
        message: Option<&'a RawValue>,
        #[serde(borrow, default)]
        detail: Option<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Inner<'a> {
        #[serde(default)]
        message: Option<String>,
        #[serde(default, rename = "type")]
        kind: Option<String>,
        #[serde(borrow, default)]
        code: Option<&'a RawValue>,
    }
    let parsed: Body<'_> = serde_json::from_slice(body).unwrap_or_default();
    if let Some(error) = parsed.error {
        if let Ok(inner) = serde_json::from_str::<Inner<'_>>(error.get()) {
            let code = inner.code.map(|code| code.get().trim_matches('"').to_owned()).filter(|code| code != "null");
            let code = code.or(inner.kind).unwrap_or_default();
            let words = inner.message.filter(|words| !words.is_empty()).unwrap_or_else(|| plain(error.get()));
            return (code, plain(&words));
        }
        return (String::new(), plain(error.get().trim_matches('"')));
    }
    if let Some(text) = parsed.message.or(parsed.detail) {
        return (String::new(), plain(text.get().trim_matches('"')));
    }
    let text = String::from_utf8_lossy(body);
    (String::new(), if text.trim().is_empty() { "no reason given".to_owned() } else { plain(&text) })
}

/// One line of at most 600 characters, without control characters.
fn plain(text: &str) -> String {
    let mut out: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    out.retain(|c| !c.is_control());
    if let Some((cut, _)) = out.char_indices().nth(600) {
        out.truncate(cut);
        out.push('…');
    }
    out
}

/// How long the provider asks to wait: `retry-after-ms`, `retry-after` in seconds or as an HTTP date.
pub(crate) fn asked_wait(header: impl Fn(&str) -> Option<String>, now: SystemTime) -> Option<Duration> {
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
    use cutonce_core::conversation::Wire;

    fn verdict(status: u16, body: &str) -> Verdict {
        let mut endpoint = Endpoint::new("acme", Wire::Chat, "https://api.example/v1", "big-1");
        endpoint.key_env = Some("ACME_KEY".to_owned());
        endpoint.key = Some("sk-123456".to_owned().into());
        let (code, words) = words_of(body.as_bytes());
        Trouble::Provider { status, code, words, after: None }.verdict(&endpoint, true)
    }

    fn kind(status: u16, body: &str) -> Option<FaultKind> {
        match verdict(status, body) {
            Verdict::Final(error) => Some(error.kind),
            Verdict::Again { .. } | Verdict::WithoutThinking { .. } => None,
        }
    }

    #[test]
    fn mo_3_an_overflow_is_known_in_every_wording() {
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
    fn mo_3_too_long_an_answer_is_no_overflow() {
        let body =
            r#"{"message":"'max_tokens' is too large: 32000. This model's maximum context length is 4096 tokens."}"#;
        assert_eq!(kind(400, body), Some(FaultKind::Refused));
    }

    #[test]
    fn mo_3_which_statuses_are_final() {
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
    fn mo_3_final_errors_say_the_provider_s_words_and_what_to_do() {
        let Verdict::Final(error) = verdict(401, r#"{"error":{"message":"invalid x-api-key sk-123456"}}"#) else {
            panic!()
        };
        assert_eq!(error.message, "acme refused the key (401): invalid x-api-key [key]\nSet ACME_KEY to a valid key.");
        let Verdict::Final(error) = verdict(404, "<html>\n<h1>Not\tFound</h1></html>") else { panic!() };
        assert!(error.message.contains("`big-1` at https://api.example/v1 (404): <html> <h1>Not Found</h1></html>"));
    }

    #[test]
    fn mo_2_a_model_without_thinking_is_asked_without() {
        let body = r#"{"error":{"message":"\"llama\" does not support thinking"}}"#;
        assert!(matches!(verdict(400, body), Verdict::WithoutThinking { .. }));
    }

    #[test]
    fn mo_3_retry_after_in_all_its_forms() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        let wait = |name: &'static str, value: &'static str| {
            asked_wait(|asked| (asked == name).then(|| value.to_owned()), now).map(|wait| wait.as_millis())
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
    fn mo_3_a_long_wait_is_told_and_not_sat_out() {
        let endpoint = Endpoint::new("acme", Wire::Chat, "https://api.example/v1", "m");
        let after = Some(Duration::from_secs(3600));
        let trouble = Trouble::Provider { status: 429, code: String::new(), words: "limit".into(), after };
        let Verdict::Final(error) = trouble.verdict(&endpoint, false) else { panic!() };
        assert!(error.message.contains("asks to wait 3600 s"), "{error}");
    }
}
