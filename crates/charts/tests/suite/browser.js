"use strict";
(async () => {
  const wrong = (what, where) => window.trouble.push(`${where}: ${what}`);
  const shown = element => element.getClientRects().length > 0;
  const point = (element, type, x, y) =>
    element.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: x, clientY: y, pointerType: "mouse" }));

  /** Moves a pointer over what is drawn and looks at the readout. */
  const hover = (figure, svg) => {
    const readout = figure.querySelector(".readout");
    const cell = svg.querySelector(".cell");
    const box = (cell || svg).getBoundingClientRect();
    point(cell ? cell.querySelector("rect, path") : svg, "pointermove", box.x + box.width * 0.4, box.y + box.height * 0.5);
    if (!shown(readout)) return wrong("no readout", figure.id);
    if (!/\d/.test(readout.textContent)) wrong(`readout says ${readout.textContent}`, figure.id);
    if (/NaN|undefined|null/.test(readout.textContent)) wrong(`readout says ${readout.textContent}`, figure.id);
    inside(readout);
    if (!cell && svg.querySelector(".guide").getAttribute("visibility") !== "visible") wrong("no guide", figure.id);
    svg.dispatchEvent(new PointerEvent("pointerleave"));
    if (shown(readout)) wrong("the readout stays", figure.id);
    svg.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    if (!shown(readout) || !readout.textContent) wrong("no readout by keyboard", figure.id);
    svg.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    if (shown(readout)) wrong("the readout stays after Escape", figure.id);
  };

  /** Whether something is within the screen, or in a box that can be scrolled; what heads that box is read without. */
  const inside = element => {
    const box = element.getBoundingClientRect();
    const scrolls = element.matches(".scroll table, .scroll table > :not(caption), .scroll table > :not(caption) *");
    if (!scrolls && (box.right > innerWidth + 0.5 || box.left < -0.5)) {
      wrong(`from ${box.left} to ${box.right}`, `${element.tagName} ${element.className.baseVal ?? element.className}`);
    }
  };

  /** Whether a chart is drawn, whole, with no text cut off or over another. */
  const drawn = (figure, svg) => {
    const box = svg.getBoundingClientRect();
    if (!(box.width > 100 && box.height > 100)) wrong(`a box of ${box.width} × ${box.height}`, figure.id);
    const marks = [...svg.querySelectorAll("path, rect.heat, rect.shade")].filter(mark => mark.getBoundingClientRect().width > 0);
    if (!marks.length) wrong("nothing drawn", figure.id);
    const texts = [...svg.querySelectorAll("text")].map(text => [text, text.getBoundingClientRect()]);
    for (const [text, place] of texts) {
      const cut = place.left < box.left - 1 || place.right > box.right + 1 || place.top < box.top - 1 || place.bottom > box.bottom + 1;
      if (cut) wrong(`"${text.textContent}" is cut off`, figure.id);
    }
    const ticks = texts.filter(([text]) => text.classList.contains("tick"));
    ticks.forEach(([a, one], i) => ticks.slice(i + 1).forEach(([b, other]) => {
      const apart = one.right <= other.left + 1 || other.right <= one.left + 1 || one.bottom <= other.top + 4 || other.bottom <= one.top + 4;
      if (!apart) wrong(`"${a.textContent}" and "${b.textContent}" overlap`, figure.id);
    }));
    for (const element of svg.querySelectorAll("*")) {
      for (const { name, value } of element.attributes) {
        if (/NaN|Infinity/i.test(value) && !/^(aria|data)/.test(name)) wrong(`${name}=${value}`, figure.id);
      }
    }
  };

  let switched = 0;
  const figures = [...document.querySelectorAll("figure")];
  const check = figure => {
    const visible = [...figure.querySelectorAll("svg")].filter(shown);
    if (visible.length !== 1) return wrong(`${visible.length} drawings`, figure.id);
    drawn(figure, visible[0]);
    hover(figure, visible[0]);
  };
  try {
    for (const figure of figures) {
      check(figure);
      const button = figure.querySelector(".switch");
      if (!button) continue;
      button.click();
      switched += 1;
      check(figure);
    }
    if (document.documentElement.scrollWidth > innerWidth) wrong(`${document.documentElement.scrollWidth} px wide`, "page");
    [...document.body.querySelectorAll("*")].filter(element => shown(element) && !element.closest("clipPath")).forEach(inside);
  } catch (error) {
    wrong(error.stack, "check");
  }
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const verdict = { trouble: window.trouble, figures: figures.length, switched, width: innerWidth, dark };
  parent.postMessage(JSON.stringify(verdict), "*");
})();
