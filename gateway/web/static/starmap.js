// The star map of the journey: puts its parts together and draws a frame when something moved, never otherwise.

import { Camera } from "./starmap_camera.js";
import { Hands } from "./starmap_hands.js";
import { List } from "./starmap_list.js";
import { Painter } from "./starmap_paint.js";
import { Panel } from "./starmap_panel.js";
import { Sky } from "./starmap_sky.js";
import { Time } from "./starmap_time.js";

const NEAR = 16; // CSS pixels around a pointer in which a star is meant
const LONGEST = 64; // milliseconds a frame may claim to have lasted

/** The maps of this page, by their canvas. */
export const maps = new Map();

export class StarMap {
  constructor(root, told) {
    this.root = root;
    this.canvas = root.querySelector("canvas");
    this.sky = new Sky(told);
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    const still = () => calm.matches;
    this.camera = new Camera(still);
    this.painter = new Painter(this.canvas, this.sky);
    const part = (name) => root.querySelector(`[data-part="${name}"]`);
    const parts = { slider: part("slider"), button: part("play"), speed: part("speed"), says: part("says") };
    this.time = new Time(parts, () => this.sky, still, () => this.wake());
    this.panel = new Panel(document.getElementById("star"), () => this.choose(null));
    this.chosen = this.pointed = -1;
    this.wish = { words: "", kind: "", gone: false };
    this.matching = null;
    this.frames = 0; // that were drawn, and what the last one cost
    this.drawn = null;
    this.tick = this.tick.bind(this);
    this.hands = new Hands(this.canvas, this);
    const zoom = { nearer: 1.6, farther: 1 / 1.6 };
    for (const [name, factor] of Object.entries(zoom)) {
      part(name).addEventListener("click", () => this.move((camera) => camera.zoom(factor)));
    }
    part("whole").addEventListener("click", () => this.move((camera) => camera.fit()));
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", () => {
      this.painter.refresh(this.sky);
      this.wake();
    });
    new ResizeObserver(() => this.resize()).observe(this.canvas);
    this.resize();
    maps.set(this.canvas, this);
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    this.painter.resize(clientWidth, clientHeight);
    this.painter.reserved = [...this.root.querySelectorAll("[data-over]")].map((each) => {
      const [left, top] = [each.offsetLeft - 4, each.offsetTop - 4];
      return [left, top, left + each.offsetWidth + 8, top + each.offsetHeight + 8];
    });
    this.camera.resize(clientWidth, clientHeight, this.sky.reach);
    this.wake();
  }

  /** What was learnt, told anew: places stay, the chosen star stays chosen; its card is filled in again, or closed. */
  renew(told) {
    const ended = this.time.ended;
    const chosen = this.chosen >= 0 ? this.sky.nodes[this.chosen].id : null;
    const open = this.panel.shown;
    this.sky = new Sky(told);
    this.painter.refresh(this.sky);
    this.pointed = -1;
    this.chosen = this.sky.placeOf.get(chosen) ?? -1;
    this.time.renew(ended);
    this.camera.resize(this.camera.width, this.camera.height, this.sky.reach);
    this.filter(this.wish);
    this.panel.renew(this.sky.nodes[this.sky.placeOf.get(open)], this.sky);
    if (open !== null && this.panel.shown === null) this.says("What was open is closed: it was removed.");
  }

  wake() {
    this.asked ||= window.requestAnimationFrame(this.tick);
  }

  tick(now) {
    this.asked = 0;
    const elapsed = Math.min(LONGEST, now - (this.before ?? now - 16));
    const moving = this.camera.step(elapsed);
    const playing = this.time.step(elapsed, now);
    const { chosen, pointed, matching } = this;
    const state = { until: this.time.until, lit: this.time.lit, chosen, pointed, matching, now, moving };
    this.drawn = this.painter.draw(this.camera, state);
    this.frames += 1;
    const goesOn = moving || playing || this.drawn.glowing || this.drawn.unfinished;
    this.before = goesOn ? now : undefined;
    if (goesOn) this.wake();
  }

  move(does) {
    does(this.camera);
    this.wake();
  }

  starAt(px, py) {
    const [x, y] = this.camera.toWorld(px, py);
    const lit = (star) => star < this.time.until && (!this.matching || this.matching[star]);
    return this.sky.grid.nearest(x, y, NEAR / this.camera.now.scale, lit);
  }

  pointAt(px, py) {
    const star = this.starAt(px, py);
    this.canvas.classList.toggle("is-over", star >= 0);
    if (star !== this.pointed) {
      this.pointed = star;
      this.wake();
    }
  }

  unpoint() {
    this.pointed = -1;
    this.wake();
  }

  press(px, py) {
    const star = this.starAt(px, py);
    if (star >= 0) this.open(star, true);
    else this.panel.close();
  }

  /** To the next star in time, without a pointer. */
  next(step) {
    const from = this.pointed >= 0 ? this.pointed : this.chosen;
    let star = from < 0 ? (step > 0 ? 0 : this.time.until - 1) : from + step;
    while (this.matching && star >= 0 && star < this.time.until && !this.matching[star]) star += step;
    if (star < 0 || star >= this.time.until) return;
    this.pointed = star;
    this.camera.show(this.sky.x[star], this.sky.y[star]);
    this.says(`${this.sky.nodes[star].title}, ${this.sky.date(star)}`);
  }

  openPointed() {
    const star = this.pointed >= 0 ? this.pointed : this.chosen;
    if (star >= 0) this.open(star, true);
  }

  open(star, focus) {
    if (star >= this.time.until) this.time.go(star + 1);
    this.chosen = star;
    this.panel.open(this.sky.nodes[star], this.sky, focus);
    this.wake();
  }

  says(text) {
    this.root.querySelector('[data-part="aloud"]').textContent = text;
  }

  toggle() {
    this.time.toggle();
  }

  // What the list beside the map calls.

  point(id) {
    const star = this.sky.placeOf.get(id) ?? -1;
    if (star === this.pointed) return;
    this.pointed = star;
    if (star >= 0) {
      if (star >= this.time.until) this.time.go(star + 1);
      this.camera.show(this.sky.x[star], this.sky.y[star]);
    }
    this.wake();
  }

  /** Opens the card of a star by its id; false where the map does not know it. */
  choose(id) {
    const star = this.sky.placeOf.get(id) ?? -1;
    this.chosen = star;
    if (star >= 0) {
      this.open(star, true);
      this.camera.show(this.sky.x[star], this.sky.y[star]);
    }
    this.wake();
    return star >= 0;
  }

  filter(wish) {
    this.wish = wish;
    const words = wish.words.toLowerCase();
    const fits = (node) =>
      (!wish.kind || node.kind === wish.kind) &&
      (!words || node.title.toLowerCase().includes(words) || node.text.toLowerCase().includes(words));
    this.matching = words || wish.kind ? Uint8Array.from(this.sky.nodes, (node) => Number(fits(node))) : null;
    this.wake();
  }
}

async function told(root, gone) {
  const address = `${root.dataset.source}${gone ? "?gone=1" : ""}`;
  const answer = await fetch(address, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`the map's data: ${answer.status}`);
  return answer.json();
}

async function begin(root) {
  const form = document.getElementById("star-filter");
  const holder = document.getElementById("star-holder");
  let gone = new FormData(form).has("gone");
  const map = new StarMap(root, await told(root, gone));
  const list = new List(form, holder, {
    point: (id) => map.point(id),
    choose: (id) => map.choose(id),
    filter: (wish) => {
      map.filter(wish);
      if (wish.gone === gone) return;
      gone = wish.gone;
      void again();
    },
  });
  let asked = 0;
  const again = async () => {
    asked += 1;
    const mine = asked;
    const fresh = await told(root, gone);
    if (mine === asked) map.renew(fresh); // else a newer answer is on its way, or was here before
  };
  map.filter(list.wish());
  // What changed elsewhere: the page's live part brings a new list, and the map asks once more.
  document.addEventListener("live:swapped", (event) => {
    if (holder.contains(event.detail.part)) void again();
  });
  root.classList.add("is-ready");
}

const root = document.getElementById("starmap");
if (root) void begin(root);
