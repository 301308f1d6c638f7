// What a slip is on, as the address keeps it: a link, a reload, Back and another language find it as it was shown.
import { queryText, setQuery } from "../lib/query.ts";
import type { Action, Side } from "./target.ts";

/** Whether it is an order of this moment, or one at a price that may wait. */
export type Pace = "now" | "price";

/** The names of all slips: another pool has its own. */
export const SLIP_NAMES = [
  ...["market", "side", "do", "pace", "at"],
  ...["rows", "cols", "fix", "if", "then"],
  ...["mode", "from", "to", "belief", "sells"],
] as const;

export const slipAddress = {
  get side(): Side {
    return queryText("side") === "no" ? "NO" : "YES";
  },
  set side(side: Side) {
    setQuery({ side: side.toLowerCase() });
  },
  get action(): Action {
    return queryText("do") === "sell" ? "sell" : "buy";
  },
  set action(action: Action) {
    setQuery({ do: action === "sell" ? action : "" });
  },
  get pace(): Pace {
    return queryText("pace") === "price" ? "price" : "now";
  },
  set pace(pace: Pace) {
    setQuery({ pace: pace === "price" ? pace : "" });
  },
  /** The price of an order at a price, a whole per cent; null where none is chosen yet. */
  get at(): number | null {
    const percent = Number(queryText("at"));
    return Number.isInteger(percent) && percent >= 1 && percent <= 99 ? percent : null;
  },
  set at(percent: number | null) {
    setQuery({ at: percent === null ? "" : String(percent) });
  },
};
