import { expect, test } from "vitest";
import { periodStart } from "../src/screens/leaders/periods.ts";
import { TradeTape } from "../src/screens/live/tape.svelte.ts";
import { deviceOf } from "../src/screens/settings/devices.ts";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox, Linux"],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36 Edg/141.0",
    "Edge, Windows",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1",
    "Safari, iPhone",
  ],
  ["curl/8.5", "curl/8.5"],
  ["", ""],
])("%s is called %j", (userAgent, name) => {
  expect(deviceOf(userAgent)).toBe(name);
});

test("a held tape lets new trades wait, each once, and shows them when it is released", () => {
  const tape = new TradeTape();
  const trade = (id: number) => ({ id }) as Parameters<TradeTape["hear"]>[0];
  const shown = () => tape.trades.map(({ id }) => id);
  tape.hear(trade(1));
  tape.hold();
  tape.hear(trade(2));
  tape.hear(trade(2));
  expect(shown()).toEqual([1]);
  tape.release();
  tape.hear(trade(1));
  tape.hear(trade(3));
  expect(shown()).toEqual([3, 2, 1]);
  for (let id = 4; id < 200; id++) tape.hear(trade(id));
  expect(tape.trades).toHaveLength(100);
});

test.each([
  ["week", "2026-11-29T23:59:59Z", "2026-11-23T00:00:00Z"], // a Sunday
  ["week", "2026-11-30T00:00:00Z", "2026-11-30T00:00:00Z"],
  ["week", "2026-12-02T12:00:00Z", "2026-11-30T00:00:00Z"],
  ["month", "2026-11-30T23:59:59Z", "2026-11-01T00:00:00Z"],
] as const)("the %s of %s began at %s", (period, now, start) => {
  expect(periodStart(period, Date.parse(now))).toBe(Date.parse(start));
});
