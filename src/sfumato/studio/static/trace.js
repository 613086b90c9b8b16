// Handles of the secret hours: arrow keys and the pointer move them; the fields of the form hold what they say.
"use strict";
(() => {
  const line = () => document.getElementById("bands");
  const clock = (minute) => String(Math.floor(minute / 60)).padStart(2, "0") + ":" + String(minute % 60).padStart(2, "0");
  const minuteOf = (input) => { const [hour, minute] = input.value.split(":").map(Number); return 60 * hour + minute; };
  const field = (handle) => document.getElementById(handle.dataset.input);

  const draw = () => {
    if (!line()) return;
    const low = Number(line().dataset.low), span = Math.max(Number(line().dataset.high) - low, 1);
    const across = (minute) => (1000 * (minute - low)) / span;
    for (const handle of line().querySelectorAll(".handle")) {
      const minute = minuteOf(field(handle));
      if (Number.isNaN(minute)) continue;
      handle.setAttribute("x", across(minute) - 6);
      handle.setAttribute("aria-valuenow", minute);
      handle.setAttribute("aria-valuetext", clock(minute));
    }
    line().querySelectorAll("rect.secret").forEach((band, n) => {
      const start = minuteOf(document.getElementById("s" + n)), end = minuteOf(document.getElementById("e" + n));
      if (Number.isNaN(start + end)) return;
      band.setAttribute("x", across(start));
      band.setAttribute("width", Math.max(across(end) - across(start), 0));
    });
  };

  const move = (handle, minute) => {
    const low = Number(line().dataset.low), high = Number(line().dataset.high), name = handle.dataset.input;
    const other = minuteOf(document.getElementById((name[0] === "s" ? "e" : "s") + name.slice(1)));
    const least = name[0] === "e" ? Math.max(low, other) : low, most = name[0] === "s" ? Math.min(high, other) : high;
    const to = Math.min(Math.max(Math.round(minute), least), most), input = field(handle);
    if (minuteOf(input) === to) return;
    input.value = clock(to);
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };

  document.addEventListener("keydown", (event) => {
    const handle = event.target.closest && event.target.closest("#bands .handle");
    if (!handle) return;
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 15, PageDown: -15 };
    const at = minuteOf(field(handle));
    if (steps[event.key]) move(handle, at + steps[event.key]);
    else if (event.key === "Home") move(handle, Number(line().dataset.low));
    else if (event.key === "End") move(handle, Number(line().dataset.high));
    else return;
    event.preventDefault();
  });

  let held = null;
  document.addEventListener("pointerdown", (event) => {
    held = event.target.closest && event.target.closest("#bands .handle");
    if (held) { event.preventDefault(); held.focus(); }
  });
  document.addEventListener("pointermove", (event) => {
    if (!held || !line()) return;
    const box = line().getBoundingClientRect(), low = Number(line().dataset.low);
    move(held, low + ((event.clientX - box.left) / box.width) * (Number(line().dataset.high) - low));
  });
  document.addEventListener("pointerup", () => { held = null; });
  document.addEventListener("input", (event) => { if (event.target.type === "time") draw(); });
})();
