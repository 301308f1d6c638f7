import { describe, expect, test } from "vitest";
import { profitAxis, profitLine, profitSince } from "../src/lib/profit.ts";
import { worthAxis, worthLine } from "../src/lib/worth.ts";
import { balancesAfter } from "../src/screens/portfolio/balances.ts";
import { movementsCsv } from "../src/screens/portfolio/csv.ts";
import { endOf } from "../src/screens/portfolio/ends.ts";
import { byEvent, mostPaid } from "../src/screens/portfolio/by-event.ts";
import type { Movement } from "../src/screens/portfolio/movement.ts";

const movement: Movement = {
  id: 1,
  type: "bet",
  change_kopecks: -5,
  event_id: 7,
  event_name: 'Will "it" rain, or snow?',
  event_name_ru: "",
  market_id: 9,
  market_name: "=1+1",
  token_type: "YES",
  order_id: null,
  note: "",
  created_at: "2026-03-01T18:00:00.000Z",
};
const credit: Movement = {
  ...movement,
  type: "credit",
  change_kopecks: 123_456_789,
  event_id: null,
  event_name: "",
  market_name: "",
  token_type: null,
  note: "@boss",
};

const basket: Movement = {
  ...movement,
  type: "basket",
  change_kopecks: -10_000,
  market_id: null,
  market_name: "",
  token_type: null,
  basket_id: 3,
};

test("the history as CSV has exact roubles, quoted names and no formulas", () => {
  expect(movementsCsv([basket, movement, credit], () => "2 – 5")).toBe(
    "\ufefftime,type,change_rub,balance_rub,event_id,event,market,side,note\r\n" +
      '2026-03-01T18:00:00.000Z,basket,-100.00,1234467.84,7,"Will ""it"" rain, or snow?","2 – 5",,""\r\n' +
      '2026-03-01T18:00:00.000Z,bet,-0.05,1234567.84,7,"Will ""it"" rain, or snow?","\'=1+1",YES,""\r\n' +
      '2026-03-01T18:00:00.000Z,credit,1234567.89,1234567.89,,"","",,"\'@boss"\r\n',
  );
});

test("each movement has the balance after it, back to the first one's", () => {
  const balances = balancesAfter([movement, credit], 123_456_784);
  expect(balances).toEqual([123_456_784, 123_456_789]);
  expect((balances.at(-1) ?? 0) - credit.change_kopecks).toBe(0);
});

describe("positions of one event", () => {
  const held = (outcome_index: number, token_type: "YES" | "NO", amount: number, pool_id = 5) => ({
    event_id: pool_id === 5 ? 7 : 8,
    pool_id,
    outcome_index,
    token_type,
    amount,
  });

  test("are one row, in the order of outcomes, and events in that of their newest", () => {
    const [first, other, second] = [held(3, "NO", 1), held(0, "YES", 1, 6), held(1, "YES", 1)];
    expect(byEvent([first, other, second])).toEqual([[second, first], [other]]);
  });

  test("pay together what the best outcome pays", () => {
    const curve = [held(0, "YES", 100), held(1, "YES", 300), held(2, "YES", 200)];
    expect(mostPaid(curve, () => 5)).toBe(300);
    // No of an outcome pays where any other one happens.
    expect(mostPaid([...curve, held(0, "NO", 50)], () => 5)).toBe(350);
    expect(mostPaid([held(0, "NO", 50), held(1, "NO", 70)], () => 3)).toBe(120);
    expect(mostPaid([held(0, "NO", 50), held(1, "NO", 70)], () => 2)).toBe(70);
    // A yes/no market.
    expect(mostPaid([held(0, "YES", 50), held(0, "NO", 70)], () => 1)).toBe(70);
  });

  test("of several pools pay the best of each", () => {
    expect(mostPaid([held(0, "YES", 50), held(0, "YES", 70, 6)], () => undefined)).toBe(120);
  });
});

