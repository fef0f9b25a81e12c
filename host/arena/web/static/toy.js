// The simulation's toy table, embedded by its address. It may suggest what it saw; a person confirms.

import {el} from "./dom.js";
import {say} from "./text.js";

const MOST = 30; // suggestions believed in one message
const HEIGHT_PX = [120, 1600];

export function embed(root, address, onSuggest) {
  const origin = new URL(address).origin;
  const frame = el("iframe", {src: address, title: say("toyTitle"), sandbox: "allow-scripts allow-same-origin"});
  root.replaceChildren(el("h3", {}, say("toyTitle")), frame);
  window.addEventListener("message", (event) => {
    if (event.origin !== origin || event.source !== frame.contentWindow) return;
    const {arena, commands, height} = event.data ?? {};
    if (arena === "suggest" && Array.isArray(commands)) {
      onSuggest(commands.slice(0, MOST).filter((each) => each && typeof each === "object" && typeof each.do === "string"));
    } else if (arena === "size" && Number.isFinite(height)) {
      frame.style.height = `${Math.min(Math.max(height, HEIGHT_PX[0]), HEIGHT_PX[1])}px`;
    }
  });
}
