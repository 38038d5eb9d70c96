//! Checks images by their header (TL-2, AG-4). A provider answers 400 to an image that it can't decode or
//! that is too large, and then to every later request of that conversation. So images without a valid header
//! are never sent.
//!
//! Why no crate: `imagesize` does not check that a PNG starts with its header chunk, so it accepts broken ones.

use crate::conversation::Image;
use base64::Engine;

/// Maximum width and height that providers accept.
pub const MAX_PIXELS: u32 = 8_000;
/// Maximum number of bytes; providers accept up to 5 MB in base64.
pub const MAX_IMAGE_BYTES: usize = (5 << 20) / 4 * 3;

/// Image formats that providers accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    Png,
    Jpeg,
    Gif,
    Webp,
}

/// Reason why an image can't be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    #[error("its data is empty or not base64")]
    NotBase64,
    #[error("it is not a PNG, JPEG, GIF or WebP image")]
    NotAnImage,
    #[error("it starts like a {0} image but has no size: it is broken or truncated")]
    NoSize(&'static str),
    #[error("it has {width} x {height} pixels; the limit is {MAX_PIXELS} per side: make it smaller first")]
    TooLarge { width: u32, height: u32 },
    #[error("it has {}.{:02} MB; the limit is 3.75 MB: make it smaller first", hundredths / 100, hundredths % 100)]
    TooLong { hundredths: u64 },
}

impl ImageFormat {
    /// Detects the format by the first bytes.
    pub fn detect(bytes: &[u8]) -> Option<ImageFormat> {
        match bytes {
            [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some(ImageFormat::Png),
            [0xff, 0xd8, 0xff, ..] => Some(ImageFormat::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(ImageFormat::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(ImageFormat::Webp),
            _ => None,
        }
    }
    pub fn media_type(self) -> &'static str {
        match self {
            ImageFormat::Png => "image/png",
            ImageFormat::Jpeg => "image/jpeg",
            ImageFormat::Gif => "image/gif",
            ImageFormat::Webp => "image/webp",
        }
    }
    fn name(self) -> &'static str {
        match self {
            ImageFormat::Png => "PNG",
            ImageFormat::Jpeg => "JPEG",
            ImageFormat::Gif => "GIF",
            ImageFormat::Webp => "WebP",
        }
    }
    /// Width and height from the header.
    fn read_size(self, bytes: &[u8]) -> Option<(u32, u32)> {
        match self {
            ImageFormat::Png => png_size(bytes),
            ImageFormat::Jpeg => jpeg_size(bytes),
            ImageFormat::Gif => Some((little_endian(bytes, 6, 2)?, little_endian(bytes, 8, 2)?)),
            ImageFormat::Webp => webp_size(bytes),
        }
    }
}

/// Returns the format of a valid image, or the reason why it can't be sent.
pub fn check_image(bytes: &[u8]) -> Result<ImageFormat, ImageError> {
    let form = ImageFormat::detect(bytes).ok_or(ImageError::NotAnImage)?;
    match form.read_size(bytes) {
        None | Some((0, _) | (_, 0)) => Err(ImageError::NoSize(form.name())),
        Some((width, height)) if width.max(height) > MAX_PIXELS => Err(ImageError::TooLarge { width, height }),
        Some(_) => Ok(form),
    }
}

/// Error for a file that is too large to be read.
pub fn too_long_error(bytes: u64) -> ImageError {
    ImageError::TooLong { hundredths: bytes.saturating_mul(100) >> 20 }
}

/// Encodes an image for sending.
pub fn encode_image(bytes: &[u8]) -> Result<Image, ImageError> {
    if bytes.len() > MAX_IMAGE_BYTES {
        return Err(too_long_error(bytes.len() as u64));
    }
    let media_type = check_image(bytes)?.media_type().to_string();
    Ok(Image { media_type, data: base64::engine::general_purpose::STANDARD.encode(bytes) })
}

/// Checks an image that came as base64 (HO-1, HO-5). Its type is detected from the bytes; the declared one is
/// ignored.
pub fn image_from_base64(data: String) -> Result<Image, ImageError> {
    let length = data.len() / 4 * 3;
    if length > MAX_IMAGE_BYTES + 3 {
        return Err(too_long_error(length as u64));
    }
    let bytes = base64::engine::general_purpose::STANDARD.decode(&data).map_err(|_| ImageError::NotBase64)?;
    match bytes.len() {
        0 => Err(ImageError::NotBase64),
        length if length > MAX_IMAGE_BYTES => Err(too_long_error(length as u64)),
        _ => Ok(Image { media_type: check_image(&bytes)?.media_type().to_string(), data }),
    }
}

/// Reads the size from the first chunk, the header.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let header = bytes.get(12..16) == Some(b"IHDR");
    header.then(|| Some((big_endian(bytes, 16, 4)?, big_endian(bytes, 20, 4)?))).flatten()
}

/// Walks the segments until the one that starts a frame.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            // Padding before a marker, any number of bytes.
            0xff => at += 1,
            // Markers without a length.
            0x01 | 0xd0..=0xd8 => at += 2,
            // The image ends or its data begins without a frame header.
            0xd9 | 0xda => return None,
            0xc4 | 0xc8 | 0xcc => at += segment_len(bytes, at)?,
            0xc0..=0xcf => return Some((big_endian(bytes, at + 7, 2)?, big_endian(bytes, at + 5, 2)?)),
            _ => at += segment_len(bytes, at)?,
        }
    }
}

