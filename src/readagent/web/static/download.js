// A download that is started only if the server has it.

import { el, fill, problem } from "./dom.js";
import { checkDownload } from "./api.js";

/** Download what is at an address; in `refusal` it is said why that is not possible. */
export async function download(href, refusal) {
  fill(refusal);
  try {
    await checkDownload(href);
  } catch (error) {
    fill(refusal, problem(error));
    return;
  }
  el("a", { href, download: true }).click();
}
