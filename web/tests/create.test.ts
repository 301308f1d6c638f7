import { describe, expect, test } from "vitest";
import {
  choose,
  newDraft,
  priorsOf,
  readDraft,
  requestOf,
  setDraw,
  type Draft,
} from "../src/screens/create/draft.ts";
import { eventChange, formOf, poolChange } from "../src/screens/create/edits.ts";
import {
  leastPrior,
  liquidityAfter,
  liquidityFor,
  movedBy,
  worstCase,
} from "../src/screens/create/liquidity.ts";
import {
  localMoment,
  momentOf,
  parseDecimal,
  parsePercent,
} from "../src/screens/create/numbers.ts";
import { firstWrong, placeOf, problemsAt } from "../src/screens/create/steps.ts";
import { templateBody, type TemplateForm } from "../src/screens/create/template.ts";

const NOW = Date.parse("2026-03-01T00:00:00Z");

function list(percents: string[]): Draft {
  const draft = { ...newDraft(), kind: "list" as const, name: "Who wins?", ownPriors: true };
  draft.outcomes = percents.map((percent, index) => ({
    name: `Name ${String(index)}`,
    nameRu: "",
    percent,
  }));
  return draft;
}

describe("numbers", () => {
  test("are read with a comma and with a point", () => {
    expect(parseDecimal("1 250,5")).toBe(1250.5);
    expect(parseDecimal("−0.25")).toBe(-0.25);
    expect(parseDecimal("1e5")).toBeNull();
    expect(parsePercent("33,33")).toBe(3333);
    expect(parsePercent("100 %")).toBe(10_000);
    expect(parsePercent("100.01")).toBeNull();
    expect(parsePercent("1.234")).toBeNull();
  });

  test("moments survive the field of a form", () => {
    const moment = "2026-03-08T20:30:00.000Z";
    expect(momentOf(localMoment(moment))).toBe(moment);
    expect(momentOf("")).toBeNull();
    expect(localMoment(null)).toBe("");
  });
});

describe("liquidity", () => {
  test("is the most for which the house loses no more than was said", () => {
    const priors = [0.5, 0.3, 0.2];
    const b = liquidityFor(100_000, priors);
    expect(worstCase(b, priors)).toBeLessThanOrEqual(100_000);
    expect(worstCase(b + 1, priors)).toBeGreaterThanOrEqual(100_000);
  });

  test("of a yes/no question counts the side that no market stands for", () => {
    expect(leastPrior([0.9])).toBeCloseTo(0.1);
    expect(leastPrior([0.5, 0.5])).toBe(0.5);
  });

  test("that is added makes a price harder to move", () => {
    const more = liquidityAfter(100_000, 100_000, [0.5]);
    expect(more).toBe(100_000 + Math.floor(100_000 / Math.log(2)));
    expect(movedBy(10_000, 0.5, more, 0)).toBeLessThan(movedBy(10_000, 0.5, 100_000, 0));
  });
});

describe("the draft", () => {
  test("makes priors only of percentages that add up to exactly 100", () => {
    expect(priorsOf(list(["50", "30,5", "19.5"]))).toEqual([0.5, 0.305, 0.195]);
    expect(priorsOf(list(["50", "30", "19.99"]))).toBeNull();
    expect(priorsOf(list(["100", "0"]))).toBeNull();
    expect(priorsOf({ ...newDraft(), yesPercent: "100" })).toBeNull();
  });

  test("of a match has its sides, and a draw where there is one", () => {
    const draft = newDraft();
    choose(draft, "match");
    setDraw(draft, true);
    draft.outcomes[0] = { name: "Reds", nameRu: "Красные", percent: "" };
    draft.outcomes[1] = { name: "Blues", nameRu: "", percent: "" };
    const request = requestOf(draft);
    expect(request.versus_names).toEqual(["Reds", "Blues"]);
    expect(request.has_draw).toBe(true);
    expect(request.pools[0]?.metadata).toMatchObject({
      market_names: ["Reds", "Blues", "Draw"],
      market_names_ru: ["Красные", "Blues", "Ничья"],
    });
    expect(request.pools[0]?.metadata).not.toHaveProperty("market_probabilities");
  });

  test("of a price covers every number once", () => {
    const draft = newDraft();
    choose(draft, "price");
    Object.assign(draft, { symbol: "btc", thresholds: ["60000", "70000.125"] });
    expect(requestOf(draft).pools[0]?.metadata).toMatchObject({
      market_names: ["Below {high}", "{low} – {high}", "{low} or above"],
      resolution: {
        kind: "price",
        symbol: "BTC",
        decimals: 3,
        outcomes: [{ below: 60000 }, { from: 60000, below: 70000.125 }, { from: 70000.125 }],
      },
    });
    draft.relative = "times";
    draft.thresholds = ["1"];
    expect(requestOf(draft).pools[0]?.metadata?.resolution).toMatchObject({
      outcomes: [{ below: { times: 1 } }, { from: { times: 1 } }],
    });
    choose(draft, "yes_no");
    expect(draft.rule).toBe("manual");
  });

  test("that was kept is taken up, but none of another version", () => {
    const draft = list(["50", "50"]);
    expect(readDraft(JSON.stringify(draft))).toEqual(draft);
    expect(readDraft(JSON.stringify({ ...draft, tags: "no list" }))).toBeNull();
    expect(readDraft(JSON.stringify({ name: "old" }))).toBeNull();
    expect(readDraft("{")).toBeNull();
    expect(readDraft(null)).toBeNull();
  });
});

