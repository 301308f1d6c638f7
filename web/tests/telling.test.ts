import { expect, test } from "vitest";
import { tellingNames } from "../src/lib/telling.ts";

test("of names that begin alike each says soon what it alone says", () => {
  const begin = "Will the central bank lower its key rate at the meeting";
  expect(
    tellingNames([`${begin} in May?`, `${begin} in June?`, "Will anyone else resign?"]),
  ).toEqual(["Will the … in May?", "Will the … in June?", "Will anyone else resign?"]);
  expect(tellingNames(["Ada runs", "Ada does not run"])).toEqual(["Ada runs", "Ada does not run"]);
});

test("names that are the same, or share little, stay whole", () => {
  const name = "A name that is longer than a card would ever have room for";
  expect(tellingNames([name, name])).toEqual([name, name]);
  const others = [`The bank ${"x".repeat(40)}`, `The bank ${"y".repeat(40)}`];
  expect(tellingNames(others)).toEqual(others);
  expect(tellingNames([])).toEqual([]);
});
