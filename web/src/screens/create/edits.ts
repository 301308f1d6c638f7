// What was changed in the form of an event: only that is sent.
import type { Schemas } from "../../api/client.ts";
import { localMoment, momentOf } from "./numbers.ts";

export interface EventForm {
  name: string;
  nameRu: string;
  tags: string[];
  imageUrl: string;
  externalUrl: string;
  /** Names and pictures of the sides, as many of each. */
  sides: { name: string; imageUrl: string }[];
  mainPool: number;
  pools: PoolForm[];
}

export interface PoolForm {
  id: number;
  name: string;
  nameRu: string;
  rules: string;
  markets: string[];
  liveAt: string;
  finishAt: string;
}

export function formOf(event: Schemas["Event"]): EventForm {
  return {
    name: event.name,
    nameRu: event.name_ru,
    tags: [...new Set(event.tags)],
    imageUrl: event.image_url,
    externalUrl: event.external_event_url,
    sides: event.versus_names.map((name, index) => ({
      name,
      imageUrl: event.versus_images[index] ?? "",
    })),
    mainPool: event.main_pool_index,
    pools: event.pools.map((pool) => ({
      id: pool.id,
      name: pool.name,
      nameRu: pool.name_ru,
      rules: pool.rules,
      // Those that the service gives are not changed by hand.
      markets:
        pool.shape && !pool.metadata.market_names ? [] : pool.markets.map(({ name }) => name),
      liveAt: localMoment(pool.live_at),
      finishAt: localMoment(pool.finish_at),
    })),
  };
}

/** null is "left as it is". */
const SAME_EVENT: Schemas["EditEventBody"] = {
  name: null,
  name_ru: null,
  tags: null,
  versus_names: null,
  versus_images: null,
  has_draw: null,
  image_url: null,
  external_event_url: null,
  main_pool_index: null,
};
const SAME_POOL: Schemas["EditPoolBody"] = {
  name: null,
  name_ru: null,
  rules: null,
  market_names: null,
  live_at: null,
  finish_at: null,
};
const isSame = (one: string[], other: string[]) => JSON.stringify(one) === JSON.stringify(other);
const isChange = (change: object) => Object.values(change).some((value) => value !== null);

/** The event's own changes; null where there are none. */
export function eventChange(before: EventForm, after: EventForm): Schemas["EditEventBody"] | null {
  const change: Schemas["EditEventBody"] = { ...SAME_EVENT };
  if (after.name !== before.name) change.name = after.name.trim();
  if (after.nameRu !== before.nameRu) change.name_ru = after.nameRu.trim();
  if (!isSame(after.tags, before.tags)) change.tags = after.tags;
  if (after.imageUrl !== before.imageUrl) change.image_url = after.imageUrl.trim();
  if (after.externalUrl !== before.externalUrl)
    change.external_event_url = after.externalUrl.trim();
  const names = (form: EventForm) => form.sides.map(({ name }) => name.trim());
  const images = (form: EventForm) => form.sides.map(({ imageUrl }) => imageUrl.trim());
  if (!isSame(names(after), names(before))) change.versus_names = names(after);
  if (!isSame(images(after), images(before))) change.versus_images = images(after);
  if (after.mainPool !== before.mainPool) change.main_pool_index = after.mainPool;
  return isChange(change) ? change : null;
}

/** A pool's changes; null where there are none. A time that was taken away stays: the service cannot clear it. */
export function poolChange(before: PoolForm, after: PoolForm): Schemas["EditPoolBody"] | null {
  const change: Schemas["EditPoolBody"] = { ...SAME_POOL };
  if (after.name !== before.name) change.name = after.name.trim();
  if (after.nameRu !== before.nameRu) change.name_ru = after.nameRu.trim();
  if (after.rules !== before.rules) change.rules = after.rules.trim();
  if (after.markets.some((name, index) => name !== before.markets[index]))
    change.market_names = after.markets.map((name) => name.trim());
  if (after.liveAt !== before.liveAt && after.liveAt) change.live_at = momentOf(after.liveAt);
  if (after.finishAt !== before.finishAt && after.finishAt)
    change.finish_at = momentOf(after.finishAt);
  return isChange(change) ? change : null;
}
