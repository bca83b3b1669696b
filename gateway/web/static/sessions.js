// Sessions: searching as one types, a cut text shown whole in place, a link to a message on another page. Without it
// the search is a form, a cut text a link, and nothing is missing.
"use strict";

(() => {
  const PAUSE = 180; // milliseconds without a key

  function say(text) {
    const line = document.getElementById("live-says");
    if (line) line.textContent = text;
  }

  async function page(address, signal, fragment) {
    const headers = { "X-Live": "1" }; // lines that are meant for the next page stay for it
    if (fragment) headers["X-Fragment"] = fragment;
    const answer = await fetch(address, { headers, signal, credentials: "same-origin" });
    if (answer.redirected || answer.status === 401) location.reload(); // the login is over
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  }

  function searching(form) {
    const id = form.dataset.find;
    let running = null;
    let waiting = 0;
    let asked = wish();

    function wish() {
      const given = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
      return new URLSearchParams(given).toString();
    }

    function trouble(why) {
      const line = document.createElement("p");
      line.className = "flash flash--bad";
      line.setAttribute("role", "alert");
      line.textContent = `The search could not be made: ${why}`;
      document.getElementById(id).replaceChildren(line);
    }

    async function search() {
      const query = wish();
      if (query === asked) return;
      asked = query;
      if (running) running.abort();
      running = new AbortController();
      const mine = running;
      const address = query ? `${form.action}?${query}` : form.action;
      document.getElementById(id).setAttribute("aria-busy", "true");
      try {
        const found = (await page(address, mine.signal, id)).getElementById(id);
        if (mine !== running || !found) return;
        document.getElementById(id).replaceWith(document.adoptNode(found));
        history.replaceState(null, "", address);
        const told = found.querySelector("[role=alert], [data-says], .empty");
        say(told ? told.textContent.trim() : "");
      } catch (fault) {
        if (fault.name === "AbortError" || mine !== running) return;
        asked = null;
        trouble(fault.message);
      } finally {
        if (mine === running) document.getElementById(id).removeAttribute("aria-busy");
      }
    }

    function soon(delay) {
      clearTimeout(waiting);
      waiting = setTimeout(search, delay);
    }

    form.addEventListener("input", (event) => {
      if (!event.isComposing) soon(PAUSE);
    });
    form.addEventListener("compositionend", () => soon(PAUSE));
    form.addEventListener("change", () => soon(0));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      soon(0);
    });
  }

  const unfolded = new Map(); // what was cut and is shown whole, by its place

  function put(link, text) {
    const place = document.getElementById(link.dataset.whole);
    place.textContent = text;
    place.tabIndex = -1;
    link.closest("p").remove();
    return place;
  }

  async function whole(link) {
    const name = link.dataset.whole;
    try {
      const text = (await page(link.href)).getElementById(name).textContent;
      unfolded.set(name, text);
      put(link, text).focus({ preventScroll: true });
      say("All of it is shown.");
    } catch {
      location.assign(link.href);
    }
  }

  // A part that was fetched anew has its texts cut again.
  document.addEventListener("live:swapped", (event) => {
    for (const link of event.detail.part.querySelectorAll("a[data-whole]")) {
      if (unfolded.has(link.dataset.whole)) put(link, unfolded.get(link.dataset.whole));
    }
  });

  // A link that names a message alone, when it stands on another page of the transcript.
  function elsewhere() {
    const transcript = document.getElementById("transcript");
    const named = /^#m(\d{1,15})$/.exec(location.hash);
    if (!transcript || !named || document.getElementById(named[0].slice(1))) return;
    const address = `${transcript.dataset.session}?at=${named[1]}${location.hash}`;
    if (address !== location.pathname + location.search + location.hash) location.replace(address);
  }

  document.querySelectorAll("form[data-find]").forEach(searching);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-whole]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    whole(link);
  });
  window.addEventListener("hashchange", elsewhere);
  elsewhere();
})();
