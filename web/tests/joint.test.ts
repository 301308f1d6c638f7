import { describe, expect, test } from "vitest";
import { estimate } from "../src/baskets/basket.ts";
import { answersAt, betName, combinations, jointNames, jointOf } from "../src/lib/joint.ts";
import { loadMessages } from "../src/lib/i18n.ts";
import { marketNames } from "../src/lib/market-names.ts";
import {
  basketOf,
  cellsOf,
  chanceIf,
  chanceUnless,
  isPick,
  read,
  written,
} from "../src/joint/table.ts";

const yesNo = (name: string) => ({ name, outcomes: ["Yes", "No"], outcomes_ru: ["Да", "Нет"] });
const SIZES = [2, 2];
/** A·B, A·not B, not A·B, neither. */
const PRICES = [0.3, 0.2, 0.1, 0.4];
const A = { question: 0, outcome: 0 };
const B = { question: 1, outcome: 0 };

describe("questions asked together", () => {
  test("have their combinations as outcomes, the last question's changing fastest", () => {
    const questions = [yesNo("A"), yesNo("B")];
    expect(combinations(questions)).toEqual(["Yes · Yes", "Yes · No", "No · Yes", "No · No"]);
    expect(answersAt(5, [2, 3, 1])).toEqual([1, 2, 0]);
    expect(cellsOf([2, 3], [{ question: 1, outcome: 2 }])).toEqual([2, 5]);
    expect(jointNames(questions, ["Yes · Yes", "Yes · No", "No · Yes", "Own"])[3]).toBe("Own");
  });

  test("are named in the page's language where the service named them", () => {
    const shape = { kind: "joint", questions: [yesNo("A"), yesNo("B")] };
    const markets = combinations(shape.questions).map((name, outcome_index) => ({
      name,
      outcome_index,
    }));
    const asked = [yesNo("Ada survives?"), yesNo("B")];
    expect(marketNames({ markets, metadata: {}, shape: { ...shape, questions: asked } })[1]).toBe(
      "Ada survives: Yes · B: No",
    );
    expect(combinations(shape.questions, "ru")[1]).toBe("Да · Нет");
    const unnamed = [{ name: "A", outcomes: ["Yes", "No", "Other"] }];
    expect(combinations(unnamed, "ru")).toEqual(["Да", "Нет", "Other"]);
    expect(jointOf({ shape: { kind: "number", edges: [1] } })).toBeNull();
  });

  test("have chances alone, under a condition and without it", () => {
    expect(chanceIf(PRICES, SIZES, [B], [A])).toBeCloseTo(0.6);
    expect(chanceIf(PRICES, SIZES, [B], [])).toBeCloseTo(0.4);
    expect(chanceUnless(PRICES, SIZES, { then: [B], condition: A, fixed: [] })).toBeCloseTo(0.2);
    expect(chanceIf([0, 0, 0.5, 0.5], SIZES, [B], [A])).toBeNull();
  });

  test("are bet on as the service does: B if A, not B if A, A alone", () => {
    const bet = basketOf(SIZES, { when: [A], then: [B], isNo: false });
    expect(bet).toEqual({ targets: [0], given: [0, 1] });
    expect(basketOf(SIZES, { when: [A], then: [B], isNo: true }).targets).toEqual([1]);
    expect(basketOf(SIZES, { when: [], then: [A], isNo: true })).toEqual({ targets: [2, 3] });
    // The contract's own check: 500 kopecks at b 1000.
    const curve = { probabilities: PRICES, b: 1000, margin: 0 };
    const made = estimate({ kind: "stake", ...bet, stake: 500 }, curve);
    expect(made.changes).toEqual([732, 0, 500, 500]);
    expect(chanceIf(made.after, SIZES, [B], [A])).toBeCloseTo(0.7572, 4);
    expect(chanceIf(made.after, SIZES, [A], [])).toBeCloseTo(0.4998, 4);
  });

  test("name a trade by what it bought", async () => {
    await loadMessages("en");
    const questions = [yesNo("A"), yesNo("B")];
    expect(betName(questions, [0], [2, 3])).toBe("B: Yes, if A: Yes");
    expect(betName(questions, [0, 2], [])).toBe("B: Yes");
    const three = [...questions, { name: "C", outcomes: ["Ann", "Bob", "Eve"] }];
    expect(betName(three, [1, 2], [6, 7, 8, 9, 10, 11, 3, 4, 5])).toBe(
      "not Ann, if A: Yes · B: Yes",
    );
    expect(betName(questions, [0, 3], [])).toBe("");
  });

  test("keep in the address what the slip is on, unless it makes no sense", () => {
    const pick = { when: [A], then: [{ question: 1, outcome: 1 }], isNo: false };
    expect(read(written(pick.when))).toEqual(pick.when);
    expect(read("0.1_x_2.0")).toEqual([
      { question: 0, outcome: 1 },
      { question: 2, outcome: 0 },
    ]);
    expect(isPick(SIZES, pick)).toBe(true);
    expect(isPick(SIZES, { ...pick, then: [A] })).toBe(false);
    expect(isPick(SIZES, { ...pick, then: [{ question: 1, outcome: 2 }] })).toBe(false);
    expect(isPick(SIZES, { ...pick, then: [] })).toBe(false);
  });
});
