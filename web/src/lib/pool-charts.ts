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
}

/**
 * The lines of a pool's outcomes. One outcome has an axis to 100 %, several to the next 20 % over the highest. A price
 * holds until the next trade: the last one until `until` (Unix milliseconds), where that is given.
 */
export function poolLines(
  points: Schemas["PoolChartPoint"][],
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
  const lines = outcomes.map(({ index, name, colour }) => ({
    name,
    colour,
    values: kept.map(({ values }) => values[index] ?? null),
  }));
  const highest = Math.max(0, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const most = outcomes.length === 1 ? 1 : Math.min(1, Math.max(0.2, Math.ceil(highest * 5) / 5));
  return { times, lines, most };
}
