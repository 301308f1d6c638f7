// Moments and what the clocks of a time zone show; both milliseconds.
import { browserZone, isZone, zone } from "./zone.svelte.ts";

const DAY_MS = 24 * 3_600_000;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** How far a zone's clocks are ahead of UTC at a moment. */
function ahead(time: number, name: string): number {
  let clock = clocks.get(name);
  if (!clock) {
    const timeZone = isZone(name) ? name : "UTC";
    clock = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
    clocks.set(name, clock);
  }
  const shown = Date.parse(`${clock.format(time).replace(" ", "T")}Z`);
  return shown - Math.floor(time / 1000) * 1000;
}

/** What a zone's clocks show at a moment, as if they stood in UTC. */
export function onClock(time: number, name = zone.name ?? browserZone()): Date {
  return new Date(time + ahead(time, name));
}

/** The moment at which they show it; where they are set back, the first. */
export function momentAt(shown: number, name = zone.name ?? browserZone()): number {
  const first = shown - ahead(shown - DAY_MS, name);
  return onClock(first, name).getTime() === shown ? first : shown - ahead(shown + DAY_MS, name);
}
