// The caller's orders that wait in a pool, and what the book of a market offers: one answer each for all parts of a page
// that show it. No socket tells of them: whatever may have moved them asks anew.
import { get, type Schemas } from "../api/client.ts";
import { live } from "../lib/live.svelte.ts";
import { loaded, type Loaded } from "../lib/loading.svelte.ts";
import { read } from "../lib/reading.ts";
import { session } from "../lib/session.svelte.ts";
import { orders } from "../slip/order.svelte.ts";

export type Order = Schemas["LimitOrder"];

const PAUSE_MS = 1_000;
const EVERY_MS = 10_000;

/** All that wait, newest first. */
export function openOrders(userId: number, poolId: number): Loaded<Order[]> {
  return loaded(`orders ${String(userId)} ${String(poolId)}`, async (signal) => {
    const found: Order[] = [];
    let cursor: string | null = null;
    do {
      const query = {
        pool_id: poolId,
        status: "open" as const,
        limit: 100,
        ...(cursor ? { cursor } : {}),
      };
      const page: Schemas["OrderPage"] = await get("/api/v1/market/orders", { query }, signal);
      found.push(...page.orders);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return found;
  });
}

export function marketBook(marketId: number): Loaded<Schemas["Orderbook"]> {
  return read(`book ${String(marketId)}`, "/api/v1/market/orderbook/{market_id}", {
    path: { market_id: marketId },
  });
}

/** Calls back where orders of an event may have moved: at most once a second, and every 10 s while the page is seen. */
export function whenOrdersMove(eventId: number, call: () => unknown): () => void {
  let pause: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    pause ??= setTimeout(() => {
      pause = undefined;
      call();
    }, PAUSE_MS);
  };
  const timer = setInterval(() => {
    if (!document.hidden) call();
  }, EVERY_MS);
  const stops = [
    live.trades((trade) => {
      if (trade.event_id === eventId) soon();
    }),
    orders.decided(() => call()),
    session.changed(soon),
  ];
  return () => {
    clearTimeout(pause);
    clearInterval(timer);
    stops.forEach((stop) => {
      stop();
    });
  };
}
