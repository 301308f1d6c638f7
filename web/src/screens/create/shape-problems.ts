// What is wrong with a number, a date, or questions that are asked together.
import { isZone, datePriors, stepDays } from "./date-ranges.ts";
import { hasOwnPriors, outcomeCount, priorsOf, type DraftPool, type Problems } from "./draft.ts";
import { CELLS_MOST } from "./joint-questions.ts";
import { edgesOf, numberPriors } from "./number-ranges.ts";

export function numberProblems(pool: DraftPool): Problems {
  const edges = edgesOf(pool.number);
  if (pool.number.edges.length === 0) return { number: "create.need_edges" };
  if (!edges) return { number: "create.bad_edge" };
  if (edges.some((edge, index) => index > 0 && edge <= (edges[index - 1] ?? edge)))
    return { number: "create.edges_not_ascending" };
  if (pool.number.log && (edges[0] ?? 0) <= 0) return { number: "create.log_positive" };
  return pool.ownPriors && !numberPriors(pool.number) ? { ownPriors: "create.bad_belief" } : {};
}

export function dateProblems(pool: DraftPool): Problems {
  if (!isZone(pool.dates.zone)) return { dates: "create.bad_zone" };
  if (!stepDays(pool.dates)) return { dates: "create.need_dates" };
  return pool.ownPriors && !datePriors(pool.dates) ? { ownPriors: "create.bad_belief" } : {};
}

export function jointProblems(pool: DraftPool): Problems {
  const { questions } = pool;
  const isTwice = (names: string[]) =>
    new Set(names.map((name) => name.trim().toLowerCase())).size < names.length;
  if (questions.some(({ name }) => !name.trim()))
    return { questions: "create.need_question_names" };
  const answers = questions.map(({ outcomes }) => outcomes.map(({ name }) => name));
  if (answers.flat().some((name) => !name.trim()))
    return { questions: "create.need_outcome_names" };
  if (isTwice(questions.map(({ name }) => name))) return { questions: "create.same_titles" };
  if (answers.some(isTwice)) return { questions: "create.same_outcome_names" };
  if (outcomeCount(pool) > CELLS_MOST) return { questions: "create.too_many_cells" };
  return hasOwnPriors(pool) && !priorsOf(pool) ? { jointPriors: "create.bad_sum_each" } : {};
}
