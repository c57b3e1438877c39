//! Unit tests of the system calls, group by group, without guest code.

mod files;
mod futexes;
mod fuzz;
mod mappings;
mod models;
mod names;
mod others;
mod signals;
mod undo;
mod waiting;
