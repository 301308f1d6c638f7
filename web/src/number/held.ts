// What somebody holds of a number or a date.
import type { Schemas } from "../api/client.ts";
import type { PoolView } from "../screens/event/pool-view.svelte.ts";

type Held = Pick<Schemas["Position"], "amount" | "outcome_index" | "token_type">;

/** YES by outcome that can be sold: others are on sale at a price already. */
export function freeShares(view: PoolView): number[] {
  return view.outcomes.map(({ held: { YES: yes } }) =>
    yes ? yes.amount - (yes.reserved_shares ?? 0) : 0,
  );
}

/** What positions of a pool pay together, by which of its first `count` outcomes happens. */
export function payoutsOf(positions: readonly Held[], count: number): number[] {
  const amounts = new Array<number>(count).fill(0);
  for (const { amount, outcome_index, token_type } of positions)
    for (let index = 0; index < count; index++)
      if ((index === outcome_index) === (token_type === "YES"))
        amounts[index] = (amounts[index] ?? 0) + amount;
  return amounts;
}
