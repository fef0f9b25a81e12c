// The arena as a picture: Boxes, Doors and Holes from the table's map; lights, markers and Mechas as believed.

import {el, keep, svg} from "./dom.js";
import {hexagon, sign, styleOf} from "./marks.js";
import {say} from "./text.js";

const EDGE_MM = 30; // around a level, for walls and light
const PILL = {w: 98, h: 42}; // a Mecha's name plate; larger than the Mecha, to be read from afar
const GRID_MM = 10;
const LEAST_SCALE = 0.5;
const ASIDE_MM = [0, -20, -40, -60, 20, 40, 60];

export class Arena {
  // onPlace(id) and onPiece(name) are called when a person picks one in the picture.
  constructor(root, map, {onPlace, onPiece}) {
    this.map = map;
    this.onPiece = onPiece;
    this.onPlace = onPlace;
    this.places = new Map(); // id -> {group, light, marks, note}
    this.answers = null; // cue answers seen, so that each flashes once
    this.levels = {};
    const names = [...new Set(Object.values(map.boxes).map((box) => box.level))];
    const figures = names.map((name) => this.#level(name));
    this.aside = el("div", {class: "aside"});
    figures.at(-1).append(this.aside);
    this.launchers = Object.entries(map.launchers ?? {}).map(([id, launcher]) => this.#launcher(id, launcher));
    this.out = el("div", {class: "out"});
    this.aside.append(...this.launchers, this.out);
    root.replaceChildren(el("div", {class: "levels"}, figures));
  }

  #level(name) {
    const boxes = Object.entries(this.map.boxes).filter(([, box]) => box.level === name);
    const rects = boxes.map(([, box]) => box.rect_mm);
    const [x0, y0] = [Math.min(...rects.map((r) => r[0])), Math.min(...rects.map((r) => r[1]))];
    const [x1, y1] = [Math.max(...rects.map((r) => r[2])), Math.max(...rects.map((r) => r[3]))];
    const size = [x1 - x0 + 2 * EDGE_MM, y1 - y0 + 2 * EDGE_MM];
    const view = [x0 - EDGE_MM, -y1 - EDGE_MM, ...size].join(" ");
    const picture = svg("svg", {viewBox: view, class: `level ${name}`, role: "group", "aria-label": say(name)});
    for (const [id, box] of boxes) picture.append(this.#box(id, box));
    for (const [piece, depot] of Object.entries(this.map.depots ?? {})) {
      if (this.map.boxes[depot.box].level === name) picture.append(this.#depot(piece, depot));
    }
    for (const [, box] of boxes) picture.append(this.#walls(box));
    for (const [id, hole] of Object.entries(this.map.holes)) {
      if (this.map.boxes[hole.box].level === name) picture.append(this.#hole(id, hole));
    }
    for (const [id, door] of Object.entries(this.map.doors)) if (door.level === name) picture.append(this.#door(id, door));
    const pieces = svg("g", {class: "pieces"});
    picture.append(pieces);
    this.levels[name] = {picture, pieces};
    const figure = el("figure", {class: `of-${name}`}, el("figcaption", {}, say(name)), picture);
    figure.style.flexGrow = figure.style.flexBasis = 0;
    figure.style.flexGrow = size[0];
    return figure;
  }

  #pick(id) {
    return {
      tabindex: -1,
      onclick: () => this.onPlace(id),
      onkeydown: (event) => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          this.onPlace(id);
        }
      },
    };
  }

  #box(id, box) {
    const [x0, y0, x1, y1] = box.rect_mm;
    const note = svg("text", {class: "placed", x: x1 - 14, y: -y0 - 14, "text-anchor": "end"});
    const group = svg("g", {class: "place box", dataset: {place: id}, ...this.#pick(id)},
      svg("rect", {class: "floor", x: x0, y: -y1, width: x1 - x0, height: y1 - y0}),
      svg("text", {class: "name", x: x0 + 14, y: -y1 + 30}, id, x1 - x0 > 220 ? svg("tspan", {class: "faint", dx: 7}, box.label ?? "") : null),
      note);
    this.places.set(id, {group, note, kind: "box"});
    return group;
  }

  #walls(box) {
    const [x0, y0, x1, y1] = box.rect_mm;
    return svg("rect", {class: "wall", x: x0, y: -y1, width: x1 - x0, height: y1 - y0});
  }

  #depot(piece, depot) {
    const [x, y] = depot.at_mm;
    const team = this.teamOf?.(piece);
    return svg("g", {class: "depot", transform: `translate(${x} ${-y})`, dataset: {team}}, svg("circle", {r: 19}));
  }

  // A strip of light along a path, in a team's pattern; pathLength 100 makes the patterns alike everywhere.
  #light(path) {
    const strand = (name) => svg("path", {class: name, d: path, pathLength: 100});
    return svg("g", {class: "light", "data-pattern": "off"}, strand("glow"), strand("first"), strand("second"));
  }

