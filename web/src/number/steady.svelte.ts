// What follows from live prices, kept still for long enough to be quoted, read and confirmed.
const LEAST_MS = 1_000;

export class Steady<Value> {
  value = $state.raw<Value | null>(null);
  #latest: Value | null = null;
  #entered: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * Call it in an effect. `latest` is taken over at once where `entered` is another, else a second later, at the
   * earliest once it is not `held` any longer.
   */
  follow(entered: string, latest: Value | null, held: boolean): void {
    this.#latest = latest;
    if (entered !== this.#entered) {
      this.#entered = entered;
      this.#renew();
    } else if (held) this.stop();
    else
      this.#timer ??= setTimeout(() => {
        this.#renew();
      }, LEAST_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #renew(): void {
    this.stop();
    this.value = this.#latest;
  }
}
