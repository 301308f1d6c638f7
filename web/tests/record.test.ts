// What the track record says of few outcomes.
import { expect, test } from "vitest";
import { wilson } from "../src/screens/record/intervals.ts";

test("an interval is Wilson's, and never leaves what is possible", () => {
  // Brown, Cai, DasGupta (2001): of 10 outcomes 5 that came true.
  const [low, high] = wilson(5, 10);
  expect(low).toBeCloseTo(0.2366, 4);
  expect(high).toBeCloseTo(0.7634, 4);
  expect(wilson(0, 1)[0]).toBe(0);
  expect(wilson(1, 1)[1]).toBe(1);
  expect(wilson(0, 20)[1]).toBeCloseTo(0.1611, 4);
  expect(wilson(0, 0)).toEqual([0, 1]);
});

test("more outcomes make it shorter", () => {
  const widths = [1, 10, 100, 1000].map((all) => {
    const [low, high] = wilson(all / 2, all);
    return high - low;
  });
  expect(widths).toEqual(widths.toSorted((one, other) => other - one));
});