  #door(id, door) {
    const [x, y] = door.at_mm;
    const half = door.width_mm / 2;
    const turn = door.axis === "x" ? 90 : 0; // a Door that is passed along x stands in a wall along y
    const light = this.#light(`M${-half - 14} 0H${half + 14}`);
    const marks = svg("g", {class: "marks"});
    const note = svg("text", {class: "placed", "text-anchor": "middle", y: 48});
    const label = turn ? {x: 26, y: 6} : {x: 0, y: -26, "text-anchor": "middle"};
    const group = svg("g", {class: "place door", dataset: {place: id}, transform: `translate(${x} ${-y})`, ...this.#pick(id)},
      svg("g", {transform: `rotate(${turn})`},
        svg("path", {class: "opening", d: `M${-half} 0H${half}`}),
        light,
        svg("path", {class: "post", d: `M${-half} -8V8M${half} -8V8`}),
        svg("rect", {class: "hit", x: -half - 16, y: -26, width: 2 * half + 32, height: 52, rx: 14})),
      svg("text", {class: "name", ...label}, id), marks, note);
    this.places.set(id, {group, light, marks, note, kind: "door", turn});
    return group;
  }

  #hole(id, hole) {
    const [x, y] = hole.at_mm;
    const r = hole.diameter_mm / 2;
    const light = this.#light(`M0 ${-r - 13}a${r + 13} ${r + 13} 0 1 1 -0.01 0`);
    const marks = svg("g", {class: "marks"});
    const note = svg("text", {class: "placed", "text-anchor": "middle", y: r + 48});
    const group = svg("g", {class: "place hole", dataset: {place: id}, transform: `translate(${x} ${-y})`, ...this.#pick(id)},
      light, svg("circle", {class: "pit", r}), svg("circle", {class: "hit", r: r + 22}),
      svg("text", {class: "name", x: 0, y: -r - 26, "text-anchor": "middle"}, id), marks, note);
    this.places.set(id, {group, light, marks, note, kind: "hole", turn: 0});
    return group;
  }

