// A team is told three ways: by colour, by shape and filling, and by name.

import {svg} from "./dom.js";

const KNOWN = {animal_clans: "round", iron_force: "six"};

// "round" (green, solid) or "six" (red, dotted, six-sided).
export const styleOf = (team) => KNOWN[team] ?? "round";

export const hexagon = (r) =>
  [0, 1, 2, 3, 4, 5].map((n) => [r * Math.sin((n * Math.PI) / 3), -r * Math.cos((n * Math.PI) / 3)])
    .map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");

// The sign of a team around (0, 0), r wide, to be put into a picture.
export function sign(team, r) {
  if (styleOf(team) === "round") {
    return svg("g", {class: "sign round"}, svg("circle", {r}), svg("circle", {r: r * 0.62, class: "in"}));
  }
  const dot = (x, y) => svg("circle", {cx: x * r, cy: y * r, r: r * 0.16, class: "dot"});
  return svg("g", {class: "sign six"},
    svg("polygon", {points: hexagon(r * 1.08), "stroke-width": r * 0.2}),
    dot(0, 0), dot(0.42, 0), dot(-0.42, 0), dot(0.21, 0.38), dot(-0.21, 0.38), dot(0.21, -0.38), dot(-0.21, -0.38));
}

// The sign as a small picture in a line of text. Decorative: the name stands beside it.
export function mark(team, size = "1em") {
  const picture = svg("svg", {viewBox: "-12 -12 24 24", class: `mark ${styleOf(team)}`, "aria-hidden": "true"}, sign(team, 10));
  picture.style.width = picture.style.height = size;
  return picture;
}
