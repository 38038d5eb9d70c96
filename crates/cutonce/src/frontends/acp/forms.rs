//! Questions as a form (DU-10), for clients that announce forms: `elicitation/create`. Other clients get permission
//! requests, which have no text fields.

use super::asks::ClientResponse;
use agent_client_protocol::v1::schema::{CreateElicitationRequest, CreateElicitationResponse, SessionId, ToolCallId};
use agent_client_protocol::{Error, is_connection_terminated, is_incoming_transport_closed};
use cutonce_core::protocol::event::Question;
use cutonce_core::text::sanitize::sanitize;
use serde_json::{Map, Value, json};

/// The request for these questions; `None` if it can't be made.
pub(super) fn build_form(
    questions: &[Question],
    session: &SessionId,
    call: &ToolCallId,
) -> Option<CreateElicitationRequest> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for (at, question) in questions.iter().enumerate() {
        let (title, description) = (sanitize(&question.header), sanitize(&question.question));
        let choices: Vec<Value> = question
            .options
            .iter()
            .map(|option| json!({"const": option.label, "title": sanitize(&option.label)}))
            .collect();
        let field = match (choices.is_empty(), question.multi_select) {
            (true, _) => {
                required.push(choice_name(at));
                json!({"type": "string", "title": title, "description": description})
            }
            (false, true) => {
                json!({"type": "array", "title": title, "description": description, "items": {"anyOf": choices}})
            }
            (false, false) => json!({"type": "string", "title": title, "description": description, "oneOf": choices}),
        };
        properties.insert(choice_name(at), field);
        if !question.options.is_empty() {
            let own = json!({"type": "string", "title": format!("{title}: in your own words")});
            properties.insert(text_name(at), own);
        }
    }
    let message = questions.first().map(|question| sanitize(&question.question).into_owned())?;
    let schema = json!({"type": "object", "properties": properties, "required": required});
    let request = json!({"mode": "form", "sessionId": session, "toolCallId": call, "message": message, "requestedSchema": schema});
    serde_json::from_value(request).ok()
}

/// The client's response: the answers in the order of the questions.
pub(super) fn form_response(result: Result<CreateElicitationResponse, Error>, questions: usize) -> ClientResponse {
    let response = match result {
        Err(error) if is_connection_terminated(&error) || is_incoming_transport_closed(&error) => {
            return ClientResponse::Disconnected;
        }
        Err(error) => return ClientResponse::Failed(format!("the client answered with an error: {}", error.message)),
        Ok(response) => serde_json::to_value(&response).unwrap_or_default(),
    };
    if response["action"] != "accept" {
        return ClientResponse::Cancelled;
    }
    let text = |name: String| match &response["content"][name] {
        Value::String(text) if text.trim().is_empty() => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().filter_map(|one| one.as_str().map(str::to_string)).collect(),
        Value::Number(number) => vec![number.to_string()],
        Value::Null | Value::Bool(_) | Value::Object(_) => Vec::new(),
    };
    let answer =
        |at: usize| Some(text(text_name(at))).filter(|own| !own.is_empty()).unwrap_or_else(|| text(choice_name(at)));
    ClientResponse::Answers((0..questions).map(answer).collect())
}

fn choice_name(at: usize) -> String {
    format!("answer{}", at + 1)
}

fn text_name(at: usize) -> String {
    format!("text{}", at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::protocol::event::QuestionOption;

    #[test]
    fn du_10_questions_become_a_form_and_come_back() {
        let option = |label: &str| QuestionOption { label: label.into(), description: String::new(), preview: None };
        let question = |labels: &[&str], multi_select| Question {
            question: "Which?".into(),
            header: "h".into(),
            options: labels.iter().map(|label| option(label)).collect(),
            multi_select,
        };
        let questions = [question(&["a", "b"], false), question(&["x", "y"], true), question(&[], false)];
        let form = build_form(&questions, &SessionId::new("s"), &ToolCallId::new("c")).unwrap();
        let form = serde_json::to_value(&form).unwrap();
        assert_eq!((&form["mode"], &form["sessionId"]), (&json!("form"), &json!("s")));
        assert_eq!(form["requestedSchema"]["required"], json!(["answer3"]));
        let said = |content: Value| serde_json::from_value(json!({"action": "accept", "content": content})).unwrap();
        let back = |content: Value| match form_response(Ok(said(content)), 3) {
            ClientResponse::Answers(answers) => answers,
            _ => panic!("not answered"),
        };
        let own = json!({"answer1": "a", "text1": "mine", "answer2": ["x", "y"], "answer3": "free"});
        assert_eq!(back(own), [vec!["mine"], vec!["x", "y"], vec!["free"]]);
        assert_eq!(back(json!({})), [Vec::<String>::new(), vec![], vec![]]);
        let declined = serde_json::from_value(json!({"action": "decline"})).unwrap();
        assert!(matches!(form_response(Ok(declined), 3), ClientResponse::Cancelled));
    }
}
