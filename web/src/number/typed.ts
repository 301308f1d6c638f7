// Values of the axis as people type them.
import { language, type Language } from "../lib/i18n.ts";
import { plainValue, type Axis } from "../lib/shapes.ts";
import { plainNumber } from "../lib/typed-number.ts";
import { momentAt, onClock } from "../lib/zone-clock.ts";

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
  const shown = onClock(seconds * 1000, zone).toISOString();
  return shown.slice(0, hasTime ? MINUTE_CHARS : DAY_CHARS);
}

export function parseTime({ zone }: Axis, typed: string): number | null {
  const shown = Date.parse(typed.length > DAY_CHARS ? `${typed}:00Z` : `${typed}T00:00:00Z`);
  return Number.isNaN(shown) ? null : momentAt(shown, zone) / 1000;
}
