import { expect, test } from "vitest";
import { loadMessages } from "../src/lib/i18n.ts";
import { marketNames } from "../src/lib/market-names.ts";
import {
  axisOf,
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

test("quantiles are as the service has them", () => {
  expect(quantiles(degrees, [0.1, 0.4, 0.4, 0.05, 0.05])).toEqual([-10, -6.25, 0, 1.5625, 2.5]);
  expect(outcomeOf(degrees, 0)).toBe(2);
});

test("a value within a range is told as finely as the range allows", () => {
  expect(plainValue(degrees, -6.234)).toBe("−6.2");
  expect(plainValue(degrees, 12_345.67)).toBe("12,346");
});

test("short edges say what tells them apart", () => {
  expect(shortEdge(quarters, 1)).toBe("Apr 2027");
});
