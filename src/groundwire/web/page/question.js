/** A message of the user: shown as it was written, to be copied or edited. */

import { copyText, element, icon, iconButton } from './dom.js';


/** A file that is being sent has no id yet, but its content. @typedef {Omit<import('./types.js').Attachment, 'id'> & {id?: string, base64_data?: string}} ShownFile */

/** @param {ShownFile} file */
function fileChip({ type, id, mime_type: mime, base64_data: data, file_name: name }) {
  const src = type !== 'image' ? '' : id ? `/api/attachments/${encodeURIComponent(id)}` : data ? `data:${mime};base64,${data}` : '';
  if (!src) return element('li', { class: 'chip' }, icon('page'), name || mime);
  return element('li', { class: 'chip' }, element('img', { src, alt: name || 'Picture', title: name || null, loading: 'lazy' }));
}

/**
 * @param {{content: string, attachments: ShownFile[]}} message
 * @param {{onEdit: ((text: string) => void) | null, branches: HTMLElement | null}} how
 */
export function questionView(message, { onEdit, branches }) {
  const text = element('div', { class: 'bubble', dir: 'auto' }, message.content);
  const files = message.attachments.map(fileChip);
  const copy = iconButton('Copy question', 'copy', () => copyText(message.content, copy));
  const edit = onEdit && iconButton('Edit and resend', 'edit', () => root.replaceChildren(heading, editor(message.content, onEdit, () => root.replaceChildren(...parts))));
  const heading = element('h2', { class: 'visually-hidden' }, 'Question');
  const parts = [
    heading, ...(files.length ? [element('ul', { class: 'files', 'aria-label': 'Attachments' }, ...files)] : []),
    ...(message.content ? [text] : []),
    element('div', { class: 'actions' }, branches, copy, edit || null),
  ];
  const root = element('article', { class: 'question', 'aria-label': 'Question' }, ...parts);
  return root;
}

/**
 * @param {string} text
 * @param {(text: string) => void} onSend
 * @param {() => void} onCancel
 */
function editor(text, onSend, onCancel) {
  const field = element('textarea', { class: 'field', dir: 'auto', 'aria-label': 'Edit your question', rows: 3 });
  field.value = text;
  const send = () => { if (field.value.trim()) onSend(field.value.trim()); };
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') onCancel();
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  });
  requestAnimationFrame(() => field.focus());
  return element('div', { class: 'editor' }, field, element('div', { class: 'editor-buttons' },
    element('button', { type: 'button', class: 'button is-plain', onclick: onCancel }, 'Cancel'),
    element('button', { type: 'button', class: 'button', onclick: send }, 'Send')));
}

/**
 * Make ‹ 2/3 ›, null where there is one version only.
 * @param {string[]} ids
 * @param {string} id
 * @param {(id: string) => void} onSelect
 */
export function branchSwitch(ids, id, onSelect) {
  if (ids.length < 2) return null;
  const index = ids.indexOf(id);
  return element('div', { class: 'branches', role: 'group', 'aria-label': 'Versions' },
    iconButton('Previous version', 'left', () => onSelect(ids[index - 1]), { disabled: index <= 0 }),
    element('span', {}, `${index + 1}/${ids.length}`),
    iconButton('Next version', 'right', () => onSelect(ids[index + 1]), { disabled: index >= ids.length - 1 }));
}
