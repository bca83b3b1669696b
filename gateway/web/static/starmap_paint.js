// One frame of the map. What a frame costs is bounded, however many stars there are: only what the window shows is
// drawn, lines and words have a budget, and each star is one copied picture.

import { Layer } from "./starmap_layer.js";
import { placeAt, radius, spine } from "./starmap_layout.js";
import { Sprites, haze, palette } from "./starmap_sprites.js";

export const MOST = { edges: 900, labels: 40, tried: 600, pixels: 2_600_000 };
const FLASH = 900; // milliseconds a star takes to settle after it was lit
const NAMES = { memory: "Memory", user: "About people", skill: "Skills" };

export class Painter {
  constructor(canvas, sky) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.reserved = []; // where the page's own things lie over the map: no words there
    this.refresh(sky);
  }

  /** Another sky, or other colours. */
  refresh(sky) {
    this.sky = sky;
    this.colours = palette(this.canvas);
    this.seen = new Int32Array(sky.size);
    this.widths = new Map();
    this.layer = new Layer();
    this.haze = haze(sky, this.colours);
    this.sprites = new Sprites(this.colours, this.density ?? 1);
  }

  resize(width, height) {
    const most = Math.sqrt(MOST.pixels / Math.max(1, width * height));
    this.density = Math.min(window.devicePixelRatio || 1, 2, Math.max(1, most));
    this.canvas.width = Math.round(width * this.density);
    this.canvas.height = Math.round(height * this.density);
    this.sprites = new Sprites(this.colours, this.density);
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
    this.depth(camera, state);
    this.marks(camera, state);
    const window = camera.window(40);
    this.lines(camera, state, window);
    this.stars(camera, state);
    this.emphasis(camera, state);
    this.words(camera, state, window);
    return this.drawn;
  }

  /** The haze, which thins out as one comes near. */
  depth(camera, state) {
    const { pen } = this;
    const near = Math.min(1, (1.6 * camera.fitting) / camera.now.scale) ** 1.2;
    const lit = state.until / Math.max(1, this.sky.size);
    pen.globalAlpha = near * lit * (state.matching ? 0.25 : 1);
    if (pen.globalAlpha > 0.02) {
      const [x, y] = camera.toScreen(0, 0);
      const half = this.haze.half * camera.now.scale;
      pen.drawImage(this.haze.image, x - half, y - half, 2 * half, 2 * half);
      this.drawn.calls += 1;
    }
    pen.globalAlpha = 1;
  }

  /** Rings of time, and where it has come to. */
  marks(camera, state) {
    const { pen, sky } = this;
    const [x, y] = camera.toScreen(0, 0);
    pen.lineWidth = 1;
    pen.strokeStyle = this.colours.ring;
    for (const ring of sky.rings) {
      pen.beginPath();
      pen.arc(x, y, ring.distance * camera.now.scale, 0, 2 * Math.PI);
      pen.stroke();
      this.drawn.calls += 1;
    }
    if (state.until < sky.size) {
      pen.strokeStyle = this.colours.line;
      pen.globalAlpha = 0.6;
      pen.beginPath();
      pen.arc(x, y, radius(state.until) * camera.now.scale, 0, 2 * Math.PI);
      pen.stroke();
      pen.globalAlpha = 1;
      this.drawn.calls += 1;
    }
  }

  lines(camera, state, window) {
    const { pen, sky } = this;
    const wide = Math.min(camera.width, camera.height);
    const many = sky.edges.length > 400 && camera.now.scale < 2 * camera.fitting;
    const most = { related: wide * (many ? 0.3 : 2), named: wide * (many ? 0.16 : 1.2), session: wide * 0.22 };
    const alpha = many ? { related: 0.3, named: 0.2, session: 0.13 } : { related: 0.55, named: 0.42, session: 0.28 };
    let why = null;
    pen.strokeStyle = this.colours.line;
    pen.lineWidth = 1;
    for (const edge of sky.edges) {
      if (this.drawn.edges >= MOST.edges) break;
      if (edge.later >= state.until || !this.crosses(edge, window)) continue;
      const length = sky.span(edge) * camera.now.scale;
      if (length < 4 || length > most[edge.why] || this.faint(edge, state)) continue;
      if (edge.why !== why) {
        if (why) this.stroke(alpha[why]);
        why = edge.why;
        pen.beginPath();
      }
      this.line(camera, edge);
      this.drawn.edges += 1;
    }
    if (why) this.stroke(alpha[why]);
  }

  faint({ first, second }, { matching }) {
    return matching && !(matching[first] && matching[second]);
  }

  stroke(alpha) {
    this.pen.globalAlpha = alpha;
    this.pen.stroke();
    this.pen.globalAlpha = 1;
    this.drawn.calls += 1;
  }

  line(camera, { first, second }) {
    const { sky } = this;
    this.pen.moveTo(...camera.toScreen(sky.x[first], sky.y[first]));
    this.pen.lineTo(...camera.toScreen(sky.x[second], sky.y[second]));
  }

  crosses({ first, second }, { left, top, right, bottom }) {
    const { x, y } = this.sky;
    return (
      Math.max(x[first], x[second]) > left &&
      Math.min(x[first], x[second]) < right &&
      Math.max(y[first], y[second]) > top &&
      Math.min(y[first], y[second]) < bottom
    );
  }

  core(star, scale) {
    return this.sky.sizes[star] * (0.55 + 1.25 * Math.sqrt(scale));
  }

  /** All of them as one picture from afar, one by one from near; those that were just lit always by themselves. */
  stars(camera, state) {
    const { pen, sky } = this;
    const { scale } = camera.now;
    const bright = this.colours.dark ? "lighter" : "source-over";
    pen.globalCompositeOperation = bright;
    let shown = -1; // up to this distance they stand in the picture
    if (this.layer.serves(sky, scale, this.density)) {
      const sharp = this.layer.ready(sky, scale, this.density, state.matching, !state.moving, (layer, at) => {
        layer.globalCompositeOperation = bright;
        for (let star = 0; star < sky.size; star += 1) {
          this.star(layer, star, sky.x[star] * at, sky.y[star] * at, this.core(star, at), state.matching);
        }
      });
      this.drawn.unfinished ||= !sharp;
      shown = this.layer.copy(pen, camera, state.until);
      this.drawn.calls += 1;
    }
    this.drawn.layered = shown >= 0;
    if (shown !== Infinity) this.single(camera, state, shown);
    for (const star of state.lit.keys()) {
      if (star < state.until && this.sees(camera, star)) this.one(camera, state, star, this.freshness(state, star));
    }
    pen.globalCompositeOperation = "source-over";
  }

  single(camera, state, shown) {
    const { sky } = this;
    const { left, top, right, bottom } = camera.window(40);
    const first = shown > 0 ? placeAt(shown) : 0;
    if (shown > 0) {
      for (let star = first; star < state.until; star += 1) {
        if (Math.hypot(sky.x[star], sky.y[star]) > shown && this.sees(camera, star)) this.one(camera, state, star, 0);
      }
      return;
    }
    const count = sky.grid.within(left, top, right, bottom, this.seen);
    this.drawn.asked = sky.grid.asked;
    for (let at = 0; at < count && this.seen[at] < state.until; at += 1) this.one(camera, state, this.seen[at], 0);
  }

  sees(camera, star) {
    const [px, py] = camera.toScreen(this.sky.x[star], this.sky.y[star]);
    return px > -40 && py > -40 && px < camera.width + 40 && py < camera.height + 40;
  }

  one(camera, state, star, fresh) {
    const [px, py] = camera.toScreen(this.sky.x[star], this.sky.y[star]);
    this.star(this.pen, star, px, py, this.core(star, camera.now.scale) * (1 + 1.5 * fresh), state.matching);
    this.drawn.stars += 1;
    this.drawn.calls += 1;
  }

  star(pen, star, px, py, core, matching) {
    const node = this.sky.nodes[star];
    const { image, half } = this.sprites.star(node.kind, looks(node), core);
    const faint = matching && !matching[star];
    if (faint) pen.globalAlpha = 0.12;
    pen.drawImage(image, px - half, py - half, 2 * half, 2 * half);
    if (faint) pen.globalAlpha = 1;
  }

  /** 1 .. 0 of a star that was just lit. */
  freshness(state, star) {
    const left = 1 - (state.now - state.lit.get(star)) / FLASH;
    if (left <= 0) state.lit.delete(star);
    else this.drawn.glowing = true;
    return Math.max(0, left) ** 2;
  }

  circle(px, py, away, colour, alpha, width = 1) {
    const { pen } = this;
    pen.globalAlpha = alpha;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(px, py, away, 0, 2 * Math.PI);
    pen.stroke();
    pen.globalAlpha = 1;
    this.drawn.calls += 1;
  }

  /** The chosen star and the one that is pointed at, with what they are joined to. */
  emphasis(camera, state) {
    const { pen, sky } = this;
    for (const star of new Set([state.chosen, state.pointed])) {
      if (star < 0 || star >= state.until) continue;
      pen.beginPath();
      for (const edge of sky.links[star].slice(0, 60)) if (edge.later < state.until) this.line(camera, edge);
      pen.strokeStyle = this.colours.focus;
      pen.lineWidth = 1.5;
      this.stroke(0.75);
      const [px, py] = camera.toScreen(sky.x[star], sky.y[star]);
      const away = Math.max(9, this.core(star, camera.now.scale) * 2.6);
      this.circle(px, py, away, this.colours.focus, 1, star === state.chosen ? 2.5 : 1.5);
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

  label(camera, star, taken, always) {
    const { pen, sky } = this;
    const text = short(sky.nodes[star].title);
    if (!this.widths.has(star)) this.widths.set(star, pen.measureText(text).width);
    const [px, py] = camera.toScreen(sky.x[star], sky.y[star]);
    const aside = this.core(star, camera.now.scale) * 1.9 + 5;
    const width = this.widths.get(star);
    const left = px + aside + width > camera.width && px > width ? px - aside - width : px + aside;
    const box = [left - 4, py - 9, left + width + 4, py + 9];
    if (!always && taken.some((other) => overlap(box, other))) return;
    taken.push(box);
    this.write(text, left, py, always ? 1 : 0.86);
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

function looks(node) {
  if (node.state === "removed") return "removed";
  return node.state === "stale" || node.state === "archived" ? "dim" : "lit";
}

function short(text) {
  const letters = Array.from(text);
  return letters.length > 36 ? `${letters.slice(0, 35).join("")}…` : text;
}

function overlap(one, other) {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}
