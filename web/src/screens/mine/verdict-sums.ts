// What a result would pay, to how many, and what the house gets: from the shares outstanding, which the pool tells.
import type { Schemas } from "../../api/client.ts";

type Pool = Pick<Schemas["Pool"], "markets">;
type Choice = Pick<
  Schemas["ResolveBody"],
  "won_side" | "payouts" | "void" | "value" | "values" | "at"
>;

/**
 * What a YES share of each outcome would pay, 0…1; null where only the service knows: of a void at a moment's prices.
 * `winner`: the outcome that a value or answers name.
 */
export function paysOf(pool: Pool, choice: Choice, winner: number | null): number[] | null {
  const indexes = pool.markets.map(({ outcome_index }) => outcome_index);
  if (choice.void === true) {
    if (choice.at !== null) return null;
    return byOutcome(pool, ({ yes_probability }) => yes_probability);
  }
  const { payouts } = choice;
  if (payouts !== null) return indexes.map((_, index) => payouts[index] ?? 0);
  const won = choice.won_side ?? winner;
  return won === null ? null : indexes.map((_, index) => (index === won ? 1 : 0));
}

/** Kopecks that all shares outstanding would be paid; each position's own is rounded down, so a little less. */
export function paidOut(pool: Pool, pays: readonly number[]): number {
  const all = pool.markets.reduce((sum, { outcome_index: index, q_yes, q_no }) => {
    const yes = pays[index] ?? 0;
    return sum + q_yes * yes + q_no * (1 - yes);
  }, 0);
  return Math.floor(all + 1e-6);
}

/** How many positions would be paid something. In a pool of one market they are as many people. */
export function paidPositions(
  pool: Pool,
  pays: readonly number[],
  { markets }: Schemas["Holders"],
): number {
  return pool.markets.reduce((sum, { id, outcome_index: index }) => {
    const held = markets.find(({ market_id }) => market_id === id);
    const yes = pays[index] ?? 0;
    return sum + (yes > 0 ? (held?.yes_holders ?? 0) : 0) + (yes < 1 ? (held?.no_holders ?? 0) : 0);
  }, 0);
}

/** What the house would have gained by the pool, fees counted (below 0: lost), kopecks; null where it is not told. */
export function houseGain(
  figures: Pick<Schemas["PoolDetails"], "house" | "loss_bound_kopecks"> | undefined,
  paid: number,
): number | null {
  if (!figures?.house) return null;
  const { escrow_kopecks, fees_kopecks } = figures.house;
  return escrow_kopecks + fees_kopecks - figures.loss_bound_kopecks - paid;
}

function byOutcome(pool: Pool, of: (market: Schemas["Market"]) => number): number[] {
  const values: number[] = [];
  for (const market of pool.markets) values[market.outcome_index] = of(market);
  return values;
}

const MINUTE_MS = 60_000;
/** A further result can be disputed for so long at least. */
const AGAIN_MINUTES = 60;
/** After the end of the first window a result is final, whatever follows. */
const LAST_MS = 14 * 24 * 60 * MINUTE_MS;

/** When a result given now would be final unless something happens, Unix milliseconds; null for at once. */
export function finalAt(
  {
    dispute_minutes: minutes,
    history,
  }: Pick<Schemas["PoolResolution"], "dispute_minutes" | "history">,
  nowMs: number,
): number | null {
  const [first] = history;
  if (!first) return minutes > 0 ? nowMs + minutes * MINUTE_MS : null;
  const last = Date.parse(first.decided_at) + minutes * MINUTE_MS + LAST_MS;
  return Math.min(nowMs + Math.max(minutes, AGAIN_MINUTES) * MINUTE_MS, last);
}

/** Whether a result pays as the present one does: it changes nothing, and says what that one left out. */
export function isPresent(
  {
    decided_at,
    payouts,
    void_at,
  }: Pick<Schemas["PoolResolution"], "decided_at" | "payouts" | "void_at">,
  choice: Choice,
  winner: number | null,
): boolean {
  if (decided_at === null) return false;
  if (choice.void === true) {
    const sameMoment =
      choice.at === null
        ? void_at === null
        : void_at !== null && Date.parse(choice.at) === Date.parse(void_at);
    return payouts === null && sameMoment;
  }
  if (payouts === null) return false;
  const wanted =
    choice.payouts ?? payouts.map((_, index) => (index === (choice.won_side ?? winner) ? 1 : 0));
  return payouts.every((payout, index) => Math.abs(payout - (wanted[index] ?? 0)) < 1e-9);
}
