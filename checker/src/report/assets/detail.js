// One step: where it is in the source, what memory and locks are like after it, and who waits.

function drawDetail(now) {
  const step = now ? steps[now - 1] : null, state = stateAfter(now);
  drawStep(step, now);
  drawSource(step, now);
  drawMemory(state, now);
  drawLocks(state, now);
  drawWaits(state);
  drawRegisters(now);
}

// The registers of the thread that has just moved, where they were recorded.
function drawRegisters(now) {
  const box = document.getElementById("registers"), all = (data.registers || [])[now];
  box.hidden = !all;
  if (!all) return;
  const last = data.registers.slice(0, now).reverse().find(old => old.thread === all.thread);
  const before = new Map(last ? last.values : all.values);
  const rows = all.values.map(([name, value]) => {
    const row = element("tr", before.get(name) !== value ? "changed" : "");
    row.append(element("td", "", name), element("td", "", value));
    return row;
  });
  box.querySelector("div").replaceChildren(table([all.thread, "value"], rows));
}

function drawStep(step, now) {
  const box = document.getElementById("step");
  box.classList.toggle("bad", now === count && !waits.length);
  if (!step) {
    box.replaceChildren(element("div", "deed", "The start"),
      element("div", "where", "before the first step; what went before is the same in all schedules"));
    return;
  }
  const { words, own } = deedOf(step);
  const deed = element("div", "deed", own ? `${words}: ${own.old} → ${own.new}` : words);
  const inside = step.location.function ? ` in ${step.location.function}` : "";
  const place = step.location.file ? `${step.location.file}:${step.location.line}${inside}` : inside;
  box.replaceChildren(deed,
    element("div", "where", `step ${step.step} of ${count} · ${startOf(step.thread)} · ${place.trim()}`));
}

// The file, with the line of this step and the lines where the other threads stand.
let shownFile = null;
function drawSource(step, now) {
  const box = document.getElementById("source");
  const location = step ? step.location : standsAt(threads[0], 0);
  const file = location && location.file;
  const pieces = file && data.sources[file];
  if (!pieces) {
    shownFile = null;
    const words = file ? `${file} is not there` : "no source for this step";
    box.replaceChildren(element("div", "file none", words));
    return;
  }
  if (shownFile !== file) {
    shownFile = file;
    const lines = [element("div", "file", file)];
    pieces.forEach(([first, text], index) => {
      if (index) lines.push(element("div", "file", "…"));
      text.forEach((content, offset) => {
        const line = element("div", "code");
        line.dataset.line = first + offset;
        line.append(element("span", "gutter", String(first + offset)), element("span", "", content));
        lines.push(line);
      });
    });
    box.replaceChildren(...lines);
  }
  for (const badge of box.querySelectorAll(".at")) badge.remove();
  for (const line of box.querySelectorAll(".now")) line.classList.remove("now", "bad");
  for (const thread of threads) {
    const at = standsAt(thread, now);
    const isMover = step && thread === step.thread;
    if (!at || at.file !== file || isMover && at.line === location.line) continue;
    if (createdIn.has(thread) && now <= createdIn.get(thread)) continue;
    const line = lineOf(box, at.line);
    if (line) line.append(element("span", "at", thread));
  }
  const line = step && lineOf(box, location.line);
  if (!line) return;
  line.classList.add("now");
  if (now === count && !waits.length) line.classList.add("bad");
  line.append(element("span", "at now", step.thread));
  box.scrollTop = line.offsetTop - box.clientHeight / 2 + line.clientHeight;
}

function lineOf(box, number) { return box.querySelector(`.code[data-line="${number}"]`); }

function table(heads, rows) {
  const made = element("table"), head = element("tr");
  for (const name of heads) head.append(element("th", "", name));
  made.append(head, ...rows);
  return made;
}

function cells(texts, className) {
  const made = element("tr", className);
  for (const text of texts) made.append(element("td", "", text));
  return made;
}

// Variables that have changed so far, those of this step first.
const MEMORY_SHOWN = 60;
function drawMemory(state, now) {
  const box = document.getElementById("memory");
  if (!state.memory.size) {
    box.replaceChildren(element("div", "none", "nothing has changed yet"));
    return;
  }
  const changes = new Map((now ? steps[now - 1].changes : []).map(change => [change.name, change]));
  const all = [...state.memory].sort((a, b) => b[1].since - a[1].since || (a[0] < b[0] ? -1 : 1));
  const rows = all.slice(0, MEMORY_SHOWN).map(([name, { value, since }]) => {
    const change = changes.get(name);
    const text = change ? `${change.old} → ${change.new}` : value;
    return cells([name, text, String(since)], change ? "changed" : "");
  });
  box.replaceChildren(table(["variable", "value", "since step"], rows));
  if (MEMORY_SHOWN < all.length) {
    box.append(element("div", "none", `and ${all.length - MEMORY_SHOWN} more`));
  }
}

