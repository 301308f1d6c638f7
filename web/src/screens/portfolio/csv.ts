// The history as a file for spreadsheets: commas, CRLF, a mark for UTF-8. Amounts are exact roubles.
import type { Movement } from "./movement.ts";

export const COLUMNS = [
  "time",
  "type",
  "change_rub",
  "event_id",
  "event",
  "market",
  "side",
  "note",
] as const;

export function movementsCsv(movements: readonly Movement[]): string {
  const rows = movements.map((one) =>
    [
      one.created_at,
      one.type,
      roubles(one.change_kopecks),
      one.event_id === null ? "" : String(one.event_id),
      text(one.event_name),
      text(one.market_name),
      one.token_type ?? "",
      text(one.note),
    ].join(","),
  );
  return `\ufeff${[COLUMNS.join(","), ...rows].join("\r\n")}\r\n`;
}

function roubles(kopecks: number): string {
  const digits = String(Math.abs(kopecks)).padStart(3, "0");
  return `${kopecks < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** A quoted cell. Spreadsheets run what begins like a formula, and others wrote these texts: an apostrophe stops that. */
function text(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}
