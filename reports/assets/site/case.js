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

nsop.sweep = function (box, legend, sweep) {
  const points = sweep.series.flatMap((one) => one.points);
  const limits = points.map((point) => point[4]).filter((limit) => limit > 0);
  const chart = new nsop.Chart(box, {
    x: { values: points.map((point) => point[0]), ticks: sweep.x_ticks, label: sweep.label },
    y: { values: points.map((point) => point[1]).concat(limits), ticks: sweep.y_ticks },
    height: 340,
    label: "Time by size; the table below has the numbers",
  });
  const entries = [];
  const several = new Set(sweep.series.map((one) => one.host)).size > 1;
  sweep.series.forEach((one, at) => {
    const look = "series s" + (at % 6);
    if (one.points.some((point) => point[4] > 0)) {
      chart.path(one.points.map((point) => [point[0], point[4]]), "roof");
    }
    chart.path(one.points, look);
    for (const [x, y, text, id] of one.points) {
      const mark = chart.add("circle", { cx: chart.x(x), cy: chart.y(y), r: 4, class: "mark " + look });
      if (mark) mark.append(nsop.svg("title", null, one.who + ": " + text));
      if (mark && id === nsop.caseId()) mark.setAttribute("r", 6);
    }
    entries.push([look, nsop.whose(one, several)]);
  });
  if (limits.length) entries.push(["roof", "limit of the machine"]);
  legend.replaceChildren(...entries.map(nsop.legendEntry));
};

nsop.caseId = function () {
  return location.pathname.split("/").pop().replace(".html", "");
};

nsop.showCase = function (data) {
  const strip = document.getElementById("strip");
  if (strip) nsop.drawn(strip, () => nsop.strip(strip, data.strip));
  const sweep = document.getElementById("sweep");
  if (sweep && data.sweep) {
    const legend = nsop.el("ul", { class: "legend" });
    sweep.after(legend);
    nsop.drawn(sweep, () => nsop.sweep(sweep, legend, data.sweep));
  }
  for (const history of data.histories) {
    const section = document.querySelector('.history[data-row="' + CSS.escape(history.id) + '"]');
    if (section) new nsop.History(section, history, data.gates);
  }
  document.documentElement.dataset.ready = "case";
};

nsop.ready("case").then(nsop.showCase);
