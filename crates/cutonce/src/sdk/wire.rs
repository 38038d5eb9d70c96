//! What a host writes to our standard input, line by line: messages of the person, control requests, answers to ours.

use cutonce_core::conversation::Image;
use cutonce_core::submission::Submission;
use serde_json::Value;
use std::io::{BufRead, Read};
use tokio::sync::mpsc;

/// No line is longer; images come in base64.
const LONGEST: u64 = 64 << 20;

/// A line, understood.
#[derive(Debug)]
pub enum Line {
    User {
        submission: Submission,
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
    let value: Value = match serde_json::from_slice(line) {
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
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    match &value["message"]["content"] {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str() {
                    Some("text") => texts.extend(block["text"].as_str().map(str::to_string)),
                    Some("image") => images.extend(image(&block["source"])),
                    _ => return Line::Broken(format!("a user message can't hold a block of type {}", block["type"])),
                }
            }
        }
        _ => return Line::Broken("`message.content` must be text or a list of blocks".into()),
    }
    let submission = Submission::User { text: texts.join("\n"), images };
    Line::User { submission, uuid: value["uuid"].as_str().map(str::to_string) }
}

fn image(source: &Value) -> Option<Image> {
    let media_type = source["media_type"].as_str()?.to_string();
    Some(Image { media_type, data: source["data"].as_str()?.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Line {
        understand(line.as_bytes())
    }

    #[test]
    fn cl_2_stream_json_input_takes_text_and_blocks() {
        let text = read(r#"{"type":"user","message":{"role":"user","content":"hi"}}"#);
        assert!(matches!(text, Line::User { submission: Submission::User { text, .. }, .. } if text == "hi"));
        let blocks = r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{"media_type":"image/png","data":"QQ=="}}]}}"#;
        assert!(
            matches!(read(blocks), Line::User { submission: Submission::User { text, images }, .. } if text == "a" && images.len() == 1)
        );
    }

    #[test]
    fn ho_3_answers_are_answers_and_garbage_is_named() {
        let yes =
            read(r#"{"type":"control_response","response":{"subtype":"success","request_id":"r","response":{"a":1}}}"#);
        assert!(matches!(yes, Line::Response { id, result: Ok(value) } if id == "r" && value["a"] == 1));
        let no = read(r#"{"type":"control_response","response":{"subtype":"error","request_id":"r","error":"e"}}"#);
        assert!(matches!(no, Line::Response { result: Err(why), .. } if why == "e"));
        assert!(matches!(read("{nope"), Line::Broken(_)));
        assert!(matches!(read("[]"), Line::Broken(_)));
        assert!(matches!(read(r#"{"type":"news"}"#), Line::Unknown(kind) if kind == "news"));
    }
}
