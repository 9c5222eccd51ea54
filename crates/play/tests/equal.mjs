// Every learner on five sets, in the page's library and in the program: the same mistakes. Called with the page, the
// program and where to write what came out.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [page, program, results] = process.argv.slice(2);
const script = readFileSync(page, "utf8").split("<script>")[1].split("</script>")[0];
const { unpackedLibrary, LIBRARY, stateOf, hashOf, packed, unpacked } =
  new Function(`${script}\nreturn { unpackedLibrary, LIBRARY, stateOf, hashOf, packed, unpacked };`)();
const library = await unpackedLibrary(LIBRARY);
const about = library.ask({ ask: "about" });

function require(holds, what) {
  if (!holds) {
    console.error(`the page differs: ${what}`);
    process.exit(1);
  }
}

// The program's defaults take seconds where those of a page must not.
const QUICK = { adaboost: "adaboost:rounds=5,base.epochs=20" };
const SETS = [
  { set: "artificial:features=2,relevant=2,margin=0.1", noise: 0, drift: 0 },
  { set: "two-gaussians:noise=0", noise: 0.1, drift: 0 },
  { set: "second-order-toy:set=2,features=2", noise: 0, drift: 90 },
  { set: "yinyang", noise: 0, drift: 0 },
  { set: "xor:spread=0.25", noise: 0.05, drift: 30 },
];

const folder = mkdtempSync(join(tmpdir(), "onlinear-play-"));
const found = [];
for (const [i, choice] of SETS.entries()) {
  const { points } = library.ask({ ask: "points", rows: 80, seed: i + 1, ...choice });
  require(points.length === 80, `${choice.set} has ${points.length} points`);
  const parts = x => x.map((value, k) => value === 0 ? "" : ` ${k + 1}:${value}`).join("");
  writeFileSync(join(folder, "points.svm"), points.map(([x, y, label]) => `${label > 0 ? "+1" : "-1"}${parts([x, y])}\n`).join(""));
  for (const { name } of about.learners) {
    const spec = QUICK[name] ?? name, bias = i % 2 === 0;
    const answer = library.ask({ ask: "run", spec, bias, points, map: [-1, 1, -1, 1, 3, 3] });
    require(!answer.refused, `${spec}: ${answer.refused}`);
    const line = ["learn", spec, join(folder, "points.svm"), "--json", "--quiet", "--train-error", ...(bias ? ["--bias"] : [])];
    const told = JSON.parse(execFileSync(program, line, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }));
    const [ours, theirs] = answer.errors === undefined ? [answer.mistakes, told.mistakes] : [answer.errors, told.train.errors];
    require(ours === theirs, `${spec} on ${choice.set}: ${ours} here, ${theirs} in the program`);
    require(answer.spec === told.spec, `${answer.spec} here, ${told.spec} in the program`);
    found.push({ ...choice, seed: i + 1, spec, bias, wrong: ours });
  }
}
rmSync(folder, { recursive: true });

// A link carries the state, and what it cannot mean falls back.
const state = { ...stateOf(""), set: "xor:spread=0.25", rows: 7, step: 3, a: "arow:regularization=0.1", noise: 0.25 };
require(JSON.stringify(stateOf(hashOf(state))) === JSON.stringify(state), hashOf(state));
require(stateOf("#rows=-3&noise=x&step=1e99&nothing=1").rows === 1, "a row too few");
require(stateOf("#noise=x").noise === 0, "a noise that is none");
const points = [[0.5, -1.25, 1], [0, 3, -1]];
require(JSON.stringify(unpacked(packed(points))) === JSON.stringify(points), packed(points));
for (const request of [{}, { ask: "run" }, { ask: "run", spec: "nobody", points: [] }, { ask: "points", set: "ringnorm" },
  { ask: "run", spec: "perceptron:kernel=gaussian,sigma2=auto", points: [[1, 2, 1]] }]) {
  require(library.ask(request).refused, `${JSON.stringify(request)} is answered`);
}

writeFileSync(results, JSON.stringify(found));
console.log(`the page does as the program does: ${about.learners.length} learners on ${SETS.length} sets`);
