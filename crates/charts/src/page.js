"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";

  /** A number with about four digits, as the rest of the report writes it. */
  const show = value => {
    const size = Math.abs(value);
    if (size >= 1000) return Math.round(value).toLocaleString("en");
    if (size > 0 && size < 1e-4) return value.toExponential(2);
    return value.toLocaleString("en", { maximumSignificantDigits: 4 });
  };

  /** The same for numbers that stand below each other. */
  const showAlike = values => {
    const most = Math.max(...values.map(Math.abs));
    if (values.every(Number.isInteger) || most >= 1000 || most < 1e-3) return show;
    const digits = 3 - Math.floor(Math.log10(most));
    return value => value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  };

  const add = (parent, name, text, kind) => {
    const element = document.createElement(name);
    element.textContent = text;
    if (kind) element.className = kind;
    return parent.appendChild(element);
  };

  /** Puts the readout beside a place of the drawing, inside the figure. */
  const put = (readout, svg, x, y) => {
    const stage = svg.parentNode.getBoundingClientRect();
    const box = svg.getBoundingClientRect();
    const [left, top, width] = svg.getAttribute("viewBox").split(" ").map(Number);
    const scale = box.width / width;
    const at = { x: box.left - stage.left + (x - left) * scale, y: (y - top) * scale };
    readout.hidden = false;
    readout.style.left = readout.style.top = "0";
    const beside = at.x > stage.width / 2 ? at.x - readout.offsetWidth - 14 : at.x + 14;
    readout.style.left = `${Math.max(0, Math.min(beside, stage.width - readout.offsetWidth))}px`;
    readout.style.top = `${at.y}px`;
  };

  /** The place of a pointer in the units of the drawing. */
  const place = (svg, event) => {
    const point = new DOMPoint(event.clientX, event.clientY);
    return point.matrixTransform(svg.getScreenCTM().inverse());
  };

  /** Curves: the values of all series at the x that is nearest to the pointer. */
  const curves = (svg, readout, data) => {
    const [left, top, right, bottom] = JSON.parse(svg.dataset.frame);
    const [low, high, log] = JSON.parse(svg.dataset.limits);
    const part = log ? x => Math.log(x / low) / Math.log(high / low) : x => (x - low) / (high - low);
    const at = x => left + part(x) * (right - left);
    const met = new Set(data.series.flatMap(series => series.x));
    const stops = [...met].filter(x => !log || x > 0).sort((a, b) => a - b);
    const guide = svg.appendChild(document.createElementNS(SVG, "line"));
    guide.setAttribute("class", "guide");
    guide.setAttribute("visibility", "hidden");
    const nearest = (values, place) => {
      let best = -1;
      values.forEach((x, i) => {
        if ((!log || x > 0) && (best < 0 || Math.abs(at(x) - place) < Math.abs(at(values[best]) - place))) best = i;
      });
      return best;
    };
    const rows = x => data.series.map(series => {
      const i = nearest(series.x, at(x));
      // Series over other x than this one are silent rather than wrong.
      return i < 0 || Math.abs(at(series.x[i]) - at(x)) > 3 ? null : { series, i, y: series.y[i] };
    }).filter(row => row && row.y !== null).sort((a, b) => b.y - a.y);
    let stop = -1;
    return {
      move: event => curvesAt(nearest(stops, place(svg, event).x)),
      step: (right, up) => curvesAt(stop < 0 ? stops.length - 1 : stop + right * Math.ceil(stops.length / 100) + up),
      hide: () => guide.setAttribute("visibility", "hidden"),
    };

    function curvesAt(wanted) {
      if (!stops.length) return;
      stop = Math.max(0, Math.min(wanted, stops.length - 1));
      const x = stops[stop];
      for (const [name, value] of Object.entries({ x1: at(x), x2: at(x), y1: top, y2: bottom })) guide.setAttribute(name, value);
      guide.setAttribute("visibility", "visible");
      readout.replaceChildren();
      add(readout, "b", `${data.x} ${show(x)}`);
      const found = rows(x);
      const alike = showAlike(found.map(row => row.y));
      for (const { series, i, y } of found) {
        const line = add(readout, "span", "");
        add(line, "i", "", `s${series.style % 8}${Math.floor(series.style / 8) % 2 ? " dashed" : ""}`);
        add(line, "em", series.name);
        const value = add(line, "output", alike(y));
        const band = series.low && series.low[i] !== null && series.high[i] !== null;
        if (band) add(value, "small", ` [${alike(series.low[i])}, ${alike(series.high[i])}]`);
      }
      put(readout, svg, at(x), top + 4);
    }
  };

  /** Cells and points: what the one under the pointer says. */
  const marks = (svg, readout) => {
    const cells = [...svg.querySelectorAll(".cell")];
    const told = new Map(cells.map(cell => {
      const title = cell.querySelector("title");
      title.remove();
      return [cell, title.textContent];
    }));
    const across = Number(svg.dataset.columns) || 1;
    let chosen = null;
    const choose = cell => {
      if (chosen) chosen.classList.remove("pointed");
      chosen = cell;
      if (!cell) return void (readout.hidden = true);
      cell.classList.add("pointed");
      readout.replaceChildren();
      add(readout, "b", told.get(cell));
      const box = cell.getBBox();
      put(readout, svg, box.x + box.width / 2, box.y + box.height + 8);
    };
    return {
      move: event => choose(event.target.closest(".cell")),
      step: (right, up) => {
        const next = chosen ? cells.indexOf(chosen) + right - up * across : 0;
        if (cells.length) choose(cells[Math.max(0, Math.min(next, cells.length - 1))]);
      },
      hide: () => choose(null),
    };
  };

  const KEYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

  const watch = (svg, readout, data) => {
    const reader = data ? curves(svg, readout, data) : marks(svg, readout);
    // The title would cover the readout as a tooltip of the browser's.
    const title = svg.querySelector("title");
    svg.setAttribute("aria-label", title.textContent);
    svg.removeAttribute("aria-labelledby");
    title.remove();
    const hide = () => {
      reader.hide();
      readout.hidden = true;
    };
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("pointermove", reader.move);
    svg.addEventListener("pointerdown", reader.move);
    svg.addEventListener("pointerleave", hide);
    svg.addEventListener("blur", hide);
    svg.addEventListener("focus", () => svg.matches(":focus-visible") && reader.step(0, 0));
    svg.addEventListener("keydown", event => {
      if (event.key === "Escape") hide();
      if (!KEYS[event.key]) return;
      event.preventDefault();
      reader.step(...KEYS[event.key]);
    });
    return hide;
  };

  for (const figure of document.querySelectorAll("figure")) {
    const script = figure.querySelector("script");
    const data = script && JSON.parse(script.textContent);
    const readout = figure.querySelector(".readout");
    const hides = [...figure.querySelectorAll("svg")].map(svg => watch(svg, readout, data));
    const hide = () => hides.forEach(hide => hide());
    window.addEventListener("resize", hide);
    const button = figure.querySelector(".switch");
    if (!button) continue;
    const name = () => (button.textContent = figure.dataset.scale === "log" ? "Linear x axis" : "Log x axis");
    button.hidden = false;
    button.addEventListener("click", () => {
      hide();
      figure.dataset.scale = figure.dataset.scale === "log" ? "linear" : "log";
      name();
    });
    name();
  }
})();
