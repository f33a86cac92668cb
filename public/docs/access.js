/** What Swagger UI leaves out for readers who use a keyboard or hear the page: a selector, and what each element gets. */
const amendments = {
  'tr[data-param-name] :is(select, textarea, input:not([type=checkbox])):not([aria-label])': (
    field,
  ) => ({ 'aria-label': field.closest('tr').dataset.paramName }),
  '.opblock-section-request-body textarea:not([aria-label])': () => ({
    'aria-label': 'Request body',
  }),
  '.examples-select select:not([aria-label]), .response-control-examples select:not([aria-label])':
    () => ({ 'aria-label': 'Example' }),
  // What scrolls can be reached, and then scrolled, by keyboard.
  'pre:not([tabindex])': () => ({ tabindex: '0' }),
  '.model-box-control:not([aria-label])': (button) =>
    button.textContent.trim() === '' ? { 'aria-label': 'Details' } : {},
  // Several operations can be open, so that the region of each needs a name of its own.
  '.responses-table[role=region]:not([aria-label])': (table) => ({
    'aria-label': `Answers of ${table.closest('.opblock').querySelector('.opblock-summary-control').textContent}`,
  }),
  // All lines of a list are in sight.
  'select[multiple]:not([size])': ({ options }) => ({ size: options.length }),
  // Headings below the one that names the scheme, which is of level 4.
  '.auth-container :is(h2, h6):not([aria-level])': () => ({ role: 'heading', 'aria-level': '5' }),
  // What is clicked, but is no button.
  ':is(.scopes h2 a, .request-snippets .btn):not([role])': () => ({
    role: 'button',
    tabindex: '0',
  }),
}

/** Amends the page below an element, now and whenever Swagger UI changes it. */
export function makeAccessible(root) {
  let opener = null
  root.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.matches('[role=button]')) {
      event.target.click()
    }
  })
  // Wherever the focus is: it may have left the page.
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') {
      root.querySelector('.close-modal')?.click()
    }
  })
  new MutationObserver(amend).observe(root, { childList: true, subtree: true })
  amend()

  function amend() {
    for (const [selector, attributesOf] of Object.entries(amendments)) {
      for (const element of root.querySelectorAll(selector)) {
        for (const [name, value] of Object.entries(attributesOf(element))) {
          element.setAttribute(name, value)
        }
      }
    }
    followDialog()
  }

  /** The focus goes into a dialog that opens, stays there, and returns to where it was. */
  function followDialog() {
    const dialog = root.querySelector('.modal-ux')
    const returnTo = opener
    // What is inert loses the focus.
    opener = dialog && (opener ?? document.activeElement)
    for (const behind of root.querySelectorAll(
      'main, header, .caller > :not(.auth-wrapper), .auth-wrapper > .btn',
    )) {
      behind.inert = dialog !== null
    }
    if (dialog && !returnTo) {
      dialog.focus()
    } else if (!dialog) {
      returnTo?.focus()
    }
  }
}
