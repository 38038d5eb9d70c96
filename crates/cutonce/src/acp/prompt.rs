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

    /// What `/name words` means, if the name is one of these; what came with it follows.
    fn call(&self, said: &Blocks) -> Option<Submission> {
        let text = said.words.trim();
        let (word, words) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (name, words) = (word.strip_prefix('/')?, words.trim());
        if let Some(custom) = self.customs.iter().find(|custom| custom.name == name) {
            let mut called = custom.prompt(words, said.images.clone());
            if let Submission::Prompt { text, typed, .. } = &mut called {
                *typed = said.apart();
                *text = said.with_rest(text);
            }
            return Some(called);
        }
        let (name, _) = self.skills.iter().find(|(skill, _)| skill == name)?;
        Some(said.says(said.with_rest(format!("Use the skill `{name}`. {words}").trim_end())))
    }
}

/// A prompt, taken apart. Editors attach the open file by themselves, before or behind what was typed: that makes no other command of it.
#[derive(Default)]
struct Blocks {
    /// All of it, in its order.
    all: Vec<String>,
    /// What was typed.
    typed: Vec<String>,
    /// The same with the links between: what a command is told.
    words: String,
    /// What came before it, and whole texts.
    rest: Vec<String>,
    images: Vec<Image>,
}

impl Blocks {
    fn read(blocks: Vec<ContentBlock>) -> Result<Blocks, Error> {
        let (mut said, mut words) = (Blocks::default(), Vec::new());
        for block in blocks {
            let text = match block {
                ContentBlock::Text(text) => {
                    said.typed.push(text.text.clone());
                    words.push(text.text.clone());
                    text.text
                }
                ContentBlock::ResourceLink(link) => {
                    let link = format!("[{}]({})", link.name, place(&link.uri));
                    if words.is_empty() { &mut said.rest } else { &mut words }.push(link.clone());
                    link
                }
                ContentBlock::Resource(resource) => match resource.resource {
                    EmbeddedResourceResource::TextResourceContents(text) => {
                        said.rest.push(attached(&text.uri, &text.text));
                        attached(&text.uri, &text.text)
                    }
                    EmbeddedResourceResource::BlobResourceContents(blob) => {
                        said.images.push(attached_image(blob.mime_type.unwrap_or_default(), blob.blob)?);
                        continue;
                    }
                    _ => return Err(refused("an attached resource of an unknown form")),
                },
                ContentBlock::Image(found) => {
                    said.images.push(picture(&found.mime_type, found.data)?);
                    continue;
                }
                ContentBlock::Audio(_) => return Err(refused("audio is not supported")),
                _ => return Err(refused("a content block of an unknown type")),
            };
            said.all.push(text);
        }
        said.words = words.join("\n");
        Ok(said)
    }

    /// What was typed, where something came with it.
    fn apart(&self) -> Option<String> {
        (self.all.len() > self.typed.len()).then(|| self.typed.join("\n").trim().to_string())
    }

    /// These words for the model. What a file holds is none of the person's: no mention in it asks a server (HO-6).
    fn says(&self, text: String) -> Submission {
        let images = self.images.clone();
        match self.apart() {
            None => Submission::User { text, images },
            typed => Submission::Prompt { text, images, allow: Vec::new(), model: None, typed },
        }
    }

    fn with_rest(&self, text: &str) -> String {
        let rest = self.rest.iter().map(String::as_str);
        std::iter::once(text).chain(rest).collect::<Vec<_>>().join("\n")
    }
}

pub fn read(blocks: Vec<ContentBlock>, callable: &Callable) -> Result<Prompt, Error> {
    let said = Blocks::read(blocks)?;
    let text = said.all.join("\n");
    if text.trim().is_empty() && said.images.is_empty() {
        return Err(refused("the prompt is empty"));
    }
    if let Some(called) = callable.call(&said) {
        return Ok(Prompt::Words(called));
    }
    match name(said.words.trim_start()) {
        Some(name) => Ok(command(&name, said)),
        // A prompt of a server is looked for at the beginning of a message (HO-6).
        None if said.words.trim_start().starts_with("/mcp__") => {
            Ok(Prompt::Words(said.says(said.with_rest(said.words.trim()))))
        }
        None => Ok(Prompt::Words(said.says(text))),
    }
}

