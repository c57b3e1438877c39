//! The only place that reads the host's files for a guest, and it can do nothing but read.
