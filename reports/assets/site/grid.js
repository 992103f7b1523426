// A table of which only the rows in sight are elements: rows of one height, sorted by its heads,
// walked by arrows.
"use strict";

// `draw(i)` gives the cells of row i, the first with a link; `key(i)` its name in the URL.
// `sorted(key, down)` is called when a head is pressed, `chosen(i)` when a row is walked to.
nsop.Grid = class {
  constructor(table, options) {
    this.table = table;
    this.region = table.parentElement;
    this.options = options;
    this.order = [];
    this.at = -1; // the place of the chosen row in `order`
    this.height = 44;
    this.body = table.tBodies[0];
    this.body.replaceChildren();
    table.classList.add("drawn");
    this.region.addEventListener("scroll", () => this.render(), { passive: true });
    this.region.addEventListener("keydown", (event) => this.onKey(event));
    this.region.addEventListener("focusin", (event) => this.onFocus(event));
    new ResizeObserver(() => this.render(true)).observe(this.region);
    for (const head of table.querySelectorAll("th[data-key]")) this.makeHead(head);
  }

  makeHead(head) {
    if (!this.options.sortable(head.dataset.key)) return;
    const label = head.firstChild;
    const button = nsop.el("button", { type: "button", class: "sort" }, label.textContent.trim());
    label.replaceWith(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "descending";
      const first = !head.hasAttribute("aria-sort");
      this.options.sorted(head.dataset.key, first ? this.options.downFirst(head.dataset.key) : !down);
    });
  }

  // Says in the heads by what the rows are sorted.
  mark(key, down) {
    for (const head of this.table.querySelectorAll("th[data-key]")) {
      if (head.dataset.key === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  }

  // Shows these rows; the chosen row `chosen` stays chosen if it is among them.
  show(order, chosen) {
    this.order = order;
    this.at = chosen === undefined || chosen < 0 ? -1 : order.indexOf(chosen);
    this.table.setAttribute("aria-rowcount", order.length + 1);
    if (this.at > 0) {
      this.render(true); // as high as all rows, so that it can be scrolled
      this.region.scrollTop = Math.max(0, this.lead() + (this.at - 2) * this.height);
    } else {
      this.region.scrollTop = 0;
    }
    this.render(true);
  }

  render(always) {
    const room = Math.ceil(this.region.clientHeight / this.height) || 20;
    const top = Math.floor(Math.max(0, this.region.scrollTop - this.lead()) / this.height);
    const first = Math.max(0, Math.min(top - 4, this.order.length - room - 8));
    const last = Math.min(this.order.length, first + room + 8);
    if (!always && first === this.first && last === this.last) return;
    const focused = this.body.contains(document.activeElement);
    this.first = first;
    this.last = last;
    const rows = [this.spacer(first)];
    for (let at = first; at < last; at++) rows.push(this.row(at));
    rows.push(this.spacer(this.order.length - last));
    this.body.replaceChildren(...rows);
    if (focused) this.focus(true);
    this.measure();
  }

  spacer(count) {
    const row = nsop.el("tr", { class: "spacer", "aria-hidden": "true" });
    row.style.height = count * this.height + "px";
    return row;
  }

  row(at) {
    const index = this.order[at];
    const row = nsop.el("tr", { "aria-rowindex": at + 2, "data-at": at }, ...this.options.draw(index));
    const chosen = at === this.at;
    if (chosen) row.className = "chosen";
    const reachable = chosen || (this.at < 0 && at === 0);
    for (const link of row.querySelectorAll("a")) link.tabIndex = reachable ? 0 : -1;
    return row;
  }

  // Rows are as high as the style sheet and the reader's text size say.
  measure() {
    const row = this.body.querySelector("tr[data-at]");
    const height = row ? row.getBoundingClientRect().height : 0;
    if (height && Math.abs(height - this.height) > 0.5) {
      this.height = height;
      this.render(true);
    }
  }

  // The height of what scrolls away above the rows.
  lead() {
    return this.table.caption ? this.table.caption.offsetHeight : 0;
  }

  choose(at) {
    if (!this.order.length) return;
    this.at = Math.max(0, Math.min(at, this.order.length - 1));
    const top = this.lead() + this.at * this.height;
    const room = this.region.clientHeight - this.table.tHead.offsetHeight - this.height;
    if (top < this.region.scrollTop) this.region.scrollTop = top;
    else if (top > this.region.scrollTop + room) this.region.scrollTop = top - room;
    this.render(true);
    this.focus(false);
    this.options.chosen(this.order[this.at]);
  }

  focus(quietly) {
    const link = this.body.querySelector("tr.chosen a");
    if (link) link.focus({ preventScroll: true });
    else if (quietly) this.region.focus({ preventScroll: true });
  }

  onFocus(event) {
    const row = event.target.closest("tr[data-at]");
    if (!row || Number(row.dataset.at) === this.at) return;
    this.at = Number(row.dataset.at);
    for (const other of this.body.querySelectorAll("tr[data-at]")) {
      other.classList.toggle("chosen", other === row);
      for (const link of other.querySelectorAll("a")) link.tabIndex = other === row ? 0 : -1;
    }
    this.options.chosen(this.order[this.at]);
  }

  onKey(event) {
    if (!nsop.plain(event) || event.target.closest("thead")) return;
    const page = Math.max(1, Math.floor(this.region.clientHeight / this.height) - 2);
    const to = {
      ArrowDown: this.at + 1,
      ArrowUp: this.at - 1,
      PageDown: this.at + page,
      PageUp: this.at - page,
      Home: 0,
      End: this.order.length - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.choose(to);
    } else if (event.key === "Enter" && event.target === this.region && this.at >= 0) {
      const link = this.body.querySelector("tr.chosen a");
      if (link) link.click();
    }
  }
};

// Cells of such rows.
nsop.bdi = (text) => nsop.el("bdi", null, text);
nsop.small = (text) => text && nsop.el("small", null, text);
nsop.td = (...parts) => nsop.el("td", null, ...nsop.spaced(parts));
nsop.number = (...parts) => nsop.el("td", { class: "n" }, ...nsop.spaced(parts));
nsop.head = function (href, title, text) {
  const name = href ? nsop.el("a", { href }, nsop.bdi(title)) : nsop.bdi(title);
  const parts = nsop.spaced([name, text && nsop.small(nsop.bdi(text))]);
  return nsop.el("th", { scope: "row" }, ...parts);
};

// Places of rows in the order of numbers; rows without one are last either way.
nsop.sortedBy = function (numbers, down) {
  const order = Uint32Array.from(numbers, (_, i) => i);
  const keys = Float64Array.from(numbers, (number) => {
    if (number === null || Number.isNaN(number)) return Infinity;
    return down ? -number : number;
  });
  return order.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
};

// The rank of each word among its like; empty words are last.
nsop.ranks = function (words) {
  const order = words.map((_, i) => i);
  const collator = new Intl.Collator("en", { numeric: true });
  order.sort((a, b) => collator.compare(words[a], words[b]) || a - b);
  const ranks = new Float64Array(words.length);
  order.forEach((word, rank) => (ranks[word] = words[word] === "" ? NaN : rank));
  return ranks;
};
