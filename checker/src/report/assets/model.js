// The report as the page needs it: threads and their lanes, and what is so after each step.

const data = JSON.parse(document.getElementById("data").textContent);
const report = data.report;
const steps = report.trail || [];
const waits = (report.error && report.error.waits) || [];
const count = steps.length;

const threads = (() => {
  const found = [];
  const add = name => { if (name !== "time" && !found.includes(name)) found.push(name); };
  for (const thread of report.threads || []) add(thread.name);
  for (const step of steps) add(step.thread);
  for (const wait of waits) add(wait.thread);
  // Threads that neither move nor wait have no lane.
  const used = new Set([...steps.map(step => step.thread), ...waits.map(wait => wait.thread)]);
  return found.filter(name => used.has(name));
})();
const laneOf = new Map(threads.map((name, index) => [name, index]));

function startOf(thread) {
  const known = (report.threads || []).find(other => other.name === thread);
  return known && known.start ? `${thread} (${known.start})` : thread;
}

// Indices of each thread's steps, in order.
const stepsOf = new Map(threads.map(name => [name, []]));
steps.forEach((step, index) => { if (stepsOf.has(step.thread)) stepsOf.get(step.thread).push(index); });

// The position of the first number in a sorted list that is at least this.
function lowerBound(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

// The index of a thread's next step after the first `done` steps; -1 if it makes none.
function nextOf(thread, done) {
  const own = stepsOf.get(thread);
  const at = lowerBound(own, done);
  return at < own.length ? own[at] : -1;
}

// Everything that is so after the first `done` steps.
function stateAfter(done) {
  const memory = new Map();
  const locks = new Map();
  const alive = new Set(threads.filter(name => !createdIn.has(name)));
  const ended = new Set();
  for (let index = 0; index < done; index++) {
    const step = steps[index];
    for (const change of step.changes) memory.set(change.name, { value: change.new, since: index + 1 });
    for (const lock of step.locks || []) {
      locks.set(lock.address, { object: lock.object, holder: lock.holder, since: index + 1 });
    }
    const event = step.event;
    if (!event) continue;
    if (event.kind === "create" && event.thread) alive.add(event.thread);
    if (event.kind === "end") { ended.add(step.thread); alive.delete(step.thread); }
  }
  return { memory, locks, alive, ended, waiting: waitingAfter(done, locks, ended) };
}

// The step in which each thread is created.
const createdIn = new Map();
steps.forEach((step, index) => {
  if (step.event && step.event.kind === "create" && step.event.thread) {
    createdIn.set(step.event.thread, index);
  }
});

// Who cannot go on after the first `done` steps, and because of whom: what a thread does next is
// known from the trail, and whether it could do that now from the locks.
function waitingAfter(done, locks, ended) {
  const found = [];
  for (const thread of threads) {
    if (ended.has(thread) || (createdIn.has(thread) && done <= createdIn.get(thread))) continue;
    const next = nextOf(thread, done);
    if (next < 0) {
      const wait = waits.find(wait => wait.thread === thread);
      if (wait && isStuck(wait, done, locks, ended)) {
        found.push({ thread, object: wait.object, holder: wait.held_by || null });
      }
      continue;
    }
    const event = steps[next].event;
    if (!event) continue;
    if (event.kind === "lock" && locks.has(event.address)) {
      const lock = locks.get(event.address);
      if (lock.holder && lock.holder !== thread) {
        found.push({ thread, object: lock.object, holder: lock.holder });
      }
    } else if (event.kind === "join" && event.thread && !ended.has(event.thread)
               && nextOf(event.thread, done) >= 0) {
      found.push({ thread, object: `the end of ${event.thread}`, holder: event.thread });
    } else if (event.kind === "wait" && !event.waits) {
      found.push({ thread, object: `a signal on ${event.object}`, holder: null });
    }
  }
  return found;
}

// A thread that waits in the end may not have come that far, or may not have to wait yet.
function isStuck(wait, done, locks, ended) {
  if (done === count) return true;
  const own = stepsOf.get(wait.thread);
  if (own.length && own[own.length - 1] >= done) return false;
  if (!wait.held_by) return true;
  const isLock = [...locks.values()].some(lock => lock.object === wait.object && lock.holder === wait.held_by);
  return isLock || (wait.object.startsWith("the end of") && !ended.has(wait.held_by));
}

// Where a thread stands after the first `done` steps: before its next step, or where it waits.
function standsAt(thread, done) {
  const next = nextOf(thread, done);
  if (next >= 0) return steps[next].location;
  const wait = waits.find(wait => wait.thread === thread);
  return wait ? wait.location : null;
}

function shortPlace(location) {
  if (!location || !location.file) return location && location.function ? `in ${location.function}` : "";
  const name = location.file.split("/").pop();
  return location.line ? `${name}:${location.line}` : name;
}

// The step's own words and the change of what it writes.
function deedOf(step) {
  const event = step.event;
  const isWrite = event && (event.kind === "write" || event.kind === "update");
  const own = isWrite && step.operation.endsWith(event.object || "\0")
    ? step.changes.find(change => change.name === event.object) : null;
  const others = step.changes.filter(change => change !== own);
  return { words: step.operation, own, others };
}

// An element with a class and text.
function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const SVG = "http://www.w3.org/2000/svg";
function drawn(tag, attributes, className) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (className) made.setAttribute("class", className);
  return made;
}
