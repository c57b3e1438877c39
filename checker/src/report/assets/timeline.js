// The steps, one lane per thread, time running down. Only what is on the screen is in the document,
// so that the number of steps does not matter.

const ROW = 26, LEFT = 64, LANE_MIN = 92, LANE_MAX = 190, LAST_LANE = 240, END = 86;
const BEYOND = 12;
const shownKinds = { create: true, join: true, lock: true, wake: true, data: false };
const timeline = { now: 0, width: 0, lane: 0 };
const mainFile = (() => {
  const counts = new Map();
  for (const step of steps) {
    if (step.location.file) counts.set(step.location.file, (counts.get(step.location.file) || 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(entry => entry[0])[0] || null;
})();
// Links by where they begin, and the longest, so that those over the screen are found quickly.
const links = data.links.slice().sort((a, b) => a.from - b.from);
const linkStarts = links.map(link => link.from);
const longestLink = links.reduce((most, link) => Math.max(most, link.to - link.from), 0);
const rowCount = count + (waits.length ? 1 : 0);

// How far to the left of a lane the arrows of each kind run.
const ASIDE = { create: 8, join: 8, lock: 11, wake: 14, data: 17 };

function laneX(lane) { return LEFT + 14 + lane * timeline.lane; }
function rowY(index) { return index * ROW + ROW / 2; }

function measure() {
  const scroll = document.getElementById("scroll");
  const lanes = Math.max(1, threads.length);
  const room = scroll.clientWidth - LEFT - LAST_LANE;
  timeline.lane = lanes === 1 ? 0 : Math.max(LANE_MIN, Math.min(LANE_MAX, room / (lanes - 1)));
  timeline.width = Math.max(scroll.clientWidth, LEFT + timeline.lane * (lanes - 1) + LAST_LANE);
  const rows = document.getElementById("rows");
  rows.style.height = `${count * ROW + (waits.length ? END : 8)}px`;
  rows.style.width = `${timeline.width}px`;
  const heads = document.getElementById("lanes");
  heads.replaceChildren(...threads.map((name, lane) => {
    const head = element("span", "lane", startOf(name));
    head.dataset.thread = name;
    head.title = startOf(name);
    head.style.left = `${laneX(lane) - 6}px`;
    head.style.width = lane + 1 < lanes ? `${timeline.lane}px` : `${LAST_LANE}px`;
    return head;
  }));
}

function drawRows() {
  const scroll = document.getElementById("scroll"), rows = document.getElementById("rows");
  document.getElementById("lanes").style.transform = `translateX(${-scroll.scrollLeft}px)`;
  const first = Math.max(0, Math.floor(scroll.scrollTop / ROW) - BEYOND);
  const last = Math.min(rowCount, Math.ceil((scroll.scrollTop + scroll.clientHeight) / ROW) + BEYOND);
  const arrows = document.getElementById("arrows");
  const made = [];
  for (let index = first; index < last; index++) {
    made.push(index < count ? stepRow(index) : endRow(index));
  }
  rows.replaceChildren(arrows, ...made);
  drawArrows(arrows, first, last);
}

function row(index, number) {
  const made = element("div", "row");
  made.setAttribute("role", "listitem");
  made.style.top = `${index * ROW}px`;
  made.append(element("span", "number", number));
  return made;
}

function stepRow(index) {
  const step = steps[index], lane = laneOf.get(step.thread);
  const made = row(index, String(step.step));
  made.dataset.step = step.step;
  made.dataset.thread = step.thread;
  if (index + 1 === timeline.now) made.classList.add("now");
  if (index >= timeline.now) made.classList.add("later");
  if (index + 1 === count && !waits.length) made.classList.add("bad");
  const deed = element("span", "deed");
  const at = lane === undefined ? LEFT : laneX(lane);
  deed.style.left = `${at}px`;
  deed.style.maxWidth = `${timeline.width - at - 8}px`;
  const { words, own, others } = deedOf(step);
  const place = step.location.file === mainFile ? step.location.line : shortPlace(step.location);
  if (lane === undefined) deed.append(`${step.thread} `);
  if (place) deed.append(element("span", "line", String(place)));
  deed.append(words);
  if (own) deed.append(element("span", "delta", `${own.old} → ${own.new}`));
  for (const change of others.slice(0, 2)) {
    deed.append(element("span", "delta", `${change.name}: ${change.old} → ${change.new}`));
  }
  made.title = `${step.thread} ${shortPlace(step.location)}: ${words}\n${step.source || ""}`;
  made.append(deed);
  made.addEventListener("click", () => goTo(step.step));
  return made;
}

// What every thread waits for when nobody can go on.
function endRow(index) {
  const made = row(index, "end");
  made.id = "end";
  made.classList.add("bad");
  const at = waits.map(wait => laneOf.get(wait.thread)).sort((a, b) => a - b);
  for (const wait of waits) {
    const lane = laneOf.get(wait.thread);
    const following = at.find(other => other > lane);
    const deed = element("span", "deed", `waits for ${wait.object}`);
    deed.style.left = `${laneX(lane)}px`;
    const end = following === undefined ? timeline.width : laneX(following);
    deed.style.maxWidth = `${end - laneX(lane) - 4}px`;
    deed.title = `${wait.thread} waits for ${wait.object}, ${shortPlace(wait.location)}`;
    made.append(deed);
  }
  made.addEventListener("click", () => goTo(count));
  return made;
}

function drawArrows(arrows, first, last) {
  // No larger than what is seen: browsers have no room for drawings as long as a long trail.
  arrows.setAttribute("width", timeline.width);
  arrows.setAttribute("height", (last - first) * ROW + END);
  arrows.style.top = `${first * ROW}px`;
  const group = drawn("g", { transform: `translate(0 ${-first * ROW})` });
  const made = [];
  for (const [lane, name] of threads.entries()) {
    const own = stepsOf.get(name);
    const begin = createdIn.has(name) ? createdIn.get(name) : 0;
    const isWaiting = waits.some(wait => wait.thread === name);
    const end = isWaiting ? count : own.length ? own[own.length - 1] : begin;
    const from = Math.max(begin, first), to = Math.min(end, last);
    if (from < to) {
      const x = laneX(lane);
      made.push(drawn("line", { x1: x, x2: x, y1: rowY(from), y2: rowY(to) }, "life"));
    }
  }
  const start = lowerBound(linkStarts, first + 1 - longestLink);
  for (let at = start; at < links.length && links[at].from <= last; at++) {
    const link = links[at];
    if (link.to < first + 1 || !shownKinds[link.kind]) continue;
    made.push(...arrow(link, first, last));
  }
  for (let index = first; index < Math.min(last, count); index++) {
    const lane = laneOf.get(steps[index].thread);
    if (lane === undefined) continue;
    const isBad = index + 1 === count && !waits.length;
    const kind = index + 1 === timeline.now ? "dot now" : isBad ? "dot bad" : "dot";
    made.push(drawn("circle", { cx: laneX(lane), cy: rowY(index), r: 5 }, kind));
  }
  if (waits.length && count < last) {
    for (const wait of waits) {
      const x = laneX(laneOf.get(wait.thread));
      made.push(drawn("circle", { cx: x, cy: rowY(count), r: 5 }, "dot bad"));
    }
  }
  group.append(...made);
  arrows.replaceChildren(group);
}

function arrow(link, first, last) {
  const a = laneOf.get(steps[link.from - 1].thread), b = laneOf.get(steps[link.to - 1].thread);
  if (a === undefined || b === undefined) return [];
  const x1 = laneX(a), x2 = laneX(b);
  // What is far beyond the screen may as well be a little beyond it.
  const y1 = rowY(Math.max(link.from - 1, first - 2)), y2 = rowY(Math.min(link.to - 1, last + 2));
  // Words stand to the right of their dots, so lines run on the left of lanes and along rows to the
  // left of where something stands.
  const aside = Math.min(x1, x2) - ASIDE[link.kind], bend = Math.min(6, (y2 - y1) / 2);
  const path = `M${x1 - 5} ${y1} H${aside + bend} Q${aside} ${y1} ${aside} ${y1 + bend} `
      + `V${y2 - bend} Q${aside} ${y2} ${aside + bend} ${y2} H${x2 - 8}`;
  const isNear = link.from === timeline.now || link.to === timeline.now;
  const line = drawn("path", { d: path, "data-from": link.from, "data-to": link.to,
    "data-kind": link.kind }, `arrow ${link.kind}${isNear ? " near" : ""}`);
  const tip = drawn("path", {
    d: `M${x2 - 4} ${y2} l-8 -4 l0 8 z` }, `tip ${link.kind}`);
  return [line, tip];
}

// Brings the present step into view, with some room around it.
function follow() {
  const scroll = document.getElementById("scroll");
  const y = Math.max(0, timeline.now - 1) * ROW;
  const margin = Math.min(ROW * 3, scroll.clientHeight / 3);
  if (y < scroll.scrollTop + margin) {
    scroll.scrollTop = Math.max(0, y - margin);
  } else if (scroll.scrollTop + scroll.clientHeight - margin - ROW < y) {
    scroll.scrollTop = y + margin + ROW - scroll.clientHeight;
  }
  // The end belongs to the last step.
  if (timeline.now === count) scroll.scrollTop = scroll.scrollHeight;
}

// The whole trail at a glance: a line per thread, a tick per step.
function drawMap() {
  const map = document.getElementById("map");
  const height = Math.max(10, Math.min(60, threads.length * 5)), ratio = window.devicePixelRatio || 1;
  const width = map.clientWidth || 600;
  map.width = width * ratio;
  map.height = height * ratio;
  map.style.height = `${height}px`;
  const pen = map.getContext("2d"), style = getComputedStyle(document.documentElement);
  pen.scale(ratio, ratio);
  const lane = height / Math.max(1, threads.length), step = (width - 16) / Math.max(1, count);
  pen.fillStyle = style.getPropertyValue("--soft");
  steps.forEach((one, index) => {
    const at = laneOf.get(one.thread);
    if (at === undefined) return;
    pen.globalAlpha = index < timeline.now ? 1 : .35;
    pen.fillRect(8 + index * step, at * lane, Math.max(1, step - .5), lane - 1);
  });
  pen.globalAlpha = 1;
  pen.fillStyle = style.getPropertyValue("--now-edge");
  pen.fillRect(8 + Math.max(0, timeline.now - 1) * step, 0, Math.max(2, step - .5), height);
}
