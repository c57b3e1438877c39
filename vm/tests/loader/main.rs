//! Tests of the loader: real files, real kernel behaviour, hostile bytes.

mod build;
mod image;
mod plan;
