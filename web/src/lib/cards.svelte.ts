// A card with the newest numbers: those of the page, then what the live socket brings.
import type { Card, CardOutcome } from "../api/cards.ts";
import { minutes } from "./clock.svelte.ts";
import { t } from "./i18n.ts";
import { live } from "./live.svelte.ts";
import { byChance } from "./outcomes.ts";
import { marketName, poolAxis } from "./pool-names.svelte.ts";
import { quantiles, rangeText, type Axis } from "./shapes.ts";

export interface CardNow {
  status: Card["status"];
  paused: boolean;
  wonSide: number | null;
  volumeKopecks: number;
  comments: number;
  traders: number;
  top: CardOutcome[];
  isYesNo: boolean;
  /** Of a number or a date. */
  spread: { axis: Axis; quantiles: number[] } | null;
  /** Whether a bet could be made now. */
  isOpen: boolean;
}

/** The likeliest outcomes when the card was made, named in the page's language. Reactive. */
export function topOf({ pool }: Card): CardOutcome[] {
  return pool.top.map((outcome) => ({ ...outcome, name: marketName(pool.pool_id, outcome) }));
}

/** Reactive inside `$derived`. */
export function cardNow(card: Card): CardNow {
  const event = live.event(card.event_id);
  const pool = live.pool(card.pool.pool_id);
  const status = event?.status ?? card.status;
  const paused = pool?.paused ?? card.pool.paused;
  const top = topOf(card).map((outcome) => ({
    ...outcome,
    probability: pool?.probabilities[outcome.outcome_index] ?? outcome.probability,
  }));
  return {
    status,
    paused,
    wonSide: pool ? pool.won_side : card.pool.won_side,
    volumeKopecks:
      event?.pools.reduce((sum, one) => sum + volumeOf(one.pool_id), 0) ?? card.volume_kopecks,
    comments: event?.comments ?? card.comments,
    traders: live.traders(card.event_id) ?? card.traders,
    top: byChance(top, card.pool.top),
    isYesNo: card.pool.outcomes === 1,
    spread: spreadOf(card, pool?.probabilities),
    isOpen:
      status === "active" &&
      !paused &&
      !isToCome(card.pool.live_at) &&
      !isPast(card.pool.finish_at),
  };
}

function spreadOf({ pool }: Card, prices: readonly number[] | undefined): CardNow["spread"] {
  const axis = poolAxis(pool.pool_id);
  if (!axis || !pool.quantiles) return null;
  return { axis, quantiles: prices ? quantiles(axis, prices) : pool.quantiles };
}

function volumeOf(poolId: number): number {
  return live.pool(poolId)?.volume_kopecks ?? 0;
}

export function isToCome(time: string | null): boolean {
  return time !== null && Date.parse(time) > minutes.now;
}

function isPast(time: string | null): boolean {
  return time !== null && Date.parse(time) <= minutes.now;
}

export interface CardState {
  text: string;
  look: "warn" | "";
}

/** What to say of a card that cannot be bet on; null of one that can. */
export function cardState(card: Card, current: CardNow): CardState | null {
  switch (current.status) {
    case "new":
      return { text: t("home.new"), look: "" };
    case "cancelled":
      return { text: t("home.cancelled"), look: "" };
    case "closed":
      return { text: t("home.awaiting"), look: "warn" };
    case "resolved":
      return { text: resultOf(card, current), look: "" };
    case "active":
      if (current.paused) return { text: t("home.paused"), look: "warn" };
      if (isPast(card.pool.finish_at)) return { text: t("home.awaiting"), look: "warn" };
      return null;
  }
}

function resultOf(card: Card, { wonSide, isYesNo }: CardNow): string {
  if (wonSide === null) return t("home.resolved");
  if (wonSide < 0) return t("home.void");
  const axis = poolAxis(card.pool.pool_id);
  if (axis) return t("home.result", { name: rangeText(axis, wonSide, wonSide + 1) });
  if (isYesNo) return t("home.won", { name: t(wonSide === 0 ? "common.yes" : "common.no") });
  const winner = topOf(card).find(({ outcome_index }) => outcome_index === wonSide);
  return winner ? t("home.won", { name: winner.name }) : t("home.resolved");
}
