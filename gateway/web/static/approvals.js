// Keys on the pages of what waits: j and k go on and back, a approves, r rejects, e edits the one in focus.
// Without it everything works by buttons. A key never decides about a write that is not in focus.
"use strict";

(() => {
  const hint = document.querySelector(".keys");
  if (hint) hint.hidden = false;
  const writes = () => Array.from(document.querySelectorAll("article.write"));
  const current = () => document.activeElement && document.activeElement.closest("article.write");
  let busy = false;

  const step = (by) => {
    const all = writes();
    const at = all.indexOf(current());
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
    if (next) {
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: "start" });
    }
  };

  const act = (key) => {
    const write = current();
    const what = write && write.querySelector(`[data-act="${key}"]`);
    if (!what || busy) return;
    busy = true;
    if (what instanceof HTMLFormElement) what.requestSubmit();
    else what.click();
  };

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest && event.target.closest("input, textarea, select, [contenteditable]");
    if (typing || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "a" || event.key === "r" || event.key === "e") act(event.key);
    else return;
    event.preventDefault();
  });
  window.addEventListener("pageshow", () => { busy = false; });
})();
