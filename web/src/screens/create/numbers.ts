// Numbers, percentages and moments as people type them.
import { language, type Language } from "../../lib/i18n.ts";
import { plainNumber } from "../../lib/typed-number.ts";

/** A plain decimal number; null where it is none. */
export function parseDecimal(typed: string, wanted: Language = language): number | null {
  const text = plainNumber(typed, wanted) ?? "";
  return /^-?\d{1,15}(\.\d{1,8})?$/.test(text) ? Number(text) : null;
}

/**
 * A percentage as whole hundredths of a percent, so that sums are exact; null where it is none from 0 to 100. A comma
 * is a decimal point in every language: it parts no thousands here.
 */
export function parsePercent(typed: string): number | null {
  const found = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(typed.replace(/[\s%]/gu, ""));
  if (!found) return null;
  const hundredths = Number((found[1] ?? "") + (found[2] ?? "").padEnd(2, "0"));
  return hundredths <= 10_000 ? hundredths : null;
}

/** Hundredths of a percent as they would be typed: 3333 is "33.33". */
export function typedPercent(hundredths: number, point: "." | ","): string {
  return String(hundredths / 100).replace(".", point);
}

/** A field of a date and time, which has no zone, as the moment in this one; null where it is empty or none. */
export function momentOf(local: string): string | null {
  const time = local ? new Date(local) : null;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : null;
}

/** A moment as a field of a date and time wants it, in this zone. */
export function localMoment(moment: string | null): string {
  if (!moment) return "";
  const time = new Date(moment);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${String(time.getFullYear())}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
