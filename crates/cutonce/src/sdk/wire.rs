//! What a host writes to our standard input, line by line: messages of the person, control requests, answers to ours.

use cutonce_core::conversation::Image;
use cutonce_core::image::{self, ImageError};
use cutonce_core::submission::Submission;
use cutonce_core::surrogates;
use serde_json::Value;
use std::io::{BufRead, Read};
use tokio::sync::mpsc;

/// No line is longer; images come in base64.
const LONGEST: u64 = 64 << 20;

/// A line, understood.
#[derive(Debug)]
pub enum Line {
    User {
        /// What was said, or why it can't be taken: that is the message's result.
        said: Result<Submission, String>,
        /// The host's own id of the message.
        uuid: Option<String>,
    },
    /// To be answered exactly once.
    Request { id: Value, request: Value },
    /// The answer to a request of ours.
    Response { id: String, result: Result<Value, String> },
    /// Nothing to do: signs of life, withdrawn requests that were answered at once.
    Ignored,
    /// A type that we do not know: told, and left alone (HO-3).
    Unknown(String),
    /// No message at all: nothing that follows could be trusted.
    Broken(String),
}

/// A thread reads lines, since standard input can't be read without blocking; it ends with the input.
pub fn lines_of_stdin() -> mpsc::UnboundedReceiver<Line> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut text = Vec::new();
        loop {
            text.clear();
            let line = match stdin.by_ref().take(LONGEST).read_until(b'\n', &mut text) {
                Ok(0) => return,
                Ok(read) if read as u64 == LONGEST => Line::Broken(format!("it is longer than {LONGEST} bytes")),
                Ok(_) if text.trim_ascii().is_empty() => continue,
                Ok(_) => understand(&text),
                Err(error) => Line::Broken(error.to_string()),
            };
            let broken = matches!(line, Line::Broken(_));
            if sender.send(line).is_err() || broken {
                return;
            }
        }
    });
    receiver
}

pub fn understand(line: &[u8]) -> Line {
    let value: Value = match serde_json::from_slice(line).or_else(|error| mended(line).ok_or(error)) {
        Ok(value) => value,
        Err(error) => return Line::Broken(error.to_string()),
    };
    match value["type"].as_str() {
        Some("user") => user(&value),
        Some("control_request") => Line::Request { id: value["request_id"].clone(), request: value["request"].clone() },
        Some("control_response") => response(&value["response"]),
        Some("keep_alive" | "control_cancel_request") => Line::Ignored,
        Some(other) => Line::Unknown(other.chars().take(60).collect()),
        None => Line::Broken("the field `type` is missing".into()),
    }
}

/// A text that was cut in the middle of a character is no broken line.
fn mended(line: &[u8]) -> Option<Value> {
    let mut line = line.to_vec();
    surrogates::mend(&mut line).then(|| serde_json::from_slice(&line).ok())?
}

fn response(response: &Value) -> Line {
    let id = response["request_id"].as_str().unwrap_or_default().to_string();
    let result = match response["subtype"].as_str() {
        Some("success") => Ok(response["response"].clone()),
        _ => Err(response["error"].as_str().unwrap_or("the host gave no reason").to_string()),
    };
    Line::Response { id, result }
}

/// Text, or a list of content blocks.
fn user(value: &Value) -> Line {
    let said = match &value["message"]["content"] {
        Value::String(text) => Ok((text.clone(), Vec::new())),
        Value::Array(blocks) => read(blocks),
        _ => return Line::Broken("`message.content` must be text or a list of blocks".into()),
    };
    // Put together by a program: no part of it is a command or a mention. Not asking for an answer: it only joins.
    let (verbatim, silent) = (value["client_composed"] == true, value["shouldQuery"] == false);
    let said = said.map(|(text, images)| match verbatim || silent {
        true => Submission::Composed { text, images, verbatim, silent },
        false => Submission::User { text, images },
    });
    Line::User { said, uuid: value["uuid"].as_str().map(str::to_string) }
}

fn read(blocks: &[Value]) -> Result<(String, Vec<Image>), String> {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => texts.extend(block["text"].as_str().map(str::to_string)),
            Some("image") => images.push(picture(&block["source"])?),
            _ => return Err(format!("A message of the user can't hold a block of type {}.", brief(&block["type"]))),
        }
    }
    Ok((texts.join("\n"), images))
}

/// An image that is left out would be talked about as if it had been seen.
fn picture(source: &Value) -> Result<Image, String> {
    let wanted = "expected {\"type\": \"base64\", \"media_type\": \"image/png\", \"data\": …}";
    let missing = |what: String| Err(format!("An image of the message can't be used: {what}; {wanted}."));
    if !source["type"].is_null() && source["type"] != "base64" {
        return missing(format!("`source.type` is {}", brief(&source["type"])));
    }
    if source["media_type"].as_str().is_none_or(|kind| !kind.starts_with("image/")) {
        return missing(format!("`source.media_type` is {}", brief(&source["media_type"])));
    }
    match source["data"].as_str().map(|data| image::given(data.into())) {
        Some(Ok(image)) => Ok(image),
        Some(Err(ImageError::NoBase64)) => missing("`source.data` is empty or no base64".into()),
        // A conversation that holds such an image is refused again at every request (AG-4).
        Some(Err(why)) => Err(format!("An image of the message can't be used: {why}.")),
        None => missing("`source.data` is missing".into()),
    }
}

fn brief(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(line: &str) -> Line {
        understand(line.as_bytes())
    }

    #[test]
    fn cl_2_stream_json_input_takes_text_and_blocks() {
        let text = line(r#"{"type":"user","message":{"role":"user","content":"hi"}}"#);
        assert!(matches!(text, Line::User { said: Ok(Submission::User { text, .. }), .. } if text == "hi"));
        let blocks = r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{"media_type":"image/png","data":"R0lGODlhCQAHAIA="}}]}}"#;
        assert!(
            matches!(line(blocks), Line::User { said: Ok(Submission::User { text, images }), .. } if text == "a" && images.len() == 1)
        );
    }

    #[test]
    fn ho_3_answers_are_answers_and_garbage_is_named() {
        let yes =
            line(r#"{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"a":1}}}"#);
        assert!(matches!(yes, Line::Response { id, result: Ok(value) } if id == "r" && value["a"] == 1));
        let no = line(r#"{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"e"}}"#);
        assert!(matches!(no, Line::Response { result: Err(why), .. } if why == "e"));
        let half = line(r#"{"type":"user","message":{"content":"nice \ud83d"}}"#);
        assert!(matches!(half, Line::User { said: Ok(Submission::User { text, .. }), .. } if text == "nice \u{fffd}"));
        assert!(matches!(line("{nope"), Line::Broken(_)));
        assert!(matches!(line("[]"), Line::Broken(_)));
        assert!(matches!(line(r#"{"type":"news"}"#), Line::Unknown(kind) if kind == "news"));
    }
}
