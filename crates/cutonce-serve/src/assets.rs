//! The page's files, in the binary and compressed (RV-4).

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::sync::OnceLock;

/// One file of the page.
pub struct PageAsset {
    pub path: &'static str,
    pub kind: &'static str,
    pub content: &'static str,
    packed: OnceLock<Bytes>,
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

const fn asset(path: &'static str, kind: &'static str, content: &'static str) -> PageAsset {
    PageAsset { path, kind, content, packed: OnceLock::new() }
}

static ASSETS: [PageAsset; 10] = [
    asset("/", "text/html; charset=utf-8", include_str!("../assets/index.html")),
    asset("/app.css", "text/css; charset=utf-8", include_str!("../assets/app.css")),
    asset("/app.js", JAVASCRIPT, include_str!("../assets/app.js")),
    asset("/dom.js", JAVASCRIPT, include_str!("../assets/dom.js")),
    asset("/board.js", JAVASCRIPT, include_str!("../assets/board.js")),
    asset("/review.js", JAVASCRIPT, include_str!("../assets/review.js")),
    asset("/plan.js", JAVASCRIPT, include_str!("../assets/plan.js")),
    asset("/rehearsal.js", JAVASCRIPT, include_str!("../assets/rehearsal.js")),
    asset("/ask.js", JAVASCRIPT, include_str!("../assets/ask.js")),
    asset("/icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

/// The file at this path. Every page of the program has the same empty HTML.
pub fn find_asset(path: &str) -> Option<&'static PageAsset> {
    let page = path == "/" || path.starts_with("/review/") || path.starts_with("/plans/");
    let path = if page { "/" } else { path };
    ASSETS.iter().find(|asset| asset.path == path)
}

impl PageAsset {
    /// The file, compressed with gzip.
    pub fn packed(&self) -> Bytes {
        self.packed.get_or_init(|| gzip(self.content.as_bytes())).clone()
    }
}

fn gzip(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory can't fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rv_4_assets_fit_80_kib_compressed() {
        let sizes: Vec<usize> = ASSETS.iter().map(|asset| asset.packed().len()).collect();
        assert!(sizes.iter().all(|size| *size > 0), "{sizes:?}");
        assert!(sizes.iter().sum::<usize>() <= 80 * 1024, "{sizes:?}");
    }

    #[test]
    fn rv_5_page_loads_nothing_from_elsewhere() {
        for asset in &ASSETS {
            let own = asset.content.replace("http://www.w3.org/2000/svg", "");
            for bad in ["http://", "https://", "//cdn", "@import", "eval(", "new Function", " style=\"", "onclick=\""] {
                assert!(!own.contains(bad), "{} contains {bad}", asset.path);
            }
        }
        let page = find_asset("/review/a/b").unwrap().content;
        assert!(!page.contains("<style") && page.matches("<script").count() == 1, "{page}");
    }
}
