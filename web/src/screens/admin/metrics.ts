// The numbers of the service, as tiles and over days.
import type { Schemas } from "../../api/client.ts";
import { count } from "../../lib/formats.ts";
import { money } from "../../lib/money.ts";

export const METRICS = [
  "volume_kopecks",
  "fees_kopecks",
  "house_result_kopecks",
  "open_interest_kopecks",
  "active_traders",
  "users",
] as const;
export type Metric = (typeof METRICS)[number];

const DAY_S = 86_400;
type Day = Schemas["StatsDay"];

const isMoney = (metric: Metric) => metric.endsWith("_kopecks");

export function written(metric: Metric, value: number): string {
  if (!isMoney(metric)) return count(value);
  return money(value, { signed: metric === "house_result_kopecks" });
}

/** For an axis: few characters. */
export function writtenShort(metric: Metric, value: number): string {
  return isMoney(metric) ? money(Math.round(value), { as: "compact" }) : count(Math.round(value));
}

export interface DayLine {
  /** Unix seconds, growing. */
  times: number[];
  values: number[];
  least: number;
  most: number;
}

/** One number over the days, oldest first. */
export function lineOf(rows: Day[], metric: Metric): DayLine {
  const inOrder = rows.toSorted((one, other) => one.date.localeCompare(other.date));
  const values = inOrder.map((row) => row[metric]);
  const highest = Math.max(0, ...values);
  const lowest = Math.min(0, ...values);
  const times = inOrder.map(({ date }) => Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / 1000);
  const last = times.at(-1);
  if (last !== undefined) {
    // A step holds until the next point: the newest day until its end.
    times.push(last + DAY_S);
    values.push(values.at(-1) ?? 0);
  }
  const room = (highest - lowest) * 0.1 || 1;
  return {
    times,
    values,
    least: lowest < 0 ? lowest - room : 0,
    most: highest + room,
  };
}
