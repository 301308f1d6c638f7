// Questions that are suggested while one types.
import { beforeEach, expect, test, vi } from "vitest";

interface Asked {
  words: string;
  /** Answers with the ids of these questions, or not at all. */
  reply: (ids: number[] | null) => Promise<void>;
}
let asked: Asked[];

class PageRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, "http://here.example") : input, init);
  }
}

const card = (id: number) => ({
  event_id: id,
  pool: { pool_id: id, outcomes: 1, top: [], quantiles: null },
});

vi.useFakeTimers();
vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("navigator", { onLine: true });
vi.stubGlobal("location", { pathname: "/", search: "" });
vi.stubGlobal("document", {
  cookie: "",
  getElementById: () => null,
  documentElement: { lang: "en" },
});
vi.stubGlobal("Request", PageRequest);
vi.stubGlobal("fetch", (request: Request | string) => {
  if (typeof request === "string") return new Promise(() => undefined); // "/api/v1/ready"
  return new Promise<Response>((resolve, reject) => {
    asked.push({
      words: new URL(request.url).searchParams.get("q") ?? "",
      reply: async (ids) => {
        if (ids) resolve(Response.json({ cards: ids.map(card), next_cursor: null }));
        else reject(new TypeError("lost"));
        await vi.advanceTimersByTimeAsync(0);
      },
    });
  });
});
const { Suggestions } = await import("../src/lib/suggestions.svelte.ts");
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const shown = (suggestions: InstanceType<typeof Suggestions>) =>
  suggestions.cards.map(({ event_id }) => event_id);

beforeEach(() => {
  asked = [];
});

test("what is typed is asked once the typing rests", async () => {
  const suggestions = new Suggestions();
  suggestions.ask("r");
  await later(149);
  suggestions.ask("ra ");
  await later(149);
  expect(asked).toEqual([]);
  expect(suggestions.step).toBe("asking");
  await later(1);
  suggestions.ask("ra");
  await later(500);
  expect(asked.map(({ words }) => words)).toEqual(["ra"]);
  await asked[0]?.reply([3, 4]);
  expect([shown(suggestions), suggestions.step]).toEqual([[3, 4], "idle"]);
});

test("an answer that comes after a later question's changes nothing", async () => {
  const suggestions = new Suggestions();
  suggestions.ask("rain");
  await later(150);
  suggestions.ask("snow");
  await later(150);
  await asked[1]?.reply([5]);
  await asked[0]?.reply([1, 2]);
  expect([shown(suggestions), suggestions.step]).toEqual([[5], "idle"]);
  suggestions.ask("hail");
  await later(150);
  suggestions.ask("");
  await asked[2]?.reply([6]);
  expect([shown(suggestions), suggestions.step]).toEqual([[], "idle"]);
});

test("what was found stays while the next is asked for, and goes where nothing comes", async () => {
  const suggestions = new Suggestions();
  suggestions.ask("rain");
  await later(150);
  await asked[0]?.reply([1]);
  suggestions.ask("rainy");
  expect([shown(suggestions), suggestions.step]).toEqual([[1], "asking"]);
  await later(150);
  await asked[1]?.reply(null);
  expect([shown(suggestions), suggestions.step]).toEqual([[], "failed"]);
  suggestions.ask("rainy");
  await later(150);
  expect(asked).toHaveLength(3);
});

test("the arrow keys go through the questions, all results, and back to what is typed", async () => {
  const suggestions = new Suggestions();
  suggestions.ask("rain");
  await later(150);
  await asked[0]?.reply([1, 2]);
  const places = [1, 1, 1, 1, -1, -1].map((way) => {
    suggestions.move(way as 1 | -1);
    return suggestions.at;
  });
  expect(places).toEqual([0, 1, 2, -1, 2, 1]);
  suggestions.ask("rainy");
  expect(suggestions.at).toBe(-1);
});
