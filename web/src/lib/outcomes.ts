/** The colour of an outcome of a pool of several, by its outcome_index: c1…c5, then c6. */
export function outcomeColour(index: number): string {
  return `var(--c${Math.min(index + 1, 6)})`;
}
