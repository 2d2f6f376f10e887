  // Two models side by side: the states that correspond, and what only one of them has.

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
