// What somebody thinks of a pool's outcomes, as a forecast says it: one chance a market, of several summing to 1.

import type { Belief } from "../number/belief.ts";

/** One that was begun and is not sent yet. */
export interface Thought {
  /** One a market. */
  probabilities: number[];
  /** The outcomes that were set, the last one last: they stay while the others share what is left. */
  set: number[];
  note: string;
  /** Of a number or a date: what its curve was made of. */
  belief?: Belief;
}

/**
 * One outcome is given a chance. What is left is shared by those that nobody has set, as they stand to each other; where
 * there are none, or what was set takes more than is left, by those set, too.
 */
export function shared(thought: Thought, index: number, wanted: number): Thought {
  const { probabilities } = thought;
  const chance = Math.min(1, Math.max(0, wanted));
  if (probabilities.length === 1) return { ...thought, probabilities: [chance], set: [0] };
  const set = [...thought.set.filter((one) => one !== index), index];
  const others = [...probabilities.keys()].filter((one) => one !== index);
  const free = others.filter((one) => !set.includes(one));
  const fixed = others.filter((one) => set.includes(one));
  const left = 1 - chance;
  const taken = sumOf(fixed.map((one) => probabilities[one] ?? 0));
  const made = [...probabilities];
  made[index] = chance;
  if (free.length === 0 || taken > left) {
    spread(made, fixed, left);
    spread(made, free, 0);
  } else spread(made, free, left - taken);
  return { ...thought, probabilities: made, set };
}

/** Gives a part of 1 to some outcomes, as they stand to each other. */
function spread(made: number[], some: readonly number[], part: number): void {
  const sum = sumOf(some.map((one) => made[one] ?? 0));
  for (const one of some)
    made[one] = sum > 0 ? ((made[one] ?? 0) / sum) * part : part / some.length;
}

/** As it is sent: of several exactly 1 in sum, whatever was typed and rounded. */
export function sent(probabilities: readonly number[]): number[] {
  if (probabilities.length === 1) return [...probabilities];
  const sum = sumOf(probabilities);
  return probabilities.map((one) => one / sum);
}

/** Whether two say the same. */
export function isSame(one: readonly number[], other: readonly number[]): boolean {
  return (
    one.length === other.length &&
    one.every((chance, at) => Math.abs(chance - (other[at] ?? 0)) < 1e-9)
  );
}

function sumOf(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0);
}
