//! Text in XML: escaped, and without the characters that XML cannot hold at all.

/// Text for an attribute in double quotes.
pub fn attribute(text: &str) -> String {
    escaped(text).replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Text for an element.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            '\u{fffe}' | '\u{ffff}' => escaped.push('?'),
            letter if letter.is_control() => escaped.push('?'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_and_the_impossible_replaced() {
        assert_eq!(attribute("a<b> & \"c\"\n\x1b"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;?");
        assert_eq!(escaped("a\n\tb"), "a\n\tb");
    }
}
