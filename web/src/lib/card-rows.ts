// What a card of several outcomes lists.
import type { Card, CardOutcome } from "../api/cards.ts";
import { answersAt, questionName, yesOf, type JointQuestion } from "./joint.ts";
import { poolQuestions } from "./pool-names.svelte.ts";
import { tellingNames } from "./telling.ts";

const SHOWN = 3;

/** What may happen, and what of the event's address puts the slip on it. */
export interface CardRow {
  index: number;
  name: string;
  /** The name with what tells it from the others before it is cut. */
  shown: string;
  probability: number;
  probability_24h: number;
  address: string;
}
type Row = Omit<CardRow, "shown">;

/**
 * The likeliest outcomes; of questions asked together to which the answers are Yes and No, the questions, as the names
 * of their outcomes are theirs one after another. `left`: how many outcomes are not listed. Reactive.
 */
export function cardRows({ pool }: Card, top: CardOutcome[]): { rows: CardRow[]; left: number } {
  const questions = poolQuestions(pool.pool_id);
  if (questions?.every((one) => yesOf(one) >= 0) && top.length === pool.outcomes)
    return {
      rows: telling(questions.map((_, question) => chanceOfYes(questions, question, top))),
      left: 0,
    };
  const rows = top.slice(0, SHOWN).map((outcome) => ({
    ...outcome,
    index: outcome.outcome_index,
    address: `market=${String(outcome.market_id)}`,
  }));
  return { rows: telling(rows), left: pool.outcomes - rows.length };
}

function telling(rows: Row[]): CardRow[] {
  const shown = tellingNames(rows.map(({ name }) => name));
  return rows.map((row, index) => ({ ...row, shown: shown[index] ?? row.name }));
}

function chanceOfYes(questions: JointQuestion[], index: number, all: CardOutcome[]): Row {
  const asked = questions[index] as JointQuestion;
  const yes = yesOf(asked);
  const sizes = questions.map(({ outcomes }) => outcomes.length);
  const won = all.filter(({ outcome_index: outcome }) => answersAt(outcome, sizes)[index] === yes);
  return {
    index,
    name: questionName(asked),
    probability: won.reduce((sum, { probability }) => sum + probability, 0),
    probability_24h: won.reduce((sum, { probability_24h }) => sum + probability_24h, 0),
    address: `then=${String(index)}.${String(yes)}`,
  };
}
