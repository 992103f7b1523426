// Explore: all rows of the index, filtered by words and facets, sorted by any column.
"use strict";

nsop.explore = function (index) {
  const table = new nsop.Table(index);
  const form = document.getElementById("filters");
  const search = document.getElementById("q");
  const count = document.getElementById("count");
  const facets = [...form.querySelectorAll("select")].map((select) => {
    const name = select.dataset.facet;
    const words = table.words[name].map((word) => word || "none");
    return { name, select, words, column: table.columns[name] };
  });
  const DOWN_FIRST = ["gap", "recoverable", "history"];
  let sort = { key: "", down: false };
  let sorted = Uint32Array.from({ length: table.size }, (_, i) => i);
  let chosen = -1;

  const { td, number, bdi, small } = nsop;

  function draw(row) {
    const { texts, cases, columns } = table;
    const verdict = table.word("verdict", row);
    const change = texts.change[row];
    const changed = table.word("changed", row);
    return [
      nsop.head(table.href(row), table.word("title", row), cases.text[columns.case[row]]),
      td(bdi(table.word("who", row))),
      number(table.word("threads", row)),
      td(table.word("host", row)),
      number(nsop.doubted(texts.time[row]), small(texts.interval[row])),
      td(bdi(table.word("peer", row))),
      number(verdict && nsop.badge(verdict), nsop.doubted(texts.peer_time[row]), small(texts.peer_interval[row])),
      number(nsop.doubted(texts.limit[row])),
      td(bdi(table.word("bound", row))),
      number(nsop.doubted(texts.recoverable[row])),
      number(nsop.doubted(table.word("allocs", row))),
      td(
        texts.spark[row] && nsop.spark(texts.spark[row], changed === "worse"),
        change && nsop.badge(changed),
        change
      ),
    ];
  }

  const grid = new nsop.Grid(document.getElementById("rows"), {
    draw,
    sortable: () => true,
    downFirst: (key) => DOWN_FIRST.includes(key),
    sorted(key, down) {
      order(key, down);
      update();
      nsop.save({ sort: key, down: down ? "1" : "" });
    },
    chosen(row) {
      chosen = row;
      nsop.save({ row: table.key(row) });
    },
  });

  function order(key, down) {
    sort = { key, down };
    sorted = nsop.sortedBy(table.numbers(key), down);
    grid.mark(key, down);
  }

  // One walk over the rows: which pass, and how many would with another choice of one facet.
  function filter() {
    const match = table.matcher(search.value);
    const counts = facets.map((facet) => new Uint32Array(facet.words.length));
    const active = facets.map((facet, at) => at).filter((at) => facets[at].select.value !== "");
    const wanted = facets.map((facet) => Number(facet.select.value));
    const passed = new Uint32Array(table.size);
    let size = 0;
    for (const row of sorted) {
      if (match && !match(row)) continue;
      let misses = 0;
      let missed = -1;
      for (const at of active) {
        if (facets[at].column[row] !== wanted[at]) {
          missed = at;
          if (++misses > 1) break;
        }
      }
      if (misses === 0) {
        passed[size++] = row;
        for (let at = 0; at < facets.length; at++) counts[at][facets[at].column[row]]++;
      } else if (misses === 1) {
        counts[missed][facets[missed].column[row]]++;
      }
    }
    return { passed: passed.subarray(0, size), counts };
  }

  function update() {
    const { passed, counts } = filter();
    facets.forEach((facet, at) => {
      for (const option of facet.select.options) {
        if (option.value !== "") option.textContent = label(facet, Number(option.value), counts[at]);
      }
    });
    count.textContent = passed.length + " of " + table.size + " rows.";
    grid.show(passed, chosen);
  }

  function label(facet, word, counts) {
    let text = facet.words[word];
    if (facet.name === "host" && table.hosts[text]) text += " " + table.hosts[text];
    return text.slice(0, 60) + " (" + counts[word] + ")";
  }

  function fillFacets() {
    for (const facet of facets) {
      const ranks = nsop.ranks(facet.words);
      const words = facet.words.map((_, at) => at).sort((a, b) => ranks[a] - ranks[b]);
      for (const word of words) facet.select.append(nsop.el("option", { value: word }));
    }
  }

  function restore() {
    const state = nsop.state();
    search.value = state.get("q") || "";
    for (const facet of facets) {
      const word = state.has(facet.name) ? facet.words.indexOf(state.get(facet.name)) : -1;
      facet.select.value = word < 0 ? "" : String(word);
    }
    const key = state.get("sort");
    if (key && grid.table.querySelector('th[data-key="' + CSS.escape(key) + '"]')) {
      order(key, state.get("down") === "1");
    }
    chosen = state.has("row") ? table.rowOf(state.get("row")) : -1;
    update();
    if (state.has("q") && !state.get("q")) search.focus();
  }

  function changed() {
    update();
    const values = { q: search.value };
    for (const facet of facets) {
      const value = facet.select.value;
      values[facet.name] = value === "" ? "" : facet.words[Number(value)];
    }
    nsop.save(values);
  }

  for (const facet of facets) {
    facet.select.addEventListener("change", changed);
  }
  fillFacets();
  search.addEventListener("input", changed);
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      grid.choose(Math.max(0, grid.at));
    }
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed));
  addEventListener("hashchange", restore);
  form.hidden = false;
  restore();
  document.documentElement.dataset.ready = "explore";
};

if (document.getElementById("filters")) nsop.ready("index").then(nsop.explore);
