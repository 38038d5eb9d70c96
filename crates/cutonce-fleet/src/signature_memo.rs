//! Signatures that this machine has verified. Checking one takes most of the time of reading a record, and a list of
//! waiting plans reads the same records each time (FL-7). The memo says nothing about membership, which is checked
//! each time.

use crate::envelope::{EnvelopeFault, OpenedEnvelope, SignatureDigest};
use crate::link::lock;
use crate::member_keys::MemberPublicKeys;
use crate::remote_record::remotes_dir;
use cutonce_agent::storage::paths::write_private;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The memo forgets the older half beyond twice this number.
const MAX_YOUNG: usize = 50_000;
/// New signatures that are worth a write.
const WORTH_SAVING: usize = 200;

pub(crate) struct SignatureMemo {
    path: PathBuf,
    state: Mutex<MemoState>,
}

#[derive(Default)]
struct MemoState {
    young: HashSet<SignatureDigest>,
    old: HashSet<SignatureDigest>,
    unsaved: usize,
}

impl SignatureMemo {
    pub fn load(home: &Path, remote: &str) -> SignatureMemo {
        let path = remotes_dir(home).join(remote).join("verified");
        let bytes = std::fs::read(&path).unwrap_or_default();
        let (digests, _) = bytes.as_chunks();
        let old = digests.iter().copied().collect();
        SignatureMemo { path, state: Mutex::new(MemoState { old, ..MemoState::default() }) }
    }

    /// Checks a signature, unless this very one was checked before.
    pub fn verify(&self, opened: &OpenedEnvelope, subject: &str, keys: &MemberPublicKeys) -> Result<(), EnvelopeFault> {
        let digest = opened.digest(subject, keys);
        {
            let state = lock(&self.state);
            if state.young.contains(&digest) || state.old.contains(&digest) {
                return Ok(());
            }
        }
        opened.verify(subject, keys)?;
        let mut state = lock(&self.state);
        state.unsaved += usize::from(state.young.insert(digest));
        if state.young.len() >= MAX_YOUNG {
            state.old = std::mem::take(&mut state.young);
        }
        Ok(())
    }

    /// Stores the memo if much is new. Without the file, signatures are checked again.
    pub fn save(&self) {
        let mut state = lock(&self.state);
        if state.unsaved < WORTH_SAVING {
            return;
        }
        state.unsaved = 0;
        let bytes: Vec<u8> = state.old.iter().chain(&state.young).flatten().copied().collect();
        if let Err(error) = write_private(&self.path, &bytes) {
            tracing::warn!("{}: {error}", self.path.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::{EpochKey, GroupKeys, open, seal};
    use crate::member_keys::MemberSecret;

    #[test]
    fn fl_7_memo_knows_only_verified_signatures() {
        let home = tempfile::tempdir().unwrap();
        let (ann, bob) = (MemberSecret::generate().unwrap(), MemberSecret::generate().unwrap());
        let mut keys = GroupKeys::default();
        keys.insert(1, EpochKey([7; 32]));
        let write = |body: usize| open(&keys, "s", &seal(&keys, &ann, "s", &body.to_be_bytes()).unwrap()).unwrap();
        let memo = SignatureMemo::load(home.path(), "team");
        let records: Vec<OpenedEnvelope> = (0..WORTH_SAVING).map(write).collect();
        for record in &records {
            assert_eq!(memo.verify(record, "s", &ann.public()), Ok(()));
            assert_eq!(memo.verify(record, "t", &ann.public()), Err(EnvelopeFault::Signature), "another subject");
            assert_eq!(memo.verify(record, "s", &bob.public()), Err(EnvelopeFault::Author), "another member");
        }
        memo.save();
        let again = SignatureMemo::load(home.path(), "team");
        assert_eq!(lock(&again.state).old.len(), records.len());
        let mut other = records[0].clone();
        other.body = b"other".to_vec();
        assert_eq!(again.verify(&other, "s", &ann.public()), Err(EnvelopeFault::Signature), "another body");
        assert_eq!(again.verify(&records[0], "s", &ann.public()), Ok(()));
        assert_eq!(lock(&again.state).unsaved, 0, "it is known");
    }
}
