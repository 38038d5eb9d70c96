//! What a host writes to our standard input with `--input-format stream-json`: user messages and control requests.

use cutonce_core::conversation::Image;
use cutonce_core::mode::Mode;
use cutonce_core::submission::{By, Submission};
use serde_json::{Value, json};
use std::io::BufRead;
use tokio::sync::mpsc;

/// A line, understood.
#[derive(Debug)]
pub enum Line {
    User(Submission),
    /// Answer it, and do this.
    Control {
        reply: Value,
        submission: Option<Submission>,
    },
    /// A type we do not know: left alone, as the protocol says.
    Ignored,
    Broken(String),
}

/// A thread reads lines, since standard input can't be read without blocking; it ends with the input.
pub fn lines_of_stdin() -> mpsc::UnboundedReceiver<Line> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let line = match line {
                Ok(line) if line.trim().is_empty() => continue,
                Ok(line) => understand(&line),
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

pub fn understand(line: &str) -> Line {
    let value: Value = match serde_json::from_str(line) {
        Ok(value) => value,
        Err(error) => return Line::Broken(error.to_string()),
    };
    match value["type"].as_str() {
        Some("user") => user(&value["message"]["content"]),
        Some("control_request") => control(&value["request_id"], &value["request"]),
        Some(_) => Line::Ignored,
        None => Line::Broken("the field `type` is missing".into()),
    }
}

/// Text, or a list of content blocks.
fn user(content: &Value) -> Line {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    match content {
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
    Line::User(Submission::User { text: texts.join("\n"), images })
}

fn image(source: &Value) -> Option<Image> {
    let media_type = source["media_type"].as_str()?.to_string();
    Some(Image { media_type, data: source["data"].as_str()?.to_string() })
}

fn control(id: &Value, request: &Value) -> Line {
    let subtype = request["subtype"].as_str().unwrap_or_default();
    let ok = |payload: Value, submission| Line::Control {
        reply: json!({"type": "control_response", "response": {"subtype": "success", "request_id": id, "response": payload}}),
        submission,
    };
    let refuse = |error: String| Line::Control {
        reply: json!({"type": "control_response", "response": {"subtype": "error", "request_id": id, "error": error}}),
        submission: None,
    };
    match subtype {
        "initialize" => ok(
            json!({"commands": [], "agents": [], "output_style": "default", "available_output_styles": ["default"],
                "models": [], "account": {}, "pid": std::process::id()}),
            None,
        ),
        "interrupt" => ok(json!({"still_queued": []}), Some(Submission::Interrupt)),
        "set_permission_mode" => match request["mode"].as_str().and_then(Mode::parse) {
            Some(mode) => ok(json!({"mode": mode.name()}), Some(Submission::SetMode { mode, by: By::Host })),
            None => refuse(format!("Unknown permission mode: {}", request["mode"])),
        },
        "set_model" => match request["model"].as_str() {
            Some(model) => ok(json!({"model": model}), Some(Submission::SetModel { model: model.into() })),
            None => refuse("`model` must be a name".into()),
        },
        other => refuse(format!("Unsupported control request subtype: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cl_2_stream_json_input_takes_text_and_blocks() {
        let text = understand(r#"{"type":"user","message":{"role":"user","content":"hi"}}"#);
        assert!(matches!(text, Line::User(Submission::User { text, .. }) if text == "hi"));
        let blocks = r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},{"type":"image","source":{"media_type":"image/png","data":"QQ=="}}]}}"#;
        assert!(
            matches!(understand(blocks), Line::User(Submission::User { text, images }) if text == "a" && images.len() == 1)
        );
    }

    #[test]
    fn ho_3_unknown_requests_get_an_error_and_garbage_is_named() {
        let line = understand(r#"{"type":"control_request","request_id":"r","request":{"subtype":"dance"}}"#);
        assert!(matches!(line, Line::Control { reply, submission: None }
            if reply["response"]["error"] == "Unsupported control request subtype: dance"));
        assert!(matches!(understand("{nope"), Line::Broken(_)));
        assert!(matches!(understand(r#"{"type":"news"}"#), Line::Ignored));
    }
}
