//! Parses the host's lines on stdin: user messages, control requests, and answers to ours.

use super::peer::RequestError;
use cutonce_core::conversation::Image;
use cutonce_core::image::{self, ImageError};
use cutonce_core::protocol::submission::Submission;
use cutonce_core::text::surrogates;
use serde_json::Value;
use std::io::{BufRead, Read};
use tokio::sync::mpsc;

/// Maximum length of a line; images come as base64.
const LONGEST: u64 = 64 << 20;

/// Why a user message can't be used; the text becomes its result.
#[derive(Debug, thiserror::Error)]
pub enum InvalidMessage {
    #[error("A user message can't contain a block of type {0}.")]
    BlockType(String),
    #[error(
        "Invalid image in the message: {0}; expected {{\"type\": \"base64\", \"media_type\": \"image/png\", \"data\": …}}."
    )]
    ImageSource(String),
    #[error("Invalid image in the message: {0}.")]
    Image(ImageError),
    #[error("{command} is not available in a host's message: send the control request `{request}`.")]
    NeedsControlRequest { command: &'static str, request: &'static str },
    #[error("/plan open needs an editor, which hosts do not have.")]
    NeedsEditor,
}

/// A parsed line.
#[derive(Debug)]
pub enum HostLine {
    User {
        /// The message, or why it is invalid; the error becomes its result.
        said: Result<Submission, InvalidMessage>,
        /// The host's id of the message.
        uuid: Option<String>,
    },
    /// Must be answered exactly once.
    Request { id: Value, request: Value },
    /// The answer to one of our requests.
    Response { id: String, result: Result<Value, RequestError> },
    /// Nothing to do: keep-alives, and withdrawn requests that were answered at once.
    Ignored,
    /// An unknown type: reported and ignored (HO-3).
    Unknown(String),
    /// Not a message: nothing after it could be trusted.
    Broken(String),
}

/// Reads lines in a thread, because stdin can't be read without blocking. The thread ends with the input.
pub fn lines_of_stdin() -> mpsc::UnboundedReceiver<HostLine> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut text = Vec::new();
        loop {
            text.clear();
            let line = match stdin.by_ref().take(LONGEST).read_until(b'\n', &mut text) {
                Ok(0) => return,
                Ok(read) if read as u64 == LONGEST => HostLine::Broken(format!("it is longer than {LONGEST} bytes")),
                Ok(_) if text.trim_ascii().is_empty() => continue,
                Ok(_) => parse_line(&text),
                Err(error) => HostLine::Broken(error.to_string()),
            };
            let broken = matches!(line, HostLine::Broken(_));
            if sender.send(line).is_err() || broken {
                return;
            }
        }
    });
    receiver
}

pub fn parse_line(line: &[u8]) -> HostLine {
    let value: Value = match serde_json::from_slice(line).or_else(|error| parse_repaired(line).ok_or(error)) {
        Ok(value) => value,
        Err(error) => return HostLine::Broken(error.to_string()),
    };
    match value["type"].as_str() {
        Some("user") => parse_user(&value),
        Some("control_request") => {
            HostLine::Request { id: value["request_id"].clone(), request: value["request"].clone() }
        }
        Some("control_response") => parse_response(&value["response"]),
        Some("keep_alive" | "control_cancel_request") => HostLine::Ignored,
        Some(other) => HostLine::Unknown(other.chars().take(60).collect()),
        None => HostLine::Broken("the field `type` is missing".into()),
    }
}

/// Repairs text that was cut in the middle of a character, and parses again.
fn parse_repaired(line: &[u8]) -> Option<Value> {
    let mut line = line.to_vec();
    surrogates::replace_lone_surrogates(&mut line).then(|| serde_json::from_slice(&line).ok())?
}

fn parse_response(response: &Value) -> HostLine {
    let id = response["request_id"].as_str().unwrap_or_default().to_string();
    let result = match response["subtype"].as_str() {
        Some("success") => Ok(response["response"].clone()),
        _ => {
            let why = response["error"].as_str().unwrap_or("the host gave no reason");
            Err(RequestError::Refused(why.to_string()))
        }
    };
    HostLine::Response { id, result }
}

