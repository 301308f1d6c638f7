// Written by bin/write_notifications.py from the kinds that the service declares: `just openapi`.
import type { Schemas } from "../api/client.ts";
import { bpsText } from "./alert-limits.ts";
import { dateTime, percent, signed } from "./formats.ts";
import { money } from "./money.ts";

interface Kind {
  /** The heading of the settings under which it stands. */
  group: "own" | "followed" | "run";
  /** What it is about: a filter of the list. */
  section: "waiting" | "results" | "moves" | "closing" | "decided" | "published" | "talk";
  /** Where it leads; "" for its event. */
  link: string;
}

/** By name; a newer service may know more. */
export const KINDS: Partial<Record<string, Kind>> = {
  comment_reply: { group: "own", section: "talk", link: "" },
  comment_mention: { group: "own", section: "talk", link: "" },
  position_settled: { group: "own", section: "results", link: "/portfolio?tab=closed" },
  event_published: { group: "run", section: "published", link: "" },
  event_resolved: { group: "followed", section: "decided", link: "" },
  event_cancelled: { group: "followed", section: "decided", link: "" },
  event_closed: { group: "run", section: "waiting", link: "" },
  resolution_needed: { group: "run", section: "waiting", link: "" },
  series_waiting: { group: "run", section: "waiting", link: "" },
  operator_answer: { group: "own", section: "waiting", link: "/support" },
  order_filled: { group: "own", section: "results", link: "/portfolio?tab=orders&orders=all" },
  orders_ended: { group: "own", section: "results", link: "/portfolio?tab=orders&orders=all" },
  outcome_added: { group: "own", section: "published", link: "" },
  event_closing: { group: "followed", section: "closing", link: "" },
  event_comment: { group: "followed", section: "talk", link: "" },
  event_moved: { group: "followed", section: "moves", link: "" },
  price_alert: { group: "own", section: "moves", link: "" },
  creator_published: { group: "followed", section: "published", link: "" },
  tag_published: { group: "followed", section: "published", link: "" },
  settings_changed: { group: "run", section: "decided", link: "/admin" },
  verdict_decided: { group: "own", section: "results", link: "" },
  verdict_held: { group: "own", section: "results", link: "" },
  rules_clarified: { group: "own", section: "results", link: "" },
  objection_answered: { group: "own", section: "results", link: "" },
  forecast_scored: { group: "own", section: "results", link: "" },
  forecast_old: { group: "own", section: "waiting", link: "" },
} satisfies Record<Schemas["Notification"]["type"], Kind>;

/** Parameters as texts say them. */
export const spoken = (params: Schemas["NotificationParams"]) => ({
  market_name_ru: params.market_name_ru ?? "",
  token_type: params.token_type ?? "",
  shares: params.shares ?? 0,
  payout: money(params.payout_kopecks ?? 0),
  pnl: money(params.pnl_kopecks ?? 0),
  action: params.action ?? "",
  amount: money(params.amount_kopecks ?? 0),
  order_count: params.order_count ?? 0,
  note: params.note ?? "",
  result: params.result ?? "",
  disputable_until: params.disputable_until ? dateTime(params.disputable_until) : "",
  held_until: params.held_until ? dateTime(params.held_until) : "",
  finish: params.finish_at ? dateTime(params.finish_at) : "",
  count: params.count ?? 0,
  tag: params.tag ?? "",
  above: bpsText(params.above_bps ?? 0),
  below: bpsText(params.below_bps ?? 0),
  before: bpsText(params.before_bps ?? 0),
  after: bpsText(params.after_bps ?? 0),
  state: params.state ?? "",
  score: signed(params.score ?? 0),
  coverage: percent(params.coverage ?? 0, 0, false),
});
