// What somebody thinks of outcomes, as it is dragged and typed; what a person's forecasts come to.
import { describe, expect, test } from "vitest";
import { hiddenOf, hiddenUntil } from "../src/forecasts/hidden.ts";
import type { SaidForecast } from "../src/forecasts/own.ts";
import { marketMove } from "../src/forecasts/moved.ts";
import { scoreLook, scoreText } from "../src/forecasts/score.ts";
import { isSame, sent, shared, type Thought } from "../src/forecasts/thinking.ts";
import { byTopic, extremes, growth, isScored } from "../src/screens/user/forecast-figures.ts";

const thought = (probabilities: number[], set: number[] = []): Thought => ({
  probabilities,
  set,
  note: "",
});
const rounded = ({ probabilities }: Thought) => probabilities.map((one) => Number(one.toFixed(6)));

describe("the outcomes of a list share 100 %", () => {
  test("what nobody has set shares what is left, as it stands to each other", () => {
    const made = shared(thought([0.25, 0.25, 0.3, 0.2]), 0, 0.5);
    expect(rounded(made)).toEqual([0.5, 0.166667, 0.2, 0.133333]);
    expect(rounded(shared(made, 2, 0.3))).toEqual([0.5, 0.111111, 0.3, 0.088889]);
  });

  test("where what was set takes more than is left, it gives way, the rest has nothing", () => {
    const made = shared(thought([0.6, 0.3, 0.1], [0, 1]), 2, 0.4);
    expect(rounded(made)).toEqual([0.4, 0.2, 0.4]);
    expect(rounded(shared(thought([0.6, 0.3, 0.1], [0]), 1, 0.8))).toEqual([0.2, 0.8, 0]);
  });

  test("outcomes without any chance share alike, and none leaves 0 to 1", () => {
    expect(rounded(shared(thought([1, 0, 0], []), 0, 0.4))).toEqual([0.4, 0.3, 0.3]);
    expect(rounded(shared(thought([0.5, 0.5]), 0, 1.4))).toEqual([1, 0]);
    expect(rounded(shared(thought([0.5]), 0, 0.72))).toEqual([0.72]);
  });

  test("as it is sent it sums to 1 however often it was divided", () => {
    let made = thought([0.2, 0.2, 0.2, 0.2, 0.2]);
    for (let step = 0; step < 200; step++) made = shared(made, step % 5, ((step * 37) % 101) / 100);
    const sum = sent(made.probabilities).reduce((all, one) => all + one, 0);
    expect(Math.abs(sum - 1)).toBeLessThan(1e-12);
  });

  test("the same is the same to a billionth", () => {
    expect(isSame([0.3, 0.7], [0.3 + 1e-12, 0.7])).toBe(true);
    expect(isSame([0.3, 0.7], [0.31, 0.69])).toBe(false);
    expect(isSame([0.3], [0.3, 0.7])).toBe(false);
  });
});

test("a pool hides forecasts from who has said none, until a time, or from nobody", () => {
  expect(hiddenOf({})).toBe(null);
  expect(hiddenOf({ forecasts: { hidden: "own" } })).toBe("own");
  expect(hiddenUntil({ metadata: { forecasts: { hidden: "own" } } })).toBe(null);
  expect(hiddenUntil({ metadata: { forecasts: { hidden: "2026-12-01T12:00:00Z" } } })).toBe(
    Date.parse("2026-12-01T12:00:00Z"),
  );
});

describe("how far the market went since one said what one thinks", () => {
  const view = (now: number[], names: string[] = []) => ({
    axis: null,
    isYesNo: !names.length,
    names,
    outcomes: now.map((probability) => ({ probability })),
  });
  const move = (then: number[], now: number[], names?: string[]) =>
    marketMove(view(now, names) as Parameters<typeof marketMove>[0], then);

  test("of yes and no it is the chance of yes, of more the outcome that moved most", () => {
    expect(move([0.52], [0.611, 0.389])).toEqual({ name: "", from: "52%", to: "61%" });
    expect(move([0.2, 0.3, 0.5], [0.25, 0.15, 0.6], ["Ash", "Birch", "Oak"])).toEqual({
      name: "Birch",
      from: "30%",
      to: "15%",
    });
  });

  test("nothing is said where it reads the same, or of a list that has grown since", () => {
    expect(move([0.6, 0.4], [0.6, 0.1, 0.3], ["Ash", "Birch", "Other"])).toBe(null);
    expect(move([0.52], [0.523, 0.477])).toBe(null);
    expect(move([0.5, 0.5], [0.502, 0.498], ["Ash", "Birch"])).toBe(null);
  });
});

test("a score has its sign, and none where it is as good as nothing", () => {
  expect([12.34, -0.96, 0.04, -0.04].map(scoreText)).toEqual(["+12.3", "−1.0", "0.0", "0.0"]);
  expect([0.1, -0.1, 0.01].map(scoreLook)).toEqual(["up", "down", ""]);
});

describe("what a person's forecasts come to", () => {
  const said = (pool_id: number, score: number | null, event_name = "Derby"): SaidForecast => ({
    event_id: pool_id,
    event_name,
    event_name_ru: "",
    pool_id,
    pool_name: event_name,
    pool_name_ru: "",
    probabilities: [0.25],
    note: "",
    created_at: "2026-11-01T12:00:00.000Z",
    stands: true,
    won_side: score === null ? null : 0,
    score,
    coverage: score === null ? null : 0.5,
  });
  const all = [said(1, 4), said(2, -3), said(3, null), said(4, 8), said(5, -1), said(6, 0)];
  const scored = all.filter(isScored);
  const placeOf = ({ pool_id: id }: SaidForecast) =>
    id === 5 ? null : { tags: id % 2 ? ["sport"] : ["sport", "art"], pools: 2, decidedAt: 10 - id };

  test("best and worst are told apart by their sign", () => {
    const [best, worst] = extremes(scored, 2);
    expect(best.map(({ score }) => score)).toEqual([8, 4]);
    expect(worst.map(({ score }) => score)).toEqual([-3, -1]);
  });

  test("a score counts in each topic as its event's pools share it", () => {
    expect(byTopic(scored, placeOf)).toEqual([
      { tag: "sport", score: 4.5, count: 4 },
      { tag: "art", score: 2.5, count: 3 },
    ]);
  });

  test("it grows as results came", () => {
    expect(growth(scored, placeOf)).toEqual({ times: [4, 6, 8, 9], values: [0, 4, 2.5, 4.5] });
  });
});
