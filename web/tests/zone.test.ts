import { afterEach, describe, expect, test, vi } from "vitest";
import { clockTime, dateTime, dayKey } from "../src/lib/formats.ts";
import { timeTicks } from "../src/lib/ticks.ts";
import { momentAt, onClock } from "../src/lib/zone-clock.ts";
import { zone } from "../src/lib/zone.svelte.ts";
import { expiryOf } from "../src/orders/until.ts";
import { localMoment, momentOf } from "../src/screens/create/numbers.ts";

afterEach(() => {
  zone.set(undefined);
  vi.useRealTimers();
});

const NOON = "2026-03-08T12:00:00.000Z";

test("times are shown in the account's zone", () => {
  zone.set("Pacific/Auckland");
  expect(clockTime(NOON)).toBe("01:00");
  expect(dayKey(NOON)).toBe("2026-03-09");
  expect(dateTime("2025-12-31T12:00:00Z")).toContain("1 January");
});

test("a zone that the browser does not know, and UTC, leave the browser's", () => {
  const before = clockTime(NOON);
  for (const name of ["UTC", "Nowhere/City"]) {
    zone.set(name);
    expect([zone.name, clockTime(NOON)]).toEqual([undefined, before]);
  }
});

test("times are typed in the account's zone", () => {
  zone.set("Pacific/Auckland");
  expect(localMoment(NOON)).toBe("2026-03-09T01:00");
  expect(momentOf("2026-03-09T01:00")).toBe(NOON);
  expect([momentOf(""), momentOf("soon"), localMoment(null)]).toEqual([null, null, ""]);
  vi.useFakeTimers({ now: Date.parse(NOON) });
  expect(expiryOf("today", "")).toBe("2026-03-09T11:00:00.000Z");
  expect(expiryOf("date", "2026-03-09T02:00")).toBe("2026-03-08T13:00:00.000Z");
  expect(expiryOf("date", "2026-03-09T00:59")).toBeNull();
});

test("a chart's days begin at midnight of the account's zone", () => {
  zone.set("Asia/Kolkata");
  const first = Date.parse(NOON) / 1000;
  const marks = timeTicks(first, first + 4 * 86_400, 400);
  expect(marks.length).toBeGreaterThan(2);
  for (const { time } of marks) expect(onClock(time * 1000).getUTCHours()).toBe(0);
});

describe("where the clock is set", () => {
  const BERLIN = "Europe/Berlin";
  test.each([
    ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00.000Z"],
    ["2026-03-29T01:30:00Z", "2026-03-29T03:30:00.000Z"],
    ["2026-10-25T00:30:00Z", "2026-10-25T02:30:00.000Z"],
    ["2026-10-25T02:30:00Z", "2026-10-25T03:30:00.000Z"],
  ])("%s and %s are one moment", (moment, shown) => {
    expect(onClock(Date.parse(moment), BERLIN).toISOString()).toBe(shown);
    expect(momentAt(Date.parse(shown), BERLIN)).toBe(Date.parse(moment));
  });

  test("an hour that does not exist is one beside it", () => {
    const skipped = momentAt(Date.parse("2026-03-29T02:30:00Z"), BERLIN);
    expect(["2026-03-29T00:30:00.000Z", "2026-03-29T01:30:00.000Z"]).toContain(
      new Date(skipped).toISOString(),
    );
  });
});
