import type { Schemas } from "../api/client.ts";

type Point = Schemas["PnlChartPoint"];
export const PROFIT_RANGES = ["1m", "3m", "all"] as const;
export type ProfitRange = (typeof PROFIT_RANGES)[number];
const DAYS: Record<ProfitRange, number> = { "1m": 30, "3m": 91, all: Infinity };
const DAY_S = 86_400;

export interface ProfitLine {
  /** Unix seconds, growing. */
  times: number[];
  /** Kopecks so far. */
  values: number[];
}

/** The part of a profit chart that a range shows. */
export function profitLine(
  points: readonly Point[],
  range: ProfitRange,
  nowMs: number,
): ProfitLine {
  return profitSince(points, nowMs - DAYS[range] * DAY_S * 1000, nowMs);
}

/** A profit chart from a moment on, with what was earned before, until now. */
export function profitSince(points: readonly Point[], sinceMs: number, nowMs: number): ProfitLine {
  const end = Math.floor(nowMs / 1000);
  const kopecks = points.map(({ timestamp, pnl }) => ({
    time: Math.floor(Date.parse(timestamp) / 1000),
    value: Math.round(pnl * 100),
  }));
  const first = kopecks[0];
  if (!first) return { times: [], values: [] };
  const start = Math.max(Math.floor(sinceMs / 1000), first.time - DAY_S);
  const before = kopecks.findLast(({ time }) => time <= start)?.value ?? 0;
  const line = new Map([[start, before]]);
  for (const { time, value } of kopecks) if (time > start) line.set(time, value);
  const last = [...line.values()].at(-1) ?? before;
  line.set(Math.max(end, Math.max(...line.keys())), last);
  return { times: [...line.keys()], values: [...line.values()] };
}

/** Ends of the axis: round amounts around all values and zero. */
export function profitAxis(values: readonly number[]): { least: number; most: number } {
  return roundAxis(Math.min(0, ...values), Math.max(1, ...values));
}

/** Round amounts around a span, so that the ticks are round, too. */
export function roundAxis(low: number, high: number): { least: number; most: number } {
  const rough = Math.max(high - low, 10_000) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough;
  const least = Math.floor(low / step);
  return { least: least * step, most: Math.max(Math.ceil(high / step), least + 1) * step };
}