/// `/word` at the start; a path has more in it.
fn name(text: &str) -> Option<String> {
    let word = text.strip_prefix('/')?.split_whitespace().next()?;
    let fine = |c: char| c.is_ascii_lowercase() || c == '-';
    (text.len() > 1 && !text[1..].starts_with(char::is_whitespace) && word.chars().all(fine)).then(|| word.to_string())
}

fn command(name: &str, said: Blocks) -> Prompt {
    let line = said.typed.join("\n");
    let line = line.trim();
    let rest = line.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
    match name {
        "plan" | "mode" => match command::parse(line) {
            Some(Command::Plan(PlanCommand::Describe(_))) => describe(said),
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

/// `/plan words`, with all that came with the words.
fn describe(said: Blocks) -> Prompt {
    let words = said.words.trim();
    let words = words.split_once(char::is_whitespace).map_or("", |(_, words)| words.trim());
    let text = said.with_rest(words);
    let command = |command| Submission::Command { command: Command::Plan(command), editor: None };
    Prompt::Command(match said.images.is_empty() && said.apart().is_none() {
        true => vec![command(PlanCommand::Describe(text))],
        // A command carries the person's words only.
        false => vec![command(PlanCommand::Plain), said.says(text)],
    })
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

fn attached_image(kind: String, data: String) -> Result<Image, Error> {
    if !IMAGES.contains(&kind.as_str()) {
        return Err(refused(&format!("an attached file of type `{kind}` can't be shown to the model")));
    }
    picture(&kind, data)
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
    fn ho_5_what_an_editor_attaches_makes_no_other_command() {
        let link = || ContentBlock::ResourceLink(ResourceLink::new("a.rs", "file:///w/a.rs"));
        let whole = || {
            let text = TextResourceContents::new("fn a() {}", "file:///w/b.rs");
            ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(text)))
        };
        let skills = vec![("sewing".to_string(), String::new())];
        let callable = Callable { customs: Vec::new(), skills };
        let words_of = |one: Submission| match one {
            Submission::Prompt { text, typed: Some(typed), .. } => {
                assert!(!typed.contains("fn a()") && !typed.contains("a.rs"), "HO-6: not typed: {typed}");
                text
            }
            other => panic!("{other:?}"),
        };
        let said = |blocks: Vec<ContentBlock>| match read(blocks, &callable).unwrap() {
            Prompt::Words(words) => words_of(words),
            Prompt::Command(mut all) => match all.remove(0) {
                Submission::Command { command: Command::Plan(PlanCommand::Plain), .. } => {
                    format!("P {}", words_of(all.remove(0)))
                }
                Submission::Command { command: Command::Mode(mode), .. } => format!("M {mode}"),
                Submission::SetModel { model } => format!("S {model}"),
                other => format!("{other:?}"),
            },
            Prompt::Compact { focus } => format!("C {focus:?}"),
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
        // Words stay in their order.
        assert_eq!(before("see above"), format!("{tail}\nsee above"));
    }

    #[test]
    fn ho_5_links_and_attached_files_reach_the_model_bounded() {
        let link = ContentBlock::ResourceLink(ResourceLink::new("a.rs", "file:///w/a.rs"));
        let long = TextResourceContents::new("x".repeat(ATTACHED + 9), "file:///w/b.rs");
        let attached =
            ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(long)));
        let Prompt::Words(Submission::Prompt { text, .. }) =
            read(vec![text("see"), link, attached], &Callable::default()).unwrap()
        else {
            panic!("words")
        };
        assert!(text.starts_with("see\n[a.rs](/w/a.rs)\n<attached from=\"/w/b.rs\">\nxxx"), "{}", &text[..60]);
        assert!(text.len() < ATTACHED + 200 && text.contains("[cut;"));
        assert!(read(vec![], &Callable::default()).is_err());
    }
}
