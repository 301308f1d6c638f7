import { describe, expect, test } from "vitest";
import { loadMessages } from "../src/lib/i18n.ts";
import { parseNumber } from "../src/number/typed.ts";
import { thresholdsOf, newPool } from "../src/screens/create/draft.ts";
import {
  numberFault,
  parseDecimal,
  parsePercent,
  parseWhole,
} from "../src/screens/create/numbers.ts";
import { valueOf } from "../src/screens/mine/decision.ts";

describe("a typed number", () => {
  const number = { kind: "number", edges: [1_000], unit: "", isLog: false, zone: "" } as const;

  test.each<[string, number | null, number | null]>([
    // As typed, in English, in Russian.
    ["1,500", 1_500, 1.5],
    ["97,500", 97_500, 97.5],
    ["1,250,000.5", 1_250_000.5, null],
    ["1.250.000,5", null, 1_250_000.5],
    ["0,5", 0.5, 0.5],
    ["180,5", 180.5, 180.5],
    ["1 250,5", 1_250.5, 1_250.5],
    ["0,125", 0.125, 0.125],
    ["1,5", 1.5, 1.5],
    ["1,50,000", null, null],
    ["1500,000", null, 1_500],
    ["1.5", 1.5, 1.5],
    ["−0.25", -0.25, -0.25],
    ["1,5.5", null, null],
    ["1e5", null, null],
    [".", null, null],
    ["", null, null],
  ])("%s is the same everywhere", (typed, english, russian) => {
    const text = (value: number | null) => (value === null ? null : String(value));
    for (const [language, value] of [
      ["en", english],
      ["ru", russian],
    ] as const) {
      expect(parseDecimal(typed, language)).toBe(value);
      expect(parseNumber(typed, language)).toBe(value);
      const sent = valueOf(typed, number, language);
      expect(sent === null ? null : String(Number(sent))).toBe(text(value));
    }
  });

  test("that is unclear says so", async () => {
    await loadMessages("en");
    expect(["1500,000", "1,50,000", "1,5.5"].map((typed) => numberFault(typed, "en"))).toEqual(
      Array(3).fill("This could be read in two ways. Write 1250.50, or digits alone."),
    );
    expect(["", "1,500", "1.5", "1e5", "-"].map((typed) => numberFault(typed, "en"))).toEqual(
      Array(5).fill(""),
    );
    expect(numberFault("1500,000", "ru")).toBe("");
  });

  test("may be under way", () => {
    expect(parseNumber("12.")).toBe(12);
    expect(parseNumber("-.5")).toBe(-0.5);
  });

  test("is a percentage, or a whole number, too", () => {
    for (const language of ["en", "ru"] as const) {
      const percents = ["48,5", "48.5 %", "100", "100,01", "-1", "1.234", ""];
      expect(percents.map((typed) => parsePercent(typed, language))).toEqual([
        4_850,
        4_850,
        10_000,
        ...Array<null>(4).fill(null),
      ]);
      expect(
        ["1 000", "07", "1001", "1,5", "-1"].map((typed) => parseWhole(typed, 1_000, language)),
      ).toEqual([1_000, 7, null, null, null]);
    }
  });

  test("is sent with all its digits", () => {
    expect(valueOf("1,234.123456789012345678", number, "en")).toBe("1234.123456789012345678");
  });

  test("is a threshold in the page's language", () => {
    expect(thresholdsOf({ ...newPool(), thresholds: ["97,500", "100,000.5"] })).toEqual([
      97_500, 100_000.5,
    ]);
  });
});
