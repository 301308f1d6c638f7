import type { Schemas } from "../../api/client.ts";
import { paidKopecks } from "../../lib/results.ts";
import type { Outcome, PoolView } from "./pool-view.svelte.ts";

/** What a position is worth at a chance of YES: as the service values it. */
export function worth(
  { amount, token_type }: Pick<Schemas["Position"], "amount" | "token_type">,
  probability: number,
): number {
  return Math.floor(amount * (token_type === "YES" ? probability : 1 - probability));
}

/** The same once a result is given: what that pays. */
export function valueOf(view: PoolView, position: Schemas["Position"], outcome: Outcome): number {
  const { probability } = outcome;
  return (
    paidKopecks(position, outcome.index, view.pool.resolution, probability) ??
    worth(position, probability)
  );
}

/** Chances to show what reaching them costs: one near, one farther, one far. */
export function stepsFrom(chance: number): number[] {
  const marks = [0.01, 0.02, ...Array.from({ length: 19 }, (_, n) => (n + 1) / 20), 0.98, 0.99];
  const steps: number[] = [];
  let least = chance + 0.04;
  for (const gap of [0.05, 0.1, 0]) {
    const found = marks.find(
      (mark) => mark >= Math.min(least, 0.99) - 1e-9 && mark > chance + 1e-4,
    );
    if (found === undefined || steps.includes(found)) break;
    steps.push(found);
    least = found + gap;
  }
  return steps;
}
