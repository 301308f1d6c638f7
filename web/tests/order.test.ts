import { beforeEach, expect, test, vi } from "vitest";
import type { User } from "../src/lib/session.svelte.ts";

const YEAR_2100_S = 4_102_444_800;
const ANN = 7;
const BOB = 8;
const RECEIPT = { shares: 200, amount_kopecks: 100, avg_price: 5_000, balance_kopecks: 900 };
const REQUEST = {
  action: "buy",
  body: { market_id: 3, token_type: "YES", amount_kopecks: 100, min_shares: 190 },
} as const;
const TRADE = { market_id: 3, token_type: "YES", action: "buy", amount_kopecks: 100, shares: 200 };
const ABOUT = { eventId: 2, name: "Will it rain?" };

type Reply = "lost" | { status: number; body: object; headers?: Record<string, string> };

/** Whose session the browser has. */
let signedIn: number | null;
/** What the service answers to the next orders; a receipt once there is nothing left. */
let replies: Reply[];
/** The orders that were sent, with the session that they were sent in. */
let sent: { key: string | null; user: number | null }[];
let kept: Map<string, string>;
/** What the caller has traded. */
let trades: object[];
let page: EventTarget;
/** What the service's answers wait for. */
let held: Promise<void>;

function json({ status, body, headers = {} }: Exclude<Reply, "lost">): Response {
  return Response.json(body, { status, headers });
}

/** The network, with a service at its other end. */
async function fetchFrom(input: Request | string): Promise<Response> {
  await held;
  const path = typeof input === "string" ? input : new URL(input.url).pathname;
  if (path.endsWith("/ready")) return json({ status: 200, body: {} });
  if (path.endsWith("/auth/refresh") || signedIn === null)
    return json({ status: 401, body: { error: "unauthorized" } });
  if (path.endsWith("/users/me"))
    return json({ status: 200, body: { id: signedIn, balance_kopecks: 1_000 } });
  if (path.endsWith("/users/me/trades")) return json({ status: 200, body: { trades } });
  sent.push({ key: (input as Request).headers.get("idempotency-key"), user: signedIn });
  const reply = replies.shift() ?? { status: 201, body: RECEIPT };
  if (reply === "lost") throw new TypeError("lost");
  return json(reply);
}

class PageRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, "http://here.example") : input, init);
  }
}

/** Opens the page, or opens it anew: what the page before waited for is gone, its session storage is not. */
async function open() {
  vi.clearAllTimers();
  vi.resetModules();
  page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  const { orders } = await import("../src/slip/order.svelte.ts");
  const { session } = await import("../src/lib/session.svelte.ts");
  await session.load();
  return { orders, session };
}

const later = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);
const stored = () => JSON.parse(kept.get("order") ?? "null") as { undecided: boolean } | null;

beforeEach(() => {
  vi.useFakeTimers();
  [signedIn, replies, sent, kept, trades] = [ANN, [], [], new Map(), []];
  held = Promise.resolve();
  vi.stubGlobal("fetch", fetchFrom);
  vi.stubGlobal("Request", PageRequest);
  vi.stubGlobal("navigator", { onLine: true });
  vi.stubGlobal("location", { pathname: "/", search: "" });
  vi.stubGlobal("document", {
    getElementById: () => null,
    get cookie() {
      return signedIn === null ? "" : `session_until=${String(YEAR_2100_S)}`;
    },
    documentElement: { lang: "en" },
  });
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
});

