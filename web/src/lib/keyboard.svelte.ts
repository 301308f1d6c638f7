// What an on-screen keyboard covers of the page, where it does not make the page itself smaller (Safari).
class Keyboard {
  /** CSS pixels at the page's foot; 0 without a keyboard, and while the page is zoomed. Reactive. */
  height = $state(0);

  constructor() {
    const seen = globalThis.visualViewport;
    if (!seen) return;
    const measure = () => {
      const covered = innerHeight - seen.height - seen.offsetTop;
      this.height = seen.scale > 1 ? 0 : Math.max(0, Math.round(covered));
    };
    seen.addEventListener("resize", measure);
    seen.addEventListener("scroll", measure);
  }
}

export const keyboard = new Keyboard();
