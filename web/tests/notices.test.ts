// What people are notified of when they follow something, as the list says it.
import { beforeAll, expect, test, vi } from "vitest";
import type { Notification } from "../src/screens/notifications/sentences.ts";

vi.stubGlobal("addEventListener", () => undefined);
const { loadMessages } = await import("../src/lib/i18n.ts");
const { sentence, target } = await import("../src/screens/notifications/sentences.ts");

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

function said(type: Notification["type"], params: Partial<Params>): string {
  const one = { id: 1, type, text: "…", event_id: 7, comment_id: null, read: false };
  const made = { ...one, created_at: "2026-03-01T12:00:00Z", params: { ...NAMES, ...params } };
  expect(target(made)).toBe("/events/7");
  return sentence(made);
}

beforeAll(() => loadMessages("en", ["first", "screens"]));

test("each type says what there is to say", () => {
  const moved = { before_bps: 5_000, after_bps: 6_250 };
  expect(said("event_moved", moved)).toBe("Cup?: the chance moved from 50% to 62.5%.");
  expect(said("event_moved", { ...moved, market_name: "Reds" })).toBe(
    "Cup? · Reds: the chance moved from 50% to 62.5%.",
  );
  expect(said("price_alert", { above_bps: 6_000, after_bps: 6_200 })).toBe(
    "Cup?: the chance rose to 62%. Your alert was at 60%.",
  );
  expect(said("price_alert", { below_bps: 4_000, after_bps: 3_900 })).toBe(
    "Cup?: the chance fell to 39%. Your alert was at 40%.",
  );
  expect(said("event_comment", { count: 1 })).toBe("1 new comment on “Cup?”.");
  expect(said("event_comment", { count: 3 })).toBe("3 new comments on “Cup?”.");
  expect(said("tag_published", { tag: "bandy" })).toBe("New with the topic bandy: “Cup?”.");
  expect(said("creator_published", {})).toBe("A creator you follow has opened “Cup?”.");
  expect(said("event_cancelled", { note: "Rain." })).toBe("“Cup?” was cancelled: Rain.");
  expect(said("event_cancelled", {})).toBe("“Cup?” was cancelled.");
  expect(said("event_closing", { finish_at: "2026-03-02T12:00:00Z" })).toMatch(
    /^Trading on “Cup\?” ends 2 March/,
  );
  expect(said("event_resolved", {})).toBe("“Cup?” is resolved.");
  expect(said("outcome_added", { market_name: "Dana", market_name_ru: "Дана" })).toBe(
    "“Cup?” has a new outcome, “Dana”, taken out of Other: you hold as much of it.",
  );
});

test("one without its event's name is said as the service says it", () => {
  expect(said("event_resolved", { event_name: "", event_name_ru: "" })).toBe("…");
});

test("one of a kind that this client does not know is said as the service says it", () => {
  expect(said("event_renamed" as Notification["type"], {})).toBe("…");
});
