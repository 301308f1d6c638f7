// The service's time: this machine's clock may be wrong, and what closes when is the service's to say.
let offsetMs = 0;

/** Unix milliseconds by the service's clock, good to a second or two. */
export function now(): number {
  return Date.now() + offsetMs;
}

/** Learns the difference between the clocks from an answer's Date header. */
export function noteServerTime(response: Response): void {
  const served = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(served) || response.headers.has("age")) return;
  const difference = served + 500 - Date.now(); // the header has whole seconds
  if (Math.abs(difference - offsetMs) > 2_000) offsetMs = difference;
}

class Ticker {
  now = $state(now());
  constructor(everyMs: number) {
    setInterval(() => {
      this.now = now();
    }, everyMs);
  }
}

/** Reactive times: `seconds.now` for countdowns, `minutes.now` for "5 min ago" and "closes in 3 d". */
export const seconds = new Ticker(1_000);
export const minutes = new Ticker(20_000);
