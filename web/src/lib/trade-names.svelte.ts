// What a trade was about, where only ids are known of it. Reactive: names come after the trades.
import { SvelteMap } from "svelte/reactivity";
import type { Card } from "../api/cards.ts";
import type { Trade } from "../api/live.ts";
import { eventOf, needEvent } from "./event-names.svelte.ts";
import { localName } from "./i18n.ts";
import { legsName, marketNames } from "./market-names.ts";
import { marketName } from "./pool-names.svelte.ts";

type About = Pick<Trade, "event_id" | "pool_id" | "market_id" | "legs">;

export interface TradeNames {
  /** The event's name; "" until it is known. */
  event: string;
  /** The outcome's name; "" of a yes/no market, whose name says no more than the side. */
  outcome: string;
}

const MOST_CARDS = 200;
/** Cards shown lately, by event: they name most of what is traded. */
const cards = new SvelteMap<number, Card>();

/** Notes the names that cards show. */
export function noteCards(shown: readonly Card[]): void {
  for (const card of shown) {
    if (cards.size >= MOST_CARDS) cards.delete(cards.keys().next().value ?? 0);
    cards.set(card.event_id, card);
  }
}

/** Asks for the names of what was traded, unless they are known. */
export function needTrade(trade: About): void {
  if (!ofCard(trade)) void needEvent(trade.event_id);
}

export function tradeNames(trade: About): TradeNames {
  const event = eventOf(trade.event_id);
  if (!event) return ofCard(trade) ?? { event: "", outcome: "" };
  const pool = event.pools.find(({ id }) => id === trade.pool_id);
  if (pool && isOfSeveral(trade))
    return { event: localName(event), outcome: legsName(pool, trade.legs, trade.market_id) };
  const market =
    pool && pool.markets.length > 1
      ? pool.markets.find(({ id }) => id === trade.market_id)
      : undefined;
  return {
    event: localName(event),
    outcome: pool && market ? (marketNames(pool)[market.outcome_index] ?? market.name) : "",
  };
}

/** The names on an event's card; null where it does not show that outcome. */
function ofCard(trade: About): TradeNames | null {
  const { event_id, pool_id, market_id } = trade;
  if (isOfSeveral(trade)) return null;
  const card = cards.get(event_id);
  if (card?.pool.pool_id !== pool_id) return null;
  if (card.pool.outcomes === 1) return { event: localName(card), outcome: "" };
  const outcome = card.pool.top.find((one) => one.market_id === market_id);
  return outcome ? { event: localName(card), outcome: marketName(pool_id, outcome) } : null;
}

function isOfSeveral(trade: About): trade is About & { legs: NonNullable<Trade["legs"]> } {
  return (trade.legs?.length ?? 0) > 1;
}
