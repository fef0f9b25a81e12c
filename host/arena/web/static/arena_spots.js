// Where Mechas are drawn: in their Box, near where they came in, over no Door, Hole, name or other Mecha.

import {middle} from "./arena_plan.js";
import {drawn, meet, moved} from "./arena_room.js";

export const TOKEN_MM = 21; // radius of a Mecha in the picture: larger than the real one, to be read from afar
const GRID_MM = 8;
const APART_MM = 7;
const LETTER = 0.76; // mean width of a bold capital, of its height
// Sizes to try in a full Box; a soft one may cover names and light, but no marker
const SHRINK = [[1], [0.92], [0.85], [0.78], [0.85, "soft"], [0.78, "soft"], [0.7, "soft"], [0.62, "soft"], [0.55, "soft"], [0.48, "soft"]];
const COVER_MM = 160; // a name or light that would be covered counts as so far away
const ENTRY_MM = 78; // how far from a Door a Mecha is drawn that came through it

// What a figure and the name under it cover around the figure's middle: [left, top, right, bottom].
export function footprint(name, letters, scale = 1) {
  const half = Math.max(TOKEN_MM + 7, (name.length * letters * LETTER) / 2 + 2);
  return [-half, -TOKEN_MM - 8, half, TOKEN_MM + letters + 7].map((side) => side * scale);
}

const within = (inner, outer) => inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3];
// How far a spot is from where one would look for the Mecha, and two ways to pack a full Box tightly.
const near = (x, y, at, covered) => Math.hypot(x - at[0], y - at[1]) + covered * COVER_MM;
const byRows = (x, y) => y * 1000 + x;
const byColumns = (x, y) => x * 1000 + y;

// The free spot that costs least, or null.
function best(shape, area, at, taken, blocked, cost, names = []) {
  let found = null;
  for (let x = area[0] - shape[0]; x <= area[2] - shape[2]; x += GRID_MM) {
    for (let y = area[1] - shape[1]; y <= area[3] - shape[3]; y += GRID_MM) {
      if (found && cost(x, y, at, 0) >= found.far) continue;
      const own = moved(shape, x, y);
      const far = cost(x, y, at, names.filter((name) => meet(own, name)).length);
      if (found && far >= found.far) continue;
      if (taken.some((other) => meet(own, other, APART_MM)) || blocked.some((other) => meet(own, other))) continue;
      found = {x, y, far};
    }
  }
  return found;
}

function tryBox(inner, guests, letters, walls, names, step, cost, keepOld) {
  const taken = [];
  const found = new Map();
  // Those that stood here already stay where they are, if they may
  const ordered = keepOld ? [...guests.filter((each) => each.old), ...guests.filter((each) => !each.old)] : guests;
  for (const {name, label, at, old} of ordered) {
    const shape = footprint(label, letters, step);
    const where = keepOld && old ? moved(shape, old.x, old.y) : null;
    const stays = where && within(where, inner) && ![...walls, ...taken].some((other) => meet(where, other));
    const spot = stays ? old : best(shape, inner, at, taken, walls, cost, names);
    if (!spot) return null;
    taken.push(moved(shape, spot.x, spot.y));
    found.set(name, {x: spot.x, y: spot.y, scale: step});
  }
  return found;
}

function fillBox(rect, guests, letters, {blocked, core}, astride) {
  const inner = drawn(rect).map((side, n) => side + (n < 2 ? 7 : -7));
  for (const [step, soft] of SHRINK) {
    const walls = [...(soft ? core : blocked), ...astride];
    for (const [cost, keepOld] of [[near, true], [near, false], [byRows, false], [byColumns, false]]) {
      const found = tryBox(inner, guests, letters, walls, soft ? blocked : [], step, cost, keepOld);
      if (found) return found;
    }
  }
  // More than any table holds: in rows, as small as it takes
  const columns = Math.ceil(Math.sqrt(guests.length));
  const rows = Math.ceil(guests.length / columns);
  const [w, h] = [(inner[2] - inner[0]) / columns, (inner[3] - inner[1]) / rows];
  const scale = Math.min(...guests.map((each) => {
    const shape = footprint(each.label, letters);
    return Math.min(w / (shape[2] - shape[0]), h / (shape[3] - shape[1]), 1);
  }));
  return new Map(guests.map(({name}, nth) => [name, {
    x: inner[0] + w * ((nth % columns) + 0.5), y: inner[1] + h * (Math.floor(nth / columns) + 0.45), scale,
  }]));
}

