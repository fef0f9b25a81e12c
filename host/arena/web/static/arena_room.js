// What the picture keeps free: Doors, Holes and names; and where the names of Boxes find room.
// Rectangles are [left, top, right, bottom] in mm, y growing to the south, on the table's own origin.

export const FRAME = {beyond: 9, half: 24}; // the strip of light around a Door: past its posts, and from the wall
const NAME_STEP_MM = 6;
const LETTER = 0.66; // mean width of a letter, of its height

export const reach = (door) => Math.max(door.width_mm / 2 + FRAME.beyond, FRAME.half + 8);
export const meet = (a, b, gap = 0) => a[0] < b[2] + gap && b[0] < a[2] + gap && a[1] < b[3] + gap && b[1] < a[3] + gap;
export const moved = ([l, t, r, b], x, y) => [l + x, t + y, r + x, b + y];
export const drawn = ([x0, y0, x1, y1]) => [x0, -y1, x1, -y0];

const wide = (text, letters, part) => text.length * letters * part * LETTER;

const area = ([x0, y0, x1, y1]) => (x1 - x0) * (y1 - y0);

// Where a Door's name stands, from the Door's middle: past the end of the light, in the larger of its Boxes.
export function doorName(map, door) {
  const l = reach(door);
  const [first, second] = door.boxes.map((box) => area(map.boxes[box].rect_mm));
  if (door.axis === "x") return first > second ? {x: -9, y: -l - 2, "text-anchor": "end"} : {x: 9, y: -l - 2};
  return first > second ? {x: l + 5, y: 23} : {x: l + 5, y: -8};
}

// Where a card's name stands, from the Door's middle.
export function doorCard(door, letters) {
  return {x: 0, y: door.axis === "x" ? reach(door) + letters * 0.8 + 2 : FRAME.half + letters * 0.8 + 4};
}

// {blocked, core: rectangles, names: Map of Box to {x, y}} of a level. Into the core nothing may reach, into what
// is blocked only Mechas in a full Box. cards: the places where cards lie.
export function room(map, level, letters, cards) {
  const blocked = [];
  const core = [];
  for (const [id, door] of Object.entries(map.doors)) {
    if (door.level !== level) continue;
    const [x, y] = [door.at_mm[0], -door.at_mm[1]];
    const [l, h] = [reach(door) + 3, FRAME.half + 4];
    blocked.push(door.axis === "x" ? [x - h, y - l, x + h, y + l] : [x - l, y - h, x + l, y + h]);
    core.push(door.axis === "x" ? [x - 17, y - l + 8, x + 17, y + l - 8] : [x - l + 8, y - 17, x + l - 8, y + 17]);
    const name = doorName(map, door);
    const length = wide(id, letters, 0.86);
    blocked.push(moved([0, -letters * 0.66, length, 2], x + name.x - (name["text-anchor"] ? length : 0), y + name.y));
    if (cards?.has(id)) {
      const half = letters * 2.7;
      const card = doorCard(door, letters);
      blocked.push(moved([-half, -letters * 0.7, half, 3], x + card.x, y + card.y));
    }
  }
  for (const hole of Object.values(map.holes ?? {})) {
    if (map.boxes[hole.box]?.level !== level) continue;
    const r = hole.diameter_mm / 2 + 14;
    const [x, y] = [hole.at_mm[0], -hole.at_mm[1]];
    core.push([x - r + 6, y - r - 8, x + r - 6, y + r - 6]);
    blocked.push([x - r, y - r - 12, x + r, y + r + letters * (cards?.size ? 2 : 1)]);
  }
  const names = new Map();
  for (const [id, box] of Object.entries(map.boxes)) {
    if (box.level !== level) continue;
    const label = box.label === id ? "" : (box.label ?? "");
    const lines = [[wide(id, letters, 1), letters * 0.95], [wide(label, letters, 0.8), label ? letters * 0.9 : 0],
      [cards?.has(id) ? wide("Barricade", letters, 0.8) : 0, cards?.has(id) ? letters : 0]];
    const spot = nameSpot(drawn(box.rect_mm), lines, blocked);
    names.set(id, {x: spot.x, y: spot.y});
    blocked.push(...spot.rects);
  }
  return {blocked, core, names};
}

// The free spot nearest to the upper left corner; the corner itself where none is free.
function nameSpot([left, top, right, bottom], lines, blocked) {
  const width = Math.max(...lines.map(([w]) => w));
  const height = lines.reduce((sum, [, h]) => sum + h, 0);
  const rects = (x, y) => {
    let low = y;
    return lines.filter(([w]) => w).map(([w, h]) => [x, low, x + w, (low += h)]);
  };
  let best = null;
  for (let x = left + 12; x <= right - width - 8; x += NAME_STEP_MM) {
    for (let y = top + 10; y <= bottom - height - 8; y += NAME_STEP_MM) {
      const far = x - left + 1.6 * (y - top);
      if (best && far >= best.far) break;
      if (!rects(x, y).some((rect) => blocked.some((other) => meet(rect, other, 2)))) best = {x, y, far};
    }
  }
  const {x, y} = best ?? {x: left + 12, y: top + 10};
  return {x, y, rects: rects(x, y)};
}
