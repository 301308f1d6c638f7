import { beforeAll, expect, test } from "vitest";
import { loadMessages } from "../src/lib/i18n.ts";
import { movedText } from "../src/lib/trade-moved.ts";

beforeAll(() => loadMessages("en"));

const trade = {
  amount_kopecks: 4_000,
  shares: 12_000,
  avg_price: 3_333,
  probability_before: 0.285,
  probability_after: 0.294,
};
const leg = (market_id: number, shares: number) => ({ market_id, shares, amount_kopecks: 1_000 });

test("a trade of one outcome says how far it moved", () => {
  expect(movedText({ ...trade, legs: null })).toBe("28.5% to 29.4%");
});

test("a range says its price, bought or sold, and a curve the most that it pays", () => {
  expect(movedText({ ...trade, legs: [leg(1, 12_000), leg(2, 12_000)] })).toBe("at 33.3 kop.");
  const curve = [leg(1, 12_000), leg(2, 30_000)];
  expect(movedText({ ...trade, avg_price: 833, legs: curve })).toBe("pays up to ₽300");
});
