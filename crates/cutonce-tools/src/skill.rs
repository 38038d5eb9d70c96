//! Skill (HO-8): gives the text of a skill when it is used. Which skills there are is found out by whoever starts the session.

use crate::tool::{CallContext, Here, Outcome, Tool, blocking};
use async_trait::async_trait;
use cutonce_core::permission::{Access, Rights};
use cutonce_core::skill::{self, Skill};
use schemars::JsonSchema;
use serde::Deserialize;
use std::io::Read;
use std::path::Path;

/// Bytes of a SKILL.md; a longer one is no skill.
const LONGEST: u64 = 256 << 10;

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
    /// Its description lists the names and descriptions; it stays the same for the whole session (PM-66).
    pub fn new(skills: Vec<Skill>) -> Self {
        let description = format!("{}{}", include_str!("skill.md"), skill::listing(&skills));
        Self { skills, description }
    }
    fn find(&self, name: &str) -> Result<&Skill, String> {
        self.skills.iter().find(|skill| skill.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.skills.iter().map(|skill| skill.name.as_str()).take(50).collect();
            format!("Invalid input: `skill`: there is none of this name. Skills: {}.", known.join(", "))
        })
    }
}

/// The text of a skill's file, bounded.
pub fn read(file: &Path) -> Result<String, String> {
    // Before it is opened: a fifo would make every start wait for its writer.
    if !std::fs::metadata(file).map_err(|error| error.to_string())?.is_file() {
        return Err("it is no file".into());
    }
    let open = std::fs::File::open(file).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    open.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
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
    fn touches(&self, input: &SkillInput, _here: &Here) -> Result<Access, String> {
        self.find(&input.skill).map(|skill| Access::Skill { name: skill.name.clone() })
    }
    fn summary(&self, input: &SkillInput) -> String {
        input.skill.clone()
    }
    async fn run(&self, input: SkillInput, _rights: Rights, _here: &Here, call: &CallContext) -> Outcome {
        let skill = match self.find(&input.skill) {
            Ok(skill) => skill.clone(),
            Err(text) => return Outcome::error(text),
        };
        blocking(call, move |_| {
            let file = skill.folder.join("SKILL.md");
            match read(&file).and_then(|text| skill::parse(&text)) {
                Ok((_, _, body)) => Outcome::text(skill::given(&skill, &body, input.args.as_deref())),
                Err(why) => {
                    Outcome::error(format!("The skill {} can't be used: {}: {why}", skill.name, file.display()))
                }
            }
        })
        .await
    }
}
