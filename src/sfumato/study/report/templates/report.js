"use strict";
(async () => {
  if (!("DecompressionStream" in window)) {
    for (const plot of document.querySelectorAll(".plot")) plot.textContent = "This browser is too old to draw the figure. The tables have all numbers.";
    return;
  }
  // plotly.js stands packed in the page: unpacked here, without a request to anyone.
  const packed = Uint8Array.from(atob(document.getElementById("plotly").textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const library = document.createElement("script");
  library.textContent = await new Response(unpacked).text();
  document.head.append(library);

  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const figures = read("figures");
  const settings = read("settings");
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const plots = [...document.querySelectorAll(".plot")];

  // Numbers as the rest of the report shows them.
  const shown = (x) => {
    if (x === null) return "—";
    if (x < 0) return "−" + shown(-x);
    if (Number.isInteger(x) && Math.abs(x) < 1e6) return x.toLocaleString("en-GB");
    if (Math.abs(x) >= 1000 && Math.abs(x) < 1e6) return Math.round(x).toLocaleString("en-GB");
    return String(Number(x.toPrecision(3)));
  };
  const interval = (e) => shown(e.mean) + (e.low === null || e.high === null ? "" : ` (${shown(e.low)} to ${shown(e.high)})`);

  let printing = false;
  const colours = () => {
    const now = dark.matches && !printing;
    return { ink: now ? "#c3c9d0" : "#4a515a", grid: now ? "rgba(163,171,181,.20)" : "rgba(125,131,140,.25)" };
  };
  const themed = (layout) => {
    const { ink, grid } = colours();
    const changed = { ...layout, font: { ...layout.font, color: ink } };
    for (const key of Object.keys(layout)) {
      if (/^[xy]axis\d*$/.test(key)) changed[key] = { ...layout[key], gridcolor: grid, linecolor: ink };
      if (/^polar\d*$/.test(key)) {
        const lines = { gridcolor: grid, linecolor: grid, tickcolor: grid };
        changed[key] = { bgcolor: "rgba(0,0,0,0)", ...layout[key] };
        for (const axis of ["radialaxis", "angularaxis"]) changed[key][axis] = { ...layout[key][axis], ...lines };
      }
    }
    return changed;
  };
  const draw = (element) => {
    const figure = figures[element.dataset.figure];
    const narrow = element.clientWidth < 520;
    const layout = themed(figure.layout);
    if (narrow) layout.margin = { ...layout.margin, l: 48, r: 8 };
    Plotly.react(element, figure.data, layout, { responsive: true, displayModeBar: false });
  };

  const attack = document.getElementById("attack");
  const utility = document.getElementById("utility");
  const limit = document.getElementById("limit");
  const proved = document.getElementById("proved");
  const plane = document.getElementById("plane");

  // The same rule as Frontier.best: the most useful setting whose risk, up to its 95 % interval, is within the limit.
  const cautious = (e) => (e.high === null ? e.mean : e.high);
  const answer = () => {
    if (limit.dataset.named === "no") {
      document.getElementById("limit-shown").textContent = "—";
      document.getElementById("answer").textContent = "Move the slider to the largest risk that you accept. Nothing is recommended before.";
      return;
    }
    const [a, u] = [attack.value, utility.value];
    const better = settings.utilities[u] === "higher" ? 1 : -1;
    const most = Number(limit.value);
    document.getElementById("limit-shown").textContent = shown(most);
    const candidates = settings.points.filter((p) =>
      (p.proved || !proved.checked) && p.estimates[a].mean !== null && p.estimates[u].mean !== null);
    const admitted = candidates.filter((p) => cautious(p.estimates[a]) <= most);
    const box = document.getElementById("answer");
    box.replaceChildren();
    const line = (text, strong) => {
      const p = document.createElement("p");
      if (strong) { const b = document.createElement("strong"); b.textContent = strong; p.append(b, " "); }
      p.append(text);
      box.append(p);
    };
    // At the limits that were named the page has the answer, from numbers that are not rounded.
    const chosen = limit.dataset.named === "page" ? settings.points.find((p) => p.title === settings.chosen[u]) : undefined;
    if (!chosen && !admitted.length) {
      if (!candidates.length) { line("No such setting has both measured."); return; }
      const least = candidates.reduce((x, y) => (cautious(x.estimates[a]) <= cautious(y.estimates[a]) ? x : y));
      line(`No setting stays within this limit. The lowest risk, up to its interval, is ${shown(cautious(least.estimates[a]))} with ${least.title}.`);
      return;
    }
    const best = chosen || admitted.reduce((x, y) => (better * x.estimates[u].mean >= better * y.estimates[u].mean ? x : y));
    line(best.title, "Best setting:");
    line(best.promise, best.kept_by);
    line(`${interval(best.estimates[a])}`, `${a}:`);
    line(`${interval(best.estimates[u])}; ${shown(settings.raw.estimates[u].mean)} on the raw data, ${settings.utilities[u]} is better`, `${u}:`);
  };
  const choose = () => {
    const a = attack.value;
    const risks = settings.points.map((p) => p.estimates[a]);
    const span = settings.span[a];
    const ends = [...span, ...risks.map((e) => e.mean), ...risks.map(cautious)].filter((x) => x !== null);
    const [low, high] = [Math.min(...ends), Math.max(...ends)];
    limit.min = low; limit.max = high; limit.step = (high - low) / 200 || 1e-9;
    const own = settings.limits[a];
    limit.dataset.named = own === undefined ? "no" : "page";
    if (own !== undefined) { limit.min = Math.min(low, own); limit.max = Math.max(high, own); limit.step = "any"; }
    limit.value = own === undefined ? low : own;
    plane.dataset.figure = `plane ${a} / ${utility.value}`;
    plane.setAttribute("aria-label", `Risk (${a}) against utility (${utility.value}); the numbers are in the table of all settings.`);
    draw(plane);
    answer();
  };
  attack.addEventListener("change", choose);
  utility.addEventListener("change", choose);
  limit.addEventListener("input", () => { limit.dataset.named = "reader"; answer(); });
  proved.addEventListener("change", () => { if (limit.dataset.named === "page") limit.dataset.named = "reader"; answer(); });
  choose();
  plots.filter((p) => p !== plane).forEach(draw);
  dark.addEventListener("change", () => plots.forEach(draw));
  // A long table is folded on a screen, never on paper.
  const long = [...document.querySelectorAll("details.long")];
  const fold = (closed) => long.forEach((element) => { element.open = !closed; });
  if (!window.matchMedia("print").matches) fold(true);
  const print = (now) => () => { printing = now; fold(!now); plots.forEach(draw); };
  window.addEventListener("beforeprint", print(true));
  window.addEventListener("afterprint", print(false));
  document.documentElement.dataset.drawn = String(plots.length);
})();