// The Door or Hole in which a Mecha hangs that may be in several Boxes.
export function between(map, mecha) {
  if (mecha.stuck && map.doors[mecha.stuck]) return mecha.stuck;
  if (mecha.boxes.length < 2) return null;
  const both = (a, b) => mecha.boxes.includes(a) && mecha.boxes.includes(b);
  const door = Object.entries(map.doors).find(([, each]) => both(...each.boxes));
  const hole = Object.entries(map.holes ?? {}).find(([, each]) => both(each.box, each.below));
  return (door ?? hole)?.[0] ?? null;
}

const inwards = (point, rect, far) => {
  const [x, y] = middle(rect);
  const [dx, dy] = [x - point[0], y - point[1]];
  const length = Math.hypot(dx, dy) || 1;
  return [point[0] + (dx / length) * far, point[1] + (dy / length) * far];
};

// Where each Mecha of the view is drawn: name -> {kind: "box" | "door" | "tray", level, box, x, y, scale, label}.
// rooms: what each level keeps free; old: what this gave before; came: name -> the Door or Hole of its last pass; letters: height of names in mm.
export function spots(map, view, rooms, old, came, letters) {
  const found = new Map();
  const mechas = Object.entries(view?.mechas ?? {});
  const astride = new Map();
  for (const [name, mecha] of mechas) {
    const known = mecha.boxes.filter((box) => map.boxes[box]);
    if (!known.length) {
      found.set(name, {kind: "tray", box: "outside", scale: 1, label: name});
      continue;
    }
    const place = between(map, mecha);
    if (!place) continue;
    const door = map.doors[place];
    const level = door ? door.level : map.boxes[map.holes[place].box].level;
    const label = mecha.boxes.length > 1 ? `${name}?` : name;
    const [x, y] = (door ?? map.holes[place]).at_mm;
    const others = astride.get(level) ?? [];
    const shape = footprint(label, letters, 0.9);
    const exact = moved(shape, x, -y);
    const spot = others.some((other) => meet(exact, other)) ? best(shape, drawn(boundsOf(map, level)), [x, -y], others, [], near) : null;
    const at = spot ?? {x, y: -y};
    astride.set(level, [...others, moved(shape, at.x, at.y)]);
    found.set(name, {kind: "door", place, level, box: known[0], x: at.x, y: at.y, scale: 0.9, label});
  }
  for (const [id, box] of Object.entries(map.boxes)) {
    const guests = mechas.filter(([name, mecha]) => !found.has(name) && mecha.boxes.find((each) => map.boxes[each]) === id)
      .map(([name, mecha]) => {
        const was = old.get(name);
        const door = map.doors[came.get(name)] ?? map.holes?.[came.get(name)];
        const depot = map.depots?.[name];
        const here = door?.boxes?.includes(id) || door?.below === id;
        const [x, y] = here ? inwards(door.at_mm, box.rect_mm, ENTRY_MM) : depot?.box === id ? depot.at_mm : middle(box.rect_mm);
        return {
          name, label: mecha.boxes.length > 1 ? `${name}?` : name, at: [x, -y],
          old: was?.kind === "box" && was.box === id ? was : null,
        };
      });
    if (!guests.length) continue;
    const around = astride.get(box.level) ?? [];
    for (const [name, spot] of fillBox(box.rect_mm, guests, letters, rooms.get(box.level), around)) {
      const label = guests.find((guest) => guest.name === name).label;
      found.set(name, {kind: "box", level: box.level, box: id, ...spot, label});
    }
  }
  return found;
}

function boundsOf(map, level) {
  const rects = Object.values(map.boxes).filter((box) => box.level === level).map((box) => box.rect_mm);
  return [0, 1].map((n) => Math.min(...rects.map((r) => r[n]))).concat([2, 3].map((n) => Math.max(...rects.map((r) => r[n]))));
}
