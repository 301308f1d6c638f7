import { describe, expect, test } from "vitest";
import type { Schemas } from "../src/api/client.ts";
import { poolActions, poolStanding, sideNames } from "../src/screens/mine/standing.ts";
import {
  decisionKinds,
  decisionOf,
  outcomeAt,
  splitSum,
  type DecisionForm,
} from "../src/screens/mine/decision.ts";
import type { Axis } from "../src/lib/shapes.ts";

const NOW = Date.parse("2026-03-01T00:00:00Z");

function pool(state: string, kind = "manual", finishAt: string | null = null): Schemas["Pool"] {
  return {
    finish_at: finishAt,
    live_at: null,
    metadata: {},
    markets: [{ name: "Ann", paused: false, outcome_index: 0 }],
    resolution: { state, kind, won_side: null },
  } as unknown as Schemas["Pool"];
}
const runner = { may: ["pause", "resolve"], isAdmin: false, status: "active", nowMs: NOW } as const;
const admin = { ...runner, isAdmin: true };

describe("what can be done with a pool", () => {
  test("a creator resolves what no rule does", () => {
    expect(poolActions(pool("open"), runner)).toMatchObject({ resolve: true, pause: true });
    expect(poolActions(pool("waiting", "price"), runner).resolve).toBe(false);
    expect(poolActions(pool("attention", "price"), runner).resolve).toBe(true);
    expect(poolActions(pool("waiting", "price"), admin).resolve).toBe(true);
  });

  test("only an administrator corrects a decided result", () => {
    expect(poolActions(pool("decided"), runner)).toMatchObject({ resolve: false, correct: false });
    expect(poolActions(pool("decided"), admin).correct).toBe(true);
    expect(poolActions(pool("paid"), admin)).toEqual({
      pause: false,
      resume: false,
      resolve: false,
      correct: false,
      liquidity: false,
    });
  });

  test("nobody does what the service does not let them", () => {
    const suggested = { ...runner, may: [] };
    expect(Object.values(poolActions(pool("open"), suggested))).not.toContain(true);
  });

  test("trading is paused, and liquidity added, while it goes on", () => {
    expect(poolActions(pool("open"), runner)).toMatchObject({ liquidity: true, pause: true });
    const over = pool("open", "manual", "2026-02-28T00:00:00Z");
    for (const ended of [over, pool("waiting"), pool("attention", "price")])
      expect(poolActions(ended, runner)).toMatchObject({ liquidity: false, pause: false });
    expect(poolActions(pool("open"), { ...runner, status: "new" }).liquidity).toBe(false);
  });

  test("only what has a rule waits for it", () => {
    const of = (kind: string) => poolStanding(pool("waiting", kind), "closed", NOW).text;
    expect([of("manual"), of("price")]).toEqual(["mine.status_closed", "mine.state_waiting"]);
  });

  test("a single market has two sides", () => {
    expect(sideNames(pool("open"))).toHaveLength(2);
  });
});

describe("a decision", () => {
  const form: DecisionForm = {
    kind: "winner",
    wonSide: null,
    value: "",
    values: [],
    shares: ["", ""],
    at: "",
  };

  test("of a number or a date names a value, on an edge the outcome above", () => {
    const degrees: Axis = { kind: "number", edges: [0, 10], unit: "°C", isLog: false, zone: "" };
    expect(decisionKinds(degrees, false)[0]).toBe("value");
    expect(decisionKinds(null, false)).toEqual(["winner", "split", "void"]);
    const typed = { ...form, kind: "value" as const, value: "−7.50" };
    expect(decisionOf(typed, degrees)).toMatchObject({ value: "-7.50", won_side: null });
    expect(decisionOf({ ...typed, value: "1e5" }, degrees)).toBeNull();
    expect(["-0.1", "0", "10"].map((value) => outcomeAt(value, degrees))).toEqual([0, 1, 2]);
    const edges = [Date.parse("2027-01-01T00:00:00Z") / 1000];
    const bridge: Axis = { ...degrees, kind: "date", edges, zone: "UTC" };
    const opened = decisionOf({ ...typed, value: "2027-01-01T00:00" }, bridge)?.value ?? "";
    expect(Date.parse(opened)).toBe(new Date(2027, 0, 1).getTime());
    expect(outcomeAt("2026-12-31T23:59:00Z", bridge)).toBe(0);
  });

  test("of joint questions names an outcome of each", () => {
    expect(decisionKinds(null, true)).toEqual(["values", "split", "void"]);
    const chosen = { ...form, kind: "values" as const, values: ["Yes", ""] };
    expect(decisionOf(chosen)).toBeNull();
    chosen.values = ["Yes", "No"];
    expect(decisionOf(chosen)).toMatchObject({ values: ["Yes", "No"], won_side: null });
  });

  test("needs a winner, or a split of exactly all", () => {
    expect(decisionOf(form)).toBeNull();
    expect(decisionOf({ ...form, wonSide: 0 })).toMatchObject({ won_side: 0, payouts: null });
    expect(decisionOf({ ...form, kind: "split", shares: ["33,33", "66.67"] })).toMatchObject({
      payouts: [0.3333, 0.6667],
    });
    expect(decisionOf({ ...form, kind: "split", shares: ["50", "49"] })).toBeNull();
    expect(decisionOf({ ...form, kind: "split", shares: ["100", "x"] })).toBeNull();
    expect(decisionOf({ ...form, kind: "split", shares: ["100", ""] })?.payouts).toEqual([1, 0]);
    expect(splitSum(["50", "x"])).toBe(5_000);
  });

  test("that is void pays the last prices or those of a moment", () => {
    expect(decisionOf({ ...form, kind: "void" })).toMatchObject({ void: true, at: null });
    const { at } = decisionOf({ ...form, kind: "void", at: "2026-02-01T12:00" }) ?? {};
    expect(at).toMatch(/^2026-0\d-\d\dT/);
  });
});
