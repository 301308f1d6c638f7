import { answer, api } from "../api/client.ts";
import type { Card, CardQuery } from "../api/cards.ts";
import { paged, type Paged } from "./loading.svelte.ts";

/** The cards of a query, kept with the history entry. Call it in `$derived`. */
export function cardList(query: CardQuery): Paged<Card> {
  return paged(`cards ${JSON.stringify(query)}`, async (cursor) => {
    const page = await answer(
      api.GET("/api/v1/cards", { params: { query: { ...query, ...(cursor ? { cursor } : {}) } } }),
    );
    return { items: page.cards, next: page.next_cursor };
  });
}
