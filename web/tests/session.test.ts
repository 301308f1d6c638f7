import { beforeEach, expect, test, vi } from "vitest";
import type { User } from "../src/lib/session.svelte.ts";

const ANN = { id: 1, name: "Ann", balance_kopecks: 1_000, email_verified: false } as User;
const BEN = { id: 2, name: "Ben", balance_kopecks: 50 } as User;

let isSignedIn: boolean;
/** What was asked, oldest first; the test answers. */
let waiting: ((status: number, body?: object) => Promise<void>)[];

class PageRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, "http://here.example") : input, init);
  }
}

async function open() {
  vi.resetModules();
  const { session } = await import("../src/lib/session.svelte.ts");
  const ask = async () => {
    const { length } = waiting;
    const done = session.load();
    await vi.waitFor(() => {
      expect(waiting).toHaveLength(length + 1);
    });
    return { done, answer: waiting[length] };
  };
  return { session, ask };
}

beforeEach(() => {
  [isSignedIn, waiting] = [true, []];
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal(
    "BroadcastChannel",
    class {
      postMessage = () => undefined;
    },
  );
  vi.stubGlobal("Request", PageRequest);
  vi.stubGlobal("navigator", { onLine: true });
  vi.stubGlobal("location", { pathname: "/", search: "" });
  vi.stubGlobal("document", {
    getElementById: () => null,
    get cookie() {
      return isSignedIn ? "session_until=4102444800" : "";
    },
    documentElement: { lang: "en" },
  });
  vi.stubGlobal(
    "fetch",
    () =>
      new Promise<Response>((resolve) => {
        waiting.push(async (status, body) => {
          resolve(body ? Response.json(body, { status }) : new Response(null, { status }));
          await new Promise((done) => setTimeout(done, 0));
        });
      }),
  );
});

test("an answer older than the sign-out signs nobody in again", async () => {
  const { session, ask } = await open();
  session.set(ANN);
  const old = await ask();
  const leaving = session.signOut();
  await vi.waitFor(() => {
    expect(waiting).toHaveLength(2);
  });
  isSignedIn = false;
  await waiting[1]?.(200, {});
  await leaving;
  await old.answer?.(200, ANN);
  await old.done;
  expect(session.user).toBeNull();
});

test("an answer older than a sign-in is not taken for the one who has signed in", async () => {
  const { session, ask } = await open();
  const old = await ask();
  session.set(BEN);
  await old.answer?.(401, { error: "session_ended" });
  await old.done;
  expect(session.user).toEqual(BEN);
});

test("an answer older than a bet brings all but the balance", async () => {
  const { session, ask } = await open();
  session.set(ANN);
  const old = await ask();
  session.setBalance(900);
  await old.answer?.(200, { ...ANN, email_verified: true });
  await old.done;
  expect(session.user).toEqual({ ...ANN, email_verified: true, balance_kopecks: 900 });

  const next = await ask();
  await next.answer?.(200, { ...ANN, balance_kopecks: 800 });
  await next.done;
  expect(session.user?.balance_kopecks).toBe(800);
});

test("of two answers the one asked for later holds", async () => {
  const { session, ask } = await open();
  const [first, second] = [await ask(), await ask()];
  await second.answer?.(200, { ...ANN, balance_kopecks: 700 });
  await first.answer?.(200, ANN);
  await Promise.all([first.done, second.done]);
  expect(session.user?.balance_kopecks).toBe(700);
});

test("a later request that is lost takes nothing from an earlier answer", async () => {
  const { session, ask } = await open();
  const [first, second] = [await ask(), await ask()];
  await second.answer?.(503, { error: "unavailable" });
  await first.answer?.(200, ANN);
  await Promise.all([first.done, second.done]);
  expect(session.user).toEqual(ANN);
});
