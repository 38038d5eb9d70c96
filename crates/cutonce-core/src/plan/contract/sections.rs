//! Names of headings, in the languages that plans are written in (PC-1).

use super::markdown::without_emphasis;

/// Headings whose list contains the steps: Steps, Plan, Implementation, Tasks, Changes.
const STEPS: &[&str] = &[
    // English
    "steps",
    "plan",
    "implementation",
    "tasks",
    "changes",
    "implementation steps",
    "implementation plan",
    "implementation tasks",
    "detailed steps",
    "step by step",
    "step-by-step",
    "step-by-step plan",
    "plan of action",
    "action plan",
    "action items",
    "task list",
    "proposed changes",
    "required changes",
    "planned changes",
    "the plan",
    // German
    "schritte",
    "umsetzung",
    "implementierung",
    "aufgaben",
    "änderungen",
    "vorgehen",
    "umsetzungsschritte",
    "umsetzungsplan",
    "implementierungsschritte",
    "implementierungsplan",
    // French
    "étapes",
    "etapes",
    "mise en œuvre",
    "mise en oeuvre",
    "implémentation",
    "tâches",
    "taches",
    "changements",
    "modifications",
    "plan d'action",
    "plan d’action",
    // Spanish
    "pasos",
    "implementación",
    "implementacion",
    "tareas",
    "cambios",
    "plan de implementación",
    "plan de acción",
    // Chinese
    "步骤",
    "步驟",
    "计划",
    "計劃",
    "计划步骤",
    "实现",
    "实施",
    "實施",
    "实现步骤",
    "实施步骤",
    "实施计划",
    "任务",
    "任務",
    "更改",
    "变更",
    "變更",
    "修改",
    // Japanese
    "手順",
    "ステップ",
    "計画",
    "実装",
    "実装手順",
    "実装計画",
    "タスク",
    "変更",
    "変更点",
    "変更内容",
];

/// Headings whose commands check the whole plan.
const VERIFICATION: &[&str] = &[
    "verify",
    "verification",
    "verification steps",
    "verification plan",
    "how to verify",
    "überprüfung",
    "verifizierung",
    "verifikation",
    "prüfung",
    "vérification",
    "vérifications",
    "verificación",
    "comprobación",
    "验证",
    "驗證",
    "検証",
    "確認",
];

/// Headings that open a document of numbered sections. Their lists are no steps.
const INTRODUCTIONS: &[&str] = &[
    "context",
    "background",
    "overview",
    "summary",
    "goal",
    "goals",
    "objective",
    "objectives",
    "requirements",
    "analysis",
    "current state",
    "root cause",
    "problem",
    "problem statement",
    "reproduction",
    "steps to reproduce",
    "architecture",
    "assumptions",
    "approach",
    "kontext",
    "hintergrund",
    "ziel",
    "ziele",
    "überblick",
    "zusammenfassung",
    "ausgangslage",
    "contexte",
    "objectif",
    "objectifs",
    "contexto",
    "objetivo",
    "objetivos",
    "背景",
    "上下文",
    "概述",
    "目标",
    "目標",
    "概要",
    "目的",
];

/// Last words of headings whose lists are no steps, as in Open questions.
const ASIDES: &[&str] = &[
    "questions",
    "risks",
    "alternatives",
    "alternatives considered",
    "options",
    "options considered",
    "decisions",
    "constraints",
    "limitations",
    "considerations",
    "future work",
    "scope",
    "goals",
    "criteria",
    "references",
    "notes",
    "findings",
    "rollback",
    "points",
    "testing",
    "test plan",
    "testing strategy",
    "tests",
    "files",
    "fragen",
    "risiken",
    "alternativen",
    "optionen",
    "möglichkeiten",
    "questions ouvertes",
    "risques",
    "preguntas",
    "riesgos",
    "alternativas",
    "opciones",
    "风险",
    "風險",
    "问题",
    "测试",
    "リスク",
    "質問",
    "テスト",
];

/// Words that number a step in a heading.
const STEP_WORDS: &[&str] = &[
    "step",
    "task",
    "schritt",
    "aufgabe",
    "étape",
    "etape",
    "tâche",
    "tache",
    "paso",
    "tarea",
    "步骤",
    "步驟",
    "任务",
    "任務",
    "ステップ",
    "手順",
    "タスク",
];

/// The number at the start of a heading or step, and what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepNumber {
    pub number: u32,
    pub title: String,
    /// The heading says `Step 2` or `Task 2`, not only `2.`.
    pub has_word: bool,
}

pub(super) fn is_steps_section(heading: &str) -> bool {
    STEPS.contains(&section_name(heading).as_str())
}

pub(super) fn is_verification_section(heading: &str) -> bool {
    VERIFICATION.contains(&section_name(heading).as_str())
}

/// True for a section of a document, such as Overview: numbered headings next to it are no steps.
pub(super) fn is_introduction(heading: &str) -> bool {
    INTRODUCTIONS.contains(&section_name(heading).as_str())
}

/// True for a heading that is known to hold something else than steps.
pub(super) fn is_other_section(heading: &str) -> bool {
    let name = section_name(heading);
    let ends = |word: &&str| {
        let rest = name.strip_suffix(*word);
        rest.is_some_and(|rest| rest.is_empty() || (rest.ends_with([' ', '-', '&']) && !rest.starts_with("add ")))
    };
    ASIDES.iter().chain(VERIFICATION).any(ends) || is_introduction(heading)
}

/// The name of a section: lower case, without number, marks and emphasis.
fn section_name(heading: &str) -> String {
    let plain = without_emphasis(heading);
    let name = match read_number(&plain) {
        Some(number) => number.title,
        None => plain,
    };
    let symbol = |c: char| !c.is_alphanumeric();
    name.trim_matches(symbol).to_lowercase()
}

/// Reads `2. Title`, `Step 2: Title`, `第2步：Title`.
pub(super) fn read_number(text: &str) -> Option<StepNumber> {
    let text = super::markdown::checkbox(text).unwrap_or(text);
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (word, rest) = match step_word(text) {
        Some(rest) => (true, rest.trim_start_matches([' ', '#', '\u{a0}'])),
        None => (false, text),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number: u32 = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    let rest = rest.strip_prefix('步').unwrap_or(rest);
    let stop = rest.strip_prefix(['.', ')', ':', '：', '、', '．']);
    match (word, stop) {
        // `1.1 Details` is a part of step 1.
        (_, Some(rest)) if rest.starts_with(|c: char| c.is_ascii_digit()) => None,
        (false, None) => None,
        (true, None) if rest.starts_with(char::is_alphanumeric) => None,
        (_, stop) => {
            let title = stop.unwrap_or(rest).trim_start_matches([' ', '-', '–', '—', ':', '：', '\u{a0}']);
            Some(StepNumber { number, title: title.to_string(), has_word: word })
        }
    }
}

/// Text after a step word.
fn step_word(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('第') {
        // `第2步` has its number in the middle.
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        return (digits > 0 && rest[digits..].starts_with('步')).then_some(rest);
    }
    STEP_WORDS.iter().find_map(|word| {
        let head = text.get(..word.len()).or_else(|| text.get(..text.len().min(word.len())))?;
        (head.to_lowercase() == **word).then(|| &text[head.len()..])
    })
}
