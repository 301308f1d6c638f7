import type { Schemas } from "../api/client.ts";

/** A line of a chart. Values belong to the chart's times; null where there is none. */
export interface Line {
  name: string;
  colour: string;
  values: (number | null)[];
}

export interface Lines {
  /** Unix seconds, growing. */
  times: number[];
  lines: Line[];
  /** The greatest value of the axis. */
  most: number;
}

interface Outcome {
  index: number;
  name: string;
  colour: string;
  /** When it came into being, Unix seconds: its line begins there. */
  since?: number | undefined;
}

/** Points with one more at each split that lies among them: there the new outcome's line begins, and Other's falls. */
export function withSplits(
  points: readonly Schemas["PoolChartPoint"][],
  splits: readonly Schemas["Split"][],
  other: number | null,
): readonly Schemas["PoolChartPoint"][] {
  if (other === null || splits.length === 0) return points;
  const all = [...points];
  for (const { at, outcome_index, probability } of splits) {
    const after = all.findIndex(({ timestamp }) => Date.parse(timestamp) >= Date.parse(at));
    const place = after === -1 ? all.length : after;
    const before = all[place - 1];
    if (!before || (after !== -1 && all[after]?.timestamp === at)) continue;
    const values = [...before.values];
    values[outcome_index] = probability;
    values[other] = (values[other] ?? 0) - probability;
    all.splice(place, 0, { timestamp: at, values });
  }
  return all;
}

/**
 * The lines of a pool's outcomes. One outcome has an axis to 100 %, several to the next 20 % over the highest. A price
 * holds until the next trade: the last one until `until` (Unix milliseconds), where that is given.
 */
export function poolLines(
  points: readonly Schemas["PoolChartPoint"][],
  outcomes: Outcome[],
  until?: number,
): Lines {
  const times: number[] = [];
  const kept: Schemas["PoolChartPoint"][] = [];
  for (const point of points) {
    const time = Date.parse(point.timestamp) / 1000;
    if (times.length > 0 && time <= (times.at(-1) ?? 0)) {
      kept[kept.length - 1] = point; // two trades in one moment: the last one holds
      continue;
    }
    times.push(time);
    kept.push(point);
  }
  const last = kept.at(-1);
  if (last && until !== undefined && until / 1000 > (times.at(-1) ?? 0)) {
    times.push(until / 1000);
    kept.push(last);
  }
  const lines = outcomes.map(({ index, name, colour, since = -Infinity }) => ({
    name,
    colour,
    values: kept.map(({ values }, at) =>
      (times[at] ?? 0) < since ? null : (values[index] ?? null),
    ),
  }));
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const most = outcomes.length === 1 ? 1 : Math.min(1, Math.max(0.2, Math.ceil(highest * 5) / 5));
  return { times, lines, most };
}
