// Turns keys and clicks into requests, and answers into parts of the page.
// All HTML that is inserted comes from our own server, which escapes the text of documents and pattern files.
"use strict";

const base = document.body.dataset.base;
const source = document.body.dataset.source;
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const home = source === undefined ? base : `${base}s/${encodeURIComponent(source)}/`;

// ---- Requests ----

async function fetched(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("dehusk does not answer; is the review still running?");
  }
  if (response.ok) return response;
  const text = await response.text();
  const failure = new Error(text);
  failure.status = response.status;
  throw failure;
}

const part = async (url, options) => (await fetched(url, options)).text();

function posted(body, signal) {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
}

/** Sends a request for a decision, and shows the answer. */
async function told(url, body) {
  const answer = await (await fetched(url, posted(body))).json();
  tell(answer.message);
  return answer;
}

let toastTimer;
function tell(message, isBad = false) {
  const toast = $("#toast");
  toast.textContent = message;
  toast.classList.toggle("bad", isBad);
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, isBad ? 12000 : 4000);
}

/** Runs an action of the person, and shows its error if it fails. */
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") tell(error.message, true);
    if (error.status === 409) await attempt(refresh);
    return undefined;
  }
}

let last = Promise.resolve();
let waiting = 0;
/** Runs actions one after another. If a person types fast, each key acts on the result of the key before. */
function inTurn(work) {
  waiting += 1;
  last = last.then(() => attempt(work)).finally(() => { waiting -= 1; });
  return last;
}

// ---- The keyboard's focus ----

/** Changes the content of an element. The focus stays on the same element, or goes to the first one that can take it. */
function put(room, change) {
  const before = room.contains(document.activeElement) ? document.activeElement : null;
  const same = before && nameOf(before);
  change();
  if (!before || before === document.activeElement) return;
  const next = (same && $(same, room)) ?? currentItem() ?? $("[data-do], a", room);
  next?.focus({ preventScroll: true });
}

/** Moves the focus to this element, if it is in the given element or nowhere. */
function takeFocusAlong(room, element) {
  const at = document.activeElement;
  if (at === document.body || room.contains(at)) element.focus({ preventScroll: true });
}

/** A selector that distinguishes an element from its neighbours. */
function nameOf(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const names = ["href", "data-do", "data-status", "data-group", "aria-label"];
  const given = names.filter((name) => element.hasAttribute(name));
  return given.map((name) => `[${name}="${CSS.escape(element.getAttribute(name))}"]`).join("");
}

// ---- The list ----

const list = $("#list");
const detail = $("#detail");

function query() {
  const status = $("#statuses input:checked")?.value ?? "";
  const query = { search: $("#search")?.value ?? "", sort: $("#sort")?.value ?? "removed" };
  if (status) query.status = status;
  return query;
}

const parameters = (more) => new URLSearchParams({ ...query(), ...more }).toString();
const allItems = () => (list ? $$("a.item", list) : []);
/** The items in sight: those of a folded group are not. */
const items = () => allItems().filter((item) => !item.closest("details:not([open])"));
/** The item of a pattern. Its group is unfolded. */
function itemOf(id) {
  const item = allItems().find((item) => item.dataset.id === id);
  item?.closest("details")?.setAttribute("open", "");
  return item;
}
const currentItem = () => list && $("a.item[aria-current]", list);
/** The parameter for the selected item, if there is one. Text without a pattern has the empty id. */
const ofCurrent = () => (currentItem() ? { id: currentItem().dataset.id } : {});

/** Requests from before the list changed are no longer useful. */
let listTurn = 0;

function putList(html, from) {
  const parts = document.createElement("template");
  parts.innerHTML = html;
  const rest = $("template", parts.content);
  rest?.remove();
  const unfolded = new Set($$("details[open]", list).map((group) => group.dataset.of));
  const isUnfolded = (group) => unfolded.has(group.dataset.of) || $("a.item[aria-current]", group);
  $$("details", parts.content).filter(isUnfolded).forEach((group) => group.setAttribute("open", ""));
  put(list, () => {
    $("button.more", list)?.remove();
    if (from === 0) list.replaceChildren(parts.content);
    else list.append(parts.content);
  });
  if (rest) putCounts(rest.content);
  watchMore();
}

