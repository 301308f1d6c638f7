// What somebody's forecasts come to: the best and the worst, by topic, over time.
import type { SaidForecast } from "../../forecasts/own.ts";

/** Under so many scored forecasts a score says little. */
export const FEW_SCORED = 10;

export type Scored = SaidForecast & { score: number };

export const isScored = (one: SaidForecast): one is Scored => one.score !== null;

/** The highest first, and the lowest first; none is in both. */
export function extremes(scored: readonly Scored[], most: number): [Scored[], Scored[]] {
  const sorted = scored.toSorted((one, other) => other.score - one.score);
  const best = sorted.filter(({ score }) => score > 0).slice(0, most);
  const worst = sorted
    .filter(({ score }) => score < 0)
    .reverse()
    .slice(0, most);
  return [best, worst];
}

/** What is known of a forecast's event. */
export interface Place {
  tags: readonly string[];
  pools: number;
  /** When its pool was decided, Unix seconds. */
  decidedAt: number;
}

export interface Topic {
  tag: string;
  score: number;
  count: number;
}

/** By topic, those with most forecasts first: a score counts as its event's pools share it, in each of its topics. */
export function byTopic(
  scored: readonly Scored[],
  placeOf: (one: Scored) => Place | null,
): Topic[] {
  const topics = new Map<string, Topic>();
  for (const one of scored) {
    const place = placeOf(one);
    for (const tag of new Set(place?.tags)) {
      const topic = topics.get(tag) ?? { tag, score: 0, count: 0 };
      topic.score += one.score / Math.max(1, place?.pools ?? 1);
      topic.count++;
      topics.set(tag, topic);
    }
  }
  return [...topics.values()].sort((one, other) => other.count - one.count);
}

/** The sum of the scores as it grew. */
export function growth(
  scored: readonly Scored[],
  placeOf: (one: Scored) => Place | null,
): { times: number[]; values: number[] } {
  const steps = scored
    .flatMap((one) => {
      const place = placeOf(one);
      return place ? [{ at: place.decidedAt, by: one.score / Math.max(1, place.pools) }] : [];
    })
    .sort((one, other) => one.at - other.at);
  const times: number[] = [];
  const values: number[] = [];
  let sum = 0;
  for (const { at, by } of steps) {
    sum += by;
    if (times.at(-1) === at) values[values.length - 1] = sum;
    else {
      times.push(at);
      values.push(sum);
    }
  }
  return { times, values };
}

/** With room above and below, and 0 in it. */
export function scoreAxis(values: readonly number[]): { least: number; most: number } {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  const room = Math.max(5, (most - least) * 0.1);
  return { least: least < 0 ? least - room : 0, most: most > 0 ? most + room : room };
}
