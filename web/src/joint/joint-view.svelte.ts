// What is on the screen of questions asked together, and what its slip is on: the address keeps it.
import { t } from "../lib/i18n.ts";
import {
  answerName,
  answerNames,
  jointOf,
  questionName,
  questionOutcomes,
  type JointQuestion,
} from "../lib/joint.ts";
import { percent } from "../lib/formats.ts";
import { queryText, queryValue, setQuery } from "../lib/query.ts";
import type { PoolView } from "../screens/event/pool-view.svelte.ts";
import { slipAddress } from "../slip/address.ts";
import {
  cellsOf,
  chanceOf,
  isPick,
  read,
  written,
  type Answer,
  type Answers,
  type Pick,
} from "./table.ts";

export const SHOWN = ["if", "all", "time"] as const;
export type Shown = (typeof SHOWN)[number];
/** Less is written as a dash. */
const LEAST = 0.0005;

export class JointView {
  readonly #view: () => PoolView;

  constructor(view: () => PoolView) {
    this.#view = view;
  }

  readonly questions = $derived.by((): JointQuestion[] => jointOf(this.#view().pool) ?? []);
  readonly sizes = $derived.by(() => this.questions.map(({ outcomes }) => outcomes.length));
  readonly prices = $derived.by(() => {
    const prices: number[] = [];
    for (const { index, probability } of this.#view().outcomes) prices[index] = probability;
    return prices;
  });

  readonly shown = $derived.by((): Shown => queryValue("show", SHOWN, "if"));
  /** The question whose answers are the conditions. */
  readonly rows = $derived.by(() => this.#question("rows", 0));
  /** The question that is asked under them. */
  readonly columns = $derived.by(() => {
    const wanted = this.#question("cols", this.rows === 1 ? 0 : 1);
    return wanted === this.rows ? (this.rows === 0 ? 1 : 0) : wanted;
  });
  /** Answers of other questions that are taken for granted; the rest go either way. */
  readonly fixed = $derived.by(() =>
    read(queryText("fix")).filter(
      ({ question, outcome }) =>
        question !== this.rows &&
        question !== this.columns &&
        outcome < (this.sizes[question] ?? 0),
    ),
  );
  /** The likeliest answer to the first question, and the likeliest to the second under it. */
  readonly #usual = $derived.by((): Answers => {
    const { rows, columns, fixed } = this;
    const when = [...fixed, this.#likeliest(rows, fixed)];
    return { when, then: [this.#likeliest(columns, when)] };
  });
  /** What the address says that the slip is on; null where it says nothing that can be bet on. */
  readonly #chosen = $derived.by(() => {
    const sent = { when: read(queryText("if")), then: read(queryText("then")) };
    return isPick(this.sizes, sent) ? sent : null;
  });
  /** What the slip is on. */
  readonly pick = $derived.by((): Pick => {
    return { ...(this.#chosen ?? this.#usual), isNo: slipAddress.side === "NO" };
  });
  /** The condition that is looked at: the row of the pick, else the likeliest. */
  readonly row = $derived.by(() => {
    const found = [...this.pick.when, ...this.pick.then].find(
      ({ question }) => question === this.rows,
    );
    return found?.outcome ?? this.#likeliest(this.rows, this.fixed).outcome;
  });

  /** Keeps what the slip is on where nobody has chosen it: as prices move, others become the likeliest. */
  pin(): void {
    if (!this.#chosen) this.choose(this.#usual);
  }

  choose({ when, then }: Answers): void {
    setQuery({ if: written(when), then: written(then) });
  }

  chooseRow(outcome: number): void {
    const { rows, columns, fixed } = this;
    const when = [...fixed, { question: rows, outcome }];
    const before = this.pick.then.find(({ question }) => question === columns);
    this.choose({ when, then: [before ?? this.#likeliest(columns, when)] });
  }

  show(shown: Shown): void {
    setQuery({ show: shown === "if" ? "" : shown });
  }

  /** Which two questions are on the screen, and how the others go. What the slip is on begins anew. */
  arrange(rows: number, columns: number, fixed: Answer[]): void {
    setQuery({
      rows: rows === 0 ? "" : String(rows),
      cols: String(columns),
      fix: written(fixed),
      if: "",
      then: "",
    });
  }

  outcomes(question: number): string[] {
    const found = this.questions[question];
    return found ? questionOutcomes(found) : [];
  }

  questionName(question: number): string {
    const found = this.questions[question];
    return found ? questionName(found) : "";
  }

  /** An answer by itself: with its question where it says nothing alone. */
  nameOf(answer: Answer): string {
    return answerName(this.questions, answer);
  }

  namesOf(answers: readonly Answer[]): string {
    return answerNames(this.questions, answers);
  }

  /** "Clara wins, if Ada runs". */
  titleOf({ when, then }: Answers): string {
    if (when.length === 0) return this.namesOf(then);
    return t("common.then_if", { then: this.namesOf(then), when: this.namesOf(when) });
  }

  #question(name: string, otherwise: number): number {
    const text = queryText(name);
    const wanted = /^\d$/.test(text) ? Number(text) : otherwise;
    return wanted < this.sizes.length ? wanted : otherwise;
  }

  #likeliest(question: number, when: Answer[]): Answer {
    const chances = Array.from({ length: this.sizes[question] ?? 1 }, (_, outcome) =>
      chanceOf(this.prices, cellsOf(this.sizes, [...when, { question, outcome }])),
    );
    return { question, outcome: chances.indexOf(Math.max(...chances)) };
  }
}

/** A chance as its cell says it: a dash where there is next to none. */
export function chanceText(chance: number | null): string {
  return chance === null || chance < LEAST ? "—" : percent(chance, 1);
}

/** What to read where a dash stands. */
export function spokenChance(chance: number | null): string {
  return chance === null || chance < LEAST ? t("joint.next_to_none") : percent(chance, 1);
}
