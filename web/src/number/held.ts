// What somebody holds of a number or a date.
import type { PoolView } from "../screens/event/pool-view.svelte.ts";

/** YES by outcome that can be sold: others are on sale at a price already. */
export function freeShares(view: PoolView): number[] {
  return view.outcomes.map(({ held: { YES: yes } }) =>
    yes ? yes.amount - (yes.reserved_shares ?? 0) : 0,
  );
}

/** What all positions pay together, by which outcome happens. */
export function payouts(view: PoolView): number[] {
  const no = view.outcomes.reduce((sum, { held }) => sum + (held.NO?.amount ?? 0), 0);
  return view.outcomes.map(({ held }) => (held.YES?.amount ?? 0) + no - (held.NO?.amount ?? 0));
}
