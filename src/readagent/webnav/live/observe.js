// Returns the page as it is now: the HTML of what is visible, with current values, and an id on every element that can
// be acted on. An element keeps its id for as long as it exists, and one that replaces it gets the same. Open shadow roots
// and frames of the same origin are included in place; frames of other origins are comments with the number of the frame,
// which its element has as an attribute. `getEventListeners` belongs to the DevTools console; it exists only if this is
// evaluated with the command line API. Ids begin with PREFIX.
((MARK, PREFIX) => {
  const store = (window[Symbol.for(MARK)] ||= { last: 0, frames: 0, given: new Map() });
  const seen = new Set();
  const OURS = new RegExp(`^${PREFIX}[0-9]+$`); // a page may write ids of other frames into its elements
  const modal = [...document.querySelectorAll("dialog:modal")].pop();
  const DROPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "OBJECT", "EMBED"]);
  const VOID = new Set(["INPUT", "IMG", "BR", "HR", "AREA", "WBR", "COL", "TRACK", "SOURCE"]);
  const ACTIVE = new Set(["A", "AREA", "BUTTON", "INPUT", "SELECT", "TEXTAREA", "SUMMARY"]);
  const ROLES = new Set(
    ("button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox textbox " +
     "searchbox slider spinbutton treeitem").split(" "));
  const EVENTS = ["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart"];
  const NOISE = /^(style|on.*|src|srcset|sizes|integrity|nonce|jsaction|jscontroller|data-.*|hidden|aria-hidden)$/;
  const SECRET = /\b(cc-(?!name|type)|one-time-code|current-password|new-password)/;

  const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const hasListener = (element) => {
    if (typeof getEventListeners !== "function") return false;
    const found = getEventListeners(element);
    return EVENTS.some((name) => found[name] && found[name].length);
  };
  const hasPointer = (element) => element.ownerDocument.defaultView.getComputedStyle(element).cursor === "pointer";
  const isClipped = (element) => {
    const box = element.getBoundingClientRect();
    if (box.width && box.height || !element.firstChild) return false;
    const style = element.ownerDocument.defaultView.getComputedStyle(element);
    return style.overflowX !== "visible" && style.overflowY !== "visible";
  };
  // Code editors draw their text themselves and take keys in a textarea that nobody sees, alone in a box without a size.
  const editorOf = (box) => box.childElementCount === 1 && box.firstElementChild.tagName === "TEXTAREA" &&
    !box.firstElementChild.readOnly && !box.innerText.trim() ? box.firstElementChild : null;
  const styleOf = (element) => element.ownerDocument.defaultView.getComputedStyle(element);
  const isContents = (element) => styleOf(element).display === "contents";
  const isRendered = (element) => element.tagName === "OPTION" || element.tagName === "OPTGROUP" ||
    element.checkVisibility() || isContents(element);
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true }) ||
    isContents(element) && styleOf(element).visibility === "visible";
  const isInert = (element) => Boolean(element.closest("[inert]")) ||
    Boolean(modal) && element.ownerDocument === document && !isInside(element, modal);
  const isInside = (element, other) => {
    for (let node = element; node; node = node.parentNode || node.host) if (node === other) return true;
    return false;
  };
  // A control that is transparent or tiny is drawn by the styling of its label.
  const isDrawn = (control) => {
    const box = control.getBoundingClientRect();
    if (control.parentElement && isClipped(control.parentElement)) return false;
    return isVisible(control) && Number(styleOf(control).opacity) > 0.05 && box.width > 3 && box.height > 3;
  };
  const isStyled = (control) => /^(checkbox|radio|file)$/.test(control.type) && !isDrawn(control);
  const isSecret = (element) => element.type === "password" || SECRET.test(element.getAttribute("autocomplete") || "");

  function isActive(element, parentHasPointer) {
    const tag = element.tagName;
    if (element.disabled || element.getAttribute("aria-disabled") === "true" || isInert(element)) return false;
    if (tag === "A" || tag === "AREA") { if (element.hasAttribute("href")) return true; }
    else if (tag === "INPUT") {
      return element.type !== "hidden" && !(isStyled(element) && [...element.labels].some(isVisible));
    }
    else if (ACTIVE.has(tag)) return true;
    if (tag === "HTML" || tag === "BODY" || tag === "OPTION") return false;
    if (tag === "LABEL" && element.control) {
      return !element.control.disabled && (isStyled(element.control) || !isVisible(element.control));
    }
    if (ROLES.has(element.getAttribute("role")) || element.hasAttribute("onclick")) return true;
    if (element.isContentEditable && !element.parentElement.isContentEditable) return true;
    return element.tabIndex >= 0 && element.hasAttribute("tabindex") || hasListener(element) ||
      !parentHasPointer && hasPointer(element);
  }

  // What an element is recognised by if a framework builds it anew: its attributes, its text and that around it.
  function keyOf(element) {
    const names = ["type", "name", "id", "href", "role", "aria-label", "placeholder", "title", "for"];
    const text = (node) => node ? (node.textContent || "").replace(/\s+/g, " ").trim().slice(0, 120) : "";
    return JSON.stringify([element.tagName, names.map((name) => element.getAttribute(name)), text(element),
      text(element.parentElement)]);
  }

  function idOf(element) {
    let id = element.getAttribute(MARK);
    if (!id || seen.has(id) || !OURS.test(id)) {
      const key = keyOf(element);
      const given = store.given.get(key) || [];
      const gone = given.findIndex((one) => {
        const before = one.element.deref();
        return !seen.has(one.id) && !(before && before.isConnected);
      });
      id = gone < 0 ? PREFIX + (store.last += 1) : given.splice(gone, 1)[0].id;
      store.given.set(key, [...given, { id, element: new WeakRef(element) }]);
      element.setAttribute(MARK, id);
    }
    seen.add(id);
    return id;
  }

  // The value of a box to tick is "on" unless the page says otherwise; some frameworks write it out.
  const isDefault = (element, value) => /^(checkbox|radio)$/.test(element.type) && value === "on";

  function isNameless(element, inner) {
    if (inner.replace(/<[^>]*>/g, "").trim() || /\b(alt|title|aria-label)="[^"]/.test(inner)) return false;
    const value = element.getAttribute("value");
    return !(value && !isDefault(element, value)) &&
      !["aria-label", "title", "alt", "placeholder"].some((name) => element.getAttribute(name));
  }

  function attributesOf(element, id, inner) {
    const kept = new Map();
    for (const { name, value } of element.attributes) {
      if (!NOISE.test(name) && !name.startsWith(MARK) && !value.startsWith("data:")) kept.set(name, value);
    }
    const tag = element.tagName;
    if (tag === "DIALOG") kept.set("open", "");
    for (const name of ["value", "checked", "selected"]) if (tag !== "BUTTON" && name in element) kept.delete(name);
    if (tag === "INPUT") {
      if (element.type === "checkbox" || element.type === "radio") {
        if (element.checked) kept.set("checked", "");
        const value = element.getAttribute("value");
        if (value && !isDefault(element, value)) kept.set("value", value);
      } else if (element.value && !isSecret(element)) kept.set("value", element.value);
    } else if (tag === "OPTION") {
      if (element.selected) kept.set("selected", "");
      if (element.value !== element.text) kept.set("value", element.value);
    }
    if (id) {
      if (tag === "LABEL" && element.control) {
        if (element.control.type === "file") kept.set("type", "file");
        else if ("checked" in element.control) kept.set("aria-checked", String(element.control.checked));
      }
      if (element.type === "range") {
        kept.set("aria-description", `from ${element.min || 0} to ${element.max || 100}`);
      }
      if (isSecret(element) && element.value) kept.set("aria-description", "filled in, and hidden");
      if (tag === "TEXTAREA" && !isDrawn(element)) kept.set("aria-description", "the editor below");
      if (isNameless(element, inner)) {
        const hint = `${element.getAttribute("class") || ""} ${element.id || ""}`.trim();
        if (hint) kept.set("title", hint.slice(0, 60));
      }
      kept.set(MARK, id);
    }
    return [...kept].map(([name, value]) => value === "" ? ` ${name}` : ` ${name}="${escaped(value)}"`).join("");
  }

  function contentOf(element, inPointer) {
    if (element.tagName === "TEXTAREA") return isSecret(element) ? "" : escaped(element.value);
    if (element.tagName === "IFRAME") {
      const inside = element.contentDocument;
      if (inside) return inside.body ? serializeAll(inside.body.childNodes, false, true) : "";
      if (!element.hasAttribute(MARK + "-frame")) element.setAttribute(MARK + "-frame", PREFIX + (store.frames += 1));
      return `<!--frame ${element.getAttribute(MARK + "-frame")}-->`;
    }
    if (element.tagName === "SLOT" && element.getRootNode() instanceof ShadowRoot) {
      const given = element.assignedNodes({ flatten: true });
      if (given.length) return serializeAll(given, inPointer, true);
    }
    return serializeAll((element.shadowRoot || element).childNodes, inPointer, isVisible(element) || element.tagName === "OPTION");
  }

  function serializeAll(nodes, inPointer, visible) {
    let html = "";
    for (const node of nodes) {
      if (node.nodeType === 3) html += visible ? escaped(node.data.replace(/\s+/g, " ")) : "";
      else if (node.nodeType === 1) html += serialize(node, inPointer);
    }
    return html;
  }

  function serialize(element, parentHasPointer) {
    if (DROPPED.has(element.tagName.toUpperCase()) || !isRendered(element)) return "";
    if (isClipped(element)) return editorOf(element) ? serialize(editorOf(element), parentHasPointer) : "";
    const id = isVisible(element) && isActive(element, parentHasPointer) ? idOf(element) : "";
    const inner = contentOf(element, hasPointer(element));
    const tag = element.tagName === "IFRAME" ? "section" : element.tagName.toLowerCase();
    const html = `<${tag}${attributesOf(element, id, inner)}>`;
    return VOID.has(element.tagName) ? html : `${html}${inner}</${tag}>`;
  }

  const body = document.body ? serialize(document.body, false) : "";
  return {
    url: location.href, title: document.title, ids: [...seen],
    html: `<!DOCTYPE html><html><head><title>${escaped(document.title)}</title></head>${body}</html>`,
  };
})
