//! AskUserQuestion (TL-9): one to four questions with choices; a free answer is always possible.

use crate::tool::{CallContext, Here, Outcome, Tool};
use async_trait::async_trait;
use cutonce_core::event::Question;
use cutonce_core::permission::{Access, Rights};
use cutonce_core::submission::QuestionsAnswer;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Characters of a header: it has to fit above a column.
const HEADER: usize = 12;

pub struct AskUserQuestion;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AskUserQuestionInput {
    /// One to four.
    questions: Vec<Question>,
}

#[async_trait]
impl Tool for AskUserQuestion {
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
    /// One at a time in front of a person.
    fn parallel(&self, _input: &AskUserQuestionInput) -> bool {
        false
    }
    fn touches(&self, input: &AskUserQuestionInput, _here: &Here) -> Result<Access, String> {
        check(&input.questions).map_err(|wrong| format!("Invalid input: {wrong}"))?;
        Ok(Access::Question)
    }
    fn summary(&self, input: &AskUserQuestionInput) -> String {
        let headers: Vec<&str> = input.questions.iter().map(|question| question.header.as_str()).collect();
        headers.join(", ")
    }
    async fn run(&self, input: AskUserQuestionInput, _rights: Rights, _here: &Here, call: &CallContext) -> Outcome {
        match &call.answer {
            Some(QuestionsAnswer::Answered { answers }) => Outcome::text(answered(&input.questions, answers)),
            Some(QuestionsAnswer::Skipped) => Outcome::text(
                "The user saw the questions and chose not to answer. Do not ask them again: \
                 go on with what you think best, and say what you assumed.",
            ),
            None => Outcome::error("Nobody can answer here. Decide yourself, and say in your answer what you assumed."),
        }
    }
}

fn answered(questions: &[Question], answers: &[Vec<String>]) -> String {
    let lines = questions.iter().enumerate().map(|(at, question)| {
        let answer = answers.get(at).filter(|answer| !answer.is_empty());
        let answer = answer.map_or("(no answer)".to_string(), |chosen| chosen.join(", "));
        format!("{}\n→ {answer}", question.question)
    });
    format!("The user answered:\n\n{}", lines.collect::<Vec<_>>().join("\n\n"))
}

/// Field, what was expected, what came (AG-6).
fn check(questions: &[Question]) -> Result<(), String> {
    if !(1..=4).contains(&questions.len()) {
        return Err(format!("`questions`: expected one to four, got {}", questions.len()));
    }
    let mut seen = BTreeSet::new();
    for (at, question) in questions.iter().enumerate() {
        let field = format!("questions[{at}]");
        filled(&format!("{field}.question"), &question.question)?;
        filled(&format!("{field}.header"), &question.header)?;
        let header = question.header.chars().count();
        if header > HEADER {
            return Err(format!(
                "`{field}.header`: expected at most {HEADER} characters, got {header} ({:?})",
                question.header
            ));
        }
        if !seen.insert(question.question.trim()) {
            return Err(format!(
                "`{field}.question`: expected another question than before, got {:?} again",
                question.question
            ));
        }
        check_options(&field, question)?;
    }
    Ok(())
}

fn check_options(field: &str, question: &Question) -> Result<(), String> {
    if !(2..=4).contains(&question.options.len()) {
        return Err(format!("`{field}.options`: expected two to four, got {}", question.options.len()));
    }
    let mut labels = BTreeSet::new();
    for (at, option) in question.options.iter().enumerate() {
        filled(&format!("{field}.options[{at}].label"), &option.label)?;
        if !labels.insert(option.label.trim()) {
            return Err(format!(
                "`{field}.options[{at}].label`: expected a label of its own, got {:?} again",
                option.label
            ));
        }
    }
    Ok(())
}

fn filled(field: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() { Err(format!("`{field}`: expected words, got an empty text")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutonce_core::event::Choice;

    fn question(text: &str, header: &str, labels: &[&str]) -> Question {
        let choice = |label: &&str| Choice { label: label.to_string(), description: String::new(), preview: None };
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
            let error = check(&questions).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        assert_eq!(check(&[good, question("Ünd?", "zwölf Zeich.", &["a", "b", "c", "d"])]), Ok(()));
    }
}
