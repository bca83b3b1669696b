// What one star says: its whole text and where it came from, and the forms that change it. Everything that was
// learnt is written as text, never as markup.

const STATES = {
  kept: "",
  changed: "changed since",
  stale: "not used for long",
  archived: "put away",
  removed: "removed",
};

export class Panel {
  /** `root` is the card that the page brought, hidden; `closed()` is called when it is closed. */
  constructor(root, closed) {
    this.root = root;
    this.closed = closed;
    this.back = null;
    root.querySelector("[data-close]").addEventListener("click", () => this.close());
    root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
  }

  slot(name) {
    return this.root.querySelector(`[data-slot="${name}"]`);
  }

  fact(name, text) {
    const place = this.slot(name);
    place.textContent = text;
    for (const row of this.root.querySelectorAll(`[data-row="${name}"]`)) row.hidden = !text;
  }

  /** Shows a node of the sky. With `focus` the keyboard goes there too, and comes back when it is closed. */
  open(node, sky, focus) {
    const at = (moment) => sky.day(moment, { dateStyle: "medium", timeStyle: "short" });
    this.root.dataset.star = node.id;
    this.root.dataset.kind = node.kind;
    this.slot("title").textContent = node.title;
    this.slot("text").textContent = node.text;
    this.fact("kind", { memory: "Memory", user: "About people", skill: "Skill" }[node.kind] ?? node.kind);
    this.fact("state", STATES[node.state] ?? node.state);
    this.fact("learnt", node.dated ? at(node.at) : `first seen ${at(node.at)}`);
    this.fact("changed", node.changed > node.at ? at(node.changed) : "");
    this.fact("origin", node.by);
    this.fact("store", node.store);
    this.fact("uses", node.kind === "skill" ? String(node.uses) : "");
    this.fact("session", node.place ? "Open where it was said" : "");
    this.root.querySelector("[data-session]").href = node.place || "#";
    this.forms(node);
    this.root.hidden = false;
    if (focus) {
      this.back ??= document.activeElement;
      this.root.focus({ preventScroll: true });
      this.root.scrollIntoView({ block: "nearest" });
    }
  }

  forms(node) {
    const path = `/journey/${encodeURIComponent(node.id)}`;
    const gone = node.state === "removed" || node.state === "archived";
    const skill = node.kind === "skill";
    const part = (name) => this.root.querySelector(`[data-part="${name}"]`);
    for (const form of this.root.querySelectorAll("form[data-does]")) form.action = `${path}/${form.dataset.does}`;
    part("page").href = path;
    const edit = part("edit");
    if (!edit) return; // not for this person to change
    edit.hidden = gone || skill;
    edit.open = false;
    edit.querySelector("textarea").value = node.text;
    // A form brings line ends back as its own: such a text cannot be compared.
    edit.querySelector("[name=was]").value = node.text.includes("\r") ? "" : node.text;
    part("edit-page").hidden = gone || !skill;
    part("edit-page").href = `${path}#edit`;
    part("delete").hidden = gone;
    part("delete").querySelector("button").textContent = skill ? "Put away" : "Delete";
    part("undo").hidden = !gone;
  }

  close() {
    if (this.root.hidden) return;
    const within = this.root.contains(document.activeElement);
    this.root.hidden = true;
    if (within && this.back?.isConnected) this.back.focus();
    this.back = null;
    this.closed();
  }
}
