// One frame of the map: the scene, and over it what is chosen and what is written. What a frame costs is bounded,
// however many stars there are: only what the window shows is drawn, and lines and words have a budget.

import { Scene } from "./starmap_scene.js";
import { palette } from "./starmap_sprites.js";
import { Words } from "./starmap_words.js";

const MOST_PIXELS = 2_600_000;

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
    this.scene = new Scene(sky, this.colours, this.density);
    this.words = new Words(this.pen, sky, this.colours, (star, scale) => this.scene.core(star, scale));
  }

  resize(width, height) {
    const most = Math.sqrt(MOST_PIXELS / Math.max(1, width * height));
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
    this.words.draw(camera, state, this.reserved, this.drawn);
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
}
