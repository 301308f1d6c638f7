// What an order at a price meets, and how the book looks from either side.
import { expect, test } from "vitest";
import { bookOf } from "../src/orders/book.ts";
import { meetsOwn, offerTo, restsOf, worthOf } from "../src/orders/offer.ts";
import type { Order } from "../src/orders/own-orders.ts";

const book = {
  market_id: 9,
  bids: [
    { price: 4800, amount: 1_200 },
    { price: 4700, amount: 5_000 },
  ],
  asks: [
    { price: 4900, amount: 730 },
    { price: 5000, amount: 2_000 },
    { price: 5300, amount: 900 },
  ],
};
const order = (fields: Partial<Order>): Order =>
  ({
    action: "buy",
    token_type: "YES",
    price_bps: 4_500,
    shares: 2_000,
    filled_shares: 400,
    ...fields,
  }) as Order;

test("a purchase takes whole lots of what is sold at its price or less", () => {
  const terms = { action: "buy", side: "YES", percent: 50, shares: 10_000 } as const;
  // 730 at 49 and 2,000 at 50 kopecks a lot make 1,357.7; 27 whole lots of them.
  expect(offerTo(book, terms)).toEqual({ shares: 2_700, kopecks: 1_343 });
  expect(offerTo(book, { ...terms, percent: 48 })).toEqual({ shares: 0, kopecks: 0 });
  expect(offerTo(book, { ...terms, percent: 99, shares: 700 })).toEqual({
    shares: 700,
    kopecks: 343,
  });
});

test("a sale, and a purchase of NO, take what is bought at their price or more", () => {
  const sale = { action: "sell", side: "YES", percent: 48, shares: 5_000 } as const;
  expect(offerTo(book, sale)).toEqual({ shares: 1_200, kopecks: 576 });
  // 53 kopecks of NO are 47 of YES.
  const no = { action: "buy", side: "NO", percent: 53, shares: 5_000 } as const;
  expect(offerTo(book, no)).toEqual({ shares: 5_000, kopecks: Math.ceil(1_200 * 0.52 + 2_014) });
  expect(offerTo(book, { ...no, percent: 51 })).toEqual({ shares: 0, kopecks: 0 });
});

test("terms are worth their shares at their own price", () => {
  expect(worthOf({ percent: 45, shares: 200_000 })).toBe(90_000);
});

test("rests stand at their price of YES, without what is filled", () => {
  const { bids, asks } = restsOf([
    order({}),
    order({ token_type: "NO", action: "sell", price_bps: 5_500, filled_shares: 0 }),
    order({ token_type: "NO", price_bps: 4_000 }),
  ]);
  expect([...bids]).toEqual([[4_500, 1_600 + 2_000]]);
  expect([...asks]).toEqual([[6_000, 1_600]]);
});

test("an order meets one's own where their prices cross", () => {
  const own = [order({ action: "sell", price_bps: 5_300 })];
  const terms = { action: "buy", side: "YES", percent: 53, shares: 1_000 } as const;
  expect(meetsOwn(own, terms)).toBe(true);
  expect(meetsOwn(own, { ...terms, percent: 52 })).toBe(false);
  expect(meetsOwn(own, { ...terms, action: "sell", percent: 10 })).toBe(false);
  expect(meetsOwn(own, { ...terms, action: "sell", side: "NO", percent: 47 })).toBe(true);
});

test("who buys NO sells YES: the book of NO is that of YES turned round", () => {
  const own = [order({ price_bps: 4_700 })];
  const yes = bookOf(book, own, "YES");
  expect(yes.bids[1]).toEqual({ price: 4_700, shares: 5_000, depth: 6_200, own: 1_600 });
  const no = bookOf(book, own, "NO");
  expect(no.asks[1]).toEqual({ price: 5_300, shares: 5_000, depth: 6_200, own: 1_600 });
  expect(no.bids.map(({ price }) => price)).toEqual([5_100, 5_000, 4_700]);
});
