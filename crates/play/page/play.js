"use strict";

// The library, as requests and answers in JSON.
class Library {
  static async load(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    const library = new Library();
    library.calls = instance.exports;
    return library;
  }

  ask(request) {
    const text = new TextEncoder().encode(JSON.stringify(request));
    const place = this.calls.onlinear_reserve(text.length);
    new Uint8Array(this.calls.memory.buffer).set(text, place);
    const length = this.calls.onlinear_answer();
    const answer = new Uint8Array(this.calls.memory.buffer, this.calls.onlinear_place(), length);
    return JSON.parse(new TextDecoder().decode(answer));
  }
}

// What the page carries in its link.
const DEFAULTS = {
  set: "artificial:features=2,relevant=2,margin=0.1", rows: 100, seed: 1, noise: 0, drift: 0, bias: 1, step: 20,
  a: "perceptron", b: "passive-aggressive", p: "",
};

function stateOf(hash) {
  const state = { ...DEFAULTS };
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (key in DEFAULTS) state[key] = typeof DEFAULTS[key] === "number" ? Number(value) : value;
  }
  const bounded = (key, low, high) => {
    state[key] = Number.isFinite(state[key]) ? Math.min(high, Math.max(low, state[key])) : DEFAULTS[key];
  };
  bounded("rows", 1, 2000); bounded("seed", 0, Number.MAX_SAFE_INTEGER); bounded("noise", 0, 0.5);
  bounded("drift", 0, 360); bounded("step", 0, 1e6);
  for (const key of ["rows", "seed", "step"]) state[key] = Math.round(state[key]);
  return state;
}

function hashOf(state) {
  const changed = Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key]);
  return changed.length ? "#" + new URLSearchParams(changed).toString() : "#";
}

// Points put by hand: x, y and the label, a few characters each.
const packed = points => points.map(([x, y, label]) => `${label > 0 ? "p" : "n"}${+x.toFixed(3)}_${+y.toFixed(3)}`).join("");
function unpacked(text) {
  const points = [];
  for (const [, label, x, y] of text.matchAll(/([pn])(-?[\d.]+)_(-?[\d.]+)/g)) {
    if (Number.isFinite(+x) && Number.isFinite(+y)) points.push([+x, +y, label === "p" ? 1 : -1]);
  }
  return points;
}

const digits = x => x === null || x === undefined ? "" : Number(x.toPrecision(5)).toString().replace("-", "−");
const vector = w => w ? `(${w.slice(0, 8).map(digits).join(", ")}${w.length > 8 ? ", …" : ""})` : "";

// One learner with its map.
class Side {
  constructor(page, key, about) {
    this.page = page;
    this.key = key;
    this.root = document.getElementById(key);
    this.root.append(document.getElementById("side").content.cloneNode(true));
    const find = name => this.root.querySelector(name);
    [this.learner, this.settings, this.map, this.counts, this.curve, this.rule, this.trial, this.note] =
      [".learner", ".settings", ".map", ".counts", ".curve", ".rule", ".trial tbody", ".about"].map(find);
    for (const one of about.learners) this.learner.add(new Option(one.name, one.name));
    this.cross = [0, 0];
    this.learner.onchange = () => { this.settings.value = ""; this.chosen(); };
    this.settings.onchange = () => this.chosen();
    this.map.onpointerdown = event => this.clicked(event);
    this.map.onkeydown = event => this.typed(event);
    this.map.onfocus = this.map.onblur = () => this.draw();
  }

  show(spec) {
    const [name, ...settings] = spec.split(":");
    this.learner.value = name;
    this.settings.value = settings.join(":");
  }

  chosen() {
    const settings = this.settings.value.trim();
    this.page.change({ [this.key]: this.learner.value + (settings ? ":" + settings : "") });
  }

