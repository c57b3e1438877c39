//! Plans for people.

use super::Report;
use super::steps::PlanStep;
use super::verdict::{Plan, Verdict};
use crate::error::CommandError;
use crate::message::Loudness;
use crate::page::{Page, clean};
use crate::paint::Style;
use crate::run::stats::{grouped, peak_memory_kib};
use std::io::Write as _;

/// Prints a report.
pub fn print(report: &Report<'_>) -> Result<(), CommandError> {
    let mut page = Page::for_stdout();
    let is_quiet = report.options.loudness() == Loudness::Quiet;
    match &report.outcome.verdict {
        Verdict::Unsupported { .. } => return Ok(()),
        Verdict::Plan(plan) => {
            write_plan(&mut page, plan, &report.target.text());
            if !is_quiet {
                page.gap();
                write_notes(&mut page, report, plan);
            }
        }
        Verdict::NoPlan => {
            let words = format!("everything was searched, and {} is never reached", {
                report.target.text()
            });
            page.wrap("no plan exists: ", Style::Bad, 2, &words);
        }
        Verdict::Incomplete { reason } => {
            let words = format!("{reason}; no plan was found so far");
            page.wrap("incomplete: ", Style::Open, 2, &words);
        }
    }
    if !is_quiet {
        page.gap();
        write_numbers(&mut page, report);
    }
    put(&page)
}

/// The actions of a plan, one a line.
pub fn write_plan(page: &mut Page, plan: &Plan, goal: &str) {
    let steps = &plan.steps;
    let count = match plan.cost {
        1 => format!("1 {}", plan.unit.strip_suffix('s').unwrap_or(&plan.unit)),
        cost if ["steps", "actions", "parallel steps"].contains(&plan.unit.as_str()) => {
            format!("{cost} {}", plan.unit)
        }
        cost => format!("{} steps, {} = {cost}", steps.len(), plan.unit),
    };
    page.wrap("plan: ", Style::Good, 2, &format!("{count} to {goal}"));
    let agents_differ = steps.iter().any(|step| step.agent != steps[0].agent);
    let width = steps.iter().map(|step| step.agent.chars().count()).max().unwrap_or(0);
    if plan.simulation.is_some() && !steps.is_empty() {
        page.line(Style::Strong, &format!("  start    end  {:width$}  action", "agent"));
    }
    for step in steps {
        let line = match plan.simulation {
            Some(_) => {
                let (start, end, agent) = (step.start, step.end, &step.agent);
                clean(&format!("{start:7} {end:6}  {agent:width$.9}  {}", step.words()))
            }
            None => line(step, agents_differ.then_some(width)),
        };
        page.line(Style::Plain, &line);
    }
}

fn line(step: &PlanStep, agent_width: Option<usize>) -> String {
    let agent = agent_width.map_or(String::new(), |width| format!("{:width$}  ", step.agent));
    let place = step.location.as_ref().map_or(String::new(), |place| format!("  ({place})"));
    clean(&format!("{:5}  {agent}{}{place}", step.step, step.words()))
}

fn write_notes(page: &mut Page, report: &Report<'_>, plan: &Plan) {
    match (&plan.simulation, &plan.optimal) {
        (Some(simulation), _) => {
            let words = format!(
                "{:.2} s in {} phases, {} steps of agents tried out",
                simulation.planning_seconds,
                simulation.phases,
                grouped(simulation.tried)
            );
            page.wrap("planning: ", Style::Strong, 2, &words);
        }
        (None, Some(why)) => page.wrap("optimal: ", Style::Strong, 2, why),
        (None, None) => {
            page.wrap("optimal: ", Style::Strong, 2, "not known; there may be a better one")
        }
    }
    if let Some(file) = &report.file {
        let file = file.display();
        let words = format!("saved as {file}; samovar replay {file} executes it again");
        page.wrap("the plan: ", Style::Strong, 2, &words);
    }
}

fn write_numbers(page: &mut Page, report: &Report<'_>) {
    let stats = &report.outcome.stats;
    if report.options.is_interleaved() {
        let words = format!(
            "{} parallel steps, {} steps of agents; {:.2} s",
            grouped(stats.depth),
            grouped(stats.transitions),
            report.seconds
        );
        return page.wrap("simulated: ", Style::Strong, 2, &words);
    }
    let memory = peak_memory_kib().map_or(String::new(), |kib| format!(", {} MiB", kib / 1024));
    let words = format!(
        "{} states, {} of them expanded, {} transitions, depth {}; {:.2} s{memory}",
        grouped(stats.states),
        grouped(stats.expanded),
        grouped(stats.transitions),
        grouped(stats.depth),
        report.seconds,
    );
    page.wrap("searched: ", Style::Strong, 2, &words);
}

/// Writes a page to the standard output.
pub fn put(page: &Page) -> Result<(), CommandError> {
    std::io::stdout()
        .write_all(page.text.as_bytes())
        .map_err(|error| CommandError::Output { fd: 1, error })
}
