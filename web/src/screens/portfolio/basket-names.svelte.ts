// What baskets were of: a movement of money says only that there was one, the trade of it what it bought and sold.
import { SvelteMap } from "svelte/reactivity";
import { get, type Data } from "../../api/client.ts";
import type { Trade } from "../../api/live.ts";
import { needEvent } from "../../lib/event-names.svelte.ts";
import { tradeNames } from "../../lib/trade-names.svelte.ts";

const PATH = "/api/v1/users/me/trades";
const PAGE = 100;
/** Their trades, by basket. */
const trades = new SvelteMap<number, Trade>();

interface OfBasket {
  basket_id: number | null;
}

/** Asks for the trades of these baskets, and waits for them and their names. Never fails. */
export async function needBaskets(movements: readonly OfBasket[]): Promise<void> {
  const ids = movements.flatMap(({ basket_id: id }) => id ?? []);
  try {
    await readTrades(ids);
  } catch {
    return; // they stay without
  }
  const events = ids.flatMap((id) => trades.get(id)?.event_id ?? []);
  await Promise.all(events.map(needEvent));
}

/** Reads trades, the newest first, until those of all these baskets are known. */
async function readTrades(ids: readonly number[]): Promise<void> {
  let cursor: string | null = null;
  while (ids.some((id) => !trades.has(id))) {
    const query = { limit: PAGE, ...(cursor === null ? {} : { cursor }) };
    const page: Data<typeof PATH> = await get(PATH, { query });
    for (const trade of page.trades)
      if (trade.basket_id !== null) trades.set(trade.basket_id, trade);
    cursor = page.next_cursor;
    if (cursor === null) return;
  }
}

/** The outcomes that a basket bought or sold; "" until they are known. Reactive. */
export function basketName({ basket_id: id }: OfBasket): string {
  const trade = id === null ? undefined : trades.get(id);
  return trade ? tradeNames(trade).outcome : "";
}
