import { beforeAll, expect, test } from "vitest";
import { countdown, direction, percent, points, price, span } from "../src/lib/formats.ts";
import { loadMessages } from "../src/lib/i18n.ts";

beforeAll(() => loadMessages("en"));

test("a probability of an open market is never shown as impossible or certain", () => {
  expect(percent(0.487)).toBe("49%");
  expect(percent(0.487, 1)).toBe("48.7%");
  expect(percent(0.004)).toBe("<1%");
  expect(percent(0.996)).toBe(">99%");
  expect(percent(0.0004, 1)).toBe("<0.1%");
  expect(percent(0.9996, 1)).toBe(">99.9%");
  expect(percent(0.005)).toBe("1%");
  expect(percent(0)).toBe("<1%");
  expect(percent(1, 0, false)).toBe("100%");
  expect(percent(0, 0, false)).toBe("0%");
});

test("a change has its sign, and none where it rounds to nothing", () => {
  expect(points(0.0421)).toBe("+4.2 pp");
  expect(points(-0.061)).toBe("−6.1 pp");
  expect(points(0.0004)).toBe("0.0 pp");
  expect([direction(0.0421), direction(-0.061), direction(0.0004)]).toEqual(["up", "down", ""]);
});

test("a price is in thousandths of another currency's unit", () => {
  const dollars = { code: "USD", sign: "$", name: "dollars", name_ru: "", decimals: 2 } as const;
  const points = { ...dollars, code: null, sign: "pts" };
  expect([price(0.629, dollars), price(0.0002, dollars)]).toEqual(["$0.629", "<$0.001"]);
  expect([price(0.5, points), price(0.9999, points)]).toEqual(["0.500", ">0.999"]);
});

test("a price is in kopecks for a payout of one rouble", () => {
  expect(price(0.629)).toBe("62.9 kop.");
  expect(price(0.9999)).toBe(">99.9 kop.");
  expect(price(0.0002)).toBe("<0.1 kop.");
  expect([price(0), price(1)]).toEqual(["0.0 kop.", "100.0 kop."]);
});

test("a span has one unit", () => {
  expect(span(4_900)).toBe("4 s");
  expect(span(60_000)).toBe("1 min");
  expect(span(3 * 3_600_000)).toBe("3 h");
  expect(span(47 * 3_600_000)).toBe("47 h");
  expect(span(25 * 86_400_000 + 1)).toBe("25 d");
  expect(span(-5)).toBe("0 s");
});

test("a countdown shows what is left and stops at nothing", () => {
  expect(countdown(61_000)).toBe("01:01");
  expect(countdown(3_661_000)).toBe("01:01:01");
  expect(countdown(2 * 86_400_000 + 1_000)).toBe("2 d 00:00:01");
  expect(countdown(-1)).toBe("00:00");
});
