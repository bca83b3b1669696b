// What is written on the map: titles beside their stars, the names of the arms, the dates of the rings. No word lies
// on another, on the page's own things, or on one of the brighter stars in view.

import { spine } from "./starmap_layout.js";

const MOST = { labels: 40, tried: 300 };
const SPACE = 2800; // square pixels of the map for each star that words keep off: more, and nothing could be written
const FEW = 30; // stars that they keep off in any case
const LETTERS = { wide: 36, narrow: 24 };
const NAMES = { memory: "Memory", user: "About people", skill: "Skills" };
const ROW = 24; // CSS pixels: rows by which boxes are found
const HALF = 9; // half of what a line of words takes in height
const WIDE = { user: 1.6, skill: 2.4 }; // how far a star reaches, in radii of its core
const TURNS = [0, 0.18, -0.18, 0.36, -0.36]; // radians that a name may stand off its arm's spine
const DISTANCES = [1, 0.92, 1.04, 0.84, 0.76, 0.66, 0.56, 0.46]; // of the sky's reach

/** What is taken: boxes `[left, top, right, bottom, star]`, star -1 for what is none, by the rows that they touch. */
class Room {
  constructor() {
    this.rows = new Map();
  }

  take(box) {
    for (let row = Math.floor(box[1] / ROW); row <= Math.floor(box[3] / ROW); row += 1) {
      const there = this.rows.get(row);
      if (there) there.push(box);
      else this.rows.set(row, [box]);
    }
  }

  /** How much lies under a box, a star's own place aside: words and the page's things count more than stars. */
  under([left, top, right, bottom], own) {
    let found = 0;
    for (let row = Math.floor(top / ROW); row <= Math.floor(bottom / ROW); row += 1) {
      for (const other of this.rows.get(row) ?? []) {
        if (left >= other[2] || other[0] >= right || top >= other[3] || other[1] >= bottom) continue;
        if (other[4] < 0) found += 1000;
        else if (other[4] !== own) found += 1;
      }
    }
    return found;
  }
}

export class Words {
  /** `core(star, scale)` is the radius of a star's core in CSS pixels. */
  constructor(pen, sky, colours, core) {
    Object.assign(this, { pen, sky, colours, core });
    this.widths = new Map();
    this.kinds = [...new Set(sky.nodes.map((node) => node.kind))];
    this.written = []; // in the last frame: { text, box, star }, star -1 for what is no title
  }

  /** Writes what there is room for; `reserved` are the boxes of what lies over the map. Adds to `drawn`. */
  draw(camera, state, reserved, drawn) {
    Object.assign(this, { camera, drawn, room: new Room(), written: [] });
    for (const box of reserved) this.room.take([...box, -1]);
    const seen = this.seen(state, camera.window(40));
    const kept = Math.max(FEW, Math.round((camera.width * camera.height) / SPACE));
    for (const star of seen.slice(0, kept)) this.room.take(this.place(star));
    this.pen.lineJoin = "round";
    this.pen.textBaseline = "middle";
    if (camera.whole) this.arms();
    this.titles(state, seen);
    this.dates();
  }

  /** The stars in view, the brightest first. */
  seen({ until, matching }, { left, top, right, bottom }) {
    const { x, y, heaviest } = this.sky;
    return heaviest.filter(
      (star) =>
        star < until &&
        x[star] >= left && x[star] <= right && y[star] >= top && y[star] <= bottom &&
        (!matching || matching[star]),
    );
  }

  at(star) {
    return this.camera.toScreen(this.sky.x[star], this.sky.y[star]);
  }

  /** The box of a star. */
  place(star) {
    const [px, py] = this.at(star);
    const half = this.core(star, this.camera.now.scale) * (WIDE[this.sky.nodes[star].kind] ?? 1.3) + 1;
    return [px - half, py - half, px + half, py + half, star];
  }

  titles(state, seen) {
    this.pen.textAlign = "left";
    this.pen.font = "12px system-ui, sans-serif";
    const first = [...new Set([state.pointed, state.chosen])].filter((star) => star >= 0 && star < state.until);
    for (const star of first) this.title(star, true);
    const budget = this.budget();
    for (const star of seen.slice(0, MOST.tried)) {
      if (this.drawn.labels >= budget) break;
      if (!first.includes(star)) this.title(star, false);
    }
  }

