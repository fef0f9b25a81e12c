// The arena as a picture, to scale with the table's map: both levels, light, markers, and Mechas as believed.

import {drawMechas} from "./arena_mechas.js";
import {el, keep, svg} from "./dom.js";
import {ground, launcherPlace, marker, markerSpots} from "./arena_ground.js";
import {Lights, trail} from "./arena_lights.js";
import {arrange, levelsOf} from "./arena_plan.js";
import {doorCard, room} from "./arena_room.js";
import {footprint, spots, TOKEN_MM} from "./arena_spots.js";
import {styleOf} from "./marks.js";
import {summary, words} from "./arena_words.js";

const WIDE_PX = 720; // from here the levels stand side by side
const LETTERS = {least: 20, most: 32, px: 11.5}; // height of a name: mm, and px below which nobody reads it
let pictures = 0;

// Draws into the container, alone. With onPlace(id) or onPiece(name) people can pick in the picture.
// Returns {update(page, {ready, active}), destroy()}; page is what /api/events tells, ready a Set of places.
export function createArena(container, map, {onPlace = null, onPiece = null} = {}) {
  const picture = new Picture(container, map, onPlace, onPiece);
  return {update: (page, more) => picture.update(page, more), destroy: () => picture.destroy()};
}

// As the light is split: solid ones first.
const inOrder = (teams) => [...teams].sort((a, b) => Number(styleOf(a) !== "round") - Number(styleOf(b) !== "round") || a.localeCompare(b));

