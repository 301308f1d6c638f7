import { beforeAll, expect, test, vi } from "vitest";
import type { Schemas } from "../src/api/client.ts";
import { loadMessages } from "../src/lib/i18n.ts";
import { holdsText } from "../src/screens/event/author-holds.ts";
import { pieces } from "../src/lib/mentions.ts";
import { People, typedName, type Person } from "../src/screens/event/people.svelte.ts";

beforeAll(async () => {
  await loadMessages("en", ["first", "event"]);
});
const mention = (nickname: string, id: number) =>
  ({ nickname, user: { id, name: `Name of ${nickname}` } }) as Schemas["CommentMention"];
const PEOPLE = [mention("Ann", 1), mention("b.b.", 2), mention("Ёж_1", 3), mention("ann.lee", 4)];
const shown = (text: string) =>
  pieces(text, PEOPLE).map((one) => (typeof one === "string" ? one : [one.text, one.user.id]));

test.each([
  ["@Ann", [["@Ann", 1]]],
  ["I say @ann: yes", ["I say ", ["@ann", 1], ": yes"]],
  ["Ask @ANN... or @b.b..", ["Ask ", ["@ANN", 1], "... or ", ["@b.b.", 2], "."]],
  ["(@Ёж_1)\n@ёж_1", ["(", ["@Ёж_1", 3], ")\n", ["@ёж_1", 3]]],
  ["@ann.lee.", [["@ann.lee", 4], "."]],
  // No names: an address, longer names, nobody.
  ["write to me@ann or ы@ann", ["write to me@ann or ы@ann"]],
  ["@anna @ann-x @an @ @@", ["@anna @ann-x @an @ @@"]],
  ["@@ann _@ann", ["@", ["@ann", 1], " _", ["@ann", 1]]],
])("of %j whom it names is a link", (text, expected) => {
  expect(shown(text)).toEqual(expected);
});

const market = (id: number, outcome_index: number, name: string) => ({ id, outcome_index, name });
const event = (names: string[]) =>
  ({
    main_pool_index: 1,
    pools: [
      { markets: [market(1, 0, "Other question")], metadata: {} },
      { markets: names.map((name, index) => market(index + 7, index, name)), metadata: {} },
    ],
  }) as unknown as Schemas["Event"];

test("what an author held is said in the words of the slip", () => {
  const holds = { market_id: 8, token_type: "NO", shares: 12_000 } as const;
  expect(holdsText(event(["Reds", "Blues"]), holds)).toBe("holds ₽120 No · Blues");
  const yes = { market_id: 7, token_type: "YES", shares: 50 } as const;
  expect(holdsText(event(["Rain?"]), yes)).toBe("holds ₽0.50 Yes");
  expect(holdsText(event(["Rain?"]), holds)).toBe("");
});

test.each([
  ["Hi @An", 6, { from: 3, name: "An" }],
  ["@", 1, { from: 0, name: "" }],
  ["(@ё.Ж-1 and more", 7, { from: 1, name: "ё.Ж-1" }],
  ["@Ann and", 8, null],
  ["me@An", 5, null],
  ["Hi @An", 3, null],
  [`@${"a".repeat(33)}`, 34, { from: 0, name: "a".repeat(33) }],
  [`@${"a".repeat(34)}`, 35, null],
])("in %j before %i a name is being typed: %j", (text, at, expected) => {
  expect(typedName(text, at)).toEqual(expected);
});

const person = (id: number, nickname: string, name = `Person ${String(id)}`) =>
  ({ id, nickname, name }) as Person;
const page = (items: Person[], next: string | null) => ({ items, next });
const ids = (people: People, typed: string) => people.matching(typed).map(({ id }) => id);

test("people are found by nickname or any part of the name, the nearest first, ten at most", async () => {
  const near = [person(1, "zoe"), person(2, ""), person(3, "x", "Ann Zola")];
  const many = Array.from({ length: 20 }, (_, index) => person(index + 10, `z${String(index)}`));
  const ask = vi.fn(() => Promise.resolve(page([person(1, "zoe"), ...many], "next")));
  const people = new People(near, ask);
  expect([ids(people, "Z"), ids(people, "ann"), ids(people, "ola")]).toEqual([[1, 3], [3], []]);
  await people.ask(() => "z");
  expect(ids(people, "z")).toEqual([1, 3, 10, 11, 12, 13, 14, 15, 16, 17]);
  expect(ask).toHaveBeenCalledTimes(1);
});

test("further pages are asked for while too few match what is typed by then", async () => {
  const ask = vi.fn<(cursor?: string) => Promise<ReturnType<typeof page>>>();
  const people = new People([], ask);
  ask.mockResolvedValueOnce(page([person(1, "ann")], "next"));
  ask.mockResolvedValueOnce(page([person(2, "anna")], "last"));
  const typed = ["an", "an", null];
  await people.ask(() => typed.shift() ?? null);
  expect(ask.mock.calls).toEqual([[undefined], ["next"]]);
  ask.mockRejectedValueOnce(new Error("lost"));
  await people.ask(() => "an");
  expect(ids(people, "an")).toEqual([1, 2]);
  ask.mockResolvedValueOnce(page([person(3, "anne")], null));
  await people.ask(() => "an");
  await people.ask(() => "an");
  expect([ids(people, "an"), ask.mock.calls.length]).toEqual([[1, 2, 3], 4]);
});
