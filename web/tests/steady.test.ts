// "My curve" in a market that moves: what is quoted stays for long enough to be confirmed.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Axis } from "../src/lib/shapes.ts";
import { believed } from "../src/number/belief.ts";
import { moveTo, type Move } from "../src/number/move.ts";

class PageRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, "http://here.example") : input, init);
  }
}

vi.useFakeTimers();
vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("navigator", { onLine: true });
vi.stubGlobal("document", { cookie: "", getElementById: () => null, documentElement: {} });
vi.stubGlobal("location", { pathname: "/", search: "" });
vi.stubGlobal("Request", PageRequest);
vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ legs: [] })));
const { BasketForm } = await import("../src/baskets/basket-form.svelte.ts");
const { Steady } = await import("../src/number/steady.svelte.ts");

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const edges = [-1, 0, 1];
const axis: Axis = { kind: "number", edges, unit: "", isLog: false, zone: "" };
const belief = believed(axis, { low: -1, median: 0.5, high: 2 });

let steady: InstanceType<typeof Steady<Move>>;

beforeEach(() => {
  steady = new Steady<Move>();
});
afterEach(() => {
  steady.stop();
});

/** A slip on a pool; `tick` moves its prices and runs the slip's effects. */
function slip() {
  const target = {
    probabilities: [0.25, 0.25, 0.25, 0.25],
    b: 100_000,
    margin: 0,
    eventId: 1,
    poolId: 2,
    marketIds: [1, 2, 3, 4],
    halted: null,
  };
  const form = new BasketForm(
    () => target,
    () => steady.value && { kind: "changes", changes: steady.value.changes },
  );
  let ticks = 0;
  const tick = (stake = 10_000) => {
    const first = 0.25 + 0.001 * (++ticks % 50);
    target.probabilities = [first, 0.5 - first, 0.25, 0.25];
    const { quote, error } = form.quoting;
    const isAsked = steady.value !== null && quote === null && error === null;
    const latest = moveTo(belief, [], stake, target);
    steady.follow(String(stake), latest, form.confirming || isAsked);
    form.follow();
  };
  return { form, tick };
}

test("a curve is quoted in a market that moves ten times a second", async () => {
  const { form, tick } = slip();
  let quoted = 0;
  const moves = new Set<Move | null>();
  for (let tenth = 0; tenth < 100; tenth++) {
    tick();
    moves.add(steady.value);
    await later(100);
    if (form.quoting.quote) quoted++;
  }
  expect(quoted).toBeGreaterThan(70);
  expect(moves.size).toBeGreaterThan(5);
  expect(moves.size).toBeLessThan(11);
  form.quoting.stop();
});

test("what is to be confirmed stays as it is", async () => {
  const { form, tick } = slip();
  tick();
  await later(200);
  tick();
  form.confirming = true;
  const asked = steady.value;
  for (let tenth = 0; tenth < 50; tenth++) {
    tick();
    await later(100);
  }
  expect(steady.value).toBe(asked);
  form.confirming = false;
  tick();
  await later(1_000);
  expect(steady.value).not.toBe(asked);
  form.quoting.stop();
});

test("what is entered counts at once", () => {
  const { form, tick } = slip();
  tick();
  form.confirming = true;
  const before = steady.value;
  tick(20_000);
  expect(steady.value).not.toBe(before);
  form.quoting.stop();
});
