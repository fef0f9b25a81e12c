// What does not move: floors, walls, Launch Areas, Depots, and the Doors, Holes and Launchers with their lights.

import {svg} from "./dom.js";
import {LAUNCH_MM} from "./arena_plan.js";
import {doorName, FRAME, reach} from "./arena_room.js";
import {hexagon, styleOf} from "./marks.js";
import {words} from "./arena_words.js";

const MARKER_MM = 15;
const BESIDE_MM = 40;
const HOLE_LIGHT_MM = 10;

const rect = (name, [x0, y0, x1, y1]) => svg("rect", {class: name, x: x0, y: -y1, width: x1 - x0, height: y1 - y0});
const stretch = ({axis, at, from, to}) => (axis === "x" ? `M${at} ${-from}V${-to}` : `M${from} ${-at}H${to}`);

function launchArea(rim) {
  const out = rim.at + rim.out * LAUNCH_MM;
  const [low, high] = [Math.min(rim.at, out), Math.max(rim.at, out)];
  const [a, b] = [rim.from + 5, rim.to - 5];
  const box = rim.axis === "x" ? [low, a, high, b] : [a, low, b, high];
  const [x, y] = rim.axis === "x" ? [(rim.at + out) / 2, (a + b) / 2] : [(a + b) / 2, (rim.at + out) / 2];
  const turn = rim.axis === "x" ? ` rotate(${rim.out * 90})` : "";
  const shape = rect("launch-area", box);
  shape.setAttribute("rx", 10);
  return svg("g", {}, svg("title", {}, words.launchArea(rim.box)), shape,
    b - a > 190 && svg("text", {class: "launch-name", transform: `translate(${x} ${-y})${turn}`, y: 6, "text-anchor": "middle"},
      words.launchArea(rim.box)));
}

// Two halves of a strip of light, so that a pattern may be split; each is 50 long whatever its size.
function light(first, second, blur) {
  const half = (name, d) => svg("path", {class: `led ${name}`, d, pathLength: 50});
  return svg("g", {class: "light", "data-pattern": "off"},
    svg("path", {class: "glow first", d: first, filter: `url(#${blur})`}),
    svg("path", {class: "glow second", d: second, filter: `url(#${blur})`}), half("first", first), half("second", second));
}

function doorPlace(map, id, door, blur) {
  const [x, y] = door.at_mm;
  const half = door.width_mm / 2;
  const [l, h] = [reach(door), FRAME.half];
  const bend = l - h;
  const turn = door.axis === "x" ? 90 : 0; // a wall along y is drawn as one along x, turned
  const strip = light(`M0 ${h}H${-bend}A${h} ${h} 0 0 1 ${-bend} ${-h}H0`, `M0 ${-h}H${bend}A${h} ${h} 0 0 1 ${bend} ${h}H0`, blur);
  const marks = svg("g", {class: "markers"});
  const note = svg("text", {class: "card", "text-anchor": "middle"});
  const trail = svg("g", {class: "trails"});
  const group = svg("g", {class: "place door", dataset: {place: id}, transform: `translate(${x} ${-y})`},
    svg("title"),
    svg("g", {transform: `rotate(${turn})`},
      svg("path", {class: "opening", d: `M${-half} 0H${half}`}), strip,
      svg("path", {class: "post", d: `M${-half} -7V7M${half} -7V7`}),
      svg("rect", {class: "hit", x: -l - 6, y: -h - 6, width: 2 * l + 12, height: 2 * h + 12, rx: h + 6})),
    svg("text", {class: "place-name", ...doorName(map, door)}, id), note, trail, marks);
  return {group, kind: "door", light: strip, marks, note, trail, turn, reach: l};
}

function holePlace(id, hole, blur) {
  const [x, y] = hole.at_mm;
  const pit = hole.diameter_mm / 2;
  const r = pit + HOLE_LIGHT_MM;
  const strip = light(`M0 ${r}A${r} ${r} 0 0 1 0 ${-r}`, `M0 ${-r}A${r} ${r} 0 0 1 0 ${r}`, blur);
  const marks = svg("g", {class: "markers"});
  const note = svg("text", {class: "card", "text-anchor": "middle", y: r + 44});
  const trail = svg("g", {class: "trails"});
  const group = svg("g", {class: "place hole", dataset: {place: id}, transform: `translate(${x} ${-y})`},
    svg("title"), strip, svg("circle", {class: "pit", r: pit}), svg("circle", {class: "pit-deep", r: pit * 0.66, cy: 3}),
    svg("circle", {class: "hit", r: r + 8}),
    svg("text", {class: "place-name", y: r + 22, "text-anchor": "middle"}, id, svg("tspan", {class: "faint", dx: 5}, `↓ ${hole.below}`)), note, trail, marks);
  return {group, kind: "hole", light: strip, marks, note, trail, turn: 0, reach: r};
}

