import { expect, test, vi } from "vitest";
import { apart } from "../src/lib/apart.ts";
import { isFlat, lastPart, rangesOf, weekOf } from "../src/lib/chart-ranges.ts";
import { largest } from "../src/lib/outcomes.ts";
import { axisOf } from "../src/lib/shapes.ts";
import { resultQuantiles } from "../src/number/fan.ts";
import { stepPath } from "../src/lib/step-lines.ts";
import { poolLines } from "../src/lib/pool-charts.ts";
import { timeTicks, valueTicks } from "../src/lib/ticks.ts";

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

test.each([30, 600, 3_600, 20 * 3_600, 3 * 86_400, 30 * 86_400, 250 * 86_400, 1_000 * 86_400])(
  "the marks of %i seconds say something else each, and have room",
  (seconds) => {
    const first = Date.parse("2026-02-27T09:17:43Z") / 1000;
    const ticks = timeTicks(first, first + seconds, 650);
    expect(ticks.length).toBeGreaterThan(1);
    for (const [index, { text }] of ticks.entries()) expect(text).not.toBe(ticks[index - 1]?.text);
    const gaps = ticks.slice(1).map(({ time }, index) => time - (ticks[index]?.time ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan((seconds / 650) * 50);
  },
);

test("the marks of a market's first seconds are not sought from midnight on", () => {
  const first = Date.parse("2026-02-27T23:57:43Z") / 1000;
  const looks = vi.spyOn(Date, "parse");
  expect(timeTicks(first, first + 12, 650).length).toBeGreaterThan(1);
  expect(looks.mock.calls.length).toBeLessThan(100);
  looks.mockRestore();
});

test("marks of several years name theirs", () => {
  const [first, last] = ["2025-02-01T00:00:00Z", "2026-12-01T00:00:00Z"].map(Date.parse);
  const ticks = timeTicks((first ?? 0) / 1000, (last ?? 0) / 1000, 650);
  expect(ticks.map(({ text }) => text)).toEqual([
    "Apr 2025",
    "Jul 2025",
    "Oct 2025",
    "Jan 2026",
    "Apr 2026",
    "Jul 2026",
    "Oct 2026",
  ]);
});

test("an axis of chances has marks at whole per cents", () => {
  for (const most of [0.2, 0.4, 0.6, 0.8, 1])
    for (const count of [4, 6]) {
      const percents = valueTicks(0, most, count).map((value) => value * 100);
      expect(percents.length).toBeGreaterThan(2);
      for (const one of percents) expect(one).toBeCloseTo(Math.round(one), 9);
    }
  expect(valueTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
});

test("an axis of amounts goes below zero at round amounts, one of a log scale by powers of ten", () => {
  expect(valueTicks(-30_000, 50_000, 4)).toEqual([-20_000, 0, 20_000, 40_000]);
  expect(valueTicks(10, 5_000, 9, true)).toEqual([10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]);
});

const HOUR_MS = 3_600_000;
const BEGAN = Date.parse("2026-03-01T00:00:00Z");

test("a chart offers the ranges that are shorter than the life so far, and all of it", () => {
  expect(rangesOf(BEGAN, BEGAN + HOUR_MS / 2)).toEqual(["all"]);
  expect(rangesOf(BEGAN, BEGAN + 30 * HOUR_MS)).toEqual(["1h", "1d", "all"]);
  expect(rangesOf(BEGAN, BEGAN + 1_000 * HOUR_MS)).toEqual(["1h", "1d", "1w", "1m", "all"]);
});

test("the week of a young question is its whole life, which begins at the priors", () => {
  const published = new Date(BEGAN).toISOString();
  expect(weekOf(published, BEGAN + 6 * 24 * HOUR_MS)).toBe("all");
  expect(weekOf(published, BEGAN + 8 * 24 * HOUR_MS)).toBe("1w");
  expect(weekOf(null, BEGAN)).toBe("all");
});

test("the last part of a life begins with the price that held then", () => {
  const ended = BEGAN + 10 * HOUR_MS;
  const points = [0, 5, 9.5, 10].map((hours) =>
    point(new Date(BEGAN + hours * HOUR_MS).toISOString(), hours / 10),
  );
  expect(lastPart(points, "all", ended)).toEqual(points);
  expect(lastPart(points, "1h", ended)).toEqual([
    point(new Date(ended - HOUR_MS).toISOString(), 0.5),
    ...points.slice(2),
  ]);
  // Longer than the life: all of it.
  expect(lastPart(points, "1d", ended)).toEqual(points);
  // Nothing happened since.
  expect(lastPart(points.slice(0, 2), "1h", ended)).toEqual([
    point(new Date(ended - HOUR_MS).toISOString(), 0.5),
  ]);
});

test("a chart in which no price moved is flat", () => {
  expect(isFlat([point("a", 0.5, 0.5), point("b", 0.5, 0.5)])).toBe(true);
  expect(isFlat([point("a", 0.5, 0.5), point("b", 0.5, 0.4)])).toBe(false);
});

test("the largest outcomes are drawn, Other too, and the one that won whatever its price was", () => {
  const all = [0.3, 0.12, 0.02, 0.01, 0.55].map((yes_probability, outcome_index) => ({
    outcome_index,
    yes_probability,
  }));
  const indices = (payouts: number[] | null) =>
    largest(all, payouts, 3).map(({ outcome_index }) => outcome_index);
  expect(indices(null)).toEqual([4, 0, 1]);
  expect(indices([0, 0, 0, 1, 0])).toEqual([3, 4, 0]);
});

test("a line reaches its result in the moment that it was given", () => {
  const { times, lines } = poolLines(
    [
      point("2026-03-01T00:00:00Z", 0.6, 0.4),
      point("2026-03-02T00:00:00Z", 0.6, 0.4),
      point("2026-03-02T00:00:00Z", 1, 0),
    ],
    [...YES, { index: 1, name: "No", colour: "blue" }],
  );
  expect(times).toHaveLength(2);
  expect(lines.map(({ values }) => values)).toEqual([
    [0.6, 1],
    [0.4, 0],
  ]);
});

test("a number's percentiles meet in the value that decided, else in the range that won", () => {
  const axis = axisOf({ shape: { kind: "number", edges: [0, 10, 20], unit: "" } });
  const dates = axisOf({
    shape: { kind: "date", edges: ["2027-01-01T00:00:00Z", "2027-04-01T00:00:00Z"] },
  });
  if (!axis || !dates) throw new Error("both have an axis");
  const won = [0, 1, 0, 0];
  expect(resultQuantiles(axis, { value: "3.5", payouts: won })).toEqual([3.5, 3.5, 3.5, 3.5, 3.5]);
  expect(resultQuantiles(axis, { value: null, payouts: won })).toEqual([1, 2.5, 5, 7.5, 9]);
  expect(resultQuantiles(axis, { value: null, payouts: null })).toBeNull();
  const day = { value: "2027-02-01T00:00:00Z", payouts: [0, 1, 0] };
  expect(resultQuantiles(dates, day)?.[2]).toBe(Date.parse(day.value) / 1000);
});
