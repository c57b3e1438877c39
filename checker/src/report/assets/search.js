// What the search did, and what its verdict takes for granted.

function grouped(number) { return Math.round(number).toLocaleString("en"); }

function drawSearch() {
  const stats = report.stats;
  if (!stats) {
    document.getElementById("search").hidden = true;
    return;
  }
  const numbers = [
    ["states", grouped(stats.states)],
    ["transitions", grouped(stats.transitions)],
    ["depth", grouped(stats.depth)],
    ["states a second", grouped(stats.states_per_second)],
    ["seconds", stats.seconds.toFixed(2)],
    ["instructions", grouped(stats.instructions)],
  ];
  if (stats.peak_memory_bytes) {
    numbers.push(["MiB of memory", grouped(stats.peak_memory_bytes / 1048576)]);
  }
  document.getElementById("numbers").replaceChildren(...numbers.map(([name, value]) => {
    const made = element("div");
    made.append(element("b", "", value), element("span", "", name));
    return made;
  }));
  const bars = [
    ["new states", stats.states, ""],
    ["seen before", stats.revisits, " again"],
    ["end states", stats.terminal || 0, ""],
  ];
  const most = Math.max(1, ...bars.map(bar => bar[1]));
  document.getElementById("bars").replaceChildren(...bars.map(([name, value, kind]) => {
    const made = element("div", "bar"), fill = element("div", `fill${kind}`);
    fill.style.width = `${70 * value / most}%`;
    made.append(element("span", "name", name), fill, element("span", "", grouped(value)));
    return made;
  }));
  drawSemantics();
}

function drawSemantics() {
  const semantics = report.semantics, entries = [
    ["looked for", (semantics.checked || []).join(", ")],
    ["assumed", (semantics.assumptions || []).join("; ")],
    ["reduction", semantics.reduction],
    ["store", semantics.store],
    ["threads switched at", (semantics.contended || []).join(", ") || "where they begin and end"],
  ];
  for (const [name, value] of Object.entries(semantics.bounds || {})) {
    if (value !== null) entries.push([`bound: ${name.replaceAll("_", " ")}`, String(value)]);
  }
  if (report.trail_file) entries.push(["again", `samovar replay ${report.trail_file}`]);
  entries.push(["by", `${report.tool.name} ${report.tool.version}`]);
  const list = document.getElementById("semantics");
  for (const [name, value] of entries) list.append(element("dt", "", name), element("dd", "", value));
}