/** Numbers may have changed. The selection and the focus stay. */
function putCounts(fresh) {
  const numbers = $$("#statuses b");
  $$("#statuses b", fresh).forEach((number, index) => { numbers[index].textContent = number.textContent; });
  const progress = $("#progress", fresh);
  if (progress) $("#progress").replaceWith(progress);
}

async function loadList() {
  if (!list) return;
  const turn = ++listTurn;
  // The same number as before, so that nothing jumps.
  const html = await part(`${home}list?${parameters({ count: allItems().length, ...ofCurrent() })}`);
  if (turn === listTurn) putList(html, 0);
}

async function loadMore() {
  const more = $("button.more", list);
  if (!more || more.disabled) return;
  more.disabled = true;
  const turn = listTurn;
  const from = Number(more.dataset.from);
  const html = await part(`${home}list?${parameters({ from, ...ofCurrent() })}`);
  if (turn === listTurn) putList(html, from);
}

/** The address contains what is shown, for reloads and for the back button. */
function remember() {
  history.replaceState(null, "", `${home}?${parameters(ofCurrent())}`);
}

const moreWatcher = new IntersectionObserver((entries) => {
  if (entries.some((entry) => entry.isIntersecting)) attempt(loadMore);
}, { root: list, rootMargin: "600px" });

function watchMore() {
  moreWatcher.disconnect();
  const more = list && $("button.more", list);
  if (more) moreWatcher.observe(more);
}

// ---- The selected pattern ----

let wanted;

async function showPattern(ofSource, id, quietly = false) {
  wanted = `${ofSource}/${id}`;
  const mine = wanted;
  // Text without a pattern has no id.
  const path = `${base}s/${encodeURIComponent(ofSource)}/${id === "" ? "loose" : `p/${encodeURIComponent(id)}`}/`;
  const html = await part(`${path}?${parameters()}`);
  if (mine !== wanted || (quietly && isInUse())) return;
  const isSame = pattern()?.dataset.page === path;
  const form = isSame ? openedForm() : undefined;
  const typed = form && $$("textarea, input", form).map(({ id, value }) => [id, value]);
  const before = pattern();
  put(detail, () => {
    detail.innerHTML = html;
    if (form) openAgain(form.id, typed);
  });
  if (!isSame) detail.scrollTop = 0;
  // The preview depends on the patterns alone.
  if (isSame && before?.dataset.state === pattern()?.dataset.state && keepPreview(before)) return;
  previewSoon();
}

// ---- What a decision would change ----

let previewing;
let previewTimer;

/** Computed when the person stays at a pattern. What was asked for the pattern before is not needed any more. */
function previewSoon() {
  previewing?.abort();
  clearTimeout(previewTimer);
  const room = $("#pattern .preview");
  if (!room) return;
  previewing = new AbortController();
  const { signal } = previewing;
  previewTimer = setTimeout(() => attempt(() => preview(room, room.dataset.preview, signal)), 200);
}

async function preview(room, url, signal) {
  room.innerHTML = await part(url, { signal });
  room.dataset.done = "";
}

/** Puts the preview of the same pattern back after the pattern was drawn anew. Returns whether there is one. */
function keepPreview(before) {
  const done = $(".preview[data-done]", before);
  if (done) $("#pattern .preview").replaceWith(done);
  return Boolean(done);
}

const pattern = () => $("#pattern");
const openedForm = () => $$("#edit-form, #note-form").find((form) => !form.hidden);
/** Whether the person uses something that would disappear if the pattern were shown again. */
const isInUse = () => Boolean(openedForm() ?? $("#matches-of") ?? $("#detail details[open]"));

/** Typed text is not lost when its pattern changes. */
function openAgain(form, typed) {
  $(`#${form}`).hidden = false;
  toggleOf(form).setAttribute("aria-expanded", "true");
  typed.forEach(([id, value]) => { $(`#${id}`).value = value; });
  if (form === "edit-form") attempt(tryOut);
}

