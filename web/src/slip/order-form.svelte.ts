// What slips of all kinds hold. SlipShell.svelte draws what follows from it.
import { t } from "../lib/i18n.ts";
import { session } from "../lib/session.svelte.ts";
import type { Asking } from "./quote.svelte.ts";
import type { OrderRequest } from "./target.ts";

/** Moving a chance by this much, or paying over half of the balance, asks for a second tap. */
const LARGE_MOVE = 0.1;

export abstract class OrderForm {
  /** Whether the second tap is asked for. */
  confirming = $state(false);
  abstract readonly quoting: Pick<Asking<never, unknown>, "askAnew" | "error" | "stop">;
  /** What is entered, as JSON. Another one is confirmed anew. */
  abstract readonly entered: string;
  /** What it takes from the balance, kopecks; 0 where it brings more. */
  abstract readonly spentKopecks: number;
  /** The chance that it moves, before and after. */
  abstract readonly moves: { before: number; after: number } | null;
  /** The order that would be sent; null while there is none. */
  abstract readonly request: OrderRequest | null;
  /** What it is carried out at least at, for people; "" before anything is entered. */
  abstract readonly guardText: string;

  /** Asks for quotes of what is entered: call it in an effect. */
  abstract follow(): void;

  /** Why a second tap is asked for; "" where none is. */
  get largeText(): string {
    const { moves, spentKopecks } = this;
    const balance = session.user?.balance_kopecks ?? 0;
    const isMove = moves !== null && Math.abs(moves.after - moves.before) > LARGE_MOVE;
    if (spentKopecks * 2 <= balance) return isMove ? t("slip.large_move") : "";
    return t(isMove ? "slip.large" : "slip.large_balance");
  }

  /** Whether it takes money, so that there must be some. */
  get needsMoney(): boolean {
    return this.spentKopecks > 0;
  }

  get isOverBalance(): boolean {
    const balance = session.user?.balance_kopecks;
    return balance !== undefined && this.spentKopecks > balance;
  }

  /** Why the order would be refused; "" where nothing is known. */
  get problem(): string {
    if (this.isOverBalance) return t("slip.over_balance");
    const { error } = this.quoting;
    return error && error.code !== "network" ? error.text : "";
  }
}
