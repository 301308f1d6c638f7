// Numbers, percentages and moments as people type them.
import { language, t, type Language } from "../../lib/i18n.ts";
import { plainNumber } from "../../lib/typed-number.ts";
import { momentAt, onClock } from "../../lib/zone-clock.ts";

const MINUTE_CHARS = 16;

/** A plain decimal number; null where it is none. */
export function parseDecimal(typed: string, wanted: Language = language): number | null {
  const text = plainNumber(typed, wanted) ?? "";
  return /^-?\d{1,15}(\.\d{1,8})?$/.test(text) ? Number(text) : null;
}

/** Why what is typed is no number, where a comma or a point of it may be one or the other; else "". */
export function numberFault(typed: string, wanted: Language = language): string {
  const isUnclear =
    /^\D?[\d\s]*[.,][\d\s.,]*$/.test(typed.trim()) && plainNumber(typed, wanted) === null;
  return isUnclear
    ? t("common.amount_unclear", { example: wanted === "ru" ? "1250,50" : "1250.50" })
    : "";
}

/**
 * A percentage as whole hundredths of a percent, so that sums are exact; null where it is none from 0 to 100, or has
 * more than two decimals.
 */
export function parsePercent(typed: string, wanted: Language = language): number | null {
  const plain = plainNumber(typed.replace("%", ""), wanted) ?? "";
  const [, whole = "", decimals = ""] = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(plain) ?? [];
  const hundredths = Number(whole + decimals.padEnd(2, "0"));
  return whole !== "" && hundredths <= 10_000 ? hundredths : null;
}

/** A whole number from 0 to `most`; null where it is none. */
export function parseWhole(
  typed: string,
  most: number,
  wanted: Language = language,
): number | null {
  const plain = plainNumber(typed, wanted) ?? "";
  return /^\d+$/.test(plain) && Number(plain) <= most ? Number(plain) : null;
}

/** Hundredths of a percent as they would be typed: 3333 is "33.33". */
export function typedPercent(hundredths: number, point: "." | ","): string {
  return String(hundredths / 100).replace(".", point);
}

/** What a field of a date and time holds, which has no zone, as the moment; null where it is empty or none. */
export function momentOf(typed: string): string | null {
  const shown = Date.parse(`${typed}Z`);
  return Number.isNaN(shown) ? null : new Date(momentAt(shown)).toISOString();
}

/** A moment as a field of a date and time wants it. */
export function localMoment(moment: string | null): string {
  return moment ? onClock(Date.parse(moment)).toISOString().slice(0, MINUTE_CHARS) : "";
}
