// The Mechas: their figures, and how they glide from Box to Box through the Doors that they passed.

import {keep, svg} from "./dom.js";
import {hexagon, styleOf} from "./marks.js";
import {TOKEN_MM} from "./arena_spots.js";
import {words} from "./arena_words.js";

const LEG_MS = 420;
const LONGEST_MS = 1800;
const R = TOKEN_MM;

// A small picture of each Mecha; one that is not known shows its first letter.
const FACES = {
  BBIT: "M-6 -3Q-10 -15 -5 -15 -2 -14 -2 -4M6 -3Q10 -15 5 -15 2 -14 2 -4M-8 4A8 8 0 1 1 8 4 8 8 0 0 1 -8 4ZM-3 2V4M3 2V4M-2 8H2",
  BUBO: "M-10 -11 -4 -7H4L10 -11V4Q10 12 0 13 -10 12 -10 4ZM-5 0A3 3 0 1 0 -5 -.1M5 0A3 3 0 1 0 5 -.1M0 3 -2 6 0 8 2 6Z",
  HOWLER: "M-11 -12 -5 -6H5L11 -12 10 2 3 11H-3L-10 2ZM-5 -1 -3 1M5 -1 3 1M-2 7H2",
  SPIKE: "M-13 7 -11 -2 -7 -1 -7 -9 -2 -5 1 -12 5 -5 10 -7 10 0 13 7ZM6 2V3",
  SHI3LD: "M0 -13 11 -9V0Q11 9 0 14 -11 9 -11 0V-9ZM0 -7V8M-6 0H6",
  DRON3: "M-4 -4H4V4H-4ZM-4 -4 -9 -9M4 -4 9 -9M-4 4 -9 9M4 4 9 9M-12 -9A3 3 0 1 0 -12 -9.1M6 -9A3 3 0 1 0 6 -9.1M-12 9A3 3 0 1 0 -12 8.9M6 9A3 3 0 1 0 6 8.9",
  CHAS3R: "M-12 -9 0 0 -12 9M-3 -9 9 0 -3 9M4 -9H12M4 9H12",
  WH33L: "M-12 0A12 12 0 1 1 -12 .1M-4 0A4 4 0 1 1 -4 .1M0 -4V-12M0 4V12M-4 0H-12M4 0H12",
};

function figure(name, team) {
  const round = styleOf(team) === "round";
  const body = (kind, r) => (round ? svg("circle", {class: kind, r}) : svg("polygon", {class: kind, points: hexagon(r * 1.1)}));
  return svg("g", {class: `mecha ${styleOf(team)}`, dataset: {mecha: name}},
    svg("title"),
    svg("g", {class: "scaled"},
      svg("g", {class: "halo"}, body("ring", R + 5)),
      svg("ellipse", {class: "shadow", cy: 6, rx: R, ry: R * 0.9}),
      body("plate", R),
      FACES[name] ? svg("path", {class: "face", d: FACES[name]}) : svg("text", {class: "letter", y: 8, "text-anchor": "middle"}, name.slice(0, 1)),
      svg("text", {class: "mecha-name", "text-anchor": "middle"}),
      svg("g", {class: "hurt", transform: `translate(${R - 3} ${-R + 4})`},
        svg("polygon", {points: "0,-12 3.5,-5 11,-7 6,0 11,7 3.5,5 0,12 -3.5,5 -11,7 -6,0 -11,-7 -3.5,-5"}), svg("text", {y: 5, "text-anchor": "middle"}, "!")),
      svg("path", {class: "ko-cross", d: "M-13 -13 13 13M13 -13 -13 13"}),
      svg("g", {class: "sabotage", transform: `translate(${-R + 3} ${-R + 4})`}, svg("circle", {r: 9}), svg("path", {d: "M-4 -4 4 4M4 -4 -4 4"}))));
}

// Put the figures where they belong. at(spot) gives a spot's point in the picture; through(name, from, to) the
// points on the way, each {x, y, jump: {x, y}}: a Hole lies on two levels.
export function drawMechas(layer, view, found, {at, through, letters, calm, onPiece}) {
  const items = [...found].map(([name, spot]) => [name, {name, spot, mecha: view.mechas[name]}]);
  keep(layer, items, ({name, mecha}) => {
    const node = figure(name, mecha.team);
    if (onPiece) {
      node.classList.add("pickable");
      node.addEventListener("click", () => onPiece(name));
    }
    return node;
  }, (node, {name, spot, mecha}) => {
    const [x, y] = at(spot);
    const before = node.at;
    const where = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
    if (node.getAttribute("transform") !== where) {
      node.setAttribute("transform", where);
      node.gliding?.cancel();
      if (before && !calm && spot.box !== before.box) node.gliding = glide(node, [before.x, before.y], through(name, before, spot), [x, y]);
    }
    node.at = {x, y, box: spot.box, level: spot.level, kind: spot.kind};
    node.dataset.box = spot.box;
    node.dataset.spot = spot.kind;
    node.querySelector(".scaled").setAttribute("transform", `scale(${spot.scale})`);
    const held = view.hands?.includes(name) ?? false;
    const unsure = mecha.boxes.length > 1;
    const told = {active: mecha.active, damaged: mecha.damaged, ko: mecha.ko, unsure, stuck: Boolean(mecha.stuck), held,
      sabotaged: view.placed_cards?.sabotages?.includes(name) ?? false};
    for (const [state, on] of Object.entries(told)) node.classList.toggle(state, Boolean(on));
    const label = node.querySelector(".mecha-name");
    label.textContent = spot.label;
    label.setAttribute("y", (R + 3 + letters * 0.86).toFixed(1));
    label.setAttribute("font-size", letters.toFixed(1));
    node.querySelector("title").textContent = words.mecha(view, name, mecha, held);
  });
  const active = [...layer.children].find((node) => node.classList.contains("active"));
  if (active && active !== layer.lastElementChild) layer.append(active); // nothing covers whoever is Active
}

function glide(node, from, way, to) {
  if (!node.animate) return null;
  const points = [{x: from[0], y: from[1]}];
  for (const point of way ?? []) {
    points.push({x: point.x, y: point.y, size: point.jump ? 0.25 : 1});
    if (point.jump) points.push({...point.jump, size: 0.25, leaps: true});
  }
  points.push({x: to[0], y: to[1]});
  let run = 0;
  const lengths = points.map((point, nth) => (run += nth && !point.leaps ? Math.hypot(point.x - points[nth - 1].x, point.y - points[nth - 1].y) + 20 : 0));
  const frames = points.map((point, nth) => ({
    transform: `translate(${point.x}px, ${point.y}px) scale(${point.size ?? 1})`, offset: run ? lengths[nth] / run : nth,
    opacity: 1,
  }));
  if (!way) frames[0].opacity = 0.2; // nobody knows how it came there
  return node.animate(frames, {duration: Math.min(LONGEST_MS, LEG_MS * (points.length - 1) + 200), easing: "cubic-bezier(.3,.05,.25,1)"});
}
