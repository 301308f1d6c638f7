// Chances of questions that are asked together: of answers, alone or under a condition. Outcomes are meant by
// outcome_index, answers by the index of their question and their own.
import { answersAt, type Answer } from "../lib/joint.ts";

export type { Answer };

/** `then`, under the condition `when`, which is none where it is empty. */
export interface Answers {
  when: Answer[];
  then: Answer[];
}

/** What one bets on. */
export interface Pick extends Answers {
  isNo: boolean;
}

/** The outcomes in which all of these answers come true: every one for no answers. */
export function cellsOf(sizes: readonly number[], answers: readonly Answer[]): number[] {
  const count = sizes.reduce((product, size) => product * size, 1);
  const all = Array.from({ length: count }, (_, index) => index);
  return all.filter((index) => {
    const found = answersAt(index, sizes);
    return answers.every(({ question, outcome }) => found[question] === outcome);
  });
}

export function chanceOf(prices: readonly number[], cells: readonly number[]): number {
  return cells.reduce((sum, index) => sum + (prices[index] ?? 0), 0);
}

/** The chance of some answers under a condition; null where the condition itself has none. */
export function chanceIf(
  prices: readonly number[],
  sizes: readonly number[],
  then: readonly Answer[],
  when: readonly Answer[],
): number | null {
  const given = chanceOf(prices, cellsOf(sizes, when));
  return given > 0 ? chanceOf(prices, cellsOf(sizes, [...when, ...then])) / given : null;
}

/** The chance of some answers where a condition fails, under others that hold; null where it cannot fail. */
export function chanceUnless(
  prices: readonly number[],
  sizes: readonly number[],
  { then, condition, fixed }: { then: Answer[]; condition: Answer; fixed: Answer[] },
): number | null {
  const held = new Set(cellsOf(sizes, [...fixed, condition]));
  const other = cellsOf(sizes, fixed).filter((index) => !held.has(index));
  const happens = new Set(cellsOf(sizes, [...fixed, ...then]));
  const given = chanceOf(prices, other);
  return given > 0
    ? chanceOf(
        prices,
        other.filter((index) => happens.has(index)),
      ) / given
    : null;
}

/** What an order on a pick buys, and under which condition. */
export function basketOf(
  sizes: readonly number[],
  { when, then, isNo }: Pick,
): { targets: number[]; given?: number[] } {
  const given = cellsOf(sizes, when);
  const happens = cellsOf(sizes, [...when, ...then]);
  const targets = isNo ? given.filter((index) => !happens.includes(index)) : happens;
  return when.length > 0 ? { targets, given } : { targets };
}

/** Whether a pick can be bet on: its answers are of questions that its condition leaves open. */
export function isPick(sizes: readonly number[], { when, then }: Answers): boolean {
  const asked = [...when, ...then].map(({ question }) => question);
  const isOnce = new Set(asked).size === asked.length;
  return (
    then.length > 0 &&
    isOnce &&
    [...when, ...then].every(({ question, outcome }) => outcome < (sizes[question] ?? 0))
  );
}

/** "0.1_2.0": answers as an address keeps them. */
export function written(answers: readonly Answer[]): string {
  return answers.map(({ question, outcome }) => `${String(question)}.${String(outcome)}`).join("_");
}

export function read(text: string): Answer[] {
  return text.split("_").flatMap((part) => {
    const found = /^(\d+)\.(\d+)$/.exec(part);
    return found ? [{ question: Number(found[1]), outcome: Number(found[2]) }] : [];
  });
}
