// Amounts that are shown together add up as they are shown, where the currency shows none of their decimals: what
// belongs together is summed exactly and cut once, and what is left of the cutting is shared among its parts. Amounts
// are kopecks; where the currency shows decimals, all are as they were.
import { cut, isCut } from "./money.ts";
import { site, type Currency } from "./site.ts";

export function sum(kopecks: readonly number[]): number {
  return kopecks.reduce((total, one) => total + one, 0);
}

/**
 * Parts as they are shown beside their `total`, which is shown already: whole units, one more for those that cutting
 * took most from, until they add up to it.
 */
export function parts(
  kopecks: readonly number[],
  total?: number,
  currency: Currency = site.currency,
): number[] {
  if (!isCut(currency)) return [...kopecks];
  const rests = kopecks.map((one) => ((one % 100) + 100) % 100);
  const least = kopecks.map((one, index) => one - (rests[index] ?? 0));
  const missing = ((total ?? cut(sum(kopecks), currency)) - sum(least)) / 100;
  const byRest = [...rests.keys()].sort((one, other) => (rests[other] ?? 0) - (rests[one] ?? 0));
  const raised = new Set(byRest.slice(0, Math.max(0, missing)));
  return least.map((one, index) => (raised.has(index) ? one + 100 : one));
}

/** Of what was bought: what was paid, and what it brought or is worth. */
export interface Deal {
  paid: number;
  received: number;
}

export interface ShownDeal extends Deal {
  gain: number;
}

/** Rows as they are shown: what each has gained is the difference of its row, and the columns add up to `totals`. */
function rows<T>(
  items: readonly T[],
  dealOf: (item: T) => Deal,
  totals: Deal,
  currency: Currency,
): (item: T) => ShownDeal {
  const column = (name: keyof Deal) =>
    parts(
      items.map((item) => dealOf(item)[name]),
      totals[name],
      currency,
    );
  const [paid, received] = [column("paid"), column("received")];
  const places = new Map(items.map((item, index) => [item, index]));
  return (item) => {
    const index = places.get(item) ?? -1;
    const row = { paid: paid[index] ?? 0, received: received[index] ?? 0 };
    return { ...row, gain: row.received - row.paid };
  };
}

/** What is over, a row each: what they have gained adds up to the sum of all gains, cut. */
export function results<T>(
  items: readonly T[],
  dealOf: (item: T) => Deal,
  currency: Currency = site.currency,
): (item: T) => ShownDeal {
  const deals = items.map(dealOf);
  const paid = sum(deals.map((one) => cut(one.paid, currency)));
  const received = sum(deals.map((one) => cut(one.received, currency)));
  const gained = cut(sum(deals.map((one) => one.received - one.paid)), currency);
  const missing = gained - (received - paid);
  const totals = { paid: paid + Math.max(0, -missing), received: received + Math.max(0, missing) };
  return rows(items, dealOf, totals, currency);
}

/** What somebody has: money, what orders hold of it, what positions are worth and cost. */
export interface Assets {
  balance: number;
  held: number;
  worth: number;
  paid: number;
}

export interface ShownAssets {
  exact: Assets;
  /** Of balance, held and worth. */
  total: number;
  balance: number;
  held: number;
  worth: number;
  gain: number;
}

/** The same as it is shown: the balance as everywhere, the rest of the total as its parts. */
export function assets(exact: Assets, currency: Currency = site.currency): ShownAssets {
  const total = cut(exact.balance + exact.held + exact.worth, currency);
  const balance = cut(exact.balance, currency);
  const [held = 0, worth = 0] = parts([exact.held, exact.worth], total - balance, currency);
  return { exact, total, balance, held, worth, gain: worth - cut(exact.paid, currency) };
}

/** What is held, a row each: where it is all that there is, the rows add up to what `all` shows of it. */
export function holdings<T>(
  items: readonly T[],
  dealOf: (item: T) => Deal,
  all: ShownAssets | undefined,
  currency: Currency = site.currency,
): (item: T) => ShownDeal {
  const deals = items.map(dealOf);
  const paid = cut(sum(deals.map((one) => one.paid)), currency);
  const received = sum(deals.map((one) => one.received));
  const isAll = received === all?.exact.worth;
  const totals = { paid, received: isAll ? all.worth : cut(received, currency) };
  return rows(items, dealOf, totals, currency);
}

/** Changes of a balance as they are shown, the newest first: each the difference of the balances around it. */
export function movements(
  balance: number,
  changes: readonly number[],
  currency: Currency = site.currency,
): number[] {
  let after = balance;
  return changes.map((change) => {
    const shown = cut(after, currency) - cut(after - change, currency);
    after -= change;
    return shown;
  });
}
