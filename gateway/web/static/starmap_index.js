// A grid over the sky: which stars lie in a window, and which one is nearest to a point, without asking all of them.

const CELL = 48; // world units

export class Grid {
  /** Stands for the stars at `x[i]`, `y[i]`. */
  constructor(x, y) {
    this.x = x;
    this.y = y;
    this.cells = new Map();
    this.asked = 0; // how many stars the last question looked at
    for (let star = 0; star < x.length; star += 1) {
      const name = key(Math.floor(x[star] / CELL), Math.floor(y[star] / CELL));
      const cell = this.cells.get(name);
      if (cell) cell.push(star);
      else this.cells.set(name, [star]);
    }
  }

  /** Fills `out` with the stars of all cells that the window touches, oldest first, and answers their number. */
  within(left, top, right, bottom, out) {
    this.asked = 0;
    let count = 0;
    const [first, last] = [Math.floor(left / CELL), Math.floor(right / CELL)];
    const [upper, lower] = [Math.floor(top / CELL), Math.floor(bottom / CELL)];
    if ((last - first + 1) * (lower - upper + 1) >= this.cells.size) {
      for (const cell of this.cells.values()) {
        for (const star of cell) out[count++] = star;
      }
    } else {
      for (let row = upper; row <= lower; row += 1) {
        for (let column = first; column <= last; column += 1) {
          const cell = this.cells.get(key(column, row));
          if (cell) for (const star of cell) out[count++] = star;
        }
      }
    }
    this.asked = count;
    out.subarray(0, count).sort();
    return count;
  }

  /** The star nearest to a point, within a distance, among those that `wanted` lets pass; -1 for none. */
  nearest(px, py, distance, wanted) {
    let [best, least] = [-1, distance * distance];
    this.asked = 0;
    const cells = (middle) => [Math.floor((middle - distance) / CELL), Math.floor((middle + distance) / CELL)];
    const [[first, last], [upper, lower]] = [cells(px), cells(py)];
    for (let row = upper; row <= lower; row += 1) {
      for (let column = first; column <= last; column += 1) {
        for (const star of this.cells.get(key(column, row)) ?? []) {
          this.asked += 1;
          const far = (this.x[star] - px) ** 2 + (this.y[star] - py) ** 2;
          if (far <= least && wanted(star)) [best, least] = [star, far];
        }
      }
    }
    return best;
  }
}

function key(column, row) {
  return (column + 32768) * 65536 + row + 32768;
}
