import type { Movement } from "./movement.ts";

/** What the balance was after each of these movements, kopecks: the newest first, of which it is `balance` now. */
export function balancesAfter(
  movements: readonly Pick<Movement, "change_kopecks">[],
  balance: number,
): number[] {
  let after = balance;
  return movements.map(({ change_kopecks: change }) => {
    after -= change;
    return after + change;
  });
}
