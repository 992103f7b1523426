// Compare: a gate's intervals as a forest, and which verdicts another margin would flip.
"use strict";

// The rule of a gate, on a row's interval: the whole of it lies beyond `worth`, or within `same`.
nsop.verdictWith = function (lo, hi, worth, same) {
  if (lo === null || hi === null) return "";
  if (lo > 1 + worth) return "worse";
  if (hi < 1 / (1 + worth)) return "better";
  if (lo > 1 / (1 + same) && hi < 1 + same) return "same";
  return "inconclusive";
};

nsop.Forest = class {
  constructor(gate) {
    this.gate = gate;
    const all = gate.columns.lo.concat(gate.columns.hi).filter((value) => value > 0);
    const widest = Math.max(...all.map((value) => Math.abs(Math.log(value))), Math.log1p(0.05));
    this.most = Math.min(widest, Math.log(2));
    this.width = 240;
  }

  x(ratio) {
    const share = Math.log(ratio) / this.most;
    return (1 + Math.max(-1, Math.min(1, share))) * (this.width / 2 - 6) + 6;
  }

  draw(row, same, verdict) {
    const { lo, hi, ratio } = this.gate.columns;
    const drawing = nsop.svg("svg", { width: this.width, height: 24, class: "chart", "aria-hidden": "true" });
    const [left, right] = [this.x(1 / (1 + same)), this.x(1 + same)];
    drawing.append(
      nsop.svg("rect", { x: left, y: 0, width: right - left, height: 24, class: "band" }),
      nsop.svg("line", { x1: this.x(1), y1: 0, x2: this.x(1), y2: 24, class: "one" })
    );
    if (!(lo[row] > 0 && ratio[row] > 0)) return drawing;
    const high = hi[row] ?? Infinity;
    const css = "whisker w-" + (["worse", "better", "same"].includes(verdict) ? verdict : "unsure");
    const [x1, x2, at] = [this.x(lo[row]), this.x(high), this.x(ratio[row])];
    drawing.append(nsop.svg("line", { x1, y1: 12, x2, y2: 12, class: css }));
    drawing.append(nsop.svg("rect", { x: at - 3.5, y: 8.5, width: 7, height: 7, class: css }));
    for (const [end, ratioThere, step] of [[x1, lo[row], 5], [x2, high, -5]]) {
      if (Math.abs(Math.log(ratioThere)) <= this.most * 1.0001) continue;
      const d = "M" + (end + step) + " 8L" + end + " 12L" + (end + step) + " 16"; // goes on outside
      drawing.append(nsop.svg("path", { d, class: css }));
    }
    return drawing;
  }
};

