// The worked numbers of docs/baskets.md, margin 0 and b 1000.
import { expect, test } from "vitest";
import { bodyOf, estimate, type Wanted } from "../src/baskets/basket.ts";

const FIVE = { probabilities: [0.1, 0.2, 0.4, 0.2, 0.1], b: 1000, margin: 0 };
const rounded = (values: readonly number[]) => values.map((value) => Number(value.toFixed(4)));

test("a stake on two ranges buys the same shares of each, at one price", () => {
  const made = estimate({ kind: "stake", targets: [1, 2], stake: 500 }, FIVE);
  expect(made.shares).toBe(732);
  expect(made.changes).toEqual([0, 732, 732, 0, 0]);
  expect(made.netKopecks).toBe(-500);
  expect(rounded(made.after)).toEqual([0.0607, 0.2524, 0.5048, 0.1214, 0.0607]);
});

test("changes are bought as one piece, then sold as one", () => {
  const after = [0.0607, 0.2524, 0.5048, 0.1214, 0.0607];
  const before = estimate({ kind: "stake", targets: [1, 2], stake: 500 }, FIVE).after;
  const made = estimate(
    { kind: "changes", changes: [0, -200, 0, 300, 100] },
    { ...FIVE, probabilities: before },
  );
  expect(rounded(before)).toEqual(after);
  expect([made.costKopecks, made.payoutKopecks, made.netKopecks]).toEqual([48, 44, -4]);
  expect(rounded(made.after)).toEqual([0.0605, 0.206, 0.5032, 0.1634, 0.0669]);
});

test("B if A moves the price of B if A alone", () => {
  const wanted: Wanted = { kind: "stake", targets: [0], given: [0, 1], stake: 500 };
  const made = estimate(wanted, { probabilities: [0.3, 0.2, 0.1, 0.4], b: 1000, margin: 0 });
  expect(made.changes).toEqual([732, 0, 500, 500]);
  const [ab = 0, anot = 0, notab = 0, neither = 0] = made.after;
  expect(rounded([ab / (ab + anot), notab / (notab + neither), ab + anot])).toEqual([
    0.7572, 0.2, 0.4998,
  ]);
});

test("a fee is of what the purchases cost", () => {
  const made = estimate(
    { kind: "changes", changes: [100, 100, 100, 100, 100] },
    { ...FIVE, margin: 0.02 },
  );
  expect([made.costKopecks, made.feeKopecks]).toEqual([100, 3]);
});

test("an order names markets, not outcomes", () => {
  const ids = [11, 12, 13];
  expect(bodyOf({ kind: "stake", targets: [0], given: [0, 2], stake: 5 }, ids)).toEqual({
    market_ids: [11],
    given: [11, 13],
    amount_kopecks: 5,
  });
  expect(bodyOf({ kind: "changes", changes: [0, -2, 3] }, ids)).toEqual({
    changes: [
      { market_id: 12, shares: -2 },
      { market_id: 13, shares: 3 },
    ],
  });
});
