/** The colour of an outcome of a pool of several, by its outcome_index: c1…c5, then c6. */
export function outcomeColour(index: number): string {
  return `var(--c${Math.min(index + 1, 6)})`;
}

/** Outcomes of a list in their order, Other last: others are taken out of it, and come after it in number. */
export function otherLast<Outcome>(
  all: readonly Outcome[],
  isOther: (one: Outcome) => boolean,
): Outcome[] {
  return all.toSorted((one, another) => Number(isOther(one)) - Number(isOther(another)));
}

interface Chance {
  outcome_index: number;
  probability: number;
}

/** The outcome_index of a list's Other where a card shows it: the service puts it last, whatever its chance. */
export function otherOf(top: readonly Chance[]): number | null {
  const [before, last] = top.slice(-2);
  return before && last && last.probability > before.probability ? last.outcome_index : null;
}

/** The likeliest first, Other last. */
export function byChance<Outcome extends Chance>(
  top: readonly Outcome[],
  other: number | null,
): Outcome[] {
  const rank = (one: Outcome) => (one.outcome_index === other ? -1 : one.probability);
  return top.toSorted((one, another) => rank(another) - rank(one));
}
