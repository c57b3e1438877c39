//! Small processes for unit tests.
