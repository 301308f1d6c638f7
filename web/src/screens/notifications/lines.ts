// What the list of notifications shows: by day and market, a line for each thing, however many notifications told of it.
import type { Schemas } from "../../api/client.ts";
import type { IconName } from "../../components/Icon.svelte";
import { bpsText } from "../../lib/alert-limits.ts";
import { nameInEvent, resultInEvent } from "../../lib/event-names.svelte.ts";
import { dayKey } from "../../lib/formats.ts";
import { eventName, holdingName, sideText } from "../../lib/holding-names.ts";
import { localName, t } from "../../lib/i18n.ts";
import { gainLook, money } from "../../lib/money.ts";
import { KINDS, spoken } from "../../lib/notification-kinds.ts";
import { topicName } from "../../lib/topics.ts";
import type { Arguments as Messages } from "../../messages/types.d.ts";

export type Notification = Schemas["Notification"];
type Params = Notification["params"];
type Sum = "payout_kopecks" | "pnl_kopecks" | "amount_kopecks" | "count" | "order_count";

/** Notifications of one thing, newest first. */
export interface Line {
  key: string;
  ones: Notification[];
  first: Notification;
}

/** What happened in a market on a day; without a market, one notification. */
export interface Story {
  key: string;
  eventId: number | null;
  /** The market's name; "" without one. */
  name: string;
  lines: Line[];
}

export interface Day {
  key: string;
  /** Of its newest notification, ISO 8601. */
  at: string;
  stories: Story[];
}

type Every<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  every: infer All,
) => void
  ? All
  : never;
/** What the texts of all kinds take. */
type Arguments = Every<NonNullable<Messages[`notices.listed_${Notification["type"]}`]>>;

export const FILTERS = ["all", "results", "prices", "talk", "new", "todo"] as const;
export type Filter = (typeof FILTERS)[number];
type Section = NonNullable<(typeof KINDS)[string]>["section"];
const FILTER_OF: Record<Section, Filter> = {
  results: "results",
  decided: "results",
  moves: "prices",
  closing: "prices",
  talk: "talk",
  published: "new",
  waiting: "todo",
};
const ICONS: Record<Section, IconName> = {
  results: "check",
  decided: "flag",
  moves: "markets",
  closing: "clock",
  talk: "chat",
  published: "plus",
  waiting: "warning",
};

/** Whether a filter shows a notification. */
export function passes(filter: Filter, { type }: Notification): boolean {
  const section = KINDS[type]?.section;
  return filter === "all" || (section !== undefined && FILTER_OF[section] === filter);
}

/** Notifications, newest first, by day and market. */
export function days(all: readonly Notification[]): Day[] {
  const found: Day[] = [];
  for (const one of all) {
    const key = dayKey(one.created_at);
    const day = found.find((some) => some.key === key) ?? put(found, newDay(key, one));
    const ofMarket = one.event_id === null ? `alone ${String(one.id)}` : String(one.event_id);
    const story =
      day.stories.find((some) => some.key === ofMarket) ??
      put(day.stories, newStory(ofMarket, one));
    addTo(story, one);
  }
  for (const { stories } of found) stories.forEach(foldResult);
  return found;
}

function put<T>(all: T[], one: T): T {
  all.push(one);
  return one;
}

function newDay(key: string, { created_at: at }: Notification): Day {
  return { key, at, stories: [] };
}

function newStory(key: string, { event_id: eventId, params }: Notification): Story {
  return { key, eventId, name: eventName(params), lines: [] };
}

function addTo({ lines }: Story, one: Notification): void {
  const key = `${one.type} ${apart(one)}`;
  const line = lines.find((some) => some.key === key);
  if (line) line.ones.push(one);
  else lines.push({ key, ones: [one], first: one });
}

/** What keeps notifications of one kind apart: positions of a pool are settled together, each alert stands alone. */
function apart({ id, type, params }: Notification): string {
  switch (type) {
    case "position_settled":
    case "rules_clarified":
    case "forecast_scored":
    case "forecast_old":
      return params.pool_name;
    case "order_filled":
      return params.action ?? "";
    case "outcome_added":
    case "price_alert":
    case "verdict_decided":
    case "verdict_held":
      return String(id);
    default:
      return "";
  }
}

