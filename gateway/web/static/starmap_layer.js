// All stars as one picture, for the distances at which there are too many to draw one by one: painted when the scale
// has changed much or has come to rest, copied in every other frame. Time is a circle around it, since the places of
// the sky are in order from the middle outwards.

import { radius } from "./starmap_layout.js";

const LARGEST = 2048; // device pixels a side
const FEW = 700; // stars that are drawn one by one at any distance
const SLACK = 1.35; // by how much a picture may be stretched while the map moves

export class Layer {
  constructor() {
    this.image = null;
    this.made = 0; // how often it was painted
  }

  /** Whether the sky at this scale is drawn from here. */
  serves(sky, scale, density) {
    return sky.size > FEW && 2 * sky.reach * scale * density * 1.1 <= LARGEST;
  }

  /** The picture, painted anew by `paint(pen, toPixel, scale)` if it does not fit any more; `still`: nothing moves, so
   * that it is to be sharp. Answers whether it is sharp. */
  ready(sky, scale, density, matching, still, paint) {
    const same = this.sky === sky && this.density === density && this.matching === matching && this.image;
    const stretch = same ? Math.max(scale / this.scale, this.scale / scale) : Infinity;
    if (stretch > (still ? 1.0005 : SLACK)) {
      Object.assign(this, { sky, scale, density, matching });
      this.half = sky.reach * 1.1;
      const size = Math.max(1, Math.ceil(2 * this.half * scale * density));
      if (!this.image || this.image.width !== size) this.image = new OffscreenCanvas(size, size);
      const pen = this.image.getContext("2d");
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, size, size);
      pen.setTransform(density, 0, 0, density, size / 2, size / 2);
      paint(pen, scale);
      this.made += 1;
      return true;
    }
    return stretch <= 1.0005;
  }

  /** Copies it to where the camera sees it, as far as `until`; answers the distance up to which stars are shown. */
  copy(pen, camera, until) {
    const { scale } = camera.now;
    const [x, y] = camera.toScreen(0, 0);
    const half = (this.image.width / 2 / this.density / this.scale) * scale;
    const shown = until >= this.sky.size ? Infinity : Math.max(0, radius(until) - 18);
    if (shown !== Infinity) {
      pen.save();
      pen.beginPath();
      pen.arc(x, y, shown * scale, 0, 2 * Math.PI);
      pen.clip();
    }
    pen.drawImage(this.image, x - half, y - half, 2 * half, 2 * half);
    if (shown !== Infinity) pen.restore();
    return shown;
  }
}
