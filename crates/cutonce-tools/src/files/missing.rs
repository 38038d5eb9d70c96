//! Explains a missing file: what exists instead, and which names are similar.

use crate::workspace::Workspace;
use cutonce_core::permission::PathTarget;
use std::path::Path;

const MAX_NAMES: usize = 20_000;
const MAX_SUGGESTIONS: usize = 3;

/// Builds the error for the model.
pub(crate) fn explain_missing(workspace: &Workspace, target: &PathTarget) -> String {
    let path = &target.path;
    let given = &target.given;
    let there = path.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let shown = workspace.display_path(there);
    // The missing name in the last existing folder.
    let missing = path.strip_prefix(there).ok().and_then(|rest| rest.components().next());
    let Some(missing) = missing.map(|part| part.as_os_str().to_string_lossy().into_owned()) else {
        return format!("{given} does not exist.");
    };
    let names = similar_names(there, &missing);
    let folder = if shown == "." { "the project root".into() } else { format!("`{shown}`") };
    let at = if path.parent() == Some(there) { String::new() } else { format!(" ({folder} has no `{missing}`)") };
    if names.is_empty() {
        return format!("{given} does not exist{at}.");
    }
    let names: Vec<String> =
        names.iter().map(|name| format!("`{}`", workspace.display_path(&there.join(name)))).collect();
    format!("{given} does not exist{at}. Did you mean {}?", names.join(" or "))
}

/// Returns similar names in the folder, best first.
fn similar_names(folder: &Path, wanted: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let wanted = wanted.to_lowercase();
    let stem = |name: &str| name.split_once('.').map_or(name, |(stem, _)| stem).to_string();
    let mut scored: Vec<(f64, String)> = entries
        .take(MAX_NAMES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .map(|name| {
            let lower = name.to_lowercase();
            let same_stem = !stem(&wanted).is_empty() && stem(&lower) == stem(&wanted);
            // One typo in a short name makes it look very different to the other measure.
            let one_slip = wanted.chars().count() > 2 && strsim::damerau_levenshtein(&lower, &wanted) <= 1;
            let score = if same_stem { 0.95 } else { f64::from(u8::from(one_slip)) * 0.9 };
            (strsim::jaro_winkler(&lower, &wanted).max(score), name)
        })
        .filter(|(score, _)| *score >= 0.85)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    scored.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}
