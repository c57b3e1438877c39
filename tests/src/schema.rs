//! JSON Schema, as much of it as the project's own schemas use: a keyword that is not known here is
//! a failure, so that nothing in a schema is silently without effect.

use serde_json::Value;

/// Keywords that say nothing about validity.
const SILENT: &[&str] = &["$schema", "$id", "$defs", "title", "description", "then", "else"];

/// What is wrong with a value, each with the path to it; nothing if it is valid.
pub fn complaints(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    let keywords = match schema {
        Value::Bool(true) => return,
        Value::Bool(false) => return found.push(format!("{path}: must not be there")),
        Value::Object(keywords) => keywords,
        other => panic!("{other} is no schema"),
    };
    for (keyword, wanted) in keywords {
        let holds = match keyword.as_str() {
            "type" => names(wanted).any(|name| is(value, name)),
            "const" => value == wanted,
            "enum" => list(wanted).contains(value),
            "minimum" => value.as_f64().is_none_or(|number| wanted.as_f64().unwrap() <= number),
            "minLength" => {
                let length = value.as_str().map(|text| text.chars().count() as u64);
                length.is_none_or(|length| wanted.as_u64().unwrap() <= length)
            }
            "minItems" => {
                let length = value.as_array().map(|items| items.len() as u64);
                length.is_none_or(|length| wanted.as_u64().unwrap() <= length)
            }
            "pattern" => value.as_str().is_none_or(|text| matches(wanted.as_str().unwrap(), text)),
            "required" => names(wanted).all(|name| !value.is_object() || value.get(name).is_some()),
            _ => {
                deeper(root, schema, keyword, (value, path), found);
                true
            }
        };
        if !holds {
            found.push(format!("{path}: {keyword} {wanted} does not hold for {value:.200}"));
        }
    }
}

/// Keywords with schemas inside.
fn deeper(
    root: &Value,
    schema: &Value,
    keyword: &str,
    (value, path): (&Value, &str),
    found: &mut Vec<String>,
) {
    let wanted = &schema[keyword];
    match keyword {
        "$ref" => {
            let place = wanted.as_str().and_then(|text| text.strip_prefix('#')).expect("a place");
            let other = root.pointer(place).unwrap_or_else(|| panic!("there is no {place}"));
            check(root, other, value, path, found);
        }
        "properties" => {
            for (name, inner) in wanted.as_object().expect("properties are an object") {
                if let Some(member) = value.get(name) {
                    check(root, inner, member, &format!("{path}/{name}"), found);
                }
            }
        }
        "items" => {
            for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                check(root, wanted, item, &format!("{path}/{index}"), found);
            }
        }
        "allOf" => list(wanted).iter().for_each(|part| check(root, part, value, path, found)),
        "if" => {
            let mut objections = Vec::new();
            check(root, wanted, value, path, &mut objections);
            let branch = if objections.is_empty() { "then" } else { "else" };
            if let Some(branch) = schema.get(branch) {
                check(root, branch, value, path, found);
            }
        }
        known if SILENT.contains(&known) => {}
        unknown => panic!("the keyword {unknown} is not known here"),
    }
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// One name or several.
fn names(value: &Value) -> impl Iterator<Item = &str> {
    let several = value.as_array().into_iter().flatten();
    value.as_str().into_iter().chain(several.filter_map(Value::as_str))
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}

/// The patterns that occur: `^`, alternatives in parentheses, sets, `+` and `*`, `$`.
fn matches(pattern: &str, text: &str) -> bool {
    let inner = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$'));
    let inner = inner.unwrap_or_else(|| panic!("the pattern {pattern} is not known here"));
    let group = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    group
        .unwrap_or(inner)
        .split('|')
        .any(|alternative| fits(alternative.as_bytes(), text.as_bytes()))
}

fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let Some(&first) = pattern.first() else { return text.is_empty() };
    let (set, rest): (&[u8], &[u8]) = if first == b'[' {
        let end = pattern.iter().position(|&byte| byte == b']').expect("a set has an end");
        (&pattern[1..end], &pattern[end + 1..])
    } else {
        (&pattern[..1], &pattern[1..])
    };
    let one = |byte: u8| {
        let mut at = 0;
        while at < set.len() {
            let is_range = set.get(at + 1) == Some(&b'-') && at + 2 < set.len();
            let (low, high) = (set[at], if is_range { set[at + 2] } else { set[at] });
            if (low..=high).contains(&byte) {
                return true;
            }
            at += if is_range { 3 } else { 1 };
        }
        false
    };
    let (least, rest) = match rest.first() {
        Some(b'+') => (1, &rest[1..]),
        Some(b'*') => (0, &rest[1..]),
        _ => return text.first().is_some_and(|&byte| one(byte)) && fits(rest, &text[1..]),
    };
    let most = text.iter().take_while(|&&byte| one(byte)).count();
    (least..=most).any(|count| fits(rest, &text[count..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_valid(schema: Value, value: Value) -> bool {
        complaints(&schema, &value).is_empty()
    }

    #[test]
    fn types_and_members() {
        let schema = json!({
            "type": "object",
            "required": ["a"],
            "properties": { "a": { "type": ["integer", "null"], "minimum": 0 }, "b": false },
        });
        assert!(is_valid(schema.clone(), json!({ "a": 1, "c": 2 })));
        assert!(is_valid(schema.clone(), json!({ "a": null })));
        for bad in [json!(1), json!({}), json!({ "a": -1 }), json!({ "a": "x" })] {
            assert!(!is_valid(schema.clone(), bad.clone()), "{bad}");
        }
        assert!(!is_valid(schema, json!({ "a": 1, "b": 1 })));
    }

    #[test]
    fn patterns_and_conditions() {
        let schema = json!({ "pattern": "^(main|T[1-9][0-9]*)$" });
        for good in ["main", "T1", "T10"] {
            assert!(is_valid(schema.clone(), json!(good)), "{good}");
        }
        for bad in ["T0", "T", "mains", "xT1"] {
            assert!(!is_valid(schema.clone(), json!(bad)), "{bad}");
        }
        let schema = json!({
            "if": { "properties": { "v": { "const": 1 } } },
            "then": { "required": ["x"] },
            "else": { "properties": { "x": false } },
        });
        assert!(is_valid(schema.clone(), json!({ "v": 1, "x": 0 })));
        assert!(!is_valid(schema.clone(), json!({ "v": 1 })));
        assert!(!is_valid(schema, json!({ "v": 2, "x": 0 })));
    }

    #[test]
    #[should_panic(expected = "not known here")]
    fn unknown_keywords_are_refused() {
        complaints(&json!({ "maximum": 3 }), &json!(1));
    }
}
