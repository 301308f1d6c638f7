// An open position as it is now: as the list says, then by the prices that the live socket brings.
import type { Schemas } from "../../api/client.ts";
import { holdingName } from "../../lib/holding-names.ts";
import { t } from "../../lib/i18n.ts";
import { live } from "../../lib/live.svelte.ts";
import { marketName } from "../../lib/pool-names.svelte.ts";

export type Position = Schemas["Position"];

/** The pool and the outcome, each where it says more than the question. Reactive. */
export function nameOf(position: Position): string {
  const { pool_id, outcome_index, market_name: name } = position;
  return holdingName(position, marketName(pool_id, { outcome_index, name }));
}

export interface HeldNow {
  /** Of the side held, 0…1. */
  price: number;
  boughtAt: number;
  worthKopecks: number;
  /** Why it cannot be sold now; null while it can. */
  halted: string | null;
}

/** Reactive inside `$derived`. */
export function heldNow(position: Position): HeldNow {
  const pool = live.pool(position.pool_id);
  const status = live.event(position.event_id)?.status ?? "active";
  const valued = position.value_kopecks ?? 0;
  const isOpen = status === "active" && (pool?.won_side ?? null) === null;
  const yes = isOpen ? pool?.probabilities[position.outcome_index] : undefined;
  const price =
    yes === undefined
      ? valued / Math.max(1, position.amount)
      : position.token_type === "YES"
        ? yes
        : 1 - yes;
  return {
    price,
    boughtAt: position.avg_price / 10_000,
    worthKopecks: yes === undefined ? valued : Math.floor(position.amount * price),
    halted: isOpen ? (pool?.paused ? t("portfolio.paused") : null) : t("portfolio.awaiting"),
  };
}

/** Worth by live prices of what the page lists, less what its answer said: what the sums lack. */
export function movedKopecks(positions: readonly Position[]): number {
  return positions.reduce(
    (sum, one) => sum + heldNow(one).worthKopecks - (one.value_kopecks ?? 0),
    0,
  );
}
