// The history as a file for spreadsheets: commas, CRLF, a mark for UTF-8. Amounts are exact units of the currency.
import { plainMoney } from "../../lib/money.ts";
import { site } from "../../lib/site.ts";
import { balancesAfter } from "./balances.ts";
import type { Movement } from "./movement.ts";

const unit = site.currency.code ? `_${site.currency.code.toLowerCase()}` : "";
export const COLUMNS = [
  "time",
  "type",
  `change${unit}`,
  `balance${unit}`,
  "event_id",
  "event",
  "market",
  "side",
  "note",
];

/** All movements that there are, the newest first. `heldOf`: what a basket was of. */
export function movementsCsv(
  movements: readonly Movement[],
  heldOf: (basket: Movement) => string,
): string {
  const balance = movements.reduce((sum, one) => sum + one.change_kopecks, 0);
  const balances = balancesAfter(movements, balance);
  const rows = movements.map((one, index) =>
    [
      one.created_at,
      one.type,
      plainMoney(one.change_kopecks),
      plainMoney(balances[index] ?? 0),
      one.event_id === null ? "" : String(one.event_id),
      text(one.event_name),
      text(one.type === "basket" ? heldOf(one) : one.market_name),
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
