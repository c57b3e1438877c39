//! Structures, arrays, pointers, bit-fields, atomics, enumerations, classes.

use crate::driver::Subject;
use samovar::formula::Value;

fn in_c(compiler: &str, flags: &[&str]) -> Option<Subject> {
    Subject::new(compiler, flags, "data.c", "ready == 1")
}

/// Formulas of `data.c` with their values.
const IN_C: &[(&str, i128)] = &[
    ("first.value", 11),
    ("head->value", 11),
    ("head->next->value", 22),
    ("(*head).next->tag", -2),
    ("first.low", 5),
    ("first.low - 6 < 0", 1),
    ("head->high", -7),
    ("first.flag", 1),
    ("first.whole", 0xffff_fff0),
    ("first.whole + 32 == 16", 1),
    ("first.ports[2]", 65535),
    ("first.ports[index_of + 1] + 1", 65536),
    ("first.as_int", -9),
    ("table[index_of].value", 100),
    ("table[2].next->value", 100),
    ("table[2].next - table", 1),
    ("(&table[0] + 1)->value", 100),
    ("&table[2] - &table[0]", 2),
    ("*inside", 5),
    ("**twice", 5),
    ("inside[-1]", 4),
    ("*(inside + index_of)", 6),
    ("inside == &matrix[1][1]", 1),
    ("matrix[index_of][index_of - 1]", 4),
    ("matrix[1] == &matrix[1][0]", 1),
    ("*matrix[1]", 4),
    ("paint", 5),
    ("paint == GREEN && GREEN < BLUE", 1),
    ("BLUE + SMALL", 3),
    ("LARGE + 1 < 0", 1),
    ("colour::BLUE", 6),
    ("count", 7),
    ("atomic_count * 2", 16),
    ("atomic_head->value", 22),
    ("atomic_head == &second", 1),
    ("limit", 12),
    ("letter == 'q'", 1),
    ("truth + truth", 2),
    ("all == -1", 1),
    ("all > 0", 1),
    ("hidden", 31),
    ("data.c::hidden", 31),
    ("programs/formula/data.c::hidden", 31),
    ("calls::times", 41),
    ("nowhere == NULL", 1),
    ("nowhere", 0),
    ("!head || head->value == 11", 1),
    ("handler == act", 1),
    ("handler == &act", 1),
    ("half * 4 == 2", 1),
    ("big == 1.25", 1),
    ("third < 0.3333334", 1),
    ("sizeof first.ports / sizeof(short)", 4),
    ("sizeof(long) + sizeof *head->next", 48),
    ("(unsigned char)second.tag", 254),
    ("(int)(half + 3)", 3),
    ("thread[0]::own", 4),
    ("zero ? 1 / zero : 2", 2),
    ("(index_of ? third > 0 : 1.5) == 1", 1),
];

/// Formulas of `data.c` that have no value.
const UNDEFINED: &[&str] = &[
    "nowhere->value",
    "nowhere->next->value == 0",
    "wild->value",
    "freed->value",
    "1 / zero",
    "1 % zero",
    "1 << -1 - zero",
    "table[index_of + 2].value",
    "table[-index_of].value",
    "thread[5]::own",
    "!nowhere->value",
    "nowhere->value && index_of",
    "nowhere->value || zero",
    "nowhere->value ? 1 : 1",
];

#[test]
fn data_of_every_shape_has_its_value() {
    let builds: &[(&str, &[&str])] = &[
        ("gcc", &["-g", "-O0"]),
        ("gcc", &["-g", "-O2", "-no-pie"]),
        ("gcc", &["-gdwarf-4", "-O1"]),
        ("clang", &["-g", "-O0"]),
    ];
    for &(compiler, flags) in builds {
        let Some(subject) = in_c(compiler, flags) else { continue };
        for &(text, value) in IN_C {
            assert_eq!(subject.value(text), Value::Integer(value), "{text} {compiler} {flags:?}");
        }
        for text in UNDEFINED {
            assert_eq!(subject.value(text), Value::Undefined, "{text} {compiler} {flags:?}");
            assert_eq!(subject.watched(text).holds(&subject.process), None, "{text}");
            assert_ne!(subject.watched(text).distance(&subject.process), 0, "{text}");
        }
        assert_eq!(subject.value("half + third"), Value::Float(0.5 + f64::from(1.0f32 / 3.0)));
    }
}

#[test]
fn what_is_undefined_does_not_hide_what_is_decided() {
    let subject = in_c("gcc", &["-g"]).expect("gcc");
    for (text, value) in [
        ("nowhere->value == 3 || index_of", 1),
        ("nowhere->value == 3 && zero", 0),
        ("zero && nowhere->value", 0),
        ("index_of || nowhere->value", 1),
        ("!(nowhere->value && zero)", 1),
    ] {
        assert_eq!(subject.number(text), value, "{text}");
    }
}