  #launcher(id, launcher) {
    const lamp = el("span", {class: "lamp"});
    const node = el("button", {class: "launcher", type: "button", dataset: {place: id}, onclick: () => this.onPlace(id)},
      lamp, launcher.label ?? say("launcher"));
    this.places.set(id, {group: node, lamp, kind: "launcher"});
    return node;
  }

  // --- what changes

  // ready: a Set of places where something may be done now; active: whether this page may command at all.
  draw(page, ready, active) {
    const {view, cues} = page;
    this.#lights(cues);
    for (const [id, place] of this.places) {
      const teams = view.markers?.[id] ?? [];
      if (place.marks) this.#markers(place, teams, view);
      place.group.classList.toggle("ready", ready.has(id));
      place.group.classList.toggle("open", active);
      if (place.kind !== "launcher") {
        place.group.setAttribute("tabindex", ready.has(id) ? 0 : -1);
        place.group.setAttribute("role", active ? "button" : "img");
        place.group.setAttribute("aria-label", this.describe(id, teams, view));
      } else place.group.disabled = !active;
    }
    this.#notes(view.placed_cards ?? {});
    this.#mechas(view, active);
  }

  describe(id, teams, view) {
    const door = this.map.doors[id];
    const hole = this.map.holes[id];
    if (!door && !hole) return say("placeAt.box", {place: [id, this.map.boxes[id]?.label].filter(Boolean).join(" ")});
    const where = door
      ? say("doorBetween", {place: id, a: door.boxes[0], b: door.boxes[1]})
      : say("holeFrom", {place: id, a: hole.box, b: hole.below});
    const names = teams.map((team) => view.teams[team]?.name ?? team).join(say("and"));
    return `${where}: ${names ? say("marks", {teams: names}) : say("noMarks")}`;
  }

  #lights(cues) {
    const seen = {};
    for (const [id, place] of this.places) {
      const cue = cues[id] ?? {pattern: "off", colour: [0, 0, 0], second: [0, 0, 0], answer: 0};
      seen[id] = cue.answer;
      const [first, second] = [cue.colour, cue.second].map((rgb) => `rgb(${rgb.map(Number).join(" ")})`);
      const node = place.light ?? place.lamp;
      if (!node) continue;
      node.dataset.pattern = cue.pattern;
      node.style.setProperty("--first", first);
      node.style.setProperty("--second", second);
      if (this.answers && this.answers[id] !== cue.answer && cue.answer) this.#answer(node);
    }
    this.answers = seen;
  }

  // One brief brightening for one event; the animation runs once and never over 3 Hz.
  #answer(node) {
    node.classList.remove("answers");
    void node.getBoundingClientRect();
    node.classList.add("answers");
    setTimeout(() => node.classList.remove("answers"), 1400);
  }

  #markers(place, teams, view) {
    const apart = teams.length > 1 ? 21 : 0;
    const items = teams.map((team, nth) => [team, {team, at: (nth * 2 - 1) * apart}]);
    keep(place.marks, items,
      ({team}) => svg("g", {class: "marker"}, svg("title", {}, view.teams[team]?.name ?? team), sign(team, 17)),
      (node, {at}) => {
        const [x, y] = teams.length > 1 ? (place.turn ? [0, at] : [at, 0]) : [0, 0];
        node.setAttribute("transform", `translate(${x} ${y})`);
      });
  }

  #notes(cards) {
    const told = new Map();
    for (const [kind, where] of Object.entries(cards)) {
      for (const place of where) told.set(place, [...(told.get(place) ?? []), say(`cards.${kind}`)]);
    }
    for (const [id, place] of this.places) if (place.note) place.note.textContent = (told.get(id) ?? []).join(", ");
  }

  #mechas(view, active) {
    const mechas = Object.entries(view.mechas ?? {});
    const outside = mechas.filter(([, mecha]) => mecha.boxes.includes("outside"));
    this.out.replaceChildren(el("h4", {}, say("outsideArea")), outside.length ? el("ul", {}, outside.map(([name, mecha]) =>
      el("li", {class: `chip ${styleOf(mecha.team)}`}, name, mecha.ko && el("b", {}, say("ko"))))) : el("p", {class: "faint"}, say("none")));
    for (const [level, {pieces}] of Object.entries(this.levels)) {
      const items = [];
      for (const [box, shape] of Object.entries(this.map.boxes)) {
        if (shape.level === level) items.push(...this.#inBox(box, shape, mechas, view));
      }
      keep(pieces, items, ({name, mecha}) => this.#pill(name, mecha), (node, item) => this.#update(node, item, active));
    }
  }

  // Where the name plates stand in a Box: near the Depot or the middle, covering no Door, Hole or other plate.
  #inBox(box, shape, mechas, view) {
    const here = mechas.filter(([, mecha]) => mecha.boxes.includes(box));
    if (!here.length) return [];
    const [x0, y0, x1, y1] = shape.rect_mm;
    const round = [
      ...Object.values(this.map.doors).filter((door) => door.boxes.includes(box)).flatMap(({at_mm: [x, y], axis}) =>
        [[x, y, 26], axis === "x" ? [x + 42, y, 18] : [x, y + 32, 16]]),
      ...Object.values(this.map.holes).filter((hole) => hole.box === box).map((hole) => [...hole.at_mm, hole.diameter_mm / 2 + 26]),
      ...(x1 - x0 > 220 && shape.label ? [30, 75, 120] : [30]).map((dx) => [x0 + dx, y1 - 22, 18]),
    ];
    for (let scale = 1; ; scale -= 0.1) {
      const last = scale <= LEAST_SCALE;
      // Depots stand closer than name plates are wide: a row that starts further aside may fit better
      const tries = ASIDE_MM.map((dx) => this.#arrange(here, box, shape.rect_mm, last ? [] : round, scale, dx));
      const fits = tries.filter((each) => each.places.length === here.length).sort((a, b) => a.cost - b.cost)[0];
      if (!fits && !last) continue;
      const places = (fits ?? tries[0]).places;
      return here.map(([name, mecha], nth) => {
        const unsure = mecha.boxes.length > 1;
        const [x, y] = places[nth] ?? [(x0 + x1) / 2, (y0 + y1) / 2];
        return [unsure ? `${name} ${box}` : name, {name, mecha, x, y, scale, unsure, active: view.active?.mecha === name}];
      });
    }
  }

  #arrange(here, box, [x0, y0, x1, y1], round, scale, dx) {
    const [w, h] = [PILL.w * scale, PILL.h * scale];
    const places = [];
    let cost = 0;
    for (const [name] of here) {
      const depot = this.map.depots?.[name];
      const [ax, ay] = depot?.box === box ? depot.at_mm : [(x0 + x1) / 2, (y0 + y1) / 2];
      let best = null;
      for (let x = x0 + w / 2 + 8; x <= x1 - w / 2 - 8; x += GRID_MM) {
        for (let y = y0 + h / 2 + 8; y <= y1 - h / 2 - 8; y += GRID_MM) {
          const far = Math.hypot(x - ax - dx, (y - ay) * 1.4);
          if (best && far >= best.far) continue;
          if (places.some(([tx, ty]) => Math.abs(tx - x) < w + 12 && Math.abs(ty - y) < h + 12)) continue;
          if (round.some(([cx, cy, r]) => Math.hypot(Math.max(Math.abs(cx - x) - w / 2, 0), Math.max(Math.abs(cy - y) - h / 2, 0)) < r)) continue;
          best = {far, x, y};
        }
      }
      if (!best) return {places, cost};
      places.push([best.x, best.y]);
      cost += Math.hypot(best.x - ax, best.y - ay);
    }
    return {places, cost};
  }

  #pill(name, mecha) {
    const {w, h} = PILL;
    const shape = styleOf(mecha.team) === "round"
      ? (grow, of) => svg("rect", {class: of, x: -w / 2 - grow, y: -h / 2 - grow, width: w + 2 * grow, height: h + 2 * grow, rx: h / 2 + grow})
      : (grow, of) => {
          const [a, b] = [w / 2 + grow * 1.2, h / 2 + grow];
          return svg("polygon", {class: of, points: `${-a},0 ${-a + 11},${-b} ${a - 11},${-b} ${a},0 ${a - 11},${b} ${-a + 11},${b}`});
        };
    const text = svg("text", {y: 7.5, "text-anchor": "middle"}, name);
    const hurt = svg("g", {class: "hurt", transform: `translate(${w / 2 - 8} ${-h / 2 + 3})`},
      svg("polygon", {points: hexagon(13)}), svg("text", {y: 7, "text-anchor": "middle"}, "!"));
    const inner = svg("g", {class: "inner"}, shape(7, "ring"), shape(0, "plate"), text, hurt);
    return svg("g", {
      class: `mecha ${styleOf(mecha.team)}`, role: "img", onclick: () => this.onPiece(name),
    }, inner);
  }

  #update(node, {name, mecha, x, y, scale, unsure, active}, open) {
    node.style.transform = `translate(${x}px, ${-y}px) scale(${scale.toFixed(2)})`;
    node.classList.toggle("active", active);
    node.classList.toggle("unsure", unsure);
    node.classList.toggle("damaged", mecha.damaged);
    node.classList.toggle("open", open);
    const text = node.querySelector(".inner > text");
    text.textContent = unsure ? `${name}?` : name;
    text.classList.toggle("long", text.textContent.length > 5);
    const state = [active && say("active"), mecha.damaged && say("damaged"), mecha.stuck && say("stuck", {place: mecha.stuck})];
    node.setAttribute("aria-label", [name, unsure ? say("unsure", {boxes: mecha.boxes.join(say("or"))}) : mecha.boxes[0], ...state].filter(Boolean).join(", "));
  }
}
