//! Small concurrent programs, made at random, as judges of the checker's search.
//!
//! A program is abstract ([`program`]): it can be written as C ([`source`]), compiled and given to
//! `samovar check`, and it can be executed in every possible way by an interpreter of a few hundred
//! lines that shares nothing with samovar ([`brute`]). Both must come to the same ends: the same
//! final values of all variables, the same failing assertions, a deadlock or none ([`judge`]). A
//! program on which they differ is made smaller as long as they still do ([`shrink`]).

pub mod brute;
pub mod flatten;
pub mod generate;
pub mod judge;
pub mod machine;
pub mod preemptions;
pub mod program;
pub mod shrink;
pub mod source;
pub mod trial;
