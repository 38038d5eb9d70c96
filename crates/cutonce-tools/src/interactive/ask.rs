//! AskUserQuestion (TL-9): asks one to four questions with choices; a free answer is always possible.

use crate::env::{CallContext, ToolEnv};
use crate::tool::{Tool, ToolError, ToolOutcome};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::protocol::event::Question;
use cutonce_core::protocol::submission::QuestionsAnswer;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Maximum characters of a header: it has to fit above a column.
const MAX_HEADER: usize = 12;

pub struct AskUserQuestionTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskUserQuestionInput {
    /// One to four.
    questions: Vec<Question>,
}

#[async_trait]
impl Tool for AskUserQuestionTool {
    type Input = AskUserQuestionInput;

    fn name(&self) -> &'static str {
        "AskUserQuestion"
    }
    fn description(&self) -> &str {
        include_str!("ask_user_question.md")
    }
    fn read_only(&self, _input: &AskUserQuestionInput) -> bool {
        true
    }
    /// False: the user sees one question at a time.
    fn parallel(&self, _input: &AskUserQuestionInput) -> bool {
        false
    }
    fn access(&self, input: &AskUserQuestionInput, _here: &ToolEnv) -> Result<Access, ToolError> {
        check_questions(&input.questions).map_err(|wrong| format!("Invalid input: {wrong}"))?;
        Ok(Access::Question)
    }
    fn summary(&self, input: &AskUserQuestionInput) -> String {
        let headers: Vec<&str> = input.questions.iter().map(|question| question.header.as_str()).collect();
        headers.join(", ")
    }
    async fn run(
        &self,
        input: AskUserQuestionInput,
        _rights: CallRights,
        _here: &ToolEnv,
        call: &CallContext,
    ) -> ToolOutcome {
        match &call.answer {
            Some(QuestionsAnswer::Answered { answers }) => ToolOutcome::text(answer_text(&input.questions, answers)),
            Some(QuestionsAnswer::Skipped) => ToolOutcome::text(
                "The user saw the questions and chose not to answer. Do not ask them again: \
                 continue with what you think best, and say what you assumed.",
            ),
            None => {
                ToolOutcome::error("No user can answer here. Decide yourself, and say in your answer what you assumed.")
            }
        }
    }
}

fn answer_text(questions: &[Question], answers: &[Vec<String>]) -> String {
    let lines = questions.iter().enumerate().map(|(at, question)| {
        let answer = answers.get(at).filter(|answer| !answer.is_empty());
        let answer = answer.map_or("(no answer)".to_string(), |chosen| chosen.join(", "));
        format!("{}\n→ {answer}", question.question)
    });
    format!("The user answered:\n\n{}", lines.collect::<Vec<_>>().join("\n\n"))
}

/// Checks the questions; the error names the field, the expected and the actual value (AG-6).
fn check_questions(questions: &[Question]) -> Result<(), ToolError> {
    if !(1..=4).contains(&questions.len()) {
        return Err(format!("`questions`: expected one to four, got {}", questions.len()).into());
    }
    let mut seen = BTreeSet::new();
    for (at, question) in questions.iter().enumerate() {
        let field = format!("questions[{at}]");
        check_not_empty(&format!("{field}.question"), &question.question)?;
        check_not_empty(&format!("{field}.header"), &question.header)?;
        let header = question.header.chars().count();
        if header > MAX_HEADER {
            return Err(format!(
                "`{field}.header`: expected at most {MAX_HEADER} characters, got {header} ({:?})",
                question.header
            )
            .into());
        }
        if !seen.insert(question.question.trim()) {
            return Err(format!(
                "`{field}.question`: expected another question than before, got {:?} again",
                question.question
            )
            .into());
        }
        check_options(&field, question)?;
    }
    Ok(())
}

fn check_options(field: &str, question: &Question) -> Result<(), ToolError> {
    if !(2..=4).contains(&question.options.len()) {
        return Err(format!("`{field}.options`: expected two to four, got {}", question.options.len()).into());
    }
    let mut labels = BTreeSet::new();
    for (at, option) in question.options.iter().enumerate() {
        check_not_empty(&format!("{field}.options[{at}].label"), &option.label)?;
        if !labels.insert(option.label.trim()) {
            return Err(format!(
                "`{field}.options[{at}].label`: expected a label of its own, got {:?} again",
                option.label
            )
            .into());
        }
    }
    Ok(())
}

fn check_not_empty(field: &str, text: &str) -> Result<(), ToolError> {
    if text.trim().is_empty() { Err(format!("`{field}`: expected text, got an empty string").into()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::protocol::event::QuestionOption;

    fn question(text: &str, header: &str, labels: &[&str]) -> Question {
        let choice =
            |label: &&str| QuestionOption { label: label.to_string(), description: String::new(), preview: None };
        let options = labels.iter().map(choice).collect();
        Question { question: text.into(), header: header.into(), options, multi_select: false }
    }

    #[test]
    fn ag_6_bad_questions_name_the_field() {
        let good = question("Which?", "Which", &["a", "b"]);
        let many: Vec<Question> = (0..5).map(|n| question(&format!("{n}?"), "n", &["a", "b"])).collect();
        let bad = [
            (vec![], "`questions`: expected one to four, got 0"),
            (many, "`questions`: expected one to four, got 5"),
            (vec![question("Which?", "Thirteen char", &["a", "b"])], "`questions[0].header`: expected at most 12"),
            (
                vec![good.clone(), question("Other?", "x", &["a"])],
                "`questions[1].options`: expected two to four, got 1",
            ),
            (vec![question("Which?", "x", &["a", "b", "c", "d", "e"])], "got 5"),
            (vec![question("Which?", "x", &["a", " a"])], "`questions[0].options[1].label`"),
            (vec![question(" ", "x", &["a", "b"])], "`questions[0].question`"),
            (vec![question("Which?", "x", &["", "b"])], "`questions[0].options[0].label`"),
            (vec![good.clone(), good.clone()], "`questions[1].question`"),
        ];
        for (questions, says) in bad {
            let error = check_questions(&questions).unwrap_err();
            assert!(error.as_str().contains(says), "{error}");
        }
        assert_eq!(check_questions(&[good, question("Ünd?", "zwölf Zeich.", &["a", "b", "c", "d"])]), Ok(()));
    }
}
