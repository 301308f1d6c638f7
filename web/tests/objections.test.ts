import { expect, test } from "vitest";
import type { Schemas } from "../src/api/client.ts";
import { loadMessages } from "../src/lib/i18n.ts";
import { proposalText, upheldBody } from "../src/screens/objections/proposals.ts";

await loadMessages("en", ["first", "event", "screens", "work"]);

function pool(names: string[], more: object = {}): Schemas["Pool"] {
  const markets = names.map((name, outcome_index) => ({ name, outcome_index }));
  return { metadata: {}, markets, shape: null, other: null, ...more } as unknown as Schemas["Pool"];
}
const yesNo = pool(["Will it?"]);
const three = pool(["Reds", "Blues", "Greens"]);
const number = pool(["below 10", "10 to 20", "20 or more"], {
  shape: { kind: "number", edges: [10, 20], unit: "°C" },
});
const questions = [
  { name: "First?", outcomes: ["A", "B"] },
  { name: "Second?", outcomes: ["C", "D"] },
];
const joint = pool(["A · C", "A · D", "B · C", "B · D"], { shape: { kind: "joint", questions } });

test("a proposal is said as the result that it would be", () => {
  expect(proposalText(yesNo, { won_side: 1 })).toBe("Result: No");
  expect(proposalText(three, { won_side: 2 })).toBe("Result: Greens");
  expect(proposalText(three, { payouts: [0.5, 0.5, 0] })).toContain("Reds 50");
  expect(proposalText(three, { void: true })).toContain("Void");
  expect(proposalText(three, { void: true, at: "2026-03-01T08:00:00Z" })).toContain("1 March");
  expect(proposalText(number, { value: "12.5" })).toContain("12.5");
  expect(proposalText(joint, { values: ["B", "C"] })).toContain("B");
  expect(proposalText(yesNo, null)).toBe("");
});

test("what is upheld is sent as it was proposed, with why, and of a list how long it is", () => {
  const why = { note: "It was abandoned.", note_ru: null, source_url: null };
  expect(upheldBody(yesNo, { won_side: 0 }, why)).toMatchObject({
    won_side: 0,
    note: "It was abandoned.",
    void: null,
    outcomes: null,
  });
  expect(upheldBody(pool(["A", "B", "Other"], { other: 2 }), { void: true }, why)).toMatchObject({
    won_side: null,
    void: true,
    outcomes: 3,
  });
});
