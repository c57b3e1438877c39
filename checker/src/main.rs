//! The `samovar` command.

fn main() {
    samovar::ending::prepare();
    samovar::main().end()
}
