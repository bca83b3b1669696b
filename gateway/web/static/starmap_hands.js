// Hands on the map: mouse, fingers, pen, wheel and keys become calls of `map`. Keeps nothing but what is held down.

const CLICK = 6; // CSS pixels a press may wander and still be a click
const STEP = 80; // CSS pixels an arrow key moves

export class Hands {
  /** `map` has camera, wake(), pointAt(px, py), press(px, py), unpoint(), toggle(), openPointed(), next(step). */
  constructor(canvas, map) {
    this.canvas = canvas;
    this.map = map;
    this.held = new Map();
    this.wandered = 0;
    const on = (name, does) => canvas.addEventListener(name, does.bind(this), { passive: false });
    on("pointerdown", this.down);
    on("pointermove", this.move);
    on("pointerup", this.up);
    on("pointercancel", this.up);
    on("pointerleave", () => map.unpoint());
    on("wheel", this.wheel);
    on("keydown", this.key);
    on("touchstart", this.touch);
    on("touchmove", this.touch);
    on("dblclick", (event) => this.nearer(event, 2));
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top, at: event.timeStamp };
  }

  /** One finger scrolls the page upwards and downwards, as everywhere; two are the map's. */
  touch(event) {
    if (event.touches.length > 1 && event.cancelable) event.preventDefault();
  }

  down(event) {
    if (event.button > 0) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.held.set(event.pointerId, this.place(event));
    this.wandered = this.held.size > 1 ? Infinity : 0;
    this.speed = { x: 0, y: 0, at: event.timeStamp };
    this.map.camera.drift = null;
    this.began = this.held.size > 1 ? null : this.map.camera.held;
  }

  move(event) {
    const now = this.place(event);
    const before = this.held.get(event.pointerId);
    if (!before) {
      this.map.pointAt(now.x, now.y);
      return;
    }
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    if (this.held.size === 1) {
      this.wandered += Math.hypot(dx, dy);
      if (this.wandered > CLICK) this.map.camera.pan(dx, dy, true);
      const elapsed = Math.max(1, now.at - before.at);
      const share = Math.min(1, elapsed / 40);
      this.speed = {
        x: this.speed.x * (1 - share) + (dx / elapsed) * share,
        y: this.speed.y * (1 - share) + (dy / elapsed) * share,
        at: now.at,
      };
    } else {
      this.pinch(event.pointerId, before, now);
    }
    this.held.set(event.pointerId, now);
    this.canvas.classList.toggle("is-held", this.wandered > CLICK);
    this.map.wake();
  }

  pinch(moved, before, now) {
    const [, other] = [...this.held].find(([id]) => id !== moved);
    const was = Math.hypot(before.x - other.x, before.y - other.y);
    const is = Math.hypot(now.x - other.x, now.y - other.y);
    this.map.camera.pan((now.x - before.x) / 2, (now.y - before.y) / 2, true);
    if (was > 1) this.map.camera.zoom(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2, true);
  }

  up(event) {
    const last = this.held.get(event.pointerId);
    if (!last) return;
    this.held.delete(event.pointerId);
    this.canvas.classList.remove("is-held");
    if (event.type === "pointercancel" && this.began) this.map.camera.back(this.began); // it scrolls the page
    if (this.held.size || event.type === "pointercancel") return this.map.wake();
    if (this.wandered <= CLICK) this.map.press(last.x, last.y);
    else if (this.wandered < Infinity && event.timeStamp - this.speed.at < 60) {
      this.map.camera.throw(this.speed.x, this.speed.y);
    }
    this.map.wake();
  }

  wheel(event) {
    event.preventDefault();
    const { x, y } = this.place(event);
    const lines = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 300 : 1;
    const by = Math.max(-240, Math.min(240, event.deltaY * lines));
    this.map.camera.zoom(Math.exp(-by * (event.ctrlKey ? 0.01 : 0.0022)), x, y);
    this.map.wake();
  }

  nearer(event, factor) {
    const { x, y } = this.place(event);
    this.map.camera.zoom(factor, x, y);
    this.map.wake();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { camera } = this.map;
    const does = {
      ArrowLeft: () => camera.pan(STEP, 0),
      ArrowRight: () => camera.pan(-STEP, 0),
      ArrowUp: () => camera.pan(0, STEP),
      ArrowDown: () => camera.pan(0, -STEP),
      "+": () => camera.zoom(1.5),
      "=": () => camera.zoom(1.5),
      "-": () => camera.zoom(1 / 1.5),
      0: () => camera.fit(),
      Home: () => camera.fit(),
      " ": () => this.map.toggle(),
      Enter: () => this.map.openPointed(),
      PageDown: () => this.map.next(1),
      PageUp: () => this.map.next(-1),
    }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
    this.map.wake();
  }
}
