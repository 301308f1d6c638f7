import { beforeEach, expect, test, vi } from "vitest";

let asked: URL[];
/** What the service answers to the next questions: 0 is none; quotes once there is nothing left. */
let statuses: number[];

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
vi.stubGlobal("fetch", (request: Request | string) => {
  if (typeof request === "string") return new Promise(() => undefined); // "/api/v1/ready"
  asked.push(new URL(request.url));
  const status = statuses.shift();
  if (status === 0) return Promise.reject(new TypeError("lost"));
  if (status) return Promise.resolve(Response.json({ error: "refused" }, { status }));
  return Promise.resolve(Response.json({ shares: asked.length }));
});
const { Quoting } = await import("../src/slip/quote.svelte.ts");

const question = (size: number) => ({ action: "buy", marketId: 3, side: "YES", size }) as const;
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  [asked, statuses] = [[], []];
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

test("a price that moves does not put off what was typed", async () => {
  const quoting = new Quoting();
  quoting.follow(question(5), 0.5);
  await later(150);
  quoting.follow(question(6), 0.5);
  await later(100);
  quoting.follow(question(6), 0.51);
  await later(50);
  expect(asked).toHaveLength(2);
  quoting.follow(question(6), 0.52);
  await later(1_000);
  expect(asked).toHaveLength(3);
});

test.each([0, 503, 429])("a question without an answer (%i) is asked again", async (status) => {
  statuses = [status, status, status];
  const quoting = new Quoting();
  quoting.follow(question(5), 0.5);
  await later(150);
  for (const [index, wait] of [1_000, 2_000, 4_000].entries()) {
    expect(quoting.error?.status).toBe(status);
    await later(wait - 1);
    expect(asked).toHaveLength(index + 1);
    await later(1);
    expect(asked).toHaveLength(index + 2);
  }
  expect([quoting.quote, quoting.error]).toEqual([{ shares: 4 }, null]);
  await later(60_000);
  expect(asked).toHaveLength(4);
});

test("a refused question, or one that nobody asks any longer, is not asked again", async () => {
  statuses = [409, 0];
  const quoting = new Quoting();
  quoting.follow(question(5), 0.5);
  await later(60_000);
  expect(asked).toHaveLength(1);
  quoting.follow(question(6), 0.5);
  await later(150);
  quoting.follow(null, 0.5);
  await later(60_000);
  expect(asked).toHaveLength(2);
});

test("a quote that no longer holds is gone until there is another", async () => {
  const quoting = new Quoting();
  quoting.follow(question(5), 0.5);
  await later(150);
  expect(quoting.quote).toEqual({ shares: 1 });
  quoting.askAnew();
  expect(quoting.quote).toBeNull();
  await later(0);
  expect(quoting.quote).toEqual({ shares: 2 });
});
