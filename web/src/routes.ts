// Every screen of the client. A screen's props are its path's parameters.
import { withWorkMessages } from "./lib/i18n.ts";
import { route, type Route } from "./lib/router.svelte.ts";

export const routes: Route[] = [
  route("/", () => import("./screens/home/Home.svelte")),
  route("/admin/:section?/:name?", () => withWorkMessages(import("./screens/admin/Admin.svelte"))),
  route("/create/:id?", () => withWorkMessages(import("./screens/create/Create.svelte"))),
  route("/desk", () => withWorkMessages(import("./screens/desk/Desk.svelte"))),
  route("/support", () => import("./screens/support/Support.svelte")),
  route("/mine", () => withWorkMessages(import("./screens/mine/Mine.svelte"))),
  route("/events/:id", () => import("./screens/event/Event.svelte")),
  route("/search", () => import("./screens/search/Search.svelte")),
  route("/sign-in", () => import("./screens/sign-in/SignIn.svelte")),
  route("/sign-up", () => import("./screens/sign-up/SignUp.svelte")),
  route("/reset/:token", () => import("./screens/reset/Reset.svelte")),
  route("/portfolio", () => import("./screens/portfolio/Portfolio.svelte")),
  route("/live", () => import("./screens/live/Live.svelte")),
  route("/notifications", () => import("./screens/notifications/Notifications.svelte")),
  route("/settings", () => import("./screens/settings/Settings.svelte")),
  route("/leaders", () => import("./screens/leaders/Leaders.svelte")),
  route("/users/:id", () => import("./screens/user/User.svelte")),
];

export const notFound = () => import("./screens/NotFound.svelte");
