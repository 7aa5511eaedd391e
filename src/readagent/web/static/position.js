// How far somebody has read each document: what lies after that place is hidden, and no question tells it.

import { kept } from "./dom.js";
import { get, part } from "./api.js";

/** How many pages of a document may be known; 0 if all of them. */
export const pagesKnown = (id) => Number(kept.get(`upto.${id}`)) || 0;

export const keepPagesKnown = (id, count) => kept.set(`upto.${id}`, count ? String(count) : "");

/** Return, by document, the offsets up to which these documents may be known, where that is not to the end. */
export async function placesIn(ids) {
  const found = await Promise.all(
    ids.filter(pagesKnown).map(async (id) => {
      const pages = (await get(`documents/${part(id)}/pages`)).sort((a, b) => a.start - b.start);
      return pagesKnown(id) < pages.length ? [[id, pages[pagesKnown(id) - 1].end]] : [];
    }),
  );
  return Object.fromEntries(found.flat());
}

/** Whether an answer that knew these documents up to `upTo`, by document, tells more than `places` allow. */
export const tellsMore = (upTo, places, ids) => ids.some((id) => id in places && !(upTo[id] <= places[id]));
