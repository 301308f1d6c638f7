// What is held, or was held, of one event as one row: what its positions cost, and pay together.
import type { Schemas } from "../../api/client.ts";
import { payoutsOf } from "../../number/held.ts";

type Position = Schemas["Position"];
type Placed = Pick<Position, "pool_id" | "outcome_index" | "token_type">;

/** The positions of each event together: events in the order of their first ones, positions in that of outcomes. */
export function byEvent<T extends Placed & { event_id: number }>(positions: readonly T[]): T[][] {
  const events = new Map<number, T[]>();
  for (const one of positions) {
    const others = events.get(one.event_id);
    if (others) others.push(one);
    else events.set(one.event_id, [one]);
  }
  return [...events.values()].map((held) => held.sort(byPlace));
}

function byPlace(one: Placed, other: Placed): number {
  return (
    one.pool_id - other.pool_id ||
    one.outcome_index - other.outcome_index ||
    (one.token_type === other.token_type ? 0 : one.token_type === "YES" ? -1 : 1)
  );
}

/** The sum of what positions have of something, in kopecks. */
export function sumOf<T>(positions: readonly T[], amount: (position: T) => number): number {
  return positions.reduce((sum, one) => sum + amount(one), 0);
}

/**
 * The most that positions can pay together, in kopecks: in each pool the best outcome for them. `countOf`: how many
 * outcomes a pool has; undefined until it is known.
 */
export function mostPaid(
  positions: readonly (Placed & Pick<Position, "amount">)[],
  countOf: (poolId: number) => number | undefined,
): number {
  return sumOf([...new Set(positions.map(({ pool_id }) => pool_id))], (pool) => {
    const held = positions.filter(({ pool_id }) => pool_id === pool);
    const outcomes = new Set(held.map(({ outcome_index }) => outcome_index));
    const count = countOf(pool);
    // A yes/no market is one outcome, and none of them where the answer is no.
    const allAreHeld = count !== undefined && count > 1 && outcomes.size === count;
    const amounts = payoutsOf(held, Math.max(...outcomes) + 1);
    const none = sumOf(held, ({ token_type, amount }) => (token_type === "NO" ? amount : 0));
    return Math.max(allAreHeld ? 0 : none, ...[...outcomes].map((index) => amounts[index] ?? 0));
  });
}
