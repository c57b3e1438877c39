//! The `samovar` command.

fn main() {
    samovar::kernel::die_by_broken_pipe();
    samovar::main().end()
}
