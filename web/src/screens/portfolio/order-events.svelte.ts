// Which event an order is of: an order names its market alone. Positions and movements of money tell, newest first.
import { SvelteMap } from "svelte/reactivity";
import { get, type Schemas } from "../../api/client.ts";
import { eventOf, needEvent } from "../../lib/event-names.svelte.ts";
import { localName } from "../../lib/i18n.ts";
import { marketNames } from "../../lib/market-names.ts";

/** Of movements. */
const PAGES_MOST = 5;
interface Known {
  market_id: number | null;
  event_id: number | null;
}
const eventIds = new SvelteMap<number, number>();
/** English names of markets whose event nothing tells. */
const names = new SvelteMap<number, string>();

function learn(known: readonly Known[]): void {
  for (const { market_id: market, event_id: event } of known)
    if (market !== null && event !== null) eventIds.set(market, event);
}

/** Finds out what these markets are called. Never fails. */
export async function needMarkets(ids: readonly number[], known: readonly Known[]): Promise<void> {
  learn(known);
  const isUnknown = (id: number) => !eventIds.has(id) && !names.has(id);
  try {
    let cursor: string | null = null;
    for (let pages = 0; pages < PAGES_MOST && ids.some(isUnknown); pages++) {
      const query = { limit: 100, ...(cursor ? { cursor } : {}) };
      const page: Schemas["TransactionPage"] = await get("/api/v1/users/me/transactions", {
        query,
      });
      learn(page.transactions);
      cursor = page.next_cursor;
      if (cursor === null) break;
    }
    await Promise.all(ids.filter(isUnknown).map(ask));
  } catch {
    // They are called by their number.
  }
  await Promise.all(ids.map((id) => eventIds.get(id)).map((id) => id && needEvent(id)));
}

async function ask(id: number): Promise<void> {
  const path = { market_id: id };
  const { name } = await get("/api/v1/markets/{market_id}", { path });
  names.set(id, name);
}

export interface OrderEvent {
  /** null: nothing tells. */
  eventId: number | null;
  name: string;
  /** "" of a yes/no pool of the question's name. */
  outcome: string;
}

/** What a market is called as far as is known. Reactive. */
export function marketEvent(marketId: number): OrderEvent {
  const eventId = eventIds.get(marketId) ?? null;
  const event = eventId === null ? null : eventOf(eventId);
  const pool = event?.pools.find(({ markets }) => markets.some(({ id }) => id === marketId));
  const market = pool?.markets.find(({ id }) => id === marketId);
  if (!event || !pool || !market)
    return { eventId, name: names.get(marketId) ?? `#${String(marketId)}`, outcome: "" };
  const isYesNo = pool.markets.length === 1;
  const parts = [
    event.pools.length > 1 ? localName(pool) : "",
    isYesNo ? "" : (marketNames(pool)[market.outcome_index] ?? market.name),
  ];
  return { eventId, name: localName(event), outcome: parts.filter(Boolean).join(" · ") };
}
