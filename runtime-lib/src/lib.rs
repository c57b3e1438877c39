//! The program's world: Linux system calls and models of library functions.
