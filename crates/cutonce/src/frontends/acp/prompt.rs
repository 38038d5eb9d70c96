//! Parses the blocks of a prompt: text, images, links, attached files, and slash commands (UI-9).

use super::modes;
use agent_client_protocol::Error;
use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, ContentBlock, EmbeddedResourceResource, UnstructuredCommandInput,
};
use cutonce_agent::builder::NamedCommands;
use cutonce_agent::config::commands::CustomCommand;
use cutonce_agent::mcp::McpPrompt;
use cutonce_core::commands::{self, Frontend, SlashCommand, SlashLine};
use cutonce_core::conversation::Image;
use cutonce_core::image;
use cutonce_core::protocol::submission::Submission;
use cutonce_core::text::sanitize::sanitize;

/// Maximum bytes of an attached text; the model can read the file for the rest.
const MAX_ATTACHED_BYTES: usize = 200_000;
const IMAGE_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A parsed prompt.
#[derive(Debug)]
pub enum ParsedPrompt {
    /// Starts a turn.
    Message(Box<Submission>),
    /// A turn may follow.
    Command(Box<Submission>),
    /// `/model NAME`: ends when the model is known to work.
    SetModel { name: String },
    /// `/compact`: ends when its result is known.
    Compact { focus: Option<String> },
    /// Sends nothing; only shows this text.
    ShowText(String),
    /// Shows what was used by day and project.
    ShowUsage,
}

/// Custom commands and skills of the user and the project that can be called in this session.
#[derive(Debug, Default)]
pub struct CallableCommands {
    customs: Vec<CustomCommand>,
    /// Name and description.
    skills: Vec<(String, String)>,
}

impl CallableCommands {
    /// Each name is used once: built-in commands first, then custom commands, then skills.
    pub fn new(offered: &NamedCommands) -> Self {
        let ours = |name: &str| commands::find_command(Frontend::Acp, name).is_some();
        let customs: Vec<CustomCommand> = offered.commands.iter().filter(|one| !ours(&one.name)).cloned().collect();
        let taken = |name: &str| ours(name) || customs.iter().any(|one| one.name == name);
        let skills = offered.skills.iter().filter(|skill| !taken(&skill.name));
        let skills = skills.map(|skill| (skill.name.clone(), skill.description.clone())).collect();
        Self { customs, skills }
    }

    /// Commands as the client lists them; `prompts` are MCP prompts.
    pub fn list_commands(&self, prompts: &[McpPrompt]) -> Vec<AvailableCommand> {
        let one = |name: &str, about: &str, hint: Option<&str>| {
            let input = hint.map(|hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint)));
            AvailableCommand::new(sanitize(name), sanitize(about)).input(input)
        };
        let mut all: Vec<AvailableCommand> = commands::commands_of(Frontend::Acp)
            .map(|info| one(info.name, info.help, Some(info.hint).filter(|hint| !hint.is_empty())))
            .collect();
        all.extend(
            self.customs
                .iter()
                .map(|custom| one(&custom.name, &custom.description, custom.takes_arguments().then_some("arguments"))),
        );
        all.extend(self.skills.iter().map(|(name, about)| one(name, about, Some("what for"))));
        all.extend(prompts.iter().map(|prompt| {
            let names: Vec<&str> = prompt.arguments.iter().map(|(name, _)| name.as_str()).collect();
            let hint = sanitize(&names.join(" ")).into_owned();
            one(&prompt.command, &prompt.description, Some(hint.as_str()).filter(|hint| !hint.is_empty()))
        }));
        all
    }

    /// Message for an unknown command (UI-9).
    pub(super) fn unknown_command(&self, word: &str) -> String {
        let customs = self.customs.iter().map(|custom| custom.name.as_str());
        let own = customs.chain(self.skills.iter().map(|(name, _)| name.as_str()));
        commands::unknown_command_message(Frontend::Acp, word, own)
    }

    /// Resolves `/name arguments`, with everything that came with it.
    fn resolve_call(&self, said: &PromptBlocks) -> Option<Submission> {
        let text = said.command_text.trim();
        let (word, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (name, words) = (word.strip_prefix('/')?, words.trim());
        if let Some(custom) = self.customs.iter().find(|custom| custom.name == name) {
            let mut called = custom.to_submission(words, said.images.clone());
            if let Submission::CustomCommand { text, typed, .. } = &mut called {
                *typed = said.typed_text();
                *text = said.with_attachments(text);
            }
            return Some(called);
        }
        let (name, _) = self.skills.iter().find(|(skill, _)| skill == name)?;
        Some(said.to_submission(said.with_attachments(format!("Use the skill `{name}`. {words}").trim_end())))
    }
}

