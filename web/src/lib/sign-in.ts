import { router } from "./router.svelte.ts";

/** The page of sign-in or sign-up, which comes back to where one is now. Reactive. */
export function signInAddress(page: "/sign-in" | "/sign-up" = "/sign-in"): string {
  const query = router.query.toString();
  const here = router.path + (query ? `?${query}` : "");
  if (here === "/" || /^\/sign-(in|up)/.test(here)) return page;
  return `${page}?next=${encodeURIComponent(here)}`;
}

/** Where to go after signing in: an address of this site, never another's. */
export function addressAfterSignIn(query: URLSearchParams): string {
  const next = query.get("next") ?? "/";
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : null;
  if (!next.startsWith("/") || url?.origin !== location.origin) return "/";
  // Of "/..//host" the path is "//host": an address of its own again.
  return url.pathname.startsWith("//") ? "/" : url.pathname + url.search;
}
