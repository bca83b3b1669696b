// Live updates: what bears data-live="topic …" and an id is fetched anew when the server says that a topic changed, and
// put into its place. Focus, scrolling and folded parts stay as they are; what somebody is typing into is left alone.
// A page that wants to know listens for "live:swapped" on the document.
"use strict";

(() => {
  const PAUSE = 150; // ms in which several changes count as one
  const AGAIN = 60000; // ms until a stream that was refused is asked for again

  const page = document.getElementById("main"); // it names its address where the browser's is another one
  const says = document.getElementById("live-says");
  const wanted = new Set();
  let source = null;
  let timer = 0;
  let busy = false;

  const sections = () => [...document.querySelectorAll("[data-live][id]")];
  const topicsOf = (each) => each.dataset.live.split(/\s+/);
  const due = (each) => topicsOf(each).some((topic) => wanted.has(topic));

  function listen() {
    if (source || !sections().length) return;
    source = new EventSource("/live");
    source.addEventListener("changed", (event) => {
      const topics = JSON.parse(event.data);
      for (const topic of topics) wanted.add(topic);
      if (topics.includes("ready")) {
        document.documentElement.dataset.live = "on"; // from here on nothing is missed
        everything(); // what is on the page may be older than the stream
      } else soon();
    });
    source.addEventListener("error", () => {
      if (source && source.readyState === EventSource.CLOSED) {
        source = null;
        window.setTimeout(listen, AGAIN);
        everything(); // it may be that nobody is logged in here any more
      }
    });
  }

  function rest() {
    if (source) source.close();
    source = null;
  }

  function everything() {
    for (const each of sections()) for (const topic of topicsOf(each)) wanted.add(topic);
    soon();
  }

  function soon() {
    window.clearTimeout(timer);
    timer = window.setTimeout(refresh, PAUSE);
  }

  async function refresh() {
    if (busy || !sections().some(due)) return;
    busy = true;
    const topics = new Set(wanted);
    wanted.clear();
    try {
      const answer = await fetch((page && page.dataset.at) || window.location.href, { headers: { "X-Live": "1" }, redirect: "manual" });
      if (answer.status === 401) return loggedOut();
      if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"), topics);
    } catch {
      // The server is away; the stream says when it is back.
    } finally {
      busy = false;
      if (wanted.size) soon();
    }
  }

  function swap(fresh, topics) {
    const names = [];
    for (const old of sections()) {
      if (!topicsOf(old).some((topic) => topics.has(topic))) continue;
      const found = fresh.getElementById(old.id);
      if (!found || same(old, found)) continue;
      if (beingWritten(old)) {
        for (const topic of topicsOf(old)) wanted.add(topic); // when the pen is put down
        continue;
      }
      put(old, document.importNode(found, true));
      names.push(nameOf(found));
    }
    if (names.length) say(`Updated: ${[...new Set(names)].join(", ")}`);
  }

  // What the person did to a part (unfolded it, say) is no difference.
  function same(old, found) {
    const one = old.cloneNode(true);
    const other = found.cloneNode(true);
    for (const each of [one, other]) {
      each.classList.remove("changed");
      if (!each.classList.length) each.removeAttribute("class");
      for (const part of each.querySelectorAll("details")) part.removeAttribute("open");
      for (const part of each.querySelectorAll("time")) part.textContent = "";
    }
    return one.isEqualNode(other);
  }

  function beingWritten(part) {
    const fields = [...part.querySelectorAll("textarea, input:not([type=hidden]), select")];
    return fields.some((field) => {
      if (field instanceof HTMLSelectElement) return field === document.activeElement;
      if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
      return field.value !== field.defaultValue || (field === document.activeElement && field.type !== "range");
    });
  }

  function put(old, made) {
    const unfolded = [...old.querySelectorAll("details")].map((each) => [pathTo(old, each), each.open]);
    const scrolled = [...old.querySelectorAll("*")]
      .filter((each) => each.scrollTop || each.scrollLeft)
      .map((each) => [pathTo(old, each), each.scrollTop, each.scrollLeft]);
    const focus = old.contains(document.activeElement) ? pathTo(old, document.activeElement) : null;
    old.replaceWith(made);
    for (const [path, open] of unfolded) {
      const each = follow(made, path);
      if (each instanceof HTMLDetailsElement) each.open = open;
    }
    for (const [path, top, left] of scrolled) {
      const each = follow(made, path);
      if (each) each.scrollTo(left, top);
    }
    if (focus) (follow(made, focus) || made).focus({ preventScroll: true });
    made.classList.add("changed");
    document.dispatchEvent(new CustomEvent("live:swapped", { detail: { part: made } }));
  }

  // An element by its own id where it has one, else by its place below the nearest one that does.
  function pathTo(top, each) {
    const steps = [];
    for (let here = each; here && here !== top; here = here.parentElement) {
      if (here.id) return { id: here.id, steps };
      steps.unshift([...here.parentElement.children].indexOf(here));
    }
    return { id: "", steps };
  }

  function follow(top, { id, steps }) {
    let here = id ? document.getElementById(id) : top;
    for (const step of steps) here = here ? here.children[step] : null;
    return here;
  }

  function nameOf(part) {
    const heading = part.querySelector("h1, h2, h3");
    return part.getAttribute("aria-label") || (heading ? heading.textContent.trim() : "a part of this page");
  }

  function say(text) {
    if (says) says.textContent = text;
  }

  function loggedOut() {
    rest();
    if (document.getElementById("logged-out")) return;
    const line = document.createElement("p");
    line.id = "logged-out";
    line.className = "flash flash--bad";
    line.setAttribute("role", "alert");
    line.textContent = "You are not logged in here any more. For a new link: /dashboard in a direct chat.";
    document.getElementById("main").prepend(line);
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return rest();
    listen();
    return undefined;
  });
  document.addEventListener("focusout", () => {
    if (wanted.size) soon();
  });
  window.addEventListener("pagehide", rest);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) listen();
  });
  listen();
})();
