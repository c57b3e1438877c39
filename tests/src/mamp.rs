//! Instances of the multi-agent manufacturing problem as `examples/planning/mamp.c` makes them, a
//! validator of schedules, and what is best for small ones. Shares nothing with samovar.

use serde_json::Value;

/// An instance.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Resources that each agent can use, as bits.
    pub can_use: Vec<u128>,
    /// Resources that each job needs.
    pub needs: Vec<u128>,
    /// How long each job takes.
    pub duration: Vec<u64>,
}

/// A job that an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Who.
    pub agent: usize,
    /// Which job.
    pub job: usize,
    /// From when on.
    pub start: u64,
    /// Until when.
    pub end: u64,
}

impl Instance {
    /// The one that the program makes of these arguments.
    pub fn new(agents: usize, jobs: usize, seed: u64, resources: usize) -> Instance {
        let mut state = seed;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005);
            state = state.wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % bound as u64) as usize
        };
        let mut can_use = Vec::new();
        for _ in 0..agents {
            let bits = (0..resources).filter(|_| below(4) != 0).fold(0, |all, bit| all | 1 << bit);
            can_use.push(if bits == 0 { 1 } else { bits });
        }
        let (mut needs, mut duration) = (Vec::new(), Vec::new());
        for _ in 0..jobs {
            let (able, count) = (below(agents), 1 + below(resources / 10));
            duration.push(10 + below(91) as u64);
            let mut wanted = 0;
            for _ in 0..count {
                let mut resource = below(resources);
                while can_use[able] >> resource & 1 == 0 {
                    resource = (resource + 1) % resources;
                }
                wanted |= 1 << resource;
            }
            needs.push(wanted);
        }
        Instance { can_use, needs, duration }
    }

    /// Two agents and three jobs.
    pub fn example() -> Instance {
        Instance { can_use: vec![31, 28], needs: vec![3, 12, 20], duration: vec![2, 1, 1] }
    }

    /// Whether an agent has what a job needs.
    pub fn is_able(&self, agent: usize, job: usize) -> bool {
        self.needs[job] & !self.can_use[agent] == 0
    }

    /// Which of the five conditions a schedule violates: every job is done once, by an agent that
    /// is able, for as long as it takes, and neither agents nor resources do two things at once.
    pub fn complaint(&self, schedule: &[Work]) -> Option<String> {
        let mut done = vec![0; self.needs.len()];
        for work in schedule {
            let Some(count) = done.get_mut(work.job) else {
                return Some(format!("there is no job {}", work.job));
            };
            *count += 1;
            if self.can_use.len() <= work.agent || !self.is_able(work.agent, work.job) {
                return Some(format!("agent {} cannot do job {}", work.agent, work.job));
            }
            if work.end - work.start != self.duration[work.job] {
                return Some(format!("{work:?} takes {}", self.duration[work.job]));
            }
        }
        if let Some(job) = done.iter().position(|&count| count != 1) {
            return Some(format!("job {job} is done {} times", done[job]));
        }
        for (index, one) in schedule.iter().enumerate() {
            for other in &schedule[..index] {
                let overlap = one.start < other.end && other.start < one.end;
                let shared = self.needs[one.job] & self.needs[other.job];
                if overlap && (one.agent == other.agent || shared != 0) {
                    return Some(format!("{one:?} and {other:?} at once"));
                }
            }
        }
        None
    }

    /// The soonest end of all schedules.
    pub fn best(&self) -> u64 {
        let mut best = u64::MAX;
        let (agents, jobs) = (self.can_use.len(), self.needs.len());
        self.append(&mut vec![0; agents], &mut vec![0; 128], &mut vec![false; jobs], 0, &mut best);
        best
    }

    /// Appends every job that is left to every agent, as early as that is possible.
    fn append(
        &self,
        agents: &mut [u64],
        resources: &mut [u64],
        done: &mut [bool],
        end: u64,
        best: &mut u64,
    ) {
        if *best <= end {
            return;
        }
        if done.iter().all(|&it| it) {
            *best = end;
            return;
        }
        for job in 0..done.len() {
            for agent in 0..agents.len() {
                if done[job] || !self.is_able(agent, job) {
                    continue;
                }
                let used: Vec<usize> = (0..128).filter(|r| self.needs[job] >> r & 1 == 1).collect();
                let free = used.iter().map(|&resource| resources[resource]).max();
                let start = agents[agent].max(free.unwrap_or(0));
                let over = start + self.duration[job];
                let before = (agents[agent], resources.to_vec());
                agents[agent] = over;
                used.iter().for_each(|&resource| resources[resource] = over);
                done[job] = true;
                self.append(agents, resources, done, end.max(over), best);
                done[job] = false;
                agents[agent] = before.0;
                resources.copy_from_slice(&before.1);
            }
        }
    }

    /// The soonest end if no agent waits that could begin something.
    pub fn best_without_waiting(&self) -> u64 {
        self.busily(0, &mut Vec::new())
    }

    fn busily(&self, time: u64, schedule: &mut Vec<Work>) -> u64 {
        let is_busy = |work: &Work| time < work.end;
        let used = schedule.iter().filter(|work| is_busy(work));
        let used = used.fold(0, |all, work| all | self.needs[work.job]);
        let mut best = u64::MAX;
        for job in (0..self.needs.len()).filter(|&job| self.needs[job] & used == 0) {
            if schedule.iter().any(|work| work.job == job) {
                continue;
            }
            for agent in 0..self.can_use.len() {
                let is_idle = !schedule.iter().any(|work| work.agent == agent && is_busy(work));
                if is_idle && self.is_able(agent, job) {
                    let end = time + self.duration[job];
                    schedule.push(Work { agent, job, start: time, end });
                    best = best.min(self.busily(time, schedule));
                    schedule.pop();
                }
            }
        }
        if best != u64::MAX {
            return best;
        }
        let next = schedule.iter().map(|work| work.end).filter(|&end| time < end).min();
        match next {
            Some(next) => self.busily(next, schedule),
            None => time,
        }
    }
}

/// The schedule in a report of `samovar plan`.
pub fn schedule(report: &Value) -> Vec<Work> {
    let steps = report["plan"].as_array().map(Vec::as_slice).unwrap_or_default();
    let number = |value: &Value| value.as_u64().unwrap_or(u64::MAX);
    let work = |step: &Value| Work {
        agent: step["agent"]
            .as_str()
            .and_then(|name| name.strip_prefix('a')?.parse().ok())
            .unwrap_or(usize::MAX),
        job: number(&step["arguments"][0]) as usize,
        start: number(&step["start"]),
        end: number(&step["end"]),
    };
    steps.iter().map(work).collect()
}