/** The form with typed text, if there is one. */
function draft() {
  const form = openedForm();
  const isChanged = form && $$("textarea, input", form).some((field) => field.value !== field.defaultValue);
  return isChanged ? form : undefined;
}

/** Typed text is only lost if the person presses Esc. */
function isDraftInTheWay() {
  const form = draft();
  if (!form) return false;
  tell("an edit is open: Ctrl+Enter saves it, Esc leaves it", true);
  $("textarea", form).focus();
  return true;
}

window.addEventListener("beforeunload", (event) => {
  if (draft()) event.preventDefault();
});

const toggleOf = (form) => $(`[data-do="${form === "edit-form" ? "edit" : "note"}"]`);

/** Until a person selects or decides, the first pattern of the list is selected, also when the list changes. */
let hasChosen = new URLSearchParams(location.search).has("id");

async function choose(item) {
  if (!item || isDraftInTheWay()) return;
  takeFocusAlong(list, item);
  hasChosen = true;
  await point(item);
  remember();
}

async function point(item) {
  items().forEach((other) => other.removeAttribute("aria-current"));
  item.setAttribute("aria-current", "true");
  item.scrollIntoView({ block: "nearest" });
  await showPattern(source, item.dataset.id);
}

async function step(by) {
  if (!list) return stepRemoval(by);
  const all = items();
  const at = all.indexOf(currentItem());
  if (by > 0 && at >= all.length - 2) await loadMore();
  const next = at < 0 ? items()[0] : items()[at + by];
  await choose(next);
}

/** Decides on the selected pattern. */
async function decide(decision) {
  const at = pattern();
  if (!at) return tell("no pattern is chosen", true);
  hasChosen = true;
  await told(at.dataset.page, { seen: at.dataset.version, ...decision });
  if (decision.status === undefined) closeForms();
  await refresh();
}

async function setStatus(status) {
  if (isDraftInTheWay()) return;
  const before = currentItem();
  const index = items().indexOf(before);
  const id = before?.dataset.id;
  await decide({ status });
  if (!list) return;
  // Go to the next one. With a filter, it may now be at the place of this one.
  const stays = itemOf(id);
  const next = stays && status !== "proposed" ? items()[index + 1] ?? stays : stays;
  await chooseOrNone(next ?? items()[Math.min(index, items().length - 1)]);
}

/** The selected pattern is the one that is marked in the list. Without one, there is nothing to decide on. */
async function chooseOrNone(item) {
  if (item) await choose(item);
  else if (!draft()) put(detail, () => { detail.replaceChildren(paragraph("No pattern is chosen.")); });
}

/** The address for decisions on many patterns of its source. */
const manyOf = (at) => `${base}s/${encodeURIComponent(at.dataset.source)}/all`;

/** Before a decision on many patterns, the person sees its effect. */
async function ask({ status, group }) {
  const dialog = $("#ask");
  const asked = parameters({ decision: status, group, id: pattern().dataset.id });
  dialog.innerHTML = await part(`${manyOf(pattern())}?${asked}`);
  dialog.showModal();
  const asking = new AbortController();
  dialog.addEventListener("close", () => asking.abort(), { once: true });
  attempt(() => preview($(".preview", dialog), `${manyOf(pattern())}/preview?${asked}`, asking.signal));
}

async function decideOnAll({ status, group, seen }) {
  $("#ask").close();
  await told(manyOf(pattern()), { status, group, seen, id: pattern().dataset.id, query: query() });
  await refresh();
}

async function undo() {
  const answer = await told(`${base}undo`, {});
  await refresh();
  if (!answer.id || answer.source !== source) return;
  // The person continues at the pattern of the undone decision.
  const item = itemOf(answer.id);
  if (item) await choose(item);
  else if (list) {
    currentItem()?.removeAttribute("aria-current");
    await showPattern(source, answer.id);
  }
}

