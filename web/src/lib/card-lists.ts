import type { Card, CardQuery } from "../api/cards.ts";
import type { Paged } from "./loading.svelte.ts";
import { needAxes, needPools } from "./pool-names.svelte.ts";
import { readPages } from "./reading.ts";
import { noteCards } from "./trade-names.svelte.ts";

/** The cards of a query, kept with the history entry. Call it in `$derived`. */
export function cardList(query: CardQuery): Paged<Card> {
  return readPages(`cards ${JSON.stringify(query)}`, {
    path: "/api/v1/cards",
    list: "cards",
    params: { query },
    keyOf: ({ event_id }) => event_id,
    before: needNames,
  });
}

/** Whether names are answers without what they answer, as "No · Yes" of questions asked together. */
const isBare = ({ top }: Card["pool"]): boolean =>
  top.some(({ name }) => /(^|· )(Yes|No) · |· (Yes|No)$/u.test(name));

/** Asks for the names of the outcomes that cards show, and the axes of numbers and dates. */
export async function needNames(cards: readonly Card[]): Promise<void> {
  noteCards(cards);
  await needAxes(
    cards.flatMap(({ pool }) => (pool.quantiles || isBare(pool) ? [pool.pool_id] : [])),
  );
  await needPools(cards.flatMap(({ pool }) => (pool.outcomes > 1 ? [pool.pool_id] : [])));
}