function drawLocks(state, now) {
  const box = document.getElementById("locks");
  if (!state.locks.size) {
    box.replaceChildren(element("div", "none", "none was taken yet"));
    return;
  }
  const rows = [...state.locks].map(([address, { object, holder, since }]) => {
    const wanting = state.waiting.filter(wait => wait.object === object).map(wait => wait.thread);
    const made = cells([object, holder || "free", wanting.join(", ")], since === now ? "changed" : "");
    made.dataset.lock = address;
    return made;
  });
  box.replaceChildren(table(["lock", "held by", "wanted by"], rows));
}

// Threads on a circle, an edge from each that waits to the one that it waits for.
function drawWaits(state) {
  const box = document.getElementById("waits");
  if (!state.waiting.length) {
    box.replaceChildren(element("div", "none", "nobody"));
    return;
  }
  const next = new Map(state.waiting.map(wait => [wait.thread, wait.holder]));
  const inCircle = new Set();
  for (const start of next.keys()) {
    let at = next.get(start);
    for (let length = 0; at && at !== start && length < threads.length; length++) at = next.get(at);
    if (at === start) inCircle.add(start);
  }
  const list = element("ul");
  for (const { thread, object, holder } of state.waiting) {
    const held = holder && !object.endsWith(holder) ? `, held by ${holder}` : "";
    list.append(element("li", "", `${thread} waits for ${object}${held}`));
  }
  box.replaceChildren(graph(state, next, inCircle), list);
}

function graph(state, next, inCircle) {
  const shown = threads.filter(name => state.alive.has(name));
  const width = 440, middle = width / 2;
  const radius = shown.length === 1 ? 0 : Math.min(130, 46 + shown.length * 10);
  const height = 2 * radius + 70;
  const place = new Map(shown.map((name, index) => {
    const angle = 2 * Math.PI * index / shown.length - Math.PI / 2;
    return [name, [middle + radius * 1.35 * Math.cos(angle), height / 2 + radius * Math.sin(angle)]];
  }));
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  svg.append(drawn("title", {}));
  svg.firstChild.textContent = "who waits for whom";
  for (const { thread, object, holder } of state.waiting) {
    if (!holder || !place.has(thread) || !place.has(holder) || thread === holder) continue;
    const isCircle = inCircle.has(thread) && inCircle.has(holder);
    svg.append(...edge(place.get(thread), place.get(holder), thread, holder, object, isCircle));
  }
  for (const name of shown) {
    const [x, y] = place.get(name);
    const node = drawn("g", { "data-thread": name }, `node${inCircle.has(name) ? " stuck" : ""}`);
    const label = drawn("text", { x, y: y + 4 });
    label.textContent = name;
    node.append(drawn("circle", { cx: x, cy: y, r: 19 }), label);
    svg.append(node);
  }
  return svg;
}

function edge([x1, y1], [x2, y2], thread, holder, object, isCircle) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const dx = (x2 - x1) / length, dy = (y2 - y1) / length, bow = 16;
  const from = [x1 + dx * 20 + dy * 5, y1 + dy * 20 - dx * 5];
  const to = [x2 - dx * 25 + dy * 5, y2 - dy * 25 - dx * 5];
  const middle = [(x1 + x2) / 2 + dy * bow, (y1 + y2) / 2 - dx * bow];
  const kind = isCircle ? " circle" : "";
  const line = drawn("path", { d: `M${from} Q${middle} ${to}`, "data-from": thread,
    "data-to": holder }, `edge${kind}`);
  const angle = Math.atan2(to[1] - middle[1], to[0] - middle[0]);
  const wing = turn => `${to[0] - 9 * Math.cos(angle + turn)} ${to[1] - 9 * Math.sin(angle + turn)}`;
  const tip = drawn("path", { d: `M${wing(.4)} L${to} L${wing(-.4)}` }, `edge${kind}`);
  const label = drawn("text", { x: middle[0] + dy * 12, y: middle[1] - dx * 12 + 3 }, `label${kind}`);
  label.textContent = object.startsWith("the end of") ? "its end" : object;
  return [line, tip, label];
}
