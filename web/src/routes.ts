// Every screen of the client. A screen's props are its path's parameters.
import { withEventMessages, withMessages, withWorkMessages } from "./lib/i18n.ts";
import { route, type Route } from "./lib/router.svelte.ts";
import { isTrading, PAGES } from "./lib/site.ts";

export const notFound = () => import("./screens/NotFound.svelte");
// One import a function: of two the build forgets the styles.
const portfolio = () => withMessages(import("./screens/portfolio/Portfolio.svelte"));
const ownForecasts = () => withMessages(import("./screens/portfolio/NoPortfolio.svelte"));
const live = () => withMessages(import("./screens/live/Live.svelte"));

export const routes: Route[] = [
  route("/", () => import("./screens/home/Home.svelte")),
  route("/admin/:section?/:name?", () => withWorkMessages(import("./screens/admin/Admin.svelte"))),
  route("/create/:id?", () => withWorkMessages(import("./screens/create/Create.svelte"))),
  route("/desk", () => withWorkMessages(import("./screens/desk/Desk.svelte"))),
  route("/desk/reports", () => withWorkMessages(import("./screens/moderation/Reports.svelte"))),
  route("/desk/objections", () =>
    withWorkMessages(import("./screens/objections/Objections.svelte")),
  ),
  route("/support", () => import("./screens/support/Support.svelte")),
  route("/mine", () => withWorkMessages(import("./screens/mine/Mine.svelte"))),
  route("/events/:id", () => withEventMessages(import("./screens/event/Event.svelte"))),
  route("/search", () => withMessages(import("./screens/search/Search.svelte"))),
  route("/sign-in", () => withMessages(import("./screens/sign-in/SignIn.svelte"))),
  route("/sign-up", () => withMessages(import("./screens/sign-up/SignUp.svelte"))),
  route("/invite/:token", () => withMessages(import("./screens/invite/Invite.svelte"))),
  route("/verify/:token", () => withMessages(import("./screens/verify/Verify.svelte"))),
  route("/forgot", () => withMessages(import("./screens/forgot/Forgot.svelte"))),
  route("/reset/:token", () => withMessages(import("./screens/reset/Reset.svelte"))),
  route("/setup", () => withMessages(import("./screens/setup/Setup.svelte"))),
  route("/portfolio", isTrading ? portfolio : ownForecasts),
  ...(isTrading ? [route("/live", live)] : []),
  route("/notifications", () =>
    withMessages(import("./screens/notifications/Notifications.svelte")),
  ),
  route("/settings", () => withMessages(import("./screens/settings/Settings.svelte"))),
  route("/settings/keys", () => withMessages(import("./screens/keys/Keys.svelte"))),
  route("/record", () => withMessages(import("./screens/record/Record.svelte"))),
  route("/deciding", () => withMessages(import("./screens/deciding/Deciding.svelte"))),
  route("/following", () => withMessages(import("./screens/following/Following.svelte"))),
  route("/leaders", () => withMessages(import("./screens/leaders/Leaders.svelte"))),
  ...PAGES.map((name) => route(`/${name}`, () => import("./screens/site/SitePage.svelte"))),
  route("/users/:id", () => withMessages(import("./screens/user/User.svelte"))),
];
