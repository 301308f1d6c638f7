import { beforeEach, expect, test, vi } from "vitest";

let asked: URL[];

class PageRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, "http://here.example") : input, init);
  }
}

vi.useFakeTimers();
vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("navigator", { onLine: true });
vi.stubGlobal("document", {
  cookie: "",
  getElementById: () => null,
  documentElement: { lang: "en" },
});
vi.stubGlobal("Request", PageRequest);
vi.stubGlobal("fetch", (request: Request) => {
  asked.push(new URL(request.url));
  return Promise.resolve(Response.json({ shares: asked.length }));
});
const { Quoting } = await import("../src/slip/quote.svelte.ts");

const question = (size: number) => ({ action: "buy", marketId: 3, side: "YES", size }) as const;
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  asked = [];
});

test("what is typed is asked once the typing rests, and only then", async () => {
  const quoting = new Quoting();
  quoting.follow(question(1), 0.5);
  await later(149);
  quoting.follow(question(12), 0.5);
  await later(149);
  expect(asked).toHaveLength(0);
  await later(1);
  expect(asked.map(({ searchParams }) => searchParams.get("amount_kopecks"))).toEqual(["12"]);
  expect(quoting.quote).toMatchObject({ shares: 1 });
});

test("a page that is refreshed meanwhile takes no question back", async () => {
  const quoting = new Quoting();
  quoting.follow(question(5), 0.5);
  await later(100);
  quoting.follow(question(5), 0.5);
  await later(50);
  expect(quoting.quote).not.toBeNull();
});

test("a price that moves is asked for anew, at most once a second", async () => {
  const quoting = new Quoting();
  quoting.follow(question(5), 0.5);
  await later(150);
  for (const price of [0.51, 0.52, 0.53]) {
    quoting.follow(question(5), price);
    await later(300);
  }
  expect(asked).toHaveLength(1);
  await later(100);
  expect(asked).toHaveLength(2);
  quoting.follow(null, 0.6);
  await later(2_000);
  expect(asked).toHaveLength(2);
  expect(quoting.quote).toBeNull();
});
