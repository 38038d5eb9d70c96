//! Files that take the place of hidden ones: same size and time, other content. For git such a file is unchanged if
//! the hidden one is (with `core.checkStat=minimal`), and it can be opened if it is not.

use super::confine::{OverlayLayer, RefusalReason};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What a stand-in contains, as far as it has room. Empty lines fill the rest.
const STAND_IN_TEXT: &str = "# Closed by cutonce: keys and credentials stay hidden in plan mode.\n";
/// A longer rest is a hole in the file.
const MAX_STAND_IN_TEXT: u64 = 64 * 1024;

/// Creates the stand-in for a hidden file.
pub(crate) fn create_stand_in(path: &Path, like: &Metadata) -> Result<PathBuf, RefusalReason> {
    let make = || {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o444).open(path)?;
        let mut text = STAND_IN_TEXT.as_bytes().to_vec();
        text.resize(like.len().min(MAX_STAND_IN_TEXT) as usize, b'\n');
        file.write_all(&text)?;
        file.set_len(like.len())?;
        file.set_modified(like.modified()?)
    };
    make().map_err(|error: io::Error| RefusalReason::from_error(&path.display().to_string(), &error))?;
    Ok(path.to_path_buf())
}

/// Puts stand-ins for hidden files onto empty throwaway layers, where they cover the files below; returns these files.
/// A mount for each of thousands would take seconds (SB-7).
pub(crate) fn put_on_layers(
    layers: &[OverlayLayer],
    hide: &[PathBuf],
    readable: &[PathBuf],
) -> Result<BTreeSet<PathBuf>, RefusalReason> {
    let mut folders = CopiedFolders::default();
    let mut closed = BTreeSet::new();
    for path in hide.iter().filter(|path| !readable.contains(path)) {
        let Some(layer) = layers.iter().find(|layer| path.starts_with(&layer.covered)) else { continue };
        let Some(about) = path.symlink_metadata().ok().filter(Metadata::is_file) else { continue };
        create_stand_in(&folders.copy_around(path, layer)?, &about)?;
        closed.insert(path.clone());
    }
    folders.finish().map(|()| closed)
}

/// Folders on a layer, each with the one below that it must look like.
#[derive(Default)]
struct CopiedFolders(BTreeMap<PathBuf, PathBuf>);

impl CopiedFolders {
    /// Makes the folders around a file on the layer; returns where the file goes.
    fn copy_around(&mut self, path: &Path, layer: &OverlayLayer) -> Result<PathBuf, RefusalReason> {
        let inner = path.strip_prefix(&layer.covered).unwrap_or(path);
        let around: Vec<&Path> = inner.ancestors().skip(1).filter(|part| !part.as_os_str().is_empty()).collect();
        for part in around.into_iter().rev() {
            let copy = layer.upper.join(part);
            if self.0.contains_key(&copy) {
                continue;
            }
            DirBuilder::new()
                .mode(0o700)
                .create(&copy)
                .map_err(|error| RefusalReason::from_error(&copy.display().to_string(), &error))?;
            self.0.insert(copy, layer.covered.join(part));
        }
        Ok(layer.upper.join(inner))
    }

    /// Gives the folders mode and time of those below, inner ones first: a closed folder takes no more files.
    fn finish(self) -> Result<(), RefusalReason> {
        for (copy, below) in self.0.iter().rev() {
            let look_like = || {
                let about = below.metadata()?;
                File::open(copy)?.set_modified(about.modified()?)?;
                fs::set_permissions(copy, about.permissions())
            };
            look_like().map_err(|error: io::Error| RefusalReason::from_error(&copy.display().to_string(), &error))?;
        }
        Ok(())
    }
}
