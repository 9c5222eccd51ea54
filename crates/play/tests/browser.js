"use strict";
// In the page, in a browser: the runs that Node has compared with the program, then the page itself by mouse and keys.
(async () => {
  const trouble = [];
  window.addEventListener("error", event => trouble.push(event.message));
  const require = (holds, what) => { if (!holds) trouble.push(what); };
  // The clock of a browser that is told how much time there is runs ahead of the compiler: so some work lies between.
  for (let wait = 0; wait < 1000 && !window.page; wait++) {
    await new Promise(done => setTimeout(done, 20));
    for (let work = 0, sum = 0; work < 2e6; work++) sum += work;
  }
  const verdict = document.createElement("pre");
  verdict.id = "verdict";
  document.body.append(verdict);
  try {
    const { library } = window.page;
    for (const { set, noise, drift, seed, spec, bias, wrong } of EXPECTED) {
      const { points } = library.ask({ ask: "points", set, noise, drift, seed, rows: 80 });
      const answer = library.ask({ ask: "run", spec, bias, points });
      const found = answer.errors ?? answer.mistakes;
      require(found === wrong, `${spec} on ${set}: ${found}, expected ${wrong}`);
    }
    const key = (name, target = document.body) => target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
    const told = () => document.getElementById("step-told").textContent;
    key("Home"); require(told().startsWith("trial 0 of"), told());
    key("ArrowRight"); require(told().startsWith("trial 1 of"), told());
    key("End"); require(/trial (\d+) of \1$/.test(told()), told());
    document.getElementById("clear").click();
    require(told() === "trial 0 of 0", told());
    const map = document.querySelector("#a .map"), box = map.getBoundingClientRect();
    for (const [label, across] of [["p", 0.75], ["n", 0.25], ["p", 0.7]]) {
      key(label);
      map.dispatchEvent(new PointerEvent("pointerdown", { clientX: box.left + across * box.width, clientY: box.top + box.height / 3 }));
    }
    require(told() === "trial 3 of 3", told());
    require(window.page.points.map(point => point[2]).join() === "1,-1,1", JSON.stringify(window.page.points));
    map.focus();
    key("ArrowUp", map); key("Enter", map);
    require(told() === "trial 4 of 4", told());
    key("Backspace", map);
    require(told() === "trial 3 of 3", told());
    const link = location.hash;
    window.page.change({ set: "yinyang", p: "", a: "averaged:kernel=gaussian,sigma2=0.1", step: 100 });
    require(/mistakes in/.test(document.querySelector("#a .counts").textContent), "no counts");
    require(document.querySelector("#a .rule").textContent.length > 10, "no rule");
    window.page.take(stateOf(link));
    require(told() === "trial 3 of 3", `the link gives ${told()}`);
    window.page.change({ a: "nobody" });
    require(/nobody/.test(document.getElementById("message").textContent), "nothing is said of a learner that is none");
    window.page.change({ a: "perceptron" });
    require(document.documentElement.scrollWidth <= innerWidth, `${document.documentElement.scrollWidth} px wide`);
  } catch (error) {
    trouble.push(String(error));
  }
  verdict.textContent = trouble.length ? trouble.join("; ") : `as expected: ${EXPECTED.length} runs`;
})();
