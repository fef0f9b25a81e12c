// The toy table: draws both levels to scale, flicks by drag and release, and says what a person would see.
// Lengths in mm; y grows to the north, so drawings turn it over.

const SVG = "http://www.w3.org/2000/svg";
const RADIUS = 15, MARGIN = 14, TOP_SPEED = 6, FULL_PULL_MM = 200, LEAST_PULL_MM = 14;
const HINTS = {
  flick: "Draw a Mecha back like a slingshot and let go. Keys: Tab to a level, arrows aim, Enter flicks.",
  launch: "Tap a Mecha in an outer Box of the Lower level, then the spot of the Upper level to aim at.",
  hand: "Drag a Mecha to where a hand puts it. A hand breaks no beam.",
};
const $ = (id) => document.getElementById(id);

let map, state, lights = {}, tool = "flick", chosen = null, drag = null, still = true;
const keyAim = { angle: Math.PI / 2, speed: 1.5 };
const levels = {};

function make(name, attributes = {}, parent = null, text = null) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  parent?.append(element);
  return element;
}

async function send(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
    .then((response) => response.json()).catch(() => ({ ok: false, error: "The simulation does not answer." }));
  if (!answer.ok) hint(answer.error, true);
  return answer.ok;
}

function hint(words, wrong = false) {
  $("hint").textContent = words;
  $("hint").classList.toggle("wrong", wrong);
}

// ---- Drawing

function extent(level) {
  const rects = Object.values(map.boxes).filter((box) => box.level === level).map((box) => box.rect_mm);
  return [Math.min(...rects.map((r) => r[0])), Math.min(...rects.map((r) => r[1])),
    Math.max(...rects.map((r) => r[2])), Math.max(...rects.map((r) => r[3]))];
}

function drawLevel(name) {
  const svg = $(name), [x0, y0, x1, y1] = extent(name);
  const width = x1 - x0 + 2 * MARGIN, height = y1 - y0 + 2 * MARGIN;
  svg.setAttribute("viewBox", `${x0 - MARGIN} ${-y1 - MARGIN} ${width} ${height}`);
  svg.parentElement.style.flex = `${width} 1 0`;
  const level = levels[name] = { svg, lights: {}, mechas: {} };
  for (const [box, { rect_mm: r, level: on, label }] of Object.entries(map.boxes)) {
    if (on !== name) continue;
    make("rect", { class: "floor", x: r[0], y: -r[3], width: r[2] - r[0], height: r[3] - r[1] }, svg);
    make("text", { class: "name", x: (r[0] + r[2]) / 2, y: -r[3] + 30 }, svg, label && label !== box ? `${box} ${label}` : box);
  }
  if (name === "lower" && Object.values(map.boxes).some((box) => box.level === "upper")) {
    const u = extent("upper");
    make("rect", { class: "under", x: u[0], y: -u[3], width: u[2] - u[0], height: u[3] - u[1] }, svg);
  }
  for (const [hole, { at_mm: at, diameter_mm: d, box }] of Object.entries(map.holes)) {
    if (map.boxes[box].level !== name) continue;
    make("circle", { class: "hole", cx: at[0], cy: -at[1], r: d / 2 }, svg);
    level.lights[hole] = [[-1, 1], [1, 1], [1, -1], [-1, -1]].map(([i, j]) =>
      make("circle", { class: "light", cx: at[0] + i * d * 0.46, cy: -at[1] - j * d * 0.46, r: 4 }, svg));
    make("text", { class: "name", x: at[0], y: -at[1] + 5 }, svg, hole);
  }
  for (const depot of Object.values(map.depots)) {
    if (map.boxes[depot.box].level === name) make("circle", { class: "depot", cx: depot.at_mm[0], cy: -depot.at_mm[1], r: RADIUS + 4 }, svg);
  }
  for (const wall of map.walls) {
    if (wall.level !== name) continue;
    make("line", { class: wall.radius > 2 ? "wall post" : "wall", x1: wall.from[0], y1: -wall.from[1], x2: wall.to[0], y2: -wall.to[1], "stroke-width": 2 * wall.radius }, svg);
  }
  for (const [door, { at_mm: at, width_mm: w, axis, level: on }] of Object.entries(map.doors)) {
    if (on !== name) continue;
    const side = axis === "x";
    make("text", { class: "name", x: at[0] + (side ? 20 : 0), y: -at[1] + (side ? 5 : -14) }, svg, door);
    // Four lights in the sill of the Door, in the strip's order
    level.lights[door] = [0, 1, 2, 3].map((i) => {
      const along = (i - 1.5) * (w / 4);
      return make("rect", { class: "light", rx: 2,
        x: at[0] + (side ? -3 : along - w / 10), y: -at[1] + (side ? along - w / 10 : -3),
        width: side ? 6 : w / 5, height: side ? w / 5 : 6 }, svg);
    });
  }
  level.layer = make("g", {}, svg);
  level.over = make("g", {}, svg);
}