/** Shows the present state of everything. */
async function refresh() {
  await loadList();
  await showAgain();
  if ($("#document")) await loadDocument();
  if (!list && !$("#document") && source !== undefined) await reloadMain();
  attempt(loadBeside);
}

/** The present state of the selected pattern; nothing if it is gone. */
async function showAgain(quietly = false) {
  const at = pattern();
  if (!at) return;
  try {
    await showPattern(at.dataset.source, at.dataset.id, quietly);
  } catch (error) {
    if (error.status !== 404) throw error;
    put(detail, () => { detail.replaceChildren(paragraph("This pattern is no longer in its file.")); });
  }
}

const paragraph = (textContent) => Object.assign(document.createElement("p"), { className: "quiet", textContent });

async function reloadMain() {
  const fresh = new DOMParser().parseFromString(await part(location.href), "text/html");
  // A frame with the same page stays where its reader is.
  const frame = (room) => $("iframe", room)?.getAttribute("src");
  const isSame = frame(document) !== undefined && frame(document) === frame(fresh);
  if (!isSame) put($("#main"), () => { $("#main").innerHTML = $("#main", fresh).innerHTML; });
  const progress = $("#progress", fresh);
  if (progress) $("#progress")?.replaceWith(progress);
}

// ---- The sources ----

/** Where the order of the overview is remembered for the pages of sources. */
const ORDER = `order ${base}`;
const order = () => new URLSearchParams(sessionStorage.getItem(ORDER) ?? "");

/** The overview with what its address says. */
async function loadOverview() {
  sessionStorage.setItem(ORDER, location.search);
  const address = location.href;
  const fresh = new DOMParser().parseFromString(await part(address), "text/html");
  if (address === location.href) put($("#overview"), () => { $("#overview").innerHTML = $("#overview", fresh).innerHTML; });
}

async function showOverview(address) {
  history.replaceState(null, "", address);
  await loadOverview();
}

function searchSources() {
  const address = new URL(location.href);
  address.searchParams.set("search", $("#search").value);
  return showOverview(address);
}

/** Links to the sources beside this one, in the order of the overview. */
async function loadBeside() {
  if (source === undefined) return;
  const asked = order();
  asked.set("source", source);
  const parts = document.createElement("template");
  parts.innerHTML = await part(`${base}beside?${asked}`);
  for (const fresh of [...parts.content.children]) {
    const old = $(`#${fresh.id}`);
    if (old.outerHTML !== fresh.outerHTML) put(old, () => old.replaceWith(fresh));
  }
}

// ---- Editing ----

function openForm(form, field) {
  if (!$(`#${form}`)) return tell("there is nothing to edit here", true);
  closeForms();
  $(`#${form}`).hidden = false;
  toggleOf(form).setAttribute("aria-expanded", "true");
  $(field).focus();
  return form === "edit-form" ? attempt(tryOut) : undefined;
}

function closeForms() {
  const form = openedForm();
  if (!form) return;
  toggleOf(form.id).setAttribute("aria-expanded", "false");
  if (form.contains(document.activeElement)) toggleOf(form.id).focus();
  form.hidden = true;
  $$("textarea, input", form).forEach((field) => { field.value = field.defaultValue; });
  clearTimeout(tryTimer);
  trying?.abort();
}

function edit() {
  const ends = $("#ends").value.trim();
  return { regex: $("#regex").value, ends_after: ends === "" ? null : Number(ends) };
}

let trying;
let tryTimer;
async function tryOut() {
  trying?.abort();
  if (!$("#ends").validity.valid) return;
  trying = new AbortController();
  const html = await part(`${pattern().dataset.page}try`, posted(edit(), trying.signal));
  const trial = $("#trial");
  if (trial) trial.innerHTML = html;
}

function tryOutSoon() {
  clearTimeout(tryTimer);
  tryTimer = setTimeout(() => attempt(tryOut), 250);
}

async function save() {
  const form = openedForm();
  if (form && !$$("input", form).every((field) => field.reportValidity())) return;
  if (form) await decide(form.id === "edit-form" ? { edit: edit() } : { note: $("#note").value });
}

