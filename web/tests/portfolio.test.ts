import { describe, expect, test } from "vitest";
import { profitAxis, profitLine } from "../src/lib/profit.ts";
import { movementsCsv } from "../src/screens/portfolio/csv.ts";
import { endOf } from "../src/screens/portfolio/ends.ts";
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

test("the history as CSV has exact roubles, quoted names and no formulas", () => {
  expect(movementsCsv([movement, credit])).toBe(
    "\ufefftime,type,change_rub,event_id,event,market,side,note\r\n" +
      '2026-03-01T18:00:00.000Z,bet,-0.05,7,"Will ""it"" rain, or snow?","\'=1+1",YES,""\r\n' +
      '2026-03-01T18:00:00.000Z,credit,1234567.89,,"","",,"\'@boss"\r\n',
  );
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
