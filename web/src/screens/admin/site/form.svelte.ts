// What an admin has changed of the site's settings and not saved, beside what the service has now.
import { get, type Schemas } from "../../../api/client.ts";
import { has, t } from "../../../lib/i18n.ts";
import { Submission } from "../../../lib/submission.svelte.ts";
import {
  changeSettings,
  isSame,
  valuesOf,
  type Value,
  type Values,
} from "../../../own-site/values.ts";

const PAGE = 100;
const PAGES_MOST = 10;

export class SettingsForm {
  settings = $state.raw<Schemas["SiteSettings"]>();
  /** By name what was typed, where it is another than what counts; null unsets it. */
  typed = $state.raw<Values>({});
  /** Names that go back to their default. */
  #unset = $state.raw<readonly string[]>([]);
  /** Names that another admin has changed since this page was read. */
  changedElsewhere = $state.raw<string[]>([]);
  readonly sending = new Submission();

  readonly current = $derived<Values>(this.settings ? valuesOf(this.settings) : {});
  readonly changed = $derived(Object.keys(this.typed));

  load = async (): Promise<void> => {
    const before = this.settings && this.current;
    const settings = await get("/api/v1/admin/settings");
    this.settings = settings;
    const now = valuesOf(settings);
    if (before)
      this.changedElsewhere = Object.keys(now).filter((name) => !isSame(before[name], now[name]));
    // What another admin has set to the same is no change any longer.
    for (const [name, value] of Object.entries(this.typed))
      if (this.#unset.includes(name)) this.unset(name);
      else this.set(name, value);
  };

  setting(name: string): Schemas["SiteSettings"]["settings"][number] | undefined {
    return this.settings?.settings.find((one) => one.name === name);
  }

  valueOf(name: string): Value {
    if (this.#unset.includes(name))
      return (this.setting(name)?.default as Value | undefined) ?? null;
    return (name in this.typed ? this.typed[name] : this.current[name]) ?? null;
  }

  set(name: string, value: Value): void {
    this.#type(name, value, isSame(value, this.current[name]));
  }

  /** Back to the default, also where that is another one some day. */
  unset(name: string): void {
    const isSet = this.setting(name)?.source === "site";
    this.#type(name, null, !isSet);
    if (isSet) this.#unset = [...this.#unset, name];
  }

  #type(name: string, value: Value, isAsItIs: boolean): void {
    const others = Object.fromEntries(Object.entries(this.typed).filter(([one]) => one !== name));
    this.typed = isAsItIs ? others : { ...others, [name]: value };
    this.#unset = this.#unset.filter((one) => one !== name);
  }

  undo(): void {
    this.typed = {};
    this.#unset = [];
    this.changedElsewhere = [];
    this.sending.clear();
  }

  /** Why a setting is refused: the service's sentence, in which variables of this page have their titles. */
  fault(name: string): string {
    return this.sending
      .field(`changes.${name}`)
      .replace(/FOREKNOW_([A-Z_]+)/g, (variable, upper: string) => {
        const key = `ownsite.name_${upper.toLowerCase()}`;
        return has(key) ? `“${t(key)}”` : variable;
      });
  }

  /** Returns whether it was saved. Where another admin was faster, theirs is shown, and what was typed stays. */
  async save(): Promise<boolean> {
    const version = this.settings?.version;
    if (version === undefined) return false;
    const changes = this.typed;
    const isSaved = await this.sending.run(async () => {
      this.settings = await changeSettings(version, changes);
    });
    if (isSaved) this.undo();
    else if (this.isOvertaken) await this.load();
    return isSaved;
  }

  get isOvertaken(): boolean {
    const { error } = this.sending;
    return error?.code === "invalid_state" && "version" in error.details;
  }
}

/** How many have an account that is open; null where there are over 1,000. */
export async function countMembers(): Promise<number | null> {
  let cursor: string | undefined;
  let count = 0;
  for (let page = 0; page < PAGES_MOST; page++) {
    const query = { limit: PAGE, ...(cursor ? { cursor } : {}) };
    const { users, next_cursor: next } = await get("/api/v1/admin/users", { query });
    count += users.filter((user) => user.is_active).length;
    if (next === null) return count;
    cursor = next;
  }
  return null;
}
