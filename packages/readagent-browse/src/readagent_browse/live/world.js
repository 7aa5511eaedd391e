// What our scripts do in a page. They run in a world of their own: the elements are those of the page, and built-ins are not, so
// that a page which changes these changes nothing here. Elements are named by the ids that `read` gives them.
//
// Fields of a form and pictures hide members of their form and their document by names of their own (`<input name=children>`):
// what is asked of any element or document is asked by the getters below.
(() => {
  const MARK = "data-readagent-id", NAME = "data-readagent-name", FRAME = "data-readagent-id-frame";
  const getter = (kind, name) => {
    const { get } = Object.getOwnPropertyDescriptor(kind.prototype, name);
    return (node) => get.call(node);
  };
  const [typeOf, nodesOf, parentNodeOf, parentElementOf] =
    ["nodeType", "childNodes", "parentNode", "parentElement"].map((name) => getter(Node, name));
  const [bodyOf, titleOf, rootOf] = ["body", "title", "documentElement"].map((name) => getter(Document, name));
  const localNameOf = getter(Element, "localName");
  const kinds = { 1: Element, 9: Document, 11: DocumentFragment };
  const all = (root, selector) => [...kinds[typeOf(root)].prototype.querySelectorAll.call(root, selector)];
  const styleOf = (element, pseudo) => getComputedStyle(element, pseudo);
  const attempt = (work, otherwise) => { try { return work(); } catch { return otherwise; } };
  const parentOf = (element) => { // forms are left out
    let parent = parentElementOf(element);
    while (parent && localNameOf(parent) === "form") parent = parentElementOf(parent);
    return parent;
  };
  const store = { last: 0, given: new Map(), ids: new Map(), frames: new Map() };
  let heard = new WeakMap(); // the events that elements listen to, as the page's own world tells
  const find = (id) => {
    const element = store.ids.get(id)?.deref();
    return element && element.isConnected ? element : null;
  };

  // Whether a field is for a password, a card number or a one-time code, or for one character of it. Pages also write
  // `new-password` into other fields, so that the browser does not fill them in: there it counts only if the field is called a
  // password.
  const isSecret = (field) => {
    if (field.type === "password" || field.maxLength === 1 && field.tagName === "INPUT") return true;
    const hint = field.getAttribute("autocomplete") || "";
    if (/\b(cc-(?!name|type)|one-time-code|current-password)/.test(hint)) return true;
    if (!/\bnew-password/.test(hint) || field.type === "search" || field.getAttribute("role") === "combobox") return false;
    const names = [...["name", "id", "aria-label", "placeholder", "title"].map((name) => field.getAttribute(name) || ""),
      ...[...field.labels || []].map((label) => label.textContent)];
    return names.some((name) => /pass|pwd|kennwort|contrase|senha|wachtwoord|парол|密码|密碼|パスワード|비밀번호/i.test(name));
  };

  // Listens for what hints.js tells, as events of this name.
  const listen = (name) => {
    heard = new WeakMap();
    store.hearing?.abort();
    store.hearing = new AbortController();
    const hear = (event) => heard.set(event.composedPath()[0], ` ${event.detail} `);
    addEventListener(name, hear, { capture: true, signal: store.hearing.signal });
  };

  // Returns the page as it is now: the HTML of what is visible, with current values, and an id on every element that can
  // be acted on. An element keeps its id for as long as it exists, and one that replaces it gets the same. Open shadow roots
  // and frames of the same origin are included in place; frames of other origins are comments with the number of the frame.
  // The content of a field for secrets is left out. Ids begin with PREFIX.
  const read = (PREFIX) => {
    const seen = new Set();
    const OURS = new RegExp(`^${PREFIX}[0-9]+$`); // a page may write ids of other frames into its elements
    const modal = all(document, "dialog:modal").pop();
    const DROPPED = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "OBJECT", "EMBED"]);
    const VOID = new Set(["INPUT", "IMG", "BR", "HR", "AREA", "WBR", "COL", "TRACK", "SOURCE"]);
    const ACTIVE = new Set(["A", "AREA", "BUTTON", "INPUT", "SELECT", "TEXTAREA", "SUMMARY"]);
    const ROLES = new Set(
      ("button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option combobox textbox " +
       "searchbox slider spinbutton treeitem").split(" "));
    const IN_CONTROL = "a[href], button, select, label, option, [role=button], [role=link], [role=option], [role=menuitem], [role=tab], [role=treeitem]";
    const EVENTS = ["click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "drop"];
    const NOISE = /^(style|on.*|src|srcset|sizes|integrity|nonce|jsaction|jscontroller|data-.*|hidden|aria-hidden)$/;

    const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
    const unescaped = (text) => text.replace(/&(amp|lt|gt|quot);/g, (c) => ({ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' })[c]);
    const listensTo = (element, ...names) => names.some((name) => (heard.get(element) || "").includes(` ${name} `));
    // Some elements show something when the mouse is over them: they listen for it, or a style does it.
    const HOVER_EVENTS = ["mouseenter", "mouseover", "pointerenter", "pointerover"];
    const listensToHover = (element) => listensTo(element, ...HOVER_EVENTS);
    const rulesOf = (sheet) => { try { return [...sheet.cssRules]; } catch { return []; } }; // those of other origins are closed
    const hoverSelectors = (rules) => rules.flatMap((rule) => {
      const below = rule.cssRules && rule.cssRules.length ? hoverSelectors([...rule.cssRules]) : rule.styleSheet ? hoverSelectors(rulesOf(rule.styleSheet)) : [];
      const { display, visibility, opacity } = rule.style || {};
      const shows = display && display !== "none" || visibility === "visible" || Number(opacity) > 0;
      return shows && /:hover/.test(rule.selectorText) ? [...below, ...rule.selectorText.split(/,(?![^(]*\))/)] : below;
    });
    const isHiddenNow = (element) => !element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const hoverHosts = new Map(); // by root: the elements that show something hidden when the mouse is over them
    const hostsIn = (root) => {
      const found = new Set();
      const sheets = attempt(() => [...root.styleSheets, ...root.adoptedStyleSheets].flatMap(rulesOf), []);
      for (const selector of hoverSelectors(sheets)) {
        const [, host, rest] = /^(.*?:hover[^\s>+~]*)([\s>+~].*)$/.exec(selector.trim()) || [];
        if (!host) continue;
        const always = (text) => text.replace(/(^|[\s>+~]):hover/g, "$1*").replace(/:hover/g, "");
        try {
          for (const shown of all(root, always(host + rest))) {
            if (!isHiddenNow(shown)) continue;
            const over = parentOf(shown) && (parentOf(shown).closest(always(host)) || parentOf(shown).querySelector(`:scope > ${always(host)}`));
            if (over) found.add(over);
          }
        } catch { continue; } // a selector that cannot be read without its :hover
      }
      return found;
    };
    // Hovering over something in such an element is enough. Long lists react to the mouse by another colour.
    const canBeHovered = (element, inner) => {
      if (/^(HTML|BODY|MAIN|FORM|TABLE|TBODY|TR|IFRAME|CANVAS)$/.test(element.tagName) || !isVisible(element)) return false;
      if (!/xhtml$/.test(element.namespaceURI)) return false; // the parts of a chart
      if (inner.includes(` ${MARK}="`) && !OURS.test(element.getAttribute(MARK))) return false;
      const text = element.textContent.trim();
      if (!text && !nameOf(element, inner) || element.innerText.length > 120) return false;
      const root = element.getRootNode();
      if (!hoverHosts.has(root)) hoverHosts.set(root, hostsIn(root));
      if (hoverHosts.get(root).has(element)) return true;
      return listensToHover(element) && [...(parentOf(element) || root).children].filter((other) => kindOf(other) === kindOf(element)).length <= 12;
    };
    // A list that can be sorted listens for its items. Libraries give it a class of this name, or it takes drops, too.
    const sortable = new Map();
    const hasLikeItems = (list) => {
      const kinds = [...list.children].map((item) => `${item.tagName} ${item.classList[0] || ""}`);
      return new Set(kinds).size < kinds.length; // the parts of a code editor, which takes drops, too, are all different
    };
    const isSortable = (list) => {
      if (!sortable.has(list)) {
        sortable.set(list, list.childElementCount > 1 && !list.querySelector("input[type=file]") && (/\bui-sortable\b/.test(list.getAttribute("class") || "") ||
          hasLikeItems(list) && listensTo(list, "dragover") && listensTo(list, "mousedown", "pointerdown", "dragstart")));
      }
      return sortable.get(list);
    };
    // One of several things of a kind that wait for the mouse button to go down, and not for a click.
    const PRESSED = ["mousedown", "pointerdown", "touchstart"];
    const isTaken = (element) => !ACTIVE.has(element.tagName) && !ROLES.has(element.getAttribute("role")) &&
      listensTo(element, ...PRESSED) && !listensTo(element, "click", "mouseup", "pointerup") &&
      [...(parentOf(parentOf(element)) || parentOf(element)).querySelectorAll(element.tagName)].some((other) =>
        other !== element && kindOf(other) === kindOf(element) && listensTo(other, ...PRESSED));
    const DRAGGED = /(^|[\s_-])(ui-draggable|draggable|drag-?item|drag-?handle|sortable-?item|kanban-?item)(?![\w-])/i;
    const canBeDragged = (element) => {
      if (element.getAttribute("draggable") === "true" || DRAGGED.test(element.getAttribute("class") || "")) return true;
      if (/drag|sort/i.test(element.getAttribute("aria-roledescription") || "")) return true;
      const parent = parentOf(element);
      if (!parent || element.tagName === "BODY") return false;
      return isSortable(parent) || isTaken(element) || /^(grab|move)$/.test(styleOf(element).cursor) && styleOf(parent).cursor !== styleOf(element).cursor;
    };
    const hasPointer = (element) => styleOf(element).cursor === "pointer";
    // What overflows the body is clipped by the window, and a box clips a child with a place of its own only if it has one, too.
    const isClipped = (element) => {
      if (element.tagName === "BODY") return false;
      const box = element.getBoundingClientRect();
      if (box.width && box.height || !element.firstChild) return false;
      const style = styleOf(element);
      if (style.overflowX === "visible" || style.overflowY === "visible") return false;
      const escapes = style.position === "static" ? /^(absolute|fixed)$/ : /^fixed$/;
      return ![...element.children].some((child) => escapes.test(styleOf(child).position) && child.getClientRects().length);
    };
    // Code editors draw their text themselves and take keys in a textarea that nobody sees, alone in a box without a size.
    const editorOf = (box) => box.childElementCount === 1 && box.firstElementChild.tagName === "TEXTAREA" &&
      !box.firstElementChild.readOnly && !box.innerText.trim() ? box.firstElementChild : null;
    const isContents = (element) => styleOf(element).display === "contents";
    const isRendered = (element) => element.tagName === "OPTION" || element.tagName === "OPTGROUP" ||
      element.checkVisibility() || isContents(element);
    const isVisible = (element) => element.checkVisibility({ visibilityProperty: true }) ||
      isContents(element) && styleOf(element).visibility === "visible";
    const isInert = (element) => Boolean(element.closest("[inert]")) ||
      Boolean(modal) && element.ownerDocument === document && !isInside(element, modal);
    const isInside = (element, other) => {
      for (let node = element; node; node = parentNodeOf(node) || node.host) if (node === other) return true;
      return false;
    };
    // A control that is transparent or tiny is drawn by the styling of its label.
    const isDrawn = (control) => {
      const box = control.getBoundingClientRect();
      if (parentOf(control) && (isClipped(parentOf(control)) || isSpeck(parentOf(control)))) return false;
      return isVisible(control) && Number(styleOf(control).opacity) > 0.05 && box.width > 3 && box.height > 3;
    };
    // What is there for screen readers only is clipped by a box of a pixel.
    const isSpeck = (element) => {
      const box = element.getBoundingClientRect();
      return (box.width < 3 || box.height < 3) && styleOf(element).overflowX === "hidden" && styleOf(element).overflowY === "hidden";
    };
    const isStyled = (control) => /^(checkbox|radio|file)$/.test(control.type) && !isDrawn(control);

    // In lists and grids that one walks with the arrow keys, one item is a tab stop, and the others are of the same kind.
    const tabStops = new Map(); // by root: the kinds
    const kindOf = (element) => `${element.tagName} ${element.getAttribute("class")}`;
    const isLikeTabStop = (element) => {
      if (element.getAttribute("tabindex") !== "-1" || !element.getAttribute("class")) return false;
      const root = element.getRootNode();
      if (!tabStops.has(root)) tabStops.set(root, new Set(all(root, '[tabindex="0"]').map(kindOf)));
      return tabStops.get(root).has(kindOf(element));
    };

    function isActive(element, parentHasPointer) {
      const tag = element.tagName;
      if (element.disabled || element.getAttribute("aria-disabled") === "true" || isInert(element)) return false;
      if (tag === "A" || tag === "AREA") { if (element.hasAttribute("href")) return true; }
      else if (tag === "INPUT") {
        return element.type !== "hidden" && !(isStyled(element) && [...element.labels].some(isVisible));
      }
      else if (tag === "TEXTAREA") return !(element.readOnly && element.getAttribute("aria-hidden") === "true"); // a part of an editor
      else if (ACTIVE.has(tag)) return true;
      if (tag === "BODY") return element.isContentEditable;
      if (tag === "HTML" || tag === "OPTION") return false;
      if (tag === "LABEL" && element.control) {
        return !element.control.disabled && (isStyled(element.control) || !isVisible(element.control));
      }
      if (ROLES.has(element.getAttribute("role")) || element.hasAttribute("onclick")) return true;
      if (element.getAttribute("role") === "gridcell" && element.hasAttribute("tabindex")) return true;
      if (element.isContentEditable && !parentOf(element).isContentEditable) return true;
      return element.tabIndex >= 0 && element.hasAttribute("tabindex") || listensTo(element, ...EVENTS) ||
        !parentHasPointer && hasPointer(element) || canBeDragged(element) || isLikeTabStop(element) ||
        element.classList.contains("ui-droppable");
    }

    // What an element is recognised by if a framework builds it anew: its attributes, its text and that around it.
    function keyOf(element) {
      const names = ["type", "name", "id", "href", "role", "aria-label", "placeholder", "title", "for"];
      const text = (node) => node ? (node.textContent || "").replace(/\s+/g, " ").trim().slice(0, 120) : "";
      return JSON.stringify([element.tagName, names.map((name) => element.getAttribute(name)), text(element),
        text(parentOf(element))]);
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
        given.push({ id, element: new WeakRef(element) });
        store.given.set(key, given);
        element.setAttribute(MARK, id);
      }
      store.ids.set(id, new WeakRef(element));
      seen.add(id);
      return id;
    }

    // The value of a box to tick is "on" unless the page says otherwise; some frameworks write it out.
    const isDefault = (element, value) => /^(checkbox|radio)$/.test(element.type) && value === "on";

    // What a page says of a box to tick, which may be another thing than the browser knows: on the box, or on what is drawn
    // around it.
    function tickedOf(box) {
      if (box.tagName !== "INPUT" || !/^(checkbox|radio)$/.test(box.type)) return "";
      if (box.hasAttribute("aria-checked")) return box.getAttribute("aria-checked");
      const around = parentOf(box) && parentOf(box).closest("[aria-checked]");
      return around && around.querySelectorAll("input").length === 1 ? around.getAttribute("aria-checked") : "";
    }

    // The name of an element, where it is not simply its text: what it points to, its label, or that of a picture in it.
    // What stands in fields is no part of a name.
    const labels = new Map(); // by root and control: the browser would look through the whole page for each element
    function labelsOf(element) {
      const root = element.getRootNode();
      if (!labels.has(root)) {
        const found = new Map();
        for (const label of all(root, "label")) {
          if (label.control) found.set(label.control, [...found.get(label.control) || [], label]);
        }
        labels.set(root, found);
      }
      return labels.get(root).get(element) || [];
    }
    function nameOf(element, inner) {
      const pointed = (element.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean)
        .map((id) => element.getRootNode().getElementById?.(id)).filter(Boolean);
      const isBare = !/[\p{L}\p{N}]/u.test(unescaped(inner.slice(0, 4000).replace(/<[^>]*>/g, "")));
      const names = [pointed.map(wordsOf).join(" "), element.getAttribute("aria-label"),
        labelsOf(element).map(wordsOf).join(" "),
        isBare && [...element.querySelectorAll("img[alt]")].map((one) => one.alt).join(" "),
        isBare && [...element.querySelectorAll("svg > title")].map((one) => one.textContent).join(" "),
        isBare && !element.value && element.title];
      return (names.find((name) => name && lettersOf(name)) || "").replace(/\s+/g, " ").trim().slice(0, 200);
    }
    function wordsOf(node) {
      if (node.nodeType === 3) return node.data;
      if (node.nodeType !== 1 || /^(INPUT|TEXTAREA|SELECT|SCRIPT|STYLE)$/.test(node.tagName)) return "";
      return node.getAttribute("aria-label") || node.getAttribute("alt") || [...node.childNodes].map(wordsOf).join(" ");
    }
    const lettersOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

    // Whether a name can be read in the element, its attributes or its label.
    function isNameShown(element, name, inner) {
      const attributes = ["aria-label", "title", "alt", "placeholder", "value"].map((one) => element.getAttribute(one) || "");
      const shown = labelsOf(element).filter(isVisible).map((label) => label.innerText);
      const content = inner.slice(0, 4000); // tags and their attributes, too: the name may be that of a picture
      const texts = [content.replace(/<[^>]*>/g, " "), content, ...attributes, ...shown];
      const wanted = lettersOf(name);
      return texts.some((text) => lettersOf(unescaped(text)).includes(wanted));
    }

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
      } else if (tag === "METER" || tag === "PROGRESS" && element.position >= 0) kept.set("value", `${element.value} of ${element.max}`);
      const ticked = tickedOf(element);
      if (ticked && !kept.has("checked")) kept.set("aria-checked", ticked);
      kept.delete("draggable");
      if (id) {
        if (canBeDragged(element)) kept.set("draggable", "");
        if (tag === "BODY") kept.set("contenteditable", "true"); // also where the document is in design mode
        if (tag === "LABEL" && element.control) {
          if (element.control.type === "file") kept.set("type", "file");
          else if ("checked" in element.control) kept.set("aria-checked", tickedOf(element.control) || String(element.control.checked));
        }
        if (element.type === "range") {
          kept.set("aria-description", `from ${element.min || 0} to ${element.max || 100}`);
        } else if (element.getAttribute("role") === "slider" && !kept.has("aria-description")) {
          const [low, high] = ["aria-valuemin", "aria-valuemax"].map((name) => element.getAttribute(name));
          kept.set("aria-description", `from ${low || 0} to ${high || 100}`);
        }
        if (isSecret(element) && element.value) kept.set("aria-description", "filled in, and hidden");
        if (tag === "TEXTAREA" && !isDrawn(element)) kept.set("aria-description", "the editor below");
        const name = nameOf(element, inner);
        if (name) {
          kept.set(NAME, name);
          if (!isNameShown(element, name, inner)) kept.set("aria-label", name);
        } else if (isNameless(element, inner)) {
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
        const inside = element.contentDocument && bodyOf(element.contentDocument);
        if (element.contentDocument) return !inside ? "" : inside.isContentEditable ? serialize(inside, false) : serializeAll(nodesOf(inside), false, true);
        if (!element.hasAttribute(FRAME)) element.setAttribute(FRAME, PREFIX + (store.frames.size + 1));
        store.frames.set(element.getAttribute(FRAME), element);
        return `<!--frame ${element.getAttribute(FRAME)}-->`;
      }
      if (element.tagName === "SLOT" && element.getRootNode() instanceof ShadowRoot) {
        const given = element.assignedNodes({ flatten: true });
        if (given.length) return serializeAll(given, inPointer, true);
      }
      return serializeAll(nodesOf(element.shadowRoot || element), inPointer, isVisible(element) || element.tagName === "OPTION");
    }

    function serializeAll(nodes, inPointer, visible) {
      let html = "";
      for (const node of nodes) {
        const type = typeOf(node);
        if (type === 3) html += visible ? escaped(node.data.replace(/\s+/g, " ")) : "";
        else if (type === 1) html += serialize(node, inPointer);
      }
      return html;
    }

    // Where a form has fields with the names of what is asked of it here, its content is shown without it.
    function serialize(element, parentHasPointer) {
      let inner;
      try {
        if (DROPPED.has(element.tagName.toUpperCase()) || !isRendered(element)) return "";
        if (element.getAttribute("aria-hidden") === "true" && isSpeck(element)) return ""; // it is there to be measured
        if (isClipped(element)) return editorOf(element) ? serialize(editorOf(element), parentHasPointer) : "";
        let id = isVisible(element) && isActive(element, parentHasPointer) ? idOf(element) : "";
        inner = contentOf(element, hasPointer(element));
        if (!id && !element.closest(IN_CONTROL) && !isInert(element) && canBeHovered(element, inner)) id = idOf(element);
        const tag = { IFRAME: "section", BODY: element.ownerDocument === document ? "body" : "div" }[element.tagName] || element.tagName.toLowerCase();
        const html = `<${tag}${attributesOf(element, id, inner)}>`;
        return VOID.has(element.tagName) ? html : `${html}${inner}</${tag}>`;
      } catch {
        return inner ?? serializeAll(nodesOf(element), parentHasPointer, true);
      }
    }

    const body = bodyOf(document);
    const content = body ? serialize(body, false) : "";
    return {
      url: location.href, title: titleOf(document), ids: [...seen],
      html: `<!DOCTYPE html><html><head><title>${escaped(titleOf(document))}</title></head>${content}</html>`,
    };
  };

  // Returns the type of a field, "slider" for something that is no field and is set to a number by keys, or "editor" for what
  // a code editor takes keys in: a textarea that nobody sees, while the text is drawn elsewhere, or an element that is no field. The
  // text has to be selected by keys there.
  const kind = (field) => {
    const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName) || field.isContentEditable;
    if (!isField && /^(slider|spinbutton)$/.test(field.getAttribute("role"))) return "slider";
    if (!isField && /^(textbox|searchbox)$/.test(field.getAttribute("role"))) return "editor";
    if (field.tagName !== "TEXTAREA") return field.type || "";
    const box = field.getBoundingClientRect();
    const around = parentOf(field) ? parentOf(field).getBoundingClientRect() : box;
    const overflow = parentOf(field) ? styleOf(parentOf(field)).overflowY : "visible";
    const isClipped = !(around.width && around.height) && overflow !== "visible";
    const isTransparent = Number(getComputedStyle(field).opacity) <= 0.05;
    return isClipped || isTransparent || box.width <= 3 || box.height <= 3 ? "editor" : "textarea";
  };

  // Returns whether the middle of a field is covered by another part of the same control, such as the text that a list to
  // choose from draws over its field: a click there is a click on the control. The two are in one small box, and what covers
  // the field is in no other control.
  const isCovered = (field) => {
    if (!field.matches("input, textarea, [role=combobox], [role=searchbox], [role=textbox], [role=spinbutton]")) return false;
    field.scrollIntoViewIfNeeded();
    const { left, top, width, height } = field.getBoundingClientRect();
    const cover = field.getRootNode().elementFromPoint(left + width / 2, top + height / 2);
    if (!cover || cover === field || field.contains(cover)) return false;
    let box = cover;
    while (box && !box.contains(field)) box = parentOf(box);
    if (!box || /^(HTML|BODY|MAIN|FORM|LABEL)$/.test(box.tagName) || box.getBoundingClientRect().height > 120) return false;
    const others = [...box.querySelectorAll(`a[href], button, input, select, textarea, [${MARK}]`)]
      .filter((other) => other !== field && !other.contains(field));
    return !others.some((other) => other.contains(cover) || /^(INPUT|SELECT|TEXTAREA)$/.test(other.tagName) && other.hasAttribute(MARK));
  };

  // Returns the message and the name of the field because of which the browser has not sent the form of an element, or null.
  // The browser moves the focus to that field. A form is sent by its buttons, and with `enter` by its fields.
  const invalidField = (element, enter) => {
    const button = element.closest("button, input");
    const form = button && button.form;
    if (!form || form.hasAttribute("novalidate") || button.formNoValidate) return null;
    const sends = /^(submit|image)$/.test(button.type) || enter && !/^(button|reset)$/.test(button.type);
    const first = [...form.elements].find((one) => one.willValidate && !one.validity.valid);
    if (!sends || !first || first.getRootNode().activeElement !== first) return null;
    const label = first.labels && first.labels.length ? first.labels[0].innerText : "";
    const name = first.getAttribute("aria-label") || label || first.getAttribute("placeholder") || first.name || "";
    return [first.validationMessage, name.replace(/\s+/g, " ").trim().slice(0, 80)];
  };

  // Scrolls the box around an element by one screen, or without an element the page and its boxes to the end ("down") or
  // the beginning ("up"). Returns whether anything moved, or null if nothing but the page scrolls around the element, which is
  // done only if `page` is true.
  const scroll = (element, direction, page) => {
    const scroller = getter(Document, "scrollingElement")(document);
    const canScroll = (box) => box === scroller ? box.scrollHeight > box.clientHeight :
      box.scrollHeight > box.clientHeight + 4 && /auto|scroll/.test(getComputedStyle(box).overflowY);
    const move = (box, distance) => {
      const before = box.scrollTop;
      box.scrollTop += distance;
      return box.scrollTop !== before;
    };
    const sign = direction === "up" ? -1 : 1;
    if (element) {
      let box = element;
      while (box && !canScroll(box)) box = parentOf(box) || (box.getRootNode().host ?? null);
      return box && (page || box !== scroller) ? move(box, sign * 0.9 * box.clientHeight) : null;
    }
    const boxes = all(document, "body *").filter((box) => box.clientHeight > 100 && canScroll(box));
    return [scroller, ...boxes].map((box) => move(box, sign * box.scrollHeight)).some(Boolean);
  };

  // Returns what is around an element, in the box that clips it or the body: the height, and its text with the place of the
  // element in it. Waits a moment for that to be another than `before`.
  const view = (element, before) => new Promise((resolve) => {
    const clips = (box) => box.clientHeight > element.clientHeight && styleOf(box).overflowY !== "visible";
    let box = parentOf(element);
    while (box && !(clips(box) && box.scrollHeight > box.clientHeight)) box = parentOf(box);
    box ||= bodyOf(document);
    let tries = 0;
    (function look() {
      const place = element.isConnected ? Math.round(element.getBoundingClientRect().top - box.getBoundingClientRect().top) : "";
      const view = `${place} ${box.innerText}`;
      if (view === before && (tries += 1) < 25) setTimeout(look, 20);
      else resolve([box.clientHeight, view]);
    })();
  });

  // Returns the current, the lowest and the highest value of a slider, each null if the page does not give it. Waits a moment
  // for the current one to be another than `before`.
  const sliderValue = (slider, before) => new Promise((resolve) => {
    const number = (name) => {
      const text = slider.getAttribute(name);
      return text && Number.isFinite(Number(text)) ? Number(text) : null;
    };
    let tries = 0;
    (function look() {
      if (number("aria-valuenow") === before && (tries += 1) < 15) setTimeout(look, 10);
      else resolve([number("aria-valuenow"), number("aria-valuemin") ?? 0, number("aria-valuemax")]);
    })();
  });

  // Returns how an element and its siblings stand: in a "row", a "column" or a "grid".
  const layout = (element) => {
    const boxOf = (one) => one.getBoundingClientRect();
    const own = boxOf(element);
    const siblings = parentElementOf(element) ? [...nodesOf(parentElementOf(element))].filter((one) => typeOf(one) === 1) : [];
    const others = siblings.filter((one) => one !== element).map(boxOf);
    const overlap = (from, to, otherFrom, otherTo) => Math.min(to, otherTo) - Math.max(from, otherFrom) > 3;
    const row = others.some((one) => overlap(own.top, own.bottom, one.top, one.bottom));
    const column = others.some((one) => overlap(own.left, own.right, one.left, one.right));
    return row ? (column ? "grid" : "row") : "column";
  };

  // Returns the place of an element among its siblings: -1 if it is right before or after another one, and null if that one has
  // other siblings.
  const dragPlace = (moved, id, where) => {
    const goal = find(id);
    if (!goal || parentElementOf(moved) !== parentElementOf(goal)) return null;
    const beside = where === "before" ? goal.previousElementSibling : goal.nextElementSibling;
    return beside === moved ? -1 : [...nodesOf(parentElementOf(goal))].indexOf(moved);
  };

  // Resolves when the document changes, or a shadow root or a frame of its origin in it, or after `limit` milliseconds.
  const changed = (limit) => new Promise((resolve) => {
    const deadline = setTimeout(finish, limit);
    const observer = new MutationObserver(finish);
    function watch(root) {
      observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
      for (const element of all(root, "*")) {
        const inside = element.shadowRoot || element.tagName === "IFRAME" && element.contentDocument;
        if (inside) watch(inside);
      }
    }
    if (limit > 0) watch(document);
    function finish() { observer.disconnect(); clearTimeout(deadline); resolve(true); }
  });

  // Resolves once the document has not changed for `quiet` milliseconds and shows nothing that stands for content to come,
  // or after `limit` milliseconds, with its state: "loading", "written" (a script began to write it and has not said that it
  // is finished), "parsed" (pictures and frames may be missing), or "complete". It is complete `patience` ms after it is
  // parsed. What stands for content to come is waited for once: a skeleton, or a main part without anything in it. An element
  // that changes again and again without getting longer, such as a clock, is not waited for.
  const idle = (quiet, limit, patience) => new Promise((resolve) => {
    const stateOf = getter(Document, "readyState");
    const RESTLESS = 15;
    const BUSY = '[aria-busy="true"], [class*="skeleton" i], [data-testid*="skeleton" i]';
    const SHOWN = /-|^(img|picture|svg|canvas|video|audio|iframe|object|embed|input|textarea|select|button|slot)$/i;
    const known = (store.busy ||= new WeakSet());
    let timer = setTimeout(look, quiet);
    const deadline = setTimeout(finish, limit);
    const changes = new Map(); // of each element: how often it changed without getting longer, and its greatest length
    function isRestless({ target }) {
      const { length } = target.textContent;
      const [times, longest] = changes.get(target) || [0, -1];
      changes.set(target, [length > longest ? times : times + 1, Math.max(length, longest)]);
      return times > RESTLESS;
    }
    const observer = new MutationObserver((seen) => {
      if (seen.map(isRestless).every(Boolean)) return;
      clearTimeout(timer);
      timer = setTimeout(look, quiet);
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    function state() {
      if (stateOf(document) === "complete") return "complete";
      const [navigation] = performance.getEntriesByType("navigation");
      const parsed = navigation ? navigation.domInteractive : 0;
      if (stateOf(document) === "loading") return parsed || location.protocol === "about:" ? "written" : "loading";
      return performance.now() - parsed > patience ? "complete" : "parsed";
    }
    function isBlank(main) {
      return !main.innerText.trim() && !main.shadowRoot && !all(main, "*").some((one) => SHOWN.test(one.tagName));
    }
    function busy() {
      return [...all(document, BUSY), ...all(document, "main, [role=main]").filter(isBlank)]
        .filter((one) => localNameOf(one) !== "form" && one.checkVisibility() && !known.has(one));
    }
    function look() { if (busy().length) timer = setTimeout(look, quiet); else finish(); }
    function finish() {
      observer.disconnect();
      clearTimeout(timer);
      clearTimeout(deadline);
      busy().forEach((one) => known.add(one));
      resolve(state());
    }
  });

  // The link that an element belongs to, whether it is for a secret, and its origin.
  const facts = (element) => {
    const link = element.closest("a[href]");
    return { link: link ? link.href : "", secret: isSecret(element), origin };
  };

  // Sets the value of a field without the keyboard, so that nothing of it can reach another field that takes the focus meanwhile,
  // and only if the document is from this origin. Returns whether the field takes a value.
  const setValue = (field, text, from) => {
    if (origin !== from || !/^(input|textarea)$/.test(localNameOf(field)) || field.disabled || field.readOnly) return false;
    field.value = text;
    field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  };

  // Whether a field contains other letters and digits than were typed: pages that read a date with every key write what
  // they take it for into the field. A field that is empty, or to which the page only added marks, is left as it is.
  const isMangled = (field, typed) => {
    const plain = (text) => text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
    const found = plain(field.value || "");
    return found !== "" && /\d/.test(typed) && !plain(typed).startsWith(found) && !found.startsWith(plain(typed));
  };

  const isBox = (element) => !/^(INPUT|TEXTAREA|SELECT|LABEL)$/.test(element.tagName) && !element.isContentEditable;
  const isFileField = (element) => element.type === "file" || element.control?.type === "file";
  const options = (list) => [...list.options].map((option) => option.label || option.text);
  const isEmpty = () => {
    const body = bodyOf(document);
    return location.protocol === "about:" && !body?.innerText.trim() && !body?.children.length;
  };

  // The value of a field, and the one a step beside it.
  const beside = (field) => {
    const copy = field.cloneNode();
    copy.value = field.value;
    copy.stepDown();
    if (copy.value === field.value) copy.stepUp();
    return [field.value, copy.value];
  };

  // Hides what shows a secret: the innermost elements with it in their text, their value or a label. `show` undoes that.
  const hidden = new Map();
  const hide = (pattern) => {
    const secret = new RegExp(pattern);
    const shows = (element) => [element.textContent, element.value, ...["placeholder", "alt", "label", "title", "value"]
      .map((name) => element.getAttribute(name))].some((text) => typeof text === "string" && secret.test(text));
    const cover = (element) => {
      let box = element.closest("select") || element;
      while (styleOf(box).display === "contents" && parentOf(box)) box = parentOf(box);
      if (!hidden.has(box)) hidden.set(box, box.getAttribute("style"));
      for (const [name, value] of [["transition", "none"], ["opacity", "0"]]) box.style.setProperty(name, value, "important");
    };
    const look = (node) => {
      const frame = localNameOf(node) === "iframe" && node.contentDocument;
      const inside = [...nodesOf(node), ...node.shadowRoot ? nodesOf(node.shadowRoot) : [], ...frame ? nodesOf(frame) : []]
        .filter((one) => typeOf(one) === 1);
      const found = inside.map(look).some(Boolean);
      const own = [...nodesOf(node)].filter((one) => typeOf(one) === 3).map((one) => one.data).join("");
      const isIn = attempt(() => shows(node), true);
      if (isIn && (!found || secret.test(own))) attempt(() => cover(node));
      return found || isIn;
    };
    look(rootOf(document));
  };
  const show = () => {
    for (const [element, style] of hidden) {
      element.setAttribute("style", style || ""); // Chromium does not remove one that was set by properties only
      if (style === null) element.removeAttribute("style");
    }
    hidden.clear();
  };

  const work = { read, listen, kind, isCovered, invalidField, scroll, view, sliderValue, layout, dragPlace, changed, idle, facts,
    setValue, isMangled, isBox, isFileField, options, isEmpty, beside, hide, show };
  return {
    frame: (number) => store.frames.get(number),
    run: (name, ...given) => work[name](...given),
    on: async (id, name, ...given) => (find(id) ? [await work[name](find(id), ...given) ?? null] : null),
  };
})()
