// Routing for one page: paths of routes.ts, plain links, the scroll position and kept values of every history entry.
import type { Component } from "svelte";

/** "/events/:id" has { id: string }; a name that ends in "?" may be missing. */
type ParamsOf<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? ParamsOf<Head> & ParamsOf<Tail>
  : Path extends `:${infer Name}?`
    ? Partial<Record<Name, string>>
    : Path extends `:${infer Name}`
      ? Record<Name, string>
      : unknown;

type Loader = () => Promise<{ default: Component<Record<string, string>> }>;

export interface Route {
  path: string;
  load: Loader;
}

type Fits<Path extends string, Props> =
  Record<never, never> extends Props ? true : ParamsOf<Path> extends Props ? true : false;

/** A screen at a path. Its props are the path's parameters. */
export function route<Path extends string, Props extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<{
    default: Fits<Path, Props> extends true ? Component<Props> : "its props are not the path's";
  }>,
): Route {
  return { path, load: load as unknown as Loader };
}

/** The parameters of a path, or null where it does not match. */
export function match(pattern: string, pathname: string): Record<string, string> | null {
  const wanted = pattern.split("/").slice(1);
  const given = pathname.split("/").slice(1);
  const params: Record<string, string> = {};
  if (given.length > wanted.length) return null;
  for (const [index, part] of wanted.entries()) {
    const value = given[index];
    if (part.startsWith(":")) {
      if (value === undefined && part.endsWith("?")) continue;
      if (!value) return null;
      try {
        params[part.slice(1).replace("?", "")] = decodeURIComponent(value);
      } catch {
        return null;
      }
    } else if (part !== value) return null;
  }
  return params;
}

interface Entry {
  scroll: number;
  kept: Map<string, unknown>;
}

const MOST_ENTRIES = 30;

class Router {
  /** Where the page is, reactive. */
  path = $state(location.pathname);
  query = $state.raw(new URLSearchParams(location.search));
  /** The screen shown and its parameters; null until the first one is loaded. */
  screen = $state.raw<Component<Record<string, string>> | null>(null);
  params = $state.raw<Record<string, string>>({});
  /** The code of a screen could not be loaded. */
  failed = $state(false);
  loading = $state(false);
  /** Whether something lies over the screen that Back takes away. */
  layered = $state(false);
  /** Grows with every screen shown: a screen of the same route with other parameters is made anew. */
  visit = $state(0);

  #routes: Route[] = [];
  #notFound: Loader | null = null;
  #entries = new Map<string, Entry>();
  #key = "";
  #going = 0;
  /** Names of the query that what lies over the screen brought; null where nothing lies there. */
  #laid: string[] | null = null;

