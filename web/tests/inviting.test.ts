import { beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../src/api/errors.ts";
import type { Member } from "../src/screens/members/list.ts";
import type { MemberResult } from "../src/screens/members/service.ts";

vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("removeEventListener", () => undefined);
vi.stubGlobal("navigator", { onLine: true });
vi.stubGlobal("location", { pathname: "/", search: "" });
vi.stubGlobal("document", { cookie: "", getElementById: () => null, documentElement: {} });
const kept = new Map<string, string>();
vi.stubGlobal("sessionStorage", {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => kept.set(key, value),
  removeItem: (key: string) => kept.delete(key),
});

interface Person {
  email: string;
  name: string | null;
}
const invite = vi.fn<(people: Person[], options: { check: boolean }) => Promise<MemberResult[]>>();
vi.mock("../src/screens/members/service.ts", () => ({ invite }));
const { Inviting, PIECE } = await import("../src/screens/members/inviting.svelte.ts");
const { session } = await import("../src/lib/session.svelte.ts");

/** Who was invited, as the service knows it. */
const mailed = new Map<string, string | null>();

function answers(people: Person[], { check }: { check: boolean }): Promise<MemberResult[]> {
  return Promise.resolve(
    people.map(({ email, name }) => {
      const result = mailed.has(email) ? "waiting" : "invited";
      if (!check && result === "invited") mailed.set(email, name);
      return { email, result, reason: "" };
    }),
  );
}

const people = (count: number): Member[] =>
  Array.from({ length: count }, (_, index) => ({
    line: index + 1,
    email: `p${String(index)}@x.org`,
    name: `P${String(index)}`,
    credit_kopecks: null,
    creator: null,
    fault: null,
  }));

beforeEach(() => {
  vi.useFakeTimers();
  mailed.clear();
  kept.clear();
  invite.mockReset().mockImplementation(answers);
  session.user = { id: 1 } as never;
});

const sizes = () => invite.mock.calls.map(([asked]) => asked.length);
const lost = () => Promise.reject(new ApiError("network", 0, ""));

test("a list is looked at, then sent in pieces; a line with a fault is not", async () => {
  const inviting = new Inviting();
  const members = people(2 * PIECE + 1);
  members[3] = { ...(members[3] as Member), fault: { why: "repeated", text: "1" } };
  await inviting.check(members, ["email"]);
  expect([inviting.phase, mailed.size]).toEqual(["checked", 0]);
  await inviting.send();
  expect([inviting.phase, mailed.size]).toEqual(["done", 2 * PIECE]);
  expect(sizes()).toEqual([PIECE, PIECE, PIECE, PIECE]);
  expect(mailed.has("p3@x.org")).toBe(false);
  expect(kept.size).toBe(0);
});

test("whose answer was lost is invited once, and counts as invited", async () => {
  const inviting = new Inviting();
  await inviting.check(people(PIECE), ["email"]);
  invite.mockImplementationOnce(async (...asked) => {
    await answers(...asked);
    return lost();
  });
  const sent = inviting.send();
  await vi.advanceTimersByTimeAsync(0);
  expect(inviting.waits).toBe(true);
  await vi.advanceTimersByTimeAsync(60_000);
  await sent;
  expect(inviting.rows.every((row) => row.sent)).toBe(true);
  expect([inviting.phase, mailed.size]).toEqual(["done", PIECE]);
});

test("a page that is loaded again goes on, for the same person alone", async () => {
  const first = new Inviting();
  await first.check(people(2 * PIECE), ["email"]);
  invite.mockImplementationOnce(answers).mockImplementationOnce(() => new Promise(() => undefined));
  void first.send();
  await vi.advanceTimersByTimeAsync(0);
  expect(mailed.size).toBe(PIECE);

  session.user = { id: 2 } as never;
  const other = new Inviting();
  other.resume();
  expect(other.phase).toBe("typing");
  session.user = { id: 1 } as never;
  const again = new Inviting();
  again.resume();
  await vi.advanceTimersByTimeAsync(0);
  expect([again.phase, mailed.size]).toEqual(["done", 2 * PIECE]);
  expect(again.rows.every((row) => row.sent)).toBe(true);
});

test("a name that is refused is left out, and its person invited", async () => {
  const inviting = new Inviting();
  invite.mockImplementation((asked, options) => {
    const index = asked.findIndex(({ name }) => name === "P1");
    const fields = { [`members[${String(index)}].name`]: "reserved" };
    return index < 0
      ? answers(asked, options)
      : Promise.reject(new ApiError("bad_request", 400, "", { fields }));
  });
  await inviting.check(people(3), ["email", "name"]);
  await inviting.send();
  expect(inviting.rows.map((row) => row.unnamed)).toEqual([false, true, false]);
  expect([...mailed.values()]).toEqual(["P0", null, "P2"]);
});

test("a list that is stopped sends no more, and the rest later", async () => {
  const inviting = new Inviting();
  await inviting.check(people(3 * PIECE), ["email"]);
  const sending = inviting.send();
  inviting.stop();
  await sending;
  // The request that was under way is answered first.
  expect([inviting.phase, mailed.size]).toEqual(["checked", PIECE]);
  expect(inviting.rows.filter((row) => row.sent).length).toBe(PIECE);
  expect(kept.size).toBe(0);
  await inviting.send();
  expect([inviting.phase, mailed.size]).toEqual(["done", 3 * PIECE]);
});

test("a list that waits for an answer stops at once", async () => {
  const inviting = new Inviting();
  await inviting.check(people(PIECE), ["email"]);
  invite.mockImplementation(lost);
  const sending = inviting.send();
  await vi.waitFor(() => {
    expect(inviting.waits).toBe(true);
  });
  inviting.stop();
  await sending;
  expect([inviting.phase, inviting.waits, inviting.isBusy]).toEqual(["checked", false, false]);
});

test("the bound of a day stops it until a person goes on", async () => {
  const inviting = new Inviting();
  await inviting.check(people(PIECE + 1), ["email"]);
  invite
    .mockImplementationOnce(answers)
    .mockImplementationOnce(() =>
      Promise.reject(new ApiError("rate_limited", 429, "", {}, "", 3_600)),
    );
  await inviting.send();
  expect([inviting.phase, inviting.isBusy, inviting.done]).toEqual(["sending", false, PIECE]);
  await inviting.send();
  expect([inviting.phase, mailed.size]).toEqual(["done", PIECE + 1]);
});
