import { describe, expect, test } from "vitest";
import type { Schemas } from "../src/api/client.ts";
import { poolActions, sideNames } from "../src/screens/mine/standing.ts";
import { splitSum, decisionOf, type DecisionForm } from "../src/screens/mine/decision.ts";

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
const runner = { isAdmin: false, status: "active", nowMs: NOW } as const;
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

  test("liquidity is added while trading goes on", () => {
    expect(poolActions(pool("open"), runner).liquidity).toBe(true);
    const over = pool("open", "manual", "2026-02-28T00:00:00Z");
    expect(poolActions(over, runner).liquidity).toBe(false);
    expect(poolActions(pool("open"), { ...runner, status: "new" }).liquidity).toBe(false);
  });

  test("a single market has two sides", () => {
    expect(sideNames(pool("open"))).toHaveLength(2);
  });
});

describe("a decision", () => {
  const form: DecisionForm = { kind: "winner", wonSide: null, shares: ["", ""], at: "" };

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
