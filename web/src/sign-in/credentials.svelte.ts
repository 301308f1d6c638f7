// What is typed in to sign in or up: the same in the dialog and on both pages, so that changing one's mind loses
// nothing. It is never stored, and the password is forgotten with the form.
import { answer, api, type Schemas } from "../api/client.ts";
import { sessionUntil } from "../api/tokens.ts";
import { changeAccount } from "../lib/own-account.ts";
import { session } from "../lib/session.svelte.ts";
import { site } from "../lib/site.ts";
import { Submission } from "../lib/submission.svelte.ts";
import { browserZone } from "../lib/zone.svelte.ts";

export type Mode = "sign-in" | "sign-up";
export const PASSWORD_LEAST = 8;
export const PASSWORD_MOST = 128;

/** A new account's days and mails go by its browser's clock. In UTC, which it begins with, the account works as well. */
async function beginInOwnZone(): Promise<void> {
  await changeAccount({ time_zone: browserZone() }).catch(() => undefined);
}

export class Credentials extends Submission {
  login = $state("");
  password = $state("");
  name = $state("");
  nickname = $state("");
  /** Of a link that invites, its last part. */
  invitation = $state<string | null>(null);
  /** The only address that it is for; null for any. */
  invited = $state<string | null>(null);
  /** Whether the site's terms are agreed to, where it has any. */
  agrees = $state(false);
  /** The service said yes, but this browser keeps no cookies of this address. */
  notKept = $state(false);

  /** The version of the terms that is agreed to. */
  get terms(): string | null {
    return this.agrees ? site.terms : null;
  }

  /** Returns whether somebody is signed in now. */
  signIn = (): Promise<boolean> =>
    this.#begin(() =>
      answer(
        api.POST("/api/v1/auth/sign-in", {
          body: { login: this.login.trim(), password: this.password },
        }),
      ),
    );

  signUp = async (): Promise<boolean> => {
    const isDone = await this.#begin(() =>
      answer(
        api.POST("/api/v1/auth/sign-up", {
          body: {
            email: this.login.trim(),
            password: this.password,
            name: this.name.trim(),
            nickname: this.nickname.trim() || null,
            invitation: this.invitation,
            terms: this.terms,
          },
        }),
      ),
    );
    if (isDone) void beginInOwnZone();
    return isDone;
  };

  async #begin(ask: () => Promise<Schemas["SignedIn"]>): Promise<boolean> {
    this.notKept = false;
    const isDone = await this.run(async () => {
      const { user } = await ask();
      if (sessionUntil() === null) this.notKept = true;
      else session.set(user);
    });
    if (isDone && !this.notKept) this.password = "";
    return isDone && !this.notKept;
  }
}