  start(routes: Route[], notFound: Loader): void {
    this.#routes = routes;
    this.#notFound = notFound;
    history.scrollRestoration = "manual";
    this.#key = entryKey();
    this.#laid = laidNames();
    this.layered = this.#laid !== null;
    addEventListener("popstate", () => {
      const taken = this.#laid;
      this.#laid = laidNames();
      this.layered = this.#laid !== null;
      if (entryKey() !== this.#key || location.pathname !== this.path) void this.#arrive(true);
      else if (taken && !this.layered) this.#uncover(taken);
      else this.query = new URLSearchParams(location.search);
    });
    addEventListener("click", (event) => {
      this.#click(event);
    });
    addEventListener(
      "scroll",
      () => {
        this.#entry().scroll = scrollY;
      },
      { passive: true },
    );
    void this.#show(location.pathname, null);
  }

  /** Goes to an address of the client. */
  async go(address: string, { replace = false } = {}): Promise<void> {
    const url = new URL(address, location.href);
    if (replace) history.replaceState({ key: newKey() }, "", url);
    else history.pushState({ key: newKey() }, "", url);
    this.layered = false;
    this.#laid = null;
    await this.#arrive(false);
  }

  /** Goes back, or to the address where this is the first page of the visit. */
  back(otherwise: string): void {
    if (this.#entries.size > 1) history.back();
    else void this.go(otherwise, { replace: true });
  }

  /** Changes the query only: same screen, same history entry, same scroll position. */
  setQuery(query: URLSearchParams): void {
    if (location.pathname !== this.path) return; // another screen is on its way
    const text = query.toString();
    history.replaceState(history.state, "", location.pathname + (text ? `?${text}` : ""));
    this.query = new URLSearchParams(text);
  }

  /**
   * Lays something over the screen, which stays as it is: Back takes it away with the names of the query that it
   * brought. What else was chosen meanwhile stays.
   */
  lay(query = this.query): void {
    if (!this.layered) {
      const names = new Set([...query.keys(), ...this.query.keys()]);
      this.#laid = [...names].filter((name) => query.get(name) !== this.query.get(name));
      history.pushState({ key: this.#key, layer: this.#laid }, "", location.href);
    }
    this.layered = true;
    this.setQuery(query);
  }

  /** Takes away what lay() laid over the screen. Returns whether there is anything. */
  unlay(): boolean {
    if (!this.layered) return false;
    this.layered = false; // history.back() takes its time, and a second one would leave the page
    history.back();
    return true;
  }

  /** A value that stays with this history entry: made once, there again after Back. */
  keep<T>(name: string, make: () => T): T {
    const { kept } = this.#entry();
    if (!kept.has(name)) kept.set(name, make());
    return kept.get(name) as T;
  }

  /** Drops what history entries have kept: it was shown to somebody else. */
  forget(): void {
    for (const { kept } of this.#entries.values()) kept.clear();
  }

  /** Loads the failed screen again. */
  retry = async (): Promise<void> => {
    await this.#show(location.pathname, null);
  };

  #entry(): Entry {
    let entry = this.#entries.get(this.#key);
    if (!entry) {
      entry = { scroll: 0, kept: new Map() };
      this.#entries.set(this.#key, entry);
      const oldest = this.#entries.keys().next().value;
      if (this.#entries.size > MOST_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    }
    return entry;
  }

  #uncover(taken: readonly string[]): void {
    const below = [...new URLSearchParams(location.search)];
    const stays = [...this.query].filter(([name]) => !taken.includes(name));
    const back = below.filter(([name]) => taken.includes(name));
    this.setQuery(new URLSearchParams([...stays, ...back]));
  }

  async #arrive(isBack: boolean): Promise<void> {
    const before = this.path + this.query.toString();
    this.#key = entryKey();
    const { scroll } = this.#entry();
    const here = location.pathname + new URLSearchParams(location.search).toString();
    if (before === here && location.hash) return; // the browser scrolls to the fragment
    await this.#show(location.pathname, isBack ? scroll : 0);
  }

  async #show(path: string, scroll: number | null): Promise<void> {
    const going = ++this.#going;
    const [load, params] = this.#find(path);
    this.loading = true;
    this.failed = false;
    const loaded = await load().catch(() => null);
    if (going !== this.#going) return;
    this.loading = false;
    this.path = path;
    this.query = new URLSearchParams(location.search);
    this.params = params;
    this.screen = loaded?.default ?? null;
    this.failed = loaded === null;
    this.visit++;
    if (location.hash && !scroll) showFragment(location.hash.slice(1));
    else if (scroll !== null) restoreScroll(scroll);
  }

  #find(path: string): [Loader, Record<string, string>] {
    for (const { path: pattern, load } of this.#routes) {
      const params = match(pattern, path);
      if (params) return [load, params];
    }
    return [this.#notFound as Loader, {}];
  }

  /** Follows plain clicks on links that a route knows; all others are the browser's. */
  #click(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link?.href || link.target || link.hasAttribute("download")) return;
    const url = new URL(link.href);
    if (url.origin !== location.origin) return;
    if (!this.#routes.some(({ path }) => match(path, url.pathname))) return;
    if (url.pathname === location.pathname && url.search === location.search && url.hash) return;
    event.preventDefault();
    const isSame = url.href === location.href;
    void this.go(link.href, { replace: isSame || link.dataset.replace !== undefined });
  }
}

function newKey(): string {
  return Math.random().toString(36).slice(2);
}

/** The history entry's own key, given to it where it has none (the first page, a fragment). */
function entryKey(): string {
  const state: unknown = history.state;
  if (typeof state === "object" && state !== null && "key" in state) return String(state.key);
  const key = newKey();
  history.replaceState({ key }, "");
  return key;
}

function laidNames(): string[] | null {
  const state: unknown = history.state;
  if (typeof state !== "object" || state === null || !("layer" in state)) return null;
  return Array.isArray(state.layer) ? state.layer.map(String) : [];
}

/** Scrolls to the element of an address's fragment once it is there; again while what is above it still grows. */
function showFragment(id: string): void {
  let frames = 0;
  const attempt = () => {
    document.getElementById(id)?.scrollIntoView({ behavior: "instant" });
    if (++frames < 40) requestAnimationFrame(attempt);
  };
  requestAnimationFrame(attempt);
}

/** Scrolls once the screen is there; again while kept lists still grow to their height. */
function restoreScroll(top: number): void {
  let frames = 0;
  const attempt = () => {
    scrollTo({ top, behavior: "instant" });
    if (Math.abs(scrollY - top) > 1 && ++frames < 30) requestAnimationFrame(attempt);
  };
  requestAnimationFrame(attempt);
}

export const router = new Router();
