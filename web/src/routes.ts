// Every screen of the client. A screen's props are its path's parameters.
import { route, type Route } from "./lib/router.svelte.ts";

export const routes: Route[] = [
  route("/", () => import("./screens/home/Home.svelte")),
  route("/search", () => import("./screens/search/Search.svelte")),
];

export const notFound = () => import("./screens/NotFound.svelte");