#[test]
fn classes_have_members_of_all_kinds() {
    for (compiler, flags) in [("g++", ["-g", "-O0"]), ("clang++", ["-g", "-O0"])] {
        let Some(subject) = Subject::new(compiler, &flags, "classes.cpp", "ready == 1") else {
            continue;
        };
        for (text, value) in [
            ("bank::Account::count", 2),
            ("Account::count", 2),
            ("::bank::Account::count", 2),
            ("bank::account.balance", 50),
            ("bank::account.id", 70),
            ("bank::account.users", 3),
            ("bank::account.users + 1 == 4", 1),
            ("bank::account.kind == bank::Kind::Open", 1),
            ("Kind::Closed", 1),
            ("LOUD + bank::QUIET", 9),
            ("bank::Loud::LOUD", 9),
            ("secret", 17),
            ("bank::secret", 17),
            ("Box<int>::value", 6),
            ("total < 0 && total == -5", 1),
            ("open_now", 1),
            ("current->balance", 50),
            ("current == &bank::account", 1),
            ("alias", 50),
            ("&alias == &bank::account.balance", 1),
            ("bank::Account::limit", 99),
        ] {
            assert_eq!(subject.value(text), Value::Integer(value), "{text} {compiler}");
        }
    }
}

#[test]
fn symbols_do_without_debug_information() {
    let subject = in_c("gcc", &["-g0"]).expect("gcc");
    assert_eq!(subject.number("index_of + 1"), 2);
    assert_eq!(subject.number("all == 0xffffffffffffffff"), 1);
    assert_eq!(subject.number("letter"), 113);
    assert!(subject.complaint("first.value").contains("has no members"));
    assert!(subject.complaint("matrix > 0").contains("24 bytes of unknown type"));
    assert!(subject.complaint("nosuchthing").contains("no debug information"));
}

#[test]
fn what_a_formula_reads_is_known() {
    let subject = in_c("gcc", &["-g"]).expect("gcc");
    let address = |text: &str| subject.number(text) as u64;
    let (sum, zero) = (address("&sum"), address("&zero"));
    let fixed = subject.watched("sum > 3 && zero == 0");
    assert!(fixed.is_fixed() && !fixed.uses_locals());
    let words = fixed.words();
    assert!(words.iter().any(|range| range.contains(&sum) && range.contains(&(sum + 3))));
    assert!(words.iter().any(|range| range.contains(&zero)));
    assert_eq!(words.iter().map(|range| range.end - range.start).sum::<u64>(), 8);

    // An array with a varying index counts as a whole, but only an element is read now.
    let indexed = subject.watched("matrix[index_of][0]");
    let matrix = address("&matrix[0][0]");
    assert!(indexed.is_fixed());
    assert!(indexed.words().iter().any(|r| r.start <= matrix && matrix + 24 <= r.end));
    let now = indexed.words_now(&subject.process);
    assert!(now.iter().any(|r| r.start <= matrix + 12 && matrix + 16 <= r.end));
    assert!(!now.iter().any(|r| r.contains(&matrix)));

    let followed = subject.watched("head->next->value");
    assert!(!followed.is_fixed());
    let head = address("&head");
    assert_eq!(followed.words(), vec![head..head + 8; 1]);
    let now = followed.words_now(&subject.process);
    for read in ["&head", "&first.next", "&second.value"] {
        assert!(now.iter().any(|range| range.contains(&address(read))), "{read}");
    }

    let field = subject.watched("first.high");
    let bytes: u64 = field.words().iter().map(|range| range.end - range.start).sum();
    assert!(field.is_fixed() && bytes <= 4);
    assert!(subject.watched("&sum != NULL").words().is_empty());
}

#[test]
fn distances_agree_with_truth() {
    let subject = in_c("gcc", &["-g"]).expect("gcc");
    for &(text, _) in IN_C {
        for text in [text.to_string(), format!("!({text})"), format!("({text}) && zero == 0")] {
            let watched = subject.watched(&text);
            let is_there = watched.distance(&subject.process) == 0;
            assert_eq!(is_there, watched.holds(&subject.process) == Some(true), "{text}");
        }
    }
    for (text, distance) in [
        ("index_of == 10", 9),
        ("index_of > 10", 10),
        ("index_of >= 10 && sum + 5 == 0", 14),
        ("index_of >= 10 || sum + 5 == 0", 5),
        ("!(index_of < 10 || sum == 0)", 10),
        ("index_of != 1", 1),
        ("!index_of", 1),
        ("!count", 7),
        ("zero ? sum == 3 : index_of == 4", 3),
        ("nowhere->value == 1 || index_of == 3", 2),
        ("nowhere->value == 1 && index_of == 3", u64::MAX),
        ("all == 0 && all == 1", u64::MAX),
        ("half > 3", 4),
    ] {
        assert_eq!(subject.watched(text).distance(&subject.process), distance, "{text}");
    }
}
