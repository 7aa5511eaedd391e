// Elements without markup: text from documents and models only ever becomes text nodes.

/** Make an element. `props` are attributes, except `class`, `text`, `on` (listeners), `data` and boolean values. */
export function el(tag, props = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") made.className = value;
    else if (name === "text") made.textContent = value;
    else if (name === "on")
      for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** Make a button. */
export function button(label, listener, props = {}) {
  return el("button", { type: "button", ...props, on: { click: listener } }, label);
}

/** Make text of a document or a model safe to show: one picture in place of each control character. */
export function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202d\u202e\ud800-\udfff]/gu, (found) => {
    const code = found.codePointAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

/** Make an element with text that was written by somebody else, in its own direction. */
export function told(tag, text, props = {}) {
  return el(tag, { dir: "auto", ...props, text: visible(text ?? "") });
}

/** Show why something did not work, and what helps. */
export function problem(error) {
  return el(
    "div",
    { class: error.type === "unloaded" ? "problem unloaded" : "problem", role: "alert" },
    told("p", error.message),
    needsWords(error.hint) ? told("p", error.hint, { class: "hint" }) : null,
    remedy(error.hint),
  );
}

const ABOUT_MODELS = /readagent (?:setup|model)|--model|--base-url|base URL|API_KEY|copy the key/u;

const DONE_HERE = /readagent (?:setup|model pull)/u; // commands for what the page does itself

/** Whether a hint has to be shown: not if it names commands for what its link leads to. */
export const needsWords = (hint) => Boolean(hint) && !DONE_HERE.test(hint);

/** Return a link to where the page does what a hint says; null if it has no such place. */
export function remedy(hint) {
  return hint && ABOUT_MODELS.test(hint) ? el("a", { href: "#/setup", class: "as-button", text: "Set up the model" }) : null;
}

/** Show that what an address names is not there, with a way back. */
export function notThere(error) {
  const back = el("p", {}, el("a", { href: "#/", text: "Back to the library" }));
  return el("div", { class: "library" }, problem(error), back);
}

/** Say in a place of the page why something did not work. */
export function complain(place, error) {
  const hint = needsWords(error.hint) ? error.hint : "";
  fill(place, told("span", error.message), told("span", ` ${hint} `, { class: "hint" }), remedy(error.hint));
}

/** Put these children in place of what is there. */
export function fill(parent, ...children) {
  parent.replaceChildren(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return parent;
}

let announcing = 0;

/** Say something to people who listen to the page; nothing takes away what was said. */
export function announce(text) {
  const place = document.getElementById("announcer");
  clearTimeout(announcing);
  place.textContent = "";
  announcing = setTimeout(() => (place.textContent = visible(text)), 50);
}

/** Call a function at most once every so many milliseconds, and always a last time. */
export function throttled(action, wait) {
  let timer = 0;
  let last = 0;
  const run = () => {
    timer = 0;
    last = Date.now();
    action();
  };
  const call = () => {
    if (!timer) timer = setTimeout(run, Math.max(0, last + wait - Date.now()));
  };
  call.cancel = () => {
    clearTimeout(timer);
    timer = 0;
  };
  return call;
}

/** Keep or read a small setting of this browser. */
export const kept = {
  /** The names of all settings that begin in this way, without that beginning. */
  names(beginning) {
    try {
      const whole = `readagent.${beginning}`;
      return Object.keys(localStorage).filter((one) => one.startsWith(whole)).map((one) => one.slice(whole.length));
    } catch {
      return [];
    }
  },
  get(name, otherwise = "") {
    try {
      return localStorage.getItem(`readagent.${name}`) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      if (value === null || value === "") localStorage.removeItem(`readagent.${name}`);
      else localStorage.setItem(`readagent.${name}`, value);
    } catch {
      // storage is switched off: the setting lasts until the page is closed
    }
  },
};
