  // The picture of a model: what is drawn can be moved, chosen, found, walked, filtered and saved.

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

  /** The points of a line between which it runs straight or bends once. Read from its text: asking the
   * browser for points of long lines takes seconds in a large picture. */
  function turns(path) {
    const numbers = path.getAttribute("d").match(/-?[\d.]+/g).map(Number);
    // A point where it begins, and then two that pull a curve and one where it ends.
    const points = [[numbers[0], numbers[1]]];
    for (let at = 6; at < numbers.length; at += 6) points.push([numbers[at], numbers[at + 1]]);
    return points;
  }

  /** The pieces of an arrow that run level. */
  function levelRuns(path) {
    const points = turns(path);
    return points.slice(1).flatMap(([x, y], at) => {
      const [fromX, fromY] = points[at];
      return Math.abs(y - fromY) < 3 && Math.abs(x - fromX) > 10 ? [{ y, left: Math.min(x, fromX), right: Math.max(x, fromX) }] : [];
    });
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
      this.start();
      this.paint();
      // Measuring lines takes time, and the picture can be read without it.
      const { svg } = this;
      setTimeout(() => { if (this.svg === svg) { this.labelEnds(); this.hide(); } });
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
      // In the middle of what is seen of the frame without scrolling; on a narrow window, at the top.
      const seen = Math.min(height, innerHeight - (this.stage.getBoundingClientRect().top + scrollY));
      const above = Math.min(high / 2, innerWidth < 600 ? 180 : Math.max(120, seen / this.scale / 2));
      this.y = inside(right ? at.y + at.height / 2 - above : at.y - 40, high, this.svg.natural.height);
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

    /** The calls of a part that contain a text. */
    foundIn(part, text) {
      const { box, arrow, note } = part.dataset;
      const edges = box !== undefined ? this.view.inside[box] : this.view[note === undefined ? "arrows" : "notes"][note ?? arrow].edges;
      return [...new Set(edges.map((edge) => this.model.edges[edge].label).filter(finder(text)))];
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
      const level = [...this.svg.querySelectorAll("[data-arrow] path.line")].flatMap(levelRuns);
      const boxes = [...this.svg.querySelectorAll(".box .frame")].map((frame) => Object.fromEntries(["x", "y", "width", "height"].map((name) => [name, Number(frame.getAttribute(name))])));
      for (const arrow of this.svg.querySelectorAll("[data-arrow]")) {
        const line = arrow.querySelector("path.line");
        const points = line ? turns(line) : [];
        const long = points.slice(1).reduce((sum, [x, y], at) => sum + Math.hypot(x - points[at][0], y - points[at][1]), 0);
        if (long < 420) continue;
        const calls = [...new Set(this.view.arrows[arrow.dataset.arrow].edges.map((edge) => this.model.edges[edge].label))];
        const text = inShort(calls);
        const plate = arrow.querySelector(".plate");
        const { x: px = -1e9, y: py = -1e9, width: pw = 0, height: ph = 0 } = plate ? { x: Number(plate.getAttribute("x")), y: Number(plate.getAttribute("y")), width: Number(plate.getAttribute("width")), height: Number(plate.getAttribute("height")) } : {};
        for (const way of [points, [...points].reverse()]) {
          const at = this.level(way, long);
          if (!at) continue;
          const far = Math.hypot(Math.max(px - at.x, 0, at.x - px - pw), Math.max(py - at.y, 0, at.y - py - ph));
          // Where the label itself is near, there is nothing to add.
          if (far < 160) continue;
          const [width, x] = [text.length * 6.7, at.x];
          // Above the line or below it, wherever no other line runs and no other label stands.
          const side = [{ y: at.y - 4, from: at.y - 15, to: at.y - 1 }, { y: at.y + 12, from: at.y + 1, to: at.y + 15 }].find(({ y, from, to }) =>
            placed.every((other) => Math.abs(other.x - x) > (other.width + width) / 2 || Math.abs(other.y - y) > 12)
            && !level.some((run) => run.y > from && run.y < to && run.left < x + width / 2 && run.right > x - width / 2)
            && !boxes.some((box) => box.y < to && box.y + box.height > from && box.x < x + width / 2 && box.x + box.width > x - width / 2));
          if (!side) continue;
          const { y } = side;
          placed.push({ x, y, width });
          arrow.append(drawn("text", { class: "end-label", x, y, "text-anchor": "middle", "aria-hidden": "true" }, text));
        }
      }
    }

    /** A place near one end of a line where it runs level, so that a label stands on it. */
    level(points, long) {
      let done = 0;
      for (const [at, [x, y]] of points.slice(1).entries()) {
        const [fromX, fromY] = points[at];
        const length = Math.hypot(x - fromX, y - fromY);
        const way = Math.max(60, done + 30);
        if (way >= Math.min(long / 2, 420)) return null;
        if (Math.abs(y - fromY) < 3 && way <= done + length - 30) return { x: fromX + Math.sign(x - fromX) * (way - done), y };
        done += length;
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
