  // The panel beside the picture: the key, and the evidence for what is chosen.

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
      if (about.blocks?.length) parts.push(el("h4", {}, "Blocks: waits for another thread"), el("ul", {}, about.blocks.map((call) => el("li", {}, el("code", {}, breaking(call))))));
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
      parts.push(el("p", { class: "small evidence" }, edge.situations ? `The search observed it in ${plural(edge.situations, "situation", "situations")}. ` : "", edge.traces || edge.tests ? `Taken by ${plural(edge.traces, "trace", "traces")} and ${plural(edge.tests, "generated test", "generated tests")}. ` : "",
        edge.perhaps ? `${plural(edge.perhaps, "trace", "traces")}${edge.traces || edge.tests || edge.situations ? " more" : ""} may have taken it, or another transition.` : ""));
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
