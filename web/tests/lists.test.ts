import { describe, expect, test } from "vitest";
import { marketNames } from "../src/lib/market-names.ts";
import { poolLines, withSplits } from "../src/lib/pool-charts.ts";
import { costOf, isTaken, startOf } from "../src/lists/list.ts";

describe("taking an outcome out of Other", () => {
  // The contract's check: b 1000, priors 0.3, 0.2, 0.5; the house has paid 1610; c = ceil(1000·ln 2).
  const other = { probability: 0.6295, b: 1000, boundKopecks: 694, paidKopecks: 1610 };

  test("costs the house what its new bound is over what it has paid", () => {
    expect(costOf(25, other)).toBe(471);
    expect(costOf(50, other)).toBe(0);
    expect(costOf(25, { ...other, paidKopecks: 10_000 })).toBe(0);
  });

  test("begins at its part of Other's price, which keeps the rest", () => {
    expect(startOf(25, 0.6295).starts).toBeCloseTo(0.1574, 4);
    expect(startOf(25, 0.6295).keeps).toBeCloseTo(0.4721, 4);
    expect(isTaken(" ANN ", ["Ann", "Other"])).toBe(true);
  });
});

describe("a list's chart", () => {
  const at = (minute: number) => `2026-03-01T00:${String(minute).padStart(2, "0")}:00Z`;
  const split = { at: at(5), outcome_index: 2, share: 0.5, probability: 0.2 };
  const points = [
    { timestamp: at(0), values: [0.6, 0.4, 0] },
    { timestamp: at(9), values: [0.7, 0.15, 0.15] },
  ];

  test("has a new outcome's line begin at the split, where Other's falls", () => {
    const all = withSplits(points, [split], 1);
    expect(all[1]).toEqual({ timestamp: at(5), values: [0.6, 0.2, 0.2] });
    const since = Date.parse(split.at) / 1000;
    const { lines } = poolLines(all, [
      { index: 1, name: "Other", colour: "" },
      { index: 2, name: "New", colour: "", since },
    ]);
    expect(lines[0]?.values).toEqual([0.4, 0.2, 0.15]);
    expect(lines[1]?.values).toEqual([null, 0.2, 0.15]);
    expect(withSplits(points, [split], null)).toBe(points);
    expect(withSplits(points.slice(1), [split], 1)).toHaveLength(1);
  });
});

test("an outcome that came later has its own Russian name", () => {
  const markets = [
    { name: "Ann", name_ru: "Анна", outcome_index: 0 },
    { name: "Dana", name_ru: "", outcome_index: 2 },
    { name: "Other", name_ru: "Другое", outcome_index: 1 },
  ];
  const pool = { markets, metadata: {}, shape: { kind: "list" } };
  expect(marketNames(pool, "ru")).toEqual(["Анна", "Другое", "Dana"]);
  expect(marketNames(pool, "en")).toEqual(["Ann", "Other", "Dana"]);
});
