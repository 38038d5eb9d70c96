//! Forms of MCP servers that ask the user during a call (DU-10): from a schema to questions, from answers to values.
//!
//! The schema is untrusted. Only flat forms with texts, numbers, yes or no, and choices are shown.

use crate::protocol::event::{Question, QuestionOption};
use crate::text::sanitize::{one_line, sanitize};
use crate::text::truncate::truncate_chars;
use serde_json::{Map, Value, json};

/// Maximum number of fields of a form and of choices of a field.
const MAX_FIELDS: usize = 12;
const MAX_CHOICES: usize = 60;
/// Maximum characters of a server's message, of a field's description and of a label.
const MAX_MESSAGE: usize = 1_000;
const MAX_DESCRIPTION: usize = 300;
const MAX_LABEL: usize = 80;
const LEAVE_EMPTY: &str = "Leave empty";
const AGREE: &str = "Yes";
const REFUSE: &str = "No";

/// A form that a server wants filled in.
#[derive(Debug, Clone, PartialEq)]
pub struct ElicitationForm {
    server: String,
    message: String,
    fields: Vec<FormField>,
}

#[derive(Debug, Clone, PartialEq)]
struct FormField {
    name: String,
    /// The title or name, with the description.
    text: String,
    required: bool,
    kind: FieldKind,
    default: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
enum FieldKind {
    Text {
        min: u64,
        max: u64,
        format: Option<String>,
    },
    Number {
        whole: bool,
        min: Option<f64>,
        max: Option<f64>,
    },
    Boolean,
    /// Each label with its value; several may be chosen if `most` is over 1.
    Choice {
        choices: Vec<(String, Value)>,
        least: usize,
        most: usize,
    },
}

/// Why a form can't be shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormError(String);

/// Why an answer doesn't fit its field, for the user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct FieldError {
    /// The index of the field.
    pub field: usize,
    why: String,
}

/// What is wrong with an answer.
#[derive(Debug, thiserror::Error)]
enum WrongAnswer {
    #[error("give one answer")]
    NotOne,
    #[error("answer Yes or No")]
    NotYesOrNo,
    #[error("choose from the list")]
    NotListed,
    #[error("choose {least} to {most}")]
    Count { least: usize, most: usize },
    #[error("expected {0}")]
    Expected(String),
}

impl ElicitationForm {
    /// Reads the params of `elicitation/create`. `server` is the name that the user knows.
    pub fn parse(server: &str, params: &Value) -> Result<ElicitationForm, FormError> {
        if params["mode"].as_str().is_some_and(|mode| mode != "form") {
            return Err(FormError("only forms are supported".into()));
        }
        let schema = &params["requestedSchema"];
        let properties = match &schema["properties"] {
            Value::Object(properties) => properties.clone(),
            Value::Null => Map::new(),
            _ => return Err(FormError("`properties` is not an object".into())),
        };
        if properties.len() > MAX_FIELDS {
            return Err(FormError(format!("it has {} fields, and at most {MAX_FIELDS} are shown", properties.len())));
        }
        let is_required = |name: &str| {
            schema["required"].as_array().is_some_and(|list| list.iter().any(|one| one.as_str() == Some(name)))
        };
        let fields = properties.iter().map(|(name, field)| FormField::parse(name, field, is_required(name)));
        let message = one_line(&sanitize(params["message"].as_str().unwrap_or_default()));
        Ok(ElicitationForm {
            server: one_line(server),
            message: truncate_chars(message.trim(), MAX_MESSAGE),
            fields: fields.collect::<Result<_, _>>()?,
        })
    }

    /// The server's message on one line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// One question for each field, or one yes-or-no question.
    pub fn questions(&self) -> Vec<Question> {
        let asks = format!("The MCP server {} asks: {}", self.server, self.message);
        if self.fields.is_empty() {
            return vec![self.question(asks, &[AGREE.into(), REFUSE.into()], false)];
        }
        let one = |(at, field): (usize, &FormField)| {
            let text = if at == 0 { format!("{asks} {}", field.about()) } else { field.about() };
            self.question(text, &field.labels(), field.is_multiple())
        };
        self.fields.iter().enumerate().map(one).collect()
    }

