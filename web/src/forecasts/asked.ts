import type { Data } from "../api/client.ts";
import type { Loaded } from "../lib/loading.svelte.ts";
import { read } from "../lib/reading.ts";
import { session } from "../lib/session.svelte.ts";

export type PoolForecasts = Data<"/api/v1/pools/{pool_id}/forecasts">;

/** What is thought of a pool, and by the reader. Call it in `$derived`: who reads may change. */
export function poolForecasts(poolId: number): Loaded<PoolForecasts> {
  const reader = session.user === null ? "" : "own";
  return read(`forecasts ${String(poolId)} ${reader}`, "/api/v1/pools/{pool_id}/forecasts", {
    path: { pool_id: poolId },
    query: { limit: 1 },
  });
}
