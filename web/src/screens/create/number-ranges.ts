// A number as a creator describes it: the ranges that are its outcomes, and what chances they begin with.
import { parseDecimal, parseWhole } from "./numbers.ts";
import { isBelief, rangePriors, type Belief } from "./priors.ts";

/** As typed. */
export interface DraftNumber {
  low: string;
  high: string;
  /** How many outcomes: those between low and high, and the two beyond them. */
  count: string;
  unit: string;
  /** Whether ranges grow with the number. */
  log: boolean;
  /** Proposed from the above, then perhaps changed. */
  edges: string[];
  median: string;
  tenth: string;
  ninetieth: string;
}

export const EDGES_MOST = 99;
const COUNT_MOST = EDGES_MOST + 1;

export function newNumber(): DraftNumber {
  return {
    low: "",
    high: "",
    count: "10",
    unit: "",
    log: false,
    edges: [],
    median: "",
    tenth: "",
    ninetieth: "",
  };
}

/** How many outcomes were asked for; null where that is no number from 2 to 100. */
export function countOf({ count }: DraftNumber): number | null {
  const wanted = parseWhole(count, COUNT_MOST);
  return wanted !== null && wanted >= 2 ? wanted : null;
}

/** The edges between so many ranges from low to high; null where what is typed makes none. */
export function proposeEdges(number: DraftNumber): number[] | null {
  const [low, high, count] = [parseDecimal(number.low), parseDecimal(number.high), countOf(number)];
  if (low === null || high === null || count === null || low >= high) return null;
  if (number.log && low <= 0) return null;
  const last = count - 2;
  const at = (part: number) =>
    number.log ? low * (high / low) ** part : low + (high - low) * part;
  if (last === 0) return [plain(at(0.5), high - low)];
  const step = (high - low) / last;
  const edges = Array.from({ length: last + 1 }, (_, index) => {
    if (index === 0) return low;
    if (index === last) return high;
    return plain(at(index / last), number.log ? at(index / last) / 10 : step);
  });
  const isAscending = edges.every(
    (edge, index) => index === 0 || edge > (edges[index - 1] ?? edge),
  );
  // Ranges as narrow as rounding are taken as they come.
  return isAscending ? edges : edges.map((_, index) => round(at(index / last), 8));
}

/** A number with no more digits than a step of this size needs: as it is where three do, else to two. */
function plain(value: number, step: number): number {
  const places = Math.min(8, Math.max(0, 1 - Math.floor(Math.log10(step))));
  const finer = round(value, Math.min(8, places + 1));
  return Math.abs(finer - value) < step * 1e-9 ? finer : round(value, places);
}

const round = (value: number, places: number) => Number(value.toFixed(places));

/** Writes the proposal into the fields; what cannot be proposed leaves none. */
export function propose(number: DraftNumber, point: "." | ","): void {
  number.edges = (proposeEdges(number) ?? []).map((edge) => typedNumber(edge, point));
}

/** A number as it would be typed, without an exponent. */
export function typedNumber(value: number, point: "." | ","): string {
  const text = Number.isInteger(value) ? value.toFixed(0) : value.toFixed(8).replace(/0+$/, "");
  return text.replace(".", point);
}

/** The edges; null where one is no number. */
export function edgesOf({ edges }: DraftNumber): number[] | null {
  const numbers = edges.map((one) => parseDecimal(one));
  return numbers.every((number) => number !== null) ? numbers : null;
}

/** What is typed of the median and the range, on the axis on which ranges are compared; null where it makes no sense. */
export function numberBelief(number: DraftNumber): Belief | null {
  const typed = [number.tenth, number.median, number.ninetieth].map((one) => parseDecimal(one));
  if (!typed.every((one) => one !== null)) return null;
  const [low = 0, median = 0, high = 0] = number.log ? typed.map(Math.log) : typed;
  const belief = { low, median, high };
  return typed.every((one) => !number.log || one > 0) && isBelief(belief) ? belief : null;
}

export function numberPriors(number: DraftNumber): number[] | null {
  const [edges, belief] = [edgesOf(number), numberBelief(number)];
  if (!edges || edges.length === 0 || !belief) return null;
  return rangePriors(number.log ? edges.map(Math.log) : edges, belief);
}
