//! Passages of a text for the model that name tools (PM-90). `⟦Glob,Grep: Use Glob or Grep.⟧` stays, without its
//! marks, only if the session offers all tools before the colon.

/// Keeps the passages whose tools are offered, and removes the others.
pub fn keep_offered(text: &str, offered: &dyn Fn(&str) -> bool) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tools, passage, after)) = next_passage(rest) {
        kept.push_str(before);
        if tools.split(',').all(|tool| offered(tool.trim())) {
            kept.push_str(passage);
        }
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// Splits at the next passage: text before, its tools, the passage, text after.
fn next_passage(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, inside) = text.split_once('⟦')?;
    let (passage, after) = inside.split_once('⟧')?;
    let (tools, passage) = passage.split_once(':')?;
    Some((before, tools, passage, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pm_90_passages_stay_if_all_their_tools_are_offered() {
        let kept = |text: &str| keep_offered(text, &|tool| tool == "Grep" || tool == "Glob");
        assert_eq!(kept("ask⟦AskUserQuestion: with AskUserQuestion⟧; else"), "ask; else");
        assert_eq!(kept("⟦Glob,Grep:Glob or Grep, ⟧then⟦Glob, Bash: Bash⟧."), "Glob or Grep, then.");
        for plain in ["", "no marks", "⟦open", "a ⟦list⟧ of: things"] {
            assert_eq!(kept(plain), plain);
        }
    }
}
