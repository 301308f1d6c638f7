// A market's book as buyers and sellers of one side see it.
import type { Schemas } from "../api/client.ts";
import type { Side } from "../slip/target.ts";
import { restsOf } from "./offer.ts";
import type { Order } from "./own-orders.ts";

export interface Level {
  /** Of the side, basis points: a whole per cent. */
  price: number;
  shares: number;
  /** Those of this price and of all that are better: what an order that reaches it meets. */
  depth: number;
  /** Those at this price that are of the caller's orders. */
  own: number;
}

/** Both halves, the best price first. Who buys NO sells YES. */
export function bookOf(
  book: Schemas["Orderbook"],
  own: readonly Order[],
  side: Side,
): { bids: Level[]; asks: Level[] } {
  const rests = restsOf(own);
  const levels = (half: Schemas["BookLevel"][], mine: ReadonlyMap<number, number>): Level[] => {
    let depth = 0;
    return half.map(({ price, amount }) => ({
      price: side === "YES" ? price : 10_000 - price,
      shares: amount,
      depth: (depth += amount),
      own: Math.min(amount, mine.get(price) ?? 0),
    }));
  };
  const bids = levels(book.bids, rests.bids);
  const asks = levels(book.asks, rests.asks);
  return side === "YES" ? { bids, asks } : { bids: asks, asks: bids };
}
