import { sessionUntil } from "../api/tokens.ts";

/** What a site that all may read answers without a session. */
const PUBLIC = /\/api\/v1\/(cards|tags|events|leaderboard|pools|users\/\d)/;
/** But this it answers to no stranger, wherever it is. */
const OWN = /creator=me|following=true/;
/** Screens that need no session, wherever it is: the ways in, and the site's own pages. */
const OPEN = /^\/(sign-in|sign-up|forgot|about|rules|terms|privacy|(invite|verify|reset)\/[^/]+)$/;

/** Whether this site is for members alone: known once it has refused a stranger what others show everyone. */
class Members {
  isAlone = $state(false);

  /** Takes note of an answer. What changes something is refused to strangers everywhere. */
  note(request: Request, response: Response): void {
    if (request.method !== "GET") return;
    if (response.status !== 401 || sessionUntil() !== null) return;
    if (PUBLIC.test(request.url) && !OWN.test(request.url)) this.isAlone = true;
  }

  isOpen(path: string): boolean {
    return OPEN.test(path);
  }
}

export const members = new Members();