/// Length of the marker and its segment.
fn segment_len(bytes: &[u8], at: usize) -> Option<usize> {
    let length = big_endian(bytes, at + 2, 2)? as usize;
    (length >= 2).then_some(2 + length)
}

fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8X" => Some((little_endian(bytes, 24, 3)? + 1, little_endian(bytes, 27, 3)? + 1)),
        b"VP8L" if bytes.get(20) == Some(&0x2f) => {
            let sizes = little_endian(bytes, 21, 4)?;
            Some(((sizes & 0x3fff) + 1, ((sizes >> 14) & 0x3fff) + 1))
        }
        b"VP8 " if bytes.get(23..26) == Some(&[0x9d, 0x01, 0x2a]) => {
            Some((little_endian(bytes, 26, 2)? & 0x3fff, little_endian(bytes, 28, 2)? & 0x3fff))
        }
        _ => None,
    }
}

fn big_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().fold(0, |sum, byte| (sum << 8) | u32::from(*byte)))
}

fn little_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().rev().fold(0, |sum, byte| (sum << 8) | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn png_of(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &size, &[8, 6, 0, 0, 0]].concat()
    }

    const JPEG: &[u8] =
        b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc4\x00\x03h\xff\xc2\x00\x0b\x08\x00\x07\x00\x09\x01\x01\x11\x00";
    const GIF: &[u8] = b"GIF89a\x09\x00\x07\x00\x80";
    const VP8: &[u8] = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0abc\x9d\x01\x2a\x09\x40\x07\x00";
    const VP8L: &[u8] = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x08\x80\x01\x00";
    const VP8X: &[u8] = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0abcd\x08\x00\x00\x06\x00\x00";

    #[test]
    fn tl_2_size_is_read_from_each_format() {
        let png = png_of(9, 7);
        let images: [(&[u8], ImageFormat); 6] = [
            (&png, ImageFormat::Png),
            (JPEG, ImageFormat::Jpeg),
            (GIF, ImageFormat::Gif),
            (VP8, ImageFormat::Webp),
            (VP8L, ImageFormat::Webp),
            (VP8X, ImageFormat::Webp),
        ];
        for (bytes, form) in images {
            assert_eq!((check_image(bytes), form.read_size(bytes)), (Ok(form), Some((9, 7))), "{form:?}");
            // Truncated before the end of the size, it is never a valid image.
            let first = (0..bytes.len()).find(|end| check_image(&bytes[..*end]).is_ok()).unwrap_or(bytes.len());
            assert!(
                first >= 10 && form.read_size(&bytes[..first]).is_some() || first == bytes.len(),
                "{form:?} {first}"
            );
        }
    }

    #[test]
    fn ag_4_images_that_providers_refuse_are_rejected() {
        assert_eq!(check_image(b"\x89PNG\r\n\x1a\n"), Err(ImageError::NoSize("PNG")));
        assert_eq!(check_image(b"\x89PNG\r\n\x1a\nno header at all, but long enough"), Err(ImageError::NoSize("PNG")));
        assert_eq!(check_image(b"\xff\xd8\xff\xd9"), Err(ImageError::NoSize("JPEG")));
        assert_eq!(check_image(b"\xff\xd8\xff\xe0\x00\x00\xff\xc0"), Err(ImageError::NoSize("JPEG")));
        assert_eq!(check_image(&png_of(0, 5)), Err(ImageError::NoSize("PNG")));
        assert_eq!(check_image(b"<svg>"), Err(ImageError::NotAnImage));
        assert_eq!(check_image(&png_of(8_000, 1)), Ok(ImageFormat::Png));
        assert_eq!(check_image(&png_of(1, 8_001)), Err(ImageError::TooLarge { width: 1, height: 8_001 }));
        let told = check_image(&png_of(1, 8_001)).map_err(|error| error.to_string());
        assert_eq!(told.unwrap_err(), "it has 1 x 8001 pixels; the limit is 8000 per side: make it smaller first");
    }

    #[test]
    fn ho_1_base64_images_are_checked_like_files() {
        let base64 = |bytes: &[u8]| base64::engine::general_purpose::STANDARD.encode(bytes);
        assert_eq!(image_from_base64(base64(GIF)).map(|image| image.media_type), Ok("image/gif".into()));
        assert_eq!(image_from_base64(base64(&png_of(9_000, 1))), Err(ImageError::TooLarge { width: 9_000, height: 1 }));
        assert_eq!(image_from_base64(base64(b"A")), Err(ImageError::NotAnImage));
        for data in ["", "no base64!", "QQ="] {
            assert_eq!(image_from_base64(data.into()), Err(ImageError::NotBase64), "{data}");
        }
        assert!(matches!(
            image_from_base64(base64(&[GIF, &vec![0; MAX_IMAGE_BYTES]].concat())),
            Err(ImageError::TooLong { .. })
        ));
        assert!(matches!(image_from_base64("A".repeat(64 << 20)), Err(ImageError::TooLong { .. })));
    }

    proptest! {
        #[test]
        fn ag_4_image_check_terminates_on_any_bytes(start in 0..5usize, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let starts: [&[u8]; 5] = [b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBPVP8", b"GIF89a", b"\x89PNG\r\n\x1a\n", b""];
            let _ = check_image(&[starts[start], &bytes].concat());
        }
    }
}
