//! The implementation of an approved plan, rebuilt from the transcript (PC-36).

use super::progress::{Evidence, PlanProgress};
use crate::transcript::EntryBody;
use std::collections::BTreeMap;

/// An approved plan that is being implemented.
#[derive(Debug, Clone, PartialEq)]
pub struct Implementation {
    pub progress: PlanProgress,
    pub budget_usd: Option<f64>,
    /// Files whose old content was stored, but whose change left no evidence: the program ended in between. Absolute
    /// path and hash of the old content.
    pub unproven_writes: BTreeMap<String, Option<String>>,
}

/// The implementation at the end of these entries, oldest first; `None` if no plan with steps is being implemented.
pub fn replay_implementation<'a>(
    entries: impl IntoIterator<Item = &'a EntryBody>,
    root: &str,
) -> Option<Implementation> {
    let mut found: Option<Implementation> = None;
    for entry in entries {
        match entry {
            EntryBody::Contract { approved: None, .. } => found = None,
            EntryBody::Contract { approved: Some(approved), scope, budget_usd, amends } => {
                match found.as_mut().filter(|_| *amends) {
                    Some(before) => {
                        before.progress.amend((**approved).clone());
                        before.budget_usd = *budget_usd;
                    }
                    None => {
                        let progress = PlanProgress::new((**approved).clone(), root);
                        let (budget_usd, unproven_writes) = (*budget_usd, BTreeMap::new());
                        found = Some(Implementation { progress, budget_usd, unproven_writes });
                    }
                }
                accept_added(found.as_mut(), scope.as_ref());
            }
            EntryBody::Scope { scope } => accept_added(found.as_mut(), scope.as_ref()),
            EntryBody::Evidence { evidence } => {
                if let Some(found) = &mut found {
                    if let Evidence::Wrote { path, .. } = evidence {
                        found.unproven_writes.remove(path);
                        found.unproven_writes.remove(&format!("{root}/{path}"));
                    }
                    found.progress.observe(evidence.clone());
                }
            }
            EntryBody::FileSnapshot { key, path, sha256, .. } if key == "before" => {
                if let Some(found) = &mut found {
                    found.unproven_writes.entry(path.clone()).or_insert_with(|| sha256.clone());
                }
            }
            _ => {}
        }
    }
    found
}

fn accept_added(found: Option<&mut Implementation>, scope: Option<&super::scope::PlanScope>) {
    if let (Some(found), Some(scope)) = (found, scope) {
        scope.added.iter().for_each(|path| found.progress.accept(path));
    }
}