// ---- Matches ----

async function showMatches() {
  const at = pattern();
  if (!at) return;
  const shown = $("#matches-of");
  if (shown) {
    shown.remove();
    detail.scrollTop = 0;
    return;
  }
  const html = await part(`${at.dataset.page}matches`);
  const room = Object.assign(document.createElement("div"), { id: "matches-of", innerHTML: html });
  at.append(room);
  room.scrollIntoView({ block: "start" });
}

async function moreMatches(button) {
  const html = await part(`${pattern().dataset.page}matches?from=${button.dataset.from}`);
  button.insertAdjacentHTML("afterend", html);
  button.remove();
}

// ---- Documents ----

/** Text that is removed or kept for one reason: a mark for each of its lines. */
function removals() {
  const reason = (mark) => $("a", mark)?.href ?? mark.title;
  const all = [];
  for (const mark of $$("#document del.removed, #document ins.kept")) {
    if (all.length > 0 && reason(all.at(-1)[0]) === reason(mark)) all.at(-1).push(mark);
    else all.push([mark]);
  }
  return all;
}

const currentRemoval = () => $$("#document .current");
const currentIndex = (all) => all.findIndex((marks) => marks[0].classList.contains("current"));

async function chooseRemoval(marks) {
  if (!marks) return;
  currentRemoval().forEach((mark) => mark.classList.remove("current"));
  marks.forEach((mark) => mark.classList.add("current"));
  marks[0].scrollIntoView({ block: "nearest" });
  const link = $("a", marks[0]);
  if (!link) marks[0].tabIndex = -1;
  takeFocusAlong($("#document"), link ?? marks[0]);
  if (link) await showPattern(...sourceAndId(link.href));
  else detail.replaceChildren(paragraph(marks[0].title));
}

/** The source and the id in the address of a pattern. */
function sourceAndId(href) {
  const url = new URL(href);
  const ofSource = decodeURIComponent(url.pathname.slice(base.length).split("/")[1]);
  return [ofSource, url.searchParams.get("id")];
}

function stepRemoval(by) {
  const all = removals();
  const at = currentIndex(all);
  return chooseRemoval(all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by]);
}

async function loadDocument(limit) {
  const room = $("#document");
  const at = currentIndex(removals());
  if (limit) room.dataset.limit = limit;
  const asked = new URLSearchParams(location.search);
  if (room.dataset.limit) asked.set("limit", room.dataset.limit);
  const html = await part(`${location.pathname}/text?${asked}`);
  put(room, () => { room.innerHTML = html; });
  const marks = removals()[at];
  if (!marks) return;
  marks.forEach((mark) => mark.classList.add("current"));
  if (room.contains(document.activeElement)) ($("a", marks[0]) ?? marks[0]).focus({ preventScroll: true });
}

/** The selected text in the document; without a selection, the current removed text. */
function selectedText() {
  const selection = getSelection();
  const isInside = selection.rangeCount > 0 && $("#document")?.contains(selection.getRangeAt(0).commonAncestorContainer);
  const text = isInside ? selection.toString().trim() : "";
  return text || currentRemoval().map((mark) => mark.textContent).join("\n");
}

async function keep() {
  const text = selectedText();
  if (!$("#document") || !text) return tell("select a text in a document first", true);
  const document_ = Number($("#document").dataset.number);
  await told(`${home}keep`, { text, document: document_ });
  getSelection().removeAllRanges();
  await refresh();
}

/** Makes a pattern of the selected text. */
async function alwaysRemove() {
  const selection = getSelection();
  const text = selection.toString().trim();
  const room = $("#document");
  if (!room || !text || !room.contains(selection.anchorNode)) return tell("select a text in a document first", true);
  await told(`${home}remove`, { text, document: Number(room.dataset.number) });
  selection.removeAllRanges();
  await refresh();
}

async function unkeep(text) {
  await told(`${home}keep`, { text, no_longer: true });
  await refresh();
}

