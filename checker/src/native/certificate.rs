//! One attempt to have the real program fail as the trail says.

use super::evidence::{self, Expected};
use super::force::Forced;
use super::itinerary::Itinerary;
use super::process::{NativeError, NativeProcess, Start};
use serde::Serialize;

/// That the real program fails the same way, and how one knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// Stretches of single threads that were forced.
    pub legs: usize,
    /// Instructions that were taken apart between their load and their store.
    pub splits: usize,
    /// Whether the error shows; if not, the process gets to the instruction that goes wrong, and
    /// the processor does not mind.
    pub shows: bool,
    /// What was seen at the end.
    pub evidence: String,
}

/// Starts the program and leads it along; an error if it goes another way.
pub fn certify(
    start: &Start,
    itinerary: &Itinerary,
    expected: &Expected,
) -> Result<Certificate, NativeError> {
    let mut forced = Forced::new(NativeProcess::start(start)?, itinerary);
    for leg in &itinerary.legs {
        forced.lead(leg)?;
    }
    let evidence = evidence::look(&mut forced, expected)?;
    let shows = !matches!(expected, Expected::Reached { .. });
    Ok(Certificate { legs: itinerary.legs.len(), splits: forced.splits, shows, evidence })
}
