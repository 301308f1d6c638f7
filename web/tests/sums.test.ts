import { describe, expect, test } from "vitest";
import { cut, gain } from "../src/lib/money.ts";
import { ROUBLES, type Currency } from "../src/lib/site.ts";
import { assets, holdings, movements, parts, results, sum } from "../src/lib/sums.ts";

const POINTS: Currency = { code: null, sign: "pts", name: "points", name_ru: "", decimals: 0 };

/** Whole numbers that follow from their seed. */
function numbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % most;
  };
}

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const isWhole = (kopecks: number) => kopecks % 100 === 0;
const same = <T>(item: T): T => item;

describe("parts of a total", () => {
  test("add up to it, and those that cutting took most from are raised", () => {
    expect(parts([108_460, 44_170], undefined, POINTS)).toEqual([108_400, 44_200]);
    expect(parts([1_033, 1_033, 1_034], undefined, POINTS)).toEqual([1_000, 1_000, 1_100]);
    expect(parts([-150, -150], undefined, POINTS)).toEqual([-100, -200]);
    expect(parts([], undefined, POINTS)).toEqual([]);
  });

  test("are exact where decimals are shown", () => {
    expect(parts([1_033, 1_033, 1_034], undefined, ROUBLES)).toEqual([1_033, 1_033, 1_034]);
  });

  test.each(SEEDS)("are whole, and never a unit from what they are (%d)", (seed) => {
    const next = numbers(seed);
    const exact = Array.from({ length: 1 + next(9) }, () => next(5_000) - next(2) * next(6_000));
    const shown = parts(exact, undefined, POINTS);
    expect(sum(shown)).toBe(cut(sum(exact), POINTS));
    for (const [index, one] of shown.entries()) {
      expect(isWhole(one)).toBe(true);
      expect(Math.abs(one - (exact[index] ?? 0))).toBeLessThan(100);
      if (isWhole(exact[index] ?? 0)) expect(one).toBe(exact[index]);
    }
  });
});

test("a gain is the difference of what is shown of both", () => {
  expect(gain(470, 1_000, POINTS)).toBe(-600);
  expect(gain(470, 1_000, ROUBLES)).toBe(-530);
});

describe("what somebody has", () => {
  test("adds up, with the balance that stands everywhere", () => {
    const exact = { balance: 108_460, held: 0, worth: 44_170, paid: 40_050 };
    expect(assets(exact, POINTS)).toEqual({
      exact,
      total: 152_600,
      balance: 108_400,
      held: 0,
      worth: 44_200,
      gain: 4_200,
    });
  });

  test.each(SEEDS)("adds up, row by row too (%d)", (seed) => {
    const next = numbers(seed);
    const deals = Array.from({ length: next(7) }, () => ({
      paid: 1 + next(3_000),
      received: next(3_000),
    }));
    const exact = {
      balance: next(9_999),
      held: next(2) * next(999),
      worth: sum(deals.map(({ received }) => received)),
      paid: sum(deals.map(({ paid }) => paid)),
    };
    const all = assets(exact, POINTS);
    expect(all.balance + all.held + all.worth).toBe(all.total);
    expect(all.balance).toBe(cut(exact.balance, POINTS));
    expect(all.total).toBe(cut(exact.balance + exact.held + exact.worth, POINTS));
    const rows = deals.map(holdings(deals, same, all, POINTS));
    expect(sum(rows.map(({ received }) => received))).toBe(all.worth);
    expect(sum(rows.map((row) => row.gain))).toBe(all.gain);
    for (const [index, { paid, received, gain: gained }] of rows.entries()) {
      expect(paid + gained).toBe(received);
      expect(Math.abs(paid - (deals[index]?.paid ?? 0))).toBeLessThan(100);
      expect(Math.abs(received - (deals[index]?.received ?? 0))).toBeLessThan(100);
    }
  });

  test("is of its own rows where others are not loaded", () => {
    const deals = [
      { paid: 1_000, received: 450 },
      { paid: 1_000, received: 460 },
    ];
    const all = assets({ balance: 0, held: 0, worth: 99_999, paid: 9_000 }, POINTS);
    expect(deals.map(holdings(deals, same, all, POINTS)).map(({ received }) => received)).toEqual([
      400, 500,
    ]);
  });
});

describe("what is over", () => {
  test("is one row whose profit is its difference, and the profit that is told elsewhere", () => {
    const deal = { paid: 1_000, received: 470 };
    expect(results([deal], same, POINTS)(deal)).toEqual({ paid: 1_000, received: 500, gain: -500 });
    const other = { paid: 1_090, received: 1_180 };
    expect(results([other], same, POINTS)(other)).toEqual({
      paid: 1_100,
      received: 1_100,
      gain: 0,
    });
  });

  test.each(SEEDS)("adds up in rows and in the column of profits (%d)", (seed) => {
    const next = numbers(seed);
    const deals = Array.from({ length: 1 + next(8) }, () => ({
      paid: 1 + next(3_000),
      received: next(2) * next(5_000),
    }));
    const rows = deals.map(results(deals, same, POINTS));
    const exact = sum(deals.map(({ paid, received }) => received - paid));
    expect(sum(rows.map((row) => row.gain))).toBe(cut(exact, POINTS));
    for (const [index, { paid, received, gain: gained }] of rows.entries()) {
      expect(paid + gained).toBe(received);
      expect([paid, received].every(isWhole)).toBe(true);
      expect(Math.abs(paid - (deals[index]?.paid ?? 0))).toBeLessThan(100);
      expect(Math.abs(received - (deals[index]?.received ?? 0))).toBeLessThan(100);
    }
  });
});

test.each(SEEDS)("movements lead from the first balance to the last (%d)", (seed) => {
  const next = numbers(seed);
  const changes = [100_000, ...Array.from({ length: next(20) }, () => next(3_000) - next(3_000))];
  const balance = sum(changes);
  const shown = movements(balance, changes.toReversed(), POINTS);
  expect(sum(shown)).toBe(cut(balance, POINTS));
  expect(shown.every(isWhole)).toBe(true);
});
