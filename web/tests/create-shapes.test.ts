import { describe, expect, test } from "vitest";
import { dateEdges, dayStart, newDates, stepDays } from "../src/screens/create/date-ranges.ts";
import {
  newDraft,
  newPool,
  priorsOf,
  readDraft,
  shownNames,
  type Draft,
  type DraftPool,
} from "../src/screens/create/draft.ts";
import {
  longestQuestion,
  newQuestion,
  onlyOpenQuestion,
  renamed,
  type DraftQuestion,
} from "../src/screens/create/joint-questions.ts";
import { answersAt } from "../src/lib/joint.ts";
import { newNumber, propose, proposeEdges } from "../src/screens/create/number-ranges.ts";
import { rangePriors, wholeHundredths } from "../src/screens/create/priors.ts";
import { requestOf } from "../src/screens/create/request.ts";
import { fieldOf, problemsOf } from "../src/screens/create/problems.ts";

const NOW = Date.parse("2026-03-01T00:00:00Z");

const draftOf = (pool: Partial<DraftPool>): Draft => ({
  ...newDraft(),
  name: "How many?",
  pools: [{ ...newPool(), ...pool }],
});
const problems = (pool: Partial<DraftPool>) => problemsOf(0, draftOf(pool), NOW);
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

describe("priors from a median and a range", () => {
  test("have their percentiles where they were said, and sum to exactly 1", () => {
    const priors = rangePriors([-12, -6, 1], { low: -12, median: -6, high: 1 });
    expect(priors).toEqual([0.103, 0.397, 0.397, 0.103]);
    const many = rangePriors(
      Array.from({ length: 99 }, (_, index) => index),
      { low: 10, median: 12, high: 40 },
    );
    expect(Math.round(sum(many.map((one) => one * 10_000)))).toBe(10_000);
    expect(Math.min(...many)).toBeGreaterThan(0);
  });

  test("are whole hundredths of a percent, none of them 0", () => {
    expect(wholeHundredths([1, 1, 1])).toEqual([0.3334, 0.3333, 0.3333]);
    expect(wholeHundredths([0, 0, 5])).toEqual([0.0001, 0.0001, 0.9998]);
  });
});

describe("edges", () => {
  const between = (low: string, high: string, count: string, log = false) =>
    proposeEdges({ ...newNumber(), low, high, count, log });

  test("lie between low and high, no finer than needed", () => {
    expect(between("-20", "15", "9")).toEqual([-20, -15, -10, -5, 0, 5, 10, 15]);
    expect(between("0", "100", "10")).toEqual([0, 12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100]);
    expect(between("0", "100", "9")).toEqual([0, 14, 29, 43, 57, 71, 86, 100]);
    expect(between("0", "1", "5")).toEqual([0, 0.33, 0.67, 1]);
    expect(between("0", "10", "2")).toEqual([5]);
    expect(between("1", "1000", "5", true)).toEqual([1, 10, 100, 1000]);
  });

  test("are none where low is not below high, or not above 0 where they grow", () => {
    for (const edges of [between("5", "5", "4"), between("1", "2", "101"), between("", "2", "4")])
      expect(edges).toBeNull();
    expect(between("0", "10", "4", true)).toBeNull();
  });

  test("make the ranges that the service is asked for", () => {
    const number = { ...newNumber(), low: "0", high: "20", count: "4", unit: "°C" };
    propose(number, ".");
    const pool = { ...newPool(), kind: "number" as const, number };
    expect(requestOf(draftOf(pool)).pools[0]?.metadata).toEqual({
      shape: { kind: "number", edges: [0, 10, 20], unit: "°C", log: false },
      lmsr_b_kopecks: Math.floor(100_000 / Math.log(4)),
      resolution: { kind: "manual", dispute_minutes: 0 },
    });
    Object.assign(pool, { ownPriors: true });
    Object.assign(number, { tenth: "0", median: "10", ninetieth: "20" });
    expect(priorsOf(pool)).toEqual([0.103, 0.397, 0.397, 0.103]);
    expect(shownNames(pool)[1]).toBe("0 – 10 °C");
    expect(problems(pool)).toEqual({});
    number.edges[2] = "x";
    expect(problems(pool)).toEqual({ number: "create.bad_edge" });
    number.edges[2] = "10";
    expect(problems(pool)).toEqual({ number: "create.edges_not_ascending" });
    number.edges = [];
    expect(problems(pool)).toEqual({ number: "create.need_edges" });
    expect(readDraft(JSON.stringify(draftOf(pool)))).toEqual(draftOf(pool));
    expect(readDraft(JSON.stringify(draftOf({ number: {} as never })))).toBeNull();
  });
});

