//! Tests of the loader: real files, real kernel behaviour, hostile bytes.

mod allocation;
mod build;
mod fuzz;
mod image;
mod plan;
mod search;
mod symbols;