export function launcherPlace(id, launcher, blur) {
  const [l, h] = [36, 27];
  const strip = light(`M0 ${h}H${-l + h}A${h} ${h} 0 0 1 ${-l + h} ${-h}H0`, `M0 ${-h}H${l - h}A${h} ${h} 0 0 1 ${l - h} ${h}H0`, blur);
  const group = svg("g", {class: "place launcher", dataset: {place: id}}, svg("title", {}, launcher.label ?? id), strip,
    svg("path", {class: "ramp", d: "M-21 13H17L23 -11 11 -3 -21 9Z"}), svg("path", {class: "ramp-arrow", d: "M-16 0 6 -12M-3 -13 6 -12 3 -4"}),
    svg("rect", {class: "hit", x: -l, y: -h, width: 2 * l, height: 2 * h, rx: h}),
    svg("text", {class: "place-name", y: h + 24, "text-anchor": "middle"}, launcher.label ?? id));
  return {group, kind: "launcher", light: strip, turn: 0, reach: l};
}

// The ground of one level as layers; places are added to the Map by id.
export function ground(map, level, above, places, blur) {
  const layer = svg("g", {class: `level ${level.name}`, "data-level": level.name});
  const spots = Object.entries(map.depots ?? {}).filter(([, depot]) => map.boxes[depot.box]?.level === level.name);
  layer.append(...level.rims.filter((rim) => rim.launch).map(launchArea));
  level.boxes.forEach(([id, box], nth) => {
    const floor = rect("floor", box.rect_mm);
    const note = svg("text", {class: "card"});
    const label = box.label === id ? "" : (box.label ?? "");
    const name = svg("g", {}, svg("text", {class: "box-name"}, id), svg("text", {class: "box-label"}, label), note);
    const group = svg("g", {class: "place box", dataset: {place: id, tint: nth % 2}}, svg("title"), floor,
      name);
    places.set(id, {group, kind: "box", note, name});
    layer.append(group);
  });
  for (const [piece, depot] of spots) {
    const [x, y] = depot.at_mm;
    layer.append(svg("g", {class: "depot", dataset: {depot: piece}, transform: `translate(${x} ${-y})`}, svg("title", {}, words.depot(piece)),
      svg("circle", {r: 20}), svg("text", {y: 4, "text-anchor": "middle"}, piece)));
  }
  for (const over of above) { // the level above, so that people see where its Holes lead
    layer.append(...over.boxes.map(([, box]) => rect("above", box.rect_mm)));
    for (const [id, hole] of Object.entries(map.holes ?? {})) {
      if (map.boxes[hole.box]?.level !== over.name || map.boxes[hole.below]?.level !== level.name) continue;
      const [x, y] = hole.at_mm;
      layer.append(svg("g", {class: "below-hole", transform: `translate(${x} ${-y})`},
        svg("title", {}, words.underHole(id)), svg("circle", {r: hole.diameter_mm / 2}),
        svg("text", {y: 6, "text-anchor": "middle"}, `↓${id}`)));
    }
  }
  layer.append(svg("path", {class: "rim", d: level.rims.map(stretch).join("")}));
  const walls = level.walls.map(stretch).join("");
  layer.append(svg("path", {class: "wall-side", d: walls, transform: "translate(0 4)"}), svg("path", {class: "wall", d: walls}));
  for (const [id, hole] of Object.entries(map.holes ?? {})) {
    if (map.boxes[hole.box]?.level === level.name) places.set(id, holePlace(id, hole, blur));
  }
  for (const [id, door] of Object.entries(map.doors)) if (door.level === level.name) places.set(id, doorPlace(map, id, door, blur));
  for (const [id, place] of places) {
    if (place.kind === "box" || place.group.parentNode) continue;
    if ((map.doors[id]?.level ?? map.boxes[map.holes?.[id]?.box]?.level) === level.name) layer.append(place.group);
  }
  return layer;
}

// A team's Objective marker around (0, 0): shape, colour and sign all tell the team.
export function marker(team, name) {
  const r = MARKER_MM;
  return svg("g", {class: `marker ${styleOf(team)}`, dataset: {team}}, svg("title", {}, words.marker(name)),
    styleOf(team) === "round" ? [svg("circle", {class: "body", r}), svg("circle", {class: "in", r: r * 0.55})]
      : [svg("polygon", {class: "body", points: hexagon(r * 1.1)}), svg("polygon", {class: "in", points: hexagon(r * 0.55)})]);
}

// Where markers stand at a place: side by side along the wall, or beside a Mecha that is drawn there.
export function markerSpots(place, count, stuck) {
  if (place.kind === "hole") return count > 1 ? [[-17, -place.reach], [17, -place.reach]] : [[0, -place.reach]];
  if (stuck) return [[-BESIDE_MM, 0], [BESIDE_MM, 0]].slice(0, count);
  const along = count > 1 ? [-16.5, 16.5] : [0];
  return along.map((at) => (place.turn ? [0, at] : [at, 0]));
}
