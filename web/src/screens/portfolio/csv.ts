// The history as a file for spreadsheets: commas, CRLF, a mark for UTF-8. Amounts are exact units of the currency.
import { plainMoney } from "../../lib/money.ts";
import { site } from "../../lib/site.ts";
import type { Movement } from "./movement.ts";

export const COLUMNS = [
  "time",
  "type",
  site.currency.code ? `change_${site.currency.code.toLowerCase()}` : "change",
  "event_id",
  "event",
  "market",
  "side",
  "note",
];

export function movementsCsv(movements: readonly Movement[]): string {
  const rows = movements.map((one) =>
    [
      one.created_at,
      one.type,
      plainMoney(one.change_kopecks),
      one.event_id === null ? "" : String(one.event_id),
      text(one.event_name),
      text(one.market_name),
      one.token_type ?? "",
      text(one.note),
    ].join(","),
  );
  return `\ufeff${[COLUMNS.join(","), ...rows].join("\r\n")}\r\n`;
}

/** A quoted cell. Spreadsheets run what begins like a formula, and others wrote these texts: an apostrophe stops that. */
function text(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}
