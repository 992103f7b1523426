// Compare: choose two runs of a machine by name, instead of by the table of those compared.
"use strict";

nsop.TwoRuns = class {
  constructor(form, links) {
    const get = (id) => document.getElementById(id);
    this.host = get("run-host");
    this.before = get("run-before");
    this.after = get("run-after");
    this.none = get("two-runs-none");
    this.pairs = links.map((link) => ({
      id: link.dataset.gate,
      host: link.dataset.host,
      before: link.dataset.before,
      after: link.dataset.after,
    }));
    this.fill(this.host, this.pairs.map((pair) => pair.host));
    this.host.addEventListener("change", () => this.ofHost());
    for (const select of [this.before, this.after]) {
      select.addEventListener("change", () => (this.none.textContent = ""));
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.open();
    });
    addEventListener("hashchange", () => this.restore());
    this.ofHost();
    this.restore();
    form.hidden = false;
  }

  fill(select, texts) {
    const once = [...new Set(texts)];
    select.replaceChildren(...once.map((text) => nsop.el("option", { value: text }, text.slice(0, 90))));
  }

  // The runs of the chosen machine, newest first on both sides; texts begin with the time.
  ofHost() {
    const own = this.pairs.filter((pair) => pair.host === this.host.value);
    const newestFirst = (key) => own.map((pair) => pair[key]).sort().reverse();
    this.fill(this.before, newestFirst("before"));
    this.fill(this.after, newestFirst("after"));
    this.none.textContent = "";
  }

  restore() {
    const shown = this.pairs.find((pair) => pair.id === nsop.state().get("gate"));
    if (!shown) return;
    this.host.value = shown.host;
    this.ofHost();
    this.before.value = shown.before;
    this.after.value = shown.after;
  }

  open() {
    const { host, before, after } = this;
    const chosen = this.pairs.find(
      (pair) => pair.host === host.value && pair.before === before.value && pair.after === after.value
    );
    if (chosen) nsop.openGate(chosen.id);
    else this.none.textContent = this.why();
  }

  why() {
    if (this.before.value === this.after.value) return "That is one run twice: choose two.";
    if (this.before.value > this.after.value) return "The earlier run is the later one: exchange them.";
    return "These two share no suite, so this site doesn't compare them.";
  }
};

(function () {
  const form = document.getElementById("two-runs");
  const links = [...document.querySelectorAll("#runs a[data-before]")];
  if (form && links.length) new nsop.TwoRuns(form, links);
})();
