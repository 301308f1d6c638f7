// What an event and its pools are doing, and what their runner can do about it now.
import type { Schemas } from "../../api/client.ts";
import { t, type PlainKey } from "../../lib/i18n.ts";
import { marketNames } from "../../lib/market-names.ts";
import { axisOf, edgeText, withUnit } from "../../lib/shapes.ts";

type Pool = Schemas["Pool"];
export type EventStatus = Schemas["Event"]["status"];

export interface Standing {
  text: string;
  look: "live" | "warn" | "";
}

const EVENT_LOOKS: Record<EventStatus, Standing["look"]> = {
  new: "",
  active: "live",
  closed: "warn",
  resolved: "",
  cancelled: "",
};

/** Where an event stands; `pools`, where they are known, tell one that waits from one that is decided. */
export function eventStanding(status: EventStatus, pools: readonly Pool[] = []): Standing {
  const isDecided = pools.length > 0 && pools.every(({ resolution }) => resolution.decided_at);
  if (status === "closed" && isDecided) return { text: t("mine.state_decided"), look: "warn" };
  return { text: t(`mine.status_${status}`), look: EVENT_LOOKS[status] };
}

export function isPaused(pool: Pool): boolean {
  return pool.markets.some(({ paused }) => paused);
}

/** Where a pool stands between trading and paid. */
export function poolStanding(pool: Pool, status: EventStatus, nowMs: number): Standing {
  if (status === "new") return eventStanding("new");
  const { kind, state } = pool.resolution;
  if (state === "waiting" && kind === "manual") return eventStanding("closed");
  if (state !== "open") {
    const look = state === "attention" || state === "decided" ? "warn" : "";
    return { text: t(`mine.state_${state}`), look };
  }
  if (pool.finish_at && Date.parse(pool.finish_at) <= nowMs) return eventStanding("closed");
  if (isPaused(pool)) return { text: t("mine.paused"), look: "warn" };
  if (pool.live_at && Date.parse(pool.live_at) > nowMs)
    return { text: t("mine.before_live"), look: "" };
  return eventStanding("active");
}

export interface PoolActions {
  pause: boolean;
  resume: boolean;
  resolve: boolean;
  /** An administrator puts a decided result right. */
  correct: boolean;
  liquidity: boolean;
}

export interface Runner {
  /** What the service says that they may do with the event. */
  may: readonly string[];
  isAdmin: boolean;
  status: EventStatus;
  nowMs: number;
}

/** What can be done with a pool; what only the service can know is left to it. */
export function poolActions(pool: Pool, { may, isAdmin, status, nowMs }: Runner): PoolActions {
  const { state, kind } = pool.resolution;
  const isPublished = status !== "new" && status !== "cancelled";
  const isOpen = isPublished && (state === "open" || state === "waiting" || state === "attention");
  const isTrading =
    isOpen && state === "open" && (!pool.finish_at || Date.parse(pool.finish_at) > nowMs);
  const canDecide = kind === "manual" || state === "attention" || isAdmin;
  const runs = may.includes("pause");
  return {
    pause: runs && isTrading && !isPaused(pool),
    resume: runs && isOpen && isPaused(pool),
    resolve: may.includes("resolve") && isOpen && canDecide,
    correct: may.includes("resolve") && isAdmin && state === "decided",
    liquidity: runs && isTrading,
  };
}

/** Whether a published pool's end may be moved while it lies ahead: where a rule decides by it, by admins alone. */
export function mayMoveEnd(pool: Pool, isAdmin: boolean): boolean {
  return pool.resolution.kind === "manual" || isAdmin;
}

/** The result in words: who won, or what each outcome pays. */
export function resultText(pool: Pool): string {
  const { won_side, payouts } = pool.resolution;
  if (won_side === null) return "";
  const names = sideNames(pool);
  if (won_side >= 0) {
    const won = t("mine.won", { name: names[won_side] ?? "" });
    const value = valueText(pool);
    return value ? t("mine.won_at", { won, value }) : won;
  }
  if (!payouts) return t("mine.void");
  const parts = payouts.map((payout, index) => `${names[index] ?? ""} ${String(payout)}`);
  return t("mine.split_is", { parts: parts.join(" · ") });
}

/** The number or the moment that a result names; "" where it names none. */
export function valueText(pool: Pool): string {
  const axis = axisOf(pool);
  const { value } = pool.resolution;
  if (!value || !axis) return "";
  if (axis.kind === "number") return withUnit(axis, value.replace("-", "−"));
  return edgeText({ ...axis, edges: [Date.parse(value) / 1000] }, 0);
}

/** The sides that can win, in the order of `won_side`. */
export function sideNames(pool: Pool): string[] {
  return pool.markets.length === 1 ? [t("common.yes"), t("common.no")] : marketNames(pool);
}

const RULES: Record<Pool["resolution"]["kind"], PlainKey> = {
  manual: "mine.rule_manual",
  external: "mine.rule_external",
  price: "mine.rule_price",
};

export function ruleText(pool: Pool): string {
  return t(RULES[pool.resolution.kind]);
}
