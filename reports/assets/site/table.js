// The index as columns over rows: words, texts and numbers; sparklines.
"use strict";

nsop.Table = class {
  // The columns of the index, spread over rows.
  constructor(index) {
    this.size = index.rows;
    this.hosts = index.hosts;
    const split = (text) => text.split("\n");
    this.words = {};
    for (const [name, text] of Object.entries(index.words)) this.words[name] = split(text);
    this.texts = {};
    for (const [name, text] of Object.entries(index.texts)) this.texts[name] = split(text);
    this.cases = { ...index.cases, id: split(index.cases.id), text: split(index.cases.text) };
    this.columns = index.columns;
    this.columns.case = new Uint32Array(this.size);
    let row = 0;
    index.cases.per.forEach((count, at) => this.columns.case.fill(at, row, (row += count)));
    for (const name of ["title", "op", "pass"]) this.spread(name);
    this.words.ours = ["others", "ours"];
    this.words.doubt = ["without doubt", "in doubt"];
    this.number("threads");
    this.allocs = index.allocs_values;
  }

  spread(name) {
    this.columns[name] = Uint32Array.from(this.columns.case, (at) => this.cases[name][at]);
  }

  // A column of small numbers as words, so that it can be a facet.
  number(name) {
    const values = [...new Set(this.columns[name])].sort((a, b) => a - b);
    const places = new Map(values.map((value, at) => [value, at]));
    this.words[name] = values.map(String);
    this.columns[name] = Uint32Array.from(this.columns[name], (value) => places.get(value));
  }

  word(name, row) {
    return this.words[name][this.columns[name][row]];
  }

  key(row) {
    return this.cases.id[this.columns.case[row]] + "/" + this.word("row", row);
  }

  href(row) {
    const place = this.key(row).split("/");
    return nsop.root + "case/" + place[0] + ".html#" + place[1];
  }

  rowOf(key) {
    const [id, name] = key.split("/");
    const at = this.cases.id.indexOf(id);
    const word = this.words.row.indexOf(name);
    return this.columns.row.findIndex((w, row) => w === word && this.columns.case[row] === at);
  }

  namesOfCases() {
    const { text, title } = this.cases;
    return text.map((line, at) => this.words.title[title[at]] + " " + line);
  }

  // What a column is sorted by.
  numbers(key) {
    const columns = this.columns;
    if (key === "case") {
      const ranks = nsop.ranks(this.namesOfCases());
      return Float64Array.from(columns.case, (at) => ranks[at]);
    }
    if (key === "allocs") return Float64Array.from(columns.allocs, (at) => this.allocs[at] ?? NaN);
    if (key === "history") key = "changed";
    if (this.words[key]) {
      const ranks = nsop.ranks(this.words[key]);
      return Float64Array.from(columns[key], (at) => ranks[at]);
    }
    return columns[key];
  }

  // Rows whose case, variant or machine hold each word of `query`, as a test; null for all.
  matcher(query) {
    const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!wanted.length) return null;
    const has = (words) =>
      wanted.map((word) => Uint8Array.from(words, (text) => text.toLowerCase().includes(word)));
    const ofCase = has(this.namesOfCases());
    const ofWho = has(this.words.who);
    const ofHost = has(this.words.host.map((host) => host + " " + (this.hosts[host] || "")));
    const { case: cases, who, host } = this.columns;
    const held = (row, w) =>
      ofCase[w][cases[row]] || ofWho[w][who[row]] || ofHost[w][host[row]];
    return (row) => wanted.every((_, w) => held(row, w));
  }
};

nsop.spark = function (bars, worse) {
  const step = 5;
  const drawing = nsop.svg("svg", {
    class: worse ? "spark spark-worse" : "spark",
    width: bars.length * step,
    height: 20,
    "aria-hidden": "true",
  });
  let path = "";
  [...bars].forEach((bar, at) => {
    path += (at ? "L" : "M") + (at * step + 2) + " " + (18 - parseInt(bar, 16));
  });
  drawing.append(nsop.svg("path", { d: path }));
  return drawing;
};
