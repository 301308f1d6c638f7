// The time zone in which times are shown and typed: that of one's account; the browser's where nobody is signed in, and
// where the account is in UTC, in which one begins that was not made in a browser.

class Zone {
  /** Of IANA; undefined for the browser's. Reactive. */
  name = $state<string>();

  /** A zone that this browser does not know leaves its own. */
  set(name: string | undefined): void {
    this.name = name !== undefined && name !== "UTC" && isZone(name) ? name : undefined;
  }
}

export const zone = new Zone();

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Whether this browser knows it. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
