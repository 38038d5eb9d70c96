//! The format of a story: prose, then sections that start with `--- `.

/// One section: `--- head` and the lines up to the next one.
#[derive(Debug, Clone)]
pub struct Section {
    pub head: String,
    pub body: String,
}

#[derive(Debug)]
pub struct Story {
    pub prose: String,
    pub sections: Vec<Section>,
}

impl Story {
    pub fn parse(text: &str) -> Result<Story, String> {
        let mut story = Story { prose: String::new(), sections: Vec::new() };
        for line in text.split_inclusive('\n') {
            match (head_of(line), story.sections.last_mut()) {
                (Some(head), _) => {
                    story.sections.push(Section { head: head.to_string(), body: String::new() });
                }
                (None, Some(section)) => section.body.push_str(line),
                (None, None) => story.prose.push_str(line),
            }
        }
        if story.prose.trim().is_empty() {
            return Err("a story starts with prose: what it shows and which clauses it proves".into());
        }
        Ok(story)
    }

    pub fn to_text(&self) -> String {
        let mut text = self.prose.clone();
        for section in &self.sections {
            text.push_str(&format!("--- {}\n{}", section.head, section.body));
        }
        text
    }
}

/// Known section names; any other line with three dashes (as in a diff) is content.
const SECTIONS: [&str; 20] = [
    "file",
    "sh",
    "model",
    "env",
    "machine",
    "in",
    "stdin",
    "talk",
    "run",
    "exit",
    "stdout",
    "stderr",
    "frames",
    "disk",
    "transcript",
    "seen",
    "pty",
    "keys",
    "shows",
    "history",
];

fn head_of(line: &str) -> Option<&str> {
    let head = line.strip_prefix("--- ")?.trim_end();
    SECTIONS.contains(&head.split(' ').next()?).then_some(head)
}
