// A price as steps: it holds until the next trade.
import type { Schemas } from "../api/client.ts";

/** The path of values at places from left to right; it begins at the first that there is. */
export function stepPath(
  places: number[],
  values: (number | null)[],
  height: (value: number) => number,
): string {
  let path = "";
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const [x, y] = [(places[index] ?? 0).toFixed(1), height(value).toFixed(1)];
    path += path === "" ? `M${x} ${y}` : `H${x}V${y}`;
  }
  return path;
}

/** Where the splits are not known: an outcome is there from its first price on, before which the service holds 0. */
export function firstPriceAt(
  points: readonly Schemas["PoolChartPoint"][],
  index: number,
): number | undefined {
  const first = points.find(({ values }) => (values[index] ?? 0) > 0);
  return first && Date.parse(first.timestamp) / 1000;
}
