// An open position as it is now: as the list says, then by the prices that the live socket brings.
import type { Schemas } from "../../api/client.ts";
import { minutes } from "../../lib/clock.svelte.ts";
import { holdingName } from "../../lib/holding-names.ts";
import { t } from "../../lib/i18n.ts";
import { live } from "../../lib/live.svelte.ts";
import { marketNames } from "../../lib/market-names.ts";
import { marketName, poolAxis } from "../../lib/pool-names.svelte.ts";
import { decidedText, paidKopecks } from "../../lib/results.ts";
import type { Axis } from "../../lib/shapes.ts";
import { mostPaid, sumOf } from "./by-event.ts";
import { heldPool } from "./results.svelte.ts";

export type Position = Schemas["Position"];

/** The pool and the outcome, each where it says more than the question. Reactive. */
export function nameOf(position: Position): string {
  const { pool_id, outcome_index, market_name: name } = position;
  return holdingName(position, marketName(pool_id, { outcome_index, name }));
}

/** The axis of the number or the date that all of them are of; null where they are of something else. Reactive. */
export function commonAxis(positions: readonly Position[]): Axis | null {
  const pool = positions[0]?.pool_id ?? 0;
  return positions.every(({ pool_id }) => pool_id === pool) ? poolAxis(pool) : null;
}

export interface HeldNow {
  /** Of the side held, 0…1. */
  price: number;
  boughtAt: number;
  worthKopecks: number;
  /** The result that was given, with what it pays; "" before. */
  decided: string;
  /** Why it cannot be sold now; null while it can. */
  halted: string | null;
}

/** Reactive inside `$derived`. */
export function heldNow(position: Position): HeldNow {
  const pool = live.pool(position.pool_id);
  const status = live.event(position.event_id)?.status ?? "active";
  const valued = position.value_kopecks ?? 0;
  const { amount, outcome_index: outcome } = position;
  const boughtAt = position.cost_kopecks / Math.max(1, amount);
  const known = heldPool(position.pool_id);
  if (known && known.resolution.decided_at !== null) {
    const last = known.markets[outcome]?.yes_probability ?? 0;
    // Of a result that came after the list, which is about to be asked for anew, by what the result says.
    const paid = position.decided_kopecks ?? paidKopecks(position, outcome, known.resolution, last);
    const worthKopecks = paid ?? valued;
    return {
      price: worthKopecks / Math.max(1, amount),
      boughtAt,
      worthKopecks,
      decided: decidedText(
        known.resolution,
        known.markets.length === 1 ? null : marketNames(known),
        worthKopecks,
      ),
      halted: null,
    };
  }
  const isOpen = status === "active" && (pool?.won_side ?? null) === null && !isOver(known);
  const yes = isOpen ? pool?.probabilities[outcome] : undefined;
  const isYes = position.token_type === "YES";
  const price = yes === undefined ? valued / Math.max(1, amount) : isYes ? yes : 1 - yes;
  return {
    price,
    boughtAt,
    worthKopecks: yes === undefined ? valued : Math.floor(amount * price),
    decided: "",
    halted: isOpen ? (pool?.paused ? t("portfolio.paused") : null) : t("portfolio.awaiting"),
  };
}

/** Whether a pool of several of its event is closed while others go on. */
function isOver(pool: Schemas["Pool"] | undefined): boolean {
  const end = pool?.finish_at;
  return typeof end === "string" && Date.parse(end) <= minutes.now;
}

export interface HeldTogether {
  costKopecks: number;
  worthKopecks: number;
  /** The most that they pay. */
  paysKopecks: number;
  /** The result of their pool, with what it pays for all; "" before, and of several pools. */
  decided: string;
  /** Why none of them can be sold now; null while one can. */
  halted: string | null;
}

/** The same of several, summed. */
export function heldTogether(positions: readonly Position[]): HeldTogether {
  const now = positions.map(heldNow);
  const worthKopecks = sumOf(now, ({ worthKopecks }) => worthKopecks);
  return {
    costKopecks: sumOf(positions, ({ cost_kopecks }) => cost_kopecks),
    worthKopecks,
    paysKopecks: mostPaid(positions, (pool) => live.pool(pool)?.probabilities.length),
    decided: now.every(({ decided }) => decided) ? decidedTogether(positions, worthKopecks) : "",
    halted: now.every(({ halted }) => halted !== null) ? (now[0]?.halted ?? null) : null,
  };
}

function decidedTogether(positions: readonly Position[], paysKopecks: number): string {
  const [first] = positions;
  const pool = first && heldPool(first.pool_id);
  if (!pool || positions.some((one) => one.pool_id !== first.pool_id)) return "";
  return decidedText(
    pool.resolution,
    pool.markets.length === 1 ? null : marketNames(pool),
    paysKopecks,
  );
}

/** Worth by live prices of what the page lists, less what its answer said: what the sums lack. */
export function movedKopecks(positions: readonly Position[]): number {
  return sumOf(positions, (one) => heldNow(one).worthKopecks - (one.value_kopecks ?? 0));
}
