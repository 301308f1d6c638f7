import { beforeEach, describe, expect, test, vi } from "vitest";
import type { Notification } from "../src/screens/notifications/lines.ts";
import { loadMessages } from "../src/lib/i18n.ts";
import { legsName, marketNames } from "../src/lib/market-names.ts";
import { byChance, otherLast } from "../src/lib/outcomes.ts";
import { poolLines, withSplits } from "../src/lib/pool-charts.ts";
import { firstPriceAt } from "../src/lib/step-lines.ts";
import { outcomeGroups } from "../src/screens/event/texts.ts";
import { costOf, isTaken, startOf } from "../src/lists/list.ts";

describe("taking an outcome out of Other", () => {
  // The contract's check: b 1000, priors 0.3, 0.2, 0.5; the house has paid 1610; c = ceil(1000·ln 2).
  const other = { probability: 0.6295, b: 1000, boundKopecks: 694, paidKopecks: 1610 };

  test("costs the house what its new bound is over what it has paid", () => {
    expect(costOf(25, other)).toBe(471);
    expect(costOf(50, other)).toBe(0);
    expect(costOf(25, { ...other, paidKopecks: 10_000 })).toBe(0);
  });

  test("begins at its part of Other's price, which keeps the rest", () => {
    expect(startOf(25, 0.6295).starts).toBeCloseTo(0.1574, 4);
    expect(startOf(25, 0.6295).keeps).toBeCloseTo(0.4721, 4);
    expect(isTaken(" ANN ", ["Ann", "Other"])).toBe(true);
  });
});

describe("a list's chart", () => {
  const at = (minute: number) => `2026-03-01T00:${String(minute).padStart(2, "0")}:00Z`;
  const split = { at: at(5), outcome_index: 2, share: 0.5, probability: 0.2 };
  const points = [
    { timestamp: at(0), values: [0.6, 0.4, 0] },
    { timestamp: at(9), values: [0.7, 0.15, 0.15] },
  ];

  test("has a new outcome's line begin at the split, where Other's falls", () => {
    const all = withSplits(points, [split], 1);
    expect(all[1]).toEqual({ timestamp: at(5), values: [0.6, 0.2, 0.2] });
    const since = Date.parse(split.at) / 1000;
    const { lines } = poolLines(all, [
      { index: 1, name: "Other", colour: "" },
      { index: 2, name: "New", colour: "", since },
    ]);
    expect(lines[0]?.values).toEqual([0.4, 0.2, 0.15]);
    expect(lines[1]?.values).toEqual([null, 0.2, 0.15]);
    expect(withSplits(points, [split], null)).toBe(points);
    expect(withSplits(points.slice(1), [split], 1)).toHaveLength(1);
  });
});

test("without its splits a list's line begins at the first price", () => {
  const points = [
    { timestamp: "2026-03-01T00:00:00Z", values: [0.6, 0.4, 0] },
    { timestamp: "2026-03-01T00:09:00Z", values: [0.6, 0.2, 0.2] },
  ];
  const since = Date.parse("2026-03-01T00:09:00Z") / 1000;
  expect(firstPriceAt(points, 2)).toBe(since);
  expect(firstPriceAt(points, 3)).toBeUndefined();
  const { lines } = poolLines(points, [{ index: 2, name: "New", colour: "", since }]);
  expect(lines[0]?.values).toEqual([null, 0.2]);
});

describe("Other is last", () => {
  const outcome = (outcome_index: number, probability: number) => ({ outcome_index, probability });

  test("on a card where the service put it, whatever its chance", () => {
    const made = [outcome(0, 0.3), outcome(2, 0.1), outcome(1, 0.6)];
    const now = [outcome(0, 0.1), outcome(2, 0.2), outcome(1, 0.7)];
    const order = (top: typeof made) => byChance(now, top).map((one) => one.outcome_index);
    expect(order(made)).toEqual([2, 0, 1]);
    // In the order of their chances none is Other.
    expect(order([outcome(1, 0.6), outcome(0, 0.3), outcome(2, 0.1)])).toEqual([1, 2, 0]);
  });

  test("among outcomes that came after it", () => {
    expect(otherLast([0, 1, 2, 3], (index) => index === 1)).toEqual([0, 2, 3, 1]);
    const markets = ["Ann", "Other", "Dana"].map((name, outcome_index) => ({
      id: 10 + outcome_index,
      name,
      outcome_index,
    }));
    const pool = { name: "Who?", name_ru: "", markets, metadata: {}, other: 1 };
    const event = { pools: [pool], main_pool_index: 0, name: "Who?", name_ru: "" };
    const [group] = outcomeGroups(event as unknown as Parameters<typeof outcomeGroups>[0]);
    expect(group?.outcomes.map(({ name }) => name)).toEqual(["Ann", "Dana", "Other"]);
  });
});

