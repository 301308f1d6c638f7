import type { Schemas } from "../../api/client.ts";

/** Where a pool stands in its life. "closed": it waits for its result; "decided": the result can be disputed. */
export type Phase =
  "new" | "cancelled" | "soon" | "open" | "paused" | "closed" | "decided" | "paying" | "paid";

export interface Standing {
  status: Schemas["Event"]["status"];
  paused: boolean;
  wonSide: number | null;
  state: Schemas["PoolResolution"]["state"];
  liveAt: string | null;
  finishAt: string | null;
}

/** `now` in Unix milliseconds, by the service's clock. */
export function phaseOf(pool: Standing, now: number): Phase {
  if (pool.state === "paid" || pool.state === "paying") return pool.state;
  if (pool.wonSide !== null) return "paying";
  if (pool.state === "decided") return "decided";
  if (pool.status === "new") return "new";
  if (pool.status === "cancelled") return "cancelled";
  if (pool.status === "closed" || pool.status === "resolved") return "closed";
  if (pool.finishAt !== null && Date.parse(pool.finishAt) <= now) return "closed";
  if (pool.liveAt !== null && Date.parse(pool.liveAt) > now) return "soon";
  return pool.paused ? "paused" : "open";
}

/** When a result ended trading: the first one, whatever followed; null before. */
export function tradingEnd({
  history,
  decided_at,
}: Pick<Schemas["PoolResolution"], "history" | "decided_at">): string | null {
  return history[0]?.decided_at ?? decided_at;
}
