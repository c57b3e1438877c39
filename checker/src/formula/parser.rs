//! From words to a syntax tree, with C's precedence.
//!
//! ```text
//! conditional = binary [ '?' conditional ':' conditional ]
//! unary       = { '+' | '-' | '!' | '~' | '*' | '&' | '(' type ')' | 'sizeof' } postfix
//! postfix     = primary { '[' conditional ']' | '.' name | '->' name }
//! primary     = number | character | name | thread name | '(' conditional ')'
//! ```
//! Trees are bounded, so that whoever walks them may recurse.

use super::basic_type;
use super::error::Complaint;
use super::literal::LiteralValue;
use super::number::NumberType;
use super::syntax::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
use super::token::{Token, Word, words};
use std::ops::Range;

/// Nodes of one tree, and with it its depth.
const NODES_MAX: usize = 500;

/// Reads an expression that is the whole text.
pub(super) fn parse(text: &str) -> Result<Expression, Complaint> {
    let words = words(text)?;
    let mut parser = Parser { text, words: &words, next: 0, nodes: 0, open: 0 };
    let expression = parser.conditional()?;
    match parser.peek() {
        Token::End => Ok(expression),
        _ => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    words: &'a [Word],
    next: usize,
    nodes: usize,
    /// Brackets and operators that are being read.
    open: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a Token {
        &self.words[self.next.min(self.words.len() - 1)].0
    }

    fn here(&self) -> &'a Range<usize> {
        &self.words[self.next.min(self.words.len() - 1)].1
    }

    fn symbol(&self) -> Option<&'static str> {
        match self.peek() {
            Token::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let is_there = self.symbol() == Some(symbol);
        self.next += usize::from(is_there);
        is_there
    }

    /// The complaint that the present word is not what has to come here.
    fn unexpected(&self, expected: &str) -> Complaint {
        let found = &self.text[self.here().clone()];
        let sentence = match self.peek() {
            Token::Symbol("=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=")
            | Token::Symbol("<<=" | ">>=") => {
                format!("'{found}' would assign, which a formula cannot; compare with '=='")
            }
            Token::Symbol("++" | "--") => {
                format!("'{found}' would change the program, which a formula cannot")
            }
            Token::Symbol("(") if expected.starts_with("an operator") => {
                "a formula cannot call functions".to_string()
            }
            Token::End => format!("expected {expected}, but the formula ends here"),
            _ => format!("expected {expected}, found '{found}'"),
        };
        Complaint::new(self.here(), sentence)
    }

    fn node(&mut self, at: Range<usize>, kind: ExpressionKind) -> Result<Expression, Complaint> {
        self.nodes += 1;
        self.bounded(self.nodes, &at)?;
        Ok(Expression { at, kind })
    }

    fn bounded(&self, count: usize, at: &Range<usize>) -> Result<(), Complaint> {
        if count <= NODES_MAX {
            return Ok(());
        }
        let sentence = format!("a formula has at most {NODES_MAX} operators and operands");
        Err(Complaint::new(at, sentence))
    }

    fn conditional(&mut self) -> Result<Expression, Complaint> {
        self.open += 1;
        self.bounded(self.open, self.here())?;
        let condition = self.binary(1)?;
        let whole = if self.eat("?") {
            let then = self.conditional()?;
            if !self.eat(":") {
                return Err(self.unexpected("':'"));
            }
            let otherwise = self.conditional()?;
            let at = condition.at.start..otherwise.at.end;
            let parts = Box::new([condition, then, otherwise]);
            self.node(at, ExpressionKind::Conditional(parts))?
        } else {
            condition
        };
        self.open -= 1;
        Ok(whole)
    }

    /// Operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8) -> Result<Expression, Complaint> {
        let mut left = self.unary()?;
        while let Some(operator) = self.symbol().and_then(binary_operator)
            && operator.precedence() >= least
        {
            self.next += 1;
            let right = self.binary(operator.precedence() + 1)?;
            let at = left.at.start..right.at.end;
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = self.node(at, kind)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, Complaint> {
        self.open += 1;
        self.bounded(self.open, self.here())?;
        let start = self.here().start;
        let expression = if let Some(operator) = self.symbol().and_then(unary_operator) {
            self.next += 1;
            let inner = self.unary()?;
            let kind = |inner| ExpressionKind::Unary(operator, Box::new(inner));
            self.node(start..inner.at.end, kind(inner))?
        } else if *self.peek() == Token::Name("sizeof".to_string()) {
            self.next += 1;
            self.size_of(start)?
        } else if let Some(ty) = self.bracketed_type()? {
            let inner = self.unary()?;
            self.node(start..inner.at.end, ExpressionKind::Cast(ty, Box::new(inner)))?
        } else {
            self.postfix()?
        };
        self.open -= 1;
        Ok(expression)
    }

    fn size_of(&mut self, start: usize) -> Result<Expression, Complaint> {
        if let Some(ty) = self.bracketed_type()? {
            let end = self.words[self.next - 1].1.end;
            return self.node(start..end, ExpressionKind::SizeOfType(ty));
        }
        let inner = self.unary()?;
        self.node(start..inner.at.end, ExpressionKind::SizeOf(Box::new(inner)))
    }

    /// `(unsigned long)`: a basic type in brackets, if there is one here.
    fn bracketed_type(&mut self) -> Result<Option<NumberType>, Complaint> {
        let names = self.words[self.next..].iter().skip(1).map_while(|(token, _)| match token {
            Token::Name(name) => Some(name.as_str()),
            _ => None,
        });
        let names: Vec<&str> = names.collect();
        let is_type = names.first().is_some_and(|name| basic_type::is_keyword(name));
        if self.symbol() != Some("(") || !is_type {
            return Ok(None);
        }
        let at = self.words[self.next + 1].1.start..self.words[self.next + names.len()].1.end;
        let Some(ty) = basic_type::named(&names) else {
            let sentence = format!("'{}' is no basic type", &self.text[at.clone()]);
            return Err(Complaint::new(&at, sentence));
        };
        self.next += 1 + names.len();
        if self.symbol() == Some("*") {
            let sentence = "casts go to basic types only, not to pointers";
            return Err(Complaint::new(self.here(), sentence));
        }
        if !self.eat(")") {
            return Err(self.unexpected("')'"));
        }
        Ok(Some(ty))
    }

    fn postfix(&mut self) -> Result<Expression, Complaint> {
        let mut object = self.primary()?;
        loop {
            let start = object.at.start;
            if self.eat("[") {
                let index = self.conditional()?;
                let end = self.here().end;
                if !self.eat("]") {
                    return Err(self.unexpected("']'"));
                }
                let kind = ExpressionKind::Index { array: object.into(), index: index.into() };
                object = self.node(start..end, kind)?;
                continue;
            }
            let is_arrow = self.symbol() == Some("->");
            if !self.eat("->") && !self.eat(".") {
                return Ok(object);
            }
            let name_at = self.here().clone();
            let Token::Name(name) = self.peek() else {
                return Err(self.unexpected("the name of a member"));
            };
            self.next += 1;
            let (name, end) = (name.clone(), name_at.end);
            let kind = ExpressionKind::Member { object: object.into(), name, is_arrow, name_at };
            object = self.node(start..end, kind)?;
        }
    }

    fn primary(&mut self) -> Result<Expression, Complaint> {
        let at = self.here().clone();
        let kind = match self.peek() {
            Token::Literal(literal) => match literal.value {
                LiteralValue::Integer(value) => ExpressionKind::Integer { value, ty: literal.ty },
                LiteralValue::Float(value) => ExpressionKind::Float { value, ty: literal.ty },
            },
            Token::Name(name) => match name.as_str() {
                "true" => ExpressionKind::Integer { value: 1, ty: NumberType::INT },
                "false" => ExpressionKind::Integer { value: 0, ty: NumberType::INT },
                "NULL" | "nullptr" => ExpressionKind::Null,
                name if basic_type::is_keyword(name) => return Err(self.unexpected("a value")),
                name => ExpressionKind::Name(name.to_string()),
            },
            Token::Thread(thread) => {
                self.next += 1;
                let Token::Name(name) = self.peek() else {
                    return Err(self.unexpected("the name of a local"));
                };
                let at = at.start..self.here().end;
                self.next += 1;
                let kind = ExpressionKind::Local { thread: *thread, name: name.clone() };
                return self.node(at, kind);
            }
            Token::Symbol("(") => {
                self.next += 1;
                let mut inner = self.conditional()?;
                let end = self.here().end;
                if !self.eat(")") {
                    return Err(self.unexpected("')'"));
                }
                // The brackets belong to what they enclose.
                inner.at = at.start..end;
                return Ok(inner);
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.next += 1;
        self.node(at, kind)
    }
}

fn unary_operator(symbol: &str) -> Option<UnaryOperator> {
    Some(match symbol {
        "+" => UnaryOperator::Plus,
        "-" => UnaryOperator::Minus,
        "!" => UnaryOperator::Not,
        "~" => UnaryOperator::Complement,
        "*" => UnaryOperator::Deref,
        "&" => UnaryOperator::AddressOf,
        _ => return None,
    })
}

fn binary_operator(symbol: &str) -> Option<BinaryOperator> {
    use BinaryOperator::*;
    let all = [
        Multiply,
        Divide,
        Remainder,
        Add,
        Subtract,
        ShiftLeft,
        ShiftRight,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual,
        Equal,
        NotEqual,
        BitAnd,
        BitXor,
        BitOr,
        And,
        Or,
    ];
    all.into_iter().find(|operator| operator.symbol() == symbol)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tree with all its brackets, or the column of the error and its sentence.
    fn shown(text: &str) -> String {
        match parse(text) {
            Ok(expression) => bracketed(&expression),
            Err(complaint) => {
                let error = complaint.about(text);
                format!("{}: {}", error.column(), error.sentence())
            }
        }
    }

    fn bracketed(expression: &Expression) -> String {
        use ExpressionKind::*;
        match &expression.kind {
            Integer { value, .. } => value.to_string(),
            Float { value, .. } => format!("{value:?}"),
            Null => "NULL".to_string(),
            Name(name) => name.clone(),
            Local { thread, name } => format!("thread[{thread}]::{name}"),
            Member { object, name, is_arrow, .. } => {
                format!("{}{}{name}", bracketed(object), if *is_arrow { "->" } else { "." })
            }
            Index { array, index } => format!("{}[{}]", bracketed(array), bracketed(index)),
            Unary(operator, inner) => format!("({operator:?} {})", bracketed(inner)),
            Binary(operator, a, b) => {
                format!("({} {} {})", bracketed(a), operator.symbol(), bracketed(b))
            }
            Conditional(parts) => {
                let [a, b, c] = &**parts;
                format!("({} ? {} : {})", bracketed(a), bracketed(b), bracketed(c))
            }
            Cast(ty, inner) => format!("({ty:?} of {})", bracketed(inner)),
            SizeOf(inner) => format!("sizeof {}", bracketed(inner)),
            SizeOfType(ty) => format!("sizeof({ty:?})"),
        }
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(shown("a + b * c - d"), "((a + (b * c)) - d)");
        assert_eq!(shown("a & b == c"), "(a & (b == c))");
        assert_eq!(shown("a || b && c | d ^ e & f"), "(a || (b && (c | (d ^ (e & f)))))");
        assert_eq!(shown("a << b + c < d"), "((a << (b + c)) < d)");
        assert_eq!(shown("a < b == c < d"), "((a < b) == (c < d))");
        assert_eq!(shown("a - b - c"), "((a - b) - c)");
        assert_eq!(shown("a ? b : c ? d : e"), "(a ? b : (c ? d : e))");
        assert_eq!(shown("a ? b ? c : d : e"), "(a ? (b ? c : d) : e)");
        assert_eq!(shown("a || b ? c : d"), "((a || b) ? c : d)");
        assert_eq!(shown("!a == b"), "((Not a) == b)");
        assert_eq!(shown("-a[1].b->c"), "(Minus a[1].b->c)");
        assert_eq!(shown("*p++"), "3: '++' would change the program, which a formula cannot");
        assert_eq!(shown("*p[2] & &x"), "((Deref p[2]) & (AddressOf x))");
        assert_eq!(shown("- - ~a"), "(Minus (Minus (Complement a)))");
    }

    #[test]
    fn casts_and_sizes() {
        let unsigned_char = "Integer { size: 1, is_signed: false }";
        assert_eq!(shown("(unsigned char)a + b"), format!("(({unsigned_char} of a) + b)"));
        assert_eq!(shown("(char unsigned)(a)"), format!("({unsigned_char} of a)"));
        assert_eq!(shown("sizeof(double) + 1"), "(sizeof(Double) + 1)");
        assert_eq!(shown("sizeof a[0] * 2"), "(sizeof a[0] * 2)");
        assert_eq!(shown("(a)"), "a");
        assert_eq!(shown("(int long short)a"), "2: 'int long short' is no basic type");
        assert_eq!(shown("(int *)p"), "6: casts go to basic types only, not to pointers");
    }

    #[test]
    fn names_and_constants() {
        assert_eq!(shown("thread[2]::f::x == true"), "(thread[2]::f::x == 1)");
        assert_eq!(shown("p != NULL && q == nullptr"), "((p != NULL) && (q == NULL))");
        assert_eq!(shown("a.c::x - b"), "(a.c::x - b)");
        assert_eq!(shown("a . c"), "a.c");
    }

    #[test]
    fn errors_say_where_and_what() {
        assert_eq!(shown(""), "1: expected a value, but the formula ends here");
        assert_eq!(shown("a +"), "4: expected a value, but the formula ends here");
        assert_eq!(
            shown("a = 3"),
            "3: '=' would assign, which a formula cannot; compare with '=='"
        );
        assert_eq!(shown("a b"), "3: expected an operator or the end, found 'b'");
        assert_eq!(shown("f(3)"), "2: a formula cannot call functions");
        assert_eq!(shown("(a"), "3: expected ')', but the formula ends here");
        assert_eq!(shown("a[1"), "4: expected ']', but the formula ends here");
        assert_eq!(shown("a ? b"), "6: expected ':', but the formula ends here");
        assert_eq!(shown("a.3"), "2: expected an operator or the end, found '.3'");
        assert_eq!(shown("a->*"), "4: expected the name of a member, found '*'");
        assert_eq!(shown("a == )"), "6: expected a value, found ')'");
        assert_eq!(shown("1 + 08"), "5: '08' is no number that C knows");
        assert_eq!(shown("int"), "1: expected a value, found 'int'");
        assert_eq!(shown("thread[1]::3"), "12: expected the name of a local, found '3'");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_complained_about(text in any::<String>()) {
            let _ = shown(&text);
        }

        #[test]
        fn any_row_of_words_is_read_or_complained_about(
            words in prop::collection::vec(
                prop::sample::select(&[
                    "a", "b.c::d", "1", "2.5", "'x'", "+", "-", "*", "&", "!", "(", ")", "[", "]",
                    "?", ":", "->", ".", "==", "&&", "||", "sizeof", "int", "thread[1]::", "NULL",
                    "::", "<", ">", "é", "'", "0x",
                ][..]),
                0..30,
            ),
            gap in prop::sample::select(&["", " "][..]),
        ) {
            let text = words.join(gap);
            if let Err(complaint) = parse(&text) {
                let error = complaint.about(&text);
                prop_assert!(error.column() <= text.chars().count() + 1);
                prop_assert!(error.render().lines().count() == 3);
            }
        }
    }

    #[test]
    fn trees_are_bounded() {
        for text in [
            "(".repeat(5000),
            "!".repeat(5000),
            format!("1{}", "+1".repeat(5000)),
            format!("a{}", "[0]".repeat(5000)),
            format!("a{}", "?1:1".repeat(3000)),
            "(int)".repeat(3000),
            "sizeof ".repeat(2000),
        ] {
            assert!(shown(&text).contains("at most"), "{}", shown(&text));
        }
    }
}
