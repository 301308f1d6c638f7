// How far the market has gone since somebody said what they think.
import { percent } from "../lib/formats.ts";
import { quantile, valueText } from "../lib/shapes.ts";
import type { PoolView } from "../screens/event/pool-view.svelte.ts";

export interface Move {
  /** The outcome that moved most; "" of a question that has one figure. */
  name: string;
  from: string;
  to: string;
}

/** What the market said `then` beside now; null where it reads the same, or was of other outcomes. */
export function marketMove(
  view: Pick<PoolView, "axis" | "isYesNo" | "names" | "outcomes">,
  then: readonly number[],
): Move | null {
  const now = view.outcomes.map(({ probability }) => probability);
  const { axis } = view;
  // What a list's Other was then is not what it is now.
  if (!view.isYesNo && then.length !== now.length) return null;
  let move: Move;
  if (axis) {
    const median = (chances: readonly number[]) => valueText(axis, quantile(axis, chances, 0.5));
    move = { name: "", from: median(then), to: median(now) };
  } else {
    const moves = then.map((chance, index) => Math.abs((now[index] ?? chance) - chance));
    const most = view.isYesNo ? 0 : moves.indexOf(Math.max(...moves));
    move = {
      name: view.isYesNo ? "" : (view.names[most] ?? ""),
      from: percent(then[most] ?? 0),
      to: percent(now[most] ?? 0),
    };
  }
  return move.from === move.to ? null : move;
}