  at(event) {
    const box = this.map.getBoundingClientRect();
    return this.page.place((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }

  clicked(event) {
    this.page.put(this.at(event), this.page.brush());
  }

  typed(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = this.page.reach / (event.shiftKey ? 5 : 25);
    if (moves[event.key]) {
      this.cross = this.cross.map((x, k) => Math.max(-this.page.reach, Math.min(this.page.reach, x + step * moves[event.key][k])));
      this.draw();
    } else if (event.key === "Enter") {
      this.page.put(this.cross, this.page.brush());
    } else if (event.key === "Backspace" || event.key === "Delete") {
      this.page.put(this.cross, 0);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  // Asks for the run up to here, and shows it.
  run() {
    const { state, points, library, reach } = this.page;
    const cells = 80;
    this.answer = library.ask({
      ask: "run", spec: state[this.key], bias: Boolean(state.bias), points, steps: state.step, bound: true,
      map: [-reach, reach, -reach, reach, cells, cells],
    });
    this.cells = cells;
    const learner = this.page.about.learners.find(one => one.name === this.learner.value);
    this.rule.textContent = learner ? learner.rule : "";
    this.note.textContent = learner ? `${learner.title}. ${learner.summary} ${learner.paper}.` : "";
    this.tell();
    this.draw();
    this.drawCurve();
    return this.answer.refused;
  }

  tell() {
    const answer = this.answer;
    const row = (name, text) => `<tr><th>${name}</th><td>${text}</td></tr>`;
    if (answer.refused) {
      this.counts.textContent = "";
      this.trial.innerHTML = "";
      return;
    }
    if (answer.errors !== undefined) {
      this.counts.innerHTML = answer.waits ? "waits for points of both classes"
        : `<b>${answer.errors}</b> of <b>${answer.trials}</b> points wrong: it learns from all at once`;
      this.trial.innerHTML = row("w", vector(answer.weights)) + row("stages", answer.stages.join(", ") || "none");
      return;
    }
    const bound = answer.bound && answer.bound.bound;
    const bounded = Number.isFinite(bound) ? `, bound <b>${digits(bound)}</b>` : "";
    const updates = answer.updated.reduce((sum, one) => sum + one, 0);
    this.counts.innerHTML = `<b>${answer.mistakes}</b> mistakes in <b>${answer.trials}</b> trials${bounded}; ${updates} updates` +
      (answer.support === null ? "" : `, ${answer.support} support vectors`);
    const last = answer.last;
    if (!last) { this.trial.innerHTML = row("trial", "none yet"); return; }
    const asked = last.asked === null ? "" : last.asked ? ", the label was asked for" : ", the label was not asked for";
    this.trial.innerHTML = row("x", vector(last.x)) + row("y", last.y > 0 ? "+1" : "−1") +
      row("f(x)", `${digits(last.score)}, so y·f(x) = ${digits(last.y * last.score)}`) +
      row("so", (last.mistake ? "<b class='minus'>a mistake</b>" : "right") + (last.updated ? ", and an update" : ", no update") + asked) +
      (last.before ? row("model before", vector(last.before)) + row("model after", vector(answer.weights)) : "") +
      row("stages", answer.stages.join(", ") || "none") +
      (answer.bound && answer.bound.reason ? row("bound", answer.bound.reason) : "");
  }

  draw() {
    const { points, state, reach } = this.page, size = this.map.width, paint = this.map.getContext("2d");
    const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
    paint.fillStyle = colour("--back");
    paint.fillRect(0, 0, size, size);
    const scores = this.answer && this.answer.map;
    if (scores) this.drawMap(paint, scores, colour);
    const spot = ([x, y]) => [(x / reach + 1) * size / 2, (1 - y / reach) * size / 2];
    paint.strokeStyle = colour("--line");
    paint.lineWidth = 1;
    paint.beginPath();
    paint.moveTo(size / 2, 0); paint.lineTo(size / 2, size); paint.moveTo(0, size / 2); paint.lineTo(size, size / 2);
    paint.stroke();
    points.forEach((point, i) => {
      const [x, y] = spot(point), met = i < state.step, isLast = i === state.step - 1;
      paint.globalAlpha = met ? 1 : 0.3;
      paint.strokeStyle = paint.fillStyle = colour(point[2] > 0 ? "--plus" : "--minus");
      paint.lineWidth = 2.5;
      const r = 5;
      paint.beginPath();
      if (point[2] > 0) { paint.arc(x, y, r, 0, 7); paint.fill(); } else { paint.rect(x - r, y - r, 2 * r, 2 * r); paint.stroke(); }
      if (this.answer && this.answer.mistaken && this.answer.mistaken[i]) {
        paint.strokeStyle = colour("--edge");
        paint.lineWidth = 1.5;
        paint.beginPath();
        paint.moveTo(x - r - 3, y - r - 3); paint.lineTo(x + r + 3, y + r + 3); paint.moveTo(x - r - 3, y + r + 3); paint.lineTo(x + r + 3, y - r - 3);
        paint.stroke();
      }
      if (isLast) {
        paint.strokeStyle = colour("--edge");
        paint.lineWidth = 2;
        paint.beginPath();
        paint.arc(x, y, 12, 0, 7);
        paint.stroke();
      }
    });
    paint.globalAlpha = 1;
    if (document.activeElement === this.map) {
      const [x, y] = spot(this.cross);
      paint.strokeStyle = colour("--edge");
      paint.lineWidth = 1.5;
      paint.beginPath();
      paint.moveTo(x - 14, y); paint.lineTo(x + 14, y); paint.moveTo(x, y - 14); paint.lineTo(x, y + 14);
      paint.stroke();
    }
  }

  drawMap(paint, scores, colour) {
    const cells = this.cells, size = this.map.width, cell = size / cells;
    const largest = Math.max(1e-300, ...scores.map(Math.abs).filter(Number.isFinite));
    const [plus, minus] = ["--plus-area", "--minus-area"].map(colour);
    for (let i = 0; i < cells * cells; i++) {
      const score = scores[i], strength = 0.35 + 0.65 * Math.sqrt(Math.abs(score) / largest);
      paint.fillStyle = `rgba(${score >= 0 ? plus : minus}, ${strength})`;
      paint.fillRect((i % cells) * cell, Math.floor(i / cells) * cell, cell + 0.5, cell + 0.5);
    }
    // Where the sign changes between neighbours.
    paint.strokeStyle = colour("--edge");
    paint.lineWidth = 2;
    paint.beginPath();
    for (let row = 0; row < cells; row++) {
      for (let column = 0; column < cells; column++) {
        const here = scores[row * cells + column] >= 0;
        if (column + 1 < cells && here !== scores[row * cells + column + 1] >= 0) {
          paint.moveTo((column + 1) * cell, row * cell); paint.lineTo((column + 1) * cell, (row + 1) * cell);
        }
        if (row + 1 < cells && here !== scores[(row + 1) * cells + column] >= 0) {
          paint.moveTo(column * cell, (row + 1) * cell); paint.lineTo((column + 1) * cell, (row + 1) * cell);
        }
      }
    }
    paint.stroke();
  }

  // Mistakes so far, against the bound.
  drawCurve() {
    const canvas = this.curve, paint = canvas.getContext("2d"), { width, height } = canvas;
    const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
    paint.fillStyle = colour("--back");
    paint.fillRect(0, 0, width, height);
    const mistaken = this.answer && this.answer.mistaken;
    if (!mistaken) return;
    const sums = [0];
    for (const one of mistaken) sums.push(sums[sums.length - 1] + one);
    const mistakes = sums[sums.length - 1], bound = this.answer.bound && this.answer.bound.bound;
    const shown = Number.isFinite(bound) && bound <= 20 * Math.max(5, mistakes);
    const top = 1.1 * Math.max(5, mistakes, shown ? bound : 0), trials = Math.max(1, this.page.points.length);
    const at = (t, m) => [8 + (width - 16) * t / trials, height - 14 - (height - 24) * m / top];
    paint.font = "12px system-ui";
    paint.fillStyle = colour("--soft");
    paint.fillText(`mistakes ${mistakes}`, 10, 14);
    paint.strokeStyle = colour("--plus");
    paint.lineWidth = 2;
    paint.beginPath();
    sums.forEach((sum, t) => { if (t) { paint.lineTo(...at(t, sums[t - 1])); } paint[t ? "lineTo" : "moveTo"](...at(t, sum)); });
    paint.stroke();
    if (shown) {
      paint.strokeStyle = paint.fillStyle = colour("--minus");
      paint.setLineDash([6, 5]);
      paint.beginPath();
      paint.moveTo(...at(0, bound)); paint.lineTo(...at(trials, bound));
      paint.stroke();
      paint.setLineDash([]);
      const [, y] = at(0, bound);
      paint.fillText(`bound ${digits(bound)}`, width - 110, y < 24 ? y + 14 : y - 5);
    } else if (Number.isFinite(bound)) {
      paint.fillText(`bound ${digits(bound)}: far above`, width - 190, 14);
    }
  }
}

// The whole page.
class Page {
  constructor(library) {
    this.library = library;
    this.about = library.ask({ ask: "about" });
    this.find = id => document.getElementById(id);
    for (const set of this.about.sets) this.find("set").add(new Option(set.title, set.set));
    this.find("set").add(new Option("Points put by hand", "hand"));
    this.sides = ["a", "b"].map(key => new Side(this, key, this.about));
    const number = id => Number(this.find(id).value);
    this.find("set").onchange = () => {
      const set = this.find("set").value;
      this.change(set === "hand" ? { p: packed(this.points), noise: 0, drift: 0 } : { set, p: "" });
    };
    this.find("rows").onchange = () => this.change({ rows: number("rows"), p: "" });
    this.find("seed").onchange = () => this.change({ seed: number("seed"), p: "" });
    this.find("noise").oninput = () => this.change({ noise: number("noise"), p: "" });
    this.find("drift").oninput = () => this.change({ drift: number("drift"), p: "" });
    this.find("bias").onchange = () => this.change({ bias: Number(this.find("bias").checked) });
    this.find("clear").onclick = () => this.change({ p: "-", step: 0 });
    this.find("link").onclick = () => this.copy();
    this.find("step").oninput = () => this.change({ step: number("step") });
    this.find("first").onclick = () => this.change({ step: 0 });
    this.find("back").onclick = () => this.change({ step: this.state.step - 1 });
    this.find("next").onclick = () => this.change({ step: this.state.step + 1 });
    this.find("last").onclick = () => this.change({ step: this.points.length });
    this.find("mistake").onclick = () => this.toMistake();
    this.find("go").onclick = () => this.go();
    document.onkeydown = event => this.typed(event);
    window.onhashchange = () => { if (location.hash !== this.hash) this.take(stateOf(location.hash)); };
    matchMedia("(prefers-color-scheme: dark)").onchange = () => this.show();
    this.take(stateOf(location.hash));
  }

  change(changes) {
    const state = stateOf(hashOf({ ...this.state, ...changes }));
    this.take(state);
  }

  // Takes a state over: points first, then both runs.
  take(state) {
    this.state = state;
    if (state.p) {
      this.points = unpacked(state.p);
    } else {
      const { set, rows, seed, noise, drift } = state;
      const answer = this.library.ask({ ask: "points", set, rows, seed, noise, drift });
      this.points = answer.points || [];
      this.refused = answer.refused;
    }
    state.step = Math.min(state.step, this.points.length);
    const largest = Math.max(0.5, ...this.points.map(([x, y]) => Math.max(Math.abs(x), Math.abs(y))));
    this.reach = state.p ? Math.max(1.5, 1.15 * largest) : 1.15 * largest;
    this.sides.forEach(side => side.show(state[side.key]));
    this.hash = hashOf(state);
    history.replaceState(null, "", this.hash);
    this.show();
  }

  show() {
    const { state, find } = this;
    find("set").value = state.p ? "hand" : state.set;
    const set = this.about.sets.find(one => one.set === state.set);
    find("set-about").textContent = state.p ? "Points put by hand; their order is that of the trials." : set ? set.about : state.set;
    for (const key of ["rows", "seed", "noise", "drift", "step"]) find(key).value = state[key];
    find("step").max = this.points.length;
    find("bias").checked = Boolean(state.bias);
    find("noise-told").textContent = `${Math.round(100 * state.noise)} %`;
    find("drift-told").textContent = `${state.drift}°`;
    find("step-told").textContent = `trial ${state.step} of ${this.points.length}`;
    const refused = this.sides.map(side => side.run()).filter(Boolean);
    find("message").textContent = [this.refused, ...new Set(refused)].filter(Boolean).join("; ");
  }

  brush() {
    return Number(document.querySelector("[name=brush]:checked").value);
  }

  place(across, down) {
    return [(2 * across - 1) * this.reach, (1 - 2 * down) * this.reach];
  }

  // Puts a point, or takes the nearest away.
  put([x, y], label) {
    const points = this.points.map(([x, y, label]) => [+x.toFixed(3), +y.toFixed(3), label]);
    let { step } = this.state;
    if (label) {
      points.push([x, y, label]);
      if (step === points.length - 1) step += 1;
    } else if (points.length) {
      const far = ([a, b]) => (a - x) ** 2 + (b - y) ** 2;
      const nearest = points.reduce((best, point, i) => far(point) < far(points[best]) ? i : best, 0);
      points.splice(nearest, 1);
      if (nearest < step) step -= 1;
    }
    this.change({ p: packed(points) || "-", step, noise: 0, drift: 0 });
  }

  toMistake() {
    const { step } = this.state;
    const all = this.sides.map(side => this.library.ask({
      ask: "run", spec: this.state[side.key], bias: Boolean(this.state.bias), points: this.points,
    }).mistaken || []);
    for (let t = step; t < this.points.length; t++) {
      if (all.some(mistaken => mistaken[t])) return this.change({ step: t + 1 });
    }
    this.change({ step: this.points.length });
  }

  go() {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      if (this.state.step >= this.points.length) this.change({ step: 0 });
      this.timer = setInterval(() => {
        if (this.state.step >= this.points.length) return this.go();
        this.change({ step: this.state.step + 1 });
      }, 120);
    }
    this.find("go").textContent = this.timer ? "Pause" : "Run";
  }

  async copy() {
    const button = this.find("link");
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      prompt("The link to this state", location.href);
    }
    setTimeout(() => { button.textContent = "Copy link"; }, 1500);
  }

  typed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target.tagName;
    if (target === "SELECT" || target === "INPUT" && event.target.type !== "checkbox" && event.target.type !== "radio") return;
    if (event.target.type === "radio" && event.key.startsWith("Arrow")) return;
    const far = event.shiftKey ? 10 : 1;
    const brushes = { p: "1", n: "-1", x: "0" };
    if (event.key === "ArrowRight") this.change({ step: this.state.step + far });
    else if (event.key === "ArrowLeft") this.change({ step: this.state.step - far });
    else if (event.key === "Home") this.change({ step: 0 });
    else if (event.key === "End") this.change({ step: this.points.length });
    else if (event.key === "m") this.toMistake();
    else if (event.key === " " && target !== "BUTTON" && target !== "SUMMARY" && target !== "INPUT") this.go();
    else if (brushes[event.key]) document.querySelector(`[name=brush][value="${brushes[event.key]}"]`).checked = true;
    else return;
    event.preventDefault();
  }
}

// The library's bytes stand in the page, packed and as text.
async function unpackedLibrary(text) {
  const bytes = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return Library.load(await new Response(stream).arrayBuffer());
}

if (typeof document !== "undefined") {
  unpackedLibrary(LIBRARY).then(library => { window.page = new Page(library); }).catch(error => {
    document.getElementById("message").textContent = `This page needs a browser of 2023 or newer: ${error}`;
  });
}
