"use strict";
// The report page. Every text from a model, a trace or a test is put into the page as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const byId = (id) => document.getElementById(id);
  const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

  // Marks of direction cannot be seen and make a name read like another, so that a sign is shown for each.
  const legible = (text) => String(text).replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

  /** An element with attributes and children; a child that is no element becomes text. */
  function el(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
      else if (value !== undefined && value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined).map((child) => (child instanceof Node ? child : legible(child))));
    return made;
  }

  function drawn(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const button = (text, act, attributes = {}) => el("button", { type: "button", ...attributes, on: { click: act } }, text);
  const link = (text, act) => button(text, act, { class: "link" });

  /** A text in which names stand between backticks, with the names set apart. */
  const prose = (text) => text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));

  /** A test that compiles on its own: in a class, with the imports that it needs. */
  function whole(test, head = data.test_head ?? "") {
    if (!head) return test.source;
    const needed = (line) => { const name = /^import (?:static )?[\w.$]*?(\w+);$/.exec(line)?.[1]; return !name || test.source.includes(name); };
    const body = test.source.trimEnd().split("\n").map((line) => (line ? `    ${line}` : line)).join("\n");
    return `${head.split("\n").filter(needed).join("\n").replace(/\n{3,}/g, "\n\n").trim()}\n${body}\n}\n`;
  }

  /** Something to copy, with a button that does; what is copied may be more than what is shown. */
  function copyable(text, copied = text) {
    const copy = button("Copy", async () => {
      try {
        await navigator.clipboard.writeText(copied);
        copy.textContent = "Copied";
      } catch {
        // A page that was opened from a file may not reach the clipboard; selecting the text is the next best thing.
        pre.textContent = copied;
        const range = document.createRange();
        range.selectNodeContents(pre);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        copy.textContent = "Selected";
      }
      setTimeout(() => (copy.textContent = "Copy"), 2000);
    });
    const pre = el("pre", { tabindex: "0" }, text);
    return el("div", { class: "with-copy" }, pre, copy);
  }

  // The name of a class that is too long for a line breaks between its parts.
  const heading = document.querySelector("h1");
  heading.replaceChildren(...heading.textContent.split(/(?<=[.$])/).flatMap((part) => [part, el("wbr")]));

  // ---- Light and dark.
  const root = document.documentElement;
  const theme = byId("theme");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const showTheme = () => {
    theme.setAttribute("aria-pressed", String(isDark()));
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", isDark() ? "Dark colors are on; switch to light" : "Light colors are on; switch to dark");
  };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("adit-theme", root.dataset.theme); } catch { /* remembered until the page is closed */ }
    showTheme();
  });
  try {
    const before = localStorage.getItem("adit-theme");
    if (before === "dark" || before === "light") root.dataset.theme = before;
  } catch { /* the system's choice it is */ }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showTheme);
  showTheme();