function teamOf(piece) {
  return [...new Set(Object.values(map.depots).map((depot) => depot.box))].indexOf(map.depots[piece].box) % 2;
}

function mecha(piece, name) {
  return levels[name].mechas[piece] ??= (() => {
    const group = make("g", { class: `mecha team${teamOf(piece)}`, "data-piece": piece }, levels[name].layer);
    make("circle", { class: "grip", r: RADIUS + 9 }, group);
    make("circle", { class: "body", r: RADIUS - 1.5 }, group);
    make("text", { y: 4 }, group, piece.slice(0, 3));
    make("title", {}, group, piece);
    return group;
  })();
}

function show(piece, level, x, y, lift = 1) {
  for (const name of ["lower", "upper"]) {
    const group = mecha(piece, name);
    group.style.display = name === level ? "" : "none";
    if (name === level) group.setAttribute("transform", `translate(${x} ${-y}) scale(${lift})`);
    group.classList.toggle("chosen", piece === chosen);
  }
}

function drawRest() {
  $("tray").replaceChildren();
  for (const [piece, { level, at_mm: at }] of Object.entries(state.pieces)) {
    show(piece, level, at[0], at[1]);
    if (level !== "off") continue;
    const chip = document.createElement("button");
    chip.type = "button";
    chip.className = `chip team${teamOf(piece)}${piece === chosen ? " chosen" : ""}`;
    chip.textContent = piece;
    chip.onclick = () => choose(piece);
    if (!$("tray").children.length) $("tray").append("Off the table:");
    $("tray").append(chip);
  }
  $("depot").disabled = $("off").disabled = !chosen || !still;
}

function drawLights() {
  for (const { lights: places } of Object.values(levels)) {
    for (const [place, marks] of Object.entries(places)) {
      const colours = lights[place] ?? [];
      marks.forEach((mark, i) => mark.setAttribute("fill", colour(colours[marks.length === colours.length ? i : 0])));
    }
  }
  const launcher = Object.keys(map.launchers)[0];
  $("launcher").replaceChildren(...(lights[launcher] ?? []).map((each) => {
    const dot = document.createElement("i");
    dot.style.background = colour(each);
    return dot;
  }));
}

function colour(rgb) {
  if (!rgb || rgb.length < 3 || Math.max(...rgb) === 0) return "#000";
  // Pixels are driven dimly; a screen has to show them as an eye would see them in the dark
  const top = Math.max(...rgb), shine = Math.min(1, 0.35 + top / 120);
  return `rgb(${rgb.map((c) => Math.round((c / top) * 255 * shine)).join(" ")})`;
}

// ---- A movement as it happens

