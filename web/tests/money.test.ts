import { describe, expect, test } from "vitest";
import { cut, money, plainMoney, tradedMoney } from "../src/lib/money.ts";
import { ROUBLES, type Currency } from "../src/lib/site.ts";
import { moneyFault, parseMoney, typedMoney } from "../src/lib/typed-money.ts";

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

describe("money as text", () => {
  test.each([
    [125_050, "₽1,250.50", "1 250,50 ₽"],
    [0, "₽0.00", "0,00 ₽"],
    [7, "₽0.07", "0,07 ₽"],
    [-5, "−₽0.05", "−0,05 ₽"],
    [9_000_000_000_000_000, "₽90,000,000,000,000.00", "90 000 000 000 000,00 ₽"],
    [8_999_999_999_999_999, "₽89,999,999,999,999.99", "89 999 999 999 999,99 ₽"],
  ])("%d kopecks", (kopecks, en, ru) => {
    expect(plain(money(kopecks, { language: "en" }))).toBe(en);
    expect(plain(money(kopecks, { language: "ru" }))).toBe(ru);
  });

  test("is short where there are no kopecks, and compact on cards", () => {
    expect(money(250_000, { as: "short", language: "en" })).toBe("₽2,500");
    expect(money(250_001, { as: "short", language: "en" })).toBe("₽2,500.01");
    expect(money(48_212_300, { as: "compact", language: "en" })).toBe("₽482.1K");
    expect(money(62_210, { as: "compact", language: "en" })).toBe("₽622");
    expect(money(100_000, { as: "compact", language: "en" })).toBe("₽1K");
    expect(plain(money(48_212_300, { as: "compact", language: "ru" }))).toBe("482,1 тыс. ₽");
  });

  test("has a plus sign where one is wanted", () => {
    expect(money(96_288, { signed: true, language: "en" })).toBe("+₽962.88");
    expect(money(0, { signed: true, language: "en" })).toBe("₽0.00");
  });
});

const DOLLARS: Currency = { code: "USD", sign: "$", name: "dollars", name_ru: "", decimals: 2 };
const POINTS: Currency = { code: null, sign: "pts", name: "points", name_ru: "баллы", decimals: 0 };
const STARS: Currency = { ...POINTS, sign: "★" };

describe("another currency", () => {
  test.each([
    [DOLLARS, 125_050, "$1,250.50", "1 250,50 $"],
    [DOLLARS, -5, "−$0.05", "−0,05 $"],
    [POINTS, 125_050, "1,250 pts", "1 250 pts"],
    [STARS, 125_050, "★1,250", "1 250 ★"],
    [POINTS, -199, "−1 pts", "−1 pts"],
    [POINTS, -99, "0 pts", "0 pts"],
  ])("%j is written as the service writes it: %d", (currency, kopecks, en, ru) => {
    expect(plain(money(kopecks, { language: "en", currency }))).toBe(en);
    expect(plain(money(kopecks, { language: "ru", currency }))).toBe(ru);
  });

  test("is short, compact and signed in its way", () => {
    const look = { language: "en", currency: POINTS } as const;
    expect(plain(money(48_212_399, { as: "compact", ...look }))).toBe("482.1K pts");
    expect(plain(money(12_399, { as: "compact", ...look }))).toBe("123 pts");
    expect(plain(money(12_399, { as: "short", signed: true, ...look }))).toBe("+123 pts");
    expect(plain(money(99, { signed: true, ...look }))).toBe("0 pts");
    expect(plain(money(12_345, { as: "short", language: "ru", currency: DOLLARS }))).toBe(
      "123,45 $",
    );
  });

  test("is typed with its own sign, or none", () => {
    expect(parseMoney("$1,250.50", "en", DOLLARS)).toBe(125_050);
    expect(parseMoney("1 250 PTS", "en", POINTS)).toBe(125_000);
    expect(parseMoney("12.00", "en", POINTS)).toBe(1_200);
    expect(parseMoney("₽5", "en", DOLLARS)).toBeNull();
    expect(parseMoney("5 руб.", "ru", DOLLARS)).toBeNull();
    expect(typedMoney(1_255, "en", DOLLARS)).toBe("12.55");
  });

  test("that shows no decimals takes none, and nothing that is not shown is spent", () => {
    expect(parseMoney("12.5", "en", POINTS)).toBeNull();
    expect(moneyFault("12.5", "en", POINTS)).toBe("whole");
    expect(cut(1_299, POINTS)).toBe(1_200);
    expect(cut(1_299, ROUBLES)).toBe(1_299);
    expect(typedMoney(1_255, "ru", POINTS)).toBe("12");
  });

  test("of a trade is never nothing", () => {
    const shown = (kopecks: number, currency = POINTS) =>
      plain(tradedMoney(kopecks, { language: "en", currency }));
    expect([1, 99, 100, 1_299].map((kopecks) => shown(kopecks))).toEqual([
      "<1 pts",
      "<1 pts",
      "1 pts",
      "12 pts",
    ]);
    expect(shown(99, ROUBLES)).toBe("₽0.99");
  });

  test("is exact for programs", () => {
    expect([plainMoney(-5), plainMoney(123_456)]).toEqual(["-0.05", "1234.56"]);
  });
});

