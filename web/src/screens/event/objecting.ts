// Objections to a pool's result: who may object now, and what one proposes.
import type { Schemas } from "../../api/client.ts";

export interface Objector {
  /** Whether the site takes objections. */
  isTaken: boolean;
  isSignedIn: boolean;
  /** Whether they hold shares of the pool: as trading has ended, as many as then. */
  holds: boolean;
  /** Whether they have objected to the present result. */
  hasObjected: boolean;
}

/** Why somebody may not object to the present result; null where they may. */
export type Bar = "off" | "signed_out" | "held_nothing" | "done" | "late";

export function barOf(
  { isTaken, isSignedIn, holds, hasObjected }: Objector,
  disputableUntil: string | null,
  nowMs: number,
): Bar | null {
  if (!isTaken) return "off";
  if (!isSignedIn) return "signed_out";
  if (!holds) return "held_nothing";
  if (hasObjected) return "done";
  if (disputableUntil === null || Date.parse(disputableUntil) <= nowMs) return "late";
  return null;
}

/** What is sent of a choice: an outcome's index, "void", or "" for no proposal. */
export function proposalOf(
  choice: string,
  { markets, other }: Pick<Schemas["Pool"], "markets" | "other">,
): Schemas["ResolveBody"] | null {
  if (choice === "") return null;
  const isVoid = choice === "void";
  return {
    won_side: isVoid ? null : Number(choice),
    payouts: null,
    void: isVoid || null,
    value: null,
    values: null,
    at: null,
    // Of a list: how many outcomes are known.
    outcomes: other === null ? null : markets.length,
    note: null,
    note_ru: null,
    source_url: null,
  };
}

type Result = Pick<Schemas["PoolResolution"], "payouts" | "won_side">;

/** What a proposal would be as a result; null for none. A void has neither a winner nor payouts. */
export function proposedResult(proposal: Schemas["Objection"]["proposal"]): Result | null {
  if (!proposal) return null;
  const { won_side: won, payouts } = proposal as { won_side?: unknown; payouts?: unknown };
  return {
    won_side: typeof won === "number" ? won : null,
    payouts: Array.isArray(payouts) ? payouts.map(Number) : null,
  };
}