    /// The question of a field whose answer did not fit.
    pub fn question_again(&self, wrong: &FieldError) -> Vec<Question> {
        let field = self.fields.get(wrong.field);
        let one = |field: &FormField| {
            let text = format!("{wrong} The MCP server {} asks: {}", self.server, field.about());
            self.question(text, &field.labels(), field.is_multiple())
        };
        field.map(one).into_iter().collect()
    }

    fn question(&self, question: String, labels: &[String], multi_select: bool) -> Question {
        let option =
            |label: &String| QuestionOption { label: label.clone(), description: String::new(), preview: None };
        let (header, options) = (truncate_chars(&self.server, 12), labels.iter().map(option).collect());
        Question { question, header, options, multi_select }
    }

    /// The values for the answers; `None` if the user refused a yes-or-no question.
    pub fn fill(&self, answers: &[Vec<String>]) -> Result<Option<Map<String, Value>>, FieldError> {
        if self.fields.is_empty() {
            let agreed = answers.first().is_some_and(|given| given.len() == 1 && given[0] == AGREE);
            return Ok(agreed.then(Map::new));
        }
        let mut values = Map::new();
        for (at, field) in self.fields.iter().enumerate() {
            let given = answers.get(at).map(Vec::as_slice).unwrap_or_default();
            let wrong = |error: WrongAnswer| FieldError { field: at, why: format!("«{}»: {error}.", field.text) };
            if let Some(value) = field.value(given).map_err(wrong)? {
                values.insert(field.name.clone(), value);
            }
        }
        Ok(Some(values))
    }
}

impl FormField {
    fn parse(name: &str, schema: &Value, required: bool) -> Result<FormField, FormError> {
        let text_of = |key: &str, most: usize| {
            let text = schema[key].as_str().map(|text| one_line(&sanitize(text)));
            text.map(|text| truncate_chars(text.trim(), most)).filter(|text| !text.is_empty())
        };
        let title =
            text_of("title", MAX_LABEL).unwrap_or_else(|| truncate_chars(&one_line(&sanitize(name)), MAX_LABEL));
        let kind = FieldKind::parse(&title, schema)?;
        let text = match text_of("description", MAX_DESCRIPTION) {
            Some(description) => format!("{title}: {description}"),
            None => title,
        };
        let default = Some(schema["default"].clone()).filter(|default| kind.accepts(default));
        Ok(FormField { name: name.to_string(), text, required, kind, default })
    }

    /// The text with the limits.
    fn about(&self) -> String {
        let limits = self.limits();
        if limits.is_empty() { self.text.clone() } else { format!("{} ({limits})", self.text) }
    }

    fn is_multiple(&self) -> bool {
        matches!(self.kind, FieldKind::Choice { most, .. } if most > 1)
    }

    /// The labels of the options: choices, the default, and leaving an optional field empty.
    fn labels(&self) -> Vec<String> {
        let mut labels: Vec<String> = match &self.kind {
            FieldKind::Choice { choices, .. } => choices.iter().map(|(label, _)| label.clone()).collect(),
            FieldKind::Boolean => vec![AGREE.into(), REFUSE.into()],
            FieldKind::Text { .. } | FieldKind::Number { .. } => {
                self.default.iter().map(|value| truncate_chars(&shown(value), MAX_LABEL)).collect()
            }
        };
        if !self.required {
            labels.push(self.empty_label());
        }
        labels
    }

    /// A label that is not one of the choices.
    fn empty_label(&self) -> String {
        let taken = |label: &str| match &self.kind {
            FieldKind::Choice { choices, .. } => choices.iter().any(|(known, _)| known == label),
            FieldKind::Boolean | FieldKind::Text { .. } | FieldKind::Number { .. } => false,
        };
        if taken(LEAVE_EMPTY) { format!("{LEAVE_EMPTY} (no answer)") } else { LEAVE_EMPTY.into() }
    }

