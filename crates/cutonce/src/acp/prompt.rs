//! What a prompt's blocks say: words, images, links and attached files, and slash commands (UI-9).

use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, ContentBlock, EmbeddedResourceResource, UnstructuredCommandInput,
};
use cutonce_agent::commands::Custom;
use cutonce_agent::mcp::Prompt as McpPrompt;
use cutonce_agent::start::Offered;
use cutonce_core::command::{self, Command, PlanCommand};
use cutonce_core::conversation::Image;
use cutonce_core::harmless::harmless;
use cutonce_core::image;
use cutonce_core::submission::Submission;

/// An attached text beyond this is cut; the model can read the file.
const ATTACHED: usize = 200_000;
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The commands that work in an editor, as the client lists them: name, what it does, what may follow.
const COMMANDS: [(&str, &str, Option<&str>); 5] = [
    ("plan", "Enter plan mode, show the plan, or plan a task", Some("task, `open` or `off`")),
    ("mode", "Show or change the permission mode", Some("default, acceptEdits, plan, …")),
    ("model", "Use another model from the next request on", Some("provider/name or an alias")),
    ("compact", "Replace the conversation so far by a summary", Some("what to keep in mind")),
    ("clear", "Start over with an empty conversation", None),
];

/// What a prompt means.
#[derive(Debug)]
pub enum Prompt {
    /// It begins a turn.
    Words(Submission),
    /// These, in this order; whether a turn follows shows afterwards.
    Command(Vec<Submission>),
    /// `/compact`: over when it was told how it went.
    Compact { focus: Option<String> },
    /// Nothing is sent: only this is said.
    Say(String),
}

/// What of the user's and the project's own can be called by name in this session.
#[derive(Debug, Default)]
pub struct Callable {
    customs: Vec<Custom>,
    /// Name and description.
    skills: Vec<(String, String)>,
}

impl Callable {
    /// A name counts once: ours, then the user's commands, then skills.
    pub fn new(offered: &Offered) -> Self {
        let ours = |name: &str| COMMANDS.iter().any(|(known, ..)| *known == name);
        let customs: Vec<Custom> = offered.commands.iter().filter(|one| !ours(&one.name)).cloned().collect();
        let taken = |name: &str| ours(name) || customs.iter().any(|one| one.name == name);
        let skills = offered.skills.iter().filter(|skill| !taken(&skill.name));
        let skills = skills.map(|skill| (skill.name.clone(), skill.description.clone())).collect();
        Self { customs, skills }
    }

    /// As the client lists them; `prompts` are those of MCP servers.
    pub fn available(&self, prompts: &[McpPrompt]) -> Vec<AvailableCommand> {
        let one = |name: &str, about: &str, hint: Option<&str>| {
            let input = hint.map(|hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint)));
            AvailableCommand::new(harmless(name), harmless(about)).input(input)
        };
        let mut all: Vec<AvailableCommand> =
            COMMANDS.iter().map(|(name, about, hint)| one(name, about, *hint)).collect();
        all.extend(
            self.customs
                .iter()
                .map(|custom| one(&custom.name, &custom.description, custom.takes_arguments().then_some("words"))),
        );
        all.extend(self.skills.iter().map(|(name, about)| one(name, about, Some("what for"))));
        all.extend(prompts.iter().map(|prompt| {
            let names: Vec<&str> = prompt.arguments.iter().map(|(name, _)| name.as_str()).collect();
            let hint = harmless(&names.join(" ")).into_owned();
            one(&prompt.called, &prompt.description, Some(hint.as_str()).filter(|hint| !hint.is_empty()))
        }));
        all
    }

    /// What `/name words` means, if the name is one of these.
    fn call(&self, text: &str, images: &[Image]) -> Option<Submission> {
        let (word, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (name, words) = (word.strip_prefix('/')?, words.trim());
        if let Some(custom) = self.customs.iter().find(|custom| custom.name == name) {
            return Some(custom.prompt(words, images.to_vec()));
        }
        let (name, _) = self.skills.iter().find(|(skill, _)| skill == name)?;
        let text = format!("Use the skill `{name}`. {words}").trim_end().to_string();
        Some(Submission::User { text, images: images.to_vec() })
    }
}

pub fn read(blocks: Vec<ContentBlock>, callable: &Callable) -> Result<Prompt, Error> {
    let first = blocks.iter().find_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.trim_start().to_string()),
        _ => None,
    });
    let (mut words, mut images) = (Vec::new(), Vec::new());
    for block in blocks {
        match block {
            ContentBlock::Text(text) => words.push(text.text),
            ContentBlock::Image(found) => images.push(picture(&found.mime_type, found.data)?),
            ContentBlock::ResourceLink(link) => words.push(format!("[{}]({})", link.name, place(&link.uri))),
            ContentBlock::Resource(resource) => match resource.resource {
                EmbeddedResourceResource::TextResourceContents(text) => words.push(attached(&text.uri, &text.text)),
                EmbeddedResourceResource::BlobResourceContents(blob) => {
                    let kind = blob.mime_type.unwrap_or_default();
                    if !IMAGES.contains(&kind.as_str()) {
                        return Err(refused(&format!("an attached file of type `{kind}` can't be shown to the model")));
                    }
                    images.push(picture(&kind, blob.blob)?);
                }
                _ => return Err(refused("an attached resource of an unknown form")),
            },
            ContentBlock::Audio(_) => return Err(refused("audio is not supported")),
            _ => return Err(refused("a content block of an unknown type")),
        }
    }
    let text = words.join("\n");
    if text.trim().is_empty() && images.is_empty() {
        return Err(refused("the prompt is empty"));
    }
    if let Some(called) = first.as_ref().and_then(|_| callable.call(text.trim(), &images)) {
        return Ok(Prompt::Words(called));
    }
    match first.as_deref().and_then(name) {
        Some(name) => Ok(command(&name, text.trim(), images)),
        None => Ok(Prompt::Words(Submission::User { text, images })),
    }
}