document.addEventListener("selectionchange", () => {
  const bar = $("#selection");
  if (!bar) return;
  const selection = getSelection();
  const isInside = !selection.isCollapsed && $("#document").contains(selection.anchorNode);
  bar.hidden = !isInside;
});

// ---- Clicks, keys, time ----

const actions = {
  undo,
  help: () => $("#help").showModal(),
  "close-help": () => $("#help").close(),
  more: loadMore,
  status: (button) => setStatus(button.dataset.status),
  ask: (button) => ask(button.dataset),
  "close-ask": () => $("#ask").close(),
  all: (button) => decideOnAll(button.dataset),
  edit: () => openForm("edit-form", "#regex"),
  note: () => openForm("note-form", "#note"),
  "save-regex": save,
  "save-note": save,
  cancel: closeForms,
  matches: showMatches,
  "more-matches": moreMatches,
  "more-text": (button) => loadDocument(button.dataset.limit),
  keep,
  remove: alwaysRemove,
  "too-much": () => stepRemoval(1),
  unkeep: (button) => unkeep(button.dataset.text),
  overview: (link) => showOverview(link.href),
};

document.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const item = event.target.closest("a.item");
  const mark = event.target.closest("#document del.removed");
  const button = event.target.closest("[data-do]");
  if (item) {
    event.preventDefault();
    // When its turn comes, another element may have replaced it.
    const { id } = item.dataset;
    inTurn(() => choose(itemOf(id)));
    // If the pattern is below the list, it is out of sight.
    if (matchMedia("(max-width: 59.99rem)").matches) inTurn(() => detail.scrollIntoView({ block: "start" }));
  } else if (mark) {
    event.preventDefault();
    // A person who selects words of removed text wants the words, not the pattern.
    if (!getSelection().isCollapsed) return;
    const index = removals().findIndex((marks) => marks.includes(mark));
    inTurn(() => chooseRemoval(removals()[index]));
  } else if (button) {
    event.preventDefault();
    closeMenus();
    inTurn(() => actions[button.dataset.do](button));
  }
  $$(".split details[open]").filter((menu) => !menu.contains(event.target)).forEach((menu) => menu.removeAttribute("open"));
});

// A click would clear the selection before it is read.
document.addEventListener("pointerdown", (event) => {
  if (event.target.closest("[data-do=keep], [data-do=remove]")) event.preventDefault();
});

// Browsers drag a link instead of selecting its words. So while the pointer is down, it is not a link.
document.addEventListener("pointerdown", (event) => {
  const link = event.target.closest("#document del a");
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { href } = link;
  link.removeAttribute("href");
  const restore = () => link.setAttribute("href", href);
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, restore, { once: true });
});

document.addEventListener("input", (event) => {
  if (event.target.matches("#regex, #ends")) tryOutSoon();
  if (event.target.matches("#search")) searchSoon(list ? search : searchSources);
});

document.addEventListener("change", (event) => {
  if (event.target.matches("#statuses input, #sort")) inTurn(search);
});

let searchTimer;
function searchSoon(search) {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => inTurn(search), 120);
}

async function search() {
  remember();
  await loadList();
  list.scrollTop = 0;
  if (currentItem()) currentItem().scrollIntoView({ block: "nearest" });
  else await chooseOrNone(items()[0]);
}

function leave(field) {
  closeMenus();
  if (openedForm()) return closeForms();
  if (!isField(field)) return undefined;
  const item = currentItem();
  return item ? item.focus({ preventScroll: true }) : field.blur();
}

/** Moves the focus from a menu to its button. */
function closeMenus() {
  for (const menu of $$(".split details[open]")) {
    if (menu.contains(document.activeElement)) $("summary", menu).focus();
    menu.removeAttribute("open");
  }
}

const isField = (element) => element.matches("input:not([type=radio]), textarea, select");