class Picture {
  constructor(container, map, onPlace, onPiece) {
    Object.assign(this, {container, map, onPlace, onPiece});
    this.levels = levelsOf(map);
    this.places = new Map();
    this.spots = new Map();
    this.came = new Map(); // name -> the Door or Hole of its last pass
    this.page = null;
    this.drawnPass = null;
    this.told = new Set(); // passes in the log that were drawn
    const blur = `arena-blur-${(pictures += 1)}`;
    this.layers = new Map();
    const below = (nth) => this.levels.slice(nth + 1, nth + 2);
    this.levels.forEach((level, nth) => {
      const title = svg("text", {class: "level-title"}, words.level(level.name), svg("tspan", {class: "faint", dx: 8}, words.levelWord));
      this.layers.set(level.name, {title, ground: ground(map, level, below(nth), this.places, blur)});
    });
    this.tray = svg("g", {class: "tray"}, svg("rect", {class: "tray-floor", rx: 22}), svg("text", {class: "tray-title"}),
      svg("text", {class: "tray-empty"}, words.nobody));
    this.launchers = Object.entries(map.launchers ?? {}).map(([id, launcher]) => {
      const place = launcherPlace(id, launcher, blur);
      this.places.set(id, place);
      return place.group;
    });
    this.pieces = svg("g", {class: "mechas"});
    const interactive = onPlace || onPiece;
    this.svg = svg("svg", {class: "arena", role: interactive ? "group" : "img", preserveAspectRatio: "xMidYMid meet"},
      svg("defs", {}, svg("filter", {id: blur, x: "-60%", y: "-60%", width: "220%", height: "220%"}, svg("feGaussianBlur", {stdDeviation: 9}))),
      [...this.layers.values()].map((layer) => [layer.title, layer.ground]), this.tray, this.launchers, this.pieces);
    this.root = el("div", {class: "arena-picture"}, this.svg);
    // A shadow root keeps the page's styles and the picture's apart; colours come in as custom properties
    this.host = el("div");
    const style = el("link", {rel: "stylesheet", href: new URL("./arena.css", import.meta.url).href});
    this.host.attachShadow({mode: "open"}).append(style, this.root);
    style.addEventListener("load", () => this.#arrange());
    if (onPlace) for (const [id, place] of this.places) this.#pickable(id, place.group);
    container.replaceChildren(this.host);
    this.lights = new Lights(this.places);
    this.watch = new ResizeObserver(() => this.#arrange());
    this.watch.observe(this.root);
    this.#arrange();
  }

  destroy() {
    this.watch.disconnect();
    this.lights.close();
    this.host.remove();
  }

  #pickable(id, group) {
    group.classList.add("pickable");
    group.addEventListener("click", () => this.onPlace(id));
    group.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.onPlace(id);
    });
  }

  // --- where things stand

  #arrange() {
    const px = this.svg.clientWidth || this.root.clientWidth || 800;
    const [beside, below] = [true, false].map((wide) => arrange(this.levels, wide));
    // Also where there is little height: the larger picture is the better one
    const wide = this.levels.length > 1 && (px >= WIDE_PX || this.#scale(beside, px) < this.#scale(below, px));
    const plan = wide ? beside : below;
    const letters = Math.min(LETTERS.most, Math.max(LETTERS.least, LETTERS.px * this.#scale(plan, px)));
    const text = JSON.stringify([plan, letters.toFixed(1)]);
    if (text === this.planned) return;
    Object.assign(this, {planned: text, plan, letters});
    this.svg.setAttribute("viewBox", `0 0 ${plan.width} ${plan.height}`);
    this.svg.classList.toggle("wide", wide);
    this.svg.style.setProperty("--letters", `${letters.toFixed(1)}px`);
    for (const [name, layer] of this.layers) {
      const {x, y, titleX, titleY} = plan.levels[name];
      layer.ground.setAttribute("transform", `translate(${x} ${y})`);
      layer.title.setAttribute("transform", `translate(${titleX} ${titleY})`);
    }
    const {tray} = plan;
    this.launchers.forEach((launcher, nth) => launcher.setAttribute("transform", `translate(${tray.x + 62 + nth * 110} ${tray.y + 40})`));
    if (this.page) this.#draw(true);
  }

  // mm in one px of the page.
  #scale(plan, px) {
    const most = parseFloat(getComputedStyle(this.svg).maxHeight);
    return Math.max(plan.width / px, Number.isFinite(most) && most > 0 ? plan.height / most : 0);
  }

  // Outside ones stand in rows in the tray.
  #inTray(found) {
    const {tray} = this.plan;
    const outside = [...found].filter(([, spot]) => spot.kind === "tray");
    const above = this.launchers.length ? 104 : 0;
    const top = tray.y + above;
    const width = tray.width;
    const height = tray.height - above;
    const title = this.tray.querySelector(".tray-title");
    title.textContent = words.outside;
    const floor = this.tray.querySelector(".tray-floor");
    for (const [name, value] of Object.entries({x: tray.x, y: top, width, height})) floor.setAttribute(name, value);
    title.setAttribute("transform", `translate(${tray.x + 18} ${top + this.letters + 10})`);
    const empty = this.tray.querySelector(".tray-empty");
    empty.setAttribute("transform", `translate(${tray.x + 18} ${top + 2.4 * this.letters + 12})`);
    empty.classList.toggle("hidden", outside.length > 0 || !this.page?.view);
    if (!outside.length) return;
    const shape = outside.map(([name]) => footprint(name, this.letters));
    const cell = {w: Math.max(...shape.map((s) => s[2] - s[0])) + 8, h: shape[0][3] - shape[0][1] + 8};
    const room = {w: width - 16, h: height - this.letters - 22};
    for (let scale = 1; scale > 0.2; scale -= 0.05) {
      const columns = Math.floor(room.w / (cell.w * scale));
      if (columns < 1 || Math.ceil(outside.length / columns) * cell.h * scale > room.h) continue;
      outside.forEach(([, spot], nth) => Object.assign(spot, {
        scale, x: tray.x + 8 + cell.w * scale * ((nth % columns) + 0.5),
        y: top + this.letters + 18 + cell.h * scale * Math.floor(nth / columns) + (TOKEN_MM + 10) * scale,
      }));
      return;
    }
  }

  #point(level, x, y) {
    const origin = this.plan.levels[level];
    return [origin.x + x, origin.y + y];
  }

  // --- what changes

  update(page, {ready = new Set(), active = false} = {}) {
    this.page = page;
    this.ready = ready;
    this.open = active;
    this.#draw(false);
  }

  #draw(still) {
    const {page} = this;
    const view = page?.view ?? null;
    this.svg.setAttribute("aria-label", summary(this.map, view));
    this.lights.show(page?.cues);
    const fresh = this.#passes(page?.log ?? []);
    const cards = this.#cards(view);
    const rooms = new Map(this.levels.map(({name}) => [name, room(this.map, name, this.letters, cards)]));
    const found = spots(this.map, view, rooms, this.spots, this.came, this.letters);
    this.#names(rooms);
    this.#places(view, cards, new Set([...found.values()].map((spot) => spot.place).filter(Boolean)));
    this.#depots(found);
    this.spots = found;
    this.#inTray(found);
    drawMechas(this.pieces, view ?? {mechas: {}}, found, {
      letters: this.letters, onPiece: this.onPiece,
      calm: still || matchMedia("(prefers-reduced-motion: reduce)").matches,
      at: (spot) => (spot.kind === "tray" ? [spot.x, spot.y] : this.#point(spot.level, spot.x, spot.y)),
      through: (name, from, to) => this.#way(fresh.get(name) ?? [], from, to),
    });
    this.#trail(page?.log ?? [], view);
  }

  // The passes in the log that are new: name -> places in order.
  #passes(log) {
    const fresh = new Map();
    const told = new Set();
    const last = new Map();
    log.forEach((entry, nth) => {
      if (entry.kind === "depot") last.set(entry.piece, null);
      if (entry.kind !== "pass" || !entry.place || !entry.piece) return;
      last.set(entry.piece, entry.place);
      const key = `${entry.seq} ${log.slice(0, nth).filter((each) => each.seq === entry.seq).length}`;
      told.add(key);
      if (!this.told.has(key)) fresh.set(entry.piece, [...(fresh.get(entry.piece) ?? []), entry.place]);
    });
    this.told = told;
    this.came = last;
    return fresh;
  }

  // The points on the way, or null where nobody knows how it came from there to here.
  #way(places, from, to) {
    const points = [];
    for (const id of places) {
      const door = this.map.doors[id];
      const hole = this.map.holes?.[id];
      if (!door && !hole) continue;
      const [x, y] = (door ?? hole).at_mm;
      const [px, py] = this.#point(door ? door.level : this.map.boxes[hole.box].level, x, -y);
      const below = hole && this.map.boxes[hole.below];
      const [jx, jy] = below ? this.#point(below.level, x, -y) : [];
      points.push({x: px, y: py, jump: below ? {x: jx, y: jy} : null});
    }
    return points.length || from.level === to.level || to.kind === "tray" || from.kind === "tray" ? points : null;
  }

  #trail(log, view) {
    const entry = log.findLast((each) => each.kind === "pass" && each.place && each.piece);
    const key = entry ? `${entry.seq} ${entry.place} ${entry.piece}` : null;
    if (key === this.drawnPass) return;
    this.drawnPass = key;
    for (const place of this.places.values()) place.trail?.replaceChildren();
    const place = entry && this.places.get(entry.place);
    const mecha = entry && view?.mechas?.[entry.piece];
    if (!place?.trail || !mecha) return;
    const door = this.map.doors[entry.place];
    const into = door ? door.boxes.indexOf(mecha.boxes[0]) : 0;
    place.trail.replaceChildren(trail(place, door, mecha.team, into < 0 ? 0 : into * 2 - 1));
  }

  #cards(view) {
    const cards = new Map();
    for (const [kind, where] of Object.entries(view?.placed_cards ?? {})) {
      for (const id of where) cards.set(id, [...(cards.get(id) ?? []), words.cards[kind] ?? kind]);
    }
    return cards;
  }

  #names(rooms) {
    for (const {names} of rooms.values()) {
      for (const [id, {x, y}] of names) {
        const {name} = this.places.get(id);
        name.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
        const label = name.querySelector(".box-label").textContent ? 0.9 : 0;
        [0.8, 1.65, 1.75 + label].forEach((down, nth) => name.children[nth].setAttribute("y", (down * this.letters).toFixed(1)));
      }
    }
    for (const [id, door] of Object.entries(this.map.doors)) {
      const {x, y} = doorCard(door, this.letters);
      this.places.get(id).note.setAttribute("transform", `translate(${x} ${y})`);
    }
  }

  // A Depot's name would be covered by whoever stands there.
  #depots(found) {
    for (const node of this.svg.querySelectorAll(".depot")) {
      const depot = this.map.depots[node.dataset.depot];
      const near = [...found.values()].some((spot) => spot.kind === "box" && spot.box === depot.box
        && Math.abs(spot.x - depot.at_mm[0]) < 70 && Math.abs(spot.y + depot.at_mm[1]) < 60);
      node.classList.toggle("taken", near);
    }
  }

  #places(view, cards, astride) {
    for (const [id, place] of this.places) {
      const teams = inOrder(view?.markers?.[id] ?? []);
      const names = teams.map((team) => words.team(view, team));
      if (place.marks) {
        const at = markerSpots(place, teams.length, astride.has(id));
        keep(place.marks, teams.map((team, nth) => [team, {team, name: names[nth], at: at[nth]}]),
          ({team, name}) => marker(team, name), (node, {at: [x, y]}) => node.setAttribute("transform", `translate(${x} ${y})`));
      }
      if (place.note) place.note.textContent = (cards.get(id) ?? []).join(", ");
      const said = this.#said(id, names, cards.get(id));
      place.group.querySelector("title").textContent = said;
      place.group.classList.toggle("ready", this.ready?.has(id) ?? false);
      place.group.classList.toggle("open", Boolean(this.open));
      if (!this.onPlace) continue;
      place.group.setAttribute("aria-label", said);
      place.group.setAttribute("role", this.open ? "button" : "img");
      place.group.setAttribute("tabindex", this.ready?.has(id) ? 0 : -1);
    }
  }

  #said(id, teams, cards) {
    const {map} = this;
    const what = map.doors[id] ? words.door(id, map.doors[id], teams)
      : map.holes?.[id] ? words.hole(id, map.holes[id], teams)
        : map.boxes[id] ? `Box ${words.box(map, id)}` : map.launchers[id]?.label ?? id;
    return cards?.length ? `${what}, ${cards.join(", ")}` : what;
  }
}
