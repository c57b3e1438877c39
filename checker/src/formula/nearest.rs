//! Names that a user may have meant: those that few changed letters away.

/// Suggestions for one name.
const SUGGESTIONS_MAX: usize = 3;

/// A half sentence that suggests names, or nothing: `; did you mean 'total' or 'count'?`
pub(super) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let mut found: Vec<(usize, &str)> =
        known.filter_map(|known| Some((closeness(name, known)?, known))).collect();
    found.sort_unstable();
    found.dedup();
    let found: Vec<String> =
        found.iter().take(SUGGESTIONS_MAX).map(|(_, known)| format!("'{known}'")).collect();
    match found.split_last() {
        None => String::new(),
        Some((only, [])) => format!("; did you mean {only}?"),
        Some((last, others)) => format!("; did you mean {} or {last}?", others.join(", ")),
    }
}

/// How close two names are; None if nobody would confuse them. Scopes may be missing or wrong.
fn closeness(name: &str, known: &str) -> Option<usize> {
    let last = |path: &str| path.rsplit("::").next().unwrap_or_default().to_string();
    let (name_end, known_end) = (last(name), last(known));
    let limit = (name_end.chars().count() / 3).max(1);
    let changes = changes(&name_end.to_lowercase(), &known_end.to_lowercase(), limit)?;
    let has_other_scope = name_end.len() != name.len() && known != name;
    Some(changes * 2 + usize::from(has_other_scope || name_end != known_end))
}

/// Letters to insert, delete, replace or swap to make one word of the other, if few.
fn changes(a: &str, b: &str, limit: usize) -> Option<usize> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1];
        for j in 0..b.len() {
            let replaced = row[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().filter(|&changes| changes <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted() {
        assert_eq!(changes("counter", "conter", 2), Some(1));
        assert_eq!(changes("counter", "coutner", 2), Some(1));
        assert_eq!(changes("abc", "xyz", 1), None);
        assert_eq!(changes("", "a", 1), Some(1));
        assert_eq!(changes("same", "same", 0), Some(0));
    }

    #[test]
    fn the_nearest_come_first() {
        let known = ["counter", "count", "total", "bank.c::Counter", "conte"];
        let of = |name| suggestion(name, known.into_iter());
        assert_eq!(of("conter"), "; did you mean 'bank.c::Counter', 'conte' or 'counter'?");
        assert_eq!(of("totl"), "; did you mean 'total'?");
        assert_eq!(of("main::total"), "; did you mean 'total'?");
        assert_eq!(of("unrelated"), "");
    }
}
