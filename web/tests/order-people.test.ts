import { expect, test, vi } from "vitest";
import type { User } from "../src/lib/session.svelte.ts";
import {
  ABOUT,
  allStored,
  ANN,
  BOB,
  later,
  open,
  REQUEST,
  stored,
  TRADE,
  world,
} from "./order-page.ts";

test("an order whose session ended is over: signing in buys nothing", async () => {
  const { orders, session } = await open();
  world.replies = [{ status: 401, body: { error: "unauthorized" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  expect(orders.outcome).toMatchObject({ refused: { code: "session_ended" } });
  expect([orders.step, orders.order, stored()]).toEqual(["idle", null, null]);
  world.signedIn = ANN;
  await session.load();
  await later(60);
  expect(world.sent).toHaveLength(1);
});

test("an order that waits is over when its session is", async () => {
  const { orders } = await open();
  world.replies = [{ status: 429, body: { error: "rate_limited" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  world.signedIn = null;
  await later(60);
  expect(orders.outcome).toMatchObject({ refused: { code: "session_ended" } });
  expect(world.sent).toHaveLength(1);
});

test.each([true, false])(
  "an undecided order waits for its person, and is then sent again only if it was made: %s",
  async (wasMade) => {
    const { orders } = await open();
    world.replies = ["lost"];
    orders.place(REQUEST, ABOUT);
    await later(0);
    if (wasMade) world.trades = [{ ...TRADE, created_at: new Date().toISOString() }];
    // Bob signs in in another tab: this one does not know.
    world.signedIn = BOB;
    await later(120);
    expect([orders.step, world.sent.length]).toEqual(["idle", 1]);
    orders.cancel();
    expect(stored()).not.toBeNull();
    world.signedIn = null;
    const reloaded = await open();
    reloaded.orders.resume();
    await later(120);
    expect(reloaded.orders.step).toBe("sign-in");
    world.signedIn = ANN;
    await reloaded.session.load();
    await later(0);
    expect(reloaded.orders.outcome).toMatchObject(
      wasMade ? { receipt: {} } : { refused: { code: "session_ended" } },
    );
    expect(world.sent.map(({ user }) => user)).toEqual(wasMade ? [ANN, ANN] : [ANN]);
    expect(stored()).toBeNull();
  },
);

test("an undecided order stands aside while another person bets, and is found when its own is back", async () => {
  const { orders, session } = await open();
  world.replies = ["lost"];
  orders.place(REQUEST, ABOUT);
  await later(0);
  world.signedIn = BOB;
  await session.load();
  expect([orders.order, orders.step]).toEqual([null, "idle"]);
  world.replies = ["lost"];
  orders.place(REQUEST, { ...ABOUT, name: "Bob's" });
  await later(0);
  expect([orders.order?.name, orders.step]).toEqual(["Bob's", "checking"]);
  expect(new Set(allStored().map(({ key }) => key))).toEqual(
    new Set(world.sent.map(({ key }) => key)),
  );

  const reloaded = await open();
  reloaded.orders.resume();
  await later(0);
  expect(reloaded.orders.outcome).toMatchObject({ receipt: {} });
  expect(reloaded.orders.decidedOrder?.name).toBe("Bob's");
  expect(world.sent.map(({ user }) => user)).toEqual([ANN, BOB, BOB]);
  world.trades = [{ ...TRADE, created_at: new Date().toISOString() }];
  await later(600);
  world.signedIn = ANN;
  await reloaded.session.load();
  await later(0);
  expect(reloaded.orders.decidedOrder?.name).toBe("Will it rain?");
  expect(world.sent.map(({ user }) => user)).toEqual([ANN, BOB, BOB, ANN]);
  expect(world.sent[3]?.key).toBe(world.sent[0]?.key);
  expect(allStored()).toEqual([]);
});

test("nothing is asked for an order aside", async () => {
  const { orders, session } = await open();
  world.replies = ["lost"];
  orders.place(REQUEST, ABOUT);
  await later(0);
  world.signedIn = BOB;
  await session.load();
  await later(1);
  const load = vi.spyOn(session, "load");
  await later(600);
  expect(load).not.toHaveBeenCalled();
});

test.each([null, BOB])("the receipt of one person is not shown to the next: %s", async (next) => {
  const { orders, session } = await open();
  orders.place(REQUEST, ABOUT);
  await later(0);
  await session.load();
  expect(orders.outcome).not.toBeNull();
  world.signedIn = next;
  await session.load();
  expect([orders.outcome, orders.decidedOrder]).toEqual([null, null]);
});

test("an answer that comes when another person is signed in is not shown to them", async () => {
  const { orders, session } = await open();
  const decided = vi.fn();
  orders.decided(decided);
  let release: () => void = () => undefined;
  world.held = new Promise((resolve) => (release = resolve));
  orders.place(REQUEST, ABOUT);
  session.set({ id: BOB, balance_kopecks: 50 } as User);
  release();
  await later(0);
  expect(world.sent).toHaveLength(1);
  expect([orders.outcome, session.user?.balance_kopecks]).toEqual([null, 50]);
  expect(decided).not.toHaveBeenCalled();
});

test("that a session ended is read after it, and not by the next person", async () => {
  const { orders, session } = await open();
  world.replies = [{ status: 401, body: { error: "unauthorized" } }];
  orders.place(REQUEST, ABOUT);
  await later(0);
  world.signedIn = null;
  await session.load();
  expect(orders.outcome).toMatchObject({ refused: { code: "session_ended" } });
  world.signedIn = BOB;
  await session.load();
  expect(orders.outcome).toBeNull();
});

test("an order whose answer is lost while another person is signed in is not sent by its own's return", async () => {
  const { orders, session } = await open();
  let release: () => void = () => undefined;
  world.held = new Promise((resolve) => (release = resolve));
  world.replies = ["lost"];
  orders.place(REQUEST, ABOUT);
  session.set({ id: BOB, balance_kopecks: 50 } as User);
  release();
  await later(60);
  expect(allStored()).toHaveLength(1);
  await session.load();
  await later(0);
  expect(orders.outcome).toMatchObject({ refused: { code: "session_ended" } });
  expect(world.sent).toHaveLength(1);
});
