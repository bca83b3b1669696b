// The list beside the map: the same things as text. Here it only learns what the map knows: focus or a pointer on a
// line lights its star, a click opens the card without leaving the page, and the filter works while one types.

const PAUSE = 180; // milliseconds after the last key

export class List {
  /** `seen` has point(id), choose(id), filter({ words, kind }) and gone(whether). */
  constructor(form, holder, seen) {
    Object.assign(this, { form, holder, seen });
    const line = (event) => event.target.closest?.("[data-star]");
    for (const name of ["focusin", "pointerover"]) {
      holder.addEventListener(name, (event) => seen.point(line(event)?.dataset.star ?? null));
    }
    for (const name of ["focusout", "pointerleave"]) holder.addEventListener(name, () => seen.point(null));
    holder.addEventListener("click", (event) => this.click(event, line(event)));
    form.addEventListener("input", () => this.later());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.look();
    });
  }

  click(event, line) {
    const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    const link = event.target.closest("a");
    if (!plain || !link) return;
    if (line) {
      if (this.seen.choose(line.dataset.star)) event.preventDefault();
    } else if (link.dataset.page) {
      event.preventDefault();
      this.fetch(link.href, true);
    }
  }

  wish() {
    const given = new FormData(this.form);
    const text = (name) => String(given.get(name) ?? "").trim();
    return { words: text("q"), kind: text("kind"), gone: given.has("gone") };
  }

  later() {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.look(), PAUSE);
  }

  look() {
    window.clearTimeout(this.timer);
    const wish = this.wish();
    this.seen.filter(wish);
    const asked = new URLSearchParams();
    if (wish.words) asked.set("q", wish.words);
    if (wish.kind) asked.set("kind", wish.kind);
    if (wish.gone) asked.set("gone", "1");
    const query = asked.toString();
    return this.fetch(`${this.form.getAttribute("action")}${query ? `?${query}` : ""}`, false);
  }

  /** Takes the list out of the page at this address; the newest wish wins. */
  async fetch(address, focus) {
    this.asking?.abort();
    this.asking = new AbortController();
    let page;
    try {
      // X-Live: lines that are meant for the next page stay for it.
      const headers = { Accept: "text/html", "X-Live": "1" };
      const answer = await fetch(address, { signal: this.asking.signal, headers });
      if (!answer.ok) return;
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch (fault) {
      if (fault.name === "AbortError") return;
      throw fault;
    }
    const fresh = page.getElementById(this.holder.firstElementChild.id);
    if (!fresh) return;
    this.holder.replaceChildren(document.adoptNode(fresh));
    window.history.replaceState(null, "", address);
    if (focus) {
      this.holder.firstElementChild.querySelector("h2")?.focus();
    }
  }
}