/// A prompt in its parts. Editors attach the open file before or after the typed text; that must not change
/// the command.
#[derive(Default)]
pub(super) struct PromptBlocks {
    /// All parts in order.
    all: Vec<String>,
    /// Typed text.
    typed: Vec<String>,
    /// Typed text with the links in it: the arguments of a command.
    pub(super) command_text: String,
    /// Links before the typed text, and attached texts.
    attachments: Vec<String>,
    pub(super) images: Vec<Image>,
}

impl PromptBlocks {
    fn parse(blocks: Vec<ContentBlock>) -> Result<PromptBlocks, Error> {
        let (mut said, mut words) = (PromptBlocks::default(), Vec::new());
        for block in blocks {
            let text = match block {
                ContentBlock::Text(text) => {
                    said.typed.push(text.text.clone());
                    words.push(text.text.clone());
                    text.text
                }
                ContentBlock::ResourceLink(link) => {
                    let link = format!("[{}]({})", link.name, display_uri(&link.uri));
                    if words.is_empty() { &mut said.attachments } else { &mut words }.push(link.clone());
                    link
                }
                ContentBlock::Resource(resource) => match resource.resource {
                    EmbeddedResourceResource::TextResourceContents(text) => {
                        said.attachments.push(attached_text(&text.uri, &text.text));
                        attached_text(&text.uri, &text.text)
                    }
                    EmbeddedResourceResource::BlobResourceContents(blob) => {
                        said.images.push(attached_image(blob.mime_type.unwrap_or_default(), blob.blob)?);
                        continue;
                    }
                    _ => return Err(invalid_prompt("unknown kind of attached resource")),
                },
                ContentBlock::Image(found) => {
                    said.images.push(parse_image(&found.mime_type, found.data)?);
                    continue;
                }
                ContentBlock::Audio(_) => return Err(invalid_prompt("audio is not supported")),
                _ => return Err(invalid_prompt("unknown type of content block")),
            };
            said.all.push(text);
        }
        said.command_text = words.join("\n");
        Ok(said)
    }

    /// The typed text, if something else came with it.
    pub(super) fn typed_text(&self) -> Option<String> {
        (self.all.len() > self.typed.len()).then(|| self.typed.join("\n").trim().to_string())
    }

    /// A message with this text. Attached files are not typed by the user, so mentions in them reach no
    /// server (HO-6).
    pub(super) fn to_submission(&self, text: String) -> Submission {
        let images = self.images.clone();
        match self.typed_text() {
            None => Submission::User { text, images },
            typed => Submission::CustomCommand { text, images, allow: Vec::new(), model: None, typed },
        }
    }

    pub(super) fn with_attachments(&self, text: &str) -> String {
        let rest = self.attachments.iter().map(String::as_str);
        std::iter::once(text).chain(rest).collect::<Vec<_>>().join("\n")
    }
}

pub fn parse_prompt(blocks: Vec<ContentBlock>, callable: &CallableCommands) -> Result<ParsedPrompt, Error> {
    let said = PromptBlocks::parse(blocks)?;
    let text = said.all.join("\n");
    if text.trim().is_empty() && said.images.is_empty() {
        return Err(invalid_prompt("the prompt is empty"));
    }
    let message = |text: String| Ok(ParsedPrompt::Message(Box::new(said.to_submission(text))));
    let line = said.typed.join("\n");
    match commands::parse_line(Frontend::Acp, &line) {
        Some(SlashLine::BuiltIn(command, words)) => Ok(parse_command(command, words, &said, callable)),
        Some(SlashLine::Custom(word, _)) => Ok(match callable.resolve_call(&said) {
            Some(called) => ParsedPrompt::Message(Box::new(called)),
            None => ParsedPrompt::ShowText(callable.unknown_command(word)),
        }),
        // An MCP prompt must be at the start of a message (HO-6).
        Some(SlashLine::Text) if line.trim_start().starts_with("/mcp__") => {
            message(said.with_attachments(said.command_text.trim()))
        }
        Some(SlashLine::Text) | None => message(text),
    }
}

