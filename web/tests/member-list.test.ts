import { describe, expect, test } from "vitest";
import { textOf } from "../src/screens/members/file-text.ts";
import { readList } from "../src/screens/members/list.ts";

/** "line address name" of each. */
const read = (text: string) =>
  readList(text).members.map(({ line, email, name }) => [line, email, name].join(" ").trim());

describe("a list", () => {
  test.each([
    ["a@x.org\nb@x.org\n", ["1 a@x.org", "2 b@x.org"]],
    ["a@x.org\r\n\r\nb@x.org", ["1 a@x.org", "3 b@x.org"]],
    ["a@x.org, b@x.org; c@x.org\td@x.org", ["1 a@x.org", "1 b@x.org", "1 c@x.org", "1 d@x.org"]],
    ["\uFEFFmailto:a@x.org", ["1 a@x.org"]],
    ["Ann Roe <a@x.org>\n<b@x.org>", ["1 a@x.org Ann Roe", "2 b@x.org"]],
    [
      '"Roe, Ann" <a@x.org>, Bob <b@x.org>, c@x.org',
      ["1 a@x.org Ann Roe", "1 b@x.org Bob", "1 c@x.org"],
    ],
    ["Roe, Ann <a@x.org>; Doe, Bob <b@x.org>", ["1 a@x.org Ann Roe", "1 b@x.org Bob Doe"]],
    ["a@x.org\nno address\nb@x.org", ["1 a@x.org", "2 no address", "3 b@x.org"]],
  ])("%j", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test("of nothing has nobody", () => {
    expect(read("")).toEqual([]);
    expect(read(" \n\t\n")).toEqual([]);
  });
});

describe("a table", () => {
  test.each([
    ["Ann,a@x.org\nBob,b@x.org", ["1 a@x.org Ann", "2 b@x.org Bob"]],
    ["a@x.org;Ann\nb@x.org;Bob", ["1 a@x.org Ann", "2 b@x.org Bob"]],
    ["Ann\tRoe\ta@x.org\nBob\tDoe\tb@x.org", ["1 a@x.org Ann Roe", "2 b@x.org Bob Doe"]],
    ["Name;E-mail\nAnn;a@x.org", ["2 a@x.org Ann"]],
    ["sep=;\nName;E-mail\nAnn;a@x.org", ["3 a@x.org Ann"]],
    ["Фамилия;Имя;Эл. почта\r\nРоу;Анна;a@x.org\r\n", ["2 a@x.org Анна Роу"]],
    ['name,email\n"Roe, Ann ""Annie""",a@x.org', ['2 a@x.org Roe, Ann "Annie"']],
    ['name,email\n"Ann\nRoe",a@x.org\nBob,b@x.org', ["2 a@x.org Ann Roe", "4 b@x.org Bob"]],
    ['"Annie" Roe,a@x.org\nBob,b@x.org', ['1 a@x.org "Annie" Roe', "2 b@x.org Bob"]],
    ["Class,Mail\n9b,Ann <a@x.org>", ["2 a@x.org Ann"]],
    ["1,Ann,a@x.org\n2,Bob,b@x.org", ["1 a@x.org Ann", "2 b@x.org Bob"]],
    ["E-mail\na@x.org\nb.x.org", ["2 a@x.org", "3 b.x.org"]],
    ["name,email\nAnn", ["2  Ann"]],
  ])("%j", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test("says for each what they start with and whether they may make markets", () => {
    const { members, columns } = readList(
      "email,points,creator\na@x.org,500,yes\nb@x.org,,\nc@x.org,lots,no\nd@x.org,1,perhaps",
    );
    expect(columns).toEqual(["email", "credit", "creator"]);
    expect(members.map((one) => [one.credit_kopecks, one.creator, one.fault?.why])).toEqual([
      [50_000, true, undefined],
      [null, null, undefined],
      [null, false, "credit"],
      [100, false, "creator"],
    ]);
  });

  test("reads no class number as money without a head", () => {
    expect(readList("a@x.org,9\nb@x.org,9").members[0]?.credit_kopecks).toBeNull();
  });

  test("names the first line of a repeated address", () => {
    const [, second] = readList("a@x.org\nA@X.org").members;
    expect(second?.fault).toEqual({ why: "repeated", text: "1" });
  });

  test.each(['"', "<", ",", "<@", '";'])("is read, however often it says: %s", (piece) => {
    expect(() => readList(piece.repeat(200_000 / piece.length))).not.toThrow();
  });
});

describe("a file", () => {
  const bytes = (...codes: number[]) => Uint8Array.from(codes);
  test("may be in UTF-8, UTF-16 or Windows-1251", () => {
    expect(textOf(new TextEncoder().encode("Анна"))).toBe("Анна");
    expect(textOf(bytes(0xff, 0xfe, 0x10, 0x04))).toBe("А");
    expect(textOf(bytes(0xfe, 0xff, 0x04, 0x10))).toBe("А");
    expect(textOf(bytes(0xc0, 0xed, 0xed, 0xe0))).toBe("Анна");
  });

  test("is no workbook", () => {
    expect(textOf(bytes(0x50, 0x4b, 3, 4, 0))).toBeNull();
    expect(textOf(bytes(0xd0, 0xcf, 0x11, 0xe0))).toBeNull();
  });
});
