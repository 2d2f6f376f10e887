  // Follow a trace: calls as a reader types or pastes them, walked through the model, step by step.

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
      const done = at ? [`${at} of ${calls.length}: `, el("code", {}, calls[at - 1])] : [`${at} of ${calls.length}`];
      told.replaceChildren(...[...done, ` → ${place}`, ...fieldsNow(viewer, here, calls, at)].map((part) => (part instanceof Node ? part : legible(part))));
      here.slice(0, 1).forEach((state) => { const box = viewer.svg.querySelector(`[data-box="${viewer.view.boxOf.get(state)}"]`); if (box) viewer.center(box); });
    };
    /** The fields after the calls so far: of a test that makes the same calls, else what they were in all tests in that state. */
    const fieldsNow = (viewer, here, calls, at) => {
      const list = (fields) => fields.flatMap(([name, value], number) => [number ? ", " : "", el("code", {}, `${name} = ${value}`)]);
      const exact = fieldsAfter(calls.slice(0, at), calls);
      if (exact?.length) return [" with ", ...list(exact)];
      const seen = here.length === 1 && viewer.model === data.models[0] ? fieldsIn(here[0]) : [];
      if (seen.length) return ["; in tests, objects there had ", ...list(seen)];
      const holds = here.length === 1 ? viewer.model.states[here[0]].predicates : [];
      return holds.length ? [` (${holds.join(", ")})`] : [];
    };
    return el("p", { class: "steps" }, button("◀", () => go(at - 1), { "aria-label": "One call back" }), button("▶", () => go(at + 1), { "aria-label": "One call on" }), button("Start", () => go(0)), " ", told);
  }

  // For each state of the model, the values that fields had there in tests; found when somebody asks.
  let fieldsOfStates = null;
  function fieldsIn(state) {
    if (!fieldsOfStates) {
      fieldsOfStates = new Map();
      for (const test of data.tests ?? []) {
        test.words.forEach((word, object) => {
          if (!test.fields?.[object]?.length) return;
          placesOf(data.models[0], word).forEach((places, at) => {
            if (places.length !== 1) return;
            const ofState = fieldsOfStates.get(places[0]) ?? new Map();
            fieldsOfStates.set(places[0], ofState);
            (test.fields[object][at] ?? []).forEach(([name, value]) => ofState.set(name, (ofState.get(name) ?? new Set()).add(value)));
          });
        });
      }
    }
    const inWords = (values) => (values.length > 3 ? `${values.slice(0, 2).join(", ")}, … (${values.length} values)` : values.join(" or "));
    return [...(fieldsOfStates.get(state) ?? [])].map(([name, values]) => [name, inWords([...values].sort())]);
  }

  /** The states in which an object may be after each event of a word, as far as the whole word allows them. */
  function placesOf(model, word) {
    let here = new Set(model.states.flatMap((state, at) => (state.initial ? [at] : [])));
    const taken = [];
    for (const label of word) {
      const step = model.edges.filter((edge) => here.has(edge.from) && edge.label === label);
      if (!step.length) break;
      here = new Set(step.map((edge) => edge.to));
      taken.push(step);
    }
    const places = [];
    for (const step of taken.reverse()) {
      const alive = step.filter((edge) => here.has(edge.to));
      places.push([...new Set(alive.map((edge) => edge.to))]);
      here = new Set(alive.map((edge) => edge.from));
    }
    return places.reverse();
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
