// Counts, while one types, the characters that a memory file would have: in code points, as everywhere else.
"use strict";

for (const field of document.querySelectorAll("textarea[data-limit]")) {
  const said = document.getElementById(field.dataset.count);
  const rest = Number(field.dataset.rest);
  const limit = Number(field.dataset.limit);
  const figure = new Intl.NumberFormat("en-US");
  const count = () => {
    const text = field.value.replace(/\r\n?/g, "\n").trim();
    const used = rest + Array.from(text).length;
    const over = used - limit;
    said.textContent = `With this text: ${figure.format(used)}/${figure.format(limit)} characters` +
      (over > 0 ? `, ${figure.format(over)} too many.` : ".");
    said.classList.toggle("badge--bad", over > 0);
    said.classList.toggle("muted", over <= 0);
  };
  field.addEventListener("input", count);
  count();
}
