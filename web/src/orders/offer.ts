// What an order at a price meets as it arrives, by the book of its market: an estimate, since others trade meanwhile.
import type { Schemas } from "../api/client.ts";
import type { Action, Side } from "../slip/target.ts";

/** Shares of a lot: orders at a price are whole lots. */
export const LOT = 100;
/** The least that may wait. */
export const LEAST_SHARES = 1_000;

interface Direction {
  action: Action;
  side: Side;
}

export interface Terms extends Direction {
  /** Of its own side, a whole per cent. */
  percent: number;
  shares: number;
}

export interface Offer {
  shares: number;
  /** What they cost or bring at most, or at least: each at the end of its level. */
  kopecks: number;
}

/** Whether it drives the chance of YES up. */
export function isUp({ action, side }: Direction): boolean {
  return (action === "buy") === (side === "YES");
}

/** The price of YES that a price of a side is, in basis points. */
export function levelOf(side: Side, percent: number): number {
  return side === "YES" ? percent * 100 : 10_000 - percent * 100;
}

/** What the terms cost or bring at their own price. */
export function worthOf({ percent, shares }: Pick<Terms, "percent" | "shares">): number {
  return (shares * percent) / 100;
}

/** What of an order fills at once: whole lots, at its price or better. */
export function offerTo(book: Schemas["Orderbook"], terms: Terms): Offer {
  const level = levelOf(terms.side, terms.percent);
  const up = isUp(terms);
  const met = up
    ? book.asks.filter(({ price }) => price <= level)
    : book.bids.filter(({ price }) => price >= level);
  let left = terms.shares;
  let kopecks = 0;
  for (const { price, amount } of met) {
    const taken = Math.min(left, amount);
    left -= taken;
    kopecks += (taken * (terms.side === "YES" ? price : 10_000 - price)) / 10_000;
  }
  const filled = terms.shares - left;
  const shares = filled - (filled % LOT);
  return { shares, kopecks: filled === 0 ? 0 : Math.ceil((kopecks * shares) / filled) };
}

type Resting = Pick<
  Schemas["LimitOrder"],
  "action" | "token_type" | "price_bps" | "shares" | "filled_shares"
>;

/** Shares that rest of these orders, by their price of YES: of those that buy it, and of those that sell it. */
export function restsOf(orders: readonly Resting[]): {
  bids: Map<number, number>;
  asks: Map<number, number>;
} {
  const rests = { bids: new Map<number, number>(), asks: new Map<number, number>() };
  for (const { action, token_type: side, price_bps, shares, filled_shares } of orders) {
    const level = levelOf(side, price_bps / 100);
    const levels = isUp({ action, side }) ? rests.bids : rests.asks;
    levels.set(level, (levels.get(level) ?? 0) + shares - filled_shares);
  }
  return rests;
}

/** Whether an order of these terms would meet one of these, all of the same person: those end first. */
export function meetsOwn(orders: readonly Resting[], terms: Terms): boolean {
  const { bids, asks } = restsOf(orders);
  const level = levelOf(terms.side, terms.percent);
  return isUp(terms)
    ? [...asks.keys()].some((price) => price <= level)
    : [...bids.keys()].some((price) => price >= level);
}
