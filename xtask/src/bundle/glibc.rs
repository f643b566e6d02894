//! Which glibc a program needs.

/// The highest version among the symbols that a program names, such as `(2, 34)`.
pub fn needed(program: &[u8]) -> Option<(u32, u32)> {
    const MARK: &[u8] = b"GLIBC_";
    let starts = program.windows(MARK.len()).enumerate().filter(|(_, bytes)| *bytes == MARK);
    starts.filter_map(|(at, _)| version(&program[at + MARK.len()..])).max()
}

fn version(bytes: &[u8]) -> Option<(u32, u32)> {
    let length = bytes.iter().take(12).take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let text = std::str::from_utf8(&bytes[..length]).ok()?;
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn finds_the_highest() {
        let program = b"\0GLIBC_2.2.5\0GLIBC_2.34\0GLIBC_2.9\0GLIBC_PRIVATE\0";
        assert_eq!(super::needed(program), Some((2, 34)));
        assert_eq!(super::needed(b"static"), None);
    }
}
