// A date as a creator describes it: the steps of a calendar that are its outcomes, and what chances they begin with.
import { browserZone, isZone, zone } from "../../lib/zone.svelte.ts";
import { isBelief, rangePriors, type Belief } from "./priors.ts";

export const DATE_STEPS = ["day", "week", "month", "quarter", "year"] as const;
export type DateStep = (typeof DATE_STEPS)[number];

/** As typed; days as a field of a date has them, 2027-01-31. */
export interface DraftDates {
  first: string;
  last: string;
  step: DateStep;
  /** IANA. */
  zone: string;
  median: string;
  tenth: string;
  ninetieth: string;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const EDGES_MOST = 99;
/** Zones lie less than this from UTC. */
const ZONES_MS = 15 * 3_600_000;
const MONTHS: Partial<Record<DateStep, number>> = { month: 1, quarter: 3, year: 12 };

export function newDates(): DraftDates {
  return {
    first: "",
    last: "",
    step: "month",
    zone: zone.name ?? browserZone(),
    median: "",
    tenth: "",
    ninetieth: "",
  };
}

/** A day as milliseconds of its midnight in UTC; null where it is none. */
export function dayOf(typed: string): number | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(typed.trim());
  const day = found ? Date.parse(`${typed.trim()}T00:00:00Z`) : NaN;
  return Number.isNaN(day) ? null : day;
}

/**
 * The days with which the steps begin, from the one that holds `first` to the one that holds `last`, and the day on
 * which that one is over; null where there are none or too many.
 */
export function stepDays({ first, last, step }: DraftDates): number[] | null {
  const [from, to] = [dayOf(first), dayOf(last)];
  if (from === null || to === null || to < from) return null;
  const end = next(stepStart(to, step), step);
  const days: number[] = [];
  for (let day = stepStart(from, step); day <= end; day = next(day, step)) {
    if (days.length === EDGES_MOST) return null;
    days.push(day);
  }
  return days;
}

function stepStart(day: number, step: DateStep): number {
  const at = new Date(day);
  const months = MONTHS[step];
  if (months) {
    const month = at.getUTCMonth();
    return Date.UTC(at.getUTCFullYear(), month - (month % months), 1);
  }
  return step === "week" ? day - ((at.getUTCDay() + 6) % 7) * DAY_MS : day;
}

function next(day: number, step: DateStep): number {
  const months = MONTHS[step];
  const at = new Date(day);
  if (months) return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1);
  return day + (step === "week" ? 7 : 1) * DAY_MS;
}

/** The first moment of a day in a zone: midnight, or where the clock leaps over it the minute after. */
export function dayStart(day: number, zone: string): number {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const wanted = new Date(day).toISOString().slice(0, 10);
  let [before, from] = [day - ZONES_MS, day + ZONES_MS];
  while (from - before > MINUTE_MS) {
    const middle = Math.floor((before + from) / 2 / MINUTE_MS) * MINUTE_MS;
    if (format.format(middle) < wanted) before = middle;
    else from = middle;
  }
  return from;
}

/** The edges as moments; null where what is typed makes none. */
export function dateEdges(dates: DraftDates): string[] | null {
  const days = isZone(dates.zone) ? stepDays(dates) : null;
  return (
    days &&
    days.map((day) => new Date(dayStart(day, dates.zone)).toISOString().replace(".000Z", "Z"))
  );
}

export function dateBelief({ tenth, median, ninetieth }: DraftDates): Belief | null {
  const [low, middle, high] = [tenth, median, ninetieth].map(dayOf);
  if (low == null || middle == null || high == null) return null;
  const belief = { low, median: middle, high };
  return isBelief(belief) ? belief : null;
}

export function datePriors(dates: DraftDates): number[] | null {
  const [days, belief] = [stepDays(dates), dateBelief(dates)];
  return days && belief && rangePriors(days, belief);
}
