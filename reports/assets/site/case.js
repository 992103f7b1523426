// A case: each process as a dot, times of other sizes under the limit, and its histories.
"use strict";

nsop.strip = function (box, rows) {
  const values = rows.flatMap((row) => row.values.concat(row.interval, row.at ?? []));
  const narrow = box.clientWidth < 640;
  const several = new Set(rows.map((row) => row.host)).size > 1;
  const left = narrow ? 12 : several ? 320 : 240;
  const each = narrow ? 42 : 26;
  const chart = new nsop.Chart(box, {
    x: { values },
    height: rows.length * each + 24,
    label: "Times of each process, a line per variant; the table above has the numbers",
    left,
    right: 80,
  });
  rows.forEach((row, at) => {
    const y = (at + 1) * each - (narrow ? 2 : 4);
    const css = row.ours ? "ours" : "peer";
    chart.line(left, y + 9, chart.edge.right, y + 9, "grid");
    if (narrow) chart.text(left, y - 12, nsop.whose(row, several), "tick");
    else chart.text(left - 8, y + 4, nsop.whose(row, several), "tick end");
    if (row.interval.length === 2) {
      chart.line(chart.x(row.interval[0]), y, chart.x(row.interval[1]), y, "bar " + css);
    }
    chart.line(chart.x(row.at), y - 8, chart.x(row.at), y + 8, "at");
    // One path for all dots: a case may have thousands.
    const places = row.values.map((value, nth) => [chart.x(value), y - 4 + ((nth * 5) % 9)]);
    const seen = places.filter(([x]) => Number.isFinite(x));
    const d = seen.map(([x, dot]) => "M" + x.toFixed(1) + " " + dot + "h0").join("");
    chart.add("path", { d, class: "dots " + css });
    chart.text(chart.edge.right + 8, y + 4, row.text.slice(0, 12), "tick");
  });
};

// A row as a label of a drawing.
nsop.whose = function ({ who, threads, host }, several) {
  const name = who.length > 22 ? who.slice(0, 21) + "…" : who;
  return name + ", threads: " + threads + (several ? ", " + host : "");
};

// Times of other sizes under the limit: arrows walk a line and change to another, Enter opens a case.
nsop.Sweep = class {
  constructor(box, sweep) {
    this.box = box;
    this.sweep = sweep;
    this.legend = nsop.el("ul", { class: "legend" });
    const label = "Other sizes: arrows walk the points, Enter opens the case";
    this.said = nsop.walked(box, label, (event) => this.onKey(event));
    box.after(this.legend);
    this.several = new Set(sweep.series.map((one) => one.host)).size > 1;
    this.line = 0;
    this.at = -1;
    nsop.drawn(box, () => this.draw());
  }

  draw() {
    const { series, x_ticks, y_ticks, label } = this.sweep;
    const points = series.flatMap((one) => one.points);
    const limits = points.map((point) => point[4]).filter(Boolean);
    this.chart = new nsop.Chart(this.box, {
      x: { values: points.map((point) => point[0]), ticks: x_ticks, label },
      y: { values: points.map((point) => point[1]).concat(limits), ticks: y_ticks },
      height: 340,
      label: "Time by size; the table is below",
    });
    const entries = series.map((one, at) => this.drawLine(one, "series s" + (at % 6)));
    if (limits.length) entries.push(["roof", "limit of the machine"]);
    this.legend.replaceChildren(...entries.map(nsop.legendEntry));
    if (this.at >= 0) this.show(this.line, this.at);
  }

  // Returns its entry of the legend.
  drawLine(one, look) {
    this.chart.path(one.points.map((point) => [point[0], point[4]]), "roof");
    this.chart.path(one.points, look);
    for (const [x, y, text, id] of one.points) {
      const r = id === nsop.caseId() ? 6 : 4;
      const place = { cx: this.chart.x(x), cy: this.chart.y(y), r, class: "mark " + look };
      this.chart.add("circle", place, nsop.svg("title", null, one.who + ": " + text));
    }
    return [look, nsop.whose(one, this.several)];
  }

  show(line, at) {
    const [x, y, text, , , size, limit] = this.sweep.series[line].points[at];
    this.line = line;
    this.at = at;
    this.chart.ring(x, y);
    const name = nsop.whose(this.sweep.series[line], this.several);
    const parts = [name, "; ", this.sweep.label, " ", size, ": ", nsop.doubted(text)];
    if (limit) parts.push("; limit: ", nsop.doubted(limit));
    this.said.replaceChildren(...parts);
  }

  onKey(event) {
    const { series } = this.sweep;
    const { points } = series[this.line];
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: Infinity }[event.key];
    const other = series[this.line + ({ ArrowUp: -1, ArrowDown: 1 }[event.key] || NaN)];
    if (to !== undefined) this.show(this.line, Math.max(0, Math.min(points.length - 1, to)));
    else if (other) this.show(series.indexOf(other), this.nearest(other.points, points[this.at]));
    else if (event.key !== "Enter") return;
    else if (this.at >= 0 && points[this.at][3]) location.href = points[this.at][3] + ".html";
    event.preventDefault();
  }

  // The place of the point whose size is next to that of another.
  nearest(points, [size] = points[0]) {
    const far = points.map(([x]) => Math.abs(Math.log(x / size)));
    return far.indexOf(Math.min(...far));
  }
};

nsop.caseId = function () {
  return location.pathname.split("/").pop().replace(".html", "");
};

nsop.showCase = function (data) {
  const strip = document.getElementById("strip");
  if (strip) nsop.drawn(strip, () => nsop.strip(strip, data.strip));
  const sweep = document.getElementById("sweep");
  if (sweep && data.sweep) new nsop.Sweep(sweep, data.sweep);
  for (const history of data.histories) {
    const section = document.querySelector('.history[data-row="' + CSS.escape(history.id) + '"]');
    if (section) new nsop.History(section, history, data.gates);
  }
  document.documentElement.dataset.ready = "case";
};

nsop.ready("case").then(nsop.showCase);
