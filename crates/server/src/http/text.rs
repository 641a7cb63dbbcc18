//! The small text formats of HTTP: percent-encoding, queries, cookies, HTML.

/// Decodes `%2F` and the like; `None` if an escape is broken or the bytes are not UTF-8.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    decoded(text, false)
}

/// The fields of a query in their order; `None` if one cannot be decoded.
pub(crate) fn query_fields(query: &str) -> Option<Vec<(String, String)>> {
    let parts = query.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            Some((decoded(name, true)?, decoded(value, true)?))
        })
        .collect()
}

fn decoded(text: &str, plus_is_blank: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                bytes.push(u8::try_from(digit()? * 16 + digit()?).ok()?);
            }
            b'+' if plus_is_blank => bytes.push(b' '),
            other => bytes.push(other),
        }
    }
    // A null byte ends a path for the system and not for this program.
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

/// The values of a cookie in a `Cookie` header.
pub(crate) fn cookies<'a>(header: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let pairs = header.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(key, _)| *key == name).map(|(_, value)| value)
}

/// A text escaped for HTML.
pub(crate) fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // spec: IF-12
    fn queries_are_decoded_or_refused() {
        let fields = query_fields("q=a+b%2Fc&tag=x&tag=%C3%A9&flag&=v").expect("decodes");
        let expected = [("q", "a b/c"), ("tag", "x"), ("tag", "\u{e9}"), ("flag", ""), ("", "v")];
        assert_eq!(fields, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        for broken in ["a=%", "a=%4", "a=%zz", "a=%ff", "a=%00"] {
            assert_eq!(query_fields(broken), None, "{broken}");
        }
        assert_eq!(percent_decoded("/a+b%20c").as_deref(), Some("/a+b c"));
    }

    #[test] // spec: IF-11
    fn a_cookie_is_found_among_others() {
        assert_eq!(cookies("a=1; b-2=x=y ;b-2=z", "b-2").collect::<Vec<_>>(), ["x=y", "z"]);
        assert_eq!(cookies("b", "b").count(), 0);
    }

    #[test]
    fn html_closes_nothing() {
        assert_eq!(html("<b a='\"'>&"), "&lt;b a=&#39;&quot;&#39;&gt;&amp;");
    }
}
