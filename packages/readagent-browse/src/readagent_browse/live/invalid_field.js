// Returns the message and the name of the field because of which the browser has not sent the form of an element, or null.
// The browser moves the focus to that field. A form is sent by its buttons, and with `enter` by its fields.
(element, enter) => {
  const button = element.closest("button, input");
  const form = button && button.form;
  if (!form || form.noValidate || button.formNoValidate) return null;
  const sends = /^(submit|image)$/.test(button.type) || enter && !/^(button|reset)$/.test(button.type);
  const first = [...form.elements].find((one) => one.willValidate && !one.validity.valid);
  if (!sends || !first || first.getRootNode().activeElement !== first) return null;
  const label = first.labels && first.labels.length ? first.labels[0].innerText : "";
  const name = first.getAttribute("aria-label") || label || first.getAttribute("placeholder") || first.name || "";
  return [first.validationMessage, name.replace(/\s+/g, " ").trim().slice(0, 80)];
}
