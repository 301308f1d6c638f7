import { router } from "./router.svelte.ts";

/** What the query says under a name, else the default. Reactive. */
export function queryValue<T extends string>(name: string, allowed: readonly T[], otherwise: T): T {
  const value = router.query.get(name);
  return allowed.find((one) => one === value) ?? otherwise;
}

export function queryText(name: string): string {
  return router.query.get(name) ?? "";
}

/** Sets or (with "") removes names of the query; all others stay, and so does the screen. */
export function setQuery(changes: Record<string, string>): void {
  router.setQuery(changed(changes));
}

/** The same as a layer over the screen, which Back takes away. */
export function layQuery(changes: Record<string, string>): void {
  router.lay(changed(changes));
}

/** The address that setQuery would lead to, for links. */
export function withQuery(changes: Record<string, string>): string {
  return `?${changed(changes).toString()}`;
}

function changed(changes: Record<string, string>): URLSearchParams {
  const query = new URLSearchParams(router.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  return query;
}
