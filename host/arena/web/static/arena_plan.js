// The measures of the picture: levels, walls, Launch Areas, and where each stands on wide and narrow pages.
// All lengths are mm; y grows to the south here, and to the north on the table's map.

export const LAUNCH_MM = 46; // how deep a Launch Area is drawn; the rulebook does not measure it
const PLAIN_MM = 26; // around a level
const TITLE_MM = 50;
const GAP_MM = 26;
const TRAY = {wide: 250, least: 212};

const overlap = (a0, a1, b0, b1) => [Math.max(a0, b0), Math.min(a1, b1)];

// The four sides of a Box as {axis of the wall's normal, at, from, to, out: -1 or 1}, on the table's axes.
function sides([x0, y0, x1, y1]) {
  return [
    {axis: "x", at: x0, from: y0, to: y1, out: -1},
    {axis: "x", at: x1, from: y0, to: y1, out: 1},
    {axis: "y", at: y0, from: x0, to: x1, out: -1},
    {axis: "y", at: y1, from: x0, to: x1, out: 1},
  ];
}

// What is left of a stretch when others are taken out of it.
function without(from, to, taken) {
  let left = [[from, to]];
  for (const [a, b] of taken) {
    left = left.flatMap(([p, q]) => [[p, Math.min(q, a)], [Math.max(p, b), q]].filter(([r, s]) => s - r > 1));
  }
  return left;
}

// Walls between Boxes of one level, and the stretches of their rims behind which no Box lies.
function wallsOf(boxes) {
  const walls = [];
  const rims = [];
  for (const [id, box] of boxes) {
    for (const side of sides(box.rect_mm)) {
      const shared = [];
      for (const [other, next] of boxes) {
        if (other === id) continue;
        for (const facing of sides(next.rect_mm)) {
          if (facing.axis !== side.axis || facing.out === side.out || Math.abs(facing.at - side.at) > 6) continue;
          const [a, b] = overlap(side.from, side.to, facing.from, facing.to);
          if (b - a <= 1) continue;
          shared.push([a, b]);
          if (side.out === 1) walls.push({axis: side.axis, at: (side.at + facing.at) / 2, from: a, to: b});
        }
      }
      for (const [a, b] of without(side.from, side.to, shared)) rims.push({...side, from: a, to: b, box: id});
    }
  }
  return {walls, rims};
}

// Every level of a map: its Boxes, walls, rims, and its bounds with what lies around it.
export function levelsOf(map) {
  const all = Object.entries(map.boxes);
  const launch = new Set(map.launch_boxes ?? all.filter(([, box]) => box.outer).map(([id]) => id));
  return [...new Set(all.map(([, box]) => box.level))].map((name) => {
    const boxes = all.filter(([, box]) => box.level === name);
    const rects = boxes.map(([, box]) => box.rect_mm);
    const bounds = [0, 1].map((n) => Math.min(...rects.map((r) => r[n])))
      .concat([2, 3].map((n) => Math.max(...rects.map((r) => r[n]))));
    const margin = boxes.some(([id]) => launch.has(id)) ? LAUNCH_MM + 12 : PLAIN_MM;
    const {walls, rims} = wallsOf(boxes);
    return {
      name, boxes, bounds, margin, walls, rims: rims.map((rim) => ({...rim, launch: launch.has(rim.box)})),
      width: bounds[2] - bounds[0] + 2 * margin, height: bounds[3] - bounds[1] + 2 * margin,
    };
  });
}

// Where all stands: {width, height, levels: {name: {x, y, titleX, titleY}}, tray: {x, y, width, height}}.
// A point (a, b) of the table is drawn at (x + a, y - b) of its level.
export function arrange(levels, wide) {
  const placed = {};
  const put = (level, left, top) => {
    placed[level.name] = {
      x: left + level.margin - level.bounds[0], y: top + TITLE_MM + level.margin + level.bounds[3],
      titleX: left + level.margin, titleY: top + TITLE_MM - 12,
    };
    return top + TITLE_MM + level.height;
  };
  const [first, ...others] = levels;
  if (wide) {
    let low = 0;
    const left = first.width + GAP_MM;
    const width = Math.max(460, ...others.map((level) => level.width));
    for (const level of others) low = put(level, left + (width - level.width) / 2, low) + GAP_MM;
    const height = Math.max(TITLE_MM + first.height, low + TRAY.wide);
    put(first, 0, 0);
    return {
      width: left + width, height, levels: placed,
      tray: {x: left, y: Math.max(low, height - TRAY.wide - 56), width, height: TRAY.wide},
    };
  }
  let low = put(first, 0, 0) + GAP_MM;
  const width = Math.max(...levels.map((level) => level.width), 480);
  let tray = null;
  for (const level of others) {
    const room = width - level.width - GAP_MM;
    const top = low;
    low = put(level, 0, top) + GAP_MM;
    if (!tray && room >= TRAY.least) tray = {x: width - room, y: top + 12, width: room, height: low - GAP_MM - top - 12};
  }
  if (!tray) {
    tray = {x: 0, y: low, width, height: TRAY.wide};
    low += TRAY.wide + GAP_MM;
  }
  return {width, height: low - GAP_MM, levels: placed, tray};
}

export const middle = ([x0, y0, x1, y1]) => [(x0 + x1) / 2, (y0 + y1) / 2];
