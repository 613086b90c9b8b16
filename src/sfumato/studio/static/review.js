// The keys of the review: j k a r A u, and text that is selected because it was missed.
"use strict";
(() => {
  const prose = () => document.getElementById("prose");
  // A place that was added in a stretch of the sample is part of it: keys go from stretch to stretch.
  const items = () => [...document.querySelectorAll("#prose [data-item]")].filter(
    (one) => !one.parentElement.closest("[data-item]"));
  const say = (words) => { const place = document.getElementById("said"); if (place) place.textContent = words; };

  // Requests go one after the other; only the answer to the last one is shown, and the focus stays where it is.
  let queue = Promise.resolve(), waiting = 0;
  const post = (address, fields) => {
    waiting += 1;
    const body = new URLSearchParams({ ...fields, page: prose().dataset.page || "", from: prose().dataset.from });
    queue = queue.then(async () => {
      const answer = await askStudio(address, {
        method: "POST", body,
        headers: {
          "X-Studio": document.body.dataset.secret, "HX-Request": "true",
          "X-File": document.getElementById("studio").dataset.file,
        },
      });
      waiting -= 1;
      if (!answer) return;
      const page = await answer.text();
      if (waiting && answer.ok) return;
      const focus = document.activeElement && document.activeElement.id;
      const target = document.getElementById(answer.ok ? "studio" : "notice");
      htmx.swap(target, page, { swapStyle: answer.ok ? "outerHTML" : "innerHTML" }); // our own page, every value escaped
      const again = focus && document.getElementById(focus);
      if (again) again.focus({ preventScroll: true });
    });
  };

  const current = () => document.activeElement && document.activeElement.closest("#prose [data-item]");
  const step = (by) => {
    const all = items();
    if (!all.length) return;
    const here = current(), at = here ? all.findIndex((one) => one.contains(here)) : -1;
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1)];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    say(next.title || next.textContent.trim());
  };

  // Where the selection is: each piece of text knows where it begins; characters are counted, not UTF-16 units.
  const offset = (node, at) => {
    const piece = (node.nodeType === 3 ? node.parentElement : node).closest("[data-at]");
    if (!piece) return null;
    const before = document.createRange();
    before.setStart(piece, 0);
    before.setEnd(node, at);
    return Number(piece.dataset.at) + [...before.toString()].length;
  };
  const selected = () => {
    const chosen = window.getSelection();
    if (!chosen || chosen.isCollapsed || !chosen.rangeCount || !prose()) return null;
    const range = chosen.getRangeAt(0);
    const owner = (node) => (node.nodeType === 3 ? node.parentElement : node).closest("p[data-text]");
    const text = owner(range.startContainer);
    if (!text || text !== owner(range.endContainer) || !prose().contains(text)) return null;
    const start = offset(range.startContainer, range.startOffset), end = offset(range.endContainer, range.endOffset);
    if (start === null || end === null || start >= end) return null;
    return { text: text.dataset.text, start, end };
  };
  const add = () => {
    const place = selected();
    if (!place) return false;
    const label = document.getElementById("adder-label").value;
    window.getSelection().removeAllRanges();
    post("/review/decide", { ...place, verdict: "missed", label });
    say("Hidden as " + label);
    return true;
  };

  const decide = (verdict, all) => {
    const item = current();
    if (!item) return;
    if (item.dataset.stretch !== undefined) {
      if (verdict === "keep") { item.classList.add("seen"); post("/review/look", { number: item.dataset.stretch }); step(1); }
      else say("Select the words that are personal first");
      return;
    }
    item.classList.remove("open", "hide", "keep");
    item.classList.add(verdict); // at once, before the server answers
    say(verdict === "hide" ? "Hidden" : "Kept");
    post("/review/decide", {
      text: item.dataset.text, start: item.dataset.at, end: item.dataset.end, verdict, all: all ? "1" : "0",
    });
    if (!all) step(1);
  };

  document.addEventListener("selectionchange", () => {
    const adder = document.getElementById("adder");
    if (adder && !adder.contains(document.activeElement)) adder.hidden = !selected();
  });
  document.addEventListener("mousedown", (event) => {
    if (event.target.id === "adder-hide") event.preventDefault(); // or the selection is gone before the click
  });
  document.addEventListener("click", (event) => {
    if (event.target.id === "adder-hide") add();
    const item = event.target.closest && event.target.closest("#prose [data-item]");
    if (item && window.getSelection().isCollapsed) item.focus({ preventScroll: true });
  });
  document.addEventListener("keydown", (event) => {
    if (!prose() || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) return;
    const acts = {
      j: () => step(1), k: () => step(-1),
      a: () => { if (!add()) decide("hide", false); }, r: () => decide("keep", false),
      A: () => decide(current() && current().classList.contains("keep") ? "keep" : "hide", true),
      u: () => {
        queue = queue.then(async () => {
          const done = await askStudio("/journal/undo", { method: "POST", headers: { "X-Studio": document.body.dataset.secret } });
          if (done) location.reload();
        });
      },
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  });
})();
