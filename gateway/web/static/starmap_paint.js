// One frame of the map: the scene, and over it what is chosen and what is written. What a frame costs is bounded,
// however many stars there are: only what the window shows is drawn, and lines and words have a budget.

import { spine } from "./starmap_layout.js";
import { Scene } from "./starmap_scene.js";
import { palette } from "./starmap_sprites.js";

const MOST = { labels: 40, tried: 600, pixels: 2_600_000 };
const NAMES = { memory: "Memory", user: "About people", skill: "Skills" };

export class Painter {
  constructor(canvas, sky) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.density = 1; // device pixels a CSS pixel
    this.reserved = []; // where the page's own things lie over the map: no words there
    this.refresh(sky);
  }

  /** Another sky, or other colours. */
  refresh(sky) {
    this.sky = sky;
    this.colours = palette(this.canvas);
    this.widths = new Map();
    this.scene = new Scene(sky, this.colours, this.density);
  }

  resize(width, height) {
    const most = Math.sqrt(MOST.pixels / Math.max(1, width * height));
    this.density = Math.min(window.devicePixelRatio || 1, 2, Math.max(1, most));
    this.canvas.width = Math.round(width * this.density);
    this.canvas.height = Math.round(height * this.density);
    if (this.scene.density !== this.density) this.scene = new Scene(this.sky, this.colours, this.density);
  }

  /** `state`: `until` (how many stars are lit), `lit` (a star -> when, in milliseconds), `chosen`, `pointed` (-1 for
   * none), `matching` (a Uint8Array or null), `moving` (whether the camera is), `now`. Answers what was drawn. */
  draw(camera, state) {
    const { pen } = this;
    this.drawn = { stars: 0, edges: 0, labels: 0, calls: 0, asked: 0, glowing: false, unfinished: false };
    pen.setTransform(this.density, 0, 0, this.density, 0, 0);
    pen.globalCompositeOperation = "source-over";
    pen.globalAlpha = 1;
    pen.clearRect(0, 0, camera.width, camera.height);
    this.scene.draw(pen, camera, state, this.drawn);
    this.emphasis(camera, state);
    this.words(camera, state, camera.window(40));
    return this.drawn;
  }

  circle(px, py, away, colour, width) {
    const { pen } = this;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(px, py, away, 0, 2 * Math.PI);
    pen.stroke();
    this.drawn.calls += 1;
  }

  /** The chosen star and the one that is pointed at, with what they are joined to. */
  emphasis(camera, state) {
    const { pen, sky } = this;
    for (const star of new Set([state.chosen, state.pointed])) {
      if (star < 0 || star >= state.until) continue;
      pen.beginPath();
      for (const edge of sky.links[star].slice(0, 60)) {
        if (edge.later >= state.until) continue;
        pen.moveTo(...camera.toScreen(sky.x[edge.first], sky.y[edge.first]));
        pen.lineTo(...camera.toScreen(sky.x[edge.second], sky.y[edge.second]));
      }
      pen.strokeStyle = this.colours.focus;
      pen.lineWidth = 1.5;
      pen.globalAlpha = 0.75;
      pen.stroke();
      pen.globalAlpha = 1;
      this.drawn.calls += 1;
      const [px, py] = camera.toScreen(sky.x[star], sky.y[star]);
      const away = Math.max(9, this.scene.core(star, camera.now.scale) * 2.6);
      this.circle(px, py, away, this.colours.focus, star === state.chosen ? 2.5 : 1.5);
    }
  }

  words(camera, state, window) {
    const { pen, sky } = this;
    const taken = [...this.reserved];
    pen.lineJoin = "round";
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.font = "12px system-ui, sans-serif";
    const first = [state.pointed, state.chosen].filter((star) => star >= 0 && star < state.until);
    for (const star of first) this.label(camera, star, taken, true);
    const budget = this.budget(camera.now.scale);
    let tried = 0;
    for (const star of sky.heaviest) {
      if (this.drawn.labels >= budget || tried >= MOST.tried) break;
      if (star >= state.until || first.includes(star) || (state.matching && !state.matching[star])) continue;
      const [x, y] = [sky.x[star], sky.y[star]];
      if (x < window.left || x > window.right || y < window.top || y > window.bottom) continue;
      tried += 1;
      this.label(camera, star, taken, false);
    }
    this.names(camera, taken);
  }

  /** The nearer, the more words. */
  budget(scale) {
    const few = this.sky.size <= 60 ? 16 : 10;
    return Math.min(MOST.labels, Math.round(few + 16 * Math.max(0, Math.log2(scale + 0.4))));
  }

  /** A title beside its star: to the right, to the left or below, where nothing else is written. */
  label(camera, star, taken, always) {
    const { pen, sky } = this;
    const text = short(sky.nodes[star].title);
    if (!this.widths.has(star)) this.widths.set(star, pen.measureText(text).width);
    const [px, py] = camera.toScreen(sky.x[star], sky.y[star]);
    const aside = this.scene.core(star, camera.now.scale) * 1.9 + 5;
    const width = this.widths.get(star);
    const places = [[px + aside, py], [px - aside - width, py], [px - width / 2, py + aside + 7]];
    const free = places.find(([left, y]) => {
      const box = [left - 4, y - 9, left + width + 4, y + 9];
      return left > 2 && left + width < camera.width - 2 && !taken.some((other) => overlap(box, other));
    });
    if (!free && !always) return;
    const [left, y] = free ?? [Math.max(4, Math.min(px + aside, camera.width - width - 4)), py];
    taken.push([left - 4, y - 9, left + width + 4, y + 9]);
    this.write(text, left, y, always ? 1 : 0.86);
    this.drawn.labels += 1;
  }

  write(text, x, y, alpha) {
    const { pen } = this;
    pen.globalAlpha = alpha;
    pen.strokeStyle = this.colours.sky;
    pen.lineWidth = 4;
    pen.strokeText(text, x, y);
    pen.fillStyle = this.colours.ink;
    pen.fillText(text, x, y);
    pen.globalAlpha = 1;
    this.drawn.calls += 2;
  }

  /** What the arms are called, and the dates of the rings, where there is room. */
  names(camera, taken) {
    const { pen, sky } = this;
    pen.textAlign = "center";
    const there = new Set(sky.nodes.map((node) => node.kind));
    pen.font = "600 13px system-ui, sans-serif";
    for (const kind of camera.whole ? there : []) {
      const away = sky.reach * 1.0;
      const angle = spine(kind, away);
      const [px, py] = camera.toScreen(away * Math.cos(angle), away * Math.sin(angle));
      this.placed(NAMES[kind] ?? kind, px, py, camera, taken, this.colours[kind]);
    }
    pen.font = "11px system-ui, sans-serif";
    for (const ring of sky.rings) {
      const [px, py] = camera.toScreen(0, -ring.distance);
      this.placed(ring.name ?? (ring.name = named(sky, ring)), px, py, camera, taken, this.colours.ink, 0.62);
    }
  }

  placed(text, px, py, camera, taken, colour, alpha = 1) {
    const { pen } = this;
    const half = pen.measureText(text).width / 2 + 4;
    const x = Math.min(camera.width - half, Math.max(half, px));
    const y = Math.min(camera.height - 12, Math.max(12, py));
    const box = [x - half, y - 9, x + half, y + 9];
    if (Math.abs(x - px) > half * 2 || Math.abs(y - py) > 40 || taken.some((other) => overlap(box, other))) return;
    taken.push(box);
    pen.globalAlpha = alpha;
    pen.strokeStyle = this.colours.sky;
    pen.lineWidth = 4;
    pen.strokeText(text, x, y);
    pen.fillStyle = colour;
    pen.fillText(text, x, y);
    pen.globalAlpha = 1;
    this.drawn.calls += 2;
  }
}

function named(sky, ring) {
  const style = {
    day: { day: "numeric", month: "short" },
    month: { month: "short", year: "numeric" },
    quarter: { month: "short", year: "numeric" },
    year: { year: "numeric" },
  };
  return sky.day(ring.at, style[ring.unit]);
}

function short(text) {
  const letters = Array.from(text);
  return letters.length > 36 ? `${letters.slice(0, 35).join("")}…` : text;
}

function overlap(one, other) {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}