describe("how a position ended", () => {
  const position = {
    void: false,
    won_side: null as 0 | 1 | null,
    token_type: "NO" as const,
    pool_id: 5,
    closed_at: "2026-03-02T00:00:00.000Z",
  };
  type Event = NonNullable<Parameters<typeof endOf>[1]>;
  const event = (wonSide: number | null, decidedAt: string | null): Event =>
    ({
      pools: [{ id: 5, won_side: wonSide, resolution: { decided_at: decidedAt } }],
    }) as unknown as Event;

  test("is its own answer where a side won, or the pool was void", () => {
    expect(endOf({ ...position, won_side: 1 }, null)).toBe("won");
    expect(endOf({ ...position, won_side: 0 }, null)).toBe("lost");
    expect(endOf({ ...position, void: true }, null)).toBe("void");
  });

  test("takes the event to tell a sale from a payment in part", () => {
    expect(endOf(position, null)).toBe("closed");
    expect(endOf(position, event(null, null))).toBe("sold");
    expect(endOf(position, event(-1, "2026-03-03T00:00:00.000Z"))).toBe("sold");
    expect(endOf(position, event(-1, "2026-03-01T00:00:00.000Z"))).toBe("split");
  });
});

describe("the profit chart", () => {
  const now = Date.parse("2026-06-01T00:00:00.000Z");
  const points = [
    { timestamp: "2026-01-01T00:00:00.000Z", pnl: -1.5 },
    { timestamp: "2026-05-20T00:00:00.000Z", pnl: 10.05 },
    { timestamp: "2026-05-20T00:00:00.100Z", pnl: 12 },
  ];

  test("begins with what was earned before the range, and goes on until now", () => {
    expect(profitLine(points, "1m", now).values).toEqual([-150, 1200, 1200]);
    expect(profitLine(points, "all", now).values).toEqual([0, -150, 1200, 1200]);
    expect(profitLine([], "all", now)).toEqual({ times: [], values: [] });
  });

  test("begins at any moment with what was earned before it", () => {
    const since = Date.parse("2026-05-20T00:00:00.000Z") - 1;
    expect(profitSince(points, since, now).values).toEqual([-150, 1200, 1200]);
    expect(profitSince(points, now - 1, now).values).toEqual([1200, 1200]);
    expect(profitSince(points, -Infinity, now)).toEqual(profitLine(points, "all", now));
  });

  test("has times that grow, in every range", () => {
    for (const range of ["1m", "3m", "all"] as const) {
      const { times } = profitLine(points, range, now);
      expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
    }
  });

  test("has an axis of round amounts around zero", () => {
    expect(profitAxis([0, 410])).toEqual({ least: 0, most: 5000 });
    expect(profitAxis([-83_000, 268_000])).toEqual({ least: -100_000, most: 300_000 });
    expect(profitAxis([-83_000])).toEqual({ least: -100_000, most: 50_000 });
  });
});

describe("the chart of worth", () => {
  const points = [
    { at: "2026-05-30T00:00:00.000Z", worth_kopecks: 100_000, added_kopecks: 100_000 },
    { at: "2026-05-31T00:00:00.000Z", worth_kopecks: 101_200, added_kopecks: 100_000 },
    { at: "2026-05-31T15:00:00.500Z", worth_kopecks: 99_000, added_kopecks: 102_000 },
  ];

  test("ends with what one has now", () => {
    const line = worthLine(points, 99_500);
    expect(line.worth).toEqual([100_000, 101_200, 99_500]);
    expect(line.added).toEqual([100_000, 100_000, 102_000]);
    expect(worthLine(points, undefined).worth.at(-1)).toBe(99_000);
    expect(line.times.map((time) => new Date(time * 1000).getUTCHours())).toEqual([0, 0, 15]);
  });

  test("has an axis of round amounts around both lines", () => {
    expect(worthAxis(worthLine(points, undefined))).toEqual({ least: 95_000, most: 105_000 });
    expect(worthAxis(worthLine(points.slice(0, 1), undefined))).toEqual({
      least: 100_000,
      most: 105_000,
    });
  });
});
