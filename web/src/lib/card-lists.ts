import type { Card, CardQuery } from "../api/cards.ts";
import { answer, api } from "../api/client.ts";
import { paged, type Paged } from "./loading.svelte.ts";
import { needAxes, needPools } from "./pool-names.svelte.ts";
import { noteCards } from "./trade-names.svelte.ts";

/** The cards of a query, kept with the history entry. Call it in `$derived`. */
export function cardList(query: CardQuery): Paged<Card> {
  return paged(
    `cards ${JSON.stringify(query)}`,
    async (cursor) => {
      const page = await answer(
        api.GET("/api/v1/cards", {
          params: { query: { ...query, ...(cursor ? { cursor } : {}) } },
        }),
      );
      await needNames(page.cards);
      return { items: page.cards, next: page.next_cursor };
    },
    ({ event_id }) => event_id,
  );
}

/** Asks for the names of the outcomes that cards show, and the axes of numbers and dates. */
export async function needNames(cards: readonly Card[]): Promise<void> {
  noteCards(cards);
  await needAxes(cards.flatMap(({ pool }) => (pool.quantiles ? [pool.pool_id] : [])));
  await needPools(cards.flatMap(({ pool }) => (pool.outcomes > 1 ? [pool.pool_id] : [])));
}
