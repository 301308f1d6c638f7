import { expect, test } from "vitest";
import { loadMessages } from "../src/lib/i18n.ts";
import { legsName, marketNames } from "../src/lib/market-names.ts";
import {
  axisOf,
  bandText,
  beyondText,
  outcomeOf,
  plainValue,
  quantiles,
  rangeText,
  shortEdge,
} from "../src/lib/shapes.ts";

await loadMessages("en");
const degrees = axisOf({ shape: { kind: "number", edges: [-10, 0, 2.5, 20_000], unit: "°C" } });
const quarters = axisOf({
  shape: { kind: "date", edges: ["2027-01-01T00:00:00Z", "2027-04-01T00:00:00Z"] },
});
if (!degrees || !quarters) throw new Error("both have an axis");

test("ranges are called by their edges", () => {
  expect(rangeText(degrees, 1, 3, "en")).toBe("−10 – 2.5 °C");
  expect(rangeText(degrees, 4, 5)).toBe("20,000 °C or above");
  expect(rangeText(quarters, 0, 1)).toBe("Before 1 January 2027");
  expect(rangeText(quarters, 1, 2, "en")).toBe("1 January 2027 – 1 April 2027");
});

test("names that a creator chose stay", () => {
  const pool = (names: string[]) => ({
    markets: names.map((name, outcome_index) => ({ name, outcome_index })),
    metadata: {},
    shape: { kind: "number", edges: [-1] },
  });
  expect(marketNames(pool(["Frost", "None"]))).toEqual(["Frost", "None"]);
});

test("names that the service wrote are written anew, in the page's language", () => {
  const price = { kind: "number", edges: [-5, 68_502.5], unit: "$" };
  const given = ["Below -5.00", "-5.00 – 68,502.50", "68,502.50 or above"];
  const markets = given.map((name, outcome_index) => ({ name, outcome_index }));
  expect(marketNames({ markets, metadata: {}, shape: price })).toEqual([
    "Below −5 $",
    "−5 – 68,502.5 $",
    "68,502.5 $ or above",
  ]);
});

test("a basket's trade is named by its range, or by all of its names", () => {
  const markets = ["Below 1", "1 – 2", "2 – 3", "3 or above"].map((name, index) => ({
    id: 10 + index,
    name,
    outcome_index: index,
  }));
  const pool = { markets, metadata: {}, shape: { kind: "number", edges: [1, 2, 3] } };
  const of = (...ids: number[]) =>
    legsName(
      pool,
      ids.map((market_id) => ({ market_id })),
    );
  expect(of(11, 12)).toBe("1 – 3");
  expect(of(12, 13)).toBe("2 or above");
  expect(of(11)).toBe("1 – 2");
  expect(of(10, 12)).toBe("Below 1, 2 – 3");
});

test("quantiles are as the service has them", () => {
  expect(quantiles(degrees, [0.1, 0.4, 0.4, 0.05, 0.05])).toEqual([-10, -6.25, 0, 1.5625, 2.5]);
  expect(outcomeOf(degrees, 0)).toBe(2);
});

test("an open end of the middle 80% is said, not drawn as a sign", () => {
  const said = (axis: typeof degrees, low: number, high: number) => {
    const { share, text } = bandText(axis, low, high);
    return `${share} ${text}`;
  };
  expect(said(degrees, -9, 1.5)).toBe("80% between −9 and 1.5\u00a0°C");
  expect(said(degrees, -10, 1.5)).toBe("90% under 1.5\u00a0°C");
  expect(said(degrees, -9, 20_000)).toBe("90% over −9\u00a0°C");
  expect(said(degrees, -10, 20_000)).toBe("80% from under −10 to over 20,000\u00a0°C");
  const [first, last] = quarters.edges as [number, number];
  expect(said(quarters, first, (first + last) / 2)).toBe("90% before 15 Feb 2027");
  expect(said(quarters, first, last)).toBe("80% from before 1 Jan 2027 to after 1 Apr 2027");
  expect([beyondText(degrees, false), beyondText(quarters, true)]).toEqual([
    "under −10\u00a0°C",
    "after 1 April 2027",
  ]);
});

test("a value within a range is told as finely as the range allows", () => {
  expect(plainValue(degrees, -6.234)).toBe("−6.2");
  expect(plainValue(degrees, 12_345.67)).toBe("12,346");
});

test("short edges say what tells them apart", () => {
  expect(shortEdge(quarters, 1)).toBe("Apr 2027");
  const autumn = axisOf({
    shape: { kind: "date", edges: ["2027-08-01T00:00:00Z", "2027-09-01T00:00:00Z"] },
  });
  if (!autumn) throw new Error("it has an axis");
  expect([0, 1].map((index) => shortEdge(autumn, index, "ru"))).toEqual(["авг 2027", "сент 2027"]);
});
