// Values of the axis as people type them.
import { language, type Language } from "../lib/i18n.ts";
import { plainValue, type Axis } from "../lib/shapes.ts";
import { plainNumber } from "../lib/typed-number.ts";

/** A number typed in a language's way; null where it is none. */
export function parseNumber(typed: string, wanted: Language = language): number | null {
  const plain = plainNumber(typed, wanted);
  return plain === null ? null : Number(plain);
}

export function writeNumber(axis: Axis, value: number): string {
  return plainValue(axis, value);
}

const MINUTE_CHARS = 16;
const DAY_CHARS = 10;

/** A moment as an input of dates has it, in the axis's zone. */
export function writeTime({ zone }: Axis, seconds: number, hasTime: boolean): string {
  const local = new Date((seconds + offset(zone, seconds)) * 1000).toISOString();
  return local.slice(0, hasTime ? MINUTE_CHARS : DAY_CHARS);
}

export function parseTime({ zone }: Axis, typed: string): number | null {
  const local = Date.parse(typed.length > DAY_CHARS ? `${typed}:00Z` : `${typed}T00:00:00Z`) / 1000;
  return Number.isNaN(local) ? null : local - offset(zone, local);
}

/** How far a zone's clocks are ahead of UTC, seconds. */
function offset(zone: string, seconds: number): number {
  let text: string;
  try {
    text = new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "medium",
    }).format(seconds * 1000);
  } catch {
    return 0;
  }
  return Date.parse(`${text.replace(" ", "T")}Z`) / 1000 - Math.floor(seconds);
}
