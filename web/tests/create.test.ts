import { describe, expect, test } from "vitest";
import {
  addOutcome,
  addPool,
  choose,
  lossBound,
  movePool,
  newDraft,
  newPool,
  priorsOf,
  readDraft,
  removePool,
  setDraw,
  setOther,
  worstOfAll,
  type Draft,
  type DraftPool,
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
import { requestOf } from "../src/screens/create/request.ts";
import {
  firstWrong,
  placeOf,
  placesOf,
  problemsAt,
  type Step,
} from "../src/screens/create/steps.ts";
import { templateBody, type TemplateForm } from "../src/screens/create/template.ts";

const NOW = Date.parse("2026-03-01T00:00:00Z");

function draftOf(...pools: Partial<DraftPool>[]): Draft {
  return {
    ...newDraft(),
    name: "The derby",
    pools: pools.map((pool, index) => ({
      ...newPool(),
      title: `Question ${String(index)}`,
      ...pool,
    })),
  };
}

function list(percents: string[]): DraftPool {
  const outcomes = percents.map((percent, index) => ({
    name: `Name ${String(index)}`,
    nameRu: "",
    imageUrl: "",
    percent,
  }));
  return { ...newPool(), kind: "list", ownPriors: true, outcomes };
}

function problems(step: Step, pool: Partial<DraftPool>) {
  return problemsAt({ step, pool: 0 }, draftOf(pool), NOW);
}

describe("numbers", () => {
  test("are read with a comma and with a point", () => {
    expect(parseDecimal("1 250,5", "ru")).toBe(1250.5);
    expect(parseDecimal("−0.25")).toBe(-0.25);
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
    expect(priorsOf({ ...newPool(), yesPercent: "100" })).toBeNull();
  });

  test("of a match has its sides with their pictures, and a draw where there is one", () => {
    const match = newPool();
    choose(match, "match");
    setDraw(match, true);
    const imageUrl = "https://example.org/reds.png";
    match.outcomes[0] = { name: "Reds", nameRu: "Красные", percent: "", imageUrl };
    match.outcomes[1] = { name: "Blues", nameRu: "", percent: "", imageUrl: "" };
    const request = requestOf(draftOf(newPool(), match));
    expect(request.versus_names).toEqual(["Reds", "Blues"]);
    expect(request.versus_images).toEqual([imageUrl, ""]);
    expect(request.has_draw).toBe(true);
    expect(request.pools[1]?.metadata).toMatchObject({
      market_names: ["Reds", "Blues", "Draw"],
      market_names_ru: ["Красные", "Blues", "Ничья"],
    });
    expect(request.pools[1]?.metadata).not.toHaveProperty("market_probabilities");
    match.outcomes[0].imageUrl = " ";
    expect(requestOf(draftOf(match)).versus_images).toEqual([]);
  });

  test("of a price covers every number once", () => {
    const pool = newPool();
    choose(pool, "price");
    Object.assign(pool, { symbol: "btc", thresholds: ["60000", "70000.125"] });
    expect(requestOf(draftOf(pool)).pools[0]?.metadata).toMatchObject({
      market_names: ["Below {high}", "{low} – {high}", "{low} or above"],
      shape: { kind: "number" },
      resolution: {
        kind: "price",
        symbol: "BTC",
        decimals: 3,
        outcomes: [{ below: 60000 }, { from: 60000, below: 70000.125 }, { from: 70000.125 }],
      },
    });
    pool.relative = "times";
    pool.thresholds = ["1"];
    expect(requestOf(draftOf(pool)).pools[0]?.metadata?.resolution).toMatchObject({
      outcomes: [{ below: { times: 1 } }, { from: { times: 1 } }],
    });
    choose(pool, "yes_no");
    expect(pool.rule).toBe("manual");
  });

  test("of a list that grows has Other as its last outcome", () => {
    const pool = list(["50", "30"]);
    setOther(pool, true);
    expect(pool.outcomes.at(-1)?.nameRu).toBe("Другое");
    addOutcome(pool);
    expect(pool.outcomes.map(({ name }) => name)).toEqual(["Name 0", "Name 1", "", "Other"]);
    const metadata = requestOf(draftOf(pool)).pools[0]?.metadata;
    expect(metadata?.shape).toEqual({ kind: "list" });
    expect(metadata?.market_names_ru).toEqual(["Name 0", "Name 1", "", "Другое"]);
    const named = { ...pool, ownPriors: false };
    if (named.outcomes[2]) named.outcomes[2].name = "name 0";
    expect(problems("outcomes", named).outcomes).toBe("create.same_outcome_names");
    choose(pool, "match");
    expect([pool.hasOther, pool.outcomes.length]).toEqual([false, 2]);
  });

  test("that was kept is taken up, but none of another version", () => {
    const draft = draftOf(list(["50", "50"]), {});
    expect(readDraft(JSON.stringify(draft))).toEqual(draft);
    expect(readDraft(JSON.stringify({ ...draft, tags: "no list" }))).toBeNull();
    expect(readDraft(JSON.stringify({ ...draft, pools: [] }))).toBeNull();
    expect(readDraft(JSON.stringify({ ...draft, pools: [{ kind: "list" }] }))).toBeNull();
    expect(readDraft(JSON.stringify({ name: "old" }))).toBeNull();
    expect(readDraft("{")).toBeNull();
    expect(readDraft(null)).toBeNull();
  });
});

describe("several questions", () => {
  const titles = ({ pools }: Draft) => pools.map(({ title }) => title);

  test("are added with the money and the times of the one before, put in order and taken away", () => {
    const draft = { ...draftOf({ title: "", worstKopecks: 7_700 }), name: "Who wins?" };
    addPool(draft);
    expect(titles(draft)).toEqual(["Who wins?", ""]);
    expect(draft.pools[1]?.worstKopecks).toBe(7_700);
    movePool(draft, 1, -1);
    expect(titles(draft)).toEqual(["", "Who wins?"]);
    movePool(draft, 0, -1);
    removePool(draft, 0);
    removePool(draft, 0);
    expect(titles(draft)).toEqual(["Who wins?"]);
  });

  test("have names of their own, a single one is called as the event is", () => {
    const draft = draftOf({ titleRu: "Кто?" }, {});
    expect(requestOf(draft).pools.map(({ name }) => name)).toEqual(["Question 0", "Question 1"]);
    expect(requestOf(draft).pools[0]?.name_ru).toBe("Кто?");
    expect(requestOf(draftOf({})).pools[0]?.name).toBe("The derby");
    const alike = draftOf({ title: "Who?" }, { title: "Who? " });
    expect(problemsAt({ step: "question", pool: 1 }, alike, NOW).title).toBe("create.same_titles");
    const unnamed = draftOf({}, { title: " " });
    expect(firstWrong(unnamed, NOW)).toEqual({ step: "question", pool: 1 });
    expect(firstWrong(draftOf({ title: "" }), NOW)).toBeNull();
  });

  test("cost the house at most the sum of what each can", () => {
    const draft = draftOf({ worstKopecks: 100_000 }, { ...list(["50", "50"]), title: "Who?" });
    const [first, second] = draft.pools.map(lossBound);
    expect(worstOfAll(draft)).toBe((first ?? 0) + (second ?? 0));
    expect(worstOfAll(draft)).toBeLessThanOrEqual(200_000);
  });

  test("are filled in one after another, then all are checked", () => {
    const places = placesOf(draftOf({}, {})).map(({ step, pool }) => `${step} ${String(pool)}`);
    expect(places).toHaveLength(13);
    expect(places.slice(5, 8)).toEqual(["times 0", "kind 1", "question 1"]);
    expect(places.at(-1)).toBe("check 0");
  });

  test("have a thousand outcomes together at most", () => {
    const many = list(Array.from({ length: 100 }, () => "1"));
    const draft = draftOf(...Array.from({ length: 10 }, (_, n) => ({ ...many, title: String(n) })));
    expect(firstWrong(draft, NOW)).toBeNull();
    draft.pools.push({ ...newPool(), title: "One more" });
    expect(firstWrong(draft, NOW)).toEqual({ step: "outcomes", pool: 10 });
  });
});

describe("a step", () => {
  test("says what is missing, the first one first", () => {
    const draft = newDraft();
    expect(firstWrong(draft, NOW)).toEqual({ step: "question", pool: 0 });
    draft.name = "Will it snow?";
    expect(firstWrong(draft, NOW)).toBeNull();
    draft.pools = [{ ...newPool(), worstKopecks: 10 }];
    expect(firstWrong(draft, NOW)?.step).toBe("money");
  });

  test("of the times wants an end that lies ahead, after the beginning", () => {
    const pool = { finishAt: "2026-02-01T00:00", liveAt: "" };
    expect(problems("times", pool).finishAt).toBe("create.past");
    pool.finishAt = "2026-04-01T00:00";
    pool.liveAt = "2026-04-02T00:00";
    expect(problems("times", pool).finishAt).toBe("create.before_live");
    expect(problems("times", { rule: "price" }).finishAt).toBe("create.need_finish");
  });

  test("of the outcomes wants names, each once, addresses of pictures, and thresholds that grow", () => {
    const pool = list(["50", "50"]);
    expect(problems("outcomes", pool)).toEqual({});
    pool.outcomes.forEach((outcome) => (outcome.name = "Same"));
    expect(problems("outcomes", pool).outcomes).toBe("create.same_outcome_names");
    const price = { kind: "price" as const, symbol: "BTC", thresholds: ["2", "1"] };
    expect(problems("outcomes", price).thresholds).toBe("create.not_ascending");
    const outcome = { name: "Reds", nameRu: "", percent: "", imageUrl: "reds.png" };
    const match = { kind: "match" as const, outcomes: [outcome, { ...outcome, name: "Blues" }] };
    expect(problems("outcomes", match)).toEqual({ pictures: "create.bad_url" });
  });

  test("is found for what the service refuses, at its question", () => {
    const draft = draftOf({}, { kind: "match" });
    expect(placeOf("pools[1].margin", draft)).toEqual({
      place: { step: "money", pool: 1 },
      field: "marginPercent",
    });
    expect(placeOf("pools[0].metadata.resolution.symbol", draft)?.place.step).toBe("outcomes");
    expect(placeOf("pools[0].finish_at", draft)?.place.step).toBe("times");
    expect(placeOf("versus_images[0]", draft)?.place).toEqual({ step: "outcomes", pool: 1 });
    expect(placeOf("pools[1].name", draft)?.field).toBe("title");
    expect(placeOf("pools[0].name", draftOf({}))?.field).toBe("name");
    expect(placeOf("name_ru", draft)?.field).toBe("nameRu");
    expect(placeOf("something", draft)).toBeNull();
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
    other: false,
  };
  const terms = { worstKopecks: 100_000, finishAt: null };
  expect(templateBody(form, terms)).toMatchObject({ names: ["Ann", "Bob"], finish_at: null });
  const growing = templateBody({ ...form, other: true }, terms);
  expect(growing).toMatchObject({ other: true, lmsr_b_kopecks: Math.floor(100_000 / Math.log(3)) });
  expect(templateBody({ ...form, template: "price", names: "1" }, terms)).toBeNull();
  const finishAt = "2026-03-08T20:30:00.000Z";
  expect(
    templateBody({ ...form, template: "price", names: "0.99\n1" }, { ...terms, finishAt }),
  ).toMatchObject({ symbol: "BTC", thresholds: [0.99, 1], relative: "times", finish_at: finishAt });
  expect(templateBody({ ...form, template: "match" }, terms)).toBeNull();
});

test("an edit sends only what was changed", () => {
  const before = {
    ...formOf({ name: "A", name_ru: "", tags: ["x"], versus_names: [], pools: [] } as never),
    imageUrl: "",
    externalUrl: "",
    sides: [{ name: "Reds", imageUrl: "" }],
    mainPool: 0,
  };
  expect(eventChange(before, { ...before, tags: ["x"] })).toBeNull();
  expect(eventChange(before, { ...before, name: "B " })).toMatchObject({ name: "B", tags: null });
  const sides = [{ name: "Reds", imageUrl: "https://example.org/reds.png" }];
  expect(eventChange(before, { ...before, sides, mainPool: 1 })).toMatchObject({
    versus_names: null,
    versus_images: ["https://example.org/reds.png"],
    main_pool_index: 1,
  });
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
