// The picture in words, for titles and for people who listen to the page.

const list = (items) => (items.length > 1 ? `${items.slice(0, -1).join(", ")} and ${items.at(-1)}` : items.join(""));
const LEVELS = {lower: "Lower", upper: "Upper"};

export const words = {
  level: (name) => LEVELS[name] ?? name,
  launchArea: (box) => `Launch Area of ${box}`,
  depot: (piece) => `Depot of ${piece}`,
  marker: (team) => `Objective marker of ${team}`,
  underHole: (hole) => `Under Hole ${hole}`,
  levelWord: "level",
  outside: "Outside",
  nobody: "nobody",
  cards: {barricades: "Barricade", mines: "Mine", sabotages: "Sabotage"},
  team: (view, team) => view?.teams?.[team]?.name ?? String(team ?? "").replace(/_/g, " "),
  box(map, id) {
    const label = map.boxes[id]?.label;
    return label && label !== id ? `${id} ${label}` : id;
  },
  door: (id, door, teams) => `Door ${id} between ${list(door.boxes)}${words.bears(teams)}`,
  hole: (id, hole, teams) => `Hole ${id} from ${hole.box} down to ${hole.below}${words.bears(teams)}`,
  bears: (teams) => (teams.length ? `: marker${teams.length > 1 ? "s" : ""} of ${list(teams)}` : ": no marker"),
  where(mecha) {
    if (mecha.stuck) return `stuck in Door ${mecha.stuck}`;
    const boxes = mecha.boxes.map((box) => (box === "outside" ? "outside" : `in ${box}`));
    if (mecha.boxes.length > 1) return `perhaps ${boxes.join(" or ")}`;
    return mecha.ko ? "KO'd, outside" : (boxes[0] ?? "outside");
  },
  mecha(view, name, mecha, held) {
    const state = [mecha.active && "Active", mecha.damaged && "Damaged", held && "in a hand",
      view?.placed_cards?.sabotages?.includes(name) && "sabotaged"].filter(Boolean);
    return `${name} of ${words.team(view, mecha.team)}, ${words.where(mecha)}${state.length ? `, ${state.join(", ")}` : ""}`;
  },
};

// "Lower: B1 North holds BUBO (Active). … Outside: SPIKE. Markers: D1 Animal Clans; …" as sentences.
export function summary(map, view) {
  if (!view) return "The arena. No game is being played.";
  const mechas = Object.entries(view.mechas ?? {});
  const said = (name, mecha) => {
    const state = [mecha.active && "Active", mecha.damaged && "Damaged", mecha.ko && "KO'd"].filter(Boolean);
    return state.length ? `${name} (${state.join(", ")})` : name;
  };
  const sure = (box) => mechas.filter(([, mecha]) => !mecha.stuck && mecha.boxes.length === 1 && mecha.boxes[0] === box);
  const told = Object.keys(map.boxes).flatMap((box) => {
    const here = sure(box);
    return here.length ? [`In ${words.box(map, box)}: ${list(here.map((each) => said(...each)))}.`] : [];
  });
  for (const [name, mecha] of mechas) {
    if (mecha.stuck || mecha.boxes.length > 1) told.push(`${said(name, mecha)} is ${words.where(mecha)}.`);
  }
  const outside = sure("outside");
  if (outside.length) told.push(`Outside: ${list(outside.map((each) => said(...each)))}.`);
  const ways = [...Object.keys(map.doors), ...Object.keys(map.holes ?? {})];
  const markers = ways.map((place) => [place, view.markers?.[place] ?? []]).filter(([, teams]) => teams.length);
  const teams = [...new Set(markers.flatMap(([, each]) => each))].sort();
  for (const team of teams) {
    const places = markers.filter(([, each]) => each.includes(team)).map(([place]) => place);
    told.push(`Markers of ${words.team(view, team)}: ${list(places)}.`);
  }
  if (!markers.length) told.push("No markers.");
  return told.join(" ");
}
