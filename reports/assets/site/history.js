// The history of a row: its times, levels and changes; arrows walk the points, Enter keeps one in
// the URL, a click holds one so that the pointer can go to its gate and its bisection.
"use strict";

nsop.History = class {
  constructor(section, history, gates) {
    this.history = history;
    this.gates = gates;
    this.box = section.querySelector(".plot");
    const label = "History: arrows walk the points, Enter keeps one in the address";
    this.said = nsop.walked(this.box, label, (event) => this.onKey(event));
    this.box.addEventListener("click", (event) => this.pick(event));
    this.at = -1;
    this.held = false; // the point stays named while the pointer goes on, to what is said of it
    if (!history.t.length) return;
    this.draw();
    nsop.drawn(this.box, () => {
      this.plot.setSize(this.size());
      if (this.at >= 0) this.move(this.at);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plot.redraw());
    addEventListener("hashchange", () => this.restore());
  }

  size() {
    return { width: Math.max(280, this.box.clientWidth), height: 260 };
  }

  draw() {
    const { t, y, out } = this.history;
    const kept = y.map((value, at) => (at in out ? null : value));
    const left = y.map((value, at) => (at in out ? value : null));
    const colour = (name) => () => nsop.colour(name);
    const axis = {
      stroke: colour("--muted"),
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { stroke: colour("--line"), width: 1 },
      font: "12px system-ui, sans-serif",
    };
    const dots = (name, fill) => ({
      stroke: colour(name),
      width: 0,
      points: { show: true, size: 7, stroke: colour(name), fill: colour(fill), width: 1.5 },
    });
    this.plot = new uPlot(
      {
        ...this.size(),
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, focus: { prox: 24 } },
        scales: { x: { time: false, range: nsop.History.padded }, y: { range: nsop.History.padded } },
        axes: [
          { ...axis, splits: (plot) => this.dates(plot), values: (_, places) => this.dateTexts(places) },
          { ...axis, size: 76, splits: (plot) => this.times(plot), values: (_, v) => this.timeTexts(v) },
        ],
        series: [{}, dots("--ours", "--ours"), dots("--muted", "--back")],
        hooks: {
          drawAxes: [(plot) => this.drawLevels(plot)],
          ready: [() => setTimeout(() => this.restore())],
          setCursor: [(plot) => this.onCursor(plot)],
        },
      },
      [t, kept, left],
      this.box
    );
  }

  // A range with room around; of one value, too.
  static padded(_, low, high) {
    if (!Number.isFinite(low + high)) return [0, 1]; // no point has a time
    const room = 0.08 * (high - low) || 0.05 * Math.abs(high) || 1;
    return [low - room, high + room];
  }

  // Ticks stand where points are, so that the model's texts are theirs.
  times(plot) {
    const { y } = this.history;
    const [low, high] = [plot.scales.y.min, plot.scales.y.max];
    const least = ((high - low) * 24) / (plot.bbox.height / devicePixelRatio || 200);
    const kept = [];
    const timed = y.filter((value) => value !== null).sort((a, b) => a - b);
    for (const share of [0, 1, 0.5, 0.25, 0.75]) {
      const value = timed[Math.round(share * (timed.length - 1))];
      if (value === undefined) break;
      if (kept.every((other) => Math.abs(other - value) > least)) kept.push(value);
    }
    return kept.sort((a, b) => a - b);
  }

  timeTexts(values) {
    const { y, text } = this.history;
    return values.map((value) => text[nsop.History.nearest(y, value)].replace(/ \?$/, ""));
  }

  dates(plot) {
    const { t } = this.history;
    const fit = Math.max(1, Math.floor(plot.bbox.width / devicePixelRatio / 110));
    const least = (plot.scales.x.max - plot.scales.x.min) / fit;
    const kept = [];
    for (const value of t) if (!kept.length || value - kept[kept.length - 1] >= least) kept.push(value);
    return kept;
  }

  dateTexts(places) {
    const { t, date } = this.history;
    const oneDay = date[0].slice(0, 10) === date[date.length - 1].slice(0, 10);
    const texts = places.map((place) => date[nsop.History.nearest(t, place)]);
    return texts.map((text) => (oneDay ? text.slice(11) : text.slice(0, 10)));
  }

  static nearest(values, wanted) {
    const far = (at) => (values[at] === null ? Infinity : Math.abs(values[at] - wanted));
    return values.reduce((best, _, at) => (far(at) < far(best) ? at : best), 0);
  }

  drawLevels(plot) {
    const { t, levels, changes } = this.history;
    const ink = plot.ctx;
    ink.save();
    ink.lineWidth = 2 * devicePixelRatio;
    ink.strokeStyle = nsop.colour("--muted");
    for (const [first, last, value] of levels) {
      const y = plot.valToPos(value, "y", true);
      ink.beginPath();
      ink.moveTo(plot.valToPos(t[first], "x", true), y);
      ink.lineTo(plot.valToPos(t[last], "x", true), y);
      ink.stroke();
    }
    ink.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const change of changes) {
      ink.strokeStyle = nsop.colour(change.verdict === "worse" ? "--worse" : "--better");
      const x = plot.valToPos(t[change.at], "x", true);
      ink.beginPath();
      ink.moveTo(x, plot.bbox.top);
      ink.lineTo(x, plot.bbox.top + plot.bbox.height);
      ink.stroke();
    }
    ink.restore();
  }

  onCursor(plot) {
    const at = plot.cursor.idx;
    if (this.held || at === null || at === undefined) return;
    if (at !== this.at) this.say(at);
  }

  // A click holds the point, another one on it lets go. The plot follows the pointer a frame late.
  pick(event) {
    if (!this.plot) return;
    const at = this.plot.posToIdx(event.clientX - this.plot.over.getBoundingClientRect().left);
    this.held = !(this.held && at === this.at);
    this.say(at);
    this.keep();
  }

  say(at) {
    const { date, text, run, commit, out, changes, ids } = this.history;
    this.at = at;
    const parts = [nsop.el("b", null, nsop.doubted(text[at] || "no time")), ", " + date[at] + " UTC, run " + run[at] + ", commit "];
    parts.push(nsop.el("code", null, commit[at]));
    const gate = Object.hasOwn(this.gates, commit[at]) ? this.gates[commit[at]] : "";
    if (gate) parts.push(", ", nsop.el("a", { href: nsop.root + "gate/" + gate + ".html" }, "its gate"));
    if (at in out) parts.push(", left out: " + out[at]);
    const change = changes.find((one) => one.at === at);
    if (change) parts.push(", change of level: " + change.text);
    if (change && change.command) {
      const code = nsop.el("code", null, change.command);
      parts.push(nsop.el("span", { class: "command" }, code));
      nsop.addCopyButton(code);
    }
    this.said.replaceChildren(...parts);
    for (const row of document.querySelectorAll("tr.chosen")) row.classList.remove("chosen");
    const row = document.getElementById(ids[at]);
    if (row) row.classList.add("chosen");
  }

  move(at) {
    const { t, y } = this.history;
    const to = Math.max(0, Math.min(at, t.length - 1));
    const top = y[to] === null ? 0 : this.plot.valToPos(y[to], "y");
    this.plot.setCursor({ left: this.plot.valToPos(t[to], "x"), top });
    this.say(to);
  }

  onKey(event) {
    const last = this.history.t.length - 1;
    const start = this.at < 0 ? last + 1 : this.at;
    const to = { ArrowLeft: start - 1, ArrowRight: this.at + 1, Home: 0, End: last }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.move(to);
    } else if (event.key === "Enter") {
      this.keep();
    } else if (event.key === "Escape") {
      this.held = false;
    }
  }

  keep() {
    if (this.at >= 0) nsop.goto("#" + this.history.ids[this.at]);
  }

  restore() {
    const { id, ids } = this.history;
    const wanted = location.hash.slice(1);
    if (!wanted.startsWith(id + ".run-")) return;
    const at = ids.indexOf(wanted);
    if (at >= 0) {
      this.move(at);
      this.held = true;
    } else {
      this.said.textContent = "The run of this link is not among the newest " + ids.length + ".";
    }
    this.box.scrollIntoView({ block: "center" });
  }
};
