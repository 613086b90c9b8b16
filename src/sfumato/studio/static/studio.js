// The little that HTML and htmx do not do: sliders say their value, files are sent, progress is shown, code is copied.
"use strict";
(() => {
  const secret = () => document.body.dataset.secret;

  // A slider's value stands beside it at once, before the server answers.
  const tell = (input) => {
    const out = document.querySelector(`output[for="${input.id}"]`);
    if (!out) return;
    out.textContent = input.value === out.dataset.off ? "off" : input.value + (out.dataset.unit || "");
  };

  // The editor of hierarchies shows the fields of the kind that is chosen.
  const show = (select) => {
    for (const part of document.querySelectorAll("[data-for]")) {
      part.classList.toggle("shown", part.dataset.for === select.value);
    }
  };

  // Whatever is asked, a studio that is gone is said to be gone.
  const complain = (words) => {
    const line = document.createElement("p");
    line.className = "card warn";
    line.textContent = words;
    document.getElementById("notice").replaceChildren(line);
  };
  const gone = () => complain("The studio does not answer. If it was ended, start it again.");
  const asked = (address, how) => fetch(address, how).catch(() => { gone(); return null; });
  document.addEventListener("htmx:sendError", gone);
  window.askStudio = asked;

  const ending = (name) => (name.match(/\.(csv|tsv|jsonl?|geojson|gpx)\.(gz|zst)$|\.\w{1,10}$/i) || [""])[0];

  // A file is the body of a request; of its name only the ending goes along.
  const send = async (input, file) => {
    const notice = document.getElementById("notice");
    notice.textContent = "";
    if (file.size > Number(input.dataset.most || Infinity)) { complain(input.dataset.larger); return; }
    const answer = await asked(input.dataset.upload, {
      method: "POST", body: file,
      headers: {
        "X-Studio": secret(), "HX-Request": "true", "Content-Type": "application/octet-stream",
        "X-Ending": ending(file.name), "X-File": document.getElementById("studio").dataset.file,
      },
    });
    if (!answer) return;
    const page = await answer.text();
    const target = answer.ok ? document.getElementById("studio") : notice;
    // What comes is our own server's page, every value escaped.
    if (answer.ok) htmx.swap(target, page, { swapStyle: "outerHTML" });
    else htmx.swap(target, page, { swapStyle: "innerHTML" });
  };

  // The progress of long work comes as a stream of events; at its end the screen is loaded anew.
  let stream = null;
  const listen = () => {
    const place = document.querySelector("[data-running]");
    if (!place) { if (stream) { stream.close(); stream = null; } return; }
    if (stream) return;
    stream = new EventSource("/running/" + place.dataset.running);
    stream.onmessage = (event) => {
      const line = document.getElementById("progress");
      if (line) line.textContent = JSON.parse(event.data);
    };
    stream.addEventListener("over", () => { stream.close(); stream = null; location.reload(); });
  };

  // Of many decisions the one of now is in sight.
  const scroll = () => {
    const list = document.querySelector(".journal ol"), now = list && list.querySelector("[aria-current]");
    if (now) list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight + now.offsetHeight;
  };

  const ready = () => {
    scroll();
    const kind = document.querySelector("[data-shows]");
    if (kind) show(kind);
    listen();
  };

  document.addEventListener("input", (event) => {
    if (event.target.type === "range") tell(event.target);
    if (event.target.matches("[data-shows]")) show(event.target);
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-upload]") && event.target.files.length) send(event.target, event.target.files[0]);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
  });
  document.addEventListener("dragover", (event) => {
    const place = event.target.closest && event.target.closest("#drop");
    if (place) { event.preventDefault(); place.classList.add("over"); }
  });
  document.addEventListener("drop", (event) => {
    const place = event.target.closest && event.target.closest("#drop");
    if (!place) return;
    event.preventDefault();
    place.classList.remove("over");
    if (event.dataTransfer.files.length) send(place.querySelector("[data-upload]"), event.dataTransfer.files[0]);
  });
  document.addEventListener("htmx:beforeRequest", () => { document.getElementById("notice").textContent = ""; });
  document.addEventListener("htmx:afterSettle", ready);
  document.addEventListener("DOMContentLoaded", ready);
  if (document.readyState !== "loading") ready();
})();
