// The stars and what joins them, as the page was told them: read once, asked many times. Knows nothing of pixels.

import { Grid } from "./starmap_index.js";
import { hash, places, rings } from "./starmap_layout.js";

const LANGUAGE = "en-GB"; // as the pages write their dates

export class Sky {
  /** From `/journey.json`: rows under the names in `fields`, edges as `[first, second, why]` by place. */
  constructor(told) {
    this.zone = told.zone;
    this.nodes = told.nodes.map((row) => Object.fromEntries(told.fields.map((name, at) => [name, row[at]])));
    this.size = this.nodes.length;
    Object.assign(this, places(this.nodes));
    this.rings = rings(this.nodes, told.zone);
    this.grid = new Grid(this.x, this.y);
    this.placeOf = new Map(this.nodes.map((node, place) => [node.id, place]));
    this.links = this.nodes.map(() => []);
    this.edges = told.edges.map(([first, second, why]) => ({ first, second, why, later: Math.max(first, second) }));
    const strength = { related: 0, named: 1, session: 2 };
    this.edges.sort((one, other) => strength[one.why] - strength[other.why] || this.span(one) - this.span(other));
    for (const edge of this.edges) {
      this.links[edge.first].push(edge);
      this.links[edge.second].push(edge);
    }
    this.weights = Float32Array.from(this.nodes, (node, place) => this.weigh(node, place));
    // Few stars are bright and most are faint, as in any sky: what is used or joined is never among the faint ones.
    const room = 1 + 0.8 * Math.min(1, 30 / Math.max(1, this.size));
    this.sizes = Float32Array.from(this.nodes, (node, place) => {
      return room * (0.6 + 0.55 * hash(`${node.id}*`) ** 3 + 0.7 * this.weights[place]);
    });
    this.heaviest = Array.from(this.nodes.keys()).sort((one, other) => this.sizes[other] - this.sizes[one]);
  }

  span(edge) {
    return Math.hypot(this.x[edge.first] - this.x[edge.second], this.y[edge.first] - this.y[edge.second]);
  }

  /** How bright a star is, 0 .. 1.5: by how much it is used, whether it is pinned, and what it is joined with. */
  weigh(node, place) {
    const ties = this.links[place].filter((edge) => edge.why !== "session").length;
    const used = Math.log1p(node.uses) * 0.22 + Math.log1p(ties) * 0.2;
    return Math.min(1.5, used + (node.pinned ? 0.5 : 0) + (node.kind === "skill" ? 0.3 : 0));
  }

  /** When the star at this place was lit, for people. */
  date(place, style = { dateStyle: "medium" }) {
    return this.day(this.nodes[place].at, style);
  }

  day(at, style = { dateStyle: "medium" }) {
    return new Intl.DateTimeFormat(LANGUAGE, { timeZone: this.zone, ...style }).format(at * 1000);
  }
}
