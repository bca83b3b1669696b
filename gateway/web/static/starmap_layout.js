// Where each star stands. Pure: the same nodes give the same places, and a node that is added at the end moves none
// of those before it. Time runs outwards: the distance from the middle grows with the square root of a node's place
// in time, so that every stretch of sky holds as many stars as any other. Each kind has its own arm of the galaxy.

const STEP = 14; // world units: the radius that one more star adds, before the root
const GOLDEN = 0.6180339887498949;
const TWIST = 1.5; // radians an arm turns for each e-fold of distance
const MOST_RINGS = 10;
const JITTER = 0.9; // steps that a star may stand off its circle
const ARMS = { memory: [0, 0.24], user: [0.4, 0.17], skill: [0.71, 0.17] }; // middle, half width: parts of a circle

/** The distance from the middle at which the node with this place in time stands, in world units. */
export function radius(place) {
  return STEP * Math.sqrt(place + 3);
}

/** The first place in time whose star can stand at this distance or farther. */
export function placeAt(distance) {
  return Math.max(0, Math.floor((Math.max(0, distance - STEP * JITTER) / STEP) ** 2 - 3));
}

/** The direction of an arm's spine at a distance, in radians. */
export function spine(kind, distance) {
  const [arm] = ARMS[kind] ?? ARMS.memory;
  return 2 * Math.PI * arm - Math.PI / 2 + TWIST * Math.log(1 + distance / 90);
}

/** Nodes from the oldest to the newest -> their places as two arrays of world units. */
export function places(nodes) {
  const x = new Float32Array(nodes.length);
  const y = new Float32Array(nodes.length);
  const counted = new Map();
  nodes.forEach((node, place) => {
    const turn = counted.get(node.kind) ?? 0;
    counted.set(node.kind, turn + 1);
    const across = 2 * ((turn * GOLDEN + 0.5) % 1) - 1; // -1 .. 1, evenly and never twice
    const chance = hash(node.id);
    const away = radius(place) + STEP * JITTER * (2 * chance - 1);
    const half = (ARMS[node.kind] ?? ARMS.memory)[1] * 2 * Math.PI;
    const ragged = STEP * 1.1 * (hash(`${node.id}~`) - 0.5) / away; // no star on a ruled line
    const aside = Math.sign(across) * Math.abs(across) ** 1.3 * half * (0.9 + 0.22 * chance) + ragged;
    const angle = spine(node.kind, away) + aside;
    x[place] = away * Math.cos(angle);
    y[place] = away * Math.sin(angle);
  });
  return { x, y, reach: radius(nodes.length) + STEP };
}

/** Rings where a day, a month, a quarter or a year begins: `[{distance, at, unit}]`, ten at most. */
export function rings(nodes, zone) {
  if (nodes.length < 2) return [];
  for (const [unit, key] of Object.entries(calendar(zone))) {
    const found = [];
    let before = key(nodes[0].at);
    nodes.forEach((node, place) => {
      const now = key(node.at);
      if (now !== before) found.push({ distance: radius(place - 0.5), at: node.at, unit });
      before = now;
    });
    if (found.length <= MOST_RINGS) return found.length ? apart(found) : [];
  }
  return [];
}

function apart(found) {
  let last = -Infinity;
  return found.filter((ring) => {
    const keep = ring.distance - last > STEP;
    if (keep) last = ring.distance;
    return keep;
  });
}

function calendar(zone) {
  const style = { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" };
  const days = new Intl.DateTimeFormat("en-CA", style);
  const known = new Map(); // a formatter is slow: once for each quarter of an hour is enough
  const day = (at) => {
    const quarter = Math.floor(at / 900);
    if (!known.has(quarter)) known.set(quarter, days.format(at * 1000));
    return known.get(quarter);
  };
  return {
    day,
    month: (at) => day(at).slice(0, 7),
    quarter: (at) => day(at).slice(0, 5) + Math.floor((Number(day(at).slice(5, 7)) - 1) / 3),
    year: (at) => day(at).slice(0, 4),
  };
}

/** 0 .. 1 out of a text, the same on every machine. */
export function hash(text) {
  let value = 2166136261;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 16777619);
  }
  value = Math.imul(value ^ (value >>> 15), 2246822507);
  return ((value ^ (value >>> 13)) >>> 0) / 4294967296;
}
