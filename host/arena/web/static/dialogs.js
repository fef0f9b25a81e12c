// Windows over the page: what happened at a place, corrections with their preview, a new game, phones, boards.

import {isLoopback, read, send} from "./api.js";
import {el} from "./dom.js";
import {mark} from "./marks.js";
import {say} from "./text.js";

function open(title, body, {wide = false} = {}) {
  const dialog = el("dialog", {class: wide ? "wide" : "", "aria-label": title},
    el("header", {}, el("h2", {}, title),
      el("button", {type: "button", class: "close", "aria-label": say("close"), onclick: () => dialog.close()}, "×")),
    body);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// A list of choices that belong to one thing in the picture. more: [[label, action]...] below.
export function menu(title, choices, give, more) {
  const pick = (action) => () => {
    dialog.close();
    action();
  };
  const dialog = open(title, el("div", {class: "list"},
    choices.map((choice) => el("button", {type: "button", class: "choice", onclick: pick(() => give(choice.command))}, choice.label)),
    more.map(([label, action]) => el("button", {type: "button", class: "choice quiet", onclick: pick(action)}, label)),
    choices.length + more.length ? null : el("p", {class: "faint"}, say("nothingHere"))));
}

// Show what a correction would change, and do it when the person says so.
export async function correct(view, title, path, body, onError, intro = null) {
  const seen = await send(path, {...body, preview: true});
  if (!seen.ok) return onError(seen);
  const dialog = open(title, el("form", {method: "dialog", class: "list"},
    intro ? el("blockquote", {}, intro) : null, changesOf(seen, view),
    el("div", {class: "row end"},
      el("button", {type: "button", class: "choice quiet", onclick: () => dialog.close()}, say("cancel")),
      el("button", {
        type: "button", class: "choice main", autofocus: true, onclick: async () => {
          dialog.close();
          const done = await send(path, body);
          if (!done.ok) onError(done);
        },
      }, say("doIt")))));
}

// A seat that stands alone as a word is its player
const named = (text, view) => text.replace(/(?<![\w-])P\d+(?![\w-])/g, (seat) => view.players.find((player) => player.seat === seat)?.name ?? seat);

function changesOf({changes, dropped}, view) {
  const list = (texts) => el("ul", {class: "changes"}, texts.map((text) => el("li", {}, named(text, view))));
  return el("div", {}, el("h3", {}, say("whatChanges")), changes?.length ? list(changes) : el("p", {}, say("noChange")),
    dropped?.length ? [el("h3", {}, say("dropped")), list(dropped)] : null);
}

export function addPass(page, map, at, onError) {
  const {view} = page;
  const ways = (place) => (map.doors[place] ? map.doors[place].boxes : [map.holes[place].below]);
  const option = (value, text = value) => el("option", {value}, text);
  const piece = el("select", {name: "piece"}, Object.keys(view.mechas).map((name) => option(name)));
  const place = el("select", {name: "place"}, [...Object.keys(map.doors), ...Object.keys(map.holes)].map((id) => option(id)));
  const target = el("select", {name: "target"});
  // Only moves can be stood behind; each once, the newest first
  const moves = page.log.filter((entry) => entry.can_strike).slice(-20).reverse();
  const after = el("select", {name: "after"}, moves.map((entry, nth) => option(entry.seq, nth ? say("whenAfter", {text: entry.text}) : say("whenNow"))),
    moves.length ? null : option(0, say("whenNow")));
  const fill = () => {
    const boxes = ways(place.value);
    const at = view.mechas[piece.value].boxes;
    target.replaceChildren(...boxes.map((box) => option(box, [box, map.boxes[box].label].filter(Boolean).join(" "))));
    const likely = boxes.find((box) => boxes.length > 1 && at.includes(boxes.find((other) => other !== box)));
    if (likely) target.value = likely;
  };
  piece.value = view.active?.mecha ?? piece.options[0].value;
  if (at) place.value = at;
  piece.addEventListener("change", fill);
  place.addEventListener("change", fill);
  fill();
  const field = (key, input) => el("label", {class: "field"}, el("span", {}, say(key)), input);
  const form = el("form", {class: "list", onsubmit: (event) => {
    event.preventDefault();
    const command = {do: "passed", piece: piece.value, place: place.value, target: target.value};
    dialog.close();
    void correct(view, say("addPassTitle"), "/api/insert", {after_seq: Number(after.value), command}, onError,
      say("passSentence", {piece: piece.value, place: place.value, target: target.value}));
  }}, field("whichMecha", piece), field("whichPlace", place), field("whichWay", target), field("when", after),
  el("div", {class: "row end"}, el("button", {type: "submit", class: "choice main"}, say("look"))));
  const dialog = open(say("addPassTitle"), form);
}

export function newGame(view) {
  const before = view?.players ?? [];
  const radios = (name, values, chosen, text, onchange) => el("div", {class: "switch", role: "radiogroup", "aria-label": name},
    values.map((value) => el("label", {}, el("input", {type: "radio", name, value, checked: value === chosen, onchange}), el("span", {}, text(value)))));
  const rows = el("div", {class: "list"});
  const wrong = el("p", {class: "wrong", role: "alert"});
  const team = (id) => [mark(id), ` ${say("teamNames")[id]}`];
  const draw = () => {
    const count = Number(form.elements.count.value);
    const kept = people();
    rows.replaceChildren(...Array.from({length: count}, (_, n) => {
      const was = kept[n] ?? before[n];
      const side = was?.team ?? (n % 2 ? "iron_force" : "animal_clans");
      return el("fieldset", {class: "player"}, el("legend", {}, say("player", {number: n + 1})),
        el("input", {name: `name${n}`, value: was?.name ?? say("player", {number: n + 1}), maxlength: 40, autocomplete: "off", "aria-label": say("name"), placeholder: say("name")}),
        radios(`team${n}`, ["animal_clans", "iron_force"], side, team));
    }));
  };
  const people = () => Array.from({length: rows.children.length}, (_, n) => ({
    name: form.elements[`name${n}`].value.trim(), team: form.elements[`team${n}`].value,
  }));
  const nameless = (players) => {
    const blank = players.findIndex((player) => !player.name);
    players.forEach((player, n) => form.elements[`name${n}`].setAttribute("aria-invalid", String(!player.name)));
    form.elements[`name${blank}`]?.focus();
    return blank < 0 ? "" : say("nameNeeded", {number: blank + 1});
  };
  // Without Power-ups there is nothing that could be played at once
  const exclude = () => {
    for (const [name, other] of [["no_power_ups", "maximum_chaos"], ["maximum_chaos", "no_power_ups"]]) {
      const box = form.elements[name];
      box.disabled = form.elements[other].checked;
      box.closest("label").querySelector("small").textContent = box.disabled ? say("notBoth")[other] : "";
    }
  };
  const options = ["second_chance", "no_power_ups", "maximum_chaos", "physical_deck"];
  const form = el("form", {class: "list setup", onsubmit: async (event) => {
    event.preventDefault();
    const players = people();
    wrong.textContent = nameless(players);
    if (wrong.textContent) return;
    const clans = players.filter((player) => player.team === "animal_clans").length;
    const half = players.length / 2;
    wrong.textContent = clans < Math.floor(half) || clans > Math.ceil(half) ? say("teamsUneven", {need: say("needs")[players.length]}) : "";
    if (wrong.textContent) return;
    const chosen = Object.fromEntries(options.map((name) => [name, form.elements[name].checked]));
    const done = await send("/api/game", {players, first: form.elements.first.value, options: chosen});
    if (done.ok) dialog.close();
    else wrong.textContent = done.error;
  }},
  el("fieldset", {}, el("legend", {}, say("howMany")), radios("count", ["2", "3", "4"], String(Math.max(2, before.length)), (n) => n, () => draw())),
  rows,
  el("fieldset", {}, el("legend", {}, say("first")), radios("first", ["animal_clans", "iron_force"], "animal_clans", team)),
  el("fieldset", {class: "options"}, el("legend", {}, say("options")), options.map((name) =>
    el("label", {class: "check"}, el("input", {type: "checkbox", name, onchange: exclude}), el("span", {}, say("option")[name], " ", el("small", {class: "why"}))))),
  view && !view.outcome ? el("p", {class: "faint"}, say("setupRunning")) : null, wrong,
  el("div", {class: "row end"}, el("button", {type: "submit", class: "choice main"}, say("start"))));
  const dialog = open(say("setupTitle"), form, {wide: true});
  draw();
}

export async function phones(view) {
  const me = await read("/api/me");
  // The referee's page is often open under 127.0.0.1, which on a phone would be the phone itself
  const here = !isLoopback(location.hostname);
  const base = here || !me.hosts.length ? location.origin : `${location.protocol}//${me.hosts[0]}:${location.port}`;
  const row = (label, link) => {
    const input = el("input", {readonly: true, value: link, "aria-label": label, onfocus: () => input.select()});
    const copy = el("button", {type: "button", class: "small", onclick: async () => {
      input.select();
      await navigator.clipboard?.writeText(link).catch(() => {}); // where copying is not allowed the link stays selected
      copy.textContent = say("copied");
    }}, say("copy"));
    return el("div", {class: "field"}, el("span", {}, label), el("div", {class: "row"}, input, copy));
  };
  const players = view?.players ?? [];
  open(say("phonesTitle"), el("div", {class: "list"}, el("p", {}, say("phonesHelp")),
    players.map((player) => row(player.name, `${base}/#key=${me.keys[player.seat]}`)),
    row(say("watchLink"), `${base}/`),
    here || me.hosts.length ? null : el("p", {class: "faint"}, say("phonesNowhere"))), {wide: true});
}

export function boards(list, onError) {
  const act = (path, body) => async () => {
    dialog.close();
    const done = await send(path, body);
    if (!done.ok) onError(done);
  };
  const away = list.some((board) => board.state === "released");
  const dialog = open(say("boardsTitle"), el("div", {class: "list"},
    list.map((board) => el("p", {class: `board ${board.state}`}, el("i"), board.words || board.name)),
    el("p", {class: "faint"}, say("releaseHelp")),
    away ? el("button", {type: "button", class: "choice main", onclick: act("/api/boards/resume", {})}, say("resume"))
      : el("button", {type: "button", class: "choice", onclick: act("/api/boards/release", {seconds: 300})}, say("release"))));
}
