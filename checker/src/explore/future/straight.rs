//! Which places of a graph are on no cycle: components that have one place only (Tarjan 1972).

use super::Place;

/// Where a place stands in the search.
const UNSEEN: u32 = u32::MAX;

/// By place, whether it is on no cycle of two places or more; `before` has the places that lead to
/// each.
pub(super) fn straight(before: &[&[Place]]) -> Vec<bool> {
    let count = before.len();
    let mut search = Components {
        before,
        index: vec![UNSEEN; count],
        low: vec![0; count],
        open: Vec::new(),
        is_open: vec![false; count],
        seen: 0,
        straight: vec![false; count],
    };
    for place in 0..count {
        if search.index[place] == UNSEEN {
            search.explore(place);
        }
    }
    search.straight
}

struct Components<'a> {
    before: &'a [&'a [Place]],
    /// In which order places were seen.
    index: Vec<u32>,
    /// The first place that can be reached, in that order.
    low: Vec<u32>,
    /// Places whose component is not complete.
    open: Vec<usize>,
    is_open: Vec<bool>,
    seen: u32,
    straight: Vec<bool>,
}

impl Components<'_> {
    fn see(&mut self, place: usize) {
        (self.index[place], self.low[place]) = (self.seen, self.seen);
        self.seen += 1;
        self.open.push(place);
        self.is_open[place] = true;
    }

    fn explore(&mut self, start: usize) {
        self.see(start);
        let mut path = vec![(start, 0)];
        while let Some((place, at)) = path.last_mut() {
            let place = *place;
            if let Some(next) = self.before[place].get(*at).map(|next| next.0 as usize) {
                *at += 1;
                if self.index[next] == UNSEEN {
                    self.see(next);
                    path.push((next, 0));
                } else if self.is_open[next] {
                    self.low[place] = self.low[place].min(self.index[next]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                self.low[parent] = self.low[parent].min(self.low[place]);
            }
            if self.low[place] == self.index[place] {
                self.straight[place] = self.open.last() == Some(&place);
                while let Some(member) = self.open.pop() {
                    self.is_open[member] = false;
                    if member == place {
                        break;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All graphs of four places, by reachability.
    #[test]
    fn straight_places_do_not_reach_themselves() {
        const COUNT: usize = 4;
        for edges in 0..1u32 << (COUNT * COUNT) {
            let has = |from: usize, to: usize| from != to && edges >> (from * COUNT + to) & 1 != 0;
            if (0..COUNT).any(|one| edges >> (one * COUNT + one) & 1 != 0) {
                continue;
            }
            let before: Vec<Vec<Place>> = (0..COUNT)
                .map(|to| {
                    let from = (0..COUNT).filter(|&from| has(from, to));
                    from.map(|one| Place(one as u32)).collect()
                })
                .collect();
            let mut reach = [[false; COUNT]; COUNT];
            for (from, row) in reach.iter_mut().enumerate() {
                for (to, cell) in row.iter_mut().enumerate() {
                    *cell = has(from, to);
                }
            }
            for via in 0..COUNT {
                for from in 0..COUNT {
                    for to in 0..COUNT {
                        reach[from][to] |= reach[from][via] && reach[via][to];
                    }
                }
            }
            let expected: Vec<bool> = (0..COUNT).map(|one| !reach[one][one]).collect();
            let before: Vec<&[Place]> = before.iter().map(Vec::as_slice).collect();
            assert_eq!(straight(&before), expected, "{edges:x}");
        }
    }
}