/// `/word` at the start; a path has more in it.
fn name(text: &str) -> Option<String> {
    let word = text.strip_prefix('/')?.split_whitespace().next()?;
    let fine = |c: char| c.is_ascii_lowercase() || c == '-';
    (text.len() > 1 && !text[1..].starts_with(char::is_whitespace) && word.chars().all(fine)).then(|| word.to_string())
}

fn command(name: &str, text: &str, images: Vec<Image>) -> Prompt {
    let rest = text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
    match name {
        "plan" | "mode" => match command::parse(text) {
            // A command carries words only.
            Some(Command::Plan(PlanCommand::Describe(words))) if !images.is_empty() => Prompt::Command(vec![
                Submission::Command { command: Command::Plan(PlanCommand::Plain), editor: None },
                Submission::User { text: words, images },
            ]),
            Some(command) => Prompt::Command(vec![Submission::Command { command, editor: None }]),
            None => Prompt::Say(unknown(name)),
        },
        "model" if rest.is_empty() => Prompt::Say("Which model? Write /model provider/name, or an alias.".into()),
        "model" => Prompt::Command(vec![Submission::SetModel { model: rest.to_string() }]),
        "compact" => Prompt::Compact { focus: Some(rest.to_string()).filter(|rest| !rest.is_empty()) },
        "clear" => Prompt::Command(vec![Submission::Clear]),
        other => Prompt::Say(unknown(other)),
    }
}

/// UI-9: the nearest one is suggested, nothing is sent.
fn unknown(name: &str) -> String {
    let nearest = COMMANDS.iter().map(|(known, ..)| (strsim::damerau_levenshtein(known, name), *known)).min();
    match nearest {
        Some((distance, known)) if distance <= 2 => format!("There is no command /{name}. Did you mean /{known}?"),
        _ => {
            let all: Vec<String> = COMMANDS.iter().map(|(known, ..)| format!("/{known}")).collect();
            format!("There is no command /{name} here. There are: {}.", all.join(", "))
        }
    }
}

fn picture(kind: &str, data: String) -> Result<Image, Error> {
    if !IMAGES.contains(&kind) {
        return Err(refused(&format!("an image of type `{kind}`; expected {}", IMAGES.join(", "))));
    }
    image::given(data).map_err(|why| refused(&format!("an image can't be sent: {why}")))
}

/// A file by its path, anything else by its address.
fn place(uri: &str) -> &str {
    uri.strip_prefix("file://").unwrap_or(uri)
}

fn attached(uri: &str, text: &str) -> String {
    let cut = text.floor_char_boundary(ATTACHED);
    let more = if cut < text.len() { "\n[cut; read the file for the rest]" } else { "" };
    format!("<attached from=\"{}\">\n{}{more}\n</attached>", place(uri).replace('"', "%22"), &text[..cut])
}

fn refused(why: &str) -> Error {
    let mut error = Error::invalid_params();
    error.message = format!("The prompt can't be used: {why}.");
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol::v1::schema::{EmbeddedResource, ResourceLink, TextContent, TextResourceContents};

    fn text(words: &str) -> ContentBlock {
        ContentBlock::Text(TextContent::new(words))
    }

    #[test]
    fn ui_9_commands_are_told_from_words_and_paths() {
        let kind = |words: &str| match read(vec![text(words)], &Callable::default()).unwrap() {
            Prompt::Words(_) => "words",
            Prompt::Command(_) => "command",
            Prompt::Compact { .. } => "compact",
            Prompt::Say(_) => "say",
        };
        for (words, expected) in [
            ("hello /plan", "words"),
            ("/plan", "command"),
            ("/plan fix it", "command"),
            ("/mode plan", "command"),
            ("/compact the tests", "compact"),
            ("/usr/bin is broken", "words"),
            ("/ alone", "words"),
            ("/plam", "say"),
            ("/model", "say"),
        ] {
            assert_eq!(kind(words), expected, "{words}");
        }
        assert!(
            matches!(read(vec![text("/plam")], &Callable::default()).unwrap(), Prompt::Say(said) if said.contains("/plan?"))
        );
    }

    #[test]
    fn ho_5_links_and_attached_files_reach_the_model_bounded() {
        let link = ContentBlock::ResourceLink(ResourceLink::new("a.rs", "file:///w/a.rs"));
        let long = TextResourceContents::new("x".repeat(ATTACHED + 9), "file:///w/b.rs");
        let attached =
            ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(long)));
        let Prompt::Words(Submission::User { text, .. }) =
            read(vec![text("see"), link, attached], &Callable::default()).unwrap()
        else {
            panic!("words")
        };
        assert!(text.starts_with("see\n[a.rs](/w/a.rs)\n<attached from=\"/w/b.rs\">\nxxx"), "{}", &text[..60]);
        assert!(text.len() < ATTACHED + 200 && text.contains("[cut;"));
        assert!(read(vec![], &Callable::default()).is_err());
    }
}