fn parse_command(command: SlashCommand, words: &str, said: &PromptBlocks, callable: &CallableCommands) -> ParsedPrompt {
    if let Some(parsed) = modes::parse_command(command, words, said) {
        return parsed;
    }
    match command {
        SlashCommand::Model if words.is_empty() => {
            ParsedPrompt::ShowText("Usage: /model provider/name, or an alias.".into())
        }
        SlashCommand::Model => ParsedPrompt::SetModel { name: words.to_string() },
        SlashCommand::Compact => {
            ParsedPrompt::Compact { focus: Some(words.to_string()).filter(|words| !words.is_empty()) }
        }
        SlashCommand::Clear => ParsedPrompt::Command(Box::new(Submission::Clear)),
        SlashCommand::Usage => ParsedPrompt::ShowUsage,
        _ => {
            let word = said.command_text.split_whitespace().next().unwrap_or_default();
            ParsedPrompt::ShowText(callable.unknown_command(word))
        }
    }
}

fn attached_image(kind: String, data: String) -> Result<Image, Error> {
    if !IMAGE_TYPES.contains(&kind.as_str()) {
        return Err(invalid_prompt(&format!("attached files of type `{kind}` are not supported")));
    }
    parse_image(&kind, data)
}

fn parse_image(kind: &str, data: String) -> Result<Image, Error> {
    if !IMAGE_TYPES.contains(&kind) {
        return Err(invalid_prompt(&format!(
            "images of type `{kind}` are not supported; expected {}",
            IMAGE_TYPES.join(", ")
        )));
    }
    image::image_from_base64(data).map_err(|why| invalid_prompt(&format!("can't send an image: {why}")))
}

/// A file's path, or any other URI unchanged.
fn display_uri(uri: &str) -> &str {
    uri.strip_prefix("file://").unwrap_or(uri)
}

fn attached_text(uri: &str, text: &str) -> String {
    let cut = text.floor_char_boundary(MAX_ATTACHED_BYTES);
    let more = if cut < text.len() { "\n[cut; read the file for the rest]" } else { "" };
    format!("<attached from=\"{}\">\n{}{more}\n</attached>", display_uri(uri).replace('"', "%22"), &text[..cut])
}