  /** The nearer, the more words. */
  budget() {
    const few = this.sky.size <= 60 ? 16 : 10;
    return Math.min(MOST.labels, Math.round(few + 16 * Math.max(0, Math.log2(this.camera.now.scale + 0.4))));
  }

  /** A title beside its star, where nothing else is; what has to be there stands where the least is. */
  title(star, always) {
    const { width: wide, height: high } = this.camera;
    const text = short(this.sky.nodes[star].title, wide < 480 ? LETTERS.narrow : LETTERS.wide);
    if (!this.widths.has(text)) this.widths.set(text, this.pen.measureText(text).width);
    const width = this.widths.get(text);
    let best = null;
    let least = always ? Infinity : 1;
    for (const [left, y] of this.around(star, width, always)) {
      const inside = left > 2 && left + width < wide - 2 && y > HALF && y < high - HALF;
      if (!inside && !always) continue;
      const [x, held] = [Math.max(4, Math.min(left, wide - width - 4)), Math.max(HALF, Math.min(y, high - HALF))];
      const box = [x - 4, held - HALF, x + width + 4, held + HALF, star];
      const under = this.room.under(box, star) + (inside ? 0 : 0.5);
      if (under < least) [best, least] = [{ x, y: held, box }, under];
      if (!under) break;
    }
    if (!best) return;
    this.write(text, best.x, best.y, this.colours.ink, always ? 1 : 0.86, best.box);
    this.drawn.labels += 1;
  }

  /** Where a title may begin, the best place first. */
  around(star, width, ringed) {
    const [px, py] = this.at(star);
    const core = this.core(star, this.camera.now.scale);
    const aside = ringed ? Math.max(14, core * 2.6 + 6) : core * 1.9 + 5;
    const [slant, down] = [aside * 0.7, aside * 0.7 + 8];
    const [middle, far] = [px - width / 2, aside + 8];
    return [
      [px + aside, py],
      [px - aside - width, py],
      [middle, py + far],
      [middle, py - far],
      [px + slant, py - down],
      [px + slant, py + down],
      [px - slant - width, py - down],
      [px - slant - width, py + down],
    ];
  }

  /** What the arms are called, each near the end of its own. */
  arms() {
    this.pen.textAlign = "center";
    this.pen.font = "600 13px system-ui, sans-serif";
    for (const kind of this.kinds) {
      const places = DISTANCES.flatMap((part) => TURNS.map((turn) => [part, turn])).map(([part, turn]) => {
        const away = this.sky.reach * part;
        const angle = spine(kind, away) + turn;
        return [away * Math.cos(angle), away * Math.sin(angle)];
      });
      // Where there are stars everywhere, a name lies on some.
      this.name(NAMES[kind] ?? kind, places, this.colours[kind], 1, 1000);
    }
  }

  /** When the rings were. */
  dates() {
    this.pen.textAlign = "center";
    this.pen.font = "11px system-ui, sans-serif";
    for (const ring of this.sky.rings) {
      const places = TURNS.map((turn) => [ring.distance * Math.sin(turn), -ring.distance * Math.cos(turn)]);
      this.name(ring.name ?? (ring.name = named(this.sky, ring)), places, this.colours.ink, 0.62, 1);
    }
  }

  /** Words at the first of these places of the sky where nothing is, else where the least is and less than `most`. */
  name(text, places, colour, alpha, most) {
    const { camera } = this;
    const half = this.pen.measureText(text).width / 2 + 4;
    let best = null;
    let least = most;
    for (const [x, y] of places) {
      const [px, py] = camera.toScreen(x, y);
      if (px - half < 2 || px + half > camera.width - 2 || py < HALF + 2 || py > camera.height - HALF - 2) continue;
      const box = [px - half, py - HALF, px + half, py + HALF, -1];
      const under = this.room.under(box, -1);
      if (under < least) [best, least] = [{ px, py, box }, under];
      if (!under) break;
    }
    if (best) this.write(text, best.px, best.py, colour, alpha, best.box);
  }

  write(text, x, y, colour, alpha, box) {
    const { pen } = this;
    this.written.push({ text, box, star: box[4] });
    this.room.take([...box.slice(0, 4), -1]);
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

function short(text, most) {
  if (text.length <= most) return text;
  const letters = Array.from(text);
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : text;
}
