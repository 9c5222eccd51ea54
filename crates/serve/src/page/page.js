// The live page. What comes as data is only ever put into the page as text.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);
let token = sessionStorage.getItem("token") || "";
let next; // when the page looks again

function ask(path, options = {}) {
  const headers = { ...(options.headers || {}) };
  if (token) headers.Authorization = `Bearer ${token}`;
  return fetch(path, { ...options, headers, cache: "no-store" });
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function drawn(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const count = (number) => number.toLocaleString("en");
const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(2)} %`);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const short = (number) => Number(number.toPrecision(4)).toString();

// Lines of points [x, y], the first of them the main one.
function chart(figure, lines, label, format) {
  const [width, height, left, right, top, bottom] = [560, 220, 60, 12, 8, 22];
  const all = lines.flat();
  const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const mostX = all.length ? Math.max(...all.map((point) => point[0])) : 1;
  const leastX = Math.min(mostX - 1, ...all.map((point) => point[0]));
  const mostY = Math.max(1e-9, ...all.map((point) => point[1])) * 1.05;
  const x = (value) => left + (width - left - right) * (value - leastX) / (mostX - leastX);
  const y = (value) => height - bottom - (height - top - bottom) * value / mostY;
  for (const part of [0, 0.5, 1]) {
    const value = part * mostY / 1.05;
    svg.append(drawn("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), class: "grid" }));
    svg.append(drawn("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, format(value)));
  }
  svg.append(drawn("text", { x: left, y: height - 6 }, count(leastX)));
  svg.append(drawn("text", { x: width - right, y: height - 6, "text-anchor": "end" }, count(mostX)));
  [...lines].reverse().forEach((line, i) => {
    const path = line.map((point, k) => `${k ? "L" : "M"}${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`);
    svg.append(drawn("path", { d: path.join(""), class: i === lines.length - 1 ? "first" : "second" }));
  });
  figure.replaceChildren(svg);
}

function bars(into, rows) {
  const most = Math.max(1e-300, ...rows.map((row) => Math.abs(row.size)));
  into.replaceChildren(...rows.flatMap(({ name, size, text }) => {
    const bar = element("progress", undefined, size < 0 ? "negative" : "");
    bar.max = 1;
    bar.value = Math.abs(size) / most;
    const title = element("span", name);
    title.title = name;
    return [title, bar, element("span", text)];
  }));
}

function figures(live) {
  const learning = [
    ["rows learned", count(live.learned)], ["error", percent(live.error)],
    ...live.windows.map((window) => [`last ${count(window.rows)}`, percent(window.error)]),
    ["waiting for labels", count(live.waiting)], ["log", megabytes(live.log_bytes)],
  ];
  const shown = [
    ...(live.learns ? learning : []), ["rows predicted", count(live.predicted)], ["features", count(live.features)],
    ["memory", live.memory ? megabytes(live.memory) : "–"],
  ];
  byId("figures").replaceChildren(...shown.map(([name, value]) => {
    const box = element("div");
    box.append(element("dt", name), element("dd", value));
    return box;
  }));
}

function errors(live) {
  const curve = live.curve;
  const all = curve.map(([rows, mistakes]) => [rows, mistakes / rows]);
  const steps = [];
  const far = Math.max(1, Math.floor(curve.length / 40));
  for (let i = far; i < curve.length; i += far) {
    const [[before, wrongBefore], [rows, wrong]] = [curve[i - far], curve[i]];
    steps.push([rows, (wrong - wrongBefore) / (rows - before)]);
  }
  chart(byId("error-chart"), [all, steps], "progressive error by rows learned", (value) => `${(100 * value).toFixed(1)} %`);
}

function speeds(live) {
  const line = (counts) => counts.map((rows, i) => [i - counts.length + 1, rows]);
  const lines = [line(live.learned_per_second), line(live.predicted_per_second)];
  chart(byId("speed-chart"), lines, "rows a second over the last minute", (value) => count(Math.round(value)));
}

function weights(live) {
  byId("weights").replaceChildren(...live.weights.map(({ label, weights: all }) => {
    const [box, list] = [element("div"), element("div", undefined, "bars")];
    bars(list, all.map(([name, weight]) => ({ name, size: weight, text: short(weight) })));
    box.append(element("h3", `for ${label}`), list);
    return box;
  }));
  // Several classes stand beside each other.
  for (const id of ["classes", "weights"]) byId(id).parentElement.classList.toggle("wide", live.weights.length > 1);
}

function mistakes(live) {
  byId("mistakes").replaceChildren(...live.last_mistakes.map((mistake) => {
    const row = element("tr");
    const { row: number, label, predicted, score, line } = mistake;
    row.append(...[count(number), label, predicted, short(score), line].map((text) => element("td", text)));
    return row;
  }));
}

function show(live) {
  byId("spec").textContent = [...live.stages, live.learner].join(" / ");
  document.title = live.learns ? `onlinear: ${percent(live.error)}` : "onlinear";
  figures(live);
  errors(live);
  speeds(live);
  const all = live.classes.reduce((sum, one) => sum + one.rows, 0) || 1;
  bars(byId("classes"), live.classes.slice(0, 20).map(({ label, rows }) => (
    { name: label, size: rows, text: `${count(rows)} (${percent(rows / all)})` }
  )));
  weights(live);
  mistakes(live);
}

function state(text, isBad) {
  byId("state").textContent = text;
  byId("state").className = isBad ? "bad" : "";
}

async function look() {
  let wait = 1000;
  try {
    const answer = await ask("/live");
    const isClosed = answer.status === 401;
    byId("door").hidden = !isClosed;
    byId("main").hidden = isClosed;
    if (answer.ok) {
      show(await answer.json());
      state("live", false);
    } else {
      state(isClosed ? "a token is needed" : `refused: ${answer.status}`, true);
      wait = 3000;
    }
  } catch (error) {
    state("no connection", true);
    wait = 3000;
  }
  clearTimeout(next);
  next = setTimeout(look, wait);
}

byId("door").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value.trim();
  sessionStorage.setItem("token", token);
  clearTimeout(next);
  look();
});

byId("try").addEventListener("submit", async (event) => {
  event.preventDefault();
  const headers = { "Content-Type": "application/x-ndjson" };
  try {
    const answer = await ask("/predict", { method: "POST", headers, body: byId("row").value });
    byId("answer").textContent = await answer.text();
  } catch (error) {
    byId("answer").textContent = "no connection";
  }
});

look();
