  // The tools above the picture: find, filters, and the width of the panel.

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
    data.detail ? el("label", { for: "detail", title: data.detail }, el("input", { type: "checkbox", id: "detail", checked: data.opens_with_detail, on: { change: (event) => showDetail(event.target.checked) } }), `More detail (${plural(data.models[1].states.filter((state) => !state.not_explored).length, "state", "states")})`) : "",
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
    // A call may be among those that a box has no room for, so that what was found is said.
    const calls = viewer.foundIn(part, findInput.value);
    if (calls.length) status.textContent += `: ${calls.slice(0, 3).join(", ")}${calls.length > 3 ? ", …" : ""}`;
    viewer.center(part);
  }
