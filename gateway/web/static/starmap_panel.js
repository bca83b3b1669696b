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
    this.fill(node, sky);
    this.box(node.text);
    const edit = this.part("edit");
    if (edit) edit.open = false;
    this.root.hidden = false;
    if (focus) {
      this.back ??= document.activeElement;
      this.root.focus({ preventScroll: true });
      this.root.scrollIntoView({ block: "nearest" });
    }
  }

  /** The id of the star that is shown, null for none. */
  get shown() {
    return this.root.hidden ? null : this.root.dataset.star;
  }

  /** What became meanwhile of the star that is shown; undefined when it is gone, which closes the card. What somebody
   * is writing stays, and with it what they had before them, so that saving is refused when that changed. */
  renew(node, sky) {
    if (this.shown === null || (node ? same(node, this.node) : this.lost)) return;
    const before = this.node;
    if (!this.writing) {
      if (!node) return this.close();
      this.fill(node, sky);
      return this.box(node.text);
    }
    this.fill(node ?? { ...before, title: "Removed", text: "", state: "removed", place: "" }, sky);
    if (!node) this.lose();
    if (node?.text !== before.text || node.state !== before.state) this.warn(!node || node.state === "removed");
  }

  /** Whether the edit box holds what nobody has saved yet. */
  get writing() {
    const box = this.root.querySelector("#star-edit");
    return Boolean(box) && box.value !== box.defaultValue;
  }

  warn(gone) {
    const edit = this.part("edit");
    edit.hidden = false;
    edit.open = true;
    edit.querySelector("button").disabled = gone || this.lost;
    const what = gone ? "It was removed elsewhere while you were writing." : "It was changed elsewhere meanwhile.";
    const now = gone ? "" : " Above is how it reads now.";
    this.notice(`${what}${now} What you wrote is still here, to be copied${gone || this.lost ? "" : " or saved"}.`);
  }

  /** Of what is gone there stays what was being written, and no more. */
  lose() {
    this.lost = true;
    for (const name of ["page", "delete", "undo"]) this.part(name).hidden = true;
    for (const each of this.root.querySelectorAll("[name=was]")) each.value = "";
    this.root.querySelector("#star-edit").defaultValue = "";
  }

  fill(node, sky) {
    this.node = node;
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
  }

  notice(words) {
    const place = this.slot("notice");
    place.hidden = !words;
    place.textContent = words;
  }

  part(name) {
    return this.root.querySelector(`[data-part="${name}"]`);
  }

  /** Puts a text into the box in which it is edited, as the one that was shown. */
  box(text) {
    this.lost = false;
    this.notice("");
    const edit = this.part("edit");
    if (!edit) return; // not for this person to change
    const box = edit.querySelector("textarea");
    box.defaultValue = box.value = text;
    box.defaultValue = box.value; // with the line ends that the box gives it
    edit.querySelector("[name=was]").value = text;
    edit.querySelector("button").disabled = false;
  }

  forms(node) {
    const path = `/journey/${encodeURIComponent(node.id)}`;
    const gone = node.state === "removed" || node.state === "archived";
    const skill = node.kind === "skill";
    for (const form of this.root.querySelectorAll("form[data-does]")) form.action = `${path}/${form.dataset.does}`;
    this.part("page").href = path;
    this.part("page").hidden = false;
    const edit = this.part("edit");
    if (!edit) return; // not for this person to change
    edit.hidden = gone || skill;
    this.part("edit-page").hidden = gone || !skill;
    this.part("edit-page").href = `${path}#edit`;
    const away = this.part("delete");
    away.hidden = gone;
    away.querySelector("[name=was]").value = skill ? "" : node.text; // of a skill the card has the description alone
    away.querySelector("button").textContent = skill ? "Put away" : "Delete";
    this.part("undo").hidden = !gone;
  }

  close() {
    if (this.root.hidden) return;
    const within = this.root.contains(document.activeElement);
    this.root.hidden = true;
    this.empty();
    if (within && this.back?.isConnected) this.back.focus();
    this.back = null;
    this.closed();
  }

  /** Nothing of what was shown stays in the page: it may have been erased. */
  empty() {
    for (const name of ["title", "text"]) this.slot(name).textContent = "\u00a0";
    for (const each of this.root.querySelectorAll("[name=was]")) each.value = "";
    this.box("");
    this.node = null;
  }
}

function same(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}
