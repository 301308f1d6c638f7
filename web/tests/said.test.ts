// A comment that goes with a bet: the bet stands whatever becomes of it.
import { expect, test } from "vitest";
import type { User } from "../src/lib/session.svelte.ts";
import { ABOUT, ANN, later, open, REQUEST, world } from "./order-page.ts";

const WITH = { ...ABOUT, comment: "The sky is dark." };
const MUTED = { status: 403, body: { error: "muted", message: "You are muted." } };
const MADE = { status: 201, body: { shares: 200, amount_kopecks: 100, balance_kopecks: 900 } };
const written = () => ({
  id: 5,
  user_id: ANN,
  content: WITH.comment,
  created_at: new Date().toISOString(),
});
const kept = () => world.kept.get("comment") ?? null;

test("it is sent once the bet is made", async () => {
  const { orders } = await open();
  world.replies = [MADE, { status: 201, body: written() }];
  orders.place(REQUEST, WITH);
  await later(0);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  expect([orders.said?.step, orders.said?.commentId, kept()]).toEqual(["written", 5, null]);
  expect(world.sent).toHaveLength(2);
  orders.dismiss();
  expect(orders.said).toBeNull();
});

test("a bet that is refused says nothing", async () => {
  const { orders } = await open();
  world.replies = [{ status: 409, body: { error: "slippage", message: "It moved." } }];
  orders.place(REQUEST, WITH);
  await later(0);
  expect([orders.said, world.sent.length]).toEqual([null, 1]);
});

test("where it is refused the receipt stays, and the text can be corrected and sent again", async () => {
  const { orders } = await open();
  world.replies = [MADE, MUTED, { status: 201, body: written() }];
  orders.place(REQUEST, WITH);
  await later(0);
  const { said } = orders;
  expect([said?.step, said?.error?.code, said?.text]).toEqual(["refused", "muted", WITH.comment]);
  expect(orders.outcome).toMatchObject({ receipt: {} });
  orders.dismiss();
  expect(orders.said).toBe(said);
  if (said) said.text = "Clouds.";
  void said?.send();
  await later(0);
  expect([said?.step, kept(), world.sent.length]).toEqual(["written", null, 3]);
});

test("one whose answer was lost is looked for before it is sent again", async () => {
  const { orders } = await open();
  world.replies = [MADE, "lost"];
  orders.place(REQUEST, WITH);
  await later(0);
  expect(orders.said?.step).toBe("refused");
  world.comments = [written()];
  void orders.said?.send();
  await later(0);
  expect([orders.said?.step, orders.said?.commentId]).toEqual(["written", 5]);
  expect(world.sent).toHaveLength(2);
});

test("a reload goes on with it, and writes nothing twice", async () => {
  const before = await open();
  world.replies = [MADE, "lost"];
  before.orders.place(REQUEST, WITH);
  await later(0);
  expect(kept()).toContain(WITH.comment);
  world.comments = [written()];
  const { orders } = await open();
  orders.resume();
  await later(0);
  expect([orders.said?.step, kept(), world.sent.length]).toEqual(["written", null, 2]);
});

test("what was left out is not sent after a reload, nor is that of somebody else", async () => {
  const before = await open();
  world.replies = [MADE, MUTED];
  before.orders.place(REQUEST, WITH);
  await later(0);
  world.signedIn = ANN + 1;
  const other = await open();
  other.orders.resume();
  await later(0);
  expect([other.orders.said, world.sent.length]).toEqual([null, 2]);
  before.orders.leaveOut();
  world.signedIn = ANN;
  const { orders } = await open();
  orders.resume();
  await later(0);
  expect([orders.said, world.sent.length]).toEqual([null, 2]);
});

test("who is muted has nothing to say, until then", async () => {
  await open();
  const { maySay } = await import("../src/slip/said.svelte.ts");
  const person = { muted_until: null, email_verified: false } as User;
  expect(maySay(person)).toBe(true); // this site sends no mail
  const at = (ms: number) => ({ ...person, muted_until: new Date(Date.now() + ms).toISOString() });
  expect([maySay(at(60_000)), maySay(at(-60_000))]).toEqual([false, true]);
});
