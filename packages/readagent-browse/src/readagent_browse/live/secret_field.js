// Whether a field is for a password, a card number or a one-time code. Pages also write `new-password` into other fields, so
// that the browser does not fill them in: there it counts only if the field is called a password.
(field) => {
  if (field.type === "password") return true;
  const hint = field.getAttribute("autocomplete") || "";
  if (/\b(cc-(?!name|type)|one-time-code|current-password)/.test(hint)) return true;
  if (!/\bnew-password/.test(hint) || field.type === "search" || field.getAttribute("role") === "combobox") return false;
  const names = [...["name", "id", "aria-label", "placeholder", "title"].map((name) => field.getAttribute(name) || ""),
    ...[...field.labels || []].map((label) => label.textContent)];
  return names.some((name) => /pass|pwd|kennwort|contrase|senha|wachtwoord|парол|密码|密碼|パスワード|비밀번호/i.test(name));
}