/** What one's positions were paid says the result, too. */
function foldResult(story: Story): void {
  const settled = story.lines.find(({ first }) => first.type === "position_settled");
  const resolved = story.lines.find(({ first }) => first.type === "event_resolved");
  if (!settled || !resolved) return;
  settled.ones.push(...resolved.ones);
  story.lines = story.lines.filter((line) => line !== resolved);
}

function sum({ ones, first }: Line, name: Sum): number {
  return ones.reduce(
    (all, { type, params }) => all + (type === first.type ? (params[name] ?? 0) : 0),
    0,
  );
}

/** What happened, in the page's language; the service's own text where a notification tells too little. Reactive. */
export function text(line: Line): string {
  const { type, params, text: given, event_id } = line.first;
  const isKnown = type in KINDS && (event_id === null || eventName(params) !== "");
  if (!isKnown) return given;
  const all: Arguments = argumentsOf(line);
  const said = t(`notices.listed_${type}`, all);
  const part = event_id === null ? "" : partOf(params);
  return part ? `${part} · ${said}` : said;
}

/** The pool that a notification is about, where it has a name of its own. */
const partOf = (params: Params) => holdingName({ ...params, market_name: params.pool_name }, "");

function argumentsOf(line: Line) {
  const { event_id, params, type } = line.first;
  const { market_name: given, market_name_ru: own, pool_name: pool, token_type: side } = params;
  const name = nameInEvent(
    event_id,
    localName({ name: given, name_ru: own ?? "" }),
    (one, { name: its }) => one.name === given && (!pool || its === pool),
  );
  const isQuestion = given === pool || given === params.event_name;
  // Before a colon a question has no mark of its own.
  const outcome = isQuestion ? "" : name.replace(/[?\s]+$/u, "");
  const of = (field: Sum) => sum(line, field);
  const numbers = {
    payout_kopecks: of("payout_kopecks"),
    amount_kopecks: of("amount_kopecks"),
    order_count: of("order_count"),
    count: type === "event_comment" ? of("count") : countOf(line),
  };
  const final =
    type === "verdict_decided" || event_id === null ? "" : resultInEvent(event_id, pool);
  const result = final || wonIn(event_id, params);
  return {
    ...spoken({ ...params, ...numbers }),
    held: [side ? sideText(side) : "", outcome].filter(Boolean).join(" · "),
    outcome,
    tag: topicName(params.tag ?? ""),
    named: outcome ? "yes" : "no",
    result,
    decided: result ? "yes" : "no",
    noted: params.note ? "yes" : "no",
    limit: params.above_bps === undefined ? "below" : "above",
    at: bpsText(params.above_bps ?? params.below_bps ?? 0),
  };
}

/** What won, as the notification says it; "" of an older one, and without a winner. */
function wonIn(eventId: number | null, params: Params): string {
  const { result: won = "", payouts, pool_name: pool, event_name: event } = params;
  const [yes, no, ...more] = payouts ?? [];
  if (more.length === 0 && no === 1 && won === "") return t("common.no");
  if (more.length === 0 && yes === 1 && (won === pool || won === event)) return t("common.yes");
  return nameInEvent(eventId, won, (one, { name }) => one.name === won && (!pool || name === pool));
}

const countOf = ({ ones, first }: Line) => ones.filter(({ type }) => type === first.type).length;

/** What one's positions earned, with its sign and whether that is a gain; null of any other line. */
export function profit(line: Line): { amount: string; look: "up" | "down" | "mute" } | null {
  if (line.first.type !== "position_settled") return null;
  const pnl = sum(line, "pnl_kopecks");
  return { amount: money(pnl, { signed: true }), look: gainLook(pnl) };
}

/** The picture of a line's kind. */
export function icon({ first: { type } }: Line): IconName {
  if (type === "comment_mention") return "at";
  const section = KINDS[type]?.section;
  return section ? ICONS[section] : "bell";
}

/** Where a notification leads. */
export function target({ type, event_id: event, comment_id: comment }: Notification): string {
  const link = KINDS[type]?.link ?? "";
  if (link || event === null) return link;
  const address = `/events/${String(event)}`;
  return comment === null ? address : `${address}?comment=${String(comment)}`;
}
