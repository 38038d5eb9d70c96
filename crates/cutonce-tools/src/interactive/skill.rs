//! Skill (HO-8): returns the text of a skill when it is used. The session's builder finds the skills.

use crate::env::{CallContext, ToolEnv};
use crate::secret_files::leads_to_secret;
use crate::tool::{Tool, ToolError, ToolOutcome, run_blocking};
use async_trait::async_trait;
use cutonce_core::permission::{Access, CallRights};
use cutonce_core::skills::{self, Skill};
use schemars::JsonSchema;
use serde::Deserialize;
use std::io::Read;
use std::path::Path;

/// Maximum size of a SKILL.md; a longer one is rejected.
const MAX_SKILL_SIZE: u64 = 256 << 10;

pub struct SkillTool {
    skills: Vec<Skill>,
    description: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillInput {
    /// The name of a skill in the list.
    skill: String,
    /// What it is to be used on, if it takes anything.
    args: Option<String>,
}

impl SkillTool {
    /// Creates the tool. The description lists all skills and stays the same for the whole session (PM-66).
    pub fn new(skills: Vec<Skill>) -> Self {
        let description = format!("{}{}", include_str!("skill.md"), skills::list_for_prompt(&skills));
        Self { skills, description }
    }
    fn find_skill(&self, name: &str) -> Result<&Skill, ToolError> {
        self.skills.iter().find(|skill| skill.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.skills.iter().map(|skill| skill.name.as_str()).take(50).collect();
            format!("Invalid input: `skill`: there is no skill of this name. Skills: {}.", known.join(", ")).into()
        })
    }
}

/// Reads a skill's file, up to the maximum size.
pub fn read_skill(file: &Path) -> Result<String, String> {
    if leads_to_secret(file, None) {
        return Err("it leads to a file with keys or credentials".into());
    }
    // Checked before opening: a fifo would make every start wait for its writer.
    if !std::fs::metadata(file).map_err(|error| error.to_string())?.is_file() {
        return Err("it is not a file".into());
    }
    let open = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    open.take(MAX_SKILL_SIZE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_SKILL_SIZE {
        return Err(format!("it is longer than {MAX_SKILL_SIZE} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".into())
}

#[async_trait]
impl Tool for SkillTool {
    type Input = SkillInput;

    fn name(&self) -> &'static str {
        "Skill"
    }
    fn description(&self) -> &str {
        &self.description
    }
    fn read_only(&self, _input: &SkillInput) -> bool {
        true
    }
    fn access(&self, input: &SkillInput, _here: &ToolEnv) -> Result<Access, ToolError> {
        self.find_skill(&input.skill).map(|skill| Access::Skill { name: skill.name.clone() })
    }
    fn summary(&self, input: &SkillInput) -> String {
        input.skill.clone()
    }
    async fn run(&self, input: SkillInput, _rights: CallRights, _here: &ToolEnv, call: &CallContext) -> ToolOutcome {
        let skill = match self.find_skill(&input.skill) {
            Ok(skill) => skill.clone(),
            Err(text) => return ToolOutcome::error(text),
        };
        run_blocking(call, move |_| {
            let file = skill.folder.join("SKILL.md");
            match read_skill(&file).and_then(|text| skills::parse_skill(&text)) {
                Ok((_, _, body)) => ToolOutcome::text(skills::render_for_model(&skill, &body, input.args.as_deref())),
                Err(why) => {
                    ToolOutcome::error(format!("The skill {} can't be used: {}: {why}", skill.name, file.display()))
                }
            }
        })
        .await
    }
}
