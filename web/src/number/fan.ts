// A fan: five percentiles over time, each holding until the next trade.
import type { Schemas } from "../api/client.ts";

export interface Fan {
  /** Unix seconds, growing. */
  times: number[];
  /** Of the 10th, 25th, 50th, 75th and 90th percentile, by time. */
  levels: number[][];
}

/** The last values hold until `until`, Unix milliseconds. */
export function fanOf(points: readonly Schemas["PoolChartPoint"][], until: number): Fan {
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

const ROUND = [1, 2, 2.5, 5, 10];

/** Round numbers between two values, about so many; of a log axis 1, 2 and 5 times powers of ten. */
export function valueTicks(low: number, high: number, most: number, isLog: boolean): number[] {
  if (isLog && low > 0 && high / low > 8) {
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
      for (const digit of [1, 2, 5]) found.push(Number((digit * 10 ** power).toPrecision(3)));
    const inside = found.filter((value) => value >= low && value <= high);
    return inside.filter((_, index) => index % Math.ceil(inside.length / most) === 0);
  }
  const rough = (high - low) / Math.max(1, most);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = (ROUND.find((one) => one * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high; at++)
    ticks.push(Number((at * step).toPrecision(12)));
  return ticks;
}
