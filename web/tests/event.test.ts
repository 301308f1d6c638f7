import { beforeAll, describe, expect, test } from "vitest";
import type { Schemas } from "../src/api/client.ts";
import { loadMessages } from "../src/lib/i18n.ts";
import { holdingName } from "../src/lib/holding-names.ts";
import { marketNames } from "../src/lib/market-names.ts";
import { phaseOf, tradingEnd, type Standing } from "../src/screens/event/phase.ts";
import { conditionText, proofOf, resultText } from "../src/screens/event/result.ts";
import { marketLabels, localRules, outcomeGroups, poolTabs } from "../src/screens/event/texts.ts";
import { stepsFrom, worth } from "../src/screens/event/worth.ts";

beforeAll(async () => {
  await loadMessages("en", ["first", "event"]);
});

const NOW = Date.parse("2026-11-20T12:00:00Z");

describe("the phase of a pool", () => {
  const open: Standing = {
    status: "active",
    paused: false,
    wonSide: null,
    state: "open",
    liveAt: null,
    finishAt: null,
  };
  test.each<[Partial<Standing>, string]>([
    [{}, "open"],
    [{ paused: true }, "paused"],
    [{ liveAt: "2026-11-20T12:00:01Z" }, "soon"],
    [{ liveAt: "2026-11-20T12:00:00Z" }, "open"],
    [{ finishAt: "2026-11-20T12:00:01Z" }, "open"],
    [{ finishAt: "2026-11-20T12:00:00Z" }, "closed"],
    [{ finishAt: "2026-11-20T12:00:00Z", paused: true }, "closed"],
    [{ status: "closed", state: "waiting" }, "closed"],
    [{ status: "closed", state: "decided" }, "decided"],
    [{ status: "active", state: "paying" }, "paying"],
    [{ status: "resolved", state: "paid", wonSide: 0 }, "paid"],
    [{ status: "active", wonSide: 1 }, "paying"],
    [{ status: "new", liveAt: "2026-11-21T00:00:00Z" }, "new"],
    [{ status: "cancelled" }, "cancelled"],
    [{ status: "cancelled", state: "paid", wonSide: -1 }, "paid"],
  ])("%o is %s", (changes, phase) => {
    expect(phaseOf({ ...open, ...changes }, NOW)).toBe(phase);
  });
});

describe("texts of a pool", () => {
  const pool = {
    rules: "By the release.",
    markets: [
      { name: "Low", outcome_index: 1 },
      { name: "High", outcome_index: 0 },
    ],
    metadata: { market_names_ru: ["Высокая", ""], rules_ru: "По сообщению." },
  };

  test("are Russian where the metadata has them", () => {
    expect(marketNames(pool, "en")).toEqual(["High", "Low"]);
    expect(marketNames(pool, "ru")).toEqual(["Высокая", "Low"]);
    expect(localRules(pool, "ru")).toBe("По сообщению.");
    expect(localRules({ ...pool, metadata: {} }, "ru")).toBe("By the release.");
  });

  test("whatever stands in the metadata", () => {
    const odd = { ...pool, metadata: { market_names_ru: [7, null], rules_ru: { text: "?" } } };
    expect(marketNames(odd, "ru")).toEqual(["High", "Low"]);
    expect(localRules(odd, "ru")).toBe("By the release.");
  });

  test("the main pool is the first tab", () => {
    const pools = [1, 2, 3].map((id) => ({ id, name: `Pool ${String(id)}`, name_ru: "" }));
    const tabs = poolTabs({ pools, main_pool_index: 1 });
    expect(tabs.map(({ value }) => value)).toEqual(["2", "1", "3"]);
  });
});

describe("the outcomes of several questions", () => {
  const market = (id: number, name: string, outcome_index = 0) => ({ id, name, outcome_index });
  const event = {
    main_pool_index: 1,
    pools: [
      { id: 1, name: "Snow?", name_ru: "", metadata: {}, markets: [market(10, "Snow?")] },
      {
        id: 2,
        name: "Who wins?",
        name_ru: "",
        metadata: {},
        markets: [market(20, "Reds"), market(21, "Blues", 1)],
      },
    ],
  } as unknown as Parameters<typeof outcomeGroups>[0];

  test("stand by question, the main one first", () => {
    expect(outcomeGroups(event)).toEqual([
      {
        name: "Who wins?",
        outcomes: [
          { marketId: 20, name: "Reds" },
          { marketId: 21, name: "Blues" },
        ],
      },
      { name: "Snow?", outcomes: [{ marketId: 10, name: "Snow?" }] },
    ]);
  });

  test("are named with their question where there are several, and not at all where there is one", () => {
    const labels = marketLabels(event);
    expect([labels.get(20), labels.get(10)]).toEqual(["Who wins?: Reds", "Snow?"]);
    const single = marketLabels({ ...event, pools: event.pools.slice(0, 1) });
    expect(single.get(10)).toBe("");
  });
});

