//! The form of a story: prose, then sections that start with `--- `.

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
            match (line.strip_prefix("--- "), story.sections.last_mut()) {
                (Some(head), _) => {
                    let head = head.trim_end().to_string();
                    story.sections.push(Section { head, body: String::new() });
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
