// Who is ranked, in pages. One address answers two kinds of rankings: which, its query says.
import type { Schemas } from "../../api/client.ts";
import type { Paged } from "../../lib/loading.svelte.ts";
import { readPages } from "../../lib/reading.ts";
import type { Period } from "./periods.ts";

/** Somebody ranked by profit. */
export type Earner = Required<Omit<Schemas["Leader"], "score" | "pools" | "mean">>;
type Ranked = Pick<Schemas["Leader"], "user">;
const PAGE = 100;
const keyOf = ({ user }: Ranked) => user.id;

export function profitBoard(period: Period): Paged<Earner> {
  return readPages(`leaders ${period}`, {
    path: "/api/v1/leaderboard",
    list: "entries",
    params: { query: { period, limit: PAGE } },
    keyOf,
  }) as unknown as Paged<Earner>;
}

/** `followed`: among those the reader follows, and themselves. */
export function forecastBoard(period: Period, followed: boolean): Paged<Schemas["Forecaster"]> {
  if (followed)
    return readPages(`forecast leaders followed ${period}`, {
      path: "/api/v1/users/me/forecast-board",
      list: "entries",
      params: { query: { period, limit: PAGE } },
      keyOf,
    });
  return readPages(`forecast leaders ${period}`, {
    path: "/api/v1/leaderboard",
    list: "entries",
    params: { query: { by: "forecast", period, limit: PAGE } },
    keyOf,
  }) as unknown as Paged<Schemas["Forecaster"]>;
}
