// The sky itself: haze, rings of time, lines and stars. From afar all of it is one picture that is copied; while time
// runs the stars are that picture, cut at the distance that time has come to, and the newest are drawn by themselves.

import { Layer } from "./starmap_layer.js";
import { placeAt, radius } from "./starmap_layout.js";
import { Sprites, haze } from "./starmap_sprites.js";

export const MOST_LINES = 900;
const FLASH = 900; // milliseconds a star takes to settle after it was lit
const EDGE = 18; // world units before time's circle from where stars are drawn one by one

export class Scene {
  constructor(sky, colours, density) {
    Object.assign(this, { sky, colours, density });
    this.seen = new Int32Array(sky.size);
    this.layer = new Layer();
    this.haze = haze(sky, colours);
    this.sprites = new Sprites(colours, density);
    this.blend = colours.dark ? "lighter" : "source-over";
  }

  /** Draws it as the camera sees it, and adds to `drawn` what that took. */
  draw(pen, camera, state, drawn) {
    const { sky, layer } = this;
    const { scale } = camera.now;
    Object.assign(this, { drawn, fitting: camera.fitting, span: Math.min(camera.width, camera.height) });
    const view = { scale, toScreen: (x, y) => camera.toScreen(x, y), window: camera.window(40) };
    drawn.layered = layer.serves(sky, scale, this.density);
    const complete = state.until >= sky.size;
    if (!drawn.layered || !complete) {
      this.depth(pen, view, state);
      this.rings(pen, view);
      this.now(pen, view, state);
      this.lines(pen, view, state);
    }
    if (drawn.layered) {
      const paint = (onto, whole) => this.picture(onto, whole, state, complete);
      const sharp = layer.ready(sky, scale, this.density, [complete, state.matching], !state.moving, paint);
      drawn.unfinished ||= !sharp;
      if (!complete) pen.globalCompositeOperation = this.blend;
      layer.copy(pen, camera, complete ? Infinity : Math.max(0, radius(state.until) - EDGE));
      drawn.calls += 1;
    }
    pen.globalCompositeOperation = this.blend;
    if (!drawn.layered) this.nearStars(pen, view, state);
    else if (!complete) this.newest(pen, view, state);
    for (const star of state.lit.keys()) {
      if (star < state.until) this.one(pen, view, state, star, this.freshness(state, star));
    }
    pen.globalCompositeOperation = "source-over";
  }

  /** What the layer holds: everything, or the stars alone while time runs. */
  picture(pen, view, state, complete) {
    const { sky, drawn } = this;
    this.drawn = { calls: 0, edges: 0, stars: 0 }; // no part of what this frame costs on the screen
    if (complete) {
      this.depth(pen, view, state);
      this.rings(pen, view);
      this.lines(pen, view, state);
    }
    pen.globalCompositeOperation = this.blend;
    for (let star = 0; star < sky.size; star += 1) {
      this.star(pen, star, sky.x[star] * view.scale, sky.y[star] * view.scale, this.core(star, view.scale), state);
    }
    pen.globalCompositeOperation = "source-over";
    this.drawn = drawn;
  }

  /** The haze, which thins out as one comes near. */
  depth(pen, view, state) {
    const near = Math.min(1, (1.6 * this.fitting) / view.scale) ** 1.2;
    const lit = state.until / Math.max(1, this.sky.size);
    pen.globalAlpha = near * lit * (state.matching ? 0.25 : 1);
    if (pen.globalAlpha > 0.02) {
      const [x, y] = view.toScreen(0, 0);
      const half = this.haze.half * view.scale;
      pen.drawImage(this.haze.image, x - half, y - half, 2 * half, 2 * half);
      this.drawn.calls += 1;
    }
    pen.globalAlpha = 1;
  }

  rings(pen, view) {
    for (const ring of this.sky.rings) this.circle(pen, view, ring.distance, this.colours.ring, 1);
  }

  /** Where time has come to. */
  now(pen, view, state) {
    if (state.until < this.sky.size) this.circle(pen, view, radius(state.until), this.colours.line, 0.6);
  }

  circle(pen, view, distance, colour, alpha) {
    const [x, y] = view.toScreen(0, 0);
    pen.globalAlpha = alpha;
    pen.strokeStyle = colour;
    pen.lineWidth = 1 / this.density;
    pen.beginPath();
    pen.arc(x, y, distance * view.scale, 0, 2 * Math.PI);
    pen.stroke();
    pen.globalAlpha = 1;
    this.drawn.calls += 1;
  }

  /** Hair lines: one device pixel is what browsers draw fast. */
  lines(pen, view, state) {
    const { sky, span } = this;
    const many = sky.edges.length > 400 && view.scale < 2 * this.fitting;
    const most = { related: span * (many ? 0.3 : 2), named: span * (many ? 0.16 : 1.2), session: span * 0.22 };
    const alpha = many ? { related: 0.3, named: 0.2, session: 0.13 } : { related: 0.55, named: 0.42, session: 0.28 };
    let why = null;
    const stroke = () => {
      pen.globalAlpha = alpha[why];
      pen.stroke();
      pen.globalAlpha = 1;
      this.drawn.calls += 1;
    };
    pen.strokeStyle = this.colours.line;
    pen.lineWidth = 1 / this.density;
    for (const edge of sky.edges) {
      if (this.drawn.edges >= MOST_LINES) break;
      if (edge.later >= state.until || !this.crosses(edge, view.window)) continue;
      const length = sky.span(edge) * view.scale;
      if (length < 4 || length > most[edge.why] || this.faint(edge, state)) continue;
      if (edge.why !== why) {
        if (why) stroke();
        why = edge.why;
        pen.beginPath();
      }
      pen.moveTo(...view.toScreen(sky.x[edge.first], sky.y[edge.first]));
      pen.lineTo(...view.toScreen(sky.x[edge.second], sky.y[edge.second]));
      this.drawn.edges += 1;
    }
    if (why) stroke();
  }

  faint({ first, second }, { matching }) {
    return matching && !(matching[first] && matching[second]);
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

  /** The radius of a star's core, in CSS pixels. */
  core(star, scale) {
    return this.sky.sizes[star] * (0.55 + 1.25 * Math.sqrt(scale));
  }

  nearStars(pen, view, state) {
    const { left, top, right, bottom } = view.window;
    const count = this.sky.grid.within(left, top, right, bottom, this.seen);
    this.drawn.asked = this.sky.grid.asked;
    for (let at = 0; at < count && this.seen[at] < state.until; at += 1) this.one(pen, view, state, this.seen[at], 0);
  }

  /** The stars that stand too near to time's circle to be in the picture. */
  newest(pen, view, state) {
    const { x, y } = this.sky;
    const shown = Math.max(0, radius(state.until) - EDGE);
    for (let star = placeAt(shown); star < state.until; star += 1) {
      if (Math.hypot(x[star], y[star]) > shown) this.one(pen, view, state, star, 0);
    }
  }

  one(pen, view, state, star, fresh) {
    const [x, y] = [this.sky.x[star], this.sky.y[star]];
    const { left, top, right, bottom } = view.window;
    if (x < left || x > right || y < top || y > bottom) return;
    const [px, py] = view.toScreen(x, y);
    this.star(pen, star, px, py, this.core(star, view.scale) * (1 + 1.5 * fresh), state);
    this.drawn.stars += 1;
    this.drawn.calls += 1;
  }

  star(pen, star, px, py, core, { matching }) {
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
}

function looks(node) {
  if (node.state === "removed") return "removed";
  return node.state === "stale" || node.state === "archived" ? "dim" : "lit";
}
