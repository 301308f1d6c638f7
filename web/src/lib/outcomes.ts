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

/** A card's outcomes, the likeliest first; Other stays last, where the service put it, whatever its chance. */
export function byChance<Outcome extends Chance>(
  now: readonly Outcome[],
  made: readonly Chance[],
): Outcome[] {
  const [before, last] = made.slice(-2);
  const other = before && last && last.probability > before.probability ? last : null;
  return otherLast(
    now.toSorted((one, another) => another.probability - one.probability),
    ({ outcome_index }) => outcome_index === other?.outcome_index,
  );
}

/** The outcomes with most to show: paid ones, then the likeliest. */
export function largest<Outcome extends { outcome_index: number; yes_probability: number }>(
  all: readonly Outcome[],
  payouts: readonly number[] | null,
  most: number,
): Outcome[] {
  const weight = ({ outcome_index, yes_probability }: Outcome) =>
    (payouts?.[outcome_index] ?? 0) + yes_probability / 2;
  return all.toSorted((one, another) => weight(another) - weight(one)).slice(0, most);
}
