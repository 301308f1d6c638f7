// Where nobody bets, what stands in for a message that speaks of bets does not.
import { describe, expect, test } from "vitest";
import { argumentsOf, LANGUAGES, readMessages } from "../plugins/messages.ts";

const WORDS =
  /\b(bet|stake|trade|trading|trader|market|share|price|balance)s?\b|ставк|торг|трейдер|рын(ок|к)|дол[яией]|баланс/i;
/** Of questions that a rule decides: where a rule looks, there are prices and markets. */
const OF_RULES = /^create\.rule_/;

describe.each(LANGUAGES)("in %s", (language) => {
  const others = Object.entries(readMessages(language)).flatMap(([area, messages]) =>
    Object.entries(messages)
      .filter(([key]) => key.endsWith("_alone"))
      .map(([key, text]) => ({
        name: `${area}.${key}`,
        text,
        // Without the names of arguments.
        words: text.replace(/\{\w+/g, ""),
        replaced: messages[key.replace(/_alone$/, "")] ?? "",
      })),
  );

  test("no message of a site without bets speaks of them", () => {
    const speaking = others.filter(({ name, words }) => WORDS.test(words) && !OF_RULES.test(name));
    expect(speaking.map(({ name }) => name)).toEqual([]);
  });

  test("a message of its own takes what the one that it replaces takes", () => {
    expect(others.length).toBeGreaterThan(5);
    const names = (text: string) => [...argumentsOf(text).keys()].sort();
    for (const { name, text, replaced } of others) {
      expect(replaced, name).not.toBe("");
      expect(names(text), name).toEqual(names(replaced));
    }
  });
});
