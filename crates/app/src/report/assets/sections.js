  // The sections below the model.

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
    // The model below should be in sight.
    const FIRST = 3;
    const unseen = (finding) => finding.kind === "threw_and_changed_fields";
    const [hidden, visible] = [findings.filter(unseen), findings.filter((finding) => !unseen(finding))];
    section("findings", "Findings", el("p", { class: "small" }, "Behavior that was probably not intended. Each was seen again, and has a test."),
      el("ul", { class: "list" }, visible.slice(0, FIRST).map(entry)),
      visible.length > FIRST ? el("details", {}, el("summary", { class: "small" }, `${visible.length - FIRST} more`), el("ul", { class: "list" }, visible.slice(FIRST).map(entry))) : null,
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