describe("a step", () => {
  test("says what is missing, the first one first", () => {
    const draft = newDraft();
    expect(firstWrong(draft, NOW)).toBe("question");
    draft.name = "Will it snow?";
    expect(firstWrong(draft, NOW)).toBeNull();
    draft.worstKopecks = 10;
    expect(firstWrong(draft, NOW)).toBe("money");
  });

  test("of the times wants an end that lies ahead, after the beginning", () => {
    const draft = { ...newDraft(), finishAt: "2026-02-01T00:00" };
    expect(problemsAt("times", draft, NOW).finishAt).toBe("create.past");
    draft.finishAt = "2026-04-01T00:00";
    draft.liveAt = "2026-04-02T00:00";
    expect(problemsAt("times", draft, NOW).finishAt).toBe("create.before_live");
    const price = { ...newDraft(), rule: "price" as const };
    expect(problemsAt("times", price, NOW).finishAt).toBe("create.need_finish");
  });

  test("of the outcomes wants names, each once, and thresholds that grow", () => {
    const draft = list(["50", "50"]);
    expect(problemsAt("outcomes", draft, NOW)).toEqual({});
    draft.outcomes.forEach((outcome) => (outcome.name = "Same"));
    expect(problemsAt("outcomes", draft, NOW).outcomes).toBe("create.same_outcome_names");
    const price = { ...newDraft(), kind: "price" as const, symbol: "BTC", thresholds: ["2", "1"] };
    expect(problemsAt("outcomes", price, NOW).thresholds).toBe("create.not_ascending");
  });

  test("is found for what the service refuses", () => {
    expect(placeOf("pools[0].margin")).toEqual({ step: "money", field: "marginPercent" });
    expect(placeOf("pools[0].metadata.resolution.symbol")?.step).toBe("outcomes");
    expect(placeOf("pools[0].finish_at")?.step).toBe("times");
    expect(placeOf("something")).toBeNull();
  });
});

test("a template's request has what its form says, or is none", () => {
  const form: TemplateForm = {
    template: "candidates",
    question: "Who wins?",
    percent: "50",
    home: "",
    away: "",
    draw: false,
    symbol: "btc",
    relative: "times",
    names: "Ann\n Bob \n",
  };
  const terms = { worstKopecks: 100_000, finishAt: null };
  expect(templateBody(form, terms)).toMatchObject({ names: ["Ann", "Bob"], finish_at: null });
  expect(templateBody({ ...form, template: "price", names: "1" }, terms)).toBeNull();
  const finishAt = "2026-03-08T20:30:00.000Z";
  expect(
    templateBody({ ...form, template: "price", names: "0,99\n1" }, { ...terms, finishAt }),
  ).toMatchObject({ symbol: "BTC", thresholds: [0.99, 1], relative: "times", finish_at: finishAt });
  expect(templateBody({ ...form, template: "match" }, terms)).toBeNull();
});

test("an edit sends only what was changed", () => {
  const before = {
    ...formOf({ name: "A", name_ru: "", tags: ["x"], pools: [] as unknown[] } as never),
    imageUrl: "",
    externalUrl: "",
  };
  expect(eventChange(before, { ...before, tags: ["x"] })).toBeNull();
  expect(eventChange(before, { ...before, name: "B " })).toMatchObject({ name: "B", tags: null });
  const pool = {
    id: 1,
    name: "P",
    nameRu: "",
    rules: "",
    markets: ["Yes"],
    liveAt: "",
    finishAt: localMoment("2026-03-08T20:30:00.000Z"),
  };
  expect(poolChange(pool, { ...pool, finishAt: "" })).toBeNull();
  expect(poolChange(pool, { ...pool, rules: "New." })).toMatchObject({
    rules: "New.",
    finish_at: null,
  });
});