test("a trade of all that are named is called so", async () => {
  await loadMessages("en");
  const markets = ["Ann", "Bob", "Other", "Dana"].map((name, outcome_index) => ({
    id: outcome_index,
    name,
    outcome_index,
  }));
  const pool = { markets, metadata: {}, other: 2 };
  const of = (...ids: number[]) =>
    legsName(
      pool,
      ids.map((market_id) => ({ market_id, shares: 1 })),
      ids[0] ?? 0,
    );
  expect(of(0, 1, 3)).toBe("Any but Other");
  expect(of(0, 1)).toBe("Ann, Bob");
  expect(of(0, 1, 2)).toBe("Ann, Bob, Other");
});

test("an outcome that came later has its own Russian name", () => {
  const markets = [
    { name: "Ann", name_ru: "Анна", outcome_index: 0 },
    { name: "Dana", name_ru: "", outcome_index: 2 },
    { name: "Other", name_ru: "Другое", outcome_index: 1 },
  ];
  const pool = { markets, metadata: {}, shape: { kind: "list" } };
  expect(marketNames(pool, "ru")).toEqual(["Анна", "Другое", "Dana"]);
  expect(marketNames(pool, "en")).toEqual(["Ann", "Other", "Dana"]);
});

class PageRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, "http://here.example") : input, init);
  }
}

describe("a split in a list that has a name of its own", () => {
  const pool = { name: "Winner", name_ru: "Победитель", metadata: {}, shape: { kind: "list" } };
  const markets = [
    { id: 1, name: "Ann", name_ru: "Анна", outcome_index: 0 },
    { id: 2, name: "Other", name_ru: "Другое", outcome_index: 1 },
    { id: 3, name: "Dana", name_ru: "Дана", outcome_index: 2 },
  ];
  const event = { id: 7, pools: [{ ...pool, id: 5, markets }] };
  const names = { event_name: "Cup?", event_name_ru: "Кубок?" };

  const inLanguage = async (language: "en" | "ru") => {
    vi.stubGlobal("navigator", { language, onLine: true });
    vi.stubGlobal("document", {
      cookie: "",
      getElementById: () => null,
      documentElement: {},
    });
    const { loadMessages } = await import("../src/lib/i18n.ts");
    await loadMessages(language, ["first", "screens"]);
    return {
      ...(await import("../src/screens/notifications/lines.ts")),
      ...(await import("../src/screens/portfolio/movement.ts")),
    };
  };

  beforeEach(() => {
    vi.resetModules();
    vi.stubGlobal("addEventListener", () => undefined);
    vi.stubGlobal("navigator", { onLine: true });
    vi.stubGlobal("Request", PageRequest);
    vi.stubGlobal("fetch", () => Promise.resolve(Response.json(event)));
  });

  test.each([
    ["en", "Winner · New outcome “Dana”", "Cup? · Winner · Dana"],
    ["ru", "Победитель · Новый исход «Дана»", "Кубок? · Победитель · Дана"],
  ] as const)("is named with it in the page's language: %s", async (language, notice, about) => {
    const { text, movementAbout, needMovements } = await inLanguage(language);
    const params = { ...names, pool_name: "Winner", pool_name_ru: "Победитель" };
    const rest = { token_type: "YES" as const, payout_kopecks: null, pnl_kopecks: null, shares: 5 };
    const of = { market_name: "Dana", market_name_ru: "Дана" };
    const listed = { id: 1, type: "outcome_added" as const, text: "…", event_id: 7, read: false };
    const at = "2026-03-01T12:00:00Z";
    const one = { ...listed, comment_id: null, created_at: at };
    const said = (first: Notification) => text({ key: "", ones: [first], first });
    expect(said({ ...one, params: { ...params, ...rest, ...of } })).toContain(notice);
    const same = { ...params, pool_name: "Cup?", pool_name_ru: "Кубок?" };
    expect(said({ ...one, params: { ...same, ...rest, ...of } })).not.toContain(" · ");

    const moved = { id: 1, change_kopecks: 0, event_id: 7, token_type: "YES" as const, note: "" };
    const movement = { ...moved, ...names, market_id: 3, market_name: "Dana", order_id: null };
    const split = { ...movement, type: "split" as const, created_at: at };
    needMovements([split]);
    await vi.waitFor(() => {
      expect(movementAbout(split)).toBe(about);
    });
  });
});
