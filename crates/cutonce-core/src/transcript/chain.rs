//! Finds the entries of the conversation: the chain from the last entry back along `parent` (SE-5, SE-6).
//!
//! A rewind or fork points further back; skipped entries stay in the file but not in the conversation.

use std::collections::HashMap;
use std::hash::Hash;

/// Id of an entry and of its parent, in any comparable form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainLink<K> {
    pub id: K,
    pub parent: Option<K>,
}

/// Indexes of the entries on the chain of the last one, oldest first.
///
/// A parent that is missing before its child (its line was garbage, SE-2) is replaced by the entry before the
/// child: this restores more, never less. Only the first entry of a file has no parent; a later entry without
/// one was written by a foreign program and follows the entry before it.
pub fn chain_indexes<K: Copy + Eq + Hash>(links: &[ChainLink<K>]) -> Vec<usize> {
    let mut places: Option<HashMap<K, Vec<usize>>> = None;
    let mut found = Vec::new();
    let mut next = links.len().checked_sub(1);
    while let Some(at) = next {
        found.push(at);
        next = match links[at].parent {
            None => at.checked_sub(1),
            // Nearly every entry follows its parent directly, so the table is rarely needed.
            Some(parent) if at > 0 && links[at - 1].id == parent => Some(at - 1),
            Some(parent) => {
                let places = places.get_or_insert_with(|| positions_by_id(links));
                last_before(places.get(&parent), at).or(at.checked_sub(1))
            }
        };
    }
    found.reverse();
    found
}

fn positions_by_id<K: Copy + Eq + Hash>(links: &[ChainLink<K>]) -> HashMap<K, Vec<usize>> {
    let mut places: HashMap<K, Vec<usize>> = HashMap::with_capacity(links.len());
    for (at, link) in links.iter().enumerate() {
        places.entry(link.id).or_default().push(at);
    }
    places
}

fn last_before(places: Option<&Vec<usize>>, at: usize) -> Option<usize> {
    let places = places?;
    places[..places.partition_point(|place| *place < at)].last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(links: &[(u32, Option<u32>)], expected: &[usize]) {
        let links: Vec<_> = links.iter().map(|(id, parent)| ChainLink { id: *id, parent: *parent }).collect();
        assert_eq!(chain_indexes(&links), expected, "{links:?}");
    }

    #[test]
    fn se_5_rewind_skips_entries() {
        check(&[], &[]);
        check(&[(1, None), (2, Some(1)), (3, Some(2))], &[0, 1, 2]);
        check(&[(1, None), (2, Some(1)), (3, Some(2)), (4, Some(1)), (5, Some(4))], &[0, 3, 4]);
    }

    #[test]
    fn se_2_lost_parent_loses_nothing_else() {
        check(&[(1, None), (2, Some(1)), (4, Some(3)), (5, Some(4))], &[0, 1, 2, 3]);
        // The first line is lost.
        check(&[(2, Some(1)), (3, Some(2))], &[0, 1]);
    }

    #[test]
    fn se_2_cycles_and_future_parents_terminate() {
        check(&[(1, Some(2)), (2, Some(1))], &[0, 1]);
        check(&[(1, Some(1)), (1, Some(1))], &[0, 1]);
        check(&[(7, Some(9)), (8, Some(8)), (9, Some(9))], &[0, 1, 2]);
    }
}