const keys = {
  j: () => step(1),
  k: () => step(-1),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  a: () => setStatus("accepted"),
  r: () => setStatus("rejected"),
  p: () => setStatus("proposed"),
  e: actions.edit,
  n: actions.note,
  u: undo,
  x: keep,
  d: alwaysRemove,
  m: showMatches,
  o: () => $("#pattern .contexts cite a")?.click(),
  "[": () => $("#before")?.click(),
  "]": () => $("#next")?.click(),
  N: () => ($("#undecided") ?? $("#source-next"))?.click(),
  P: () => $("#source-before")?.click(),
  "/": () => $("#search")?.focus(),
  "?": actions.help,
};

for (let number = 1; number <= 7; number += 1) keys[number] = () => filterOrSort(number - 1);

/** Selects a status of the list; in the overview, a column to sort by. */
function filterOrSort(index) {
  $$("#statuses input, a.sort")[index]?.click();
}

document.addEventListener("keydown", (event) => {
  if ($("dialog[open]")) return undefined;
  if (event.key === "Escape") {
    // The browser would clear a search field without an event.
    event.preventDefault();
    return leave(event.target);
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && openedForm()) {
    event.preventDefault();
    return inTurn(save);
  }
  if (event.key === "Enter" && event.target.matches("#search")) return leave(event.target);
  // An edit is open: letters are meant for it.
  if (openedForm() && event.key !== "?") return undefined;
  if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const action = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
  if (!action || (event.key.startsWith("Arrow") && !list?.contains(event.target))) return undefined;
  event.preventDefault();
  // The next keys are meant for the field.
  if (event.key === "/") return action();
  // A held key moves through the list, as fast as it can be shown, and makes no decision.
  if (event.repeat && (waiting > 0 || !["j", "k", "ArrowDown", "ArrowUp"].includes(event.key))) return undefined;
  return inTurn(() => action(event));
});

/** Updates the page when others change the files, and when effects of patterns become known. */
async function watch() {
  const start = performance.now();
  try {
    const asked = source === undefined ? "" : `?source=${encodeURIComponent(source)}`;
    const now = await (await fetched(`${base}pulse${asked}`)).json();
    document.body.classList.remove("lost");
    putProblem(now.problem);
    await inTurn(() => look(now.version));
  } catch {
    document.body.classList.add("lost");
  }
  // If a request takes long, it is sent less often.
  setTimeout(watch, Math.max(document.hidden ? 5000 : 700, 5 * (performance.now() - start)));
}

/** Why the present file cannot be read. */
function putProblem(problem) {
  const room = $("#problem");
  if (!room || room.textContent === (problem ?? "")) return;
  room.textContent = problem ?? "";
  room.hidden = !problem;
}

/** The versions that the list and the pattern show. */
const shown = { list: document.body.dataset.version, detail: document.body.dataset.version };

/** The same as `refresh`, but keeps what the person is using. */
async function look(version) {
  if (shown.list !== version) {
    if (source === undefined) await loadOverview();
    else if (!(list || $("#document"))) await reloadMain();
    attempt(loadBeside);
    await loadList();
    if (!hasChosen && !isInUse() && items().length > 0) await point(items()[0]);
    shown.list = version;
  }
  if (shown.detail !== version && !isInUse() && getSelection().isCollapsed) {
    await showAgain(true);
    if ($("#document")) await loadDocument();
    shown.detail = version;
  }
}

/** A document was opened to see the effect of this pattern. */
async function showHere(id) {
  const here = removals().find((marks) => $("a", marks[0]) && sourceAndId($("a", marks[0]).href)[1] === id);
  if (here) return chooseRemoval(here);
  $("#document mark.matched")?.scrollIntoView({ block: "center" });
  return showPattern(source, id);
}

watchMore();
if (source === undefined) sessionStorage.setItem(ORDER, location.search);
else {
  $("a.home").search = order().toString();
  attempt(loadBeside);
}
if ($("#document") && location.hash) inTurn(() => showHere(decodeURIComponent(location.hash.slice(1))));
if (!currentItem() && items().length > 0) {
  const shown = pattern()?.dataset.id;
  itemOf(shown)?.setAttribute("aria-current", "true");
}
previewSoon();
watch();
