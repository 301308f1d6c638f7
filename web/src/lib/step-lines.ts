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

interface Tick {
  /** Unix seconds. */
  time: number;
  text: string;
}

/** The days that begin between two moments, at most so many; of less than a day and a half the hours. */
export function timeTicks(first: number, last: number, most: number): Tick[] {
  const locale = document.documentElement.lang === "ru" ? "ru" : "en-GB";
  const isLong = last - first > 36 * 3600;
  const format = new Intl.DateTimeFormat(
    locale,
    isLong ? { day: "numeric", month: "short" } : { hour: "2-digit", minute: "2-digit" },
  );
  const start = new Date(first * 1000);
  start.setHours(isLong ? 24 : start.getHours() + 1, 0, 0, 0);
  const found: number[] = [];
  for (let at = start; at.getTime() / 1000 < last; at = new Date(at)) {
    found.push(at.getTime() / 1000);
    if (isLong) at.setDate(at.getDate() + 1);
    else at.setHours(at.getHours() + 1);
  }
  const step = Math.ceil(found.length / most);
  // What stands at the very ends would be cut.
  const space = (last - first) * 0.06;
  return found
    .filter((time, index) => index % step === 0 && time > first + space && time < last - space)
    .map((time) => ({ time, text: format.format(time * 1000).replace(".", "") }));
}

/** Where the splits are not known: an outcome is there from its first price on, before which the service holds 0. */
export function firstPriceAt(
  points: readonly Schemas["PoolChartPoint"][],
  index: number,
): number | undefined {
  const first = points.find(({ values }) => (values[index] ?? 0) > 0);
  return first && Date.parse(first.timestamp) / 1000;
}
