// What people are notified of, as the list says it: by day and market, a line for each thing.
import { beforeAll, expect, test, vi } from "vitest";
import type { Notification } from "../src/screens/notifications/lines.ts";

vi.stubGlobal("addEventListener", () => undefined);
const { loadMessages } = await import("../src/lib/i18n.ts");
const { days, icon, passes, profit, target, text } =
  await import("../src/screens/notifications/lines.ts");

type Params = Notification["params"];

const NAMES = {
  event_name: "Cup?",
  event_name_ru: "Кубок?",
  pool_name: "",
  pool_name_ru: "",
  market_name: "",
  token_type: null,
  shares: null,
  payout_kopecks: null,
  pnl_kopecks: null,
};

let ids = 0;
function made(type: Notification["type"], params: Partial<Params> = {}, at = 12): Notification {
  const one = { id: ++ids, type, text: "…", event_id: 7, comment_id: null, read: false };
  const created_at = `2026-03-01T${String(at)}:00:00Z`;
  return { ...one, created_at, params: { ...NAMES, ...params } };
}

function linesOf(...all: Notification[]): string[] {
  return days(all).flatMap(({ stories }) => stories.flatMap(({ lines }) => lines.map(text)));
}

function said(type: Notification["type"], params: Partial<Params>): string | undefined {
  const one = made(type, params);
  expect(target(one)).toBe("/events/7");
  return linesOf(one)[0];
}

beforeAll(() => loadMessages("en", ["first", "screens"]));

test("each type says what there is to say", () => {
  const moved = { before_bps: 5_000, after_bps: 6_250 };
  expect(said("event_moved", moved)).toBe("The chance moved from 50% to 62.5%.");
  expect(said("event_moved", { ...moved, market_name: "Reds" })).toBe(
    "Reds: the chance moved from 50% to 62.5%.",
  );
  expect(said("event_moved", { ...moved, market_name: "Will it rain? " })).toBe(
    "Will it rain: the chance moved from 50% to 62.5%.",
  );
  expect(said("price_alert", { above_bps: 6_000, after_bps: 6_200 })).toBe(
    "The chance rose to 62%. Your alert was at 60%.",
  );
  expect(said("price_alert", { below_bps: 4_000, after_bps: 3_900 })).toBe(
    "The chance fell to 39%. Your alert was at 40%.",
  );
  expect(said("event_comment", { count: 1 })).toBe("1 new comment.");
  expect(said("tag_published", { tag: "bandy" })).toBe("New with the topic bandy.");
  expect(said("event_cancelled", { note: "Rain." })).toBe("Cancelled: Rain.");
  expect(said("event_cancelled", {})).toBe("Cancelled.");
  expect(said("event_closing", { finish_at: "2026-03-02T12:00:00Z" })).toMatch(
    /^It closes 2 March/,
  );
  expect(said("event_resolved", {})).toBe("Resolved.");
  expect(said("outcome_added", { market_name: "Dana", market_name_ru: "Дана" })).toBe(
    "New outcome “Dana”, taken out of Other: you hold as much of it.",
  );
});

test("a verdict says what won, what it pays and until when it can be disputed", () => {
  const until = { disputable_until: "2026-03-02T12:00:00Z", payout_kopecks: 1_250 };
  const decided = (params: Partial<Params>) => said("verdict_decided", { ...until, ...params });
  expect(decided({ result: "Reds", payouts: [1, 0, 0] })).toMatch(
    /^Decided: Reds\. Your shares will be paid ₽12\.50; you can object until 2 March/,
  );
  expect(decided({ result: "", payouts: [0, 1] })).toMatch(/^Decided: No\./);
  expect(decided({ result: "Cup?", payouts: [1, 0] })).toMatch(/^Decided: Yes\./);
  expect(decided({ result: "", payouts: null })).toMatch(/^Decided without a winner\./);
  expect(said("verdict_held", { held_until: "2026-03-08T12:00:00Z" })).toMatch(/until 8 March/);
  expect(said("rules_clarified", {})).toBe("Its rules were made clearer.");
  // A correction on the same day is a line of its own.
  const both = ["Reds", "Blues"].map((result) =>
    made("verdict_decided", { ...until, result, payouts: [1, 0] }),
  );
  expect(linesOf(...both)).toHaveLength(2);
});

test("what was settled says what won, though its event is not known here", () => {
  expect(said("event_resolved", { result: "Reds", payouts: [1, 0] })).toBe("Result: Reds.");
});

const settled = (market_name: string, payout_kopecks: number, pnl_kopecks: number, at = 12) =>
  made("position_settled", { market_name, payout_kopecks, pnl_kopecks, token_type: "YES" }, at);

test("positions of a market that are settled on one day are one line, which says the result too", () => {
  const nine = Array.from({ length: 9 }, (_, at) => settled(`${String(at)}`, 100, -50));
  const all = [made("event_resolved"), ...nine];
  expect(linesOf(...all)).toEqual(["Your 9 positions paid ₽9.00."]);
  const [line] = days(all)[0]?.stories[0]?.lines ?? [];
  expect(line?.ones).toHaveLength(10);
  expect(line && profit(line)).toEqual({ amount: "−₽4.50", look: "down" });
  expect(linesOf(settled("Reds", 700, 200))).toEqual(["Your Yes · Reds paid ₽7.00."]);
});

test("comments are counted together, alerts told one by one", () => {
  expect(
    linesOf(
      made("event_comment", { count: 2 }),
      made("price_alert", { above_bps: 6_000, after_bps: 6_200 }),
      made("event_comment", { count: 3 }),
      made("price_alert", { above_bps: 5_500, after_bps: 5_600 }),
    ),
  ).toEqual([
    "5 new comments.",
    "The chance rose to 62%. Your alert was at 60%.",
    "The chance rose to 56%. Your alert was at 55%.",
  ]);
});

test("another day or another market is a story of its own", () => {
  const before = { ...made("event_comment", { count: 1 }), created_at: "2026-02-27T12:00:00Z" };
  const elsewhere = { ...made("event_comment", { count: 1 }), event_id: 8 };
  const found = days([made("event_comment", { count: 1 }), elsewhere, before]);
  expect(found.map(({ stories }) => stories.map(({ eventId }) => eventId))).toEqual([[7, 8], [7]]);
});

test("a filter shows its kinds alone, and all shows what this client does not know", () => {
  expect(passes("results", made("position_settled"))).toBe(true);
  expect(passes("talk", made("position_settled"))).toBe(false);
  const unknown = made("event_renamed" as Notification["type"]);
  expect(passes("all", unknown)).toBe(true);
  expect(passes("new", unknown)).toBe(false);
});

test("one without its event's name is said as the service says it", () => {
  expect(said("event_resolved", { event_name: "", event_name_ru: "" })).toBe("…");
});

test("one of a kind that this client does not know is said as the service says it", () => {
  expect(said("event_renamed" as Notification["type"], {})).toBe("…");
});

test("a mention has a picture and words of its own", () => {
  const [line] = days([made("comment_mention")])[0]?.stories[0]?.lines ?? [];
  expect(line && [icon(line), text(line)]).toEqual(["at", "A comment names you."]);
});
