// The slider of time: how many stars are lit, by hand or by itself. A step is one thing that was learnt, so that a
// quiet year passes as fast as a busy day; the date beside it says where it has come to.

const WHOLE = 24_000; // milliseconds from the first star to the last, at a speed of one
const STILL = 600; // milliseconds between two pictures where motion is unwanted
const FLASHES = 240;

export class Time {
  /** `parts`: slider, button, speed, says; `sky()`; `still()` whether motion is unwanted; `wake()`. */
  constructor(parts, sky, still, wake) {
    Object.assign(this, { parts, sky, still, wake });
    this.at = sky().size;
    this.playing = false;
    this.lit = new Map(); // a star -> when it was lit
    this.waited = 0;
    parts.slider.addEventListener("input", () => this.go(Number(parts.slider.value)));
    parts.button.addEventListener("click", () => this.toggle());
    this.renew();
  }

  /** After the sky changed; whoever stood at its end stays there. */
  renew(atEnd = true) {
    const { size } = this.sky();
    this.parts.slider.max = String(size);
    if (atEnd || this.at > size) this.at = size;
    this.lit.clear();
    this.show();
  }

  get until() {
    return Math.floor(this.at);
  }

  get ended() {
    return this.until >= this.sky().size;
  }

  go(place) {
    this.play(false);
    this.at = Math.max(0, Math.min(this.sky().size, place));
    this.lit.clear();
    this.show();
    this.wake();
  }

  toggle() {
    if (!this.playing && this.ended) this.at = 0;
    this.play(!this.playing);
    this.show();
    this.wake();
  }

  play(on) {
    this.playing = on;
    this.parts.button.setAttribute("aria-pressed", String(on));
    this.parts.button.querySelector("[data-word]").textContent = on ? "Pause" : "Play";
    this.parts.button.classList.toggle("is-playing", on);
  }

  /** One step of `elapsed` milliseconds at the moment `now`; whether it goes on. */
  step(elapsed, now) {
    if (!this.playing) return false;
    this.waited += elapsed;
    if (this.still() && this.waited < STILL) return true;
    const { size } = this.sky();
    const length = Math.max(3000, Math.min(WHOLE, size * 400)) / Number(this.parts.speed.value || 1);
    const before = this.until;
    this.at = Math.min(size, this.at + (this.waited / length) * size);
    this.waited = 0;
    if (!this.still()) {
      for (let star = Math.max(before, this.until - FLASHES); star < this.until; star += 1) this.lit.set(star, now);
      for (const star of this.lit.keys()) {
        if (this.lit.size <= FLASHES) break;
        this.lit.delete(star);
      }
    }
    if (this.ended) this.play(false);
    this.show();
    return this.playing;
  }

  show() {
    const sky = this.sky();
    const { slider, says } = this.parts;
    if (this.said === this.until && this.saidOf === sky) return;
    [this.said, this.saidOf] = [this.until, sky];
    const count = `${this.until.toLocaleString("en")} of ${sky.size.toLocaleString("en")}`;
    const words = this.until ? `${sky.date(this.until - 1)} · ${count}` : `before the first · ${count}`;
    slider.value = String(this.until);
    slider.setAttribute("aria-valuetext", words);
    says.textContent = words;
  }
}
