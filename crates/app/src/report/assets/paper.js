  // Tables and paper.

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
