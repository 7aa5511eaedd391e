// Setting up: which model there is, a test of it, others to choose from, a key, and the weights of the offline reader.

import { button, el, fill, problem, remedy, told } from "./dom.js";
import { get, post } from "./api.js";
import { count } from "./format.js";

const LOOKS = 1000; // milliseconds between two looks at a download
const megabytes = (bytes) => `${count(Math.round(bytes / 1e6))} MB`;

export function setupView(root, app) {
  const view = new Setup(root, app);
  view.load();
  return view;
}

class Setup {
  constructor(root, app) {
    this.app = app;
    this.now = el("section", { class: "setup-part", "aria-labelledby": "setup-now" });
    this.found = el("section", { class: "setup-part", "aria-labelledby": "setup-found" });
    this.keys = el("section", { class: "setup-part", "aria-labelledby": "setup-keys" });
    this.offline = el("section", { class: "setup-part", "aria-labelledby": "setup-offline" });
    this.said = el("div", { class: "setup-said", role: "status" });
    const head = el("header", { class: "view-head" }, el("h1", { text: "Model" }));
    fill(root, el("div", { class: "library setup" }, head, this.now, this.said, this.found, this.offline, this.keys));
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }

  async load(look = true) {
    try {
      const setup = await get(`setup${look ? "?look=1" : ""}`);
      if (this.closed) return;
      this.setup = look ? setup : { ...setup, ways: this.setup.ways };
      this.draw();
      if (setup.weights.loading) this.timer = setTimeout(() => this.load(false), LOOKS);
      else if (!look) this.load(); // the download has ended
    } catch (error) {
      if (!this.closed) fill(this.said, problem(error));
    }
  }

  draw() {
    const { setup } = this;
    const name = setup.is_local ? "the offline reader, which finds and quotes passages and does not reason" : setup.model;
    const state = setup.ready ? `In use: ${name}.` : "No model can be used yet. Choose one of these.";
    const test = button("Test it", () => this.say("Asking it for a few words\u2026", post("setup/check")), { class: "small" });
    fill(this.now, el("h2", { id: "setup-now", text: "Now" }), told("p", state), setup.ready ? test : null);
    const where = `A server is looked for at ${setup.looked_at.join(", ")}; set OPENAI_BASE_URL to use another, and start ReadAgent again.`;
    const none = `No server, no key and no weights were found. Start Ollama or another server, and look again. ${where}`;
    fill(
      this.found,
      el("h2", { id: "setup-found", text: "On this machine" }),
      setup.ways.length ? el("ul", { class: "ways" }, setup.ways.map((one) => this.way(one))) : el("p", { class: "quiet", text: none }),
      button("Look again", () => this.load(), { class: "small" }),
    );
    this.drawOffline(setup.weights);
    if (!setup.may_change) return fill(this.keys, el("p", { class: "note", text: "The model of this server is chosen where it is started, with --model." }));
    if (!this.keys.firstChild) fill(this.keys, this.keyForm());
    return undefined;
  }

  way(one) {
    const used = one.model === this.setup.model || (one.model === "local" && this.setup.is_local);
    const use = one.missing
      ? told("span", one.missing, { class: "facts" })
      : used
        ? el("span", { class: "facts", text: "in use" })
        : this.setup.may_change && button("Use it", () => this.choose(one.model), { class: "small", "aria-label": `Use ${one.model}` });
    return el("li", {}, told("span", one.about), use);
  }

  drawOffline({ ready, bytes, steps, loading, done, problem: why, hint }) {
    const about = "It runs in this program, without a server and without a key: it finds passages and quotes them, and does not reason.";
    const load = button(`Download ${megabytes(bytes)}`, () => this.download(), { class: "small" });
    const bar = el("progress", { max: bytes, value: done, "aria-label": "Download" });
    fill(
      this.offline,
      el("h2", { id: "setup-offline", text: "The offline reader" }),
      el("p", { class: "quiet", text: about }),
      ready ? el("p", { class: "facts", text: "Its weights are here." }) : null,
      loading ? el("div", { class: "job-row" }, bar, el("span", { class: "facts", text: `${megabytes(done)} of ${megabytes(bytes)}` })) : null,
      !ready && !loading && this.setup.may_change ? load : null,
      !ready && !loading && steps && !this.setup.may_change ? told("p", `On the command line: ${steps}`, { class: "facts" }) : null,
      why ? problem({ message: why, hint }) : null,
    );
  }

  async download() {
    try {
      const { weights } = await post("setup/weights");
      this.setup.weights = weights;
      this.drawOffline(weights);
      this.timer = setTimeout(() => this.load(false), LOOKS);
    } catch (error) {
      fill(this.said, problem(error));
    }
  }

  keyForm() {
    const { providers } = this.setup;
    const provider = el("select", { id: "provider" }, providers.map((one) => el("option", { value: one.name, text: one.has_key ? `${one.name} (a key is set)` : one.name })));
    const model = el("input", { type: "text", id: "model", required: true, autocomplete: "off", spellcheck: "false" });
    const key = el("input", { type: "password", id: "key", autocomplete: "off", placeholder: "Empty: the one that is set" });
    const usual = () => (model.value = providers.find((one) => one.name === provider.value)?.usual ?? "");
    provider.addEventListener("change", usual);
    usual();
    const submit = async (event) => {
      event.preventDefault();
      await this.choose(`${provider.value}/${model.value.trim()}`, key.value);
      key.value = "";
    };
    const field = (id, text, input) => el("div", {}, el("label", { for: id, text }), input);
    return [
      el("h2", { id: "setup-keys", text: "With a key" }),
      el("p", { class: "quiet", text: "Texts are then sent to that server. The key stays on this machine, and no page shows it." }),
      el(
        "form",
        { class: "key-form", on: { submit } },
        field("provider", "Server", provider),
        field("model", "Model", model),
        field("key", "Key", key),
        el("button", { text: "Keep and test" }),
      ),
    ];
  }

  async choose(model, key = "") {
    await this.say(`Asking ${model} for a few words\u2026`, post("setup/model", { model, key }));
    await Promise.all([this.load(), get("status").then((status) => Object.assign(this.app.status, status), () => {})]);
  }

  /** Say what a model has replied. */
  async say(waiting, request) {
    fill(this.said, el("p", { class: "working" }, el("span", { class: "dots", "aria-hidden": "true" }), told("span", waiting)));
    try {
      const found = await request;
      const window = found.window ? `; its window has ${count(found.window)} tokens` : "";
      const good = `${found.model} answers, in ${found.seconds.toFixed(1)} s${window}.`;
      fill(this.said, found.answers ? told("p", good) : problem({ message: `${found.model} cannot be used: ${found.error}`, hint: found.hint }));
    } catch (error) {
      fill(this.said, problem(error));
    }
  }
}

/** Return the offer to choose a model, for pages where none can be used; null where one can. */
export async function setupOffer() {
  const setup = await get("setup").catch(() => null); // another request says what is wrong
  if (!setup || setup.ready) return null;
  const text = "No model can be used yet: documents can be added, searched and looked at, but not read or asked.";
  return el("div", { class: "setup-offer" }, el("p", { text }), el("a", { href: "#/setup", class: "as-button", text: "Choose a model" }));
}

/** Say that the offline reader cannot do something. */
export const needsModel = (what) => el("span", { class: "note" }, `${what} needs a model: the offline reader only finds and quotes. `, remedy("--model"));
