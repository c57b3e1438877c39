// The page as a whole: the verdict, moving through the steps, keys, light and dark.

function drawVerdict() {
  const badge = document.getElementById("badge"), error = report.error;
  const kind = error ? (error.detail ? `${error.kind}: ${error.detail}` : error.kind) : report.verdict;
  badge.textContent = kind;
  badge.classList.add(report.verdict);
  const words = error ? error.message
    : report.incomplete ? report.incomplete.reason : "everything was explored, nothing is wrong";
  document.getElementById("message").textContent = words;
  document.getElementById("program").textContent = [report.program, ...report.args].join(" ");
  const sentences = document.getElementById("sentences");
  for (const sentence of data.sentences) sentences.append(element("p", "", sentence));
}

function goTo(step) {
  const now = Math.max(0, Math.min(count, step));
  timeline.now = now;
  document.getElementById("slider").value = now;
  document.getElementById("count").textContent = `${now} of ${count}`;
  document.body.dataset.now = now;
  follow();
  drawRows();
  drawDetail(now);
  drawMap();
  history.replaceState(null, "", `#step=${now}`);
}

// The next or the previous step of the thread of this step.
function goAlong(direction) {
  const step = timeline.now ? steps[timeline.now - 1] : steps[0];
  const own = step && stepsOf.get(step.thread);
  if (!own) return goTo(timeline.now + direction);
  const at = lowerBound(own, timeline.now - 1) + direction;
  if (0 <= at && at < own.length) goTo(own[at] + 1);
}

let player = null;
function play(isWanted) {
  clearInterval(player);
  player = null;
  if (isWanted) {
    if (timeline.now === count) goTo(0);
    player = setInterval(() => timeline.now < count ? goTo(timeline.now + 1) : play(false), 600);
  }
  document.getElementById("play").textContent = player ? "pause" : "play";
}

const moves = {
  first: () => goTo(0), last: () => goTo(count),
  back: () => goTo(timeline.now - 1), forth: () => goTo(timeline.now + 1),
  "back-thread": () => goAlong(-1), "forth-thread": () => goAlong(1),
  play: () => play(!player),
};
const keys = {
  ArrowRight: moves.forth, ArrowDown: moves.forth, j: moves.forth,
  ArrowLeft: moves.back, ArrowUp: moves.back, k: moves.back,
  Home: moves.first, End: moves.last, n: moves["forth-thread"], p: moves["back-thread"],
  PageDown: () => goTo(timeline.now + 10), PageUp: () => goTo(timeline.now - 10),
  " ": moves.play,
};

function changeTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  if (count) drawMap();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "t") return changeTheme();
  const move = count && keys[event.key];
  if (!move) return;
  event.preventDefault();
  if (move !== moves.play) play(false);
  move();
}

function drawLegend() {
  const names = { create: "creates", join: "joins", lock: "hands over a lock", wake: "wakes",
    data: "passes a value" };
  const present = new Set(links.map(link => link.kind));
  document.getElementById("legend").replaceChildren(...Object.keys(names)
    .filter(kind => present.has(kind))
    .map(kind => {
      const label = element("label", kind), box = element("input");
      box.type = "checkbox";
      box.checked = shownKinds[kind];
      box.addEventListener("change", () => { shownKinds[kind] = box.checked; drawRows(); });
      label.append(box, element("i"), names[kind]);
      return label;
    }));
}

function stepInAddress() {
  const found = /step=(\d+)/.exec(location.hash);
  return found ? Number(found[1]) : count;
}

function begin() {
  drawVerdict();
  drawSearch();
  document.getElementById("theme").addEventListener("click", changeTheme);
  document.addEventListener("keydown", onKey);
  if (!count) return;
  document.getElementById("trail").hidden = false;
  document.getElementById("controls").hidden = false;
  const slider = document.getElementById("slider");
  slider.max = count;
  slider.addEventListener("input", () => { play(false); goTo(Number(slider.value)); });
  document.getElementById("controls").addEventListener("click", event => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.go !== "play") play(false);
    moves[button.dataset.go]();
  });
  document.getElementById("map").addEventListener("click", event => {
    const box = event.target.getBoundingClientRect();
    goTo(Math.ceil((event.clientX - box.left - 8) / (box.width - 16) * count));
  });
  let isDue = false;
  document.getElementById("scroll").addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; drawRows(); });
  });
  const redraw = () => { measure(); goTo(timeline.now); };
  window.addEventListener("resize", redraw);
  window.addEventListener("hashchange", () => goTo(stepInAddress()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawMap);
  drawLegend();
  measure();
  goTo(stepInAddress());
  play(false);
}

begin();
