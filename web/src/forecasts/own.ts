// The reader's forecasts, one a pool.
import { get, type Schemas } from "../api/client.ts";

export type SaidForecast = Schemas["UserForecast"];

const PAGE = 100;
const MOST_PAGES = 20;

/** Somebody's forecasts, newest first, up to one that is looked for; of the reader's own without an id. */
export async function forecastsOf(
  userId: number | null,
  isLast: (one: SaidForecast) => boolean = () => false,
): Promise<SaidForecast[]> {
  const found: SaidForecast[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: PAGE, cursor };
    const { forecasts, next_cursor } = await (userId === null
      ? get("/api/v1/users/me/forecasts", { query })
      : get("/api/v1/users/{id}/forecasts", { path: { id: userId }, query }));
    found.push(...forecasts);
    if (next_cursor === null || forecasts.some(isLast)) break;
    cursor = next_cursor;
  }
  return found;
}

/** What the reader said of a pool; null where they said nothing. */
export async function ownForecast(poolId: number): Promise<SaidForecast | null> {
  const isIt = (one: SaidForecast) => one.pool_id === poolId;
  return (await forecastsOf(null, isIt)).find(isIt) ?? null;
}
