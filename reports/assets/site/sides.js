// Compare: two machines or variants side by side, from the index; loaded when first asked for.
"use strict";

nsop.Sides = class {
  constructor(index) {
    this.table = new nsop.Table(index);
    this.picks = {};
    for (const side of ["a", "b"]) {
      for (const name of ["host", "who"]) this.fill(side, name);
    }
    this.grid = new nsop.Grid(document.getElementById("both"), {
      draw: (at) => this.row(at),
      sortable: (key) => key !== "drawn",
      downFirst: () => false,
      sorted: (key, down) => {
        this.sort = { key, down };
        nsop.save({ "s-sort": key, "s-down": down ? "1" : "" });
        this.update();
      },
      chosen: (at) => {
        this.chosen = this.pairs[at][0];
        nsop.save({ "s-row": this.table.key(this.chosen) });
      },
    });
    const state = nsop.state();
    this.sort = { key: state.get("s-sort") || "", down: state.get("s-down") === "1" };
    this.chosen = state.has("s-row") ? this.table.rowOf(state.get("s-row")) : -1;
    document.getElementById("sides-parts").hidden = false;
    this.save();
    this.update();
  }

  fill(side, name) {
    const select = document.getElementById(side + "-" + name);
    const words = this.table.words[name];
    const ranks = nsop.ranks(words);
    for (const word of words.map((_, at) => at).sort((a, b) => ranks[a] - ranks[b])) {
      let text = words[word];
      if (name === "host") text += " " + (this.table.hosts[text] || "");
      select.append(nsop.el("option", { value: words[word] }, text.slice(0, 60)));
    }
    const wanted = nsop.state().get(side + "-" + name);
    if (wanted && words.includes(wanted)) select.value = wanted;
    else if (side === "b" && select.options.length > 1 && name === "host") select.selectedIndex = 1;
    select.addEventListener("change", () => {
      this.save();
      this.update();
    });
    this.picks[side + "-" + name] = select;
  }

  // All four choices, those that nobody made too: another site may begin with others.
  save() {
    const chosen = Object.entries(this.picks).map(([name, select]) => [name, select.value]);
    nsop.save(Object.fromEntries(chosen));
  }

  // {case and threads: row} of a side.
  rowsOf(side) {
    const { words, columns, size } = this.table;
    const host = words.host.indexOf(this.picks[side + "-host"].value);
    const who = words.who.indexOf(this.picks[side + "-who"].value);
    const found = new Map();
    for (let row = 0; row < size; row++) {
      if (columns.host[row] !== host || columns.who[row] !== who) continue;
      found.set(columns.case[row] + "/" + columns.threads[row], row);
    }
    return found;
  }

  update() {
    const right = this.rowsOf("b");
    this.pairs = [];
    for (const [key, row] of this.rowsOf("a")) if (right.has(key)) this.pairs.push([row, right.get(key)]);
    const times = this.pairs.flat().map((row) => this.table.columns.time[row]).filter((time) => time > 0);
    this.low = Math.log(Math.min(...times));
    this.room = Math.log(Math.max(...times)) - this.low || 1;
    const { key, down } = this.sort;
    const order = key ? nsop.sortedBy(this.numbers(key), down) : this.pairs.map((_, at) => at);
    this.grid.mark(key, down);
    this.grid.show([...order], this.pairs.findIndex((pair) => pair[0] === this.chosen));
    const count = document.getElementById("sides-count");
    count.textContent = this.pairs.length + " cases with a row on both sides.";
  }

  numbers(key) {
    const ofRows = this.table.numbers({ a: "time", b: "time" }[key] || key);
    return this.pairs.map((pair) => ofRows[pair[key === "b" ? 1 : 0]]);
  }

  time(row) {
    const { texts } = this.table;
    return nsop.number(nsop.doubted(texts.time[row]), nsop.small(texts.interval[row]));
  }

  row(at) {
    const [a, b] = this.pairs[at];
    const { cases, columns } = this.table;
    return [
      nsop.head(this.table.href(a), this.table.word("title", a), cases.text[columns.case[a]]),
      nsop.number(this.table.word("threads", a)),
      this.time(a),
      this.time(b),
      nsop.td(this.draw(columns.time[a], columns.time[b])),
    ];
  }

  draw(a, b) {
    const drawing = nsop.svg("svg", { width: 200, height: 24, class: "chart", "aria-hidden": "true" });
    if (!(a > 0 && b > 0)) return drawing;
    const x = (time) => 8 + ((Math.log(time) - this.low) / this.room) * 184;
    drawing.append(
      nsop.svg("line", { x1: x(a), y1: 12, x2: x(b), y2: 12, class: "one" }),
      nsop.svg("rect", { x: x(b) - 4, y: 8, width: 8, height: 8, class: "mark peer" }),
      nsop.svg("circle", { cx: x(a), cy: 12, r: 5, class: "mark ring" })
    );
    return drawing;
  }
};

(function () {
  const button = document.getElementById("sides-open");
  async function open() {
    button.hidden = true;
    const index = await nsop.load("index");
    if (index.rows) new nsop.Sides(index);
    document.documentElement.dataset.sides = "ready";
  }
  button.addEventListener("click", open);
  document.getElementById("sides").hidden = false;
  if (["a-host", "a-who", "b-host", "b-who", "s-row"].some((name) => nsop.state().has(name))) open();
})();
