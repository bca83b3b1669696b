// What part of the sky is seen: centre and scale, how they glide to where they were sent, and the way back and forth
// between screen and world. Lengths on the screen are CSS pixels.

const NEAREST = 14; // CSS pixels a world unit
const GLIDE = 90; // milliseconds in which two thirds of the way are made

export class Camera {
  constructor(still) {
    this.still = still; // () => whether motion is unwanted
    this.width = 1;
    this.height = 1;
    this.reach = 100;
    this.now = { x: 0, y: 0, scale: 1 };
    this.aim = { ...this.now };
    this.whole = true; // whether all of it is to be seen, whatever the size
    this.drift = null; // { x, y } in world units a millisecond, after a throw
  }

  resize(width, height, reach) {
    [this.width, this.height, this.reach] = [Math.max(1, width), Math.max(1, height), reach];
    if (this.whole) this.fit(true);
  }

  /** The scale at which the whole sky is seen. */
  get fitting() {
    return Math.min(NEAREST / 3, Math.min(this.width, this.height) / (2.1 * this.reach));
  }

  get least() {
    return this.fitting * 0.6;
  }

  /** The whole sky. */
  fit(atOnce = false) {
    this.go(0, 0, this.fitting, atOnce);
    this.whole = true;
  }

  go(x, y, scale, atOnce = false) {
    this.drift = null;
    this.whole = false;
    this.aim = { x, y, scale: Math.min(NEAREST, Math.max(this.least, scale)) };
    this.hold();
    if (atOnce || this.still()) this.now = { ...this.aim };
  }

  /** By so many pixels, the sky following the hand. */
  pan(dx, dy, atOnce = false) {
    const from = atOnce ? this.now : this.aim;
    this.go(from.x - dx / this.now.scale, from.y - dy / this.now.scale, this.aim.scale, atOnce);
  }

  /** By a factor, about a point of the screen, which keeps its place in the sky. */
  zoom(factor, px = this.width / 2, py = this.height / 2, atOnce = false) {
    const before = this.aim.scale;
    const [dx, dy] = [px - this.width / 2, py - this.height / 2];
    const scale = Math.min(NEAREST, Math.max(this.least, before * factor));
    this.go(this.aim.x + dx / before - dx / scale, this.aim.y + dy / before - dy / scale, scale, atOnce);
  }

  /** Brings a place into view, near enough to be read, if it is not. */
  show(x, y) {
    const [px, py] = this.toScreen(x, y);
    const inside = px > 60 && py > 60 && px < this.width - 60 && py < this.height - 60;
    if (!inside || this.aim.scale < 1) this.go(x, y, Math.max(this.aim.scale, 1.6));
  }

  /** What is seen now, for `back`. */
  get held() {
    return { aim: { ...this.aim }, whole: this.whole };
  }

  back({ aim, whole }) {
    this.go(aim.x, aim.y, aim.scale);
    this.whole = whole;
  }

  throw(vx, vy) {
    if (!this.still()) this.drift = { x: -vx / this.now.scale, y: -vy / this.now.scale };
  }

  hold() {
    const far = Math.hypot(this.aim.x, this.aim.y);
    if (far > this.reach) {
      this.aim.x *= this.reach / far;
      this.aim.y *= this.reach / far;
    }
  }

  /** One step of `elapsed` milliseconds; whether it still moves. */
  step(elapsed) {
    if (this.drift) {
      this.aim.x = this.now.x += this.drift.x * elapsed;
      this.aim.y = this.now.y += this.drift.y * elapsed;
      const slower = Math.exp(-elapsed / 220);
      this.drift = { x: this.drift.x * slower, y: this.drift.y * slower };
      if (Math.hypot(this.drift.x, this.drift.y) * this.now.scale < 0.02) this.drift = null;
      this.hold();
      return true;
    }
    const share = 1 - Math.exp(-elapsed / GLIDE);
    let moving = false;
    for (const axis of ["x", "y", "scale"]) {
      const rest = this.aim[axis] - this.now[axis];
      const far = Math.abs(rest) * this.aim.scale;
      const enough = axis === "scale" ? far < this.aim.scale ** 2 * 0.001 : far < 0.05;
      this.now[axis] = enough ? this.aim[axis] : this.now[axis] + rest * share;
      moving ||= !enough;
    }
    return moving;
  }

  toScreen(x, y) {
    const { now } = this;
    return [(x - now.x) * now.scale + this.width / 2, (y - now.y) * now.scale + this.height / 2];
  }

  toWorld(px, py) {
    const { now } = this;
    return [(px - this.width / 2) / now.scale + now.x, (py - this.height / 2) / now.scale + now.y];
  }

  /** The window in world units, with a margin of pixels around it. */
  window(margin) {
    const [left, top] = this.toWorld(-margin, -margin);
    const [right, bottom] = this.toWorld(this.width + margin, this.height + margin);
    return { left, top, right, bottom };
  }
}
