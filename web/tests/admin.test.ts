import { describe, expect, test, vi } from "vitest";
import { ApiError } from "../src/api/errors.ts";
import { lineOf } from "../src/screens/admin/metrics.ts";
import { sectionsOf } from "../src/screens/admin/sections.ts";
import { houseLimitText } from "../src/screens/mine/house-limit.ts";
import type { User } from "../src/lib/session.svelte.ts";

vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("navigator", { onLine: true });
vi.stubGlobal("location", { pathname: "/", search: "" });
vi.stubGlobal("document", { cookie: "", getElementById: () => null, documentElement: {} });
const { Once } = await import("../src/screens/admin/once.svelte.ts");
const { session } = await import("../src/lib/session.svelte.ts");
const { written } = await import("../src/screens/admin/people.svelte.ts");

const DAY_S = 86_400;

function user(roles: Partial<User>): User {
  return {
    is_admin: false,
    is_operator: false,
    is_stats_viewer: false,
    is_creator: false,
    ...roles,
  } as User;
}

test("roles see their own sections", () => {
  expect(sectionsOf(user({}))).toEqual([]);
  expect(sectionsOf(user({ is_creator: true }))).toEqual([]);
  expect(sectionsOf(user({ is_operator: true }))).toEqual(["attention"]);
  expect(sectionsOf(user({ is_stats_viewer: true }))).toEqual(["stats"]);
  expect(sectionsOf(user({ is_admin: true }))).toHaveLength(8);
});

test("an entry of the log names amounts as people read them", () => {
  expect(written({ amount_kopecks: 1_000_050, note: "Prize", is_admin: true })).toBe(
    "amount: ₽10,000.50 · note: Prize · is_admin: true",
  );
});

describe("a number over the days", () => {
  const day = (date: string, house_result_kopecks: number) =>
    ({ date, house_result_kopecks, volume_kopecks: 0 }) as never;

  test("grows to the right and holds to the end of the newest day", () => {
    const { times, values } = lineOf(
      [day("2026-03-02", -500), day("2026-03-01", 300)],
      "house_result_kopecks",
    );
    const first = Date.parse("2026-03-01T00:00:00Z") / 1000;
    expect(times).toEqual([first, first + DAY_S, first + 2 * DAY_S]);
    expect(values).toEqual([300, -500, -500]);
  });

  test("shows losses below zero, and nothing as a flat line", () => {
    const loss = lineOf([day("2026-03-02", -500)], "house_result_kopecks");
    expect(loss.least).toBeLessThan(-500);
    expect(loss.most).toBeGreaterThan(0);
    expect(lineOf([], "volume_kopecks")).toEqual({ times: [], values: [], least: 0, most: 1 });
  });
});

test("only a house limit is explained by its numbers", () => {
  expect(houseLimitText(null)).toBe("");
  expect(houseLimitText(new ApiError("forbidden", 403, ""))).toBe("");
  const details = { required: 500, available: -20 };
  expect(houseLimitText(new ApiError("house_limit", 409, "", details))).not.toBe("");
});

describe("a movement of money", () => {
  /** Sends once for each status, 0 for no answer. Returns the keys, and whether the form was locked after each. */
  async function sendAll(statuses: number[]) {
    const once = new Once();
    const keys: string[] = [];
    const locked: boolean[] = [];
    for (const status of statuses) {
      await once.send((key) => {
        keys.push(key);
        return status === 201
          ? Promise.resolve({})
          : Promise.reject(new ApiError("refused", status, ""));
      });
      locked.push(once.isUndecided);
    }
    return { keys: new Set(keys).size, locked };
  }

  test.each([401, 403, 429])(
    "whose answer was lost keeps its key, through an answer of %i too",
    async (status) => {
      expect(await sendAll([0, status, 503, status, 201])).toEqual({
        keys: 1,
        locked: [true, true, true, true, false],
      });
    },
  );

  test.each([201, 401, 409, 429])("that an answer of %i decides ends with it", async (status) => {
    expect(await sendAll([status, 201])).toEqual({ keys: 2, locked: [false, false] });
  });

  test("that is refused after a lost answer is over", async () => {
    expect(await sendAll([0, 409, 201])).toEqual({ keys: 2, locked: [true, false, false] });
  });

  test("whose answer was lost is its sender's alone", async () => {
    const once = new Once();
    const keys: string[] = [];
    const send = (user: number, status: number) => {
      session.user = { id: user } as User;
      return once.send((key) => {
        keys.push(key);
        return Promise.reject(new ApiError("refused", status, ""));
      });
    };
    await send(1, 0);
    session.user = { id: 2 } as User;
    expect(once.isUndecided).toBe(false);
    await send(2, 403);
    expect(once.isUndecided).toBe(false);
    await send(2, 0);
    expect(once.isUndecided).toBe(true);
    expect(new Set(keys).size).toBe(3);
  });
});