fn invalid_prompt(why: &str) -> Error {
    let mut error = Error::invalid_params();
    error.message = format!("Invalid prompt: {why}.");
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol::v1::schema::{EmbeddedResource, ResourceLink, TextContent, TextResourceContents};
    use cutonce_core::plan::command::{ModeCommand, PlanCommand};
    use cutonce_core::protocol::submission::TaskAttachments;

    fn text(words: &str) -> ContentBlock {
        ContentBlock::Text(TextContent::new(words))
    }

    #[test]
    fn ui_9_commands_differ_from_text_and_paths() {
        let kind = |words: &str| match parse_prompt(vec![text(words)], &CallableCommands::default()).unwrap() {
            ParsedPrompt::Message(_) => "words",
            ParsedPrompt::Command(_) => "command",
            ParsedPrompt::Compact { .. } => "compact",
            ParsedPrompt::SetModel { .. } => "model",
            ParsedPrompt::ShowText(_) | ParsedPrompt::ShowUsage => "say",
        };
        for (words, expected) in [
            ("hello /plan", "words"),
            ("/plan", "command"),
            ("/plan fix it", "command"),
            ("/mode plan", "command"),
            ("/compact the tests", "compact"),
            ("/usr/bin is broken", "words"),
            ("/ alone", "words"),
            ("/* a comment */", "words"),
            ("/Plam", "say"),
            ("/plam", "say"),
            ("/model", "say"),
        ] {
            assert_eq!(kind(words), expected, "{words}");
        }
        assert!(
            matches!(parse_prompt(vec![text("/plam")], &CallableCommands::default()).unwrap(), ParsedPrompt::ShowText(said) if said.contains("/plan?"))
        );
    }

    #[test]
    fn ho_5_attachments_do_not_change_the_command() {
        let link = || ContentBlock::ResourceLink(ResourceLink::new("a.rs", "file:///w/a.rs"));
        let whole = || {
            let text = TextResourceContents::new("fn a() {}", "file:///w/b.rs");
            ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(text)))
        };
        let skills = vec![("sewing".to_string(), String::new())];
        let callable = CallableCommands { customs: Vec::new(), skills };
        let words_of = |one: Submission| match one {
            Submission::CustomCommand { text, typed: Some(typed), .. } => {
                assert!(!typed.contains("fn a()") && !typed.contains("a.rs"), "HO-6: not typed: {typed}");
                text
            }
            other => panic!("{other:?}"),
        };
        let said = |blocks: Vec<ContentBlock>| match parse_prompt(blocks, &callable).unwrap() {
            ParsedPrompt::Message(words) => words_of(*words),
            ParsedPrompt::Command(command) => match *command {
                Submission::Command { command: ModeCommand::Plan(PlanCommand::Describe(text)), attached, .. } => {
                    let (allow, model) = (Vec::new(), None);
                    let TaskAttachments { images, typed } = attached;
                    format!("P {}", words_of(Submission::CustomCommand { text, images, allow, model, typed }))
                }
                Submission::Command { command: ModeCommand::Mode(mode), .. } => format!("M {mode}"),
                other => format!("{other:?}"),
            },
            ParsedPrompt::SetModel { name } => format!("S {name}"),
            ParsedPrompt::Compact { focus } => format!("C {focus:?}"),
            other => panic!("{other:?}"),
        };
        let tail = "[a.rs](/w/a.rs)\n<attached from=\"/w/b.rs\">\nfn a() {}\n</attached>";
        let before = |words: &str| said(vec![link(), whole(), text(words)]);
        let behind = |words: &str| said(vec![text(words), link(), whole()]);
        assert_eq!(before("/plan do it"), format!("P do it\n{tail}"));
        assert_eq!(behind("/plan do it"), format!("P do it\n{tail}"));
        assert_eq!(said(vec![text("/plan look at"), link(), text("and mend")]), "P look at\n[a.rs](/w/a.rs)\nand mend");
        assert_eq!(before("/sewing a coat"), format!("Use the skill `sewing`. a coat\n{tail}"));
        assert_eq!(before("/mcp__s__p Ann"), format!("/mcp__s__p Ann\n{tail}"));
        for both in [before("/mode plan"), behind("/mode plan")] {
            assert_eq!(both, "M plan");
        }
        assert_eq!(behind("/model x/y"), "S x/y");
        assert_eq!(behind("/compact the tests"), "C Some(\"the tests\")");
        // Text keeps its order.
        assert_eq!(before("see above"), format!("{tail}\nsee above"));
    }

    #[test]
    fn ho_5_attached_files_are_truncated() {
        let link = ContentBlock::ResourceLink(ResourceLink::new("a.rs", "file:///w/a.rs"));
        let long = TextResourceContents::new("x".repeat(MAX_ATTACHED_BYTES + 9), "file:///w/b.rs");
        let attached =
            ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(long)));
        let parsed = parse_prompt(vec![text("see"), link, attached], &CallableCommands::default()).unwrap();
        let ParsedPrompt::Message(message) = parsed else { panic!("words") };
        let Submission::CustomCommand { text, .. } = *message else { panic!("words") };
        assert!(text.starts_with("see\n[a.rs](/w/a.rs)\n<attached from=\"/w/b.rs\">\nxxx"), "{}", &text[..60]);
        assert!(text.len() < MAX_ATTACHED_BYTES + 200 && text.contains("[cut;"));
        assert!(parse_prompt(vec![], &CallableCommands::default()).is_err());
    }
}
