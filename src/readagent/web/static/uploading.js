// Documents that are added, and files on their way to the server.

import { ApiError, address, part, refused, request } from "./api.js";

/** Add a document; the result says whether its text was in the library before. */
export async function add(path, body, options = {}) {
  let known = false;
  const heard = ({ status }) => (known = status === 200);
  const made = await request("POST", path, body, { ...options, heard });
  return { ...made, known };
}

/** Upload a file, as `add` does; `sent(share)` is called while it is sent. `signal` cancels it until all of it is sent. */
export function upload(file, { sent, signal }) {
  const sending = new XMLHttpRequest(); // fetch does not say how much it has sent
  let whole = false; // then the server adds it, whether or not its answer is waited for
  const ended = new Promise((done, failed) => {
    const lost = { error: "the server cannot be reached", hint: "is `readagent serve` still running?" };
    sending.upload.addEventListener("progress", (event) => sent(event.loaded / Math.max(1, event.total)));
    sending.upload.addEventListener("load", () => (whole = true));
    sending.addEventListener("error", () => failed(new ApiError(0, lost)));
    sending.addEventListener("abort", () => failed(new ApiError(0, { error: "cancelled" })));
    sending.addEventListener("load", () => {
      const { status, response } = sending;
      if (status === 200 || status === 201) done({ ...response, known: status === 200 });
      else failed(refused(status, response));
    });
  });
  signal.addEventListener("abort", () => whole || sending.abort(), { once: true });
  sending.open("POST", address(`uploads?name=${part(file.name)}`));
  sending.responseType = "json";
  sending.setRequestHeader("X-ReadAgent", "1");
  sending.setRequestHeader("Content-Type", "application/octet-stream");
  sending.send(file);
  return ended;
}
