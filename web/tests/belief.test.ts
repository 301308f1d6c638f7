import { expect, test } from "vitest";
import { estimate } from "../src/baskets/basket.ts";
import { placeOf, quantile, type Axis } from "../src/lib/shapes.ts";
import { believed } from "../src/number/belief.ts";
import { moveTo } from "../src/number/move.ts";
import { runsOf, thinned, valueAt } from "../src/number/places.ts";

const edges = Array.from({ length: 99 }, (_, index) => index - 49);
const axis: Axis = { kind: "number", edges, unit: "", isLog: false, zone: "" };
const flat = edges.concat(0).map(() => 0.01);
const curve = { probabilities: flat, b: 100_000, margin: 0.02 };

test("what is believed has the median and the range that were drawn", () => {
  const belief = believed(axis, { low: -10, median: 2, high: 5 });
  expect(belief.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1);
  for (const [level, value] of [
    [0.1, -10],
    [0.5, 2],
    [0.9, 5],
  ] as const)
    expect(quantile(axis, belief, level)).toBeCloseTo(value, 1);
});

test("a stake moves the market as far as it reaches, and no further", () => {
  const belief = believed(axis, { low: -10, median: 2, high: 5 });
  const move = moveTo(belief, [], 10_000, curve);
  const paid = -estimate({ kind: "changes", changes: move?.changes ?? [] }, curve).netKopecks;
  expect(paid).toBeLessThanOrEqual(10_000);
  expect(paid).toBeGreaterThan(9_900);
  expect(Math.min(...(move?.changes ?? []))).toBe(0);
});

test("a large stake reaches what is believed", () => {
  const belief = believed(axis, { low: -10, median: 2, high: 5 });
  const move = moveTo(belief, [], 10_000_000, curve);
  expect(move?.part).toBe(1);
  const { after } = estimate({ kind: "changes", changes: move?.changes ?? [] }, curve);
  expect(quantile(axis, after, 0.5)).toBeCloseTo(2, 0);
});

test("what is held is sold, and no more", () => {
  const belief = believed(axis, { low: -10, median: 2, high: 5 });
  const held = belief.map((chance) => (chance < 0.01 ? 500 : 0));
  const { changes = [] } = moveTo(belief, held, 10_000, curve) ?? {};
  expect(Math.min(...changes)).toBe(-500);
  changes.forEach((shares, index) => {
    expect(shares).toBeGreaterThanOrEqual(-(held[index] ?? 0));
  });
});

test("nothing is to be done where the market is there already, or for nothing", () => {
  expect(moveTo(flat, [], 10_000, curve)).toBeNull();
  expect(moveTo(believed(axis, { low: -10, median: 2, high: 5 }), [], 0, curve)).toBeNull();
});

test("places and values are each other's", () => {
  for (const value of [-49, -0.25, 17.5, 49])
    expect(valueAt(axis, placeOf(axis, value))).toBe(value);
  const log: Axis = { ...axis, edges: [1, 10, 100], isLog: true };
  expect(placeOf(log, Math.sqrt(10))).toBeCloseTo(1.5);
  expect(valueAt(log, 2.5)).toBeCloseTo(10 ** 1.5);
});

test("neighbours that pay the same are one", () => {
  expect(runsOf([0, 5, 5, 0])).toEqual([
    { low: 0, high: 1, amount: 0 },
    { low: 1, high: 3, amount: 5 },
    { low: 3, high: 4, amount: 0 },
  ]);
});

test("labels without room are left out", () => {
  const labels = [1, 2, 3].map((place) => ({ place, text: "100" }));
  expect(thinned(labels, 20).map(({ place }) => place)).toEqual([1, 3]);
});
