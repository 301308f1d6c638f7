import { expect, test } from "vitest";
import { apart } from "../src/lib/apart.ts";
import { stepPath } from "../src/lib/step-lines.ts";
import { poolLines } from "../src/lib/pool-charts.ts";

const point = (timestamp: string, ...values: number[]) => ({ timestamp, values });
const YES = [{ index: 0, name: "Yes", colour: "red" }];

test("of two trades in one moment the last one holds", () => {
  const { times, lines } = poolLines(
    [point("2026-03-01T00:00:00Z", 0.5), point("2026-03-01T00:00:00Z", 0.6)],
    YES,
  );
  expect(times).toHaveLength(1);
  expect(lines[0]?.values).toEqual([0.6]);
});

test("one outcome's axis goes to 100 %, several outcomes' to the next 20 %", () => {
  const points = [point("2026-03-01T00:00:00Z", 0.45, 0.3)];
  const two = [...YES, { index: 1, name: "No", colour: "blue" }];
  expect(poolLines(points, YES).most).toBe(1);
  expect(poolLines(points, two).most).toBeCloseTo(0.6);
});

test("the last price holds until now", () => {
  const now = Date.parse("2026-03-01T01:00:00Z");
  const { times, lines } = poolLines([point("2026-03-01T00:00:00Z", 0.5)], YES, now);
  expect(times).toEqual([now / 1000 - 3600, now / 1000]);
  expect(lines[0]?.values).toEqual([0.5, 0.5]);
  expect(poolLines([], YES, now).times).toEqual([]);
});

test("nothing yet is an empty chart", () => {
  expect(poolLines([], YES)).toMatchObject({ times: [], most: 1 });
});

test("labels of lines that end close together are moved apart, within the chart", () => {
  expect(apart([10, 12, 100], 16, 200)).toEqual([10, 26, 100]);
  expect(apart([190, 195, 198], 16, 200)).toEqual([168, 184, 200]);
  expect(apart([], 16, 200)).toEqual([]);
});

test("a price holds until the next trade", () => {
  expect(stepPath([0, 10, 20], [0.5, 0.25, 0.75], (value) => value * 100)).toBe(
    "M0.0 50.0H10.0V25.0H20.0V75.0",
  );
  expect(stepPath([0, 10], [null, 0.5], (value) => value)).toBe("M10.0 0.5");
});
