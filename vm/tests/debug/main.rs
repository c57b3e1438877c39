//! Tests of the debug-information layer on programs that are compiled here, in many ways, and
//! stopped in the middle. Expectations are written down; where a debugger helps as a second
//! opinion, gdb is asked too (and the test says so if it is not installed).

mod harness;

mod classes;
mod data;
mod files;
mod frames;
mod gdb;
mod hostile;
mod lines;
mod names;
mod rust;
mod shapes;
