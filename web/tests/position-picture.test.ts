// The lines of a text in a picture.
import { expect, test } from "vitest";
import { linesOf } from "../src/screens/event/position-picture.ts";

/** Each letter is 1 wide. */
const room = (width: number, most = 9) => ({ width, most, measure: (text: string) => text.length });

test("a text is broken between words", () => {
  expect(linesOf("Will it rain in May?", room(8))).toEqual(["Will it", "rain in", "May?"]);
  expect(linesOf("Rain", room(8))).toEqual(["Rain"]);
});

test("a word that is longer than a line is broken where the line ends", () => {
  expect(linesOf("A hippopotamus swims", room(6))).toEqual(["A", "hippop", "otamus", "swims"]);
  expect(linesOf("🌧🌧🌧", { ...room(4), measure: (text) => text.length })).toEqual(["🌧🌧", "🌧"]);
});

test("the last line says that there is more", () => {
  expect(linesOf("Will it rain in May?", room(8, 2))).toEqual(["Will it", "rain in…"]);
  expect(linesOf("Will it rain on Monday?", room(7, 1))).toEqual(["Will i…"]);
});
