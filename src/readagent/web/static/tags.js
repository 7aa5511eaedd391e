// Tags of documents: a dialog that adds and removes them.

import { button, complain, el, told } from "./dom.js";
import { dialog } from "./dialog.js";
import { post } from "./api.js";
import { counted } from "./format.js";

/** Ask for tags that documents get or lose; `known` are all tags, and `changed()` is called when something was done. */
export function tagDocuments(documents, known, changed) {
  const why = el("p", { class: "problem", role: "alert" });
  const send = async (what) => {
    try {
      await post("library/tags", { documents: documents.map((one) => one.id), ...what });
      shown.close();
      changed();
    } catch (error) {
      complain(why, error);
    }
  };
  const name = el("input", { type: "text", id: "new-tag", list: "known-tags", maxlength: 100, placeholder: "New tag", autocomplete: "off", dir: "auto" });
  const submit = (event) => {
    event.preventDefault();
    if (name.value.trim()) send({ add: [name.value.trim()] });
  };
  const own = [...new Set(documents.flatMap((one) => one.tags))].sort();
  const away = (tag) => button([told("bdi", tag), " \u00d7"], () => send({ remove: [tag] }), { class: "small", "aria-label": `Take off ${tag}` });
  const what = documents.length === 1 ? documents[0].title : counted(documents.length, "document");
  const label = el("label", { class: "away", for: "new-tag", text: "Tag" });
  const list = el("datalist", { id: "known-tags" }, known.map((tag) => el("option", { value: tag })));
  const form = el("form", { class: "inline", on: { submit } }, label, name, list, el("button", { text: "Tag" }));
  const shown = dialog("Tags", told("p", what, { class: "asked" }), own.length ? el("div", { class: "ideas" }, own.map(away)) : null, form, why);
  name.focus();
}
