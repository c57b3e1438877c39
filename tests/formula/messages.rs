//! What is said about formulas that do not fit a program, word for word.

use crate::driver::Subject;

const MESSAGES: &[(&str, &str)] = &[
    (
        "frist.value == 3",
        "nothing is called 'frist'; did you mean 'first'?\n  frist.value == 3\n  ^~~~~",
    ),
    (
        "first == 3",
        "'first' is struct node, not a number; name one of its members: \
         value, next, tag, low, high, flag, whole, ports\n  first == 3\n  ^~~~~",
    ),
    (
        "sum == 0 && first.valeu > 1",
        "struct node has no member named 'valeu'; did you mean 'value'?\
         \n  sum == 0 && first.valeu > 1\n                    ^~~~~",
    ),
    (
        "table && sum",
        "'table' is struct node [3], not a number; name one of its elements\
         \n  table && sum\n  ^~~~~",
    ),
    ("matrix[2][0]", "the array has 2 elements, and none at 2\n  matrix[2][0]\n         ^"),
    ("!(sum->x)", "'sum' is no pointer; write '.'\n  !(sum->x)\n    ^~~"),
    ("first->value", "'first' is no pointer; write '.'\n  first->value\n  ^~~~~"),
    ("sum.x", "'sum' has no members\n  sum.x\n  ^~~"),
    ("*sum", "'sum' is no pointer\n  *sum\n   ^~~"),
    ("sum[1]", "'sum' is neither an array nor a pointer\n  sum[1]\n  ^~~"),
    ("&(sum + 1)", "'(sum + 1)' has no address\n  &(sum + 1)\n   ^~~~~~~~~"),
    ("&first.low", "'first.low' has no address\n  &first.low\n   ^~~~~~~~~"),
    ("sizeof first.low", "'first.low' has no size\n  sizeof first.low\n         ^~~~~~~~~"),
    ("half % 2", "'half' may have a fraction, a whole number is needed\n  half % 2\n  ^~~~"),
    ("head * 2", "'head' is a pointer, a number is needed\n  head * 2\n  ^~~~"),
    ("head == half", "'head' is a pointer, a number is needed\n  head == half\n  ^~~~"),
    ("huge > 1", "'huge' is __int128, which is no number that formulas know\n  huge > 1\n  ^~~~"),
    ("own", "every thread has its own 'own'; write thread[N]::own\n  own\n  ^~~"),
    ("1 / (2 - 2)", "this is undefined whatever the program does\n  1 / (2 - 2)\n  ^~~~~~~~~~~"),
    ("sum ==", "expected a value, but the formula ends here\n  sum ==\n        ^"),
    ("BLEU", "nothing is called 'BLEU'; did you mean 'BLUE'?\n  BLEU\n  ^~~~"),
    (
        "datta.c::hidden",
        "nothing is called 'datta.c::hidden'; did you mean 'hidden'?\
         \n  datta.c::hidden\n  ^~~~~~~~~~~~~~~",
    ),
];

#[test]
fn every_complaint_points_at_its_place() {
    let subject = Subject::new("gcc", &["-g"], "data.c", "ready == 1").expect("gcc");
    for &(text, message) in MESSAGES {
        assert_eq!(subject.complaint(text), message, "{text}");
    }
}

#[test]
fn large_formulas_are_tied_in_no_time() {
    let subject = Subject::new("gcc", &["-g"], "data.c", "ready == 1").expect("gcc");
    // Work that doubled with every level would never end.
    let nested = |open: &str, middle: &str, close: &str, count: usize| {
        format!("{}{middle}{}", open.repeat(count), close.repeat(count))
    };
    for text in [
        nested("!(", "sum", ")", 80),
        nested("matrix[0][", "zero", "]", 80),
        nested("(1 + ", "sum", ")", 80),
        nested("*&(", "sum", ")", 80),
        nested("(zero && ", "sum", " ? 1 : 2)", 60),
        nested("&*(", "head", ")", 80),
    ] {
        subject.watched(&text).value(&subject.process);
    }
}
