// Small helpers: make elements, and redraw a part of the page only when what it shows has changed.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(node.dataset, value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Draw a part anew when its data differs. The focus stays on the element with the same data-key,
// and what was folded open or shut stays so.
const folds = (node) => [...node.querySelectorAll("details")].map((each) => [each.querySelector("summary")?.dataset.key, each]);

const drawn = new WeakMap();
export function redraw(node, data, draw) {
  const text = JSON.stringify(data) ?? "";
  if (drawn.get(node) === text) return false;
  drawn.set(node, text);
  const held = node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const scroll = node.scrollTop;
  const open = new Map(folds(node).map(([key, each]) => [key, each.open]));
  node.replaceChildren(...[draw()].flat(Infinity).filter(Boolean));
  for (const [key, each] of folds(node)) if (key && open.has(key)) each.open = open.get(key);
  node.scrollTop = scroll;
  if (held) {
    const again = [...node.querySelectorAll("[data-key]")].find((each) => each.dataset.key === held);
    again?.focus({preventScroll: true});
  }
  return true;
}

// Keep children of a layer by key: make(item) once, update(node, item) every time, the rest leave.
export function keep(layer, items, make, update) {
  const old = new Map([...layer.children].map((child) => [child.dataset.key, child]));
  for (const [key, item] of items) {
    let node = old.get(key);
    if (node) old.delete(key);
    else {
      node = make(item);
      node.dataset.key = key;
      layer.append(node);
    }
    update(node, item);
  }
  for (const node of old.values()) node.remove();
}
