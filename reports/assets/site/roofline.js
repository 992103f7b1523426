// Rooflines: points under the roofs of a machine; a point names itself and shows its best peer.
"use strict";

nsop.Roofline = class {
  constructor(section, data) {
    this.data = data;
    this.box = section.querySelector(".plot");
    this.rows = [...section.querySelector("tbody").rows];
    this.legend = nsop.el("ul", { class: "legend" });
    const label = "Roofline: arrows walk the points, Enter opens the case";
    this.said = nsop.walked(this.box, label, (event) => this.onKey(event));
    this.said.textContent = "Arrows or the pointer name a point.";
    this.box.after(this.legend);
    this.box.addEventListener("pointermove", (event) => this.onPointer(event));
    this.box.addEventListener("click", (event) => this.onPointer(event) && this.keep());
    this.box.addEventListener("dblclick", () => this.open());
    const { points } = data;
    const along = (axis) =>
      points.map((_, i) => i).sort((a, b) => points[a][axis] - points[b][axis] || a - b);
    this.byX = along(0);
    this.byY = along(1);
    this.at = -1;
    nsop.drawn(this.box, () => this.draw());
  }

  draw() {
    const { points, roofs, x_label, y_label, x_ticks, y_ticks } = this.data;
    const peers = points.map((point) => point[3]).filter(Boolean);
    const xs = points.map((p) => p[0]).concat(peers.map((p) => p[0]), ...roofs.map((roof) => roof.x));
    const ys = points.map((p) => p[1]).concat(peers.map((p) => p[1]), ...roofs.map((roof) => roof.y));
    this.chart = new nsop.Chart(this.box, {
      x: { values: xs, ticks: x_ticks, label: x_label },
      y: { values: ys, ticks: y_ticks, label: y_label },
      height: Math.min(460, Math.max(320, this.box.clientWidth * 0.6)),
      label: "Roofline; the table below has each point",
    });
    roofs.forEach((roof, at) => {
      this.chart.path(roof.x.map((x, i) => [x, roof.y[i]]), "roof r" + (at % 5));
    });
    points.forEach(([x, y, ours], at) => {
      const css = ours ? "mark ours" : "mark peer";
      const attributes = { cx: this.chart.x(x), cy: this.chart.y(y), r: 4, class: css, "data-at": at };
      this.chart.add("circle", attributes);
    });
    const entries = roofs.map((roof, at) => ["roof r" + (at % 5), roof.label]);
    if (points.some((point) => point[2])) entries.push(["mark ours", "ours"]);
    if (points.some((point) => !point[2])) entries.push(["mark peer", "others"]);
    this.legend.replaceChildren(...entries.map(nsop.legendEntry));
    if (this.at >= 0) this.show(this.at);
  }

  // Marks a point, draws the arrow to its best peer, and says both.
  show(at) {
    this.at = at;
    const [x, y, , peer] = this.data.points[at];
    this.chart.ring(x, y);
    if (peer) this.arrow(this.chart.x(x), this.chart.y(y), this.chart.x(peer[0]), this.chart.y(peer[1]));
    const cells = [...this.rows[at].cells];
    const parts = [...cells[0].cloneNode(true).childNodes, ", ", ...cells[1].cloneNode(true).childNodes];
    parts.push(": ", ...cells[3].cloneNode(true).childNodes);
    if (cells[4].textContent) parts.push("; best peer: ", ...cells[4].cloneNode(true).childNodes);
    this.said.replaceChildren(...parts);
    for (const row of this.rows) row.classList.toggle("chosen", row === this.rows[at]);
  }

  arrow(x1, y1, x2, y2) {
    if (!this.chart.line(x1, y1, x2, y2, "now arrow")) return;
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const place = (x, y) => x.toFixed(1) + " " + y.toFixed(1);
    const end = (turn) => place(x2 - 9 * Math.cos(angle + turn), y2 - 9 * Math.sin(angle + turn));
    const d = "M" + end(0.4) + "L" + place(x2, y2) + "L" + end(-0.4);
    this.chart.add("path", { d, class: "now arrow" });
  }

  onPointer(event) {
    const box = this.chart.root.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1;
    let least = 24 * 24;
    this.data.points.forEach((point, at) => {
      const far = (this.chart.x(point[0]) - x) ** 2 + (this.chart.y(point[1]) - y) ** 2;
      if (far < least) [least, best] = [far, at];
    });
    if (best >= 0 && best !== this.at) this.show(best);
    return best >= 0;
  }

  onKey(event) {
    if (!this.data.points.length) return;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const order = event.key === "ArrowUp" || event.key === "ArrowDown" ? this.byY : this.byX;
      const place = this.at < 0 ? (step > 0 ? -1 : order.length) : order.indexOf(this.at);
      this.show(order[Math.max(0, Math.min(order.length - 1, place + step))]);
      this.keep();
    } else if (event.key === "Enter") {
      this.open();
    }
  }

  keep() {
    nsop.save({ roofline: this.data.id, point: this.data.ids[this.at] });
  }

  open() {
    const link = this.at >= 0 && this.rows[this.at].querySelector("a");
    if (link) location.href = link.href;
  }
};

(function () {
  const data = nsop.block();
  const made = [...document.querySelectorAll("section.roofline")].map(
    (section, at) => new nsop.Roofline(section, data[at])
  );
  function restore() {
    const state = nsop.state();
    const one = made.find((roofline) => roofline.data.id === state.get("roofline"));
    const at = one ? one.data.ids.indexOf(state.get("point")) : -1;
    if (at < 0) return;
    one.at = at;
    if (one.chart) one.show(at);
    one.box.scrollIntoView({ block: "center" });
  }
  addEventListener("hashchange", restore);
  restore();
  document.documentElement.dataset.ready = "roofline";
})();
