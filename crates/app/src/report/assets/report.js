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

  // ---- A model and its pictures.
  /** Letters at less than this part of their natural size are hard to read. */
  const READABLE = 0.6;
  /** The room around a picture. */
  const MARGIN = 34;

  const fileName = (model) => model.title.replace(/[^\w.-]+/g, "-");

  /** Lets the reader keep a file. */
  function save(name, type, content) {
    const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
    const anchor = el("a", { href: address, download: name });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  /** The model as a Mermaid diagram. */
  function mermaid(model) {
    const quoted = (text) => text.replaceAll('"', "'").replaceAll("#", "#35;").replaceAll(";", "#59;");
    const lines = ["stateDiagram-v2"];
    model.states.forEach((state, at) => {
      if (!state.not_explored) lines.push(`  s${at} : ${quoted(state.shown).replaceAll(":", "#colon;")}`);
      if (state.initial) lines.push(`  [*] --> s${at}`);
    });
    const ways = new Map();
    model.edges.filter((edge) => edge.explored).forEach((edge) => {
      const way = `  s${edge.from} --> s${edge.to}`;
      ways.set(way, [...(ways.get(way) ?? []), quoted(edge.label + (edge.maybe ? "?" : "")).replaceAll(":", "#colon;")]);
    });
    ways.forEach((calls, way) => lines.push(`${way} : ${calls.join(", ")}`));
    return `${lines.join("\n")}\n`;
  }

  class Viewer {
    constructor(model, figure) {
      this.model = model;
      this.figure = figure;
      this.stage = figure.querySelector(".stage");
      this.svgs = [...figure.querySelectorAll("svg.picture")];
      this.options = { pure: true, failures: false };
      this.walk = null;
      this.wanted = "";
      figure.classList.add("ready");
      this.svgs.forEach((svg) => {
        const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
        svg.natural = { width, height };
        svg.removeAttribute("width");
        svg.removeAttribute("height");
      });
      figure.append(el("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
        button("+", () => this.zoom(1.25), { "aria-label": "Larger" }),
        button("−", () => this.zoom(0.8), { "aria-label": "Smaller" }),
        button("Fit", () => this.fit(), { "aria-label": "Fit: show the whole picture" })),
        el("div", { class: "zoom export", role: "group", "aria-label": "Save the picture" }, "Save as",
          button("SVG", () => this.saveSvg()), button("PNG", () => this.savePng()), button("Mermaid", () => save(`${fileName(this.model)}.mmd`, "text/plain", mermaid(this.model)))));
      this.stage.setAttribute("aria-label", `picture of ${model.title}, can be moved and zoomed`);
      this.listen();
      this.show();
    }

    /** Shows the picture that the options ask for. */
    show() {
      const fits = (view) => view.pure === this.options.pure && view.failures === this.options.failures;
      this.view = this.model.views.find(fits) ?? this.model.views[0];
      this.index();
      this.svgs.forEach((svg) => { svg.toggleAttribute("hidden", svg.dataset.view !== String(this.view.number)); });
      this.svg = this.svgs.find((svg) => svg.dataset.view === String(this.view.number));
      this.touched = false;
      this.measure();
      this.drawMap();
      this.labelEnds();
      this.start();
      this.paint();
    }

    /** Gives the frame the height that the picture needs, as far as the window has it. */
    measure(scale = Math.min(1.1, (this.stage.clientWidth || 900) / this.svg.natural.width)) {
      // What cannot be read as a whole is shown in part, larger.
      const wanted = this.svg.natural.height * (scale < READABLE ? 0.85 : scale) + 10;
      this.stage.style.setProperty("--height", `${Math.round(Math.max(260, Math.min(wanted, innerHeight * 0.78)))}px`);
    }

    get size() { return { width: this.stage.clientWidth || 900, height: this.stage.clientHeight || 500 }; }
    get fitting() {
      const { width, height } = this.svg.natural;
      return Math.min(this.size.width / width, this.size.height / height);
    }

    /** All of it, unless that is too small to read: then its beginning. */
    start() {
      if (this.fitting >= READABLE) return this.fit();
      this.scale = 0.85;
      const initial = this.svg.querySelector(".box.initial .frame");
      const at = initial ? this.area(initial) : { x: 0, y: 0, width: 0, height: 0 };
      const { width, height } = this.size;
      const [wide, high] = [width / this.scale, height / this.scale];
      // At the side from which the picture is read, with what comes next beside it.
      const inside = (place, room, all) => Math.max(Math.min(0, (all - room) / 2), Math.min(place, all - room));
      const right = this.svg.dataset.flow === "right";
      this.x = inside(right ? at.x - 40 : at.x + at.width / 2 - wide / 2, wide, this.svg.natural.width);
      this.y = inside(right ? at.y + at.height / 2 - high / 2 : at.y - 40, high, this.svg.natural.height);
      this.place();
    }

    fit() {
      this.scale = Math.min(this.fitting, 1.1);
      this.x = (this.svg.natural.width - this.size.width / this.scale) / 2;
      this.y = (this.svg.natural.height - this.size.height / this.scale) / 2;
      this.place();
    }

    /** Where a rectangle of the picture is, in the picture's own measure. */
    area(rect) {
      const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
      return { x: x + MARGIN, y: y + MARGIN, width, height };
    }

    /** The rectangle that stands for a part: a box's frame, the plate behind the calls of an arrow, the strip of a note. */
    rect(part) { return part.querySelector(".frame, .plate, .strip"); }

    /** Moves the picture so that a part is in its middle, large enough to be read. */
    center(part) {
      const [shown, stage] = [this.rect(part).getBoundingClientRect(), this.stage.getBoundingClientRect()];
      const inside = shown.left >= stage.left && shown.right <= stage.right && shown.top >= stage.top && shown.bottom <= stage.bottom;
      // What can be seen and read stays where it is, and so does everything around it.
      if (inside && this.scale >= READABLE) return;
      const { x, y, width, height } = this.area(this.rect(part));
      if (this.scale < READABLE) this.scale = 0.85;
      this.touched = true;
      this.x = x + width / 2 - this.size.width / this.scale / 2;
      this.y = y + height / 2 - this.size.height / this.scale / 2;
      this.place();
    }

    /** A small picture of where in a large one the view is; a click moves there. */
    drawMap() {
      this.map?.remove();
      this.map = null;
      if (this.fitting >= READABLE) return;
      const { width, height } = this.svg.natural;
      const scale = Math.min(170 / width, 120 / height);
      // Those who cannot see it have the Tab and the arrow keys.
      const map = drawn("svg", { class: "map", "aria-hidden": "true", viewBox: `0 0 ${width} ${height}`, width: width * scale, height: height * scale });
      for (const frame of this.svg.querySelectorAll(".box .frame")) map.append(drawn("rect", this.area(frame)));
      this.window = drawn("rect", { class: "window" });
      map.append(this.window);
      const go = (event) => {
        const box = map.getBoundingClientRect();
        this.touched = true;
        this.x = ((event.clientX - box.left) / box.width) * width - this.size.width / this.scale / 2;
        this.y = ((event.clientY - box.top) / box.height) * height - this.size.height / this.scale / 2;
        this.place();
      };
      map.addEventListener("pointerdown", (event) => { event.stopPropagation(); map.setPointerCapture(event.pointerId); go(event); });
      map.addEventListener("click", (event) => event.stopPropagation());
      map.addEventListener("pointermove", (event) => { if (event.buttons & 1) go(event); });
      this.map = map;
      this.stage.append(map);
    }

    /** The picture alone, in its natural size, with the colors that it has now. */
    get standalone() {
      const { width, height } = this.svg.natural;
      const copy = this.svg.cloneNode(true);
      copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
      for (const [name, value] of Object.entries({ width, height, xmlns: SVG })) copy.setAttribute(name, value);
      copy.querySelectorAll(".ghost").forEach((line) => line.remove());
      const style = getComputedStyle(root);
      const colors = ["paper", "ink", "dim", "line", "frame", "fill", "accent", "mark", "good", "bad", "soft"].map((name) => `--${name}: ${style.getPropertyValue(`--${name}`)};`).join(" ");
      const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).filter((text) => text.startsWith(".picture ") && !text.startsWith(".picture {"));
      copy.prepend(drawn("style", {}, `svg { ${colors} font-family: ui-monospace, monospace; background: var(--paper); }\n${rules.join("\n")}`));
      return new XMLSerializer().serializeToString(copy);
    }

    saveSvg() { save(`${fileName(this.model)}.svg`, "image/svg+xml", this.standalone); }

    savePng() {
      const { width, height } = this.svg.natural;
      // Twice the size of a plain screen, as far as browsers can paint.
      const scale = Math.min(2, 16000 / Math.max(width, height));
      const image = new Image();
      image.onload = () => {
        const canvas = el("canvas", { width: Math.round(width * scale), height: Math.round(height * scale) });
        const pen = canvas.getContext("2d");
        pen.fillStyle = getComputedStyle(root).getPropertyValue("--paper");
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob((blob) => save(`${fileName(this.model)}.png`, "image/png", blob));
      };
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(this.standalone)}`;
    }

    zoom(factor, at = { x: this.size.width / 2, y: this.size.height / 2 }) {
      const scale = Math.max(0.05, Math.min(4, this.scale * factor));
      this.x += at.x / this.scale - at.x / scale;
      this.y += at.y / this.scale - at.y / scale;
      this.scale = scale;
      this.touched = true;
      this.place();
    }

    pan(x, y) { this.touched = true; this.x += x / this.scale; this.y += y / this.scale; this.place(); }

    place() {
      const { width, height } = this.size;
      this.svg.setAttribute("viewBox", `${this.x} ${this.y} ${width / this.scale} ${height / this.scale}`);
      if (this.map) for (const [name, value] of Object.entries({ x: this.x, y: this.y, width: width / this.scale, height: height / this.scale })) this.window.setAttribute(name, value);
    }

    listen() {
      const stage = this.stage;
      const from = (event) => { const box = stage.getBoundingClientRect(); return { x: event.clientX - box.left, y: event.clientY - box.top }; };
      // Scrolling the page stays scrolling until the picture was chosen, by a click, by the keyboard or by holding Ctrl.
      stage.addEventListener("wheel", (event) => {
        if (!event.ctrlKey && !stage.contains(document.activeElement)) return;
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY / 400), from(event));
      }, { passive: false });
      let drag = null;
      stage.addEventListener("pointerdown", (event) => { if (event.button === 0) drag = { x: event.clientX, y: event.clientY, far: false }; });
      stage.addEventListener("pointermove", (event) => {
        if (!drag) return;
        const [x, y] = [drag.x - event.clientX, drag.y - event.clientY];
        if (!drag.far && Math.hypot(x, y) < 5) return;
        if (!drag.far) { drag.far = true; stage.setPointerCapture(event.pointerId); stage.classList.add("dragging"); }
        this.pan(x, y);
        Object.assign(drag, { x: event.clientX, y: event.clientY });
      });
      let dragged = false;
      const drop = () => { dragged = Boolean(drag?.far); drag = null; stage.classList.remove("dragging"); };
      stage.addEventListener("pointerup", drop);
      stage.addEventListener("pointercancel", drop);
      stage.addEventListener("click", (event) => {
        if (dragged) { dragged = false; return; }
        this.choose(event.target);
      });
      stage.addEventListener("keydown", (event) => {
        const keys = {
          "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), "0": () => this.fit(),
          ArrowLeft: () => this.step(event.target, -1, 0), ArrowRight: () => this.step(event.target, 1, 0),
          ArrowUp: () => this.step(event.target, 0, -1), ArrowDown: () => this.step(event.target, 0, 1),
          Escape: () => { this.chosen = null; this.paint(); showOverview(); },
          Enter: () => this.choose(event.target), " ": () => this.choose(event.target),
        };
        if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
        event.preventDefault();
        keys[event.key]();
      });
      stage.addEventListener("focusin", (event) => this.reveal(event.target));
      // Until somebody moves it, the picture keeps fitting its room.
      let width = 0;
      // In the next frame, because what is done here changes sizes again.
      new ResizeObserver(() => requestAnimationFrame(() => {
        if (this.touched || stage.clientWidth === width) this.place(); else this.show();
        width = stage.clientWidth;
      })).observe(stage);
    }

    /** With a part in focus, on to the nearest box in a direction; else the picture moves. */
    step(target, right, down) {
      const part = target.closest("[data-box], [data-arrow], [data-note]");
      if (!part) return this.pan(60 * right, 60 * down);
      const middle = (rect) => { const { x, y, width, height } = this.area(rect); return { x: x + width / 2, y: y + height / 2 }; };
      const from = middle(this.rect(part));
      let [best, least] = [null, Infinity];
      for (const box of this.svg.querySelectorAll("[data-box]")) {
        const to = middle(this.rect(box));
        const [x, y] = [to.x - from.x, to.y - from.y];
        const along = x * right + y * down;
        const aside = Math.abs(x * down) + Math.abs(y * right);
        // Straight ahead counts for more than near by.
        if (box !== part && along > 1 && aside < 2 * along + 40 && along + 2 * aside < least) [best, least] = [box, along + 2 * aside];
      }
      best?.focus({ focusVisible: true });
    }

    /** Moves the picture so that a part that got the keyboard's focus can be seen. */
    reveal(target) {
      const part = target.closest("[data-box], [data-arrow], [data-note]");
      if (!part || !part.matches(":focus-visible")) return;
      const frame = this.rect(part).getBoundingClientRect();
      const stage = this.stage.getBoundingClientRect();
      const over = (low, high, from, to) => (low < from ? low - from - 20 : high > to ? high - to + 20 : 0);
      this.pan(over(frame.left, frame.right, stage.left, stage.right), over(frame.top, frame.bottom, stage.top, stage.bottom));
    }

    choose(target) {
      const call = target.closest("[data-edge]");
      const arrow = target.closest("[data-arrow]");
      const note = target.closest("[data-note]");
      const box = target.closest("[data-box]");
      if (note) this.chooseEdges(this.view.notes[note.dataset.note].edges, { note: note.dataset.note });
      else if (arrow) this.chooseEdges(this.view.arrows[arrow.dataset.arrow].edges, { arrow: arrow.dataset.arrow });
      else if (box && call) this.chooseEdges(this.alike(Number(call.dataset.edge)), { box: box.dataset.box });
      else if (box) this.chooseBox(Number(box.dataset.box));
    }

    /** For the current view, once: the box of each state, and the transitions that are listed in each box. */
    index() {
      const { view, model } = this;
      if (view.boxOf) return;
      view.boxOf = new Map(view.boxes.flatMap((states, box) => states.map((state) => [state, box])));
      view.inside = view.boxes.map(() => []);
      model.edges.forEach((edge, at) => {
        const box = view.boxOf.get(edge.from);
        if (box !== undefined && (box === view.boxOf.get(edge.to) || !edge.explored) && (view.pure || !edge.pure)) view.inside[box].push(at);
      });
    }

    /** The transitions with the same label inside the same box as this one. */
    alike(edge) {
      const { from, label } = this.model.edges[edge];
      const same = this.view.inside[this.view.boxOf.get(from)].filter((at) => this.model.edges[at].label === label);
      return same.length ? same : [edge];
    }

    chooseBox(box) {
      this.chosen = { box: String(box) };
      this.paint();
      showBox(this, this.view.boxes[box]);
      address(`#state=${this.number}${this.view.boxes[box][0]}`);
    }

    chooseEdges(edges, chosen) {
      this.chosen = chosen ?? this.placeOf(edges[0]);
      this.paint();
      showEdges(this, edges);
      const { from, label, to } = this.model.edges[edges[0]];
      address(`#transition=${this.number}${from},${encodeURIComponent(label)},${to}`);
    }

    /** What distinguishes this model in addresses, if there are several. */
    get number() { const at = viewers.indexOf(this); return at > 0 ? `${at}:` : ""; }

    placeOf(edge) {
      const arrow = this.view.arrows.findIndex((one) => one.edges.includes(edge));
      if (arrow >= 0) return { arrow: String(arrow) };
      const note = this.view.notes.findIndex((one) => one.edges.includes(edge));
      if (note >= 0) return { note: String(note) };
      return { box: String(this.view.boxOf.get(this.model.edges[edge].from)) };
    }

    /** Marks what is chosen, found and walked. */
    paint() {
      const { states = new Set(), edges = new Set(), here = new Set() } = this.walk ?? {};
      const matches = finder(this.wanted);
      this.found = [];
      this.svg.classList.toggle("searching", Boolean(this.wanted));
      for (const part of this.svg.querySelectorAll("[data-box], [data-arrow], [data-note]")) {
        const { box, arrow, note } = part.dataset;
        const isBox = box !== undefined;
        const members = isBox ? this.view.boxes[box] : this.view[note === undefined ? "arrows" : "notes"][note ?? arrow].edges;
        const found = Boolean(this.wanted) && (isBox
          ? members.some((state) => matches(nameOf(this.model, state)) || this.model.states[state].predicates.some(matches)) || this.view.inside[box].some((edge) => matches(this.model.edges[edge].label))
          : members.some((edge) => matches(this.model.edges[edge].label)));
        if (found) this.found.push(part);
        const { chosen } = this;
        const isChosen = chosen && (isBox ? chosen.box === box : note === undefined ? chosen.arrow === arrow : chosen.note === note);
        part.classList.toggle("found", found);
        part.classList.toggle("chosen", Boolean(isChosen));
        part.classList.toggle("walked", members.some((one) => (isBox ? states : edges).has(one)));
        part.classList.toggle("here", isBox && members.some((one) => here.has(one)));
      }
      this.hide();
      this.drawGhosts();
    }

    /** Takes the calls out of sight that the filter of methods leaves out, and dims states that were not asked for. */
    hide() {
      const methodOf = (edge) => labels.get(this.model.edges[edge].label).method;
      const isOff = (edge) => hiddenMethods.has(methodOf(edge));
      const wanted = finder(stateFilter?.value ?? "");
      const asked = Boolean(stateFilter?.value.trim());
      const near = this.view.boxes.map((states) => !asked || states.some((state) => wanted(nameOf(this.model, state)) || this.model.states[state].predicates.some(wanted)));
      const boxOf = (state) => this.view.boxOf.get(state);
      for (const part of this.svg.querySelectorAll("[data-box], [data-arrow], [data-note]")) {
        const { box, arrow, note } = part.dataset;
        if (box !== undefined) { part.classList.toggle("aside", !near[box]); continue; }
        const { edges } = this.view[note === undefined ? "arrows" : "notes"][note ?? arrow];
        part.classList.toggle("off", edges.every(isOff));
        const seen = [...new Set(edges.filter((edge) => !isOff(edge)).map((edge) => this.model.edges[edge].label))];
        if (seen.length) part.querySelectorAll(".end-label").forEach((text) => { text.textContent = inShort(seen); });
        part.classList.toggle("aside", asked && !edges.some((edge) => near[boxOf(this.model.edges[edge].from)] || near[boxOf(this.model.edges[edge].to)]));
        part.classList.toggle("only", edges.some((edge) => this.only?.edges.has(edge)));
      }
      for (const call of this.svg.querySelectorAll("[data-edge]")) {
        const edge = Number(call.dataset.edge);
        call.classList.toggle("off", isOff(edge));
        call.classList.toggle("only", Boolean(this.only?.edges.has(edge)));
      }
      for (const box of this.svg.querySelectorAll("[data-box]")) box.classList.toggle("only", this.view.boxes[box.dataset.box].every((state) => this.only?.states.has(state)) && Boolean(this.only));
    }

    /** Says what a long arrow means at both of its ends. */
    labelEnds() {
      if (this.svg.labeled) return;
      this.svg.labeled = true;
      const placed = [];
      for (const arrow of this.svg.querySelectorAll("[data-arrow]")) {
        const line = arrow.querySelector("path.line");
        const long = line?.getTotalLength?.() ?? 0;
        if (long < 420) continue;
        const calls = [...new Set(this.view.arrows[arrow.dataset.arrow].edges.map((edge) => this.model.edges[edge].label))];
        const text = inShort(calls);
        const plate = arrow.querySelector(".plate");
        const { x: px = -1e9, y: py = -1e9, width: pw = 0, height: ph = 0 } = plate ? { x: Number(plate.getAttribute("x")), y: Number(plate.getAttribute("y")), width: Number(plate.getAttribute("width")), height: Number(plate.getAttribute("height")) } : {};
        for (const outward of [1, -1]) {
          const at = this.level(line, long, outward);
          if (!at) continue;
          const far = Math.hypot(Math.max(px - at.x, 0, at.x - px - pw), Math.max(py - at.y, 0, at.y - py - ph));
          const [width, x, y] = [text.length * 6.7, at.x, at.y - 4];
          const free = placed.every((other) => Math.abs(other.x - x) > (other.width + width) / 2 || Math.abs(other.y - y) > 12);
          // Where the label itself or another one is near, there is nothing to add.
          if (far < 160 || !free) continue;
          placed.push({ x, y, width });
          arrow.append(drawn("text", { class: "end-label", x, y, "text-anchor": "middle", "aria-hidden": "true" }, text));
        }
      }
    }

    /** A place near one end of a line where it runs level, so that a label stands on it. */
    level(line, long, outward) {
      const point = (way) => line.getPointAtLength(outward > 0 ? way : long - way);
      for (let way = 60; way < Math.min(long / 2, 420); way += 20) {
        const [before, at, after] = [point(way - 30), point(way), point(way + 30)];
        if (Math.abs(before.y - at.y) < 3 && Math.abs(after.y - at.y) < 3 && Math.abs(after.x - before.x) > 50) return at;
      }
      return null;
    }

    /** Where the notes of what is chosen lead, as lines for as long as it is chosen. */
    drawGhosts() {
      this.svg.querySelectorAll(".ghost").forEach((line) => line.remove());
      const { box, note } = this.chosen ?? {};
      const frame = (number) => this.svg.querySelector(`[data-box="${number}"] .frame`);
      this.view.notes.forEach((one, at) => {
        if (String(one.from) !== box && String(at) !== note) return;
        // A note may stand for several, each with a place of its own to go to.
        const ends = new Set(one.edges.map((edge) => this.view.boxOf.get(this.model.edges[edge].to)));
        for (const end of ends) {
          const [from, to] = [frame(one.from), frame(end)].map((rect) => { const { x, y, width, height } = this.area(rect); return { x: x - MARGIN + width / 2, y: y - MARGIN + height / 2, width, height }; });
          const [x, y] = [to.x - from.x, to.y - from.y];
          // From border to border.
          const cut = (rect) => Math.min(rect.width / 2 / Math.max(Math.abs(x), 1), rect.height / 2 / Math.max(Math.abs(y), 1), 0.5);
          const [start, end2] = [cut(from), 1 - cut(to)];
          const line = drawn("path", { class: "ghost", d: `M${from.x + x * start} ${from.y + y * start} L${from.x + x * end2} ${from.y + y * end2}`, "marker-end": this.svg.querySelector("[marker-end]")?.getAttribute("marker-end") ?? "none" });
          this.svg.querySelector(".scene").append(line);
        }
      });
    }
  }

  // ---- Labels, taken apart by adit: this page does not know how they are spelled.
  const labels = new Map(data.models.flatMap((model) => model.labels.map((one) => [one.label, one])));
  const threw = (label) => labels.get(label).threw;
  // Everything that stands for a label where a reader types one.
  const known = new Set([...labels.values()].flatMap((one) => one.spellings));
  const knownInLowerCase = new Map([...known].reverse().map((spelling) => [spelling.toLowerCase(), spelling]));

  /** A label that is broken only behind `:`, `!` and `(`. */
  const breaking = (text) => legible(text).split(/(?<=[:!(])/).flatMap((part, at) => (at ? [el("wbr"), part] : [part]));

  /** Calls where there is little room: the first, and how many more. */
  const inShort = (calls) => legible(calls[0].length > 24 ? `${calls[0].slice(0, 23)}…` : calls[0]) + (calls.length > 1 ? ` +${calls.length - 1}` : "");

  // What the reader filtered by: methods out of sight, and a part of the names of states.
  const hiddenMethods = new Set();
  let stateFilter = null;

  const finder = (text) => { const low = text.trim().toLowerCase(); return (name) => Boolean(low) && name.toLowerCase().includes(low); };
  const nameOf = (model, state) => model.states[state].shown;

  // ---- What is known about a part of a picture.
  const panel = byId("panel");
  const say = (...parts) => { panel.replaceChildren(...parts.flat(Infinity).filter(Boolean)); panel.scrollTop = 0; };

  function showOverview() {
    const { model, view } = shown[0];
    const edges = model.edges;
    const key = [
      ["Inside a box, under the line", "calls that stay in the state"],
      [el("i", {}, "italic"), "calls without side effects"],
      ["✓ and ✗", "the call returned true or false"],
    ];
    if (edges.some((edge) => !edge.explored)) key.push(["not explored after", "the call happened here; what follows it was not explored"]);
    if (edges.some((edge) => edge.maybe && edge.explored)) key.push(["dashed, with ?", "a guess: no run took it, or showed where it leads"]);
    if (edges.some((edge) => threw(edge.label)) || model.states.some((state) => state.refuses.length)) key.push(["⚠, dotted, “refuses”", "the call throws"]);
    if (view.notes.length) key.push(["close → 7, in a box", "the call leads to state 7; the arrow is omitted because too many would cross. Select it to see where it leads"]);
    if (view.ends) key.push(["double border", "a trace may end there"]);
    if (view.folded.length) key.push(["thick border", "several states in one box"]);
    // What stands between backquotes is code.
    const sentence = (text) => el("li", {}, text.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part)));
    say(
      model.refusals.length ? [el("h3", {}, "What it refuses"), el("ul", { class: "small" }, model.refusals.map(sentence))] : null,
      el("h3", {}, "How to read it"),
      el("table", {}, el("tbody", {}, key.map(([sign, means]) => el("tr", {}, el("th", { scope: "row" }, sign), el("td", {}, means))))),
      el("p", { class: "small" }, "Select a box or an arrow to see the evidence for it. Drag to move; the wheel zooms after a click into the picture, and always with Ctrl. Keys: Tab moves between parts, arrows between boxes, Enter opens, Esc closes; + − 0 zoom."),
      view.folded.map((text) => el("p", { class: "note" }, `Folded: ${text}.`)),
    );
  }

  function showBox(viewer, states) {
    const { model } = viewer;
    const parts = [];
    if (states.length > 1) parts.push(el("h3", {}, plural(states.length, "state", "states")), el("p", { class: "small" }, states.slice(0, 60).map((state) => nameOf(model, state)).join("; "), states.length > 60 ? "; …" : ""));
    for (const state of states.slice(0, 12)) {
      const about = model.states[state];
      const marks = [about.initial ? "initial" : "", about.accepting ? "a trace may end here" : "a trace does not end here"].filter(Boolean).join("; ");
      parts.push(el("h3", {}, `State ${nameOf(model, state)}`), el("p", { class: "dim small" }, marks));
      if (about.predicates.length) parts.push(el("h4", {}, "Holds here"), el("ul", {}, about.predicates.map((text) => el("li", {}, el("code", {}, text)))));
      const leaving = model.edges.flatMap((edge, at) => (edge.from === state ? [{ ...edge, at }] : []));
      const rows = (list) => list.map((edge) => el("tr", {},
        el("td", {}, link(breaking(edge.label + (edge.guard ? ` [${edge.guard}]` : "")), () => viewer.chooseEdges([edge.at]))),
        el("td", {}, edge.to === state ? "stays" : `→ ${nameOf(model, edge.to)}`, edge.maybe && edge.explored ? " ?" : ""),
        el("td", { class: "dim" }, model.replayed ? plural(edge.traces, "trace", "traces") : "")));
      const table = (title, list) => (list.length ? [el("h4", {}, title), el("table", {}, el("tbody", {}, rows(list)))] : []);
      parts.push(...table("Enabled calls", leaving.filter((edge) => !threw(edge.label))), ...table("Calls that throw", leaving.filter((edge) => threw(edge.label))));
      const byException = new Map();
      about.refuses.forEach((refused) => byException.set(threw(refused.label), [...(byException.get(threw(refused.label)) ?? []), refused]));
      byException.forEach((refusals, exception) => parts.push(el("h4", {}, "Refused with ", el("code", {}, exception)), el("table", {}, el("tbody", {}, refusals.map((refused) => el("tr", {},
        el("td", {}, el("code", {}, breaking(labels.get(refused.label).method))), el("td", { class: "dim" }, refused.times ? `tried ${plural(refused.times, "time", "times")}` : ""),
        el("td", {}, data.tests?.[refused.test] ? link("test", () => openTest(data.tests[refused.test].name)) : "")))))));
      const same = viewer.only?.matches.get(state);
      if (viewer.only) parts.push(el("p", { class: "small" }, same === undefined ? "Only this model has such a state." : `In the other model: ${nameOf(viewer.only.other, same)}.`));
      if (!leaving.length) parts.push(el("p", {}, "No call is enabled here."));
    }
    say(parts);
  }

  function showEdges(viewer, edges) {
    const { model } = viewer;
    const parts = [];
    for (const at of edges.slice(0, 40)) {
      const edge = model.edges[at];
      const where = edge.from === edge.to ? `stays in ${nameOf(model, edge.from)}` : `${nameOf(model, edge.from)} → ${nameOf(model, edge.to)}`;
      parts.push(el("h3", {}, el("code", {}, breaking(edge.label))), el("p", { class: "dim small" }, where, edge.pure ? "; no side effect" : "", !edge.explored ? "; the event was observed, but not where it leads" : edge.maybe ? "; a guess: no run took it, or showed where it leads" : "", edge.guard ? `; when ${edge.guard}` : ""));
      if (!model.replayed) { parts.push(el("p", { class: "small" }, "There are no traces beside this model, so there is no evidence to show.")); continue; }
      if (!edge.situations && !edge.traces && !edge.perhaps && !edge.shown.length) { parts.push(el("p", { class: "small" }, "No recorded trace and no generated test takes this transition; it was inferred.")); continue; }
      parts.push(el("p", { class: "small evidence" }, edge.situations ? `The search observed it in ${plural(edge.situations, "situation", "situations")}. ` : "", `Taken by ${plural(edge.traces, "trace", "traces")} and ${plural(edge.tests, "generated test", "generated tests")}.`,
        edge.perhaps ? ` ${plural(edge.perhaps, "trace", "traces")} more may have taken it: the model can also read them in another way.` : ""));
      if (edge.examples.length) parts.push(el("h4", {}, edge.traces ? "Shortest traces" : "Shortest traces that may have taken it"), edge.examples.map((word) => el("p", { class: "word" }, link(model.words[word].join(" "), () => follow(model.words[word].join(" "))))));
      edge.shown.slice(0, 1).forEach((test) => {
        const one = data.tests?.[test];
        if (one) parts.push(el("h4", {}, `Example: ${one.name}`), copyable(one.source, whole(one)));
      });
      edge.perhaps_shown.slice(0, 1).forEach((test) => {
        const one = data.tests?.[test];
        if (one) parts.push(el("h4", {}, `A test that may take it: ${one.name}`), copyable(one.source, whole(one)));
      });
      const others = edge.shown.slice(1).map((test) => data.tests?.[test]).filter(Boolean);
      if (others.length) parts.push(el("p", { class: "small" }, "Also in ", others.flatMap((test, at) => [at ? ", " : "", link(test.name, () => openTest(test.name))])));
    }
    if (edges.length > 40) parts.push(el("p", { class: "note" }, `${edges.length - 40} more are not listed; select a state to see its own.`));
    say(parts);
  }

  // ---- The tools above the picture.
  const viewers = data.models.map((model, at) => new Viewer(model, document.querySelector(`[data-model="${at}"]`)));
  // Two models are shown side by side, unless the second is the first in more detail: then one at a time.
  let shown = viewers;
  function showDetail(fine) {
    shown = [viewers[fine ? 1 : 0]];
    viewers.forEach((viewer) => { viewer.figure.hidden = !shown.includes(viewer); });
    shown[0].show();
    showOverview();
    find();
    follow();
  }
  const findInput = el("input", { type: "search", id: "find", placeholder: "a call or a state", on: { input: () => find(), keydown: (event) => { if (event.key === "Enter") { event.preventDefault(); findNext(); } } } });
  const status = el("span", { role: "status", class: "dim small", id: "found" });
  const followInput = el("input", { type: "text", id: "follow", spellcheck: "false", autocomplete: "off", placeholder: "calls, separated by spaces", on: { input: () => follow() } });
  const tell = el("div", { id: "walk", role: "status", class: "small" });
  const option = (id, text, name, meaning) => el("label", { for: id }, el("input", { type: "checkbox", id, checked: viewers[0].options[name] !== meaning, on: { change: (event) => {
    viewers.forEach((viewer) => { viewer.options[name] = event.target.checked ? !meaning : meaning; viewer.chosen = null; if (shown.includes(viewer)) viewer.show(); });
    showOverview();
    find();
  } } }), text);
  /** Tick boxes for all methods; what is not ticked is not drawn. */
  function methodFilter() {
    const methods = [...new Set(data.models.flatMap((model) => model.edges.map((edge) => labels.get(edge.label).method)))].sort();
    if (methods.length < 3) return "";
    const name = el("summary", {});
    const boxes = methods.map((method) => el("input", { type: "checkbox", checked: true, value: method, on: { change: () => changed() } }));
    const changed = () => {
      hiddenMethods.clear();
      boxes.filter((box) => !box.checked).forEach((box) => hiddenMethods.add(box.value));
      name.textContent = hiddenMethods.size ? `Methods (${methods.length - hiddenMethods.size} of ${methods.length})` : "Methods";
      shown.forEach((viewer) => viewer.hide());
    };
    const all = (checked) => { boxes.forEach((box) => { box.checked = checked; }); changed(); };
    const only = (at) => { boxes.forEach((box, other) => { box.checked = other === at; }); changed(); };
    changed();
    const filter = el("details", { id: "methods" }, name, el("div", { class: "menu" },
      el("p", { class: "buttons" }, button("All", () => all(true)), button("None", () => all(false))),
      el("ul", {}, boxes.map((box, at) => el("li", {}, el("label", {}, box, el("code", {}, breaking(methods[at]))), button("only", () => only(at), { class: "link", "aria-label": `only ${methods[at]}` }))))));
    // It lies above the picture, so that nothing moves.
    document.addEventListener("click", (event) => { if (!filter.contains(event.target)) filter.open = false; });
    filter.addEventListener("keydown", (event) => { if (event.key === "Escape") { filter.open = false; name.focus(); } });
    return filter;
  }

  const has = (test) => data.models.some((model) => model.views.some(test));
  byId("tools").append(
    el("label", { for: "find" }, "Find", findInput), status,
    has((view) => !view.pure) ? option("hide-pure", "Hide calls without side effects", "pure", true) : "",
    data.detail ? el("label", { for: "detail" }, el("input", { type: "checkbox", id: "detail", checked: data.opens_with_detail, on: { change: (event) => showDetail(event.target.checked) } }), `More detail (${data.detail})`) : "",
    el("label", { for: "states" }, "States", stateFilter = el("input", { type: "search", id: "states", placeholder: "part of a name", on: { input: () => shown.forEach((viewer) => viewer.hide()) } })),
    methodFilter(),
    has((view) => view.failures) ? option("show-failures", "Show failed states", "failures", false) : "",
    el("label", { for: "follow", class: "wide" }, "Follow a trace", followInput));
  byId("workbench").before(tell);

  // ---- The panel can be made wider, with the pointer or with the arrow keys.
  const workbench = byId("workbench");
  const handle = el("div", { id: "handle", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": "Width of the details", "aria-valuemin": "240", "aria-valuemax": "1000", "aria-valuenow": "480" });
  const widen = (width) => {
    const kept = Math.round(Math.max(240, Math.min(width, workbench.clientWidth - 320)));
    workbench.style.setProperty("--panel", `${kept}px`);
    handle.setAttribute("aria-valuenow", String(kept));
  };
  handle.addEventListener("pointerdown", (event) => { handle.setPointerCapture(event.pointerId); event.preventDefault(); });
  handle.addEventListener("pointermove", (event) => { if (handle.hasPointerCapture(event.pointerId)) widen(workbench.getBoundingClientRect().right - event.clientX); });
  handle.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: 40, ArrowRight: -40 }[event.key];
    if (by) { event.preventDefault(); widen(panel.clientWidth + by); }
  });
  byId("figures").after(handle);

  // Which of all that was found is shown.
  let hit = 0;
  function find() {
    shown.forEach((viewer) => { viewer.wanted = findInput.value.trim(); viewer.paint(); });
    hit = 0;
    showHit();
  }

  function findNext() { hit += 1; showHit(); }

  /** Moves the view to a hit, so that nobody has to look for what was found. */
  function showHit() {
    const all = shown.flatMap((viewer) => viewer.found.map((part) => ({ viewer, part })));
    shown.forEach((viewer) => viewer.svg.querySelectorAll(".hit").forEach((part) => part.classList.remove("hit")));
    const count = plural(all.length, "box or arrow", "boxes and arrows");
    if (!findInput.value.trim()) status.textContent = "";
    else status.textContent = all.length > 1 ? `${count}, Enter for the next` : count;
    if (!all.length) return;
    const { viewer, part } = all[hit % all.length];
    part.classList.add("hit");
    if (hit > 0) status.textContent = `${(hit % all.length) + 1} of ${count}`;
    viewer.center(part);
  }

  /** What the address of a followed trace begins with. */
  const FOLLOW = "#follow=";

  /** Walks the typed calls through every model and says where that leads. */
  function follow(text) {
    if (text !== undefined) followInput.value = text;
    const calls = callsIn(followInput.value);
    const told = shown.map((viewer) => {
      const title = shown.length > 1 ? el("b", {}, `${viewer.model.title}: `) : null;
      if (!calls.length) { viewer.walk = null; viewer.paint(); return null; }
      return el("p", {}, title, walk(viewer, calls));
    });
    tell.replaceChildren(...told.filter(Boolean));
    // The address shows the same trace again, to paste it into a ticket.
    const typed = followInput.value.trim();
    if (typed || location.hash.startsWith(FOLLOW)) address(typed ? FOLLOW + encodeURIComponent(typed) : "#model");
    if (calls.length) tell.append(steps(calls));
  }

  /** Buttons that go through the typed calls one by one, with what is known of the object after each. */
  function steps(calls) {
    let at = calls.length;
    const told = el("span", { class: "step" });
    const go = (to) => {
      at = Math.max(0, Math.min(calls.length, to));
      shown.forEach((viewer) => walk(viewer, calls.slice(0, at)));
      const [viewer] = shown;
      const here = [...viewer.walk.here];
      const place = here.map((state) => nameOf(viewer.model, state)).join(" or ");
      const fields = fieldsAfter(calls.slice(0, at), calls);
      const holds = here.length === 1 ? viewer.model.states[here[0]].predicates : [];
      told.replaceChildren(`${at} of ${calls.length}${at ? ": " : ""}`, at ? el("code", {}, calls[at - 1]) : "", ` → ${place}`,
        fields ? [" with ", fields.map(([name, value], number) => [number ? ", " : "", el("code", {}, `${name} = ${value}`)])].flat(3).map((part) => (part instanceof Node ? part : document.createTextNode(part))) : holds.length ? ` (${holds.join(", ")})` : "");
      if (fields) { const parts = [...told.childNodes]; told.replaceChildren(...parts.flat()); }
      here.slice(0, 1).forEach((state) => { const box = viewer.svg.querySelector(`[data-box="${viewer.view.boxOf.get(state)}"]`); if (box) viewer.center(box); });
    };
    const line = el("p", { class: "steps" }, button("◀", () => go(at - 1), { "aria-label": "One call back" }), button("▶", () => go(at + 1), { "aria-label": "One call on" }), button("Start", () => go(0)), " ", told);
    return line;
  }

  /** The fields of an object after some calls, from a recorded test that makes the same calls; null if there is none. */
  function fieldsAfter(done, calls) {
    const means = (label, call) => labels.get(label)?.spellings.includes(call);
    const fits = (word, wanted) => word.length >= wanted.length && wanted.every((call, at) => means(word[at], call));
    for (const wanted of [calls, done]) {
      for (const test of data.tests ?? []) {
        const object = test.words.findIndex((word, at) => test.fields?.[at]?.length && fits(word, wanted));
        if (object >= 0 && done.length) return test.fields[object][done.length - 1] ?? null;
      }
    }
    return null;
  }

  /** Shows a part of the page in its address, to paste it into a ticket. */
  function address(hash) { try { history.replaceState(null, "", hash); } catch { /* a page in a frame has none */ } }

  /** Opens what an address names: a trace, a state or a transition. */
  function open(hash) {
    const [, what, at = "0", rest] = /^#(follow|state|transition)=(?:(\d):)?(.*)$/s.exec(hash) ?? [];
    if (what === "follow") return follow(decodeURIComponent(hash.slice(FOLLOW.length)));
    const viewer = viewers[Number(at)];
    if (!viewer || !shown.includes(viewer)) return undefined;
    if (what === "state" && viewer.view.boxOf.has(Number(rest))) viewer.chooseBox(viewer.view.boxOf.get(Number(rest)));
    if (what === "transition") {
      const [from, label, to] = rest.split(",");
      const edge = viewer.model.edges.findIndex((one) => String(one.from) === from && String(one.to) === to && one.label === decodeURIComponent(label));
      if (edge >= 0) viewer.chooseEdges([edge]);
    }
    const part = viewer.svg.querySelector(".chosen");
    if (part) viewer.center(part);
    return undefined;
  }

  /** The calls in a typed text: as labels read in files, in the picture, or in a program. */
  function callsIn(text) {
    // Arguments are not part of a label, parameter types may be. Commas in these separate no calls.
    const parameters = [];
    // `new` belongs to the constructor that follows it, and a receiver to the call behind its dot.
    // In a program, texts may hold anything, and a declared variable stands before its value.
    const plain = text.replace(/\bassert(True|False)\(\s*[\w$]+\.(\w+)\(([^()]*)\)\s*\)/g, (all, answer, method) => ` ${method}:${answer.toUpperCase()} `).replace(/\bassertThrows\(\s*[\w$.]+\.class\s*,/g, " ").replace(/"(?:[^"\\\n]|\\.)*"/g, '""').replace(/\/\/[^\n]*/g, " ").replace(/\bassert\w+\(\s*(?:[^(),]*,\s*)?(?=[\w$]+\.)/g, " ").replace(/\(\)\s*->/g, " ");
    const program = plain.replace(/\b[A-Z][\w$.]*(?:<[^<>=;]*>)?(?:\[\])*\s+[a-z]\w*\s*=(?!=)/g, " ").replace(/\b(?:final|var|int|long|boolean|double|String)\s+\w+\s*=(?!=)/g, " ").replace(/\bnew\s+/g, "").replace(/\b[a-z]\w*\.(?=\w+\s*\()/g, "").replace(/\)+;/g, ");");
    const bare = program.replace(/([\w$.]+)(\([^()]*\))(?=[\s,;:=!✓✗⚠]|$)/g, (all, method, list) => {
      const types = list.replace(/\s/g, "");
      if (!known.has(method + types)) return method;
      parameters.push(types);
      return `${method}\u0000`;
    });
    const calls = [];
    for (const token of bare.replace(/[✓✗⚠]/g, " $& ").split(/[\s,;]+/).filter(Boolean)) {
      const goesOn = calls.length && (/^[✓✗⚠]$/.test(token) || calls[calls.length - 1].endsWith(" ⚠"));
      if (goesOn) calls.push(`${calls.pop()} ${token}`);
      else calls.push(token.replace("\u0000", () => parameters.shift()));
    }
    return calls.map((call) => (known.has(call) ? call : knownInLowerCase.get(call.toLowerCase().replace("=", ":")) ?? call));
  }

  /** The label or method that a mistyped call comes closest to, if any comes close. */
  function nearest(call) {
    let [best, least] = [null, Math.max(2, Math.floor(call.length / 3)) + 0.5];
    for (const spelling of known) {
      const far = distance(call.toLowerCase(), spelling.toLowerCase(), least);
      if (spelling !== call && far < least) [best, least] = [spelling, far];
    }
    return best;
  }

  /** How many letters must be added, left out or changed to make one word of another; more than `most` is not counted on. */
  function distance(one, other, most) {
    if (Math.abs(one.length - other.length) > most) return Infinity;
    let row = Array.from({ length: other.length + 1 }, (_, at) => at);
    for (let i = 1; i <= one.length; i += 1) {
      const next = [i];
      for (let j = 1; j <= other.length; j += 1) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1));
      row = next;
    }
    return row[other.length];
  }

  function walk(viewer, calls) {
    const { model } = viewer;
    const means = (edge, call) => labels.get(edge.label).spellings.includes(call);
    let here = new Set(model.states.flatMap((state, at) => (state.initial ? [at] : [])));
    // For each call, the transitions that some reading of the calls so far takes.
    const taken = [];
    let left = null;
    for (const [at, call] of calls.entries()) {
      const step = [...model.edges.entries()].filter(([, edge]) => here.has(edge.from) && means(edge, call));
      if (!step.length) { left = { at, call }; break; }
      here = new Set(step.map(([, edge]) => edge.to));
      taken.push(step);
    }
    // From the end, so that only readings of all calls remain.
    const [states, edges] = [new Set(here), new Set()];
    let after = here;
    for (const step of taken.reverse()) {
      const alive = step.filter(([, edge]) => after.has(edge.to));
      after = new Set(alive.map(([, edge]) => edge.from));
      alive.forEach(([number]) => edges.add(number));
      after.forEach((state) => states.add(state));
    }
    viewer.walk = { states, edges, here };
    viewer.paint();
    const place = [...here].map((state) => nameOf(model, state)).join(" or ");
    const going = [...new Set(model.edges.filter((edge) => here.has(edge.from)).map((edge) => edge.label))];
    const chips = el("span", { class: "chips" }, going.slice(0, 40).map((label) => button(label, () => follow([...calls.slice(0, left ? left.at : undefined), label].join(" ")))));
    const refused = left ? [...new Set([...here].flatMap((state) => model.states[state].refuses.map((one) => one.label)).filter((label) => labels.get(label).spellings.includes(left.call) || labels.get(label).method === labels.get(left.call)?.method))] : [];
    const throwing = refused.length ? ` (it throws ${refused.map(threw).join(" or ")})` : "";
    const isKnown = left && model.edges.some((edge) => means(edge, left.call) || refused.length > 0);
    const near = left && !isKnown ? nearest(left.call) : null;
    const hint = near ? [" Did you mean ", link(near, () => follow(calls.map((call, at) => (at === left.at ? near : call)).join(" "))), "?"] : [];
    if (left && !isKnown) return [el("b", { class: "left" }, `✗ Leaves the model at call ${left.at + 1}: `), "there is no call ", el("code", {}, left.call), ".", hint, ` Enabled in ${place}:`, chips];
    if (left) return [el("b", { class: "left" }, `✗ Leaves the model at call ${left.at + 1}: `), el("code", {}, left.call), ` is not enabled in ${place}${throwing}. Enabled calls:`, chips];
    const unknown = [...here].every((state) => model.states[state].not_explored);
    if (unknown) return [el("b", {}, "✓ Allowed. "), "What follows was not explored."];
    return [el("b", {}, "✓ Allowed. "), `Now in ${place}.`, going.length ? " Continue with:" : " No call is enabled here.", chips];
  }

  // ---- The sections below, each only when there is something to show.
  const main = document.querySelector("main");
  const nav = document.querySelector("nav");
  nav.append(el("a", { href: "#model" }, "Model"));
  function section(id, title, ...content) {
    main.append(el("section", { id, "aria-labelledby": `${id}-heading` }, el("h2", { id: `${id}-heading` }, title), ...content));
    const short = { trust: "Trust", tests: "Tests", search: "Search", provenance: "Provenance", differences: "Differences", orders: "Orders" };
    nav.append(el("a", { href: `#${id}` }, short[id] ?? title));
  }

  /** A list that shows its first entries, and more when asked. */
  function growing(list, entries, draw) {
    const STEP = 100;
    let shown = 0;
    const more = button("Show more", () => grow(), { class: "more" });
    const grow = () => {
      entries.slice(shown, shown + STEP).forEach((entry) => list.append(draw(entry)));
      shown = Math.min(shown + STEP, entries.length);
      more.hidden = shown >= entries.length;
      more.textContent = `Show more (${entries.length - shown} left)`;
    };
    list.replaceChildren();
    grow();
    return more;
  }

  // What the author of the class should see first comes above the model.
  const { findings = [], head: findingsHead = "" } = data.findings ?? {};
  if (findings.length) {
    const changes = (title, list) => (list.length ? [el("h4", {}, title), el("table", {}, el("tbody", {}, list.map((change) => el("tr", {}, el("th", { scope: "row" }, el("code", {}, change.name)), el("td", {}, change.before, " → ", change.after)))))] : []);
    const entry = (finding) => el("li", {}, el("details", {}, el("summary", {}, prose(finding.says)),
      finding.message ? el("p", { class: "small" }, `The message: “${finding.message}”`) : null,
      changes("What other calls answer, without the call and after it", finding.behavior), changes("Fields before and after", finding.fields), el("h4", {}, `Test: ${finding.test}`),
      copyable(finding.source, whole(finding, findingsHead))));
    const unseen = (finding) => finding.kind === "threw_and_changed_fields";
    const [hidden, visible] = [findings.filter(unseen), findings.filter((finding) => !unseen(finding))];
    section("findings", "Findings", el("p", { class: "small" }, "Behavior that was probably not intended. Each was seen again, and has a test."),
      el("ul", { class: "list" }, visible.map(entry)),
      hidden.length ? el("details", {}, el("summary", { class: "small" }, `${plural(hidden.length, "call", "calls")} that threw and changed fields, without a change that other calls were seen to notice`), el("ul", { class: "list inside" }, hidden.map(entry))) : null);
    main.prepend(byId("findings"));
    nav.prepend(nav.lastChild);
  }

  if (data.differences) {
    const [one, two] = data.models.map((model) => model.title);
    const column = (words, title, none) => [el("h3", {}, title), words.length
      ? el("ul", { class: "list" }, words.map((word) => el("li", { class: "word" }, link(word.length ? word.join(" ") : "(the empty trace)", () => { follow(word.join(" ")); byId("tools").scrollIntoView(); }))))
      : el("p", { class: "dim" }, none)];
    section("differences", "Call sequences that only one allows",
      el("p", {}, data.differences.says),
      data.differences.unknown ? el("p", { class: "note" }, data.differences.unknown) : null,
      ...column(data.differences.only_one, `Only in ${one}`, data.differences.unknown ? "not known" : "nothing"),
      ...column(data.differences.only_two, `Only in ${two}`, data.differences.unknown ? "not known" : "nothing"));
  }

  if (data.facts?.length) {
    section("trust", "How far to trust the model", el("ul", { class: "facts" }, data.facts.map((fact) => el("li", {},
      el("div", { class: "dim small" }, fact.name), el("p", { class: "value" }, fact.value), el("p", { class: "small" }, prose(fact.says)),
      fact.words.map((word) => el("p", { class: "word" }, link(word || "(nothing)", () => { follow(word); byId("tools").scrollIntoView(); })))))));
  }

  if (data.orders?.constraints.length) {
    const titles = { buggy: "The program does not need", supported: "The program needs", unknown: "Unknown" };
    const groups = ["buggy", "supported", "unknown"].map((verdict) => [titles[verdict], data.orders.constraints.filter((one) => one.verdict === verdict)]).filter(([, rows]) => rows.length);
    section("orders", "Orders that the model demands",
      el("p", { class: "small" }, `The model as a specification: ${data.orders.verdict}. test-spec.json has the evidence.`),
      groups.flatMap(([title, rows]) => [el("h3", {}, title), el("ul", { class: "list" }, rows.map((one) => el("li", {}, el("code", {}, one.a), " before ", el("code", {}, one.b), ": ", prose(one.why))))]),
      data.orders.notes.map((note) => el("p", { class: "note" }, note)));
  }

  if (data.properties?.list.length) {
    const { labels, templates, stories, fates, groups } = data.properties;
    /** A property in words, built only when it is shown or searched. */
    const propertyAt = (at) => {
      const [template, a, b, fate, story, test] = data.properties.list[at];
      const pattern = templates[template][a === b ? "same" : "says"];
      const says = pattern.replace(/[\u0001\u0002]/g, (hole) => labels[hole === "\u0001" ? a : b]);
      return { says, template: templates[template].name, long: templates[template].long, fate: fates[fate], story: stories[story], test };
    };
    const list = el("ul", { class: "list", id: "property-list" });
    const count = el("span", { role: "status", class: "dim small", id: "property-count" });
    const marks = { survived: "✓ survived", not_attacked: "– not attacked", refuted: "✗ refuted" };
    const kinds = ["all", ...fates.filter((fate) => groups.some((group) => group.fate === fate))];
    const which = el("select", { id: "property-fate", on: { change: () => show() } }, kinds.map((kind) => el("option", { value: kind }, kind === "all" ? "all" : marks[kind])));
    const text = el("input", { type: "search", id: "property-find", placeholder: "words in a property", on: { input: () => show() } });
    const holder = el("div");
    const mark = (fate) => [el("span", { class: `fate ${fate}` }, marks[fate]), " "];
    const one = (property, marked) => el("li", {}, marked ? mark(property.fate) : [], prose(property.says), " ",
      el("span", { class: "dim small" }, el("abbr", { title: property.long }, property.template), `; ${property.story}`), property.test ? [" ", link("see the test", () => openTest(property.test))] : []);
    /** One sentence for many properties, which are added to the page when it unfolds. */
    const many = (group) => {
      const details = el("details", {}, el("summary", {}, mark(group.fate), prose(group.says), " ", el("span", { class: "dim small" }, plural(group.members.length, "property", "properties"))));
      details.addEventListener("toggle", () => {
        if (!details.open || details.querySelector("ul")) return;
        const inside = el("ul", { class: "list inside" });
        const more = growing(inside, group.members, (at) => one(propertyAt(at), false));
        details.append(inside, more);
      });
      return el("li", {}, details);
    };
    // What is searched in, made at the first search.
    let texts = null;
    const show = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fits = (fate) => which.value === "all" || fate === which.value;
      const all = data.properties.list.length;
      if (!words.length) {
        const kept = groups.filter((group) => fits(group.fate));
        const inside = kept.reduce((sum, group) => sum + group.members.length, 0);
        count.textContent = `${plural(kept.length, "sentence", "sentences")} for ${inside.toLocaleString("en")} of ${plural(all, "property", "properties")}`;
        holder.replaceChildren(growing(list, kept, (group) => (group.members.length === 1 ? one(propertyAt(group.members[0]), true) : many(group))));
        return;
      }
      texts ??= data.properties.list.map((_, at) => { const property = propertyAt(at); return `${property.template} ${property.says}`.toLowerCase(); });
      const kept = texts.flatMap((said, at) => (fits(fates[data.properties.list[at][3]]) && words.every((word) => said.includes(word)) ? [at] : []));
      count.textContent = `${kept.length.toLocaleString("en")} of ${plural(all, "property", "properties")}`;
      holder.replaceChildren(growing(list, kept, (at) => one(propertyAt(at), true)));
    };
    section("properties", "Properties",
      el("div", { class: "filters" }, el("label", { for: "property-fate" }, "Show", which), el("label", { for: "property-find" }, "Find", text), count),
      list, holder, data.properties.left_out ? el("p", { class: "note" }, `${data.properties.left_out.toLocaleString("en")} more are in properties.json.`) : null);
    show();
  }

  let openTest = () => {};
  if (data.tests?.length) {
    const list = el("ul", { class: "list", id: "test-list" });
    const count = el("span", { role: "status", class: "dim small" });
    const text = el("input", { type: "search", id: "test-find", placeholder: "words in a test", on: { input: () => show() } });
    const holder = el("div");
    // The transitions that each test takes for certain.
    const taking = new Map();
    data.models[0].edges.forEach((edge, at) => edge.shown.forEach((test) => taking.set(test, [...(taking.get(test) ?? []), { ...edge, at }])));
    const entry = (test) => {
      const word = test.words.map((events) => events.join(" ")).join(" | ");
      const details = el("details", { "data-test": test.name }, el("summary", {}, el("b", {}, test.name), word ? el("span", { class: "word dim" }, `  ${word}`) : null));
      const shows = taking.get(data.tests.indexOf(test)) ?? [];
      // Hundreds of sources are only put into the page when somebody looks.
      details.unfold = () => { if (!details.querySelector("pre")) details.append(...(shows.length ? [el("p", { class: "small" }, "Shows ", shows.slice(0, 5).flatMap((edge, at) => [at ? ", " : "", link([edge.from, " ", ...breaking(edge.label), ` → ${edge.to}`], () => { viewers[0].chooseEdges([edge.at]); byId("model").scrollIntoView(); })]))] : []), copyable(test.source, whole(test))); };
      details.addEventListener("toggle", () => { if (details.open) details.unfold(); });
      return el("li", {}, details);
    };
    const show = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const kept = data.tests.filter((test) => words.every((word) => `${test.name} ${test.source} ${test.words.join(" ")}`.toLowerCase().includes(word)));
      count.textContent = `${kept.length} of ${data.tests.length}`;
      holder.replaceChildren(growing(list, kept, entry));
    };
    section("tests", "Generated tests",
      el("div", { class: "filters" }, el("label", { for: "test-find" }, "Find", text), count), list, holder,
      data.tests_left_out ? el("p", { class: "note" }, `${data.tests_left_out} more are in the folder tests.`) : null);
    show();
    openTest = (name) => {
      text.value = "";
      show();
      const more = () => list.querySelector(`[data-test="${CSS.escape(name)}"]`);
      while (!more() && holder.firstChild && !holder.firstChild.hidden) holder.firstChild.click();
      const details = more();
      if (!details) return;
      details.open = true;
      details.unfold();
      details.scrollIntoView({ block: "center" });
      details.querySelector("summary").focus();
    };
  }

  // ---- The search over time: a small chart for each thing that was counted.
  function chart(title, points, rounds, of) {
    const [width, height, left, bottom, top] = [420, 190, 56, 26, 24];
    const known = points.filter((point) => of(point) !== null && of(point) !== undefined);
    const last = Math.max(...points.map((point) => point.seconds), 0.001);
    const most = Math.max(...known.map(of), 1);
    const x = (seconds) => left + (seconds / last) * (width - left - 8);
    const y = (value) => height - bottom - (value / most) * (height - bottom - top);
    const end = of(known[known.length - 1]);
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title} over time: ${of(known[0])} at the beginning, ${end} after ${last.toFixed(1)} seconds` });
    svg.append(drawn("path", { class: "axis", d: `M${left} ${top} V${height - bottom} H${width - 8}` }));
    for (const value of new Set([0, Math.round(most / 2), most])) svg.append(drawn("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, value.toLocaleString("en")));
    for (const part of [0, 0.5, 1]) svg.append(drawn("text", { x: x(last * part), y: height - 6, "text-anchor": ["start", "middle", "end"][part * 2] }, `${(last * part).toFixed(last < 10 ? 1 : 0)} s`));
    // Where a round begins, the search began anew.
    const seams = rounds.slice(1).map((round) => round.seconds);
    for (const [at, round] of rounds.entries()) {
      if (at) svg.append(drawn("path", { class: "seam", d: `M${x(round.seconds)} ${top - 20} V${height - bottom}` }));
    }
    let [phase, of_round, free] = [null, null, 0];
    for (const point of points) {
      const begins = rounds.length > 1 && point.round !== of_round;
      if (!begins && (point.phase === phase || !point.phase)) continue;
      if (!begins && phase !== null) svg.append(drawn("path", { class: "phase", d: `M${x(point.seconds)} ${top} V${height - bottom}` }));
      [phase, of_round] = [point.phase, point.round];
      const name = begins ? `round ${point.round}` : point.phase;
      // A name is left out where there is no room for it; the table has it.
      const place = begins ? x(rounds.find((round) => round.round === point.round)?.seconds ?? point.seconds) : x(point.seconds);
      const long = name.length * (begins ? 8.5 : 7.5);
      if (place + 3 < free || place + 3 + long > width) continue;
      svg.append(drawn("text", { x: place + 3, y: top - 9, class: begins ? "round" : "" }, name));
      free = place + long + 8;
    }
    let course = "";
    let before = null;
    known.forEach((point) => {
      const at = `${x(point.seconds).toFixed(1)} ${y(of(point)).toFixed(1)}`;
      const torn = before === null || seams.some((seam) => before < seam && seam <= point.seconds);
      course += torn ? `M${at} h0` : `H${at.split(" ")[0]} V${at.split(" ")[1]}`;
      before = point.seconds;
    });
    svg.append(drawn("path", { class: "curve", d: course }));
    return el("figure", {}, el("figcaption", {}, title), svg);
  }
  if (data.search?.points.length) {
    const { points, rounds } = data.search;
    const series = [["States of the model", (p) => p.states], ["Properties refuted", (p) => p.refuted], ["Properties left to attack", (p) => p.open], ["Branches covered", (p) => p.covered], ["Tests run", (p) => p.tests]];
    const drawnOnes = series.filter(([, of]) => points.some((point) => of(point) !== null && of(point) !== undefined));
    const heads = ["round", "phase", "seconds", "tests", "states", "refuted", "open", "covered"];
    const number = (value) => (value === null || value === undefined ? "" : typeof value === "number" && !Number.isInteger(value) ? value.toFixed(2) : String(value));
    section("search", "The search over time",
      rounds.length > 1 ? el("p", { class: "small" }, `The campaign has ${rounds.length} rounds, one after the other in the charts; a solid line marks the beginning of a round.`) : null,
      el("div", { class: "charts" }, drawnOnes.map(([title, of]) => chart(title, points, rounds, of))),
      el("details", {}, el("summary", {}, "As a table"), el("table", {}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, points.map((point) => el("tr", {}, heads.map((head) => el("td", {}, number(point[head])))))))));
  }

  if (data.provenance?.length) {
    section("provenance", "Where the model comes from", data.command ? [el("h3", {}, "Command to mine it again"), copyable(data.command), el("h3", {}, "The run")] : [], el("dl", {}, data.provenance.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
  }

  // ---- The models as tables: for paper, for screen readers, and for whoever prefers to read.
  viewers.forEach(({ model }) => {
    const fine = data.detail && viewers[1].model === model;
    const title = fine ? "All states in more detail as a table" : data.models.length > 1 && !data.detail ? `All states of ${model.title} as a table` : "All states as a table";
    const details = el("details", { class: "states" }, el("summary", {}, title));
    const leaving = model.states.map(() => new Map());
    model.edges.forEach((edge) => {
      const to = leaving[edge.from];
      to.set(edge.to, [...(to.get(edge.to) ?? []), edge.label + (edge.guard ? ` [${edge.guard}]` : "") + (edge.maybe ? "?" : "")]);
    });
    details.unfold = () => {
      if (details.querySelector("table")) return;
      const row = (state, at) => {
        const ways = [...leaving[at]].filter(([to]) => to !== at);
        return el("tr", {}, el("th", { scope: "row" }, nameOf(model, at), state.initial ? " (start)" : ""),
          el("td", {}, (leaving[at].get(at) ?? []).join(", ")),
          el("td", {}, ways.length ? el("ul", { class: "list" }, ways.map(([to, calls]) => el("li", {}, `${calls.join(", ")} → ${model.states[to].not_explored ? nameOf(model, to) : to}`))) : "none"));
      };
      details.append(el("table", {}, el("thead", {}, el("tr", {}, ["State", "Calls that stay", "Other calls"].map((head) => el("th", { scope: "col" }, head)))),
        el("tbody", {}, model.states.map((state, at) => (state.not_explored ? null : row(state, at))).filter(Boolean))));
    };
    // Before it opens, so that nobody sees it empty; opened in another way, as by a search in the page, it is filled then.
    details.querySelector("summary").addEventListener("click", () => details.unfold());
    details.addEventListener("toggle", () => { if (details.open) details.unfold(); });
    byId("model").append(details);
  });

  // ---- Paper. A row of a picture is not torn apart, and where letters would be too small the table has to do.
  const SMALLEST = 8;
  addEventListener("beforeprint", () => {
    shown.forEach((viewer) => {
      const { svg } = viewer;
      const { width, height } = svg.natural;
      svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
      const letters = (room) => (13 * Math.min(1, room / width));
      // The width of A4 between its margins, upright and turned.
      document.body.classList.toggle("turned", shown.some((one) => (13 * 700) / one.svg.natural.width < SMALLEST));
      const rows = svg.dataset.flow === "right" ? svg.dataset.rows.split(" ").map((row) => row.split(",").map(Number)) : [[0, height]];
      const strips = rows.map(([, to], at) => {
        const [top, end] = [at ? rows[at - 1][1] : 0, at + 1 < rows.length ? to : height];
        const strip = drawn("svg", { class: "picture strip-of-paper", viewBox: `0 ${top} ${width} ${Math.max(end - top, 1)}` });
        strip.append(svg.querySelector("defs").cloneNode(true), svg.querySelector(".scene").cloneNode(true));
        return strip;
      });
      viewer.paper = el("div", { class: "paper", "aria-hidden": "true" }, strips, letters(1000) < SMALLEST ? el("p", { class: "note" }, "The picture is too large to print. The table below has the same content.") : null);
      viewer.figure.append(viewer.paper);
    });
    document.querySelectorAll("details.states").forEach((details) => { details.unfold(); details.wasOpen = details.open; details.open = true; });
  });
  addEventListener("afterprint", () => {
    viewers.forEach((viewer) => { viewer.paper?.remove(); viewer.place(); });
    document.querySelectorAll("details.states").forEach((details) => { details.open = details.wasOpen; });
  });
  if (data.detail) showDetail(data.opens_with_detail);
  /** For two models, the states that correspond, and what only one of them has. */
  function match(one, other) {
    const pairs = new Map();
    const open = [];
    const meet = (a, b) => { if (!pairs.has(a) && ![...pairs.values()].includes(b)) { pairs.set(a, b); open.push([a, b]); } };
    const initial = (model) => model.states.flatMap((state, at) => (state.initial ? [at] : []));
    initial(one).forEach((state, at) => { const there = initial(other)[at]; if (there !== undefined) meet(state, there); });
    const traits = (model, state) => new Set([...model.states[state].predicates, ...model.edges.filter((edge) => edge.from === state).map((edge) => edge.label), ...model.states[state].refuses.map((refused) => refused.label)]);
    const alike = (a, b) => { const [x, y] = [traits(one, a), traits(other, b)]; const both = [...x].filter((text) => y.has(text)).length; return both / Math.max(1, x.size + y.size - both); };
    while (open.length) {
      const [a, b] = open.shift();
      // Calls that lead to one state only say most about it.
      const leaving = one.edges.filter((each) => each.from === a);
      const ways = (edge) => leaving.filter((each) => each.label === edge.label).length;
      for (const edge of leaving.sort((x, y) => ways(x) - ways(y))) {
        // Where a call leads to several states, to the one in which the same holds.
        const taken = new Set(pairs.values());
        const there = other.edges.filter((each) => each.from === b && each.label === edge.label && !taken.has(each.to)).sort((x, y) => alike(edge.to, y.to) - alike(edge.to, x.to));
        if (there.length) meet(edge.to, there[0].to);
      }
    }
    return pairs;
  }

  function onlyIn(model, other, matches) {
    const states = new Set([...model.states.keys()].filter((state) => !matches.has(state)));
    const edges = new Set([...model.edges.keys()].filter((at) => {
      const { from, label, to } = model.edges[at];
      return !other.edges.some((edge) => edge.from === matches.get(from) && edge.label === label && (edge.to === matches.get(to) || !matches.has(to)));
    }));
    return { states, edges, matches, other };
  }

  if (shown.length > 1) {
    const matches = match(data.models[0], data.models[1]);
    viewers[0].only = onlyIn(data.models[0], data.models[1], matches);
    viewers[1].only = onlyIn(data.models[1], data.models[0], new Map([...matches].map(([a, b]) => [b, a])));
    byId("figures").after(el("p", { class: "small legend" }, el("span", { class: "swatch" }), " only in this model: a call or a state without counterpart in the other"));
    byId("workbench").classList.add("two");
    viewers.forEach((viewer) => { viewer.figure.prepend(el("h3", {}, viewer.model.title)); viewer.show(); });
  }
  showOverview();
  try {
    open(location.hash);
    addEventListener("hashchange", () => open(location.hash));
  } catch { /* an address that was cut off says nothing */ }
})();
