// What happened, the newest first, in words; the referee strikes out what did not happen.

import {el} from "./dom.js";
import {mark} from "./marks.js";
import {say} from "./text.js";

const clock = (wall) => {
  const at = new Date(wall);
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleTimeString([], {hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false});
};

function cause(by, view) {
  const player = view.players.find((each) => each.seat === by);
  return player?.name ?? say(`by.${by}`);
}

// tools: {undo, addPass, strike(entry)} for the referee, null for others; since: newest entry seen before a pause.
export function log(page, tools, since) {
  const {view} = page;
  const lines = page.log.map((entry, nth) => ({...entry, nth})).reverse();
  return [
    el("header", {}, el("h3", {}, say("logTitle")), tools ? el("div", {class: "row"},
      el("button", {type: "button", class: "small", disabled: !page.can_undo, onclick: tools.undo, dataset: {key: "undo"}}, say("undo")),
      el("button", {type: "button", class: "small", onclick: tools.addPass, dataset: {key: "add"}}, say("addPass"))) : null),
    lines.length ? el("ol", {}, lines.map((entry) => {
      const team = view.mechas?.[entry.piece]?.team;
      return el("li", {class: `entry ${since !== null && entry.seq > since ? "fresh" : ""}`, dataset: {seq: entry.seq, kind: entry.kind}},
        el("time", {datetime: entry.wall}, clock(entry.wall)),
        el("p", {}, team ? mark(team) : null, entry.text,
          entry.by && entry.by !== "table" ? el("span", {class: "faint"}, ` · ${cause(entry.by, view)}`) : null),
        tools && entry.can_strike ? el("button", {
          type: "button", class: "small strike", "aria-label": say("strikeLabel", {text: entry.text}),
          dataset: {key: `strike ${entry.seq}`}, onclick: () => tools.strike(entry),
        }, say("strike")) : null);
    })) : el("p", {class: "faint"}, say("logEmpty")),
  ];
}
