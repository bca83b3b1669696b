// All of the sky as one picture, for the distances at which there is too much of it to draw piece by piece: painted
// when the scale has changed much or has come to rest, copied in every other frame.

const LARGEST = 2048; // device pixels a side
const FEW = 300; // stars that are drawn one by one at any distance
const SLACK = 1.8; // by how much a picture may be stretched while the map moves
const MARGIN = 1.1; // how much more than the sky's own reach is on it

export class Layer {
  constructor() {
    this.image = null;
    this.made = 0; // how often it was painted
  }

  /** Whether the sky at this scale is drawn from here. */
  serves(sky, scale, density) {
    return sky.size > FEW && 2 * sky.reach * scale * density * MARGIN <= LARGEST;
  }

  /** Has the picture painted anew by `paint(pen, view)` if it does not fit any more. `of` is what it shows beside the
   * sky, by identity; `still`: nothing moves, so that it is to be sharp. Answers whether it is. */
  ready(sky, scale, density, of, still, paint) {
    const alike = this.image && this.sky === sky && this.density === density;
    const same = alike && of.every((part, at) => part === this.of[at]);
    const stretch = same ? Math.max(scale / this.scale, this.scale / scale) : Infinity;
    this.sharp = stretch <= 1.0005 || stretch > (still ? 1.0005 : SLACK);
    if (stretch <= (still ? 1.0005 : SLACK)) return this.sharp;
    Object.assign(this, { sky, scale, density, of });
    const size = Math.max(2, Math.ceil(2 * sky.reach * MARGIN * scale * density));
    if (this.image?.width !== size) this.image = new OffscreenCanvas(size, size);
    const pen = this.image.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, size, size);
    pen.setTransform(density, 0, 0, density, size / 2, size / 2);
    const reach = sky.reach * MARGIN;
    paint(pen, {
      scale,
      toScreen: (x, y) => [x * scale, y * scale],
      window: { left: -reach, top: -reach, right: reach, bottom: reach },
    });
    this.made += 1;
    return true;
  }

  /** Copies it to where the camera sees it, as far as a distance from the middle. */
  copy(pen, camera, distance) {
    const { scale } = camera.now;
    const [x, y] = camera.toScreen(0, 0);
    const half = (this.image.width / 2 / this.density / this.scale) * scale;
    // On whole pixels a sharp picture is copied as it is, which costs a fraction of stretching it.
    const whole = (value) => (this.sharp ? Math.round(value * this.density) / this.density : value);
    if (distance !== Infinity) {
      pen.save();
      pen.beginPath();
      pen.arc(x, y, distance * scale, 0, 2 * Math.PI);
      pen.clip();
    }
    pen.drawImage(this.image, whole(x - half), whole(y - half), 2 * half, 2 * half);
    if (distance !== Infinity) pen.restore();
  }
}
