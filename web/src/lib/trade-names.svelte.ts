// What a trade was about, where only ids are known of it. Reactive: names come after the trades.
import type { Trade } from "../api/live.ts";
import { eventOf } from "./event-names.svelte.ts";
import { localName } from "./i18n.ts";
import { marketNames } from "./market-names.ts";

export interface TradeNames {
  /** The event's name; "" until it is known. */
  event: string;
  /** The outcome's name; "" of a yes/no market, whose name says no more than the side. */
  outcome: string;
}

export function tradeNames(trade: Pick<Trade, "event_id" | "pool_id" | "market_id">): TradeNames {
  const event = eventOf(trade.event_id);
  const pool = event?.pools.find(({ id }) => id === trade.pool_id);
  const market =
    pool && pool.markets.length > 1
      ? pool.markets.find(({ id }) => id === trade.market_id)
      : undefined;
  return {
    event: event ? localName(event) : "",
    outcome: pool && market ? (marketNames(pool)[market.outcome_index] ?? market.name) : "",
  };
}
