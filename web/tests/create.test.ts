import { describe, expect, test } from "vitest";
import {
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
import {
  isSpare,
  namesIn,
  nextOutcome,
  pasteOutcomes,
} from "../src/screens/create/outcome-lines.ts";
import { requestOf } from "../src/screens/create/request.ts";
import { previewOf } from "../src/screens/create/preview.ts";
import { fieldOf, firstWrong, problemsOf } from "../src/screens/create/problems.ts";

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

function problems(pool: Partial<DraftPool>) {
  return problemsOf(0, draftOf(pool), NOW);
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
    nextOutcome(pool, 1);
    expect(pool.outcomes.map(({ name }) => name)).toEqual(["Name 0", "Name 1", "", "Other"]);
    const metadata = requestOf(draftOf(pool)).pools[0]?.metadata;
    expect(metadata?.shape).toEqual({ kind: "list" });
    expect(metadata?.market_names_ru).toEqual(["Name 0", "Name 1", "", "Другое"]);
    const named = { ...pool, ownPriors: false };
    if (named.outcomes[2]) named.outcomes[2].name = "name 0";
    expect(problems(named).outcomes).toBe("create.same_outcome_names");
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

describe("outcomes", () => {
  const names = ({ outcomes }: DraftPool) => outcomes.map(({ name }) => name);
  const named = (...wanted: string[]): DraftPool => ({
    ...newPool(),
    kind: "list",
    outcomes: wanted.map((name) => ({ name, nameRu: "", percent: "", imageUrl: "" })),
  });

  test("are pasted by lines, without bullets, numbers and empty lines", () => {
    const text = "- Ann\r\n\r\n2. Bob \n(3) Cy\n• 4 seats\n1.5 million\n−5 or less\n*\n";
    const found = ["Ann", "Bob", "Cy", "4 seats", "1.5 million", "−5 or less"];
    expect(namesIn(text)).toEqual(found);
    const pool = named("", "");
    expect(pasteOutcomes(pool, 0, text)).toEqual({ at: 5, added: 6, twice: [], left: 0 });
    expect(names(pool)).toEqual(found);
  });

  test("that are pasted stand after the one they are pasted at, each once", () => {
    const pool = named("Ann", "", "Zoe");
    setOther(pool, true);
    const pasted = pasteOutcomes(pool, 0, "Bob\nann\nBOB\nother\nCy");
    expect(pasted).toEqual({ at: 2, added: 2, twice: ["ann", "BOB", "other"], left: 0 });
    expect(names(pool)).toEqual(["Ann", "Bob", "Cy", "Zoe", "Other"]);
  });

  test("are a hundred at most", () => {
    const pool = named("Ann", "");
    const many = Array.from({ length: 120 }, (_, index) => `Name ${String(index)}`).join("\n");
    expect(pasteOutcomes(pool, 1, many)).toMatchObject({ added: 99, left: 21 });
    expect(pool.outcomes).toHaveLength(100);
    expect(nextOutcome(pool, 99)).toBe(99);
    expect(pool.outcomes).toHaveLength(100);
  });

  test("are added one after another, and two of them stay", () => {
    const pool = named("Ann", "");
    expect(nextOutcome(pool, 0)).toBe(1);
    expect(nextOutcome(pool, 1)).toBe(2);
    expect(names(pool)).toEqual(["Ann", "", ""]);
    expect(isSpare(pool, 2)).toBe(true);
    expect(isSpare(named("Ann", ""), 1)).toBe(false);
    setOther(pool, true);
    expect(isSpare(pool, 3)).toBe(false);
    pool.outcomes.splice(1, 2);
    setOther(pool, false);
    expect(names(pool)).toEqual(["Ann", ""]);
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
    expect(problemsOf(1, alike, NOW).title).toBe("create.same_titles");
    const unnamed = draftOf({}, { title: " " });
    expect(firstWrong(unnamed, NOW)).toBe(1);
    expect(firstWrong(draftOf({ title: "" }), NOW)).toBeNull();
  });

  test("cost the house at most the sum of what each can", () => {
    const draft = draftOf({ worstKopecks: 100_000 }, { ...list(["50", "50"]), title: "Who?" });
    const [first, second] = draft.pools.map(lossBound);
    expect(worstOfAll(draft)).toBe((first ?? 0) + (second ?? 0));
    expect(worstOfAll(draft)).toBeLessThanOrEqual(200_000);
  });

  test("have a thousand outcomes together at most", () => {
    const many = list(Array.from({ length: 100 }, () => "1"));
    const draft = draftOf(...Array.from({ length: 10 }, (_, n) => ({ ...many, title: String(n) })));
    expect(firstWrong(draft, NOW)).toBeNull();
    draft.pools.push({ ...newPool(), title: "One more" });
    expect(firstWrong(draft, NOW)).toBe(10);
  });
});

describe("a draft", () => {
  test("says what is missing", () => {
    const draft = newDraft();
    expect(problemsOf(0, draft, NOW)).toEqual({ name: "create.need_name" });
    expect(firstWrong(draft, NOW)).toBe(0);
    draft.name = "Will it snow?";
    expect(firstWrong(draft, NOW)).toBeNull();
    draft.pools = [{ ...newPool(), worstKopecks: 10 }];
    expect(problemsOf(0, draft, NOW)).toEqual({ worstKopecks: "create.too_little" });
  });

  test("wants an end that lies ahead, after the beginning", () => {
    const pool = { finishAt: "2026-02-01T00:00", liveAt: "" };
    expect(problems(pool).finishAt).toBe("create.past");
    pool.finishAt = "2026-04-01T00:00";
    pool.liveAt = "2026-04-02T00:00";
    expect(problems(pool).finishAt).toBe("create.before_live");
    expect(problems({ rule: "price" }).finishAt).toBe("create.need_finish");
  });

  test("wants names of outcomes, each once, addresses of pictures, and thresholds that grow", () => {
    const pool = list(["50", "50"]);
    expect(problems(pool)).toEqual({});
    pool.outcomes.forEach((outcome) => (outcome.name = "Same"));
    expect(problems(pool).outcomes).toBe("create.same_outcome_names");
    const price = { kind: "price" as const, symbol: "BTC", thresholds: ["2", "1"] };
    expect(problems(price).thresholds).toBe("create.not_ascending");
    const outcome = { name: "Reds", nameRu: "", percent: "", imageUrl: "reds.png" };
    const match = { kind: "match" as const, outcomes: [outcome, { ...outcome, name: "Blues" }] };
    expect(problems(match)).toEqual({ pictures: "create.bad_url" });
  });

  test("is found for what the service refuses, at its question", () => {
    const draft = draftOf({}, { kind: "match" });
    expect(fieldOf("pools[1].margin", draft)).toEqual({ pool: 1, field: "marginPercent" });
    expect(fieldOf("pools[0].metadata.resolution.symbol", draft)?.field).toBe("symbol");
    expect(fieldOf("pools[0].finish_at", draft)).toEqual({ pool: 0, field: "finishAt" });
    expect(fieldOf("versus_images[0]", draft)).toEqual({ pool: 1, field: "pictures" });
    expect(fieldOf("pools[1].name", draft)?.field).toBe("title");
    expect(fieldOf("pools[0].name", draftOf({}))?.field).toBe("name");
    expect(fieldOf("name_ru", draft)).toEqual({ pool: null, field: "nameRu" });
    expect(fieldOf("something", draft)).toBeNull();
  });
});

describe("the preview", () => {
  test("is the card of what is typed, the likeliest first and Other last", () => {
    const pool = list(["20", "50", ""]);
    pool.outcomes[2] = { name: "", nameRu: "", percent: "10", imageUrl: "" };
    setOther(pool, true);
    if (pool.outcomes[3]) pool.outcomes[3].percent = "20";
    const { card, now } = previewOf({ ...draftOf(pool), tags: ["sport"] }, "no address");
    expect(card).toMatchObject({ name: "The derby", image_url: "", status: "active", pools: 1 });
    expect(card.pool).toMatchObject({ outcomes: 4, other: 3 });
    expect(now.top.map(({ outcome_index: index, probability }) => [index, probability])).toEqual([
      [1, 0.5],
      [0, 0.2],
      [2, 0.1],
      [3, 0.2],
    ]);
    expect(now.spread).toBeNull();
  });

  test("of chances that do not add up yet shows all the same", () => {
    const { now } = previewOf(draftOf(list(["90", "90"])), "");
    expect(now.top.map(({ probability }) => probability)).toEqual([0.5, 0.5]);
    expect(previewOf(draftOf({ yesPercent: "30" }), "").now).toMatchObject({
      isYesNo: true,
      top: [{ probability: 0.3 }],
    });
  });

  test("of a number is its median on the axis, once its edges ascend", () => {
    const pool = { ...newPool(), kind: "number" as const };
    pool.number.edges = ["0", "10", "5"];
    expect(previewOf(draftOf(pool), "").now.spread).toBeNull();
    pool.number.edges = ["0", "10", "20"];
    expect(previewOf(draftOf(pool), "").now.spread).toMatchObject({
      axis: { kind: "number", edges: [0, 10, 20] },
      quantiles: [0, 0, 10, 20, 20],
    });
    const price = { kind: "price" as const, thresholds: ["1", "2"] };
    expect(previewOf(draftOf(price), "").now.spread?.axis.edges).toEqual([1, 2]);
    const relative = previewOf(draftOf({ ...price, relative: "times" }), "");
    expect([relative.now.spread, relative.card.pool.outcomes]).toEqual([null, 3]);
  });
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
