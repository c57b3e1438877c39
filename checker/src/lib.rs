//! samovar: an assembly-level model checker for compiled concurrent programs.
