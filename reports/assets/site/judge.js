// The judge's charts: rates with their intervals, one look per source.
"use strict";

nsop.drawRates = function (box, data) {
  const { x_label, y_label, x_ticks, y_ticks, x_linear, series } = data;
  const points = series.flatMap((one) => one.points);
  const chart = new nsop.Chart(box, {
    x: { values: points.map((p) => p[0]), ticks: x_ticks, label: x_label, linear: x_linear },
    y: { values: points.flatMap((p) => p.slice(1, 4)), ticks: y_ticks, label: y_label, linear: true },
    height: 320,
    label: "Rates with their intervals; the table below has the numbers",
  });
  series.forEach((one, at) => {
    const look = "series s" + (at % 6);
    const shift = (at - (series.length - 1) / 2) * 5; // intervals side by side
    chart.path(one.points, look);
    for (const [x, y, low, high, text] of one.points) {
      const place = chart.x(x) + shift;
      chart.line(place, chart.y(low), place, chart.y(high), look);
      const mark = { cx: place, cy: chart.y(y), r: 4, class: "mark " + look };
      const drawn = chart.add("circle", mark);
      if (drawn) drawn.append(nsop.svg("title", null, one.label + ": " + text));
    }
  });
};

(nsop.block() || []).forEach((data, at) => {
  const box = document.querySelector("#j" + at + " .plot");
  const names = data.series.map((one, nth) => ["series s" + (nth % 6), one.label]);
  box.after(nsop.el("ul", { class: "legend" }, ...names.map(nsop.legendEntry)));
  nsop.drawn(box, () => nsop.drawRates(box, data));
});
document.documentElement.dataset.ready = "judge";
