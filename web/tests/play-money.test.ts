// Play money is never called money.
import { describe, expect, test } from "vitest";
import { argumentsOf, LANGUAGES, readMessages } from "../plugins/messages.ts";

const WORDS = /money|cash\b|kopeck|rouble|₽|деньг|денег|денеж|рубл|копе/i;
/** Said of roubles alone. */
const ROUBLES = new Set(["common.kopecks"]);

describe.each(LANGUAGES)("in %s", (language) => {
  const areas = Object.entries(readMessages(language));

  test("no message of a site with play money speaks of money", () => {
    const speaking = areas.flatMap(([area, messages]) =>
      Object.entries(messages)
        .filter(([key, text]) => WORDS.test(text) && !(`${key}_play` in messages))
        .map(([key]) => `${area}.${key}`),
    );
    expect(speaking.filter((key) => !ROUBLES.has(key))).toEqual([]);
  });

  test("a message of its own takes what the one that it replaces takes", () => {
    const others = areas.flatMap(([area, messages]) =>
      Object.entries(messages)
        .filter(([key]) => key.endsWith("_play"))
        .map(([key, text]) => [area, key, text, messages[key.replace(/_play$/, "")] ?? ""]),
    );
    expect(others.length).toBeGreaterThan(5);
    const names = (text: string) => [...argumentsOf(text).keys()].sort();
    for (const [area, key, text = "", replaced = ""] of others) {
      expect(replaced, `${area}.${key}`).not.toBe("");
      expect(names(text), `${area}.${key}`).toEqual(names(replaced));
    }
  });
});