function animate(flight) {
  still = false;
  const began = performance.now() - flight.age_ms;
  drawRestExcept(Object.keys(flight.samples));
  const step = () => {
    const at = (performance.now() - began) * 1000;
    for (const [piece, samples] of Object.entries(flight.samples)) {
      let i = samples.findIndex((sample) => sample[0] > at);
      if (i < 0) i = samples.length;
      const from = samples[Math.max(0, i - 1)], to = samples[Math.min(i, samples.length - 1)];
      if (from[3] === "off") { show(piece, "off", 0, 0); continue; }
      const share = to[0] > from[0] ? Math.max(0, Math.min(1, (at - from[0]) / (to[0] - from[0]))) : 0;
      const glide = to[3] === from[3] || from[3] === "air";
      const [x, y] = glide ? [from[1] + (to[1] - from[1]) * share, from[2] + (to[2] - from[2]) * share] : [from[1], from[2]];
      const launched = flight.kind === "launch" && piece === flight.piece;
      const level = from[3] === "air" ? (launched && share > 0.5 && to[3] === "upper" ? "upper" : launched ? "lower" : "upper") : from[3];
      show(piece, level, x, y, from[3] === "air" && launched ? 1 + Math.sin(Math.PI * share) : from[3] === "air" ? 1 - 0.6 * share : 1);
    }
    if (!still && at < flight.duration_ms * 1000) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

function drawRestExcept(moving) {
  for (const [piece, { level, at_mm: at }] of Object.entries(state.pieces)) {
    if (!moving.includes(piece)) show(piece, level, at[0], at[1]);
  }
}

function take(next) {
  const fresh = !state || next.n !== state.n || next.moving !== state.moving;
  state = next;
  if (next.flight) {
    animate(next.flight);
    $("seen").replaceChildren();
    return;
  }
  still = true;
  drawRest();
  if (!fresh) return;
  $("seen").replaceChildren(...next.suggest.map(({ words }) => {
    const item = document.createElement("li");
    item.textContent = words;
    return item;
  }));
  const commands = next.suggest.map(({ command }) => command).filter(Boolean);
  if (window.parent !== window) window.parent.postMessage({ arena: "suggest", n: next.n, commands }, "*");
  tellSize();
}

// ---- Hands and mouse

function choose(piece) {
  chosen = piece;
  if (state && still) drawRest();
  if (piece && tool === "launch") hint(`${piece} is in the Launcher: tap the Upper level where you aim.`);
}

function point(event, svg) {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  return [at.x, -at.y];
}

function speedOf(pull) {
  return pull < LEAST_PULL_MM ? 0 : TOP_SPEED * Math.min(1, pull / FULL_PULL_MM) ** 1.5;
}

function drawAim(name, from, angle, speed, pulled) {
  const over = levels[name].over;
  over.replaceChildren();
  if (!from) return;
  if (pulled) make("line", { class: "pull", x1: from[0], y1: -from[1], x2: pulled[0], y2: -pulled[1] }, over);
  if (speed <= 0) return;
  const reach = RADIUS + 20 + speed * 22, to = [from[0] + Math.cos(angle) * reach, from[1] + Math.sin(angle) * reach];
  make("line", { class: "aim", x1: from[0] + Math.cos(angle) * RADIUS, y1: -from[1] - Math.sin(angle) * RADIUS, x2: to[0], y2: -to[1] }, over);
  make("text", { class: "speed", x: from[0], y: -from[1] - RADIUS - 12 }, over, `${speed.toFixed(1)} m/s`);
}

function down(event, name) {
  if (!state || !still || event.button > 0) return;
  const piece = event.target.closest(".mecha")?.dataset.piece;
  if (tool === "launch" && name === "upper" && chosen && state.pieces[chosen].level === "lower") {
    hint(HINTS.launch);
    void send("/api/launch", { piece: chosen, aim_mm: point(event, levels[name].svg) });
    return;
  }
  if (!piece) {
    if (tool === "hand" && chosen && state.pieces[chosen].level === "off") {
      void send("/api/place", { piece: chosen, at_mm: point(event, levels[name].svg), level: name });
    }
    return;
  }
  event.preventDefault();
  choose(piece);
  hint(HINTS[tool]);
  if (tool === "launch") { choose(piece); return; }
  drag = { piece, name, from: state.pieces[piece].at_mm, at: null };
  levels[name].svg.setPointerCapture(event.pointerId);
}

function move(event, name) {
  if (!drag || drag.name !== name) return;
  drag.at = point(event, levels[name].svg);
  const [dx, dy] = [drag.from[0] - drag.at[0], drag.from[1] - drag.at[1]];
  if (tool === "hand") show(drag.piece, name, ...drag.at);
  else drawAim(name, drag.from, Math.atan2(dy, dx), speedOf(Math.hypot(dx, dy)), drag.at);
}

function up(event, name) {
  if (!drag || drag.name !== name) return;
  const { piece, from, at } = drag;
  drag = null;
  levels[name].over.replaceChildren();
  if (!at) return;
  if (tool === "hand") {
    // Over the other level's drawing, or beside the table, counts as well
    const target = document.elementFromPoint(event.clientX, event.clientY)?.closest("svg");
    if (!target) void send("/api/place", { piece, box: "off" });
    else void send("/api/place", { piece, at_mm: point(event, target), level: target.id }).then((ok) => ok || drawRest());
    return;
  }
  const [dx, dy] = [from[0] - at[0], from[1] - at[1]], speed = speedOf(Math.hypot(dx, dy));
  if (speed > 0) void send("/api/flick", { piece, angle: Math.atan2(dy, dx), speed });
}

function key(event, name) {
  if (event.key === "Escape") { drag = null; levels[name].over.replaceChildren(); drawRest(); return; }
  const pieces = Object.keys(state?.pieces ?? {}).filter((each) => state.pieces[each].level === name);
  if (!pieces.length || !still || tool !== "flick") return;
  const turns = { ArrowLeft: [0.05, 0], ArrowRight: [-0.05, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] };
  if (event.key === " ") choose(pieces[(pieces.indexOf(chosen) + 1) % pieces.length]);
  else if (event.key in turns) {
    keyAim.angle += turns[event.key][0];
    keyAim.speed = Math.max(0.2, Math.min(TOP_SPEED, keyAim.speed + turns[event.key][1]));
  } else if (event.key === "Enter" && pieces.includes(chosen)) {
    void send("/api/flick", { piece: chosen, ...keyAim });
    levels[name].over.replaceChildren();
    event.preventDefault();
    return;
  } else return;
  event.preventDefault();
  if (!pieces.includes(chosen)) choose(pieces[0]);
  drawAim(name, state.pieces[chosen].at_mm, keyAim.angle, keyAim.speed);
}

function pick(name) {
  tool = name;
  for (const button of document.querySelectorAll("[data-tool]")) button.setAttribute("aria-checked", String(button.dataset.tool === name));
  hint(HINTS[name]);
}

// The body's height: the document's is never below its frame's, so a frame once too high would stay so
function tellSize() {
  if (window.parent !== window) window.parent.postMessage({ arena: "size", height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");
}

async function begin() {
  map = await fetch("/api/map").then((response) => response.json());
  for (const name of ["lower", "upper"]) {
    drawLevel(name);
    const { svg } = levels[name];
    svg.addEventListener("pointerdown", (event) => down(event, name));
    svg.addEventListener("pointermove", (event) => move(event, name));
    svg.addEventListener("pointerup", (event) => up(event, name));
    svg.addEventListener("pointercancel", () => { drag = null; levels[name].over.replaceChildren(); drawRest(); });
    svg.addEventListener("keydown", (event) => key(event, name));
  }
  for (const button of document.querySelectorAll("[data-tool]")) button.onclick = () => pick(button.dataset.tool);
  $("depot").onclick = () => send("/api/place", { piece: chosen, box: "depot" });
  $("off").onclick = () => send("/api/place", { piece: chosen, box: "off" });
  $("reset").onclick = () => send("/api/reset", {});
  pick("flick");
  const stream = new EventSource("/api/events");
  stream.addEventListener("state", (event) => take(JSON.parse(event.data)));
  stream.addEventListener("lights", (event) => { lights = JSON.parse(event.data); drawLights(); });
  stream.onerror = () => hint("The simulation does not answer; waiting for it.", true);
  stream.onopen = () => hint(HINTS[tool]);
  new ResizeObserver(tellSize).observe(document.body);
}

void begin();