test("what is held is named by the question and the outcome, each where it says more", () => {
  const held = {
    event_name: "The derby",
    event_name_ru: "",
    pool_name: "Who wins?",
    pool_name_ru: "",
    market_name: "Reds",
  };
  expect(holdingName(held, "Красные")).toBe("Who wins? · Красные");
  expect(holdingName({ ...held, market_name: "Who wins?" }, "Кто победит?")).toBe("Who wins?");
  expect(holdingName({ ...held, pool_name: "The derby" })).toBe("Reds");
  expect(holdingName({ ...held, pool_name: "The derby", market_name: "The derby" })).toBe("");
});

describe("what a position is worth", () => {
  test("is rounded down, as the service does", () => {
    expect(worth({ amount: 182_400, token_type: "YES" }, 0.487)).toBe(88_828);
    expect(worth({ amount: 101, token_type: "NO" }, 0.487)).toBe(51);
  });
});

describe("the steps of what moving the chance costs", () => {
  test.each([
    [0.487, [0.55, 0.6, 0.7]],
    [0.5, [0.55, 0.6, 0.7]],
    [0.004, [0.05, 0.1, 0.2]],
    [0.83, [0.9, 0.95, 0.99]],
    [0.96, [0.99]],
    [0.995, []],
  ])("from %d", (chance, steps) => {
    const found = stepsFrom(chance);
    expect(found).toHaveLength(steps.length);
    steps.forEach((step, index) => {
      expect(found[index]).toBeCloseTo(step);
    });
  });
});

describe("a result", () => {
  const resolution = {
    kind: "manual" as const,
    state: "paid" as const,
    symbol: null,
    source: null,
    outcomes: null,
    strike: null,
    evidence: null,
    decided_at: "2026-11-20T12:00:00Z",
    decided_by: "creator" as const,
    won_side: 1,
    payouts: [0, 1, 0],
    void_at: null,
    disputable_until: null,
    reason: null,
  };
  const outcomes = ["A", "B", "C"].map((name, index) => ({ name, index }));

  test("names the winner, the split, or says that there is none", () => {
    expect(resultText(resolution, outcomes)).toBe("Result: B");
    expect(resultText({ ...resolution, payouts: [0, 1] }, [{ name: "", index: 0 }])).toBe(
      "Result: No",
    );
    expect(resultText({ ...resolution, won_side: -1, payouts: [0.4, 0.6, 0] }, outcomes)).toBe(
      "Result: split, A 40.0 kop., B 60.0 kop.",
    );
    expect(resultText({ ...resolution, won_side: -1, payouts: null }, outcomes)).toContain("Void");
    expect(resultText({ ...resolution, decided_at: null }, outcomes)).toBeNull();
  });

  test("shows what it was read from, and links to nothing but pages", () => {
    const price = { price: 68_123.4, observed_at: "2026-11-20T12:00:00Z", source: "binance" };
    expect(proofOf(price)?.text).toBe("68,123.4 by binance");
    expect(proofOf({ url: "https://x.example/1", result: "yes" })?.url).toBe("https://x.example/1");
    expect(proofOf({ url: "javascript:alert(1)", result: "yes" })?.url).toBe("");
    expect(proofOf(null)).toBeNull();
  });

  test("conditions are read from both bounds", () => {
    expect(conditionText({ from: 68_000, below: 70_000 })).toBe("68,000 or more below 70,000");
    expect(conditionText({})).toBe("any price");
  });
});

test("trading ended with the first result, whatever followed", () => {
  const verdict = (decided_at: string) => ({ decided_at }) as Schemas["PoolVerdict"];
  const [first, later] = ["2026-03-01T08:00:00Z", "2026-03-02T08:00:00Z"];
  const corrected = { history: [verdict(first), verdict(later)], decided_at: later };
  expect(tradingEnd(corrected)).toBe(first);
  expect(tradingEnd({ history: [], decided_at: later })).toBe(later);
  expect(tradingEnd({ history: [], decided_at: null })).toBeNull();
});
