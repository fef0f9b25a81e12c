// The light at Doors, Holes and Launchers, as the LED strips show it.

import {svg} from "./dom.js";
import {styleOf} from "./marks.js";

const OFF = {pattern: "off", colour: [0, 0, 0], second: [0, 0, 0], answer: 0};
const APART_MS = 500; // between two flashes of one place: never over 3 Hz
const FLASH_MS = 450;

// Shows cues at places; a new answer number is one flash, none when the page is opened.
export class Lights {
  constructor(places) {
    this.places = places;
    this.answers = null;
    this.flashed = new Map();
    this.timers = new Set();
  }

  show(cues) {
    const seen = new Map();
    for (const [id, place] of this.places) {
      if (!place.light) continue;
      const cue = {...OFF, ...cues?.[id]};
      const [first, second] = [cue.colour, cue.second].map((colour) => `rgb(${colour.map(Number).join(" ")})`);
      place.light.dataset.pattern = cue.pattern;
      place.light.style.setProperty("--first", first);
      place.light.style.setProperty("--second", cue.pattern === "split" ? second : first);
      seen.set(id, cue.answer);
      if (this.answers && cue.answer && cue.answer !== this.answers.get(id)) this.#answer(id, place.light);
    }
    this.answers = seen;
  }

  #after(ms, work) {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms);
    this.timers.add(timer);
  }

  #answer(id, node) {
    const now = performance.now();
    const at = Math.max(now, (this.flashed.get(id) ?? -APART_MS) + APART_MS);
    if (at > now + APART_MS) return; // one is waiting already
    this.flashed.set(id, at);
    this.#after(at - now, () => {
      node.classList.add("answers");
      this.#after(FLASH_MS, () => node.classList.remove("answers"));
    });
  }

  close() {
    for (const timer of this.timers) clearTimeout(timer);
  }
}

// An arrow through a Door, or rings at a Hole, that fades. towards: 1 to the larger coordinate, -1, or 0 unknown.
export function trail(place, door, team, towards) {
  const arrow = (sign) => {
    if (!door) return svg("g", {}, svg("circle", {class: "line", r: place.reach + 9}), svg("path", {class: "head", d: "M-8 -6 0 6 8 -6"}));
    const turn = door.axis === "x" ? (sign < 0 ? 180 : 0) : (sign < 0 ? 90 : -90);
    return svg("g", {transform: `rotate(${turn})`}, svg("path", {class: "line", d: "M-54 0H46"}),
      sign !== 0 && svg("path", {class: "head", d: "M44 -11 60 0 44 11Z"}));
  };
  return svg("g", {class: `trail ${styleOf(team)}`}, arrow(towards));
}
