import { describe, expect, test } from "vitest";
import { estimateBuy, estimateSale, guarded, soldCost, stakeToMove } from "../src/slip/estimate.ts";

/** The cost of an LMSR pool of two outcomes with these shares, kopecks. */
const cost = (b: number, yes: number, no: number) =>
  b * Math.log(Math.exp(yes / b) + Math.exp(no / b));

describe("an estimate of a buy", () => {
  test.each([
    [0.487, 2_000_00, 1_000_00, 0.02],
    [0.01, 50_000_00, 3_00, 0],
    [0.99, 700_00, 250_00, 0.5],
  ])("price %d, b %d, stake %d, margin %d", (price, b, stake, margin) => {
    const made = estimateBuy(stake, { price, b, margin });
    const before = b * Math.log(price / (1 - price));
    const paid = cost(b, before + made.shares, 0) - cost(b, before, 0);
    expect(made.feeKopecks).toBe(Math.ceil(stake * margin));
    expect(Math.abs(paid - (stake - made.feeKopecks))).toBeLessThan(1);
    const after = 1 / (1 + Math.exp(-(before + made.shares) / b));
    expect(made.priceAfter).toBeCloseTo(after, 4);
  });

  test("holds where the stake is thousands of times the liquidity", () => {
    const made = estimateBuy(1_000_000_00, { price: 0.5, b: 100, margin: 0 });
    expect(made.shares).toBe(Math.floor(1_000_000_00 + 100 * Math.LN2));
    expect(made.priceAfter).toBe(1);
  });
});

describe("an estimate of a sale", () => {
  test("gives back what was paid, but for the fee and a kopeck", () => {
    const pool = { b: 3_000_00, margin: 0.02 };
    const bought = estimateBuy(900_00, { ...pool, price: 0.3 });
    const sold = estimateSale(bought.shares, { ...pool, price: bought.priceAfter });
    expect(900_00 - bought.feeKopecks - sold.amountKopecks).toBeLessThanOrEqual(1);
    expect(sold.priceAfter).toBeCloseTo(0.3, 5);
  });
});

describe("moving a price", () => {
  test("takes the stake that an estimate moves it by", () => {
    const pool = { price: 0.487, b: 20_000_00, margin: 0.02 };
    const stake = stakeToMove(0.6, pool) ?? 0;
    expect(estimateBuy(stake, pool).priceAfter).toBeCloseTo(0.6, 5);
  });

  test("takes nothing where it is there already, and cannot make it certain", () => {
    const pool = { price: 0.6, b: 100, margin: 0 };
    expect(stakeToMove(0.6, pool)).toBeNull();
    expect(stakeToMove(1, pool)).toBeNull();
  });
});

test("the guard is a whole number under the quote, at least 1", () => {
  expect(guarded(196_288, 1)).toBe(194_325);
  expect(guarded(1, 5)).toBe(1);
  expect(guarded(8_999_999_999_999_999, 1)).toBe(8_910_000_000_000_000 - 1);
});

test("what is sold cost as much as the receipt reckons", () => {
  expect(soldCost({ shares: 36_600, costKopecks: 20_000 }, 9_150)).toBe(5_000);
  // Of a part of a kopeck the rest stays with what is held.
  expect(soldCost({ shares: 36_601, costKopecks: 20_000 }, 9_150)).toBe(4_999);
  expect(
    soldCost({ shares: 3_000_000_000_007, costKopecks: 2_000_000_000_003 }, 999_999_999_999),
  ).toBe(666_666_666_665);
});
