// A fan: five percentiles over time, each holding until the next trade.
import type { Schemas } from "../api/client.ts";
import { quantiles, type Axis } from "../lib/shapes.ts";

export interface Fan {
  /** Unix seconds, growing. */
  times: number[];
  /** Of the 10th, 25th, 50th, 75th and 90th percentile, by time. */
  levels: number[][];
}

/** The last values hold until `until`, Unix milliseconds, where that is given. */
export function fanOf(points: readonly Schemas["PoolChartPoint"][], until = 0): Fan {
  const times: number[] = [];
  const kept: (readonly number[])[] = [];
  for (const { timestamp, values } of points) {
    const time = Date.parse(timestamp) / 1000;
    if (times.length > 0 && time <= (times.at(-1) ?? 0)) {
      kept[kept.length - 1] = values; // two trades in one moment: the last one holds
      continue;
    }
    times.push(time);
    kept.push(values);
  }
  const last = kept.at(-1);
  if (last && until / 1000 > (times.at(-1) ?? 0)) {
    times.push(until / 1000);
    kept.push(last);
  }
  return {
    times,
    levels: [0, 1, 2, 3, 4].map((level) => kept.map((values) => values[level] ?? 0)),
  };
}

/** The area between two lines of steps. */
export function bandPath(
  places: readonly number[],
  low: readonly number[],
  high: readonly number[],
  height: (value: number) => number,
): string {
  const there: string[] = [];
  const back: string[] = [];
  places.forEach((place, index) => {
    const x = place.toFixed(1);
    const next = (places[index + 1] ?? place).toFixed(1);
    there.push(`${index === 0 ? "M" : "L"}${x} ${height(high[index] ?? 0).toFixed(1)}H${next}`);
    back.unshift(`L${next} ${height(low[index] ?? 0).toFixed(1)}H${x}`);
  });
  return there.length > 0 ? `${there.join("")}${back.join("")}Z` : "";
}

/** What a result says of all percentiles: the value that decided, or where that is not told the range that won. */
export function resultQuantiles(
  axis: Axis,
  { value, payouts }: Pick<Schemas["PoolResolution"], "value" | "payouts">,
): number[] | null {
  if (payouts === null) return null;
  if (value === null) return quantiles(axis, payouts);
  const told = axis.kind === "date" ? Date.parse(value) / 1000 : Number(value);
  return Array<number>(5).fill(told);
}