test("an order is carried out, and its receipt and balance are shown", async () => {
  const { orders, session } = await open();
  const decided = vi.fn();
  orders.decided(decided);
  orders.place(REQUEST, ABOUT);
  expect([orders.step, stored()?.undecided]).toEqual(["sending", false]);
  await later(0);
  expect(orders.outcome).toMatchObject({ receipt: { shares: 200, balanceKopecks: 900 } });
  expect(decided).toHaveBeenCalledOnce();
  expect(session.user?.balance_kopecks).toBe(900);
  expect([orders.step, orders.order, stored()]).toEqual(["idle", null, null]);
  expect(sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
});

test("an order without an answer is sent again with the same key, 1, 2, 4 … 30 s later", async () => {
  const { orders } = await open();
  replies = Array.from({ length: 7 }, () => "lost");
  orders.place(REQUEST, ABOUT);
  for (const [index, wait] of [0, 1, 2, 4, 8, 16, 30].entries()) {
    await later(wait);
    expect(sent).toHaveLength(index + 1);
    expect([orders.step, stored()?.undecided]).toEqual(["checking", true]);
  }
  await later(29);
  expect(sent).toHaveLength(7);
  await later(1);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
});

test("a page that is loaded anew goes on with the order that was under way", async () => {
  const before = await open();
  replies = ["lost"];
  before.orders.place(REQUEST, ABOUT);
  await later(0);
  const { orders } = await open();
  expect(orders.order).toBeNull();
  orders.resume();
  expect([orders.step, orders.order?.name]).toEqual(["checking", "Will it rain?"]);
  await later(0);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(sent).toHaveLength(2);
  expect(sent[0]?.key).toBe(sent[1]?.key);
  expect(stored()).toBeNull();
});

test("a refusal decides an order, one after a lost answer too", async () => {
  const { orders } = await open();
  replies = ["lost", { status: 409, body: { error: "slippage", message: "It moved." } }];
  orders.place(REQUEST, ABOUT);
  await later(1);
  expect(orders.outcome).toMatchObject({ refused: { code: "slippage" } });
  expect([orders.step, stored()]).toEqual(["idle", null]);
  orders.dismiss();
  expect(orders.outcome).toBeNull();
  // The next one is another order.
  orders.place(REQUEST, ABOUT);
  await later(0);
  expect(sent[2]?.key).not.toBe(sent[0]?.key);
});

test.each([500, 503])("an answer of %i decides nothing", async (status) => {
  const { orders } = await open();
  replies = [{ status, body: { error: "internal_error" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  expect([orders.step, orders.outcome]).toEqual(["checking", null]);
  orders.cancel();
  expect(orders.order).not.toBeNull();
  await later(1);
  expect(orders.outcome).toMatchObject({ receipt: {} });
});

test("a service with too much to do is asked again when it says, and what waits can be taken back", async () => {
  const { orders } = await open();
  const limited = {
    status: 429,
    body: { error: "rate_limited" },
    headers: { "Retry-After": "12" },
  };
  replies = [limited, limited];
  orders.place(REQUEST, ABOUT);
  await later(11);
  expect([orders.step, sent.length]).toEqual(["waiting", 1]);
  await later(1);
  expect([orders.step, sent.length]).toEqual(["waiting", 2]);
  orders.cancel();
  expect([orders.step, orders.order, orders.outcome, stored()]).toEqual(["idle", null, null, null]);
  await later(60);
  expect(sent).toHaveLength(2);
});

test("an order whose next attempt has begun cannot be taken back", async () => {
  const { orders } = await open();
  replies = [{ status: 429, body: { error: "rate_limited" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  let release: () => void = () => undefined;
  held = new Promise((resolve) => (release = resolve));
  await later(1);
  expect([orders.step, sent.length]).toEqual(["sending", 1]);
  orders.cancel();
  expect(orders.order).not.toBeNull();
  release();
  await later(0);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(sent).toHaveLength(2);
});

test("an order in the place of one taken back is sent once", async () => {
  const { orders } = await open();
  replies = [{ status: 429, body: { error: "rate_limited" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  orders.cancel();
  orders.place(REQUEST, ABOUT);
  await later(60);
  expect(sent).toHaveLength(2);
  expect(orders.outcome).toMatchObject({ receipt: {} });
});

test("too much to do after a lost answer is no reason to call an order off", async () => {
  const { orders } = await open();
  replies = ["lost", { status: 429, body: { error: "rate_limited" } }];
  orders.place(REQUEST, ABOUT);
  await later(1);
  expect(orders.step).toBe("checking");
  orders.cancel();
  expect(orders.order).not.toBeNull();
});

test("an order whose session ended is over: signing in buys nothing", async () => {
  const { orders, session } = await open();
  replies = [{ status: 401, body: { error: "unauthorized" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  expect(orders.outcome).toMatchObject({ refused: { code: "session_ended" } });
  expect([orders.step, orders.order, stored()]).toEqual(["idle", null, null]);
  signedIn = ANN;
  await session.load();
  orders.retryNow();
  await later(60);
  expect(sent).toHaveLength(1);
});

test("an order that waits is over when its session is", async () => {
  const { orders } = await open();
  replies = [{ status: 429, body: { error: "rate_limited" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  signedIn = null;
  await later(60);
  expect(orders.outcome).toMatchObject({ refused: { code: "session_ended" } });
  expect(sent).toHaveLength(1);
});

test.each([true, false])(
  "an undecided order waits for its person, and is then sent again only if it was made: %s",
  async (wasMade) => {
    const { orders } = await open();
    replies = ["lost"];
    orders.place(REQUEST, ABOUT);
    await later(0);
    if (wasMade) trades = [{ ...TRADE, created_at: new Date().toISOString() }];
    // Bob signs in in another tab: this one does not know.
    signedIn = BOB;
    await later(120);
    expect([orders.step, sent.length]).toEqual(["sign-in", 1]);
    orders.cancel();
    expect(orders.order).not.toBeNull();
    const reloaded = await open();
    reloaded.orders.resume();
    await later(120);
    expect(reloaded.orders.step).toBe("sign-in");
    signedIn = ANN;
    await later(30);
    expect(reloaded.orders.outcome).toMatchObject(
      wasMade ? { receipt: {} } : { refused: { code: "session_ended" } },
    );
    expect(sent.map(({ user }) => user)).toEqual(wasMade ? [ANN, ANN] : [ANN]);
    expect(stored()).toBeNull();
  },
);

test.each([null, BOB])("the receipt of one person is not shown to the next: %s", async (next) => {
  const { orders, session } = await open();
  orders.place(REQUEST, ABOUT);
  await later(0);
  await session.load();
  expect(orders.outcome).not.toBeNull();
  signedIn = next;
  await session.load();
  expect([orders.outcome, orders.decidedOrder]).toEqual([null, null]);
});

test("an answer that comes when another person is signed in is not shown to them", async () => {
  const { orders, session } = await open();
  const decided = vi.fn();
  orders.decided(decided);
  let release: () => void = () => undefined;
  held = new Promise((resolve) => (release = resolve));
  orders.place(REQUEST, ABOUT);
  session.set({ id: BOB, balance_kopecks: 50 } as User);
  release();
  await later(0);
  expect(sent).toHaveLength(1);
  expect([orders.outcome, session.user?.balance_kopecks]).toEqual([null, 50]);
  expect(decided).not.toHaveBeenCalled();
});

test("that a session ended is read after it, and not by the next person", async () => {
  const { orders, session } = await open();
  replies = [{ status: 401, body: { error: "unauthorized" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  signedIn = null;
  await session.load();
  expect(orders.outcome).toMatchObject({ refused: { code: "session_ended" } });
  signedIn = BOB;
  await session.load();
  expect(orders.outcome).toBeNull();
});

test("what this tab has ordered is no news; what has happened elsewhere is", async () => {
  const { orders, session } = await open();
  const changed = vi.fn();
  session.changed(changed);
  session.hear({ type: "own", balance_kopecks: 1_000, realized_kopecks: 0 });
  orders.place(REQUEST, ABOUT);
  await later(0);
  session.hear({ type: "own", balance_kopecks: 900, realized_kopecks: 0 });
  expect(changed).not.toHaveBeenCalled();
  session.hear({ type: "own", balance_kopecks: 1_400, realized_kopecks: 0 });
  expect(session.user?.balance_kopecks).toBe(1_400);
  // What is lost changes no balance.
  session.hear({ type: "own", balance_kopecks: 1_400, realized_kopecks: -100 });
  expect(changed).toHaveBeenCalledTimes(2);
});

test("one order at a time, and none of a stranger", async () => {
  const { orders, session } = await open();
  replies = ["lost"];
  orders.place(REQUEST, ABOUT);
  await later(0);
  const first = orders.order;
  orders.place(REQUEST, { ...ABOUT, name: "Another" });
  expect(orders.order).toBe(first);
  await later(1);
  expect(sent).toHaveLength(2);

  signedIn = null;
  await session.load();
  orders.place(REQUEST, ABOUT);
  expect(orders.order).toBeNull();
});

test("a connection that is back ends the wait", async () => {
  const { orders } = await open();
  replies = ["lost", "lost", "lost"];
  orders.place(REQUEST, ABOUT);
  await later(3);
  expect(sent).toHaveLength(3);
  page.dispatchEvent(new Event("online"));
  await later(0);
  expect(orders.outcome).toMatchObject({ receipt: {} });
});

test("where the browser keeps nothing, an order lasts as long as its page", async () => {
  const blocked = () => {
    throw new DOMException("blocked", "SecurityError");
  };
  vi.stubGlobal("sessionStorage", { getItem: blocked, setItem: blocked, removeItem: blocked });
  const { orders } = await open();
  orders.resume();
  expect(orders.order).toBeNull();
  replies = ["lost"];
  orders.place(REQUEST, ABOUT);
  await later(1);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(sent).toHaveLength(2);
});
