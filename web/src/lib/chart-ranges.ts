// Which part of a pool's life a chart shows, and its points there.
import type { Schemas } from "../api/client.ts";

type Point = Schemas["PoolChartPoint"];

export const CHART_RANGES = ["1h", "1d", "1w", "1m", "all"] as const;
export type ChartRange = (typeof CHART_RANGES)[number];

const HOUR_MS = 3_600_000;
const LENGTH_MS: Record<ChartRange, number> = {
  "1h": HOUR_MS,
  "1d": 24 * HOUR_MS,
  "1w": 7 * 24 * HOUR_MS,
  "1m": 30 * 24 * HOUR_MS,
  all: 0,
};

/** The ranges that are shorter than a life so far (Unix milliseconds), and all of it: only that begins at the priors. */
export function rangesOf(beganAt: number, endedAt: number): ChartRange[] {
  return CHART_RANGES.filter((range) => LENGTH_MS[range] < endedAt - beganAt);
}

/** The chart that shows the last week of a pool: of a younger one its whole life. `now` in Unix milliseconds. */
export function weekOf(publishedAt: string | null, now: number): ChartRange {
  return publishedAt !== null && rangesOf(Date.parse(publishedAt), now).includes("1w")
    ? "1w"
    : "all";
}

/** The points of the last part of a life that ended; at its beginning the price holds that was there before. */
export function lastPart(
  points: readonly Point[],
  range: ChartRange,
  endedAt: number,
): readonly Point[] {
  if (range === "all") return points;
  const beganAt = endedAt - LENGTH_MS[range];
  const after = points.findIndex(({ timestamp }) => Date.parse(timestamp) > beganAt);
  const before = points[after === -1 ? points.length - 1 : after - 1];
  if (!before) return points;
  const first = { timestamp: new Date(beganAt).toISOString(), values: before.values };
  return [first, ...(after === -1 ? [] : points.slice(after))];
}

/** Whether no price moved. */
export function isFlat(points: readonly Point[]): boolean {
  return points.every(({ values }) =>
    values.every((value, index) => value === points[0]?.values[index]),
  );
}
