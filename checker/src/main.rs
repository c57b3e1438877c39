//! The `samovar` command.

fn main() {}
