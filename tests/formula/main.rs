//! Formulas over the variables of real programs: their values judged by compiled C, the data they
//! can name, and what is said about those that do not fit.

mod against_c;
mod command;
mod data;
mod driver;
mod expressions;
mod locals;
mod messages;
mod properties;
