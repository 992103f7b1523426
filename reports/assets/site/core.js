// What all pages share: data, state in the URL, safe elements, keys, copying, printing.
"use strict";

var nsop = (function () {
  const root = document.body.dataset.root || "";
  const verdicts = JSON.parse(document.body.dataset.verdicts || "{}");
  const explained = " ?" in verdicts || "doubt" in document.body.dataset;
  const arrived = {};
  const waiting = {};

  // Called by data scripts: classic scripts, because pages of file:// may fetch nothing.
  function data(name, value) {
    arrived[name] = value;
    for (const resolve of waiting[name] || []) resolve(value);
    delete waiting[name];
  }

  // The data of that name, now or when its script has run.
  function ready(name) {
    return new Promise((resolve) => {
      if (name in arrived) resolve(arrived[name]);
      else (waiting[name] = waiting[name] || []).push(resolve);
    });
  }

  // As ready(), of a script that the page doesn't name; rejects where there is none.
  function load(name) {
    if (name in arrived) return Promise.resolve(arrived[name]);
    return new Promise((resolve, reject) => {
      ready(name).then(resolve);
      const script = document.createElement("script");
      script.src = root + "data/" + name + ".js";
      script.onerror = () => reject(new Error("no data: " + name));
      document.head.append(script);
    });
  }

  // The data inside the page, or null.
  function block() {
    const found = document.getElementById("data");
    return found ? JSON.parse(found.textContent) : null;
  }

  function state() {
    return new URLSearchParams(location.hash.slice(1));
  }

  // Puts {key: value} into the URL; empty values go.
  function save(values) {
    const all = state();
    for (const [key, value] of Object.entries(values)) {
      if (value === "" || value === null || value === undefined) all.delete(key);
      else all.set(key, value);
    }
    goto("#" + all.toString());
  }

  function goto(hash) {
    if (hash === location.hash || (hash === "#" && !location.hash)) return;
    try {
      history.replaceState(null, "", hash === "#" ? location.pathname + location.search : hash);
    } catch (error) {
      if (location.protocol !== "file:") throw error; // some browsers refuse it there
    }
  }

  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }

  // An element; texts among the children stay texts.
  function el(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }

  function svg(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    return fill(element, attributes, children);
  }

  function badge(verdict) {
    const [css, method] = Object.hasOwn(verdicts, verdict) ? verdicts[verdict] : ["none", ""];
    const look = "v v-" + css;
    if (!method) return el("span", { class: look }, verdict);
    return el("a", { class: look, href: root + "method.html#" + method }, verdict);
  }

  // A text whose closing `?` leads to what it means.
  function doubted(text) {
    if (!text.endsWith(" ?") || !explained) return text;
    const link = el("a", { class: "doubt", href: root + "method.html#doubt" }, "?");
    return el("span", null, text.slice(0, -1), link);
  }

  // The parts that say something, with blanks between them.
  function spaced(parts) {
    return parts.filter(Boolean).flatMap((part, at) => (at ? [" ", part] : [part]));
  }

  function addCopyButton(code) {
    const button = el("button", { type: "button", class: "copy" }, "Copy");
    button.addEventListener("click", () => copy(code, button));
    code.after(" ", button);
  }

  async function copy(code, button) {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  }

  // A key on its own: those of the browser are left alone.
  function plain(event) {
    return !event.ctrlKey && !event.metaKey && !event.altKey;
  }

  // Makes a drawing one that keys walk; returns the line that says where they are.
  function walked(box, label, onKey) {
    const said = el("p", { class: "said", role: "status" });
    fill(box, { tabindex: 0, role: "group", "aria-label": label }, []);
    box.addEventListener("keydown", (event) => plain(event) && onKey(event));
    box.after(said);
    return said;
  }

  function onKey(event) {
    const typing = event.target.closest("input, select, textarea");
    if (event.key !== "/" || typing || !plain(event)) return;
    event.preventDefault();
    const search = [...document.querySelectorAll("input[type=search]")].find((e) => e.offsetParent);
    if (search) search.focus();
    else location.href = root + "explore.html#q=";
  }

  // Printed pages have no closed parts.
  function openForPrint() {
    for (const part of document.querySelectorAll("details:not([open])")) {
      part.open = true;
      addEventListener("afterprint", () => (part.open = false), { once: true });
    }
  }

  document.querySelectorAll(".command code").forEach(addCopyButton);
  document.addEventListener("keydown", onKey);
  addEventListener("beforeprint", openForPrint);

  return { root, data, ready, load, block, state, save, goto, el, svg, badge, doubted, spaced, plain, walked, addCopyButton };
})();