    fn limits(&self) -> String {
        let range = |min: Option<String>, max: Option<String>, what: &str| match (min, max) {
            (None, None) => what.to_string(),
            (Some(min), None) => format!("{what}, at least {min}"),
            (None, Some(max)) => format!("{what}, at most {max}"),
            (Some(min), Some(max)) => format!("{what} from {min} to {max}"),
        };
        match &self.kind {
            FieldKind::Text { min, max, format } => {
                let length = |n: u64| format!("{n} characters");
                let what = format.clone().unwrap_or_default();
                let what = if what.is_empty() && (*min > 1 || *max != u64::MAX) { "text".into() } else { what };
                range((*min > 1).then(|| length(*min)), (*max != u64::MAX).then(|| length(*max)), &what)
            }
            FieldKind::Number { whole, min, max } => {
                let what = if *whole { "a whole number" } else { "a number" };
                range(min.map(|min| min.to_string()), max.map(|max| max.to_string()), what)
            }
            FieldKind::Boolean | FieldKind::Choice { .. } => String::new(),
        }
    }

    /// The value for an answer; `None` if the field stays empty. The error says what is expected.
    fn value(&self, answer: &[String]) -> Result<Option<Value>, WrongAnswer> {
        let empty = answer.is_empty() || (answer.len() == 1 && answer[0] == self.empty_label());
        if empty && !self.required {
            return Ok(None);
        }
        if let FieldKind::Choice { choices, least, most } = &self.kind {
            return chosen_value(choices, (*least, *most), answer).map(Some);
        }
        let [text] = answer else { return Err(WrongAnswer::NotOne) };
        let text = text.trim();
        let from_default = self.default.as_ref().filter(|value| truncate_chars(&shown(value), MAX_LABEL) == text);
        let value = match &self.kind {
            _ if from_default.is_some() => from_default.cloned(),
            FieldKind::Boolean => match text {
                AGREE => Some(true.into()),
                REFUSE => Some(false.into()),
                _ => None,
            },
            FieldKind::Number { whole: true, .. } => text.parse::<i64>().ok().map(Value::from),
            FieldKind::Number { .. } => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
            FieldKind::Text { .. } | FieldKind::Choice { .. } => Some(text.into()),
        };
        let expected = || match &self.kind {
            FieldKind::Boolean => WrongAnswer::NotYesOrNo,
            FieldKind::Text { .. } | FieldKind::Number { .. } | FieldKind::Choice { .. } => {
                WrongAnswer::Expected(self.limits())
            }
        };
        value.filter(|value| self.kind.accepts(value)).map(Some).ok_or_else(expected)
    }
}

/// The value of the chosen labels, or the list of them if several may be chosen.
fn chosen_value(
    choices: &[(String, Value)],
    (least, most): (usize, usize),
    answer: &[String],
) -> Result<Value, WrongAnswer> {
    let value = |label: &String| choices.iter().find(|(known, _)| known == label).map(|(_, value)| value.clone());
    let chosen: Vec<Value> = answer.iter().map(value).collect::<Option<_>>().ok_or(WrongAnswer::NotListed)?;
    match (chosen.as_slice(), most) {
        ([one], 1) => Ok(one.clone()),
        (_, 1) => Err(WrongAnswer::NotOne),
        (several, most) if (least..=most).contains(&several.len()) => Ok(chosen.into()),
        (_, most) => Err(WrongAnswer::Count { least, most }),
    }
}

impl FieldKind {
    fn parse(title: &str, schema: &Value) -> Result<FieldKind, FormError> {
        let several = schema["type"] == "array";
        let list = if several { &schema["items"] } else { schema };
        if let Some(choices) = parse_choices(title, list)? {
            let limit = |key: &str, default: usize| {
                schema[key].as_u64().map_or(default, |n| usize::try_from(n).unwrap_or(usize::MAX))
            };
            let most = if several { limit("maxItems", choices.len()).clamp(2, choices.len().max(2)) } else { 1 };
            return Ok(FieldKind::Choice { choices, least: limit("minItems", 1).min(most), most });
        }
        match schema["type"].as_str() {
            Some("string") => Ok(FieldKind::Text {
                min: schema["minLength"].as_u64().unwrap_or(1),
                max: schema["maxLength"].as_u64().unwrap_or(u64::MAX),
                format: match schema["format"].as_str() {
                    Some("email") => Some("an e-mail address".into()),
                    Some("uri") => Some("an address with ://".into()),
                    Some("date") => Some("a date such as 2026-01-31".into()),
                    Some("date-time") => Some("a time such as 2026-01-31T12:00:00Z".into()),
                    _ => None,
                },
            }),
            Some(kind @ ("number" | "integer")) => {
                let (min, max) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
                Ok(FieldKind::Number { whole: kind == "integer", min, max })
            }
            Some("boolean") => Ok(FieldKind::Boolean),
            other => {
                let got = truncate_chars(&one_line(other.unwrap_or("no type")), MAX_LABEL);
                Err(FormError(format!("{title:?} is {got:?}, not a text, number, yes or no, or choice")))
            }
        }
    }

    fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (FieldKind::Boolean, Value::Bool(_)) => true,
            (FieldKind::Text { min, max, format }, Value::String(text)) => {
                (*min..=*max).contains(&(text.chars().count() as u64)) && has_format(text, format.as_deref())
            }
            (FieldKind::Number { whole, min, max }, Value::Number(number)) => {
                let number = number.as_f64().unwrap_or(f64::NAN);
                min.is_none_or(|min| number >= min)
                    && max.is_none_or(|max| number <= max)
                    && (!whole || number.fract() == 0.0)
            }
            // A default among choices is shown by the choices themselves.
            _ => false,
        }
    }
}

/// The choices of a schema; `None` if it has none.
fn parse_choices(title: &str, schema: &Value) -> Result<Option<Vec<(String, Value)>>, FormError> {
    let pairs: Vec<(String, Value)> = match (&schema["enum"], schema["oneOf"].as_array().or(schema["anyOf"].as_array()))
    {
        (Value::Array(values), _) => {
            let names = schema["enumNames"].as_array();
            let name = |at: usize, value: &Value| {
                names.and_then(|names| names.get(at)?.as_str()).map_or_else(|| shown(value), str::to_string)
            };
            values.iter().enumerate().map(|(at, value)| (name(at, value), value.clone())).collect()
        }
        (_, Some(list)) => {
            let pair = |one: &Value| {
                let name = one["title"].as_str().map_or_else(|| shown(&one["const"]), str::to_string);
                (name, one["const"].clone())
            };
            list.iter().map(pair).collect()
        }
        (_, None) => return Ok(None),
    };
    if pairs.is_empty() || pairs.len() > MAX_CHOICES || pairs.iter().any(|(_, value)| !value.is_string()) {
        let why = format!("{title:?} has {} choices; 1 to {MAX_CHOICES} texts can be shown", pairs.len());
        return Err(FormError(why));
    }
    let mut choices: Vec<(String, Value)> = Vec::new();
    for (label, value) in pairs {
        let label = truncate_chars(one_line(&sanitize(&label)).trim(), MAX_LABEL);
        // Two labels that look the same would hide which one is chosen.
        if choices.iter().any(|(known, _)| *known == label) {
            return Err(FormError(format!("{title:?} has the choice {label:?} twice")));
        }
        choices.push((label, value));
    }
    Ok(Some(choices))
}

fn has_format(text: &str, format: Option<&str>) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let date = |text: &str| {
        let parts: Vec<&str> = text.split('-').collect();
        parts.iter().map(|part| part.len()).eq([4, 2, 2]) && parts.iter().all(|part| digits(part))
    };
    match format {
        Some("an e-mail address") => {
            text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
        }
        Some("an address with ://") => {
            text.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty())
        }
        Some("a date such as 2026-01-31") => date(text),
        Some(_) => text.split_once('T').is_some_and(|(day, time)| date(day) && time.contains(':')),
        None => true,
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| one_line(&sanitize(text)))
}