describe("dates", () => {
  const dates = {
    ...newDates(),
    first: "2027-01-15",
    last: "2027-07-01",
    step: "quarter" as const,
    zone: "Europe/Moscow",
  };

  test("begin with the step that holds the first day and end with the last one's end, in the zone", () => {
    expect(dateEdges(dates)).toEqual([
      "2026-12-31T21:00:00Z",
      "2027-03-31T21:00:00Z",
      "2027-06-30T21:00:00Z",
      "2027-09-30T21:00:00Z",
    ]);
    const week = { ...dates, step: "week" as const, first: "2027-01-01", last: "2027-01-04" };
    expect(stepDays(week)?.map((day) => new Date(day).toISOString().slice(0, 10))).toEqual([
      "2026-12-28",
      "2027-01-04",
      "2027-01-11",
    ]);
    const december = { ...dates, step: "month" as const, first: "2027-01-01", last: "2027-12-31" };
    // Or later, or never: an outcome of its own.
    expect(dateEdges(december)?.slice(-2)).toEqual([
      "2027-11-30T21:00:00Z",
      "2027-12-31T21:00:00Z",
    ]);
    expect(stepDays({ ...dates, last: "2126-01-01", step: "month" })).toBeNull();
    expect(stepDays({ ...dates, last: "2026-01-01" })).toBeNull();
  });

  test("begin at a day's first moment, where the clock leaps over midnight, too", () => {
    const leap = dayStart(Date.UTC(2018, 10, 4), "America/Sao_Paulo");
    expect(new Date(leap).toISOString()).toBe("2018-11-04T03:00:00.000Z");
    const kiritimati = dayStart(Date.UTC(2027, 0, 1), "Pacific/Kiritimati");
    expect(new Date(kiritimati).toISOString()).toBe("2026-12-31T10:00:00.000Z");
  });

  test("cannot recur, and need a zone and their days", () => {
    const draft = draftOf({ kind: "date", dates });
    expect(problemsOf(0, { ...draft, loopMinutes: "60" }, NOW)).toEqual({
      loopMinutes: "create.date_recurs",
    });
    expect(problems({ kind: "date", dates })).toEqual({});
    expect(problems({ kind: "date", dates: { ...dates, zone: "Mars/Base" } })).toEqual({
      dates: "create.bad_zone",
    });
    expect(problems({ kind: "date", dates: newDates() })).toEqual({ dates: "create.need_dates" });
    expect(fieldOf("pools[0].metadata.shape.edges[1]", draft)?.field).toBe("dates");
  });
});

describe("joint questions", () => {
  const question = (name: string, answers: [string, string][]): DraftQuestion => ({
    name,
    nameRu: "",
    outcomes: answers.map(([answer, percent]) => ({ name: answer, nameRu: "", percent })),
  });
  const runs = question("Ada runs", [
    ["Yes", "60"],
    ["No", "40"],
  ]);
  const wins = question("Who wins", [
    ["Ada", "50"],
    ["Boris", "30"],
    ["Clara", "20"],
  ]);

  test("have the product of their answers, the last changing fastest", () => {
    const pool = { ...newPool(), kind: "joint" as const, questions: [runs, wins] };
    expect(shownNames(pool).slice(0, 4)).toEqual([
      "Yes · Ada",
      "Yes · Boris",
      "Yes · Clara",
      "No · Ada",
    ]);
    expect(answersAt(4, [2, 3])).toEqual([1, 1]);
    Object.assign(pool, { jointPriors: "questions" });
    expect(priorsOf(pool)).toEqual([0.3, 0.18, 0.12, 0.2, 0.12, 0.08]);
    expect(requestOf(draftOf(pool)).pools[0]?.metadata).toMatchObject({
      shape: {
        kind: "joint",
        questions: [
          { name: "Ada runs", outcomes: ["Yes", "No"] },
          { name: "Who wins", outcomes: ["Ada", "Boris", "Clara"] },
        ],
      },
      market_probabilities: [0.3, 0.18, 0.12, 0.2, 0.12, 0.08],
    });
    Object.assign(pool, { jointPriors: "cells", cells: ["50", "10", "10", "10", "10", "9"] });
    expect(problems(pool)).toEqual({ jointPriors: "create.bad_sum_each" });
  });

  test("have Russian names of usual answers, until they are called otherwise", () => {
    const [first] = newQuestion().outcomes;
    if (!first) throw new Error("a question has answers");
    expect(first.nameRu).toBe("Да");
    first.name = "Ada";
    renamed(first);
    expect(first.nameRu).toBe("");
    first.nameRu = "Ада";
    first.name = "Yes";
    renamed(first);
    expect(first.nameRu).toBe("Ада");
  });

  test("say when a plain list would do, and which to shorten", () => {
    expect(onlyOpenQuestion([0.3, 0.18, 0.12, 0.2, 0.12, 0.08], [2, 3])).toBe(-1);
    expect(onlyOpenQuestion([0.5, 0.3, 0.1997, 0.0001, 0.0001, 0.0001], [2, 3])).toBe(1);
    expect(longestQuestion([runs, wins])).toBe(wins);
    const many = question(
      "Seats",
      Array.from({ length: 34 }, (_, n) => [String(n), ""]),
    );
    expect(problems({ kind: "joint", questions: [many, wins] })).toEqual({
      questions: "create.too_many_cells",
    });
    expect(problems({ kind: "joint", questions: [runs, { ...runs, name: "ADA RUNS" }] })).toEqual({
      questions: "create.same_titles",
    });
    const place = fieldOf("pools[0].metadata.shape.questions[0].name", draftOf({ kind: "joint" }));
    expect(place?.field).toBe("questions");
  });
});