nsop.Gate = class {
  constructor() {
    const get = (id) => document.getElementById(id);
    this.section = get("gate");
    this.form = this.section.querySelector("form");
    this.worth = get("worth");
    this.same = get("same");
    this.only = get("only");
    this.search = get("gate-q");
    this.flips = get("flips");
    this.sort = { key: "", down: false };
    this.grid = new nsop.Grid(get("forest"), {
      draw: (row) => this.row(row),
      sortable: (key) => key !== "note",
      downFirst: (key) => key === "ratio" || key === "would",
      sorted: (key, down) => {
        this.sort = { key, down };
        nsop.save({ sort: key, down: down ? "1" : "" });
        this.update();
      },
      chosen: (row) => {
        this.chosen = row;
        nsop.save({ row: this.key(row) });
      },
    });
    for (const input of [this.worth, this.same, this.only, this.search]) {
      input.addEventListener("input", () => this.changed());
    }
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("reset", () =>
      setTimeout(() => {
        this.reset();
        this.changed();
      })
    );
    this.section.hidden = false;
  }

  show(gate) {
    const { case_id, who, threads } = gate.columns;
    this.gate = gate;
    this.forest = new nsop.Forest(gate);
    this.key = (row) => case_id[row] + "/" + who[row] + "/" + threads[row];
    this.rows = gate.columns.who.map((_, row) => row);
    this.ruled = this.rows.map((row) => this.would(row, gate.worth, gate.same));
    document.getElementById("s-gate").textContent = gate.title;
    const page = nsop.el("a", { href: "gate/" + gate.id + ".html" }, "all as a plain table");
    const head = document.getElementById("gate-head");
    head.replaceChildren(nsop.badge(gate.outcome), " " + gate.headline + " (", page, ")");
    this.reset();
    const state = nsop.state();
    if (state.has("worth")) this.worth.value = state.get("worth");
    if (state.has("same")) this.same.value = state.get("same");
    this.only.value = state.get("only") || "";
    this.search.value = state.get("q") || "";
    this.sort = { key: state.get("sort") || "", down: state.get("down") === "1" };
    this.chosen = this.rows.findIndex((row) => this.key(row) === state.get("row"));
    this.update();
  }

  reset() {
    this.worth.value = Math.round(this.gate.worth * 1000);
    this.same.value = Math.round(this.gate.same * 1000);
    this.only.value = "";
    this.search.value = "";
  }

  // A margin of a slider: the gate's own where the slider stands on it.
  margin(name) {
    const own = this.gate[name];
    const value = Number(this[name].value);
    return value === Math.round(own * 1000) ? own : value / 1000;
  }

  would(row, worth, same) {
    const { lo, hi, exact } = this.gate.columns;
    return exact[row] ? "" : nsop.verdictWith(lo[row], hi[row], worth, same);
  }

  // Would this row's verdict be another with the margins of the sliders? Rows that were judged by
  // more than the rule stay as they are.
  flipped(row) {
    const own = this.gate.columns.verdict[row];
    return this.ruled[row] === own && this.now[row] !== own;
  }

  changed() {
    const own = (name) => Number(this[name].value) === Math.round(this.gate[name] * 1000);
    nsop.save({
      worth: own("worth") ? "" : this.worth.value,
      same: own("same") ? "" : this.same.value,
      only: this.only.value,
      q: this.search.value,
    });
    this.update();
  }

  update() {
    const [worth, same] = [this.margin("worth"), this.margin("same")];
    for (const name of ["worth", "same"]) {
      document.getElementById(name + "-out").value = (Number(this[name].value) / 10).toFixed(1) + " %";
    }
    this.now = this.rows.map((row) => this.would(row, worth, same));
    const flips = this.rows.filter((row) => this.flipped(row));
    const shown = this.filtered();
    const of = flips.length + " of " + this.rows.length + " verdicts would flip";
    this.flips.textContent = of + "; showing " + shown.length + " rows.";
    this.grid.mark(this.sort.key, this.sort.down);
    this.grid.show(shown, this.chosen);
  }

  filtered() {
    const { verdict, exact, case: cases, who } = this.gate.columns;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const tests = {
      flips: (row) => this.flipped(row),
      moved: (row) => verdict[row] === "worse" || verdict[row] === "better",
      exact: (row) => exact[row] !== "",
    };
    const test = tests[this.only.value] || (() => true);
    const found = (row) => {
      const text = (cases[row] + " " + who[row]).toLowerCase();
      return words.every((word) => text.includes(word));
    };
    const { key, down } = this.sort;
    const sorted = key ? [...nsop.sortedBy(this.numbers(key), down)] : this.rows;
    return sorted.filter((row) => test(row) && found(row));
  }

  numbers(key) {
    const columns = this.gate.columns;
    if (key === "would") return this.rows.map((row) => (this.flipped(row) ? 1 : 0));
    if (key === "how") return nsop.ranks(this.rows.map((row) => this.how(row)));
    if (key === "ratio" || key === "lo" || key === "threads") return columns[key];
    return columns[key] ? nsop.ranks(columns[key]) : this.rows;
  }

  how(row) {
    const { exact, paired, rounds } = this.gate.columns;
    if (exact[row]) return "exact: " + exact[row];
    return (paired[row] ? "paired" : "unpaired") + ", rounds: " + rounds[row];
  }

  row(row) {
    const columns = this.gate.columns;
    const { td, number, bdi } = nsop;
    const id = columns.case_id[row];
    const flips = this.flipped(row);
    const would = flips ? [nsop.badge(this.now[row]), "flips"] : ["as judged"];
    const verdict = flips ? this.now[row] : columns.verdict[row];
    return [
      nsop.head(id && "case/" + id + ".html", columns.case[row]),
      td(bdi(columns.who[row])),
      number(String(columns.threads[row])),
      td(nsop.badge(columns.verdict[row])),
      td(this.forest.draw(row, this.margin("same"), verdict)),
      number(nsop.doubted(columns.text[row])),
      td(...would),
      td(this.how(row)),
      td(columns.note[row]),
    ];
  }
};

(function () {
  let view = null;
  function open(id, walk) {
    if (!/^[0-9a-zA-Z]{1,40}$/.test(id)) return;
    nsop.load("gate-" + id).then(
      (gate) => {
        view = view || new nsop.Gate();
        view.show(gate);
        if (walk) document.getElementById("s-gate").focus();
        document.documentElement.dataset.ready = "gate";
      },
      () => (document.documentElement.dataset.ready = "no gate")
    );
  }
  for (const link of document.querySelectorAll("a[data-gate]")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      nsop.openGate(link.dataset.gate);
    });
  }
  nsop.openGate = (id) => {
    nsop.goto("#gate=" + id);
    open(id, true);
  };
  const restore = () => nsop.state().get("gate") && open(nsop.state().get("gate"), false);
  addEventListener("hashchange", restore);
  restore();
})();
