/** Files beside a question: by button, paste or drop, with previews and limits. */

import { announce, element, icon, iconButton, plural, toast } from './dom.js';

const MAX_FILES = 8;
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_TOTAL_BYTES = 15 * 1024 * 1024;
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const FILES = ['application/pdf', 'application/json', 'application/xml'];
const TEXT = /\.(txt|md|csv|tsv|json|xml|html?|ya?ml|toml|log|py|js|ts|java|c|h|cpp|rs|go|rb|sh|sql|css)$/i;

/** @typedef {Required<import('./types.js').AttachedFile>} Attachment */

export class Attachments {
  /** @type {{file: File, node: HTMLElement, url: string | null}[]} */
  #chosen = [];

  /**
   * @param {HTMLElement} list
   * @param {() => void} onChange
   */
  constructor(list, onChange) {
    this.list = list;
    this.onChange = onChange;
  }

  get count() {
    return this.#chosen.length;
  }

  /** @param {Iterable<File>} files */
  add(files) {
    for (const file of files) {
      const reason = this.#refusal(file);
      if (reason) toast(`“${file.name}” was not attached: ${reason}`);
      else this.#take(file);
    }
    this.onChange();
  }

  /** Return the files as they are sent, and start anew. */
  async take() {
    const chosen = this.#chosen.splice(0);
    this.list.replaceChildren();
    this.onChange();
    const attachments = await Promise.all(chosen.map(({ file }) => encode(file)));
    for (const { url } of chosen) if (url) URL.revokeObjectURL(url);
    return attachments;
  }

  /** @param {File} file */
  #refusal(file) {
    const total = this.#chosen.reduce((sum, each) => sum + each.file.size, 0);
    if (this.#chosen.length >= MAX_FILES) return `a question takes ${plural(MAX_FILES, 'file')}.`;
    if (file.size > MAX_BYTES) return `it has ${megabytes(file.size)}; a file may have ${megabytes(MAX_BYTES)}.`;
    if (total + file.size > MAX_TOTAL_BYTES) return `all files together may have ${megabytes(MAX_TOTAL_BYTES)}.`;
    if (!file.size) return 'it is empty.';
    return typeOf(file) ? '' : 'only pictures (PNG, JPEG, GIF, WebP), PDF and text files can be read.';
  }

  /** @param {File} file */
  #take(file) {
    const url = IMAGES.includes(file.type) ? URL.createObjectURL(file) : null;
    const remove = iconButton(`Remove ${file.name}`, 'close', () => {
      this.#chosen = this.#chosen.filter((each) => each.file !== file);
      if (url) URL.revokeObjectURL(url);
      node.remove();
      this.onChange();
      announce(`Removed ${file.name}`);
    });
    const node = element('li', { class: 'chip' }, url ? element('img', { src: url, alt: '' }) : icon('page'),
      element('span', { class: 'chip-name' }, file.name), element('span', { class: 'domain' }, size(file.size)), remove);
    this.#chosen.push({ file, node, url });
    this.list.append(node);
    announce(`Attached ${file.name}`);
  }
}

/**
 * @param {File} file
 * @returns {'image' | 'file' | ''}  "" where it cannot be read
 */
function typeOf(file) {
  if (IMAGES.includes(file.type)) return 'image';
  return FILES.includes(file.type) || file.type.startsWith('text/') || TEXT.test(file.name) ? 'file' : '';
}

/**
 * @param {File} file
 * @returns {Promise<Attachment>}
 */
function encode(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(reader.error);
    reader.onload = () => {
      const base64 = String(reader.result).replace(/^[^,]*,/, '');
      resolve({ type: typeOf(file) || 'file', mime_type: file.type || 'text/plain', base64_data: base64, file_name: file.name });
    };
    reader.readAsDataURL(file);
  });
}

/** @param {number} bytes */
function size(bytes) {
  return bytes < 1024 * 1024 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : megabytes(bytes);
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(bytes % (1024 * 1024) ? 1 : 0)} MB`;
}
