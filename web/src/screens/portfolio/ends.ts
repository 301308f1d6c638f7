import type { Schemas } from "../../api/client.ts";

/** How a position ended; "closed" as long as that takes the event to tell. */
export type End = "won" | "lost" | "void" | "sold" | "split" | "closed";

type Closed = Pick<
  Schemas["Position"],
  "void" | "won_side" | "token_type" | "pool_id" | "closed_at"
>;

export function endOf(position: Closed, event: Schemas["Event"] | null): End {
  if (position.void) return "void";
  const winner = position.won_side ?? null;
  if (winner !== null) return (winner === 0) === (position.token_type === "YES") ? "won" : "lost";
  const pool = event?.pools.find(({ id }) => id === position.pool_id);
  if (!pool) return "closed";
  const { decided_at: decidedAt } = pool.resolution;
  // Without a winner the settlement paid parts; what was closed before the decision was sold.
  const isSettled =
    pool.won_side === -1 &&
    decidedAt !== null &&
    Date.parse(position.closed_at ?? "") >= Date.parse(decidedAt);
  return isSettled ? "split" : "sold";
}
