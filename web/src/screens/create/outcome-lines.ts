// Outcomes as they are typed and pasted: a line each.
import { newOutcome, OUTCOMES_MOST, type DraftOutcome, type DraftPool } from "./draft.ts";

const BULLET = /^(?:[-*•·–—\u25aa\u25e6]|\(?\d{1,3}[.)])\s+/;
const NAME_MOST = 200;
const FEWEST = 2;

export interface Pasted {
  /** Index of the last outcome that was added. */
  at: number;
  added: number;
  /** Names that were there already. */
  twice: string[];
  /** How many names found no room. */
  left: number;
}

/** The names in a text: its lines without bullets and numbers, and without empty ones. */
export function namesIn(text: string): string[] {
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim().replace(BULLET, "").trim().slice(0, NAME_MOST))
    .filter((name) => name !== "" && !/^[-*•·–—\u25aa\u25e6]$/.test(name));
}

/** Puts the names of a text after an outcome, or in its place where it is empty; empty ones go. */
export function pasteOutcomes(pool: DraftPool, at: number, text: string): Pasted {
  const [rows, other] = split(pool);
  const before = rows.slice(0, at + 1).filter(isFilled);
  const after = rows.slice(at + 1).filter(isFilled);
  const there = new Set([...before, ...after, ...other].map(({ name }) => folded(name)));
  const fresh: string[] = [];
  const twice: string[] = [];
  for (const name of namesIn(text)) {
    (there.has(folded(name)) ? twice : fresh).push(name);
    there.add(folded(name));
  }
  const room = OUTCOMES_MOST - before.length - after.length - other.length;
  const added = fresh.slice(0, Math.max(0, room)).map((name) => ({ ...newOutcome(), name }));
  const filled = [...before, ...added, ...after];
  while (filled.length + other.length < FEWEST) filled.push(newOutcome());
  pool.outcomes = [...filled, ...other];
  return {
    at: Math.max(0, before.length + added.length - 1),
    added: added.length,
    twice: [...new Set(twice)],
    left: fresh.length - added.length,
  };
}

/** Makes room for one more outcome after another; returns its index, that of an empty one which is there already. */
export function nextOutcome(pool: DraftPool, at: number): number {
  const [rows] = split(pool);
  const next = rows[at + 1];
  if (next && !isFilled(next)) return at + 1;
  if (pool.outcomes.length >= OUTCOMES_MOST) return at;
  pool.outcomes.splice(at + 1, 0, newOutcome());
  return at + 1;
}

/** Whether an outcome can go: two stay, and Other goes by its own switch. */
export function isSpare(pool: DraftPool, at: number): boolean {
  const [rows] = split(pool);
  return at < rows.length && pool.outcomes.length > FEWEST;
}

/** The outcomes but Other, and Other. */
function split({ outcomes, hasOther }: DraftPool): [DraftOutcome[], DraftOutcome[]] {
  const named = outcomes.length - (hasOther ? 1 : 0);
  return [outcomes.slice(0, named), outcomes.slice(named)];
}

export function isFilled({ name, nameRu }: DraftOutcome): boolean {
  return name.trim() !== "" || nameRu.trim() !== "";
}

const folded = (name: string) => name.trim().toLowerCase();
