import { t, has } from "../lib/i18n.ts";

/** A refusal of the service, or a request that got no answer (`network`). */
export class ApiError extends Error {
  constructor(
    /** The service's code, or `network` where no answer came. */
    readonly code: string,
    /** The HTTP status; 0 for `network`. */
    readonly status: number,
    message: string,
    readonly details: Record<string, unknown> = {},
    readonly requestId = "",
    /** Seconds to wait before the next attempt; 0 where the service names none. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }

  /** What to show: our text for the code, else the service's own sentence. */
  get text(): string {
    const key = `errors.${this.code}`;
    if (has(key)) return t(key);
    return this.message || t("errors.internal_error");
  }

  /** Whether the request may have been carried out all the same. */
  get undecided(): boolean {
    return this.status === 0 || this.status >= 500;
  }

  /** Whether the service has too much to do for anybody: it says when to come back. */
  get busy(): boolean {
    return this.status === 503 && this.retryAfter > 0;
  }

  /** Milliseconds to wait before the next attempt; all who hear that it is busy do not come back at once. */
  get waitMs(): number {
    return 1_000 * (this.retryAfter + (this.busy ? Math.random() : 0));
  }

  /** Texts by field name where the service names the fields at fault. */
  get fields(): Record<string, string> {
    const fields = this.details.fields;
    return typeof fields === "object" && fields !== null ? (fields as Record<string, string>) : {};
  }
}

interface ErrorBody {
  error?: string;
  message?: string;
  details?: Record<string, unknown>;
}

export function errorOf(response: Response, body: unknown): ApiError {
  const { error, message, details }: ErrorBody =
    typeof body === "object" && body !== null ? body : {};
  const fallback = response.status === 429 ? "rate_limited" : "internal_error";
  return new ApiError(
    error ?? fallback,
    response.status,
    message ?? "",
    details,
    response.headers.get("x-request-id") ?? "",
    Number(response.headers.get("retry-after")) || 0,
  );
}

/** Whatever was thrown, as an ApiError; anything but a refusal counts as a lost answer. */
export function asApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError("network", 0, String(thrown));
}

export function isAbort(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === "AbortError";
}
