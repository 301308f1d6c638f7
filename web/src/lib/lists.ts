// Lists that grow, as the service tells of them. Until its description names these, their types stand here.
export interface Split {
  at: string;
  outcome_index: number;
  share: number;
  /** The first price of what was taken out of Other. */
  probability: number;
}

interface Growing {
  other?: number | null;
  splits?: Split[];
}

/** The outcome_index of Other; null of pools without one. */
export function otherOf(pool: object): number | null {
  return (pool as Growing).other ?? null;
}

/** What was taken out of Other, the earliest first. */
export function splitsOf(pool: object): Split[] {
  return (pool as Growing).splits ?? [];
}
