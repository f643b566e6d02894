//! Text in lines that fit a terminal; elsewhere a line stays whole, so that programs can read it.

use std::os::fd::AsFd;

/// How many columns a stream's terminal has; none where it is no terminal.
pub fn columns(stream: impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Head and text as one string: broken into lines where there are columns to fit into.
pub fn fitted(head: &str, text: &str, columns: Option<usize>) -> String {
    match columns {
        Some(columns) => wrap(head, text, columns).join("\n"),
        None => format!("{head}{text}"),
    }
}

/// Breaks a text at spaces. Each further line is indented as far as the head, or half of the columns at most.
pub fn wrap(head: &str, text: &str, columns: usize) -> Vec<String> {
    let indent = " ".repeat(head.chars().count().min(columns / 2));
    let mut lines = vec![head.to_owned()];
    let mut empty = true;
    for word in text.split_whitespace() {
        let length =
            lines.last().map_or(0, |l| l.chars().count()) + usize::from(!empty) + word.chars().count();
        if length > columns && !empty {
            lines.push(indent.clone());
            empty = true;
        }
        if let Some(line) = lines.last_mut() {
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
        }
        empty = false;
    }
    lines
}

/// The longest line of somebody else's output that is shown whole, in characters.
pub const LONGEST: usize = 400;

/// A line, cut where it is longer than so many characters.
pub fn shortened(line: &str, limit: usize) -> String {
    match line.char_indices().nth(limit) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}

/// A text that can neither move a terminal's cursor nor change its colours: what would becomes a mark.
pub fn harmless(text: &str) -> String {
    let command = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.chars().map(|c| if command(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_no_commands_and_no_endless_line() {
        assert_eq!(harmless("a\u{1b}[2J\u{9b}\tb\n"), "a\u{fffd}[2J\u{fffd}\tb\n");
        assert_eq!((shortened("äöü", 2), shortened("äöü", 3)), ("äö...".to_owned(), "äöü".to_owned()));
    }

    #[test]
    fn breaks_at_spaces_and_indents_as_far_as_the_head() {
        assert_eq!(wrap("fail  ", "one two three", 13), ["fail  one two", "      three"]);
        assert_eq!(wrap("a long head  ", "one two", 16), ["a long head  one", "        two"]);
    }

    #[test]
    fn a_word_that_fits_nowhere_stays_whole() {
        assert_eq!(wrap("", "/a/very/long/path x", 8), ["/a/very/long/path", "x"]);
    }

    #[test]
    fn a_line_that_no_terminal_shows_stays_whole() {
        assert_eq!(fitted("fail  ", "one  two", None), "fail  one  two");
        assert_eq!(fitted("fail  ", "one two", Some(12)), "fail  one\n      two");
    }
}