/// A user message: text or a list of content blocks.
fn parse_user(value: &Value) -> HostLine {
    let said = match &value["message"]["content"] {
        Value::String(text) => Ok((text.clone(), Vec::new())),
        Value::Array(blocks) => parse_blocks(blocks),
        _ => return HostLine::Broken("`message.content` must be text or a list of blocks".into()),
    };
    // `client_composed`: a program built the text, so it has no commands or mentions. `shouldQuery: false`:
    // it joins without an answer.
    let (verbatim, silent) = (value["client_composed"] == true, value["shouldQuery"] == false);
    let said = said.map(|(text, images)| match verbatim || silent {
        true => Submission::HostMessage { text, images, verbatim, silent },
        false => Submission::User { text, images },
    });
    HostLine::User { said, uuid: value["uuid"].as_str().map(str::to_string) }
}

fn parse_blocks(blocks: &[Value]) -> Result<(String, Vec<Image>), InvalidMessage> {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => texts.extend(block["text"].as_str().map(str::to_string)),
            Some("image") => images.push(parse_image(&block["source"])?),
            _ => return Err(InvalidMessage::BlockType(short_json(&block["type"]))),
        }
    }
    Ok((texts.join("\n"), images))
}

/// An image is never dropped silently: the model would talk about it as if it had seen it.
fn parse_image(source: &Value) -> Result<Image, InvalidMessage> {
    let missing = |what: String| Err(InvalidMessage::ImageSource(what));
    if !source["type"].is_null() && source["type"] != "base64" {
        return missing(format!("`source.type` is {}", short_json(&source["type"])));
    }
    if source["media_type"].as_str().is_none_or(|kind| !kind.starts_with("image/")) {
        return missing(format!("`source.media_type` is {}", short_json(&source["media_type"])));
    }
    match source["data"].as_str().map(|data| image::image_from_base64(data.into())) {
        Some(Ok(image)) => Ok(image),
        Some(Err(ImageError::NotBase64)) => missing("`source.data` is empty or not base64".into()),
        // A provider would reject every later request with such an image (AG-4).
        Some(Err(why)) => Err(InvalidMessage::Image(why)),
        None => missing("`source.data` is missing".into()),
    }
}

fn short_json(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: &str) -> HostLine {
        parse_line(line.as_bytes())
    }

    #[test]
    fn cl_2_stream_json_accepts_text_and_blocks() {
        let text = line(r#"{"type":"user","message":{"role":"user","content":"hi"}}"#);
        assert!(matches!(text, HostLine::User { said: Ok(Submission::User { text, .. }), .. } if text == "hi"));
        let blocks = r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{"media_type":"image/png","data":"R0lGODlhCQAHAIA="}}]}}"#;
        assert!(
            matches!(line(blocks), HostLine::User { said: Ok(Submission::User { text, images }), .. } if text == "a" && images.len() == 1)
        );
    }

    #[test]
    fn ho_3_invalid_lines_are_reported() {
        let yes =
            line(r#"{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"a":1}}}"#);
        assert!(matches!(yes, HostLine::Response { id, result: Ok(value) } if id == "r" && value["a"] == 1));
        let no = line(r#"{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"e"}}"#);
        assert!(matches!(no, HostLine::Response { result: Err(RequestError::Refused(why)), .. } if why == "e"));
        let half = line(r#"{"type":"user","message":{"content":"nice \ud83d"}}"#);
        assert!(
            matches!(half, HostLine::User { said: Ok(Submission::User { text, .. }), .. } if text == "nice \u{fffd}")
        );
        assert!(matches!(line("{nope"), HostLine::Broken(_)));
        assert!(matches!(line("[]"), HostLine::Broken(_)));
        assert!(matches!(line(r#"{"type":"news"}"#), HostLine::Unknown(kind) if kind == "news"));
    }
}