/// The input under which hosts see the questions.
pub fn questions_input(questions: &[Question]) -> Value {
    json!({"questions": questions})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(properties: Value, required: &[&str]) -> Result<ElicitationForm, FormError> {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        ElicitationForm::parse("notes", &json!({"message": "Fill\nin\u{1b}[31m", "requestedSchema": schema}))
    }

    fn fill(form: &ElicitationForm, answers: &[&[&str]]) -> Result<Value, String> {
        let answers: Vec<Vec<String>> =
            answers.iter().map(|given| given.iter().map(|text| text.to_string()).collect()).collect();
        form.fill(&answers).map(|values| json!(values)).map_err(|error| error.to_string())
    }

    #[test]
    fn du_10_each_field_becomes_a_question() {
        let properties = json!({
            "name": {"type": "string", "title": "Your name", "maxLength": 5},
            "age": {"type": "integer", "minimum": 1, "maximum": 150, "default": 30},
            "news": {"type": "boolean"},
            "color": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
            "tags": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}]}},
        });
        let form = form(properties, &["name", "age", "news", "color"]).unwrap();
        let asked = form.questions();
        assert_eq!(asked[0].question, "The MCP server notes asks: Fill ⏎ in Your name (text, at most 5 characters)");
        let labels = |at: usize| asked[at].options.iter().map(|one| one.label.as_str()).collect::<Vec<_>>();
        assert!(labels(0).is_empty());
        assert_eq!((labels(1), labels(2)), (vec!["30"], vec!["Yes", "No"]));
        assert_eq!((labels(3), labels(4)), (vec!["Red", "Green"], vec!["A", "B", "Leave empty"]));
        assert!(asked[4].multi_select && !asked[3].multi_select);
        let all = [&["Ada"] as &[&str], &["30"], &["No"], &["Green"], &["A", "B"]];
        let filled = json!({"name": "Ada", "age": 30, "news": false, "color": "g", "tags": ["a", "b"]});
        assert_eq!(fill(&form, &all), Ok(filled));
        let wrong = [
            (0, "Ludwig", "expected text, at most 5 characters"),
            (1, "abc", "expected a whole number from 1 to 150"),
            (1, "151", "expected a whole number"),
            (1, "2.5", "expected a whole number"),
            (2, "maybe", "answer Yes or No"),
            (3, "Blue", "choose from the list"),
        ];
        for (at, text, why) in wrong {
            let mut answers = all;
            let given = [text];
            answers[at] = &given;
            let error = fill(&form, &answers).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert_eq!(
            fill(&form, &[&["Ada"], &["1"], &["Yes"], &["Red"], &["Leave empty"]]).unwrap()["tags"],
            Value::Null
        );
        assert!(fill(&form, &[]).unwrap_err().contains("Your name"));
    }

    #[test]
    fn du_10_a_form_without_fields_is_yes_or_no() {
        let form = form(json!({}), &[]).unwrap();
        assert_eq!(form.questions().len(), 1);
        assert_eq!((fill(&form, &[&["Yes"]]), fill(&form, &[&["No"]])), (Ok(json!({})), Ok(Value::Null)));
        assert_eq!(fill(&form, &[]), Ok(Value::Null));
    }

    #[test]
    fn du_10_bad_forms_are_refused_with_a_reason() {
        let many: Map<String, Value> = (0..13).map(|n| (n.to_string(), json!({"type": "string"}))).collect();
        let wide: Vec<String> = (0..61).map(|n| n.to_string()).collect();
        let bad = [
            (json!({"a": {"type": "object", "properties": {}}}), "\"a\" is \"object\""),
            (json!({"a": {}}), "\"a\" is \"no type\""),
            (json!({"a": 7}), "\"a\" is \"no type\""),
            (json!({"a": {"enum": []}}), "has 0 choices"),
            (json!({"a": {"enum": wide}}), "has 61 choices"),
            (json!({"a": {"enum": ["x", "x\u{1b}[0m"]}}), "twice"),
            (json!({"a": {"enum": [1, 2]}}), "choices"),
            (json!([1]), "is not an object"),
            (Value::Object(many), "13 fields"),
        ];
        for (properties, why) in bad {
            let error = form(properties.clone(), &[]).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(why), "{properties}: {error}");
        }
        let url = ElicitationForm::parse("s", &json!({"mode": "url", "url": "https://x", "message": "m"}));
        assert!(url.unwrap_err().to_string().contains("only forms"));
    }
}