describe("roubles as typed", () => {
  test.each([
    ["1250.50", 125_050],
    ["1,250.50", 125_050],
    ["₽ 99", 9_900],
    ["0.1", 10],
    ["0.07", 7],
    ["12.", 1_200],
    ["1 000", 100_000],
    ["0,5", 50],
    ["180,5", 18_050],
    ["1 250,5", 125_050],
    ["90000000000000", 9_000_000_000_000_000],
  ])("in English %s", (typed, kopecks) => {
    expect(parseMoney(typed, "en")).toBe(kopecks);
  });

  test.each([
    ["1 250,50", 125_050],
    ["1\u00a0250,5", 125_050],
    ["1250.50", 125_050],
    ["99 ₽", 9_900],
    ["99 руб.", 9_900],
    ["1.250.000,07", 125_000_007],
  ])("in Russian %s", (typed, kopecks) => {
    expect(parseMoney(typed, "ru")).toBe(kopecks);
  });

  test.each([
    "",
    "-5",
    "abc",
    "1,2,3",
    "1500,000",
    "0,125",
    "1.234",
    "1e5",
    "Infinity",
    "90000000000000.01",
  ])("in English %j is no amount", (typed) => {
    expect(parseMoney(typed, "en")).toBeNull();
  });

  test.each(["", "-5", "1.250", "1,234", "1,2,3", "999999999999999999999"])(
    "in Russian %j is no amount",
    (typed) => {
      expect(parseMoney(typed, "ru")).toBeNull();
    },
  );

  test.each([
    ["en", "-5", "sign"],
    ["en", "abc", "letters"],
    ["en", "1e5", "letters"],
    ["en", "1,2,3", "letters"],
    ["en", "1500,000", "unclear"],
    ["en", "0,125", "digits"],
    ["en", "1.234", "digits"],
    ["en", "90000000000000.01", "large"],
    ["ru", "−5", "sign"],
    ["ru", "1.250", "unclear"],
    ["ru", "1,2345", "digits"],
    ["ru", "999999999999999999999", "large"],
  ] as const)("in %s it is said why %j is no amount: %s", (language, typed, fault) => {
    expect(moneyFault(typed, language)).toBe(fault);
  });

  test.each(["", "₽", "0", "1 250.50"])("nothing is wrong with %j", (typed) => {
    expect(moneyFault(typed, "en")).toBeNull();
  });

  test.each(["en", "ru"] as const)("come back as they were written, in %s", (language) => {
    for (const kopecks of [1, 10, 99, 100, 101, 123_456, 8_999_999_999_999_999]) {
      expect(parseMoney(typedMoney(kopecks, language), language)).toBe(kopecks);
      expect(parseMoney(money(kopecks, { language }), language)).toBe(kopecks);
    }
  });
});
