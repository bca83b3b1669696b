// Small pictures of stars, each painted once: by kind, look and size. Drawing one is then one copy of a few pixels.

const GROWTH = 1.2; // from one size to the next
const HALO = 4.2; // how far the glow reaches, in radii of the core
const SAMPLE = 400; // stars that make the haze
const HAZE = 0.3; // how strong it is where it is strongest

/** The colours that the style sheet gives the map in the present scheme. */
export function palette(canvas) {
  const style = getComputedStyle(canvas);
  const read = (name) => style.getPropertyValue(`--star-${name}`).trim();
  return {
    dark: read("scheme") === "dark",
    memory: read("memory"),
    user: read("user"),
    skill: read("skill"),
    core: read("core"),
    sky: read("sky"),
    ink: read("ink"),
    line: read("line"),
    ring: read("ring"),
    focus: read("focus"),
  };
}

export class Sprites {
  constructor(colours, density) {
    this.colours = colours;
    this.density = density; // device pixels a CSS pixel
    this.made = new Map();
  }

  /** A star with a core of this radius in CSS pixels: `{ image, half }`, half its width in CSS pixels. */
  star(kind, look, core) {
    const step = Math.round(Math.log(core) / Math.log(GROWTH));
    const name = `${kind} ${look} ${step}`;
    let sprite = this.made.get(name);
    if (!sprite) this.made.set(name, (sprite = this.paint(kind, look, GROWTH ** step)));
    return sprite;
  }

  paint(kind, look, core) {
    const half = Math.ceil(core * HALO);
    const size = Math.ceil(2 * half * this.density);
    const image = new OffscreenCanvas(size, size);
    const pen = image.getContext("2d");
    pen.scale(image.width / (2 * half), image.width / (2 * half));
    pen.translate(half, half);
    const colour = this.colours[kind] || this.colours.memory;
    if (look === "removed") this.hollow(pen, colour, core);
    else this.lit(pen, kind, colour, core, half, look === "dim" ? 0.42 : 1);
    return { image: image.transferToImageBitmap(), half };
  }

  lit(pen, kind, colour, core, half, strength) {
    const glow = pen.createRadialGradient(0, 0, 0, 0, 0, half);
    glow.addColorStop(0, colour);
    glow.addColorStop(0.22, fade(colour, 0.3));
    glow.addColorStop(0.5, fade(colour, 0.07));
    glow.addColorStop(1, fade(colour, 0));
    pen.globalAlpha = strength * (this.colours.dark ? 0.8 : 0.45);
    pen.fillStyle = glow;
    pen.fillRect(-half, -half, 2 * half, 2 * half);
    pen.globalAlpha = strength;
    pen.fillStyle = colour;
    shape(pen, kind, core * 1.12);
    pen.fill();
    if (!this.colours.dark) return;
    pen.fillStyle = this.colours.core;
    shape(pen, kind, core * 0.58);
    pen.fill();
  }

  hollow(pen, colour, core) {
    pen.globalAlpha = 0.6;
    pen.strokeStyle = colour;
    pen.lineWidth = Math.max(0.8, core * 0.3);
    pen.beginPath();
    pen.arc(0, 0, core, 0, 2 * Math.PI);
    pen.stroke();
  }
}

/** The outline that tells kinds apart without their colours: a disc, a diamond, a star of four points. */
export function shape(pen, kind, size) {
  pen.beginPath();
  if (kind === "user") {
    polygon(pen, 4, size * 1.35, size * 1.35);
  } else if (kind === "skill") {
    polygon(pen, 8, size * 2.1, size * 0.7);
  } else {
    pen.arc(0, 0, size, 0, 2 * Math.PI);
  }
}

function polygon(pen, corners, outer, inner) {
  for (let corner = 0; corner < corners; corner += 1) {
    const away = corner % 2 ? inner : outer;
    const angle = (2 * Math.PI * corner) / corners - Math.PI / 2;
    pen.lineTo(away * Math.cos(angle), away * Math.sin(angle));
  }
  pen.closePath();
}

/** `#rrggbb` as three numbers. */
function parts(colour) {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}

/** `#rrggbb` with another opacity. */
export function fade(colour, alpha) {
  return `rgba(${parts(colour).join(", ")}, ${alpha})`;
}

/** The haze that many stars make together, as one small picture of the whole sky, as strong for few as for many.
 * It is added up in numbers: colours of eight bits would lose what is this faint. */
export function haze(sky, colours) {
  const size = 96;
  const [light, red, green, blue] = Array.from({ length: 4 }, () => new Float32Array(size * size));
  const wide = Math.max(9, Math.min(17, 150 / Math.sqrt(sky.size + 1)));
  const every = Math.max(1, Math.ceil(sky.size / SAMPLE));
  let most = 0;
  for (let star = 0; star < sky.size; star += every) {
    const [r, g, b] = parts(colours[sky.nodes[star].kind] || colours.memory);
    const [x, y] = [sky.x[star], sky.y[star]].map((value) => ((value / sky.reach) * 0.34 + 0.5) * size);
    for (let row = Math.ceil(y - wide); row <= y + wide; row += 1) {
      for (let column = Math.ceil(x - wide); column <= x + wide; column += 1) {
        const far = Math.hypot(column - x, row - y) / wide;
        if (far >= 1) continue;
        const at = row * size + column;
        const share = (1 - far * far) ** 3;
        light[at] += share;
        red[at] += share * r;
        green[at] += share * g;
        blue[at] += share * b;
        most = Math.max(most, light[at]);
      }
    }
  }
  const shown = new ImageData(size, size);
  for (let at = 0; at < size * size; at += 1) {
    const sum = light[at] || 1;
    shown.data.set([red[at] / sum, green[at] / sum, blue[at] / sum, 255 * HAZE * (light[at] / most) ** 0.8], 4 * at);
  }
  const image = new OffscreenCanvas(size, size);
  image.getContext("2d").putImageData(shown, 0, 0);
  return { image, half: sky.reach / 0.68 };
}
