// Places on the drawn axis: every range is as wide as the others, so a place is counted in ranges, 0 at the left end.
import { within, type Axis } from "../lib/shapes.ts";

/** The value at a place; in an open range its edge. */
export function valueAt(axis: Axis, place: number): number {
  const { edges, isLog } = axis;
  const index = Math.floor(place);
  if (index < 1) return edges[0] ?? 0;
  if (index >= edges.length) return edges.at(-1) ?? 0;
  return within(edges[index - 1] ?? 0, edges[index] ?? 0, place - index, isLog);
}

export interface Run {
  /** Outcomes from `low` to below `high`. */
  low: number;
  high: number;
  amount: number;
}

/** Neighbours with the same amount, as one. */
export function runsOf(amounts: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (const [index, amount] of amounts.entries()) {
    const last = runs.at(-1);
    if (last?.amount === amount) last.high = index + 1;
    else runs.push({ low: index, high: index + 1, amount });
  }
  return runs;
}

interface Label {
  place: number;
  text: string;
}
const LETTER = 7;
const GAP = 12;

/** The labels that have room beside each other, the earlier ones of `labels` first. `pitch`: pixels of one range. */
export function thinned(labels: readonly Label[], pitch: number): Label[] {
  const kept: Label[] = [];
  for (const label of labels) {
    const isFree = kept.every(
      (other) =>
        Math.abs(other.place - label.place) * pitch >=
        ((other.text.length + label.text.length) * LETTER) / 2 + GAP,
    );
    if (isFree) kept.push(label);
  }
  return kept;
}
