// Drawings with logarithmic axes, as SVG: ticks and labels that don't overlap, marks that keys walk.
"use strict";

// A drawing in `box` as wide as it. `x` and `y`: {values, ticks: [[value, text]], label}.
nsop.Chart = class {
  constructor(box, { x, y, height, label, left = 70, right = 16 }) {
    this.width = Math.max(280, box.clientWidth);
    this.height = height;
    this.edge = { left, right: this.width - right, top: 10, bottom: height - (x.label ? 44 : 12) };
    const size = { width: this.width, height, viewBox: "0 0 " + this.width + " " + height };
    this.root = nsop.svg("svg", { ...size, role: "img", "aria-label": label, class: "chart" });
    box.replaceChildren(this.root);
    this.placed = [];
    this.x = nsop.Chart.scale(x, this.edge.left, this.edge.right);
    if (y) this.y = nsop.Chart.scale(y, this.edge.bottom, this.edge.top);
    if (x.ticks) this.drawX(x);
    if (y && y.ticks) this.drawY(y);
  }

  // From values to places, of a logarithmic axis unless it is `linear`; NaN for what has no place.
  static scale({ values, ticks, linear }, from, to) {
    const turn = linear ? (value) => value : (value) => (value > 0 ? Math.log(value) : NaN);
    const all = values.concat((ticks || []).map((tick) => tick[0])).map(turn);
    const seen = all.filter(Number.isFinite);
    const low = Math.min(...seen);
    const room = Math.max(...seen) - low;
    const start = room ? low - 0.03 * room : low - 0.5;
    return (value) => from + ((turn(value) - start) / (room ? 1.06 * room : 1)) * (to - from);
  }

  drawX({ ticks, label }) {
    const { left, right, top, bottom } = this.edge;
    for (const [value, text] of ticks) {
      const at = this.x(value);
      this.line(at, top, at, bottom, "grid");
      this.text(at, bottom + 16, text, "tick middle");
    }
    this.text((left + right) / 2, this.height - 6, label, "axis middle");
  }

  drawY({ ticks, label }) {
    const { left, right } = this.edge;
    for (const [value, text] of ticks) {
      const at = this.y(value);
      this.line(left, at, right, at, "grid");
      this.text(left - 6, at + 4, text, "tick end");
    }
    if (!label) return;
    const turn = "translate(14 " + (this.edge.top + this.edge.bottom) / 2 + ") rotate(-90)";
    this.root.append(nsop.svg("text", { class: "axis middle", transform: turn }, label));
  }

  line(x1, y1, x2, y2, css) {
    return this.add("line", { x1, y1, x2, y2, class: css });
  }

  // A line through the points that have a place.
  path(points, css) {
    let d = "";
    for (const [px, py] of points) {
      const x = this.x(px);
      const y = this.y(py);
      if (Number.isFinite(x + y)) d += (d ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1);
    }
    return this.add("path", { d, class: css });
  }

  // Rings the point that is said, and takes away what was drawn for another.
  ring(x, y) {
    for (const old of this.root.querySelectorAll(".now")) old.remove();
    this.add("circle", { cx: this.x(x), cy: this.y(y), r: 8, class: "now ring" });
  }

  add(tag, attributes, ...children) {
    for (const value of Object.values(attributes)) if (Number.isNaN(value)) return null;
    const element = nsop.svg(tag, attributes, ...children);
    this.root.append(element);
    return element;
  }

  // A text where none is yet; it moves up or down by a line or two, or isn't drawn.
  text(x, y, text, css, moves = [0]) {
    const element = this.add("text", { x, y, class: css }, text);
    if (!element) return null;
    for (const move of moves) {
      element.setAttribute("y", y + move);
      const box = element.getBBox();
      const inside = box.x >= 0 && box.x + box.width <= this.width && box.y >= 0;
      if (inside && !this.placed.some((other) => nsop.Chart.overlap(box, other))) {
        this.placed.push(box);
        return element;
      }
    }
    element.remove();
    return null;
  }

  static overlap(a, b) {
    const apart = a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height;
    return !apart && b.y < a.y + a.height;
  }
};

// An entry of a legend: the look of a line or a mark, and what it is.
nsop.legendEntry = function ([css, text]) {
  const shape = css.startsWith("mark")
    ? nsop.svg("circle", { cx: 12, cy: 6, r: 4, class: css })
    : nsop.svg("line", { x1: 0, y1: 6, x2: 24, y2: 6, class: css });
  const size = { width: 24, height: 12, class: "chart", "aria-hidden": "true" };
  return nsop.el("li", null, nsop.svg("svg", size, shape), " ", nsop.doubted(text));
};

// Draws now, and again whenever the box gets another width.
nsop.drawn = function (box, draw) {
  let width = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === width || !box.clientWidth) return;
    width = box.clientWidth;
    draw();
  }).observe(box);
};

// A colour of the style sheet, for what is no element.
nsop.colour = function (name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
};
