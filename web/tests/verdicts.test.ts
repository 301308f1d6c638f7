import { describe, expect, test } from "vitest";
import type { Schemas } from "../src/api/client.ts";
import { barOf, proposalOf, proposedResult } from "../src/screens/event/objecting.ts";
import { missingReasons, namedOutcome, reasonsOf } from "../src/screens/mine/decision.ts";
import {
  finalAt,
  houseGain,
  isPresent,
  paidOut,
  paidPositions,
  paysOf,
} from "../src/screens/mine/verdict-sums.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const HOUR = 3_600_000;
const NOTHING = { won_side: null, payouts: null, void: null, value: null, values: null, at: null };

/** Markets by [YES shares, NO shares, chance], the last one first: their order says nothing. */
function pool(...markets: [number, number, number][]): Schemas["Pool"] {
  const made = markets.map(([q_yes, q_no, yes_probability], outcome_index) => ({
    id: outcome_index + 10,
    outcome_index,
    q_yes,
    q_no,
    yes_probability,
  }));
  return { markets: made.toReversed(), other: null } as unknown as Schemas["Pool"];
}
const yesNo = pool([1_000, 400, 0.625]);
const list = pool([1_000, 400, 0.5], [300, 0, 0.2], [0, 50, 0.3]);

describe("what a result pays", () => {
  test.each([
    ["Yes", yesNo, { won_side: 0 }, 1_000],
    ["No", yesNo, { won_side: 1 }, 400],
    ["a split", yesNo, { payouts: [0.25, 0.75] }, 250 + 300],
    ["a void, at the last prices", yesNo, { void: true }, 625 + 150],
    ["one of several, with No of the others", list, { won_side: 1 }, 400 + 300 + 50],
  ])("%s", (_, of, choice, paid) => {
    const pays = paysOf(of, { ...NOTHING, ...choice }, null);
    expect(pays && paidOut(of, pays)).toBe(paid);
  });

  test("what a value names is paid as if it were chosen", () => {
    expect(paysOf(list, { ...NOTHING, value: "7" }, 2)).toEqual([0, 0, 1]);
  });

  test("what a moment's prices pay only the service knows", () => {
    expect(paysOf(yesNo, { ...NOTHING, void: true, at: "2026-02-01T00:00:00Z" }, null)).toBeNull();
  });

  test("counts whose shares pay something, and leaves the house the rest", () => {
    const markets = [
      { market_id: 10, yes_holders: 3, no_holders: 2 },
      { market_id: 11, yes_holders: 5, no_holders: 7 },
    ];
    const holders = { markets } as Schemas["Holders"];
    expect(paidPositions(list, [1, 0, 0], holders)).toBe(3 + 7);
    expect(paidPositions(list, [0.5, 0.5, 0], holders)).toBe(3 + 2 + 5 + 7);
    const house = { escrow_kopecks: 2_000, fees_kopecks: 30 } as Schemas["HouseMoney"];
    expect(houseGain({ house, loss_bound_kopecks: 700 }, 1_500)).toBe(-170);
    expect(houseGain({ house: null, loss_bound_kopecks: 700 }, 1_500)).toBeNull();
  });
});

describe("when a result is final", () => {
  const first = { decided_at: new Date(NOW).toISOString() } as Schemas["PoolVerdict"];

  test("at once without a window, and after it", () => {
    expect(finalAt({ dispute_minutes: 0, history: [] }, NOW)).toBeNull();
    expect(finalAt({ dispute_minutes: 30, history: [] }, NOW)).toBe(NOW + HOUR / 2);
  });

  test("a further one after an hour at least, two weeks after the first window at the latest", () => {
    const resolution = { dispute_minutes: 30, history: [first] };
    expect(finalAt(resolution, NOW + 10_000)).toBe(NOW + 10_000 + HOUR);
    const last = NOW + HOUR / 2 + 14 * 24 * HOUR;
    expect(finalAt(resolution, last - 1_000)).toBe(last);
  });
});

test("a result that pays the same is the present one, in whatever form it comes", () => {
  const of = (payouts: number[] | null, void_at: string | null = null) => ({
    decided_at: "2026-03-01T12:00:00Z",
    payouts,
    void_at,
  });
  expect(isPresent(of([0, 1]), { ...NOTHING, won_side: 1 }, null)).toBe(true);
  expect(isPresent(of([0, 1]), { ...NOTHING, payouts: [0, 1] }, null)).toBe(true);
  expect(isPresent(of([0, 1]), { ...NOTHING, value: "3" }, 1)).toBe(true);
  expect(isPresent(of([0, 1]), { ...NOTHING, won_side: 0 }, null)).toBe(false);
  expect(isPresent(of(null), { ...NOTHING, void: true }, null)).toBe(true);
  expect(isPresent(of(null, "2026-02-01T00:00:00Z"), { ...NOTHING, void: true }, null)).toBe(false);
  expect(isPresent({ ...of(null), decided_at: null }, { ...NOTHING, void: true }, null)).toBe(
    false,
  );
});

describe("why a result is given", () => {
  const form = { note: "", noteRu: "", source: "" };

  test("in Russian alone it stands for both languages", () => {
    expect(reasonsOf({ ...form, noteRu: " Дождь " })).toEqual({
      note: "Дождь",
      note_ru: null,
      source_url: null,
    });
    expect(reasonsOf({ ...form, note: "Rain", noteRu: "Дождь" }).note_ru).toBe("Дождь");
  });

  test("what is missing is known by its name", () => {
    expect(missingReasons(form)).toBe("both");
    expect(missingReasons({ ...form, noteRu: "Дождь" })).toBe("source");
    expect(missingReasons({ ...form, source: "https://a.test" })).toBe("reason");
    expect(missingReasons({ ...form, note: "Rain", source: "https://a.test" })).toBe("none");
  });
});

test("answers name the combination that they make, the last question's changing fastest", () => {
  const questions = [{ outcomes: ["a", "b"] }, { outcomes: ["x", "y", "z"] }];
  const form = {
    kind: "values" as const,
    values: ["b", "z"],
    value: "",
    wonSide: null,
    shares: [],
    at: "",
    note: "",
    noteRu: "",
    source: "",
  };
  expect(namedOutcome(form, null, questions)).toBe(5);
  expect(namedOutcome({ ...form, values: ["b", ""] }, null, questions)).toBeNull();
});

describe("objecting", () => {
  const who = { isTaken: true, isSignedIn: true, holds: true, hasObjected: false };
  const until = new Date(NOW + 1).toISOString();

  test.each([
    [{}, until, null],
    [{ isTaken: false }, until, "off"],
    [{ isSignedIn: false, holds: false }, until, "signed_out"],
    [{ holds: false }, until, "held_nothing"],
    [{ hasObjected: true }, until, "done"],
    [{}, new Date(NOW).toISOString(), "late"],
  ])("%o until %s: %s", (but, end, bar) => {
    expect(barOf({ ...who, ...but }, end, NOW)).toBe(bar);
  });

  test("a proposal says what should be paid, of a list by how many outcomes are known", () => {
    expect(proposalOf("", list)).toBeNull();
    expect(proposalOf("2", list)).toMatchObject({ won_side: 2, void: null, outcomes: null });
    expect(proposalOf("void", { ...list, other: 1 })).toMatchObject({ void: true, outcomes: 3 });
    expect(proposedResult({ won_side: 1 })).toEqual({ won_side: 1, payouts: null });
    expect(proposedResult({ void: true })).toEqual({ won_side: null, payouts: null });
    expect(proposedResult(null)).toBeNull();
  });
});
