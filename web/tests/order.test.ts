import { expect, test, vi } from "vitest";
import { ABOUT, later, open, REQUEST, stored, world } from "./order-page.ts";

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
  expect(world.sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
});

test("an order without an answer is sent again with the same key, 1, 2, 4 … 30 s later", async () => {
  const { orders } = await open();
  world.replies = Array.from({ length: 7 }, () => "lost");
  orders.place(REQUEST, ABOUT);
  for (const [index, wait] of [0, 1, 2, 4, 8, 16, 30].entries()) {
    await later(wait);
    expect(world.sent).toHaveLength(index + 1);
    expect([orders.step, stored()?.undecided]).toEqual(["checking", true]);
  }
  await later(29);
  expect(world.sent).toHaveLength(7);
  await later(1);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(new Set(world.sent.map(({ key }) => key)).size).toBe(1);
});

test("a page that is loaded anew goes on with the order that was under way", async () => {
  const before = await open();
  world.replies = ["lost"];
  before.orders.place(REQUEST, ABOUT);
  await later(0);
  const { orders } = await open();
  expect(orders.order).toBeNull();
  orders.resume();
  expect([orders.step, orders.order?.name]).toEqual(["checking", "Will it rain?"]);
  await later(0);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(world.sent).toHaveLength(2);
  expect(world.sent[0]?.key).toBe(world.sent[1]?.key);
  expect(stored()).toBeNull();
});

test("a refusal decides an order, one after a lost answer too", async () => {
  const { orders } = await open();
  world.replies = ["lost", { status: 409, body: { error: "slippage", message: "It moved." } }];
  orders.place(REQUEST, ABOUT);
  await later(1);
  expect(orders.outcome).toMatchObject({ refused: { code: "slippage" } });
  expect([orders.step, stored()]).toEqual(["idle", null]);
  orders.dismiss();
  expect(orders.outcome).toBeNull();
  // The next one is another order.
  orders.place(REQUEST, ABOUT);
  await later(0);
  expect(world.sent[2]?.key).not.toBe(world.sent[0]?.key);
});

test.each([500, 503])("an answer of %i decides nothing", async (status) => {
  const { orders } = await open();
  world.replies = [{ status, body: { error: "internal_error" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  expect([orders.step, orders.outcome]).toEqual(["checking", null]);
  orders.cancel();
  expect(orders.order).not.toBeNull();
  await later(1);
  expect(orders.outcome).toMatchObject({ receipt: {} });
});

test("a service that is busy for anybody is sent the same order again, not by all at the same moment", async () => {
  const { orders } = await open();
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const busy = { status: 503, body: { error: "unavailable" }, headers: { "Retry-After": "2" } };
  world.replies = [busy, busy];
  orders.place(REQUEST, ABOUT);
  await later(0);
  expect([orders.step, orders.order?.undecided]).toEqual(["busy", true]);
  // The service may have carried it out: it says 503 of that, too.
  orders.cancel();
  await later(2.4);
  expect([orders.step, world.sent.length]).toEqual(["busy", 1]);
  await later(0.1);
  expect(world.sent).toHaveLength(2);
  // Twice as long: it is still busy.
  await later(5);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(new Set(world.sent.map(({ key }) => key)).size).toBe(1);
  vi.restoreAllMocks();
});

test("a service with too much to do is asked again when it says, and what waits can be taken back", async () => {
  const { orders } = await open();
  const limited = {
    status: 429,
    body: { error: "rate_limited" },
    headers: { "Retry-After": "12" },
  };
  world.replies = [limited, limited];
  orders.place(REQUEST, ABOUT);
  await later(11);
  expect([orders.step, world.sent.length]).toEqual(["waiting", 1]);
  await later(1);
  expect([orders.step, world.sent.length]).toEqual(["waiting", 2]);
  orders.cancel();
  expect([orders.step, orders.order, orders.outcome, stored()]).toEqual(["idle", null, null, null]);
  await later(60);
  expect(world.sent).toHaveLength(2);
});

test("an order whose next attempt has begun cannot be taken back", async () => {
  const { orders } = await open();
  world.replies = [{ status: 429, body: { error: "rate_limited" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  let release: () => void = () => undefined;
  world.held = new Promise((resolve) => (release = resolve));
  await later(1);
  expect([orders.step, world.sent.length]).toEqual(["sending", 1]);
  orders.cancel();
  expect(orders.order).not.toBeNull();
  release();
  await later(0);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(world.sent).toHaveLength(2);
});

test("an order in the place of one taken back is sent once", async () => {
  const { orders } = await open();
  world.replies = [{ status: 429, body: { error: "rate_limited" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  orders.cancel();
  orders.place(REQUEST, ABOUT);
  await later(60);
  expect(world.sent).toHaveLength(2);
  expect(orders.outcome).toMatchObject({ receipt: {} });
});

test("too much to do after a lost answer is no reason to call an order off", async () => {
  const { orders } = await open();
  world.replies = ["lost", { status: 429, body: { error: "rate_limited" } }];
  orders.place(REQUEST, ABOUT);
  await later(1);
  expect(orders.step).toBe("checking");
  orders.cancel();
  expect(orders.order).not.toBeNull();
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
  world.replies = ["lost"];
  orders.place(REQUEST, ABOUT);
  await later(0);
  const first = orders.order;
  orders.place(REQUEST, { ...ABOUT, name: "Another" });
  expect(orders.order).toBe(first);
  await later(1);
  expect(world.sent).toHaveLength(2);

  world.signedIn = null;
  await session.load();
  orders.place(REQUEST, ABOUT);
  expect(orders.order).toBeNull();
});

test("a connection that is back ends the wait", async () => {
  const { orders } = await open();
  world.replies = ["lost", "lost", "lost"];
  orders.place(REQUEST, ABOUT);
  await later(3);
  expect(world.sent).toHaveLength(3);
  world.page.dispatchEvent(new Event("online"));
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
  world.replies = ["lost"];
  orders.place(REQUEST, ABOUT);
  await later(1);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect(world.sent).toHaveLength(2);
});
